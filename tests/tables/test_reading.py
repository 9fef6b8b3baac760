"""Awkward files: what the command line makes of them, and what it says where it cannot."""

import gzip
import os
import zipfile
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pucut.tables import TableError
from pucut.tables.columns import learn_columns
from pucut.tables.labels import read_labels
from pucut.tables.reading import read_file
from tests.helpers.cli_tables import CLASSIFY, failure, gene_table, notes


def written(tmp_path, content, name="table.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return str(path)


def read(tmp_path, content, encoding="utf-8", **options):
    return read_file(written(tmp_path, content, encoding=encoding), **options)


def features(table, ignored=(), **options):
    """The plan and the values of a table whose label column is called known."""
    found = learn_columns(table, ignored=["known", *ignored], **options)
    return found.X, found, (*found.notes, *found.lost)


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
def test_separator_is_found_out(tmp_path, sep):
    content = f"a{sep}b{sep}known\n1{sep}'x, y; z'{sep}1\n2{sep}w{sep}0\n"
    if sep in ",;":
        content = content.replace("'", '"')
    table = read(tmp_path, content)
    assert list(table.frame.columns) == ["a", "b", "known"]
    assert table.n_rows == 2
    assert table.frame["b"][0].strip("'") == "x, y; z"


def test_decimal_commas_do_not_separate(tmp_path):
    table = read(tmp_path, "a, mean;b;known\n1,5;2,25;1\n-0,5;3;0\n,5;1e3;0\n")
    X, plan, _ = features(table)
    np.testing.assert_array_equal(X["a, mean"], [1.5, -0.5, 0.5])
    np.testing.assert_array_equal(X["b"], [2.25, 3.0, 1000.0])
    assert [feature.numerals for feature in plan.features] == ["comma", "comma"]


def test_what_may_be_thousands_is_asked(tmp_path):
    content = 'a,known\n"1,234",1\n"2,500",0\n12,0\n'
    table = read(tmp_path, content)
    with pytest.raises(TableError, match=r"column 'a': '1,234' may be a decimal comma or"):
        features(table)
    np.testing.assert_array_equal(features(table, decimal=",")[0]["a"], [1.234, 2.5, 12.0])
    np.testing.assert_array_equal(features(table, decimal=".")[0]["a"], [1234.0, 2500.0, 12.0])


def test_plain_thousands_are_read(tmp_path):
    X, plan, _ = features(read(tmp_path, 'a,known\n"1,234,567.5",1\n"2,500",0\n0.5,0\n'))
    np.testing.assert_array_equal(X["a"], [1234567.5, 2500.0, 0.5])
    assert plan.features[0].numerals == "thousands"


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-8", None), ("utf-8-sig", None), ("utf-16", None), ("latin-1", "cp1252")],
)
def test_encodings(tmp_path, encoding, said):
    table = read(tmp_path, "größe,known\n1,1\n2,0\n", encoding)
    assert list(table.frame.columns) == ["größe", "known"]
    assert len(table.notes) == (said is not None)
    if said is not None:
        assert f"is not UTF-8 (line 1): read as {said}" in table.notes[0]


