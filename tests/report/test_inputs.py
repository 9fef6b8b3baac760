"""Reports on graphs that were given, on tables of two rows, and on what is not allowed."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

from pucut import PUCutClassifier, TwoHNCClassifier
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
    assert "Samples that no label reaches" in render(found)
    assert any(f"No label reaches {model.n_unreached_} samples" in c for c in found["cautions"])


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
    assert ("How much each column counts" in text) == (not found["data"]["is_pairwise"])


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
    assert f"{n_positive} of {X.shape[0]} samples are classified as positive" in render(found)


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
    from pucut import PUExtraTreesClassifier

    X, y, _ = table
    other = PUExtraTreesClassifier(prior=0.5, n_estimators=3, random_state=0).fit(X, y)
    expected = "PUCutClassifier or TwoHNCClassifier, found PUExtraTreesClassifier"
    with pytest.raises(TypeError, match=expected):
        summarise(other, X, y)
    for make in (TwoHNCClassifier, PUCutClassifier):
        with pytest.raises(ValueError, match="not fitted"):
            summarise(make(), X, y)
