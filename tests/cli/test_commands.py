"""The commands, called within this process, compared with what the library says."""

import json
import re
import subprocess
import sys
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from pucut import (
    PUCutClassifier,
    RocchioClassifier,
    TwoHNCClassifier,
    compare,
    estimate_prior,
    priors,
)
from pucut._support.memory import readable_bytes
from pucut.cli import COMMANDS, demo, main
from pucut.cli._commands import PRIOR_METHODS
from pucut.methods import METHOD_BY_SLUG, METHODS
from pucut.tables.delimited import _ROWS_AT_ONCE
from tests.helpers.cli_tables import (
    CLASSIFY,
    N_ROWS,
    failure,
    gene_table,
    known_features,
    notes,
    write_csv,
)

ANSWERS = [
    "predicted",
    "probability",
    "rank",
    "known_as",
    "positive_if_prior_at_least",
    "score",
]


@pytest.mark.parametrize(
    ("options", "model"),
    [
        ([], PUCutClassifier(random_state=0)),
        (["--prior", 0.4, "--method", "pu-cut"], PUCutClassifier(prior=0.4, random_state=0)),
        (["--prior", 0.4, "--method", "2-hnc"], TwoHNCClassifier(prior=0.4, random_state=0)),
    ],
    ids=["default", "pu-cut", "2-hnc"],
)
def test_classify_writes_what_the_library_says(options, model, table, tmp_path, capsys):
    out = tmp_path / "out.csv"
    call = ["classify", table, "--label-column", "known", *options, "--out", out]
    said, err = notes(capsys, *call)
    assert said == ""
    X, y = known_features(table)
    model = clone(model).fit(X, y)
    answers = pd.read_csv(out)
    assert list(answers.columns) == ["gene", "known", *ANSWERS]
    assert answers["gene"].tolist() == [f"g{row:04d}" for row in range(N_ROWS)]
    np.testing.assert_array_equal(answers["known"] == "yes", y)
    np.testing.assert_array_equal(answers["predicted"] == "positive", model.transduction_)
    np.testing.assert_allclose(answers["score"], model.scores_, rtol=1e-5)
    np.testing.assert_allclose(answers["probability"][y], model.predict_proba(X)[y, 1], rtol=1e-5)
    for sentence in (
        f"{y.sum()} of {N_ROWS} rows are known positives (known is yes)",
        "'gene': taken as identifier, not as feature",
        "'batch', 'remark': not used, constant",
        str(model.prior_estimate_ or "The share of positives was given: 0.4."),
        f"{model.transduction_.sum()} of {N_ROWS} rows are predicted positive",
        f"written: {out}",
    ):
        assert sentence in err
    if options:
        before = out.read_bytes()
        notes(capsys, *call)
        assert out.read_bytes() == before


def test_a_device_is_for_methods_that_have_one(table, tmp_path, capsys, monkeypatch):
    call = [
        "classify",
        table,
        "--label-column",
        "known",
        "--prior",
        0.4,
        "--out",
        tmp_path / "o.csv",
    ]
    said = failure(capsys, *call, "--method", "rocchio", "--device", "cuda")
    assert said == "--device cuda has no use with --method rocchio: leave it out"
    with pytest.raises(SystemExit):
        main([str(part) for part in (*call, "--device", "gpu")])
    assert "must be 'cpu', 'auto', 'cuda' or 'cuda:' with the number" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "torch", None)
    _, err = notes(capsys, *call, "--method", "2-hnc", "--device", "cuda:1")
    assert err.count("warning: device is 'cuda:1', but PyTorch is not installed") == 1


def test_accuracy_on_what_is_not_known(table, tmp_path, capsys):
    """Predictions are those of the right rows: the classes are easily told apart."""
    call = ["classify", table, "--label-column", "known", "--prior", 0.4]
    notes(capsys, *call, "--out", tmp_path / "o.csv")
    predicted = pd.read_csv(tmp_path / "o.csv")["predicted"] == "positive"
    assert np.mean(predicted == gene_table()[1]) > 0.85