def test_encoding_can_be_given(tmp_path):
    data = "имя,known\n1,1\n2,0\n".encode("koi8-r")
    assert list(read(tmp_path, data).frame.columns) != ["имя", "known"]
    path = written(tmp_path, data)
    assert list(read_file(path, encoding="koi8-r").frame.columns) == ["имя", "known"]
    with pytest.raises(TableError, match="cannot be read as ascii"):
        read_file(path, encoding="ascii")
    with pytest.raises(TableError, match="'klingon' is not known"):
        read_file(path, encoding="klingon")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, "table.csv is empty"),
        ("\n \n", {}, "table.csv is empty"),
        ("a,known\n", {}, "has a header and no rows below it"),
        ("a,b,known\n1,2,1\n1,2\n", {}, "line 3: 2 values, but there are 3 columns in the header"),
        ("a,b\n1,2\n\n3,4,5\n", {}, "line 4: 3 values, but there are 2 columns in the header"),
        ('a,b\n1,"x\ny"\n3,4,5\n', {}, "line 4: 3 values, but there are 2"),
        ("a,b\n , \n,\n", {}, "has a header and no rows below it"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", {}, "is not a table: it holds binary data"),
        (bytes(range(1, 256)) * 9, {}, "is not a table: it holds binary data"),
        ("a,b\n1,2\n".encode("utf-16-le"), {}, "--encoding names its encoding"),
        (b"%PDF-1.7\n1 0 obj", {}, "is not a table but a PDF"),
        ("\n<!DOCTYPE html><table>", {}, "is not a table but a web page"),
        ('[{"a": 1}]', {}, "is not a table but JSON"),
        ("a;b\n1;2\n", {"sep": ","}, "contains a semicolon: try --sep ';'"),
        ("a\tb\n1\t2\n", {"sep": ","}, "contains a tab: try --sep tab"),
        ("a,b\n1,2\n", {"sep": ",,"}, "--sep must be one character"),
        ("a,b\n1,2\n", {"sheet": "one"}, "needs an Excel file"),
        (b"PAR1 and nothing else", {}, "cannot be read"),
        (b"\x1f\x8b and nothing else", {}, "broken gzip"),
        (b"\xd0\xcf\x11\xe0 and nothing else", {}, "old Excel file"),
    ],
)
def test_broken_files(tmp_path, content, options, message):
    with pytest.raises(TableError) as caught:
        read(tmp_path, content, **options)
    assert message in str(caught.value)
    assert "table.csv" in str(caught.value) or "--sep" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    written(tmp_path, "a,b\n1,2\n", "genes.csv")
    with pytest.raises(
        TableError, match=r"there is no file .*gene\.csv.*did you mean .*genes\.csv"
    ):
        read_file(str(tmp_path / "gene.csv"))
    with pytest.raises(TableError, match="cannot be read"):
        read_file(str(tmp_path))


def test_line_that_names_the_separator(tmp_path):
    table = read(tmp_path, "sep=;\na;b\n1,5;2\n")
    assert list(table.frame.columns) == ["a", "b"]
    assert table.place(0) == "line 3"


def test_row_names_of_r(tmp_path):
    table = read(tmp_path, '"a" "known"\n"r1" 1.5 1\n"r2" 2 0\n', sep="space")
    assert list(table.frame.columns) == ["row_name", "a", "known"]
    assert "is used as the names of the rows" in table.notes[0]
    assert features(table)[1].ids == ("row_name",)


def test_separator_at_the_end_of_rows(tmp_path):
    table = read(tmp_path, "a,known\n1,1,\n2,0,\n")
    assert list(table.frame.columns) == ["a", "known"]
    assert table.frame["a"].tolist() == ["1", "2"]


def test_all_kinds_of_files_hold_the_same(tmp_path):
    frame, _ = gene_table()
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress((tmp_path / "t.csv").read_bytes()))
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.arrow")
    frame.astype({"<script>": "category"}).to_feather(tmp_path / "t.feather")
    expected, plan, _ = features(read_file(str(tmp_path / "t.csv")))
    np.testing.assert_array_equal(expected["size"], frame["size"])
    assert [feature.kind for feature in plan.features] == ["number", "category", "number"]
    for ending in ("csv.gz", "xlsx", "parquet", "arrow", "feather"):
        table = read_file(str(tmp_path / f"t.{ending}"))
        X, same, _ = features(table)
        pd.testing.assert_frame_equal(X, expected)
        assert (same.ids, same.features, same.notes) == (plan.ids, plan.features, plan.notes)
        labels = read_labels(table, "known")
        np.testing.assert_array_equal(labels.known.is_labelled, frame["known"].notna())


def test_sheets(tmp_path):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"a": [1, 2], "known": [1, 0]}).to_excel(book, sheet_name="one", index=False)
        pd.DataFrame({"b": [1, 2], "known": [1, 0]}).to_excel(book, sheet_name="two", index=False)
        pd.DataFrame().to_excel(book, sheet_name="none", index=False)
    first = read_file(str(path))
    assert list(first.frame.columns) == ["a", "known"]
    assert "has 3 sheets: 'one' is read" in first.notes[0]
    assert list(read_file(str(path), sheet="two").frame.columns) == ["b", "known"]
    with pytest.raises(TableError, match="it has 'one', 'two', 'none'"):
        read_file(str(path), sheet="three")
    with pytest.raises(TableError, match="sheet 'none' is empty"):
        read_file(str(path), sheet="none")


