"""Walks against linear systems, and against walks that are drawn."""

import numpy as np
import pytest
import scipy.sparse as sp

from pucut.graphs.spaces import weighted_space
from pucut.graphs.walks import rows_met, to_meet_one


def graph_of(n_rows, n_neighbors=6, seed=0):
    points = np.random.default_rng(seed).normal(size=(n_rows, 3))
    return weighted_space("s", points, np.ones(3), n_neighbors, method="exact").graph(n_neighbors)


def scaled(graph):
    dense = graph.toarray()
    return dense / dense.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("goes_on", [0.05, 0.4, 0.9, 0.95])
@pytest.mark.parametrize("n_rows", [8, 300])
def test_rows_met_solve_the_system(n_rows, goes_on):
    graph = graph_of(n_rows)
    targets = np.random.default_rng(1).choice([0.0, 1.0, -0.7], n_rows)
    expected = np.linalg.solve(np.eye(n_rows) - goes_on * scaled(graph), targets)
    met = rows_met(graph, targets, goes_on)
    np.testing.assert_allclose(met, expected, atol=1e-4)
    narrow = rows_met(graph.astype(np.float32), targets, goes_on)
    assert narrow.dtype == np.float64
    np.testing.assert_allclose(narrow, expected, atol=1e-4)


def test_two_sided_graphs_have_the_smallest_eigenvalue():
    """A path of two rows: P has the eigenvalue -1, where the iteration is slowest."""
    graph = sp.csr_array(np.array([[0.0, 2.0], [2.0, 0.0]]))
    met = rows_met(graph, np.array([1.0, 0.0]), 0.95)
    np.testing.assert_allclose(met, np.array([1.0, 0.95]) / (1.0 - 0.95**2), rtol=1e-4)


def test_rows_met_are_the_mean_of_walks_that_are_drawn():
    graph, goes_on, n_walks = graph_of(40), 0.8, 4000
    is_labelled = np.arange(40) < 5
    chances, random = scaled(graph), np.random.default_rng(2)
    met = np.zeros(n_walks)
    places = np.full(n_walks, 17)
    while len(places):
        met[: len(places)] += is_labelled[places]
        going = random.random(len(places)) < goes_on
        # Those that go on stand first, and keep their sums.
        met[: len(places)] = np.concatenate([met[: len(places)][going], met[: len(places)][~going]])
        places = np.array([random.choice(40, p=chances[place]) for place in places[going]])
    expected = rows_met(graph, is_labelled.astype(float), goes_on)[17]
    assert abs(met.mean() - expected) < 4.0 * met.std() / np.sqrt(n_walks)


def test_no_walk_leaves_its_part_of_the_graph():
    one = graph_of(20)
    graph = sp.csr_array(sp.block_diag([one, one]))
    targets = np.zeros(40)
    targets[3] = 1.0
    met = rows_met(graph, targets, 0.9)
    assert (met[:20] > 0.0).all()
    assert (met[20:] == 0.0).all()


@pytest.mark.parametrize(("share", "expected"), [(0.75, 0.25), (1.0, 0.05), (0.001, 0.95)])
def test_walks_always_may_end_and_may_go_on(share, expected):
    assert to_meet_one(share) == pytest.approx(expected)


def test_one_labelled_row_is_met_in_the_mean():
    """By walks from all rows, if each row is the next one as often as any other."""
    ring = np.roll(np.eye(40), 1, axis=0) + np.roll(np.eye(40), -1, axis=0)
    targets = (np.arange(40) % 5 == 0).astype(float)
    met = rows_met(sp.csr_array(ring), targets, to_meet_one(targets.mean()))
    assert met.mean() == pytest.approx(1.0, abs=1e-4)
