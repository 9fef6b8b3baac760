"""Reports of every method, on graphs that were given, on tiny tables, and what is not allowed."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from pucut import (
    ElkanNotoClassifier,
    PUCutClassifier,
    PUThresholdClassifier,
    RocchioClassifier,
    TwoHNCClassifier,
)
from pucut._support.html import escaped
from pucut.methods import METHODS
from pucut.report import render, summarise, unpacked

two_hnc = partial(TwoHNCClassifier, prior=0.5, n_estimators=20, random_state=0)


def two_islands(n_lost=30):
    """Labels on one island only: no label reaches the rows of the other."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60 + n_lost, 2)) * 0.1
    X[30:60] += 5.0
    X[60:] += 50.0
    X[60:, 0] += np.linspace(0, 3, n_lost)
    y = np.zeros(60 + n_lost, dtype=int)
    y[:15] = 1
    return X, y


def test_rows_without_a_label_in_reach():
    X, y = two_islands()
    model = two_hnc(prior=0.8).fit(X, y)
    assert model.n_unreached_ > 0
    found = summarise(model, X, y)
    is_reached = unpacked(found["rows"]["is_reached"])
    assert np.count_nonzero(is_reached == 0) == model.n_unreached_
    assert (unpacked(found["rows"]["towards_label"])[is_reached == 0] == -1).all()
    # The prior wants some of them: the partition is not a cut, but still one of the steps.
    stage = found["stages"][found["partition"]["stage"] - 1]
    sizes = unpacked(stage["n_positive"])
    assert sizes[found["partition"]["step"]] == model.transduction_.sum()
    (alert,) = [alert for alert in found["alerts"] if alert["kind"] == "unreached"]
    assert f"No known row reaches {model.n_unreached_} rows" in alert["text"]
    assert unpacked(alert["rows"]).tolist() == np.flatnonzero(is_reached == 0).tolist()
    assert alert["text"] in render(found)


@pytest.mark.parametrize("kind", ["similarities", "distances", "forest", "nearest"])
def test_given_graphs_and_other_similarities(kind, table, paper):
    X, y, _ = table
    if kind == "similarities":
        X = paper[0].graph_
        model = two_hnc(similarity="precomputed")
    elif kind == "distances":
        from sklearn.neighbors import kneighbors_graph

        X = kneighbors_graph(X, 15, mode="distance")
        model = two_hnc(neighbors="precomputed", n_neighbors=10)
    elif kind == "forest":
        model = two_hnc(similarity="forest")
    else:
        model = two_hnc(inductive="nearest")
    found = summarise(model.fit(X, y), X, y)
    assert found["data"]["is_pairwise"] == (kind in ("similarities", "distances"))
    text = render(found)
    assert ("The columns</h2>" in text) == (not found["data"]["is_pairwise"])


@pytest.mark.parametrize(
    ("X", "n_labelled", "prior"),
    [
        (np.array([[0.0], [1.0]]), 1, 0.6),
        (np.array([[0.0], [1.0], [2.0]]), 1, 0.5),
        (np.ones((30, 3)), 5, 0.4),
        (np.arange(40.0)[:, None], 10, 0.25),
        (np.arange(40.0)[:, None] * 1e40, 10, 0.99),
        (sp.csr_array(np.eye(20)[:, :2]), 5, 0.5),
    ],
    ids=["two rows", "three rows", "all the same", "no prior left", "huge", "sparse"],
)
@pytest.mark.parametrize("make", [TwoHNCClassifier, PUCutClassifier])
def test_small_and_strange_tables(make, X, n_labelled, prior):
    y = np.arange(X.shape[0]) < n_labelled
    model = make(prior=prior, n_estimators=20, random_state=0).fit(X, y)
    found = summarise(model, X, y)
    n_positive = np.count_nonzero(model.transduction_)
    if found["stages"] is not None:
        sizes = unpacked(found["stages"][found["partition"]["stage"] - 1]["n_positive"])
        assert sizes[found["partition"]["step"]] == n_positive
    n_unlabelled = X.shape[0] - n_labelled
    assert f"<h1>{n_positive - n_labelled} of {n_unlabelled} unlabelled rows look" in render(found)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"ids": ["a"]}, ValueError, "ids must name the 220 rows of X, found 1 names"),
        ({"feature_names": ["a"]}, ValueError, "must name the 4 columns of X, found 1 names"),
        ({"X": np.ones((3, 4))}, ValueError, "with 220 rows, found 3 rows"),
        ({"y": [0, 1]}, ValueError, "X has 220 rows, y has 2 labels"),
    ],
)
def test_errors_say_what_was_found(change, error, match, model, table):
    X, y, _ = table
    given = {"X": X, "y": y} | change
    with pytest.raises(error, match=match):
        summarise(model, given.pop("X"), given.pop("y"), **given)