@pytest.mark.parametrize("method", ["pu-cut", "2-hnc", "pu-extra-trees", "rocchio"])
def test_answers_do_not_contradict_each_other(tmp_path, capsys, method):
    """On classes that overlap, where calibrated probabilities and classes by the prior differ."""
    frame, is_positive = gene_table()
    random = np.random.default_rng(1)
    frame["size"] = (random.normal(size=N_ROWS) + 0.7 * is_positive).round(3)
    frame["<script>"] = random.choice(["a", "b"], N_ROWS)
    path = write_csv(tmp_path / "t.csv", frame)
    call = ["classify", path, "--label-column", "known", "--method", method, "--prior", 0.3]
    answers = pd.read_csv(BytesIO(notes(capsys, *call)[0].encode()))
    known = (frame["known"] == "yes").to_numpy()
    model = METHODS[METHOD_BY_SLUG[method]]().set_params(prior=0.3, random_state=0)
    model.fit(*known_features(path))
    said = (answers["predicted"] == "positive").to_numpy()
    np.testing.assert_array_equal(said, model.transduction_)
    assert (answers["known_as"] == "positive").tolist() == known.tolist()
    assert answers["rank"].isna().tolist() == known.tolist()
    assert answers["positive_if_prior_at_least"].isna().tolist() == known.tolist()
    asked = answers[~known].sort_values("rank")
    assert asked["rank"].tolist() == list(range(1, len(asked) + 1))
    predicted = asked["predicted"] == "positive"
    assert (asked["probability"][predicted] >= 0.5).all()
    assert (asked["probability"][~predicted] <= 0.5).all()
    assert (np.diff(asked["probability"]) <= 0).all()
    for _, group in asked.groupby("predicted"):  # PU extra trees classify by other scores
        assert (np.diff(group["score"]) <= 0).all()
    # The prior that was given is enough for the positives, and not for the others.
    share = said.mean()
    assert (asked["positive_if_prior_at_least"][predicted] <= share).all()
    assert (asked["positive_if_prior_at_least"][~predicted] > share).all()


@pytest.mark.parametrize("method", ["pu-cut", "2-hnc", "pu-extra-trees"])
def test_rank(table, capsys, method):
    X, y = known_features(table)
    model = METHODS[METHOD_BY_SLUG[method]]().set_params(prior=0.4, random_state=0).fit(X, y)
    probability = model.predict_proba(X)[:, 1]
    rows = sorted(np.flatnonzero(~y), key=lambda row: (model.scores_[row], probability[row]))
    call = ["rank", table, "--label-column", "known", "--method", method, "--prior", 0.4]
    for first, expected in (("negative", rows), ("positive", rows[::-1])):
        out, _ = notes(capsys, *call, "--first", first, "--top", 25)
        ranked = pd.read_csv(BytesIO(out.encode()))
        assert ranked["rank"].tolist() == list(range(1, 26))
        found = ranked["gene"].str[1:].astype(int).to_numpy()
        np.testing.assert_allclose(ranked["score"], model.scores_[expected[:25]], rtol=1e-5)
        np.testing.assert_allclose(ranked["score"], model.scores_[found], rtol=1e-5)
        steps = np.diff(ranked["probability"])
        assert np.all(steps <= 0 if first == "positive" else steps >= 0)
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


def test_compare(tmp_path, capsys, monkeypatch):
    # Tracing every allocation takes most of the time, and is tested elsewhere.
    monkeypatch.setattr("pucut.comparison._peak_bytes", lambda action: 0)
    frame, is_positive = gene_table(n_rows=120)
    path = write_csv(tmp_path / "t.csv", frame.assign(truth=np.where(is_positive, "yes", "no")))
    call = ["compare", path, "--label-column", "known", "--prior", "40%", "--truth-column", "truth"]
    three = ["--methods", "rocchio,2-hnc,pu-cut", "--json"]
    found = json.loads(notes(capsys, *call, *three)[0])
    X, y = known_features(write_csv(tmp_path / "plain.csv", frame))
    expected = compare(X, y, ["Rocchio", "2-HNC", "pucut"], 0.4, is_positive)
    assert [row["method"] for row in found["rows"]] == [row.method for row in expected.rows]
    assert [row["accuracy"] for row in found["rows"]] == [row.accuracy for row in expected.rows]
    assert "truth" not in found["features"]
    shown, err = notes(capsys, *call, "--methods", "rocchio,2-hnc")
    (row,) = (row for row in found["rows"] if row["method"] == "Rocchio")
    assert f"Rocchio: {row['hidden_recall']:.1%} of the hidden positives found, fit in" in err
    assert "; 1 method left, " in err
    assert "; all done in " in err
    assert shown.startswith(f"120 rows, {y.sum()} labelled, prior 0.400\n")
    empty = write_csv(tmp_path / "e.csv", frame.assign(truth=[None, *["yes", "no"] * 59, "no"]))
    said = failure(capsys, "compare", empty, "--label-column", "known", "--truth-column", "truth")
    assert "column 'truth' is empty in line 2: true classes must be known" in said


