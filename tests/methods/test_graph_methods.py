"""Paths by Floyd's algorithm, propagation by an inverse, the margin by another optimiser."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from pucut import PULabelPropagationClassifier, PUMaxMarginClassifier
from pucut.methods.max_margin import (
    fit_classes,
    objective,
    smoothness_penalty,
    widest_margin,
)
from pucut.methods.propagation import farthest_rows, mean_path_lengths, propagate
from pucut.utils.estimator_checks._tools import pu_table

X, y, TRUTH = pu_table(300)
PRIOR = float(TRUTH.mean())


def random_graph(n_nodes, seed, density=0.3):
    random = np.random.default_rng(seed)
    weights = np.triu(random.random((n_nodes, n_nodes)), 1)
    weights[random.random((n_nodes, n_nodes)) > density] = 0.0
    return sp.csr_array(weights + weights.T)


@pytest.mark.parametrize("seed", range(5))
def test_paths_by_floyd(seed):
    n_nodes = 12
    graph = random_graph(n_nodes, seed)
    paths = np.where(graph.toarray() > 0, graph.toarray(), np.inf)
    np.fill_diagonal(paths, 0.0)
    for over, start, end in itertools.product(range(n_nodes), repeat=3):
        paths[start, end] = min(paths[start, end], paths[start, over] + paths[over, end])
    sources = np.array([0, 3, 4])
    wanted = paths[sources]
    wanted[np.isinf(wanted)] = max(2 * wanted[np.isfinite(wanted)].max(), 1.0)
    found = mean_path_lengths(graph, sources)
    np.testing.assert_allclose(found, wanted.mean(axis=0))
    among = np.arange(n_nodes) > 4
    chosen = farthest_rows(found, among, 3)
    assert chosen.sum() == 3
    assert found[chosen].min() >= found[among & ~chosen].max()


def test_a_part_that_no_path_reaches_is_farthest():
    graph = sp.csr_array(sp.block_diag([random_graph(6, 0, 1.0), random_graph(3, 1, 1.0)]))
    found = mean_path_lengths(graph, np.array([0, 1]))
    assert found[6:].min() > found[:6].max()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("pull", [1e-3, 0.5])
def test_propagation_by_the_inverse(seed, pull):
    n_nodes = 15
    graph = random_graph(n_nodes, seed, 0.15)  # some nodes without any edge
    known = np.arange(n_nodes) % 4 == 0
    values = (np.arange(n_nodes) % 8 == 0).astype(float)
    weights = graph.toarray()
    degree = weights.sum(axis=1)
    free = ~known & (degree > 0)
    system = np.diag(degree * (1 + pull)) - weights
    right = weights[:, known] @ values[known] + pull * degree * 0.3
    expected = np.where(known, values, 0.3)
    expected[free] = np.linalg.inv(system[np.ix_(free, free)]) @ right[free]
    np.testing.assert_allclose(propagate(graph, known, values, 0.3, pull), expected, atol=1e-8)


def test_propagation_in_the_estimator():
    model = PULabelPropagationClassifier(prior=PRIOR, random_state=0).fit(X, y)
    assert (model.propagated_[y == 1] == 1.0).all()
    assert (model.propagated_[model.reliable_negatives_] == 0.0).all()
    assert not y[model.reliable_negatives_].any()
    assert TRUTH[model.reliable_negatives_].mean() < 0.1
    # A row's own label is hidden from its score.
    assert (model.scores_[y == 1] < 1.0).all()
    few = PULabelPropagationClassifier(prior=PRIOR, n_negative=7, random_state=0).fit(X, y)
    assert len(few.reliable_negatives_) == 7
    np.testing.assert_allclose(
        few.path_lengths_[few.reliable_negatives_].min(), np.sort(few.path_lengths_[y == 0])[-7]
    )


def test_an_unseen_row_is_the_mean_of_its_neighbours():
    model = PULabelPropagationClassifier(prior=PRIOR, n_neighbors=4, random_state=0).fit(X, y)
    points = (X - X.mean(axis=0)) / X.std(axis=0)
    new = np.array([[1.0, 2.0, 0.5, 0.0], [30.0, 30.0, 0.0, 0.0]])
    for row, score in zip(
        (new - X.mean(axis=0)) / X.std(axis=0), model._score_rows(new), strict=True
    ):
        squared = ((points - row) ** 2).sum(axis=1)
        nearest = np.argsort(squared)[:4]
        weights = np.exp(-(squared[nearest] - squared[nearest[0]]) / (2 * 0.75**2 * 4))
        assert score == pytest.approx(weights @ model.propagated_[nearest] / weights.sum())


def margin_problem(seed, n_rows=9):
    random = np.random.default_rng(seed)
    features = random.normal(size=(n_rows, 2))
    cost = random.random(n_rows) + 0.5
    return features, cost, random_graph(n_rows, seed, 0.6)


def written_out(parameters, features, signs, cost, graph, smoothness):
    """The objective, term by term."""
    weights, intercept = parameters[:-1], parameters[-1]
    scores = features @ weights + intercept
    value = weights @ weights / 2
    for sign, score, row_cost in zip(signs, scores, cost, strict=True):
        value += row_cost * max(0.0, 1 - sign * score) ** 2 / 2
    similar = graph.toarray()
    differences = (scores[:, None] - scores[None, :]) ** 2
    return value + smoothness * len(cost) / 2 * (similar * differences).sum() / similar.sum()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("smoothness", [0.0, 0.1, 10.0])
def test_the_margin_by_another_optimiser(seed, smoothness):
    features, cost, graph = margin_problem(seed)
    is_positive = features[:, 0] > np.median(features[:, 0])
    table = np.column_stack([features, np.ones(len(features))])
    penalty = smoothness_penalty(table, graph, smoothness)
    found = fit_classes(table, is_positive, cost, penalty, np.zeros(3))
    arguments = (features, np.where(is_positive, 1, -1), cost, graph, smoothness)
    peer = minimize(
        written_out, np.zeros(3), arguments, "Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13}
    )
    own = objective(table, is_positive, cost, penalty, found)
    assert own == pytest.approx(written_out(found, *arguments), abs=1e-6)
    assert own == pytest.approx(peer.fun, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_turns_lower_the_objective_and_end_at_classes_that_fit(seed):
    features, cost, graph = margin_problem(seed, 40)
    cost[:] = 1.0
    is_labelled = np.arange(40) < 5
    found = widest_margin(features, is_labelled, 15, cost=cost, graph=graph, smoothness=0.1)
    assert (np.diff(found.objectives) <= 1e-9).all()
    assert found.is_positive.sum() == 15
    assert found.is_positive[is_labelled].all()
    scores = features @ found.weights + found.intercept
    others = ~is_labelled
    assert scores[others & found.is_positive].min() >= scores[others & ~found.is_positive].max()


def test_for_given_scores_the_highest_are_the_best_classes():
    """The choice made in each turn, against all choices of two positives."""
    scores = np.array([-2.0, -0.3, 0.1, 0.4, 1.7])

    def loss(positives):
        signs = np.where(np.isin(np.arange(5), positives), 1, -1)
        return (np.maximum(0, 1 - signs * scores) ** 2).sum()

    assert min(itertools.combinations(range(5), 2), key=loss) == (3, 4)


def test_smoothness_brings_similar_rows_together():
    roughness = []
    for smoothness in (0.0, 100.0):
        model = PUMaxMarginClassifier(
            prior=PRIOR, smoothness=smoothness, n_landmarks=60, random_state=0
        ).fit(X, y)
        graph = PULabelPropagationClassifier(prior=PRIOR).fit(X, y).graph_.tocoo()
        scores = model._score_rows(X)
        rows, columns = graph.row, graph.col
        differences = graph.data @ (scores[rows] - scores[columns]) ** 2
        roughness.append(differences / scores.var())
    assert roughness[1] < roughness[0]
