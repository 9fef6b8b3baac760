"""Rows as they are written and read again, and mistakes named by file and line."""

import pytest

from paper.csv_files import FileProblem
from paper.row_files import read_rows
from paper.schema import COLUMNS
from tests.helpers.paper_rows import row, write_rows


def test_files_are_read_together_packed_or_not(tmp_path):
    write_rows(tmp_path / "a.csv", [row("real", "vote", 1, "upu", accuracy_own="")])
    write_rows(tmp_path / "b.csv.gz", [row("real", "vote", 0, "upu", accuracy_own=0.25)])
    (tmp_path / "README.md").write_text("no rows")
    first, second = read_rows(tmp_path)
    assert (first.repetition, first.accuracy_own) == (0, 0.25)
    assert (second.repetition, second.accuracy_own) == (1, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "svm"}, r"line 3: method must be one of naive, .*, found 'svm'"),
        ({"dataset": "iris"}, r"line 3: dataset must be one of vote, .*, found 'iris'"),
        ({"suite": "fake"}, r"line 3: suite must be one of real, synthetic, .*, found 'fake'"),
        (
            {"suite": "few_informative"},
            r"line 3: dataset must be a name like n1000-.*found 'vote'",
        ),
        (
            {"accuracy_own": 96.1},
            r"line 3: accuracy_own must be a number from 0 to 1 or empty, found '96.1'",
        ),
        ({"accuracy_own": "nan"}, r"line 3: accuracy_own must be .*, found 'nan'"),
        ({"repetition": 1.5}, r"line 3: repetition must be a whole number, found '1.5'"),
        ({"labelled_share": 0.3}, r"line 3: labelled_share must be 0.6 or 0.1, found '0.3'"),
        ({"repetition": 0}, r"line 3: real vote 0.6 0 upu true is already in .*, line 2"),
    ],
)
def test_a_bad_row_is_named(tmp_path, change, message):
    bad = row("real", "vote", 1, "upu") | change
    write_rows(tmp_path / "rows.csv", [row("real", "vote", 0, "upu"), bad])
    with pytest.raises(FileProblem, match=r"rows\.csv, " + message):
        read_rows(tmp_path)


def test_a_file_may_lack_columns_that_may_be_empty(tmp_path):
    lines = [row("real", "vote", 0, "upu", scipy="1.2")]
    write_rows(tmp_path / "rows.csv", lines, [name for name in COLUMNS if name != "scipy"])
    write_rows(tmp_path / "new.csv", [row("real", "vote", 1, "upu", scipy="1.2")])
    assert [found.scipy for found in read_rows(tmp_path)] == ["", "1.2"]
    write_rows(tmp_path / "rows.csv", lines, [name for name in COLUMNS if name != "n_samples"])
    with pytest.raises(FileProblem, match=r"line 1: columns must be suite,dataset,n_samples"):
        read_rows(tmp_path)
    write_rows(tmp_path / "rows.csv", lines, [*COLUMNS[1:], "suite"])
    with pytest.raises(FileProblem, match=r"line 1: columns must be suite,dataset,n_samples"):
        read_rows(tmp_path)


def test_a_bad_file_is_named(tmp_path):
    with pytest.raises(FileProblem, match=r"has no \.csv"):
        read_rows(tmp_path)
    with pytest.raises(FileProblem, match="is not a folder"):
        read_rows(tmp_path / "nowhere")
    file = tmp_path / "rows.csv"
    file.write_text("suite,dataset\nreal,vote\n")
    with pytest.raises(FileProblem, match=r"rows\.csv, line 1: columns must be suite,"):
        read_rows(tmp_path)
    file.write_text(",".join(COLUMNS) + "\nreal,vote\n")
    said = rf"rows\.csv, line 2: {len(COLUMNS)} cells expected, found 2"
    with pytest.raises(FileProblem, match=said):
        read_rows(tmp_path)
    file.rename(tmp_path / "rows.csv.gz")
    with pytest.raises(FileProblem, match=r"rows\.csv\.gz cannot be read"):
        read_rows(tmp_path)
