"""The commands, called within this process, compared with what the library says."""

import json
import os
import sys
import warnings
from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

import pucut
from pucut import PUExtraTreesClassifier, TwoHNCClassifier, compare, estimate_prior
from pucut.cli import demo, main
from pucut.cli._columns import feature_frame, plan_columns
from pucut.cli._reading import read_input
from pucut.cli._voice import Voice
from tests.helpers.cli_tables import CLASSIFY, N_ROWS, failure, gene_table, notes, write_csv


@pytest.fixture
def table(tmp_path):
    return write_csv(tmp_path / "genes.csv")


def known_features(path):
    table = read_input(path)
    X, _ = feature_frame(table, plan_columns(table, taken=["known"]).features)
    return X, table.frame["known"].to_numpy(dtype=object) == "yes"


def test_classify_writes_what_the_library_says(table, tmp_path, capsys):
    out = tmp_path / "out.csv"
    said, err = notes(capsys, "classify", table, "--label-column", "known", "--out", out)
    assert said == ""
    X, y = known_features(table)
    model = TwoHNCClassifier(random_state=0).fit(X, y)
    answers = pd.read_csv(out)
    assert list(answers.columns) == ["gene", "known", "predicted", "score", "probability"]
    assert answers["gene"].tolist() == [f"g{row:04d}" for row in range(N_ROWS)]
    np.testing.assert_array_equal(answers["known"] == "yes", y)
    np.testing.assert_array_equal(answers["predicted"] == "positive", model.transduction_)
    np.testing.assert_allclose(answers["score"], model.scores_, rtol=1e-5)
    np.testing.assert_allclose(answers["probability"], model.predict_proba(X)[:, 1], rtol=1e-5)
    for sentence in (
        f"{y.sum()} of {N_ROWS} rows are known positives (known is yes)",
        "'gene': taken as identifier, not as feature",
        "'batch': not used, constant",
        "'remark': not used, free text (120 different texts in 240 rows)",
        str(model.prior_estimate_),
        f"written: {out}",
    ):
        assert sentence in err
    before = out.read_bytes()
    notes(capsys, "classify", table, "--label-column", "known", "--out", out)
    assert out.read_bytes() == before


def test_accuracy_on_what_is_not_known(table, tmp_path, capsys):
    """Predictions are those of the right rows: the classes are easily told apart."""
    notes(capsys, "classify", table, "--label-column", "known", "--out", tmp_path / "o.csv")
    predicted = pd.read_csv(tmp_path / "o.csv")["predicted"] == "positive"
    assert np.mean(predicted == gene_table()[1]) > 0.85


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
    assert summary["features"] == {"size": "number", "<script>": "category", "depth": "number"}
    assert summary["id_columns"] == ["gene"]


def test_rank(table, capsys):
    X, y = known_features(table)
    model = PUExtraTreesClassifier(prior=0.4, random_state=0).fit(X, y)
    probability = model.predict_proba(X)[:, 1]
    rows = sorted(np.flatnonzero(~y), key=lambda row: (model.scores_[row], probability[row]))
    call = ["rank", table, "--label-column", "known", *CLASSIFY]
    for first, expected in (("negative", rows), ("positive", rows[::-1])):
        out, _ = notes(capsys, *call, "--first", first, "--top", 25)
        ranked = pd.read_csv(BytesIO(out.encode()))
        assert ranked["rank"].tolist() == list(range(1, 26))
        found = ranked["gene"].str[1:].astype(int).to_numpy()
        np.testing.assert_allclose(ranked["score"], model.scores_[expected[:25]], rtol=1e-5)
        np.testing.assert_allclose(ranked["score"], model.scores_[found], rtol=1e-5)
        np.testing.assert_allclose(ranked["probability"], probability[expected[:25]], rtol=1e-5)
    everything = json.loads(notes(capsys, *call, "--json")[0])["ranking"]
    assert len(everything) == np.sum(~y)
    assert "--top must be 1 or more" in failure(capsys, *call, "--top", 0)


def test_prior(table, capsys):
    X, y = known_features(table)
    expected = estimate_prior(X, y, "bbe", random_state=3)
    call = ["prior", table, "--label-column", "known", "--method", "bbe", "--seed", 3]
    assert notes(capsys, *call)[0] == f"{expected}\n"
    estimate = json.loads(notes(capsys, *call, "--json")[0])["prior_estimate"]
    assert estimate["prior"] == expected.prior
    assert tuple(estimate["interval"]) == expected.interval


