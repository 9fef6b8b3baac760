"""Graphs against loops over all pairs."""

import numpy as np
import pytest

from pucut._support.checks import checked_graph
from pucut.cuts.hnc import hnc_minus
from pucut.graphs.neighbors import nearest_neighbors
from pucut.graphs.similarity import Gaussian, proximity_graph, symmetric_graph
from pucut.trees.forest import Proximities


def test_an_edge_where_either_row_is_a_neighbour_of_the_other():
    points = np.random.default_rng(0).normal(size=(60, 3))
    lists = nearest_neighbors(points, 4, "exact")
    graph = Gaussian.of_width(0.75, 3).graph(lists)
    expected = np.zeros((60, 60))
    for i in range(60):
        for j in lists.indices[i]:
            squared = ((points[i] - points[j]) ** 2).sum()
            expected[i, j] = expected[j, i] = np.exp(-squared / (2 * 0.75**2 * 3))
    np.testing.assert_allclose(graph.toarray(), expected, rtol=1e-12)
    checked_graph(graph)  # symmetric to the last bit, sorted, no duplicates


def test_duplicates_have_similarity_one_and_the_far_none():
    points = np.array([[0.0], [0.0], [1.0], [1e6]])
    graph = Gaussian.of_width(0.5, 1).graph(nearest_neighbors(points, 2, "exact"))
    assert graph[0, 1] == 1.0
    assert graph[[3]].nnz == 0
    checked_graph(graph)


def test_proximities_are_weights():
    near = Proximities(np.array([[1], [0], [0]], dtype=np.int32), np.array([[0.5], [0.5], [0.25]]))
    assert proximity_graph(near).toarray().tolist() == [
        [0.0, 0.5, 0.25],
        [0.5, 0.0, 0.0],
        [0.25, 0.0, 0.0],
    ]


@pytest.mark.parametrize("sigma", [0.0, -1.0, np.nan, np.inf, 1e-200, 1e200])
def test_sigma_must_be_positive(sigma):
    lists = nearest_neighbors(np.arange(4.0)[:, np.newaxis], 1, "exact")
    with pytest.raises(ValueError, match="sigma must be above 0"):
        Gaussian.of_width(sigma, 1).graph(lists)


def test_no_row_is_lost_that_has_no_edge():
    graph = symmetric_graph(np.array([[1], [0]], dtype=np.int32), np.zeros((2, 1)))
    assert graph.shape == (2, 2)
    assert graph.nnz == 0


def lists_of(n_rows, k, seed):
    """Random lists without the row itself; weights of which some are 0, mirrors may differ."""
    random = np.random.default_rng(seed)
    indices = np.array(
        [random.permutation(np.delete(np.arange(n_rows), i))[:k] for i in range(n_rows)],
        dtype=np.int32,
    )
    return indices, random.integers(0, 4, size=indices.shape) / 2.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_rows", "k"), [(2, 1), (7, 3), (40, 5), (200, 2), (60, 59)])
def test_graph_is_the_larger_of_the_lists_and_their_mirror(n_rows, k, dtype):
    for seed in range(5):
        indices, weights = lists_of(n_rows, k, seed)
        expected = np.zeros((n_rows, n_rows))
        np.put_along_axis(expected, indices, weights, axis=1)
        expected = np.maximum(expected, expected.T)
        graph = symmetric_graph(indices, weights.astype(dtype))
        assert graph.dtype == dtype
        assert graph.indices.dtype == graph.indptr.dtype == np.int32
        assert graph.nnz == np.count_nonzero(expected)
        np.testing.assert_array_equal(graph.toarray(), expected)
        checked_graph(graph)


def test_large_graphs_are_of_single_precision_and_lose_no_edge(monkeypatch):
    points = np.random.default_rng(0).normal(size=(300, 2))
    points[0] = 40.0  # so far that single precision has no number for its similarity
    lists = nearest_neighbors(points, 4, "exact")
    wide = Gaussian.of_width(2.0, 2).graph(lists)
    monkeypatch.setattr("pucut.graphs.similarity.NARROW_FROM", 300)
    monkeypatch.setattr("pucut.graphs.similarity._BLOCK_ROWS", 64)
    narrow = Gaussian.of_width(2.0, 2).graph(lists)
    assert narrow.dtype == np.float32
    assert 0.0 < wide.data.min() < np.finfo(np.float32).tiny
    assert narrow.data.min() == np.finfo(np.float32).tiny
    np.testing.assert_array_equal(narrow.indices, wide.indices)
    np.testing.assert_allclose(narrow.data, wide.data, rtol=1e-7, atol=1e-37)


def test_cuts_of_single_precision_are_those_of_the_same_weights_in_double():
    indices, weights = lists_of(80, 4, 0)
    graph = symmetric_graph(indices, (weights / 3).astype(np.float32))
    seeds = np.arange(5)
    narrow, wide = (hnc_minus(each, seeds) for each in (graph, graph.astype(np.float64)))
    np.testing.assert_array_equal(narrow.switch, wide.switch)
    assert narrow.duality_gap == wide.duality_gap