@pytest.mark.parametrize("method", ["pu-cut", "2-hnc", "pu-extra-trees", "rocchio"])
def test_apply_to_the_same_and_to_new_rows(table, tmp_path, capsys, method):
    model = tmp_path / "m.skops"
    X, y = known_features(table)
    call = ["classify", table, "--label-column", "known", "--prior", 0.4, "--method", method]
    _, err = notes(capsys, *call, "--save-model", model)
    assert f"the model file takes {readable_bytes(model.stat().st_size)}" in err
    fitted = METHODS[METHOD_BY_SLUG[method]]().set_params(prior=0.4, random_state=0).fit(X, y)
    # New rows, other order of columns, one category nobody has seen, one column more.
    new = gene_table(seed=5)[0].assign(more=1.0)[
        ["more", "depth", "<script>", "size", "gene", "known"]
    ]
    new.loc[3, "<script>"] = "green"
    path = write_csv(tmp_path / "new.csv", new)
    out, err = notes(capsys, "apply", model, path)
    answers = pd.read_csv(BytesIO(out.encode()))
    assert list(answers.columns) == ["gene", "predicted", "probability", "rank", "score"]
    rows = X.iloc[:0].reindex(range(N_ROWS))
    rows = rows.assign(size=new["size"].to_numpy(float), depth=new["depth"].to_numpy(float))
    rows["<script>"] = pd.Categorical(
        new["<script>"].replace("green", None).astype(object), X["<script>"].cat.categories
    )
    np.testing.assert_array_equal(answers["predicted"] == "positive", fitted.predict(rows))
    np.testing.assert_allclose(answers["score"], fitted.decision_function(rows), rtol=1e-5)
    assert "'more': not used, the model does not know them" in err
    assert "'<script>': 1 cells hold values the model has not seen, and count as missing" in err
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


def test_methods_are_typed_as_they_are_called():
    assert METHOD_BY_SLUG["pu-cut"] == "pucut"
    assert METHOD_BY_SLUG["2-hnc"] == "2-HNC"
    assert METHOD_BY_SLUG["boosting-prior"] == "boosting, prior"
    assert list(METHOD_BY_SLUG.values()) == list(METHODS)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", typed) for typed in METHOD_BY_SLUG)