def test_columns_of_one_name_get_names_of_their_own(tmp_path, capsys):
    content = "a,b,a,a (1),known\n1,2,3,4,1\n5,6,7,9,0\n"
    table = read(tmp_path, content)
    assert list(table.frame.columns) == ["a (1)'", "b", "a (2)", "a (1)", "known"]
    assert table.frame["a (2)"].tolist() == ["3", "7"]
    said = "2 columns have this name (1, 3) and are called \"a (1)'\", 'a (2)' here"
    assert table.notes[0].endswith(f"table.csv, column 'a': {said}")
    # Which of two columns marks the known positives is never guessed.
    path = written(tmp_path, "known,b,known\n1,2,1\n0,6,0\n")
    assert failure(capsys, "classify", path, "--label-column", "known").startswith(
        "--label-column 'known': 2 columns have this name (1, 3) and are called 'known (1)', 'know"
    )
    twice = pa.table([[1], [2]], names=["a", "a"])
    with pa.ipc.new_file(tmp_path / "t.arrow", twice.schema) as file:
        file.write_table(twice)
    found = read_file(str(tmp_path / "t.arrow"))
    assert list(found.frame.columns) == ["a (1)", "a (2)"]


def test_blank_rows_are_left_out(tmp_path):
    table = read(tmp_path, "a,b,known\n1,2,1\n,,\n3,,0\n , ,\n\n")
    assert table.frame["a"].tolist() == ["1", "3"]
    assert table.place(1) == "line 4"
    assert table.notes[0].endswith("table.csv: 2 blank rows are left out (line 3, 5)")


def test_sums_below_a_table_are_left_out(tmp_path):
    rows = "id,a,b,known\nx,1,2.5,1\ny,3,,0\nz,4,1.5,0\n"
    table = read(tmp_path, f"{rows},,,\nTotal:,8,4.0,1\nMean,2.667,2,\n")
    assert table.frame["id"].tolist() == ["x", "y", "z"]
    assert [note.partition("table.csv")[2] for note in table.notes] == [
        ": a blank row is left out (line 5)",
        ", line 6 begins with 'Total:' and sums up the rows above: it is left out",
        ", line 7 begins with 'Mean' and sums up the rows above: it is left out",
    ]
    kept = read(tmp_path, f"{rows}Total,5,1,0\n")
    assert kept.frame["id"].tolist() == ["x", "y", "z", "Total"]
    assert (
        "line 5 begins with 'Total': it is treated as data; delete the line if it is a total"
        in kept.notes[0]
    )


def test_the_sheet_with_the_label_column_is_named(tmp_path, capsys):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"note": ["read me"]}).to_excel(book, sheet_name="about", index=False)
        gene_table()[0].to_excel(book, sheet_name="genes", index=False)
    said = failure(capsys, "classify", path, "--label-column", "known", *CLASSIFY)
    assert said == (
        f"--label-column 'known': it is in sheet 'genes' of {path}, and 'about' was read: "
        "--sheet 'genes'"
    )


