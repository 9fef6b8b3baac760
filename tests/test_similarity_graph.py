"""Graphs against loops over all pairs."""

import numpy as np
import pytest

from pucut._checks import checked_graph
from pucut.neighbors import nearest_neighbors
from pucut.pu_trees import Proximities
from pucut.similarity_graph import gaussian_graph, proximity_graph, symmetric_graph


def test_an_edge_where_either_row_is_a_neighbour_of_the_other():
    points = np.random.default_rng(0).normal(size=(60, 3))
    lists = nearest_neighbors(points, 4, "exact")
    graph = gaussian_graph(lists, sigma=0.75, n_features=3)
    expected = np.zeros((60, 60))
    for i in range(60):
        for j in lists.indices[i]:
            squared = ((points[i] - points[j]) ** 2).sum()
            expected[i, j] = expected[j, i] = np.exp(-squared / (2 * 0.75**2 * 3))
    np.testing.assert_allclose(graph.toarray(), expected, rtol=1e-12)
    checked_graph(graph)  # symmetric to the last bit, sorted, no duplicates


def test_duplicates_have_similarity_one_and_the_far_none():
    points = np.array([[0.0], [0.0], [1.0], [1e6]])
    graph = gaussian_graph(nearest_neighbors(points, 2, "exact"), sigma=0.5, n_features=1)
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


@pytest.mark.parametrize("sigma", [0.0, -1.0, np.nan, np.inf])
def test_sigma_must_be_positive(sigma):
    lists = nearest_neighbors(np.arange(4.0)[:, np.newaxis], 1, "exact")
    with pytest.raises(ValueError, match="sigma must be above 0"):
        gaussian_graph(lists, sigma=sigma, n_features=1)


def test_no_row_is_lost_that_has_no_edge():
    graph = symmetric_graph(np.array([[1], [0]], dtype=np.int32), np.zeros((2, 1)))
    assert graph.shape == (2, 2)
    assert graph.nnz == 0
