"""The committed results: rows of real runs, and the summary that is made from them."""

from pathlib import Path

import pytest

from paper.showing.page import write_all

PAPER = Path(__file__).parents[2] / "paper"


def test_the_committed_summary_is_that_of_the_committed_rows(tmp_path):
    """Tables and figures are made in seconds; only the summary is committed next to the rows."""
    if not (PAPER / "rows").is_dir():
        pytest.skip("no rows beside this package")
    write_all(PAPER / "rows", PAPER / "published", tmp_path)
    made = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert made == (PAPER / "tables" / "summary.md").read_text(encoding="utf-8")
