"""`compare`: its numbers are those one would compute by hand, and one failure does not stop it."""

import dataclasses
import json
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

import pucut
from pucut import BiasedSVMClassifier, PUBaggingClassifier, SpyClassifier, compare
from pucut.methods import METHODS
from pucut.model_selection import HiddenPositivesSplit, hidden_positive_scores
from pucut.utils.estimator_checks._tools import pu_table

pytestmark = pytest.mark.slow

X, y, TRUTH = pu_table(200)
PRIOR = float(TRUTH.mean())
TWO = {"spies": SpyClassifier(), "bags": PUBaggingClassifier(LogisticRegression(), 5)}


def test_numbers_by_hand():
    table = compare(X, y, TWO, prior=PRIOR, truth=TRUTH)
    assert [row.hidden_recall for row in table.rows] == sorted(
        (row.hidden_recall for row in table.rows), reverse=True
    )
    row = next(row for row in table.rows if row.method == "spies")
    model = SpyClassifier(prior=PRIOR, random_state=0)
    cv = HiddenPositivesSplit(3, random_state=0)
    assert row.hidden_recall == hidden_positive_scores(model, X, y, prior=PRIOR, cv=cv).mean()
    model.fit(X, y)
    unlabelled = y == 0
    positive = (model.transduction_ == 1)[unlabelled]
    assert row.accuracy == (positive == TRUTH[unlabelled]).mean()
    assert row.balanced_accuracy == balanced_accuracy_score(TRUTH[unlabelled], positive)
    assert row.auc == roc_auc_score(TRUTH[unlabelled], model.scores_[unlabelled])
    assert row.fit_seconds > 0
    assert row.predict_seconds > 0
    assert row.memory_mb * 1e6 > X.nbytes  # the points at least
    assert TWO["spies"].prior == "auto"  # clones are fitted


def test_text_and_dict():
    table = compare(X, y, TWO, prior=PRIOR)
    lines = str(table).splitlines()
    assert lines[0] == f"200 rows, {y.sum()} labelled, prior {PRIOR:.3f}"
    assert lines[1].split() == ["method", "hidden", "%", "+-", "fit", "s", "predict", "s", "MB"]
    assert len({len(line) for line in lines[1:]}) == 1
    found = json.loads(json.dumps(table.to_dict()))
    assert [row["method"] for row in found["rows"]] == [row.method for row in table.rows]
    assert found["prior"] == PRIOR
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.prior = 0.1


def test_a_method_that_fails_is_listed_last():
    table = compare(X, y, {"broken": BiasedSVMClassifier(ratio=[]), **TWO}, prior=PRIOR)
    assert table.rows[-1].method == "broken"
    assert table.rows[-1].error.startswith("ValueError: ratio must be")
    assert "broken: ValueError" in str(table).splitlines()[-1]


def test_labels_of_another_kind_and_a_prior_that_is_estimated():
    words = np.where(y == 1, "case", "other")
    truth = np.where(TRUTH, "case", "other")
    table = compare(X, words, ["spies"], truth=truth)
    assert table.prior == pucut.estimate_prior(X, y, random_state=0).prior
    assert table.rows[0].accuracy > 0.85
    reverse = compare(X, 1 - y, ["spies"], prior=PRIOR, truth=1 - TRUTH.astype(int), pos_label=0)
    assert reverse.rows[0].accuracy == compare(X, y, ["spies"], PRIOR, TRUTH).rows[0].accuracy


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"methods": "spies"}, ValueError, "methods must be"),
        ({"methods": ["spies", "magic"]}, ValueError, "magic"),
        ({"methods": []}, ValueError, "nothing to compare"),
        ({"methods": {"spies": SpyClassifier}}, TypeError, "must be an estimator"),
        ({"truth": TRUTH[:-1]}, ValueError, "one class per row"),
        ({"truth": ~TRUTH}, ValueError, "reversed"),
        ({"prior": 0.01}, ValueError, "below the labelled fraction"),
        ({"prior": "most"}, (TypeError, ValueError), "prior"),
    ],
)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        compare(X, y, **({"prior": PRIOR, "methods": ["spies"]} | arguments))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_a_line(method, monkeypatch):
    # What is measured is tested above; tracing every allocation takes most of the time.
    monkeypatch.setattr("pucut.comparison._peak_bytes", lambda action: 0)
    (row,) = compare(X[:60], y[:60], [method], prior=0.5, n_splits=2).rows
    assert row.method == method
    assert row.error is None


def test_all_methods_by_default(monkeypatch):
    monkeypatch.setattr("pucut.comparison._peak_bytes", lambda action: 0)
    few = {name: METHODS[name] for name in ("spies", "pucut", "2-HNC")}
    monkeypatch.setattr("pucut.comparison.METHODS", few)
    table = compare(X[:60], y[:60], prior=0.5, n_splits=2)
    assert {row.method for row in table.rows} == set(few)


def test_each_method_is_told_of_when_it_ends(monkeypatch, capsys):
    monkeypatch.setattr("pucut.comparison._peak_bytes", lambda action: 0)
    told = []
    table = compare(X[:60], y[:60], ["Rocchio", "spies"], 0.5, n_splits=2, callback=told.append)
    recall = {row.method: row.hidden_recall for row in table.rows}
    assert told[0].startswith(f"Rocchio: {recall['Rocchio']:.1%} of the hidden positives found")
    assert told[0].endswith("so far, next spies")
    assert told[1].startswith(f"spies: {recall['spies']:.1%} of the hidden positives found")
    assert "; all done in" in told[1]
    # Without a callback it is for people: a terminal, or a notebook.
    compare(X[:60], y[:60], ["Rocchio"], 0.5, n_splits=2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    compare(X[:60], y[:60], ["Rocchio"], 0.5, n_splits=2)
    assert capsys.readouterr().err.startswith("Rocchio: ")


def test_the_neural_methods_are_there_where_pytorch_is():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    assert {"uPU", "nnPU"} <= set(METHODS)