def test_what_columns_are(tmp_path):
    n_rows = 60
    frame = pd.DataFrame(
        {
            "sample_id": np.arange(n_rows) % 50,  # named like an identifier
            "accession": [f"x{row}" for row in range(n_rows)],  # unique texts
            "paid": np.arange(n_rows) / 7,  # ends in "id", but is not one
            "colour": np.resize(["red", "green", None], n_rows),
            "day": pd.date_range("1970-01-01", periods=n_rows).strftime("%Y-%m-%d"),
            "tested": np.resize(["x", None, None], n_rows),
            "mostly": ["n.d.", "none", *(f"{row}.5" for row in range(n_rows - 2))],
            "same": 3,
            "empty": None,
            "known": np.resize([1, 0], n_rows),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_file(str(tmp_path / "t.csv"))
    X, plan, notes = features(table)
    assert plan.ids == ("sample_id", "accession")
    assert {feature.name: feature.kind for feature in plan.features} == {
        "paid": "number",
        "colour": "category",
        "day": "date",
        "tested": "flag",
        "mostly": "number",
    }
    np.testing.assert_array_equal(X["day"], np.arange(n_rows))
    np.testing.assert_array_equal(X["tested"], frame["tested"].notna())
    np.testing.assert_array_equal(X["mostly"], [np.nan, np.nan, *np.arange(0.5, n_rows - 2)])
    assert list(X["colour"].cat.categories) == ["green", "red"]
    np.testing.assert_array_equal(X["colour"].isna(), frame["colour"].isna())
    assert notes == (
        "'sample_id', 'accession': taken as identifiers, not as features",
        "'same': not used, constant",
        "'empty': not used, without any value",
        "'mostly': 2 cells are not numbers and count as missing: 'n.d.', 'none', first in line 2",
    )


def test_typed_columns(tmp_path):
    frame = pd.DataFrame(
        {
            "flag": pd.array([True, False, None], dtype="boolean"),
            "count": pd.array([1, None, 3], dtype="Int64"),
            "when": pd.to_datetime(["1970-01-02", None, "1970-01-03"]),
            "cost": [Decimal("1.5"), None, Decimal("2.5")],
            "birth": [date(1970, 1, 4), None, date(1970, 1, 5)],
            "parts": [[1], [2], [3]],
            "known": [True, False, False],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_file(str(tmp_path / "t.parquet"))
    X, _, notes = features(table)
    np.testing.assert_array_equal(X["flag"], [1.0, 0.0, np.nan])
    np.testing.assert_array_equal(X["count"], [1.0, np.nan, 3.0])
    np.testing.assert_array_equal(X["when"], [1.0, np.nan, 2.0])
    np.testing.assert_array_equal(X["cost"], [1.5, np.nan, 2.5])
    np.testing.assert_array_equal(X["birth"], [3.0, np.nan, 4.0])
    assert X.shape == (3, 5)
    assert "'parts': not used, neither numbers nor texts nor dates" in notes
    np.testing.assert_array_equal(
        read_labels(table, "known").known.is_labelled, [True, False, False]
    )


def test_infinite_numbers_are_refused(tmp_path):
    table = read(tmp_path, "a,known\n1,1\n2,0\n1e999,0\n")
    with pytest.raises(TableError, match=r"table\.csv, line 4, column 'a': the number is infinite"):
        features(table)


@pytest.mark.parametrize(
    ("cells", "named", "expected"),
    [
        (["1", "0", "1"], {}, [1, 0, 1]),
        (["1.0", "0.0", "01"], {}, [1, 0, 1]),
        (["1", "-1", ""], {}, [1, 0, 0]),
        (["yes", "", " yes "], {}, [1, 0, 1]),
        (["1", "", "?"], {}, [1, 0, 0]),
        (["unlabeled", "positive", "positive"], {}, [0, 1, 1]),
        (["True", "False", "False"], {}, [1, 0, 0]),
        (["cancer", "unknown", "cancer"], {}, [1, 0, 1]),
        (["to do", "known", "to do"], {}, [0, 1, 0]),
        (["a", "b", "b"], {"positive": ["a"]}, [1, 0, 0]),
        (["a", "b", "c"], {"positive": ["b"]}, [0, 1, 0]),
        (["1", "2", "3"], {"positive": ["2.0"]}, [0, 1, 0]),
        # Words that mean no, where other rows are unlabelled, are known negatives.
        (["negative", "positive", ""], {}, [-1, 1, 0]),
        (["yes", "no", "unknown"], {}, [1, -1, 0]),
        (["yes", "no", ""], {"positive": ["yes"]}, [1, -1, 0]),
        (["yes", "no", ""], {"unlabelled": ["no"]}, [1, 0, 0]),
        # Otherwise nothing would be unlabelled.
        (["yes", "no", "no"], {}, [1, 0, 0]),
        # What words do not say, options do.
        (["1", "0", ""], {"negative": ["0"]}, [1, -1, 0]),
        (["1", "0", ""], {"unlabelled": ["0"]}, [1, 0, 0]),
        (["2", "1", "NA"], {"unlabelled": ["1"]}, [1, 0, 0]),
        (["yes", "no", "maybe"], {"negative": ["no"]}, [1, -1, 0]),
        (["a", "b", "c"], {"positive": ["a"], "negative": ["b"]}, [1, -1, 0]),
        # Several spellings, and several values.
        (["yes", "Yes", "YES", "y", "N", "no", ""], {}, [1, 1, 1, 1, -1, -1, 0]),
        (["a", "b", "c"], {"positive": ["a", "b"]}, [1, 1, 0]),
        (["a", "b", "c", "d"], {"positive": ["a"], "negative": ["b", "c"]}, [1, -1, -1, 0]),
    ],
)
def test_labels(tmp_path, cells, named, expected):
    content = "a,known\n" + "".join(f"{row},{cell}\n" for row, cell in enumerate(cells))
    labels = read_labels(read(tmp_path, content), "known", **named)
    np.testing.assert_array_equal(labels.known.signs, expected)
    n_negative = expected.count(-1)
    assert (f"{n_negative} known negatives" in labels.note) == bool(n_negative)


@pytest.mark.parametrize(
    ("cells", "named", "message"),
    [
        (["", "NA"], {}, "is empty: known positives must be marked"),
        (["0", "0"], {}, "holds no known positives, only '0'"),
        (["no", ""], {}, "holds no known positives, only 'no' and empty cells"),
        (["no", "unknown"], {}, "holds no known positives, only 'no', 'unknown'"),
        (["no", "control"], {}, "holds no known positives, only 'control', 'no'"),
        (["1", "1"], {}, "holds '1' in every row"),
        (["a", "b"], {}, "say which marks the known positives, --positive 'a' or --positive 'b'"),
        (["a", "b", "c"], {}, "holds 3 values ('a', 'b', 'c'), and must hold two"),
        (["yes", "no", "maybe"], {}, "and --negative VALUE that of known negatives"),
        (["yes", "positive", ""], {}, "which both mean positive; --positive positive --positive"),
        (["a", "b"], {"positive": ["c"]}, "--positive 'c' is not in"),
        (["a", "b"], {"positive": ["a"], "negative": ["c"]}, "--negative 'c' is not in"),
        (["1", "0", ""], {}, "say --negative 0 if it marks known negatives, or --unlabelled 0"),
        (["1", "0", ""], {"positive": ["1"]}, "say --negative 0"),
        (["2", "1", "NA"], {}, "say --negative 1"),
        (["yes", "zebra", ""], {}, "say --negative zebra"),
        (["foo", "Foo", ""], {"positive": ["foo"]}, "say --positive Foo too"),
        (["yes", "no", "no"], {"negative": ["no"]}, "holds a known class in every row"),
    ],
)
def test_wrong_labels(tmp_path, cells, named, message):
    content = "a,known\n" + "".join(f"{row},{cell}\n" for row, cell in enumerate(cells))
    with pytest.raises(TableError) as caught:
        read_labels(read(tmp_path, content), "known", **named)
    assert message in str(caught.value)
    assert "column 'known'" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("known\n1\n0\n", [], "has one column, 'known': there is nothing to learn from"),
        ("a,known\n1,1\n1,0\n", [], "no column that can be used as a feature ('a': not used, cons"),
        ("a,Known\n1,1\n2,0\n", [], "not a column of {path}: did you mean 'Known'?"),
        ("a,label\n1,1\n2,0\n", [], "there are 'a', 'label'"),
        ("a,known\n1,1\n2,0\n", ["--id-column", "b"], "--id-column 'b' is not a column"),
        ("a,known\n1,1\n2,0\n", ["--id-column", "known"], "named by two options"),
        ("a,known\n1,1\n2,0\n3,0\n", ["--prior", "0.1"], "below the labelled fraction"),
    ],
)
def test_mistakes_are_one_line(tmp_path, capsys, content, arguments, message):
    path = written(tmp_path, content)
    said = failure(capsys, "classify", path, "--label-column", "known", *arguments)
    assert message.format(path=path) in said


def test_a_sheet_is_read_whole_whatever_it_says_of_its_size(tmp_path):
    frame = pd.DataFrame({"a": range(30), "b": [f"t{i}" for i in range(30)]})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    for said in ("A1:B16", "A1:A31", "A1", "A1:ZZ900"):
        changed = tmp_path / "changed.xlsx"
        with (
            zipfile.ZipFile(tmp_path / "t.xlsx") as old,
            zipfile.ZipFile(changed, "w") as new,
        ):
            for entry in old.namelist():
                data = old.read(entry)
                if entry.endswith("sheet1.xml"):
                    assert b'<dimension ref="A1:B31"' in data
                    data = data.replace(b'ref="A1:B31"', f'ref="{said}"'.encode(), 1)
                new.writestr(entry, data)
        found = read_file(str(changed)).frame
        assert found["a"].tolist() == [str(i) for i in range(30)]
        assert found["b"].tolist() == frame["b"].tolist()


def test_numbers_in_texts_of_every_kind(tmp_path):
    """What is a plain number, and what is not, in a table of few rows."""
    cells = {
        "known": ["1"] * 4 + [""] * 8,
        "gaps": ["1", "", "NA", " 3 ", "?", "nan", *"123456"],
        "constant": ["1.0"] * 12,
        "sample_id": [str(i) for i in range(12)],
        "comma": ["1,5", "2,5"] * 6,
        "stray": ["n.d.", *(f"{i}.5" for i in range(11))],
        "words": ["a", "b", "c"] * 4,
        "signs": ["+1", "-2", ".5", "5.", "1e3", "-1E-3"] * 2,
        "broken": ["1e", "2"] * 6,
        "huge": ["1e400", "1", "2", "3"] * 3,
    }
    pd.DataFrame(cells).to_csv(tmp_path / "t.csv", index=False)
    table = read_file(str(tmp_path / "t.csv"))
    with pytest.raises(TableError, match="'huge': the number is infinite"):
        features(table)
    X, plan, said = features(table, ignored=["huge"])
    assert plan.ids == ("sample_id",)
    assert [(feature.name, feature.kind) for feature in plan.features] == [
        ("gaps", "number"),
        ("comma", "number"),
        ("stray", "number"),
        ("words", "category"),
        ("signs", "number"),
        ("broken", "category"),
    ]
    nan = np.nan
    np.testing.assert_array_equal(X["gaps"], [1, nan, nan, 3, nan, nan, 1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(X["comma"], [1.5, 2.5] * 6)
    np.testing.assert_array_equal(X["stray"], [nan, *np.arange(0.5, 11)])
    np.testing.assert_array_equal(X["signs"], [1, -2, 0.5, 5, 1000, -0.001] * 2)
    assert "'constant': not used, constant" in said
    assert "'stray': 1 cells are not numbers and count as missing: 'n.d.', first in line 2" in said


def test_broken_and_endless_files_are_the_users_error(tmp_path, capsys, monkeypatch):
    pd.DataFrame({"a": [1, 2], "known": [1, 0]}).to_excel(tmp_path / "t.xlsx", index=False)
    whole = (tmp_path / "t.xlsx").read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(whole[: len(whole) // 2])
    with (
        zipfile.ZipFile(tmp_path / "t.xlsx") as old,
        zipfile.ZipFile(tmp_path / "xml.xlsx", "w") as new,
    ):
        for entry in old.namelist():
            data = old.read(entry)
            new.writestr(entry, data[:-40] if entry.endswith("sheet1.xml") else data)
    os.symlink(tmp_path / "loop.csv", tmp_path / "loop.csv")
    monkeypatch.setattr("pucut.tables.reading.MOST_BYTES", 1 << 20)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"a,known\n" + b"1,1\n" * 10**6))
    call = ("classify", "--label-column", "known")
    for name, words in (
        ("cut.xlsx", "broken Excel file"),
        ("xml.xlsx", "cannot be read"),
        ("loop.csv", "loop"),
        ("bomb.csv.gz", "may have no end"),
        ("/dev/zero", "may have no end"),
        ("nul\0.csv", "null"),
    ):
        assert words in failure(capsys, *call, tmp_path / name), name
    assert "loop" in failure(capsys, *call, tmp_path / "t.xlsx", "--out", tmp_path / "loop.csv/a")


def test_signs_that_terminals_obey_are_shown_not_sent(tmp_path, capsys):
    frame, _ = gene_table(0)
    frame["known"] = np.where(frame["known"].notna(), "\x1b[31myes", "no")
    frame.to_csv(tmp_path / "t.csv", index=False)
    _, err = notes(capsys, "classify", tmp_path / "t.csv", "--label-column", "known", *CLASSIFY)
    assert "\x1b" not in err
    assert r"\x1b[31myes" in err
