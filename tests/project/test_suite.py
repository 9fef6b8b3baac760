"""The tests themselves: what the settings say of their files is so."""

from pathlib import Path

from tests.conftest import SLOW_FILES

TESTS = Path(__file__).parents[1]


def test_slow_files_are_there():
    assert [name for name in SLOW_FILES if not (TESTS / name).is_file()] == []
