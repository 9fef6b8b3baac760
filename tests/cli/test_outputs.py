"""What commands write and say, and where: files, stdout, stderr, pages, and how they fail."""

import json
import os
import re
import sys
import warnings
from io import BytesIO
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import pucut
import pucut.report
from pucut import PUExtraTreesClassifier
from pucut.cli import main
from pucut.cli._voice import Bar, Voice, in_time
from pucut.methods import METHOD_BY_SLUG
from pucut.tables.reading import read_file
from tests.helpers.cli_tables import (
    CLASSIFY,
    N_ROWS,
    failure,
    gene_table,
    known_features,
    notes,
    write_csv,
)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("o.csv.gz", pd.read_csv),
        ("o.tsv", lambda path: pd.read_csv(path, sep="\t")),
        ("o.xlsx", pd.read_excel),
        ("o.parquet", pd.read_parquet),
        ("o.feather", pd.read_feather),
    ],
)
def test_kinds_of_output(table, tmp_path, capsys, name, read):
    call = ["classify", table, "--label-column", "known", *CLASSIFY]
    plain = pd.read_csv(BytesIO(notes(capsys, *call)[0].encode()))
    notes(capsys, *call, "--out", tmp_path / name)
    written = read(tmp_path / name)
    assert list(written.columns) == list(plain.columns)
    assert written["predicted"].tolist() == plain["predicted"].tolist()
    np.testing.assert_array_equal(written["score"], plain["score"])


def test_json_is_all_of_stdout(table, capsys):
    out, err = notes(
        capsys, "classify", table, "--label-column", "known", *CLASSIFY, "--json", "--quiet"
    )
    summary = json.loads(out)
    assert err == ""
    assert summary["n_rows"] == N_ROWS
    assert summary["prior"] == 0.4
    assert summary["prior_estimate"] is None
    model = PUExtraTreesClassifier(prior=0.4, random_state=0).fit(*known_features(table))
    assert summary["n_predicted_positive"] == model.transduction_.sum()
    X, _ = known_features(table)
    assert summary["features"] == {
        "size": {"kind": "number", "n_missing": int(X["size"].isna().sum())},
        "<script>": {
            "kind": "category",
            "categories": ["blue, light", "both", "red"],
            "n_missing": int(X["<script>"].isna().sum()),
        },
        "depth": {"kind": "number", "n_missing": 0},
    }
    assert summary["id_columns"] == ["gene"]
    assert summary["method"] == "pu-extra-trees"
    assert "n_unreached" not in summary


def test_only_2_hnc_has_rows_that_no_label_reaches(table, capsys):
    for method, has_them in (("2-hnc", True), ("pu-cut", False)):
        call = ["classify", table, "--label-column", "known", "--method", method, "--prior", 0.4]
        assert ("n_unreached" in json.loads(notes(capsys, *call, "--json")[0])) == has_them


def test_report_gets_the_model_and_names(table, tmp_path, capsys, monkeypatch):
    given = {}

    def summarise(estimator, X, y, *, ids=None, feature_names=None, random_state=0, **further):
        given.update(estimator=estimator, X=X, y=y, ids=ids, names=feature_names, **further)
        return {"seed": random_state}

    monkeypatch.setattr(pucut.report, "summarise", summarise)
    monkeypatch.setattr(pucut.report, "render", lambda summary: f"<p>ä {summary['seed']}</p>")
    out = tmp_path / "r.html"
    call = ["classify", table, "--label-column", "known", "--prior", 0.4, "--seed", 4]
    notes(capsys, *call, "--report", out)
    assert out.read_text(encoding="utf-8") == "<p>ä 4</p>"
    X, y = known_features(table)
    pd.testing.assert_frame_equal(given["X"], X)
    np.testing.assert_array_equal(given["y"].is_labelled, y)
    assert given["ids"][:2] == ["g0000", "g0001"]
    assert given["names"] == ["size", "<script>", "depth"]
    np.testing.assert_array_equal(given["estimator"].classes_, [False, True])
    assert given["source"] == "genes.csv"
    assert (given["label_name"], given["positive"]) == ("known", "yes")
    assert all(": not used" in note for note in given["notes"])


@pytest.mark.parametrize(
    ("module", "arguments", "message"),
    [
        ("pandas", [], "reading tables needs pandas and pyarrow: pip install 'pucut[cli]'"),
        ("skops", ["--save-model", "m.skops"], "need the package skops: pip install 'pucut[cli]'"),
    ],
)
def test_what_is_not_installed_is_said_at_once(
    table, capsys, monkeypatch, module, arguments, message
):
    for loaded in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, module, None)
    call = ["classify", table, "--label-column", "known", *CLASSIFY]
    assert message in failure(capsys, *call, *arguments)


