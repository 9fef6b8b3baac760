"""The table of genes as a file."""

import pytest

from tests.helpers.cli_tables import write_csv


@pytest.fixture
def table(tmp_path):
    return write_csv(tmp_path / "genes.csv")