def test_compare(tmp_path, capsys):
    frame, is_positive = gene_table()
    path = write_csv(tmp_path / "t.csv", frame.assign(truth=np.where(is_positive, "yes", "no")))
    call = ["compare", path, "--label-column", "known", "--methods", "rocchio,pu-extra-trees"]
    call += ["--prior", "40%", "--truth-column", "truth"]
    found = json.loads(notes(capsys, *call, "--json")[0])
    X, y = known_features(write_csv(tmp_path / "plain.csv", frame))
    expected = compare(X, y, ["Rocchio", "PU extra trees"], 0.4, is_positive)
    assert [row["method"] for row in found["rows"]] == [row.method for row in expected.rows]
    assert [row["accuracy"] for row in found["rows"]] == [row.accuracy for row in expected.rows]
    assert "truth" not in found["features"]
    shown, _ = notes(capsys, *call)
    assert shown.startswith(f"{N_ROWS} rows, {y.sum()} labelled, prior 0.400\n")
    empty = write_csv(tmp_path / "e.csv", frame.assign(truth=[None, *["yes", "no"] * 119, "no"]))
    said = failure(capsys, "compare", empty, "--label-column", "known", "--truth-column", "truth")
    assert "column 'truth' is empty in line 2: true classes must be known" in said


@pytest.mark.parametrize("method", ["2-hnc", "pu-extra-trees", "boosting-prior"])
def test_apply_to_the_same_and_to_new_rows(table, tmp_path, capsys, method):
    model = tmp_path / "m.skops"
    X, y = known_features(table)
    call = ["classify", table, "--label-column", "known", "--prior", 0.4, "--method", method]
    notes(capsys, *call, "--save-model", model)
    fitted = pucut.comparison.METHODS[
        {"2-hnc": "2-HNC", "pu-extra-trees": "PU extra trees"}.get(method, "boosting, prior")
    ]().set_params(prior=0.4, random_state=0)
    fitted.fit(X, y)
    # New rows, other order of columns, one category nobody has seen, one column more.
    new = gene_table(seed=5)[0].assign(more=1.0)[
        ["more", "depth", "<script>", "size", "gene", "known"]
    ]
    new.loc[3, "<script>"] = "green"
    path = write_csv(tmp_path / "new.csv", new)
    out, err = notes(capsys, "apply", model, path)
    answers = pd.read_csv(BytesIO(out.encode()))
    assert list(answers.columns) == ["gene", "predicted", "score", "probability"]
    rows = X.iloc[:0].reindex(range(N_ROWS))
    rows = rows.assign(size=new["size"].to_numpy(float), depth=new["depth"].to_numpy(float))
    rows["<script>"] = pd.Categorical(
        new["<script>"].replace("green", None).astype(object), X["<script>"].cat.categories
    )
    np.testing.assert_array_equal(answers["predicted"] == "positive", fitted.predict(rows))
    np.testing.assert_allclose(answers["score"], fitted.decision_function(rows), rtol=1e-5)
    assert "'more': not used, the model does not know them" in err
    assert "'<script>': 1 cells hold what the model has not seen and count as missing" in err
    assert json.loads(notes(capsys, "apply", model, path, "--json")[0])["n_rows"] == N_ROWS


def test_apply_refuses(table, tmp_path, capsys):
    model = tmp_path / "m.skops"
    notes(capsys, "classify", table, "--label-column", "known", *CLASSIFY, "--save-model", model)
    lacking = write_csv(tmp_path / "a.csv", gene_table()[0].drop(columns=["size", "depth"]))
    assert "lacks 'size', 'depth', which the model needs" in failure(
        capsys, "apply", model, lacking
    )
    wrong = write_csv(tmp_path / "b.csv", gene_table()[0].assign(size="large"))
    assert "column 'size' must hold numbers, found 'large' (line 2)" in failure(
        capsys, "apply", model, wrong
    )
    assert "is not a model file" in failure(capsys, "apply", table, table)
    assert "cannot be read" in failure(capsys, "apply", tmp_path / "none.skops", table)
    assert "is the input itself" in failure(capsys, "apply", model, table, "--out", model)


def test_report_gets_the_model_and_names(table, tmp_path, capsys, monkeypatch):
    given = {}

    def summarise(estimator, X, y, *, ids=None, feature_names=None, random_state=0):
        given.update(estimator=estimator, X=X, y=y, ids=ids, names=feature_names)
        return {"seed": random_state}

    page = SimpleNamespace(
        summarise=summarise, render=lambda summary: f"<p>ä {summary['seed']}</p>"
    )
    monkeypatch.setitem(sys.modules, "pucut.report", page)
    monkeypatch.setattr(pucut, "report", page, raising=False)
    out = tmp_path / "r.html"
    call = ["classify", table, "--label-column", "known", "--prior", 0.4, "--seed", 4]
    notes(capsys, *call, "--report", out)
    assert out.read_text(encoding="utf-8") == "<p>ä 4</p>"
    X, y = known_features(table)
    pd.testing.assert_frame_equal(given["X"], X)
    np.testing.assert_array_equal(given["y"], y)
    assert given["ids"][:2] == ["g0000", "g0001"]
    assert given["names"] == ["size", "<script>", "depth"]
    np.testing.assert_array_equal(given["estimator"].classes_, [False, True])


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


