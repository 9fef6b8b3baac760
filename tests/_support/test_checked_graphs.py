"""A graph is checked once, however many cuts are made of it."""

import dataclasses
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from pucut import HNCClassifier, PUCutClassifier, _core
from pucut._support.checks import SymmetricGraph, checked_graph
from pucut.cuts.hnc import hnc_minus, hnc_plus, hnc_plus_minus
from pucut.cuts.parametric_cut import parametric_cut
from pucut.cuts.score_cuts import score_cut, two_sided_cut
from pucut.cuts.two_stages import two_stage_cuts
from pucut.judging.folds import n_pu_folds


def random_graph(dtype: type = np.float64, n: int = 300) -> sp.csr_array:
    upper = sp.random(n, n, 0.1, random_state=1, dtype=np.float64, format="csr")
    return sp.csr_array(upper.maximum(upper.T), dtype=dtype)


@pytest.fixture
def n_checks(monkeypatch):
    """Count the runs of the native check."""
    counted = []
    real = _core.check_graph
    monkeypatch.setattr(_core, "check_graph", lambda *a: (counted.append(1), real(*a))[1])
    return lambda: len(counted)


def table(n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    truth = np.arange(n) % 2
    return random.normal(size=(n, 4)) + 1.5 * truth[:, None], truth


def test_a_checked_graph_is_passed_through_and_cannot_be_changed(n_checks):
    checked = checked_graph(random_graph())
    assert checked_graph(checked) is checked
    assert n_checks() == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        checked.weights = checked.weights * 2
    again = pickle.loads(pickle.dumps(checked))
    np.testing.assert_array_equal(again.degrees, checked.degrees)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_are_kept_and_are_those_of_their_formulas(dtype):
    graph = random_graph(dtype).tolil()
    graph.setdiag(1.0)
    graph = graph.tocsr()
    checked = checked_graph(graph)
    for name in ("degrees", "sums_in_order", "row_sums"):
        assert getattr(checked, name) is getattr(checked, name)
        assert getattr(checked, name).dtype == np.float64
    assert checked.sums_in_order.tobytes() == (graph @ np.ones(300)).tobytes()
    assert checked.row_sums.tobytes() == graph.sum(axis=1).astype(np.float64).tobytes()
    np.testing.assert_allclose(checked.degrees, graph.sum(axis=1) - 1.0, rtol=1e-5)


def cuts_of(graph: sp.csr_array | SymmetricGraph) -> list[np.ndarray]:
    random = np.random.default_rng(3)
    inside = np.arange(300) < 20
    outside = np.arange(300) >= 280
    scores = random.random(300)
    ones = np.ones(300)
    return [
        parametric_cut(graph, (ones, 0 * ones), (0 * ones, scores)).switch,
        hnc_plus(graph, inside, outside).switch,
        hnc_minus(graph, inside).switch,
        hnc_plus_minus(graph, 0.3, 0.1, inside, outside),
        score_cut(graph, inside, scores, 2.0).switch,
        two_sided_cut(graph, inside, outside, scores, 0.5).switch,
        two_stage_cuts(graph, inside, 0.4).level,
    ]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_cuts_of_a_checked_graph_are_those_of_its_matrix(dtype, n_checks):
    graph = random_graph(dtype)
    checked = checked_graph(graph)
    before = n_checks()
    found = cuts_of(checked)
    assert n_checks() == before
    for cut, wanted in zip(found, cuts_of(graph), strict=True):
        assert cut.tobytes() == wanted.tobytes()


def test_the_chooser_checks_each_graph_once(n_checks):
    X, truth = table()
    y = truth * (np.arange(len(truth)) % 3 == 0)
    model = PUCutClassifier(prior=0.5, random_state=0, n_jobs=2).fit(X, y)
    # One per graph, whatever gamma is. Importances differ between folds, and so do their graphs.
    while_judging = len(model.mixture_.spaces) - 1 + n_pu_folds(int(y.sum()), len(y) // 2)
    # Those with weight are made again with all labels.
    answering = {(cut.space.name, cut.n_neighbors) for cut in model.mixture_.cuts}
    assert n_checks() == while_judging + len(answering)


def test_cuts_between_classes_check_the_graph_once(n_checks):
    X, truth = table()
    HNCClassifier(random_state=0).fit(X, np.where(np.arange(len(truth)) % 5 < 2, truth, -1))
    assert n_checks() == 1