def test_other_estimators_are_refused(table):
    X, y, _ = table
    expected = "fitted PU classifier, found LogisticRegression, which has no scores_"
    with pytest.raises(TypeError, match=expected):
        summarise(LogisticRegression().fit(X, y), X, y)
    for make in (TwoHNCClassifier, PUCutClassifier):
        with pytest.raises(ValueError, match="not fitted"):
            summarise(make(), X, y)
    model = two_hnc().fit(X, y)
    with pytest.raises(ValueError, match="probabilities must be 220 numbers from 0 to 1"):
        summarise(model, X, y, probabilities=np.full(220, 1.5))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in ("nnPU", "uPU") else ())
        for name in METHODS
        if name not in ("pucut", "2-HNC")
    ],
)
def test_every_method_has_a_report(name, table):
    """What it cannot say is left out, and the rest is there."""
    X, y, _ = table
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = METHODS[name]()
    own = model.get_params()
    quick = {"prior": 0.5, "random_state": 0, "n_estimators": 20, "max_epochs": 2}
    quick["estimator__n_estimators"] = 10
    model.set_params(**{key: value for key, value in quick.items() if key in own})
    model.fit(frame, y)
    found = summarise(model, frame, y)
    assert found["method"] == name
    text = render(found)
    n_found = int((model.transduction_ == 1).sum() - y.sum())
    assert f"<h1>{n_found} of {(y == 0).sum()} unlabelled rows look positive</h1>" in text
    for question in ("How many?", "Which?", "How sure?", "Why these?", "Can I trust it?"):
        assert f"<h2>{question}</h2>" in text
    first = " ".join(type(model).__doc__.strip().split("\n\n")[0].split())
    assert escaped(first) in text
    if found["is_by_prior"]:
        shares = (model.transduction_ == 1).mean()
        assert shares == pytest.approx(0.5, abs=0.02)
    assert (found["graph"] is None) == (not hasattr(model, "graph_"))
    assert bool(found["weights"]) == hasattr(model, "feature_importances_")
    assert [found[key] for key in ("partition", "stages", "selection", "hidden")] == [None] * 4
    assert "were hidden" not in text
    assert len(found["columns"]) == 4
    np.testing.assert_allclose(
        unpacked(found["rows"]["probability"]), model.predict_proba(frame)[:, 1], rtol=1e-6
    )


@pytest.mark.parametrize(
    "model",
    [
        RocchioClassifier(prior=0.5, threshold="half", random_state=0),
        ElkanNotoClassifier(prior=0.5, random_state=0),
    ],
    ids=["Rocchio", "Elkan-Noto"],
)
def test_a_threshold_of_the_methods_own_is_not_explained_by_the_prior(model, table):
    X, y, _ = table
    model = clone(model).fit(X, y)
    found = summarise(model, X, y)
    text = render(found)
    assert found["sensitivity"] == []
    assert "Rows found, for every prior" not in text
    assert "Rows with a score above the method's own threshold" in text.replace("&#x27;", "'")


def test_what_only_a_wrapped_classifier_reads():
    """Three hundred different texts are no column that the page could show."""
    words = np.array(["red", "green", "blue", "grey"])[np.arange(300) % 4]
    frame = pd.DataFrame({"text": [f"{word} number {i}" for i, word in enumerate(words)]})
    y = ((words == "red") & (np.arange(300) < 200)).astype(int)
    pipeline = make_pipeline(
        ColumnTransformer([("words", TfidfVectorizer(), "text")]), LogisticRegression()
    )
    model = PUThresholdClassifier(pipeline, prior=0.25, random_state=0).fit(frame, y)
    found = summarise(model, frame, y)
    assert (found["columns"], found["plane"], found["graph"]) == ([], None, None)
    text = render(found)
    assert "<canvas" not in text
    assert "The columns</h2>" not in text
    assert "Probability of being positive" in text


def test_known_negatives_are_neither_found_nor_unlabelled(table):
    X, y, truth = table
    labels = np.where(y == 1, "yes", "")
    negatives = np.flatnonzero(~truth)[:20]
    labels[negatives] = "no"
    model = two_hnc(neg_label="no").fit(X, labels)
    found = summarise(model, X, labels)
    data = found["data"]
    assert (data["n_negative"], data["n_unlabelled"]) == (20, 220 - 20 - y.sum())
    is_negative = unpacked(found["rows"]["is_known_negative"]) == 1
    assert np.flatnonzero(is_negative).tolist() == negatives.tolist()
    turning = unpacked(found["rows"]["turning_prior"])
    assert np.isinf(turning[is_negative]).all()
    assert np.isfinite(turning[~is_negative]).all()
    for column in found["columns"]:
        counts = column["distribution"]["counts"]
        assert {name: sum(counts[name]) for name in ("known", "negative")} == {
            "known": y.sum(),
            "negative": 20,
        }
        assert sum(map(sum, counts.values())) == 220
    text = render(found)
    assert f"{y.sum()} rows were known to be positive (marked yes), and 20 known not to be" in text
    n_found = found["n_positive"] - int(y.sum())
    assert f"<h1>{n_found} of {data['n_unlabelled']} unlabelled rows look positive</h1>" in text