def test_the_report_is_for_one_method(table, tmp_path, capsys):
    call = ["classify", table, "--label-column", "known", *CLASSIFY]
    said = failure(capsys, *call, "--report", tmp_path / "r.html")
    assert said == "--report is for 2-hnc, and --method is pu-extra-trees"


def test_duplicate_ids_are_named(tmp_path, capsys):
    frame, _ = gene_table()
    frame.loc[7, "gene"] = "g0003"
    path = write_csv(tmp_path / "t.csv", frame)
    call = ["classify", path, "--label-column", "known", "--id-column", "gene", *CLASSIFY]
    _, err = notes(capsys, *call, "--out", tmp_path / "o.csv")
    line = read_input(path).place(3)
    assert f"warning: 'gene' names several rows alike: 2 rows, such as g0003 in {line}" in err


def test_rows_without_identifier_are_numbered(tmp_path, capsys):
    frame = gene_table()[0].drop(columns="gene").rename(columns={"known": "score"})
    path = write_csv(tmp_path / "t.csv", frame)
    out, _ = notes(capsys, "classify", path, "--label-column", "score", *CLASSIFY)
    answers = pd.read_csv(BytesIO(out.encode()))
    assert list(answers.columns) == ["row", "score", "predicted", "pucut_score", "probability"]
    assert answers["row"].tolist() == list(range(1, N_ROWS + 1))


def test_outputs_that_cannot_be(table, tmp_path, capsys):
    call = ["classify", table, "--label-column", "known", *CLASSIFY]
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    for same in (table, link, f"{tmp_path}/./genes.csv"):
        assert "is the input itself" in failure(capsys, *call, "--out", same)
    assert "there is no folder" in failure(capsys, *call, "--out", tmp_path / "no" / "o.csv")
    assert "is a folder" in failure(capsys, *call, "--report", tmp_path)
    said = failure(capsys, *call, "--out", tmp_path / "o", "--save-model", tmp_path / "o")
    assert "--save-model and --out are the same file" in said
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


@pytest.mark.parametrize("method", ["2-hnc", "pu-extra-trees", "rocchio"])
def test_progress_is_for_terminals(table, capsys, monkeypatch, method):
    call = ["rank", table, "--label-column", "known", "--prior", 0.4, "--method", method]
    plain = notes(capsys, *call)
    assert "\r" not in plain[1]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown = notes(capsys, *call)
    assert shown[0] == plain[0]
    n_shown = shown[1].count(f"\r{method} [")
    assert n_shown == 1 if method == "rocchio" else n_shown > 2
    assert ("of 100 trees" in shown[1]) == (method == "pu-extra-trees")
    assert notes(capsys, *call, "--quiet") == (plain[0], "")


def test_terminals_get_the_first_rows(table, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    out, err = notes(capsys, "classify", table, "--label-column", "known", *CLASSIFY)
    assert len(out.splitlines()) == 11
    assert f"... and {N_ROWS - 10} more: --out FILE writes all" in err


@pytest.mark.parametrize("command", ["classify", "rank", "prior", "compare", "apply", "demo"])
def test_help_shows_examples(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert text.count(f"pucut {command} ") >= 2 or command == "apply"
    assert "examples:" in text


@pytest.mark.parametrize("prior", ["1.5", "0", "half", "100%"])
def test_prior_is_checked(table, capsys, prior):
    with pytest.raises(SystemExit) as ended:
        main(["classify", table, "--label-column", "known", "--prior", prior])
    assert ended.value.code == 2
    assert "must be auto or a number above 0 and below 1" in capsys.readouterr().err


def test_demo(tmp_path, capsys, monkeypatch):
    X, digit = load_digits(return_X_y=True)
    monkeypatch.setattr(demo, "load_digits", lambda **_: (X[:300], digit[:300]))
    shown, _ = notes(capsys, "demo", "--out", tmp_path / "p.csv")
    assert shown.startswith("300 digits; ")
    predictions = pd.read_csv(tmp_path / "p.csv")
    assert list(predictions.columns) == ["row", "known", "odd", "probability", "score"]
    asked = predictions["known"] == 0
    accuracy = np.mean(predictions["odd"][asked] == digit[:300][asked] % 2)
    assert f"2-HNC{accuracy:>38.2%}" in shown
    assert accuracy > 0.8


def test_warnings_are_said_as_sentences_but_not_those_for_developers(capsys):
    with Voice(quiet=False).sentences_for_warnings():
        warnings.warn("numbers overflow", RuntimeWarning, stacklevel=1)
        warnings.warn("numbers overflow", RuntimeWarning, stacklevel=1)
        warnings.warn("few labels", UserWarning, stacklevel=1)
        warnings.warn("this will go", FutureWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: numbers overflow\nwarning: few labels\n"