def test_the_report_says_what_the_columns_of_the_file_are(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("pucut.report.columns.MOST_COLUMNS", 60)
    frame, is_positive = gene_table()
    random = np.random.default_rng(0)
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(random.integers(0, 700, N_ROWS), "D")
    words = np.where(is_positive, "red swollen warm", "cold dry pale")
    frame = frame[["gene", "size", "depth", "known"]].assign(
        seen=days.strftime("%d.%m.%Y"),
        mass=[f"{value:.2f} kDa" for value in 2 + random.random(N_ROWS)],
        dose=[f"{value:.2f}" if value > 0.4 else "<0.4" for value in random.random(N_ROWS)],
        finding=[f"{text} {random.integers(0, 60)} hand foot" for text in words],
    )
    page = tmp_path / "r.html"
    call = ["classify", write_csv(tmp_path / "t.csv", frame), "--label-column", "known"]
    notes(capsys, *call, *CLASSIFY, "--report", page)
    text = page.read_text(encoding="utf-8")
    facts = dict(re.findall(r"<h3>([^<]*)</h3><p class=.note.>([^<]*?) · ", text))
    assert facts["seen"] == "date with the day first"
    assert facts["mass"] == "number in kDa"
    assert (
        facts["dose (limit)"] == "limits of &#x27;dose&#x27;: \u22121 for &lt;, 1 for &gt;, else 0"
    )
    assert facts["seen (weekday)"] == "weekday of the date &#x27;seen&#x27;"
    assert any(value.startswith("free text: one of") for value in facts.values())
    assert "<dt>Columns</dt><dd>4 numbers, 1 date, 1 text; as " in text
    assert re.search(r"median 202\d-\d\d-\d\d", text)


@pytest.mark.parametrize("method", ["pu-cut", "2-hnc", "pu-extra-trees", "elkan-noto", "spies"])
def test_the_report_says_what_the_table_says(table, tmp_path, capsys, method):
    page, out = tmp_path / "r.html", tmp_path / "o.csv"
    call = ["classify", table, "--label-column", "known", "--method", method, "--prior", 0.4]
    _, err = notes(capsys, *call, "--report", page, "--out", out)
    answers = pd.read_csv(out)
    n_positive = int((answers["predicted"] == "positive").sum())
    assert f"{n_positive} of {N_ROWS} rows are predicted positive" in err
    n_known = int((answers["known"] == "yes").sum())
    text = page.read_text(encoding="utf-8")
    told = f"{n_positive - n_known} of {N_ROWS - n_known} unlabelled rows look positive"
    assert f"<title>{told} · genes.csv · {METHOD_BY_SLUG[method]}</title>" in text
    assert f"{n_known} rows were known to be positive (known = yes)" in text
    # One set of numbers: ranks and probabilities of the page are those of the file.
    (data,) = re.findall(r'<script type="application/json" id="summary">(.*?)</script>', text)
    rows = json.loads(data)["rows"]
    probability = pucut.report.unpacked(rows["probability"])
    np.testing.assert_allclose(probability, answers["probability"], rtol=1e-5, atol=1e-7)
    order = pucut.report.unpacked(rows["order"])
    asked = answers["known"].isna().to_numpy()
    assert answers["rank"][order[asked[order]]].tolist() == list(range(1, asked.sum() + 1))


def test_duplicate_ids_are_named(tmp_path, capsys):
    frame, _ = gene_table()
    frame.loc[7, "gene"] = "g0003"
    path = write_csv(tmp_path / "t.csv", frame)
    call = ["classify", path, "--label-column", "known", "--id-column", "gene", *CLASSIFY]
    _, err = notes(capsys, *call, "--out", tmp_path / "o.csv")
    line = read_file(path).place(3)
    assert (
        f"warning: 'gene' names several rows: 2 rows share a name, such as g0003 in {line}" in err
    )


def test_rows_without_identifier_are_numbered(tmp_path, capsys):
    frame = gene_table()[0].drop(columns="gene").rename(columns={"known": "score"})
    path = write_csv(tmp_path / "t.csv", frame)
    out, _ = notes(capsys, "classify", path, "--label-column", "score", *CLASSIFY)
    answers = pd.read_csv(BytesIO(out.encode()))
    assert list(answers.columns)[:4] == ["row", "score", "predicted", "probability"]
    assert answers.columns[-1] == "pucut_score"
    assert answers["row"].tolist() == list(range(1, N_ROWS + 1))


def test_outputs_that_cannot_be(table, tmp_path, capsys):
    call = ["classify", table, "--label-column", "known", *CLASSIFY]
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    before = Path(table).read_bytes()
    for same in (table, link, f"{tmp_path}/./genes.csv"):
        said = failure(capsys, *call, "--out", same)
        assert said == f"--out '{same}' is the input itself: choose another name"
    assert Path(table).read_bytes() == before
    assert "there is no folder" in failure(capsys, *call, "--out", tmp_path / "no" / "o.csv")
    assert "is a folder" in failure(capsys, *call, "--report", tmp_path)
    said = failure(capsys, *call, "--out", tmp_path / "o", "--save-model", tmp_path / "o")
    assert "--save-model and --out are the same file" in said
    for wrong in ("o.xls", "o.json", "o.csv.zip", "o.xlsx.gz", "o.gz"):
        assert "endings may be .csv, .tsv" in failure(capsys, *call, "--out", tmp_path / wrong)
    assert "written as .csv" in failure(capsys, "demo", "--out", tmp_path / "o.xlsx")
    assert "call it .skops" in failure(capsys, *call, "--save-model", tmp_path / "m.pkl")
    assert "would mix on stdout" in failure(capsys, *call, "--out", "-", "--json")
    assert sorted(os.listdir(tmp_path)) == ["genes.csv", "link.csv"]


def test_nothing_is_written_where_something_fails(table, tmp_path, capsys, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    out = tmp_path / "o.csv"
    out.write_text("as it was")
    monkeypatch.setattr(os, "replace", refuse)
    call = ["classify", table, "--label-column", "known", *CLASSIFY, "--out", out]
    said = failure(capsys, *call, "--save-model", tmp_path / "m.skops")
    assert "cannot be written: No space left on device" in said
    assert out.read_text() == "as it was"
    assert sorted(os.listdir(tmp_path)) == ["genes.csv", "o.csv"]


def test_unexpected_failures_are_one_line(table, capsys, monkeypatch):
    def fail(*_):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(PUExtraTreesClassifier, "fit", fail)
    call = ["classify", table, "--label-column", "known", *CLASSIFY]
    assert main(call) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == ("pucut: failed: RuntimeError: two lines (run with --debug for the traceback)")
    with pytest.raises(RuntimeError, match="two"):
        main([*call, "--debug"])


def test_warnings_are_sentences(table, capsys, monkeypatch):
    original = PUExtraTreesClassifier.fit

    def warn(self, X, y):
        import warnings

        for _ in range(2):
            warnings.warn("the rows are few", UserWarning, stacklevel=1)
        warnings.warn("for developers", DeprecationWarning, stacklevel=1)
        return original(self, X, y)

    monkeypatch.setattr(PUExtraTreesClassifier, "fit", warn)
    _, err = notes(capsys, "classify", table, "--label-column", "known", *CLASSIFY)
    assert err.count("the rows are few") == 1
    assert "warning: the rows are few\n" in err
    assert "developers" not in err
    assert ".py" not in err


@pytest.mark.parametrize("method", ["pu-cut", "2-hnc", "pu-extra-trees", "rocchio"])
def test_progress_is_for_terminals(table, capsys, monkeypatch, method):
    call = ["rank", table, "--label-column", "known", "--prior", 0.4, "--method", method]
    plain = notes(capsys, *call)
    assert "\r" not in plain[1]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("pucut.cli._voice.SILENT_SECONDS", 1e9)  # a fit is quicker than that
    assert notes(capsys, *call) == plain
    monkeypatch.setattr("pucut.cli._voice.SILENT_SECONDS", 0.0)
    shown = notes(capsys, *call)
    assert shown[0] == plain[0]
    if method != "rocchio":  # which says nothing of its steps
        assert shown[1].count(f"\r{METHOD_BY_SLUG[method]} [") > 1
        assert " s left" in shown[1]
    assert ("of 100 trees" in shown[1]) == (method == "pu-extra-trees")
    assert notes(capsys, *call, "--quiet") == (plain[0], "")


def test_what_is_left_of_a_fit():
    bar = Bar("x", {"prior": 4.0, "trees": 2.0, "cuts": 2.0})
    bar.show_step("prior", 1, 4)
    assert bar.progress(1.0, 1.0) == (0.125, 7.0)
    assert bar.progress(9.0, 9.0) == (0.5, 4.0)  # longer than expected, but not done
    bar.show_step("trees", 2, 4)  # the first took twice as long as expected
    share, left = bar.progress(10.0, 2.0)
    assert (share, left) == (5 / 8, 6.0)
    bar.show_step("cuts", 3, 4)
    bar.show_step("answers", 4, 4)  # of which nothing is known
    assert bar.progress(16.0, 0.0) == (1.0, 0.0)
    trees = Bar("x", {})
    assert trees.progress(3.0, 3.0) == (None, None)
    trees.show_trees(25, 100)
    assert trees.progress(3.0, 3.0) == (0.25, 9.0)
    assert [in_time(seconds) for seconds in (7.4, 119, 600, 9000)] == [
        "7 s",
        "119 s",
        "10 min",
        "2.5 h",
    ]


def test_terminals_get_the_first_rows(table, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    out, err = notes(capsys, "classify", table, "--label-column", "known", *CLASSIFY)
    assert len(out.splitlines()) == 11
    assert f"... and {N_ROWS - 10} more: --out FILE writes all" in err


def test_warnings_are_said_as_sentences_but_not_those_for_developers(capsys):
    with Voice(quiet=False).sentences_for_warnings():
        warnings.warn("numbers overflow", RuntimeWarning, stacklevel=1)
        warnings.warn("numbers overflow", RuntimeWarning, stacklevel=1)
        warnings.warn("few labels", UserWarning, stacklevel=1)
        warnings.warn("this will go", FutureWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: numbers overflow\nwarning: few labels\n"


FORMULAS = ["=cmd|' /C calc'!A0", "+1+2", "-2+3", "@SUM(A1)", "\t=1", "=1"]
PLAIN = ["-5", "+1.5", "-1e3", "a=b", "'=1", "", "x"]


def table_with_formulas(tmp_path):
    frame, _ = gene_table(0)
    frame["gene"] = [*FORMULAS, *PLAIN, *(f"g{i}" for i in range(len(frame) - 13))]
    path = tmp_path / "formulas.csv"
    frame.to_csv(path, index=False)
    return path


def test_excel_files_are_ready_to_be_read(table, tmp_path, capsys):
    notes(
        capsys,
        "classify",
        table,
        "--label-column",
        "known",
        *CLASSIFY,
        "--out",
        tmp_path / "p.xlsx",
    )
    sheet = openpyxl.load_workbook(tmp_path / "p.xlsx").active
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == f"A1:H{N_ROWS + 1}"
    heads = {cell.value: cell.column_letter for cell in sheet[1]}
    assert sheet.column_dimensions[heads["positive_if_prior_at_least"]].width > 26
    assert sheet.column_dimensions[heads["rank"]].width < 12


def test_texts_that_look_like_formulas_are_texts_in_excel_files(tmp_path, capsys):
    path = table_with_formulas(tmp_path)
    call = ["classify", path, "--label-column", "known", "--id-column", "gene", *CLASSIFY]
    notes(capsys, *call, "--out", tmp_path / "p.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "p.xlsx").active
    cells = [cell for (cell,) in sheet.iter_rows(min_row=2, max_row=14, max_col=1)]
    assert {cell.data_type for cell in cells if cell.value is not None} == {"s"}
    assert [cell.value or "" for cell in cells] == [*FORMULAS, *PLAIN]
    # And they are read again as they were.
    again = read_file(str(tmp_path / "p.xlsx")).frame["gene"]
    assert again[: len(FORMULAS)].tolist() == FORMULAS


def test_texts_that_look_like_formulas_get_an_apostrophe_in_csv(tmp_path, capsys):
    path = table_with_formulas(tmp_path)
    call = ["classify", path, "--label-column", "known", "--id-column", "gene", *CLASSIFY]
    for ending in ("csv", "tsv", "csv.gz"):
        out = tmp_path / f"p.{ending}"
        _, err = notes(capsys, *call, "--out", out)
        assert "6 texts that spreadsheets would run as formulas begin with '" in err
        found = read_file(str(out)).frame["gene"].tolist()[:13]
        assert found == [*(f"'{text}" for text in FORMULAS), *PLAIN]
        _, err = notes(capsys, *call, "--out", out, "--keep-formulas")
        assert "formulas" not in err
        assert read_file(str(out)).frame["gene"].tolist()[:13] == [*FORMULAS, *PLAIN]
    out, _ = notes(capsys, *call, "--out", "-")
    assert "'=cmd|' /C calc'!A0" in out


def test_control_characters_in_excel_files_are_the_users_error(tmp_path, capsys):
    frame, _ = gene_table(0)
    frame["gene"] = ["\x01", *frame["gene"][1:]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    call = ["classify", tmp_path / "t.csv", "--label-column", "known", "--id-column", "gene"]
    text = failure(capsys, *call, *CLASSIFY, "--out", tmp_path / "p.xlsx")
    assert "cannot hold this table" in text


def test_a_carriage_return_in_a_text_makes_no_new_row(tmp_path, capsys):
    frame, _ = gene_table(0)
    frame["gene"] = ["a\rb", *frame["gene"][1:]]
    frame.to_parquet(tmp_path / "t.parquet")
    call = ["classify", tmp_path / "t.parquet", "--label-column", "known", "--id-column", "gene"]
    notes(capsys, *call, *CLASSIFY, "--out", tmp_path / "p.csv")
    again = read_file(str(tmp_path / "p.csv"))
    assert again.n_rows == N_ROWS
    assert again.frame["gene"][0] == "a\rb"