@pytest.mark.parametrize("wrong", [["--method", "pucut"], ["--preset", "paper"]])
def test_other_methods_and_presets_are_refused(table, capsys, wrong):
    with pytest.raises(SystemExit) as ended:
        main(["classify", table, "--label-column", "known", *wrong])
    assert ended.value.code == 2
    assert wrong[1] in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["classify", "rank", "label", "prior", "compare", "apply", "demo"]
)
def test_help_shows_examples(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert text.count(f"pucut {command} ") >= 2 or command == "apply"
    assert "examples:" in text


def test_help_and_version_import_nothing_heavy():
    code = (
        "import contextlib, sys\n"
        "from pucut.cli import COMMANDS, main\n"
        "for call in (['--help'], ['--version'], *([name, '--help'] for name in COMMANDS)):\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        main(call)\n"
        "print('loaded:', *{'numpy', 'scipy', 'sklearn', 'pandas', 'pyarrow'} & {*sys.modules})\n"
    )
    call = [sys.executable, "-c", code]
    shown = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert shown.count("usage: pucut") == len(COMMANDS) + 1
    assert shown.splitlines()[-1] == "loaded:"


def test_the_names_in_help_texts_are_those_of_the_library(capsys):
    assert PRIOR_METHODS == priors.METHODS
    with pytest.raises(SystemExit):
        main(["classify", "--help"])
    shown = "".join(capsys.readouterr().out.split())  # lines may end within a name
    assert f"{','.join(METHOD_BY_SLUG)}(default:pu-cut" in shown


def test_an_interruption_while_a_command_is_imported_is_quiet(capsys, monkeypatch):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("pucut.cli._commands.import_module", interrupted)
    assert main(["classify", "t.csv", "--label-column", "known"]) == 130
    assert capsys.readouterr().err == "pucut: interrupted\n"


def test_a_comparison_without_any_result_is_a_failure(table, capsys, monkeypatch):
    def refuse(*_):
        raise ValueError("no such\nrows")

    monkeypatch.setattr(RocchioClassifier, "fit", refuse)
    call = ["compare", table, "--label-column", "known", "--prior", 0.4, "--methods", "rocchio"]
    said = failure(capsys, *call)
    assert said == "no method gave a result (Rocchio: ValueError: no such rows)"
    assert "no method gave a result" in failure(capsys, *call, "--json")


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
    assert f"pucut{accuracy:>38.2%}" in shown
    assert "\n2-HNC   " in shown
    assert accuracy > 0.8


def test_many_rows(tmp_path, capsys):
    """More rows than are read at once, with gaps and texts, ranked by a quick method."""
    n_rows = 50_000
    assert n_rows > 2 * _ROWS_AT_ONCE
    random = np.random.default_rng(0)
    is_positive = random.random(n_rows) < 0.3
    frame = pd.DataFrame(
        {
            "sample_id": np.arange(n_rows),
            "a": (random.normal(size=n_rows) + 4 * is_positive).round(2),
            "b": random.integers(0, 9, n_rows),
            "site": random.choice(["north", "south"], n_rows),
            "known": np.where(is_positive & (random.random(n_rows) < 0.5), "1", ""),
        }
    )
    frame.loc[random.random(n_rows) < 0.01, "b"] = None
    path = write_csv(tmp_path / "large.csv", frame, sep=";", encoding="utf-8-sig")
    call = ["rank", path, "--label-column", "known", "--method", "pu-bagging", "--prior", 0.3]
    ranked = pd.read_csv(BytesIO(notes(capsys, *call, "--top", 1000)[0].encode()))
    assert len(ranked) == 1000
    assert is_positive[ranked["sample_id"]].mean() > 0.95
    assert frame["known"][ranked["sample_id"]].eq("").all()


def test_exit_codes_of_the_parser(table, capsys):
    for arguments, code in ((["classify", table], 2), (["--version"], 0)):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == code
    said = capsys.readouterr()
    assert "--label-column" in said.err
    assert said.out.startswith("pucut ")


def test_known_negatives_are_neither_ranked_nor_predicted_positive(tmp_path, capsys):
    random = np.random.default_rng(0)
    is_positive = np.arange(200) < 80
    frame = pd.DataFrame(
        random.normal(size=(200, 3)) + 1.5 * is_positive[:, None], columns=[*"abc"]
    )
    frame["known"] = np.where(is_positive & (random.random(200) < 0.4), "yes", "")
    frame.loc[random.random(200) < 0.2, "known"] = "No"
    frame.to_csv(tmp_path / "t.csv", index=False)
    call = [tmp_path / "t.csv", "--label-column", "known", "--prior", 0.4, "--method", "2-hnc"]
    _, said = notes(capsys, "rank", *call, "--out", tmp_path / "r.csv")
    n_negative = int((frame["known"] == "No").sum())
    assert f"and {n_negative} known negatives (No)" in said
    ranked = pd.read_csv(tmp_path / "r.csv")["row"]
    np.testing.assert_array_equal(np.sort(ranked) - 1, np.flatnonzero(frame["known"] == ""))
    notes(capsys, "classify", *call, "--out", tmp_path / "c.csv")
    predicted = pd.read_csv(tmp_path / "c.csv")["predicted"]
    assert (predicted[frame["known"] == "No"] == "negative").all()
    assert (predicted[frame["known"] == "yes"] == "positive").all()
