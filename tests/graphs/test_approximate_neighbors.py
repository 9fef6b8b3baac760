"""Approximate neighbours: the recall that is said, and exact distances."""

import numpy as np
import pytest
import scipy.sparse as sp

from pucut.graphs.neighbors import clusters, nearest_neighbors
from pucut.graphs.neighbors.distances import paired_squared_distances
from tests.helpers.neighbors import binary, blobs, same

pytestmark = pytest.mark.slow


class TestApproximate:
    def test_recall_is_what_it_says(self):
        points = blobs(6000)
        lists = nearest_neighbors(points, 10, "approximate", random_state=0)
        truth = nearest_neighbors(points, 10, "exact")
        recall = (lists.indices[:, :, None] == truth.indices[:, None, :]).any(axis=2).mean()
        assert lists.method == "approximate"
        assert recall >= 0.98
        assert lists.recall == pytest.approx(recall, abs=0.01)
        assert lists.recall < 1

    def test_a_poor_recall_is_reported_too(self, monkeypatch):
        monkeypatch.setattr(clusters, "TARGET_RECALL", 0.5)
        points = blobs(6000, n_blobs=1)
        lists = nearest_neighbors(points, 10, "approximate", random_state=0)
        truth = nearest_neighbors(points, 10, "exact")
        recall = (lists.indices[:, :, None] == truth.indices[:, None, :]).any(axis=2).mean()
        assert recall < 0.9
        assert lists.recall == pytest.approx(recall, abs=0.04)

    def test_distances_and_ties_are_exact_among_what_was_found(self):
        points = np.round(blobs(3000, 5), 1)
        lists = nearest_neighbors(points, 10, "approximate", random_state=0)
        rows = np.repeat(np.arange(3000), 10)
        exact = paired_squared_distances(points, rows, points, lists.indices.ravel())
        np.testing.assert_array_equal(lists.squared_distances.ravel(), exact)
        assert (lists.indices != np.arange(3000)[:, None]).all()
        step = np.diff(lists.squared_distances, axis=1)
        assert (step >= 0).all()
        assert (np.diff(lists.indices, axis=1)[step == 0] > 0).all()

    def test_depends_on_the_seed_alone(self):
        points = blobs(5000, 6, n_blobs=1).astype(np.float32)
        first = nearest_neighbors(points, 8, "approximate", n_jobs=1, random_state=3)
        for n_jobs in (2, 3, None, -1):
            same(nearest_neighbors(points, 8, "approximate", n_jobs=n_jobs, random_state=3), first)
        other = nearest_neighbors(points, 8, "approximate", random_state=4)
        assert (other.indices != first.indices).any()

    def test_few_rows_are_found_exactly(self):
        for points in (binary(30, 4), blobs(300), np.ones((5, 2))):
            k = min(10, len(points) - 1)
            lists = nearest_neighbors(points, k, "approximate", random_state=0)
            same(lists, nearest_neighbors(points, k, "exact"))
            assert lists.recall == 1.0

    def test_more_neighbours_than_a_cluster_holds(self):
        points = blobs(1100, 4)
        lists = nearest_neighbors(points, 700, "approximate", random_state=0)
        truth = nearest_neighbors(points, 700, "exact")
        assert (np.sort(lists.indices) == np.sort(truth.indices)).mean() > 0.9

    def test_rows_whose_clusters_hold_too_few_are_compared_with_all(self):
        points = blobs(1100, 4)
        engine = clusters.ClusterSearcher(points, 5, 1, 0)
        engine._n_visits = 1
        indices, _ = engine.nearest(points, 1100)
        np.testing.assert_array_equal(np.sort(indices), np.tile(np.arange(1100), (1100, 1)))

    def test_sparse_rows(self):
        points = np.round(blobs(2000, 5), 1)
        dense, sparse = (
            nearest_neighbors(rows, 6, "approximate", random_state=0)
            for rows in (points, sp.csr_array(points))
        )
        same(dense, sparse)

    def test_sparse_rows_too_large_to_be_dense(self):
        points = sp.csr_array(sp.diags(np.arange(1.0, 3001.0), shape=(3000, 200_000)))
        for method in ("approximate", "torch"):
            with pytest.raises(ValueError, match=r"at most 2147483648 bytes.*method='exact'"):
                nearest_neighbors(points, 1, method)

    def test_auto_chooses_by_the_work(self, monkeypatch):
        points = blobs(3000, 4)
        assert nearest_neighbors(points, 3).method == "exact"
        monkeypatch.setattr("pucut.graphs.neighbors.index.MOST_EXACT_WORK", 1e6)
        assert nearest_neighbors(points, 3, random_state=0).method == "approximate"
        assert nearest_neighbors(sp.csr_array(points), 3, random_state=0).method == "approximate"
