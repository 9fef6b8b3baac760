"""Cuts with a data term: against all subsets, against the convex problem, and row by row."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from pucut.cuts.score_cuts import levels_of_new_rows, score_cut


def problem(seed, n_rows=9):
    random = np.random.default_rng(seed)
    upper = np.triu(random.random((n_rows, n_rows)) * (random.random((n_rows, n_rows)) < 0.5), 1)
    upper[np.arange(n_rows - 1), np.arange(1, n_rows)] += 0.05  # nobody is alone
    graph = sp.csr_array(upper + upper.T)
    is_labelled = np.arange(n_rows) < 2
    return graph, is_labelled, random.random(n_rows), float(random.choice([0.5, 2.0, 8.0]))


def best_subset(graph, is_labelled, scores, gamma, lam, is_negative=None):
    """The largest of the sets with the least objective, by looking at all of them."""
    dense = graph.toarray()
    pull = gamma * dense.sum(axis=1)
    is_negative = np.zeros_like(is_labelled) if is_negative is None else is_negative
    free = np.flatnonzero(~(is_labelled | is_negative))
    values = {}
    for chosen in itertools.product([False, True], repeat=len(free)):
        inside = is_labelled.copy()
        inside[free] = chosen
        value = dense[np.ix_(inside, ~inside)].sum()
        value += (pull * scores)[~inside].sum() + lam * pull[inside & ~is_labelled].sum()
        values[tuple(inside)] = value
    least = min(values.values())
    return max((s for s, value in values.items() if value < least + 1e-9), key=sum)


@pytest.mark.parametrize("seed", range(8))
def test_every_cut_is_the_best_of_all_subsets(seed):
    graph, is_labelled, scores, gamma = problem(seed)
    path = score_cut(graph, is_labelled, scores, gamma)
    ends = np.concatenate([[0.0], path.breakpoints, [1.0 + 2.0 / gamma]])
    for lam in (ends[1:] + ends[:-1]) / 2:
        expected = best_subset(graph, is_labelled, scores, gamma, lam)
        np.testing.assert_array_equal(path.source_set(lam), expected)
    assert np.isinf(path.switch[is_labelled]).all()
    assert np.isfinite(path.switch[~is_labelled]).all()


@pytest.mark.parametrize("seed", range(8))
def test_known_negatives_stay_outside_of_every_best_subset(seed):
    graph, is_labelled, scores, gamma = problem(seed)
    is_negative = np.arange(len(scores)) >= len(scores) - 2
    path = score_cut(graph, is_labelled, scores, gamma, is_negative=is_negative)
    ends = np.concatenate([[-2.0 / gamma], path.breakpoints, [1.0 + 2.0 / gamma]])
    for lam in (ends[1:] + ends[:-1]) / 2:
        expected = best_subset(graph, is_labelled, scores, gamma, lam, is_negative)
        np.testing.assert_array_equal(path.source_set(lam), expected)
    assert (path.switch[is_negative] == -np.inf).all()
    # The other way round it is the same problem.
    turned = score_cut(graph, is_negative, 1.0 - scores, gamma, is_negative=is_labelled)
    np.testing.assert_allclose(path.switch, 1.0 - turned.switch, atol=1e-9)


def objective(graph, is_labelled, scores, gamma, x):
    """As in the head of the module; labelled rows only pull."""
    dense = graph.toarray()
    free = ~is_labelled
    between = np.abs(x[free][:, None] - x[free][None, :]) * dense[np.ix_(free, free)]
    towards = dense[np.ix_(free, is_labelled)].sum(axis=1)
    pull = gamma * dense.sum(axis=1)[free]
    return between.sum() / 2 + (pull * (x[free] - scores[free]) ** 2 / 2 - towards * x[free]).sum()


@pytest.mark.parametrize("seed", range(4))
def test_levels_minimise_the_convex_problem(seed):
    graph, is_labelled, scores, gamma = problem(seed)
    x = score_cut(graph, is_labelled, scores, gamma).switch.copy()
    least = objective(graph, is_labelled, scores, gamma, x)
    random = np.random.default_rng(seed)
    for size in (1.0, 0.1, 0.01, 0.001):
        for _ in range(100):
            other = x + size * random.normal(size=len(x)) * (random.random(len(x)) < 0.5)
            assert objective(graph, is_labelled, scores, gamma, other) >= least - 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_a_row_of_the_graph_taken_for_new_keeps_its_level(seed):
    graph, is_labelled, scores, gamma = problem(seed)
    levels = score_cut(graph, is_labelled, scores, gamma).switch
    for row in np.flatnonzero(~is_labelled):
        near = graph.indices[graph.indptr[row] : graph.indptr[row + 1]][None, :]
        weights = graph.data[graph.indptr[row] : graph.indptr[row + 1]][None, :]
        found = levels_of_new_rows(near, weights, levels, scores[[row]], gamma)
        assert found[0] == pytest.approx(levels[row], abs=1e-12)


def test_new_rows_have_the_least_objective_of_their_own():
    random = np.random.default_rng(0)
    levels = np.where(random.random(50) < 0.2, np.inf, random.random(50))
    near = np.array([random.choice(50, 6, replace=False) for _ in range(40)], dtype=np.int32)
    weights, scores, gamma = random.random((40, 6)) + 0.01, random.random(40), 0.7
    found = levels_of_new_rows(near, weights, levels, scores, gamma)
    grid = np.linspace(-1, 5, 60_001)
    for row in range(40):
        far = np.minimum(levels[near[row]], 1e3)  # labelled: a pull without end
        value = (weights[row][:, None] * np.abs(grid - far[:, None])).sum(axis=0)
        value += gamma * weights[row].sum() * (grid - scores[row]) ** 2 / 2
        assert found[row] == pytest.approx(grid[np.argmin(value)], abs=2e-4)


def test_a_large_gamma_leaves_the_scores_as_they_are():
    graph, is_labelled, scores, _ = problem(0)
    x = score_cut(graph, is_labelled, scores, 1e6).switch
    np.testing.assert_allclose(x[~is_labelled], scores[~is_labelled], atol=1e-5)


def test_each_row_may_have_its_own_gamma():
    """Equal numbers per row are one number for all; others apply row by row."""
    graph, is_labelled, scores, gamma = problem(3)
    each = np.full(len(scores), gamma)
    np.testing.assert_array_equal(
        score_cut(graph, is_labelled, scores, each).switch,
        score_cut(graph, is_labelled, scores, gamma).switch,
    )
    each[-1] = 1e9  # only its own score counts
    assert score_cut(graph, is_labelled, scores, each).switch[-1] == pytest.approx(scores[-1])
    near, weights = np.array([[0, 1], [1, 2]], dtype=np.int32), np.array([[1.0, 0.5], [0.2, 0.4]])
    levels, new, both = np.array([0.1, 0.9, 0.4]), np.array([0.3, 0.6]), np.array([0.7, 5.0])
    found = levels_of_new_rows(near, weights, levels, new, both)
    for row in range(2):
        alone = levels_of_new_rows(
            near[row : row + 1], weights[row : row + 1], levels, new[row : row + 1], both[row]
        )
        assert found[row] == alone[0]
