"""Approximate neighbours: each row is compared with the clusters whose centres are nearest to it.

Rows are divided into small clusters by a few steps of k-means on a sample. A query visits the
clusters with the nearest centres; queries that visit the same cluster share one matrix product. The
number of clusters to visit is learnt from the true neighbours of a sample of rows. Among the rows
visited the search is exact (dense_search.py). Everything follows from the seed, with any number of
threads. The number of visits depends on the dimension of the data and not on the number of rows n;
only finding the nearest centre grows with n, by n / size products per row.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray
from pucut._support.threads import in_blocks
from pucut.graphs.neighbors.dense_search import DenseSearcher
from pucut.graphs.neighbors.equal_rows import Indices, RowNumbers
from pucut.kernels.centres import moved_centres
from pucut.kernels.gaussian import squared_norms

# The share of true neighbours that the clusters visited should hold.
TARGET_RECALL = 0.99
_SAMPLE_ROWS = 400
_ROWS_PER_CENTER = 32
_STEPS = 5
# This part of the share of neighbours that may be missed is left to those in clusters that are not
# near the point's own.
_MISSED_AS_NOT_NEAR = 1 / 4
# The nearest clusters up to these ranks come first, in this order.
_FIRST_RANKS = (0, 1, 4)
# At most a third of the clusters is visited: data that need more need the exact search.
_LARGEST_SHARE = 1 / 3
_ALWAYS_ALLOWED = 32
_QUERIES = 1024
_ASSIGNED_AT_ONCE = 1024
_LARGEST_PRODUCT = 1 << 24
# Numbers of clusters held for queries at a time.
_VISITS_AT_ONCE = 1 << 24


class ClusterSearcher:
    """The search among dense points of which no two are equal; `recall` is measured on a sample."""

    def __init__(
        self,
        points: Any,
        n_neighbors: int,
        n_threads: int,
        seed: int,
        most_bytes: int | None = None,
    ) -> None:
        n_points = len(points)
        rng = np.random.default_rng(seed)
        self.points = points
        self._n_threads = n_threads
        self._searcher = DenseSearcher(points, n_threads, most_bytes)
        self._centers = self._cluster(max(1, n_points // _cluster_size(n_points)), rng)
        self._among_centers = DenseSearcher(self._centers, n_threads)
        self._own = self._nearest_centers(points)
        self._sizes = np.bincount(self._own, minlength=len(self._centers))
        order = np.argsort(self._own, kind="stable").astype(np.int32)
        self._searcher = self._searcher.reordered(order, np.cumsum(self._sizes))
        self._n_visits, self.recall = 1, 1.0
        self._near: RowNumbers = np.zeros((1, 1), dtype=np.int32)
        if len(self._centers) > 1:
            self._choose_visits(min(n_neighbors, n_points - 1), rng)

    def _choose_visits(self, n_neighbors: int, rng: np.random.Generator) -> None:
        """Learn from the true neighbours of some points, and measure the recall on others."""
        sample = rng.permutation(len(self.points)).astype(np.int32)[: 2 * _SAMPLE_ROWS]
        k = n_neighbors + 1
        indices, _ = self._searcher.nearest(self.points, k, sample)
        is_other = indices != sample[:, None]
        half = len(sample) // 2
        n_near = self._learn_visits(sample[:half], indices[:half], is_other[:half])
        self._near, _ = self._among_centers.nearest(self._centers, n_near)
        rest = sample[half:]
        found, _ = self._search_points(self.points[rest], self._own[rest], k)
        hits = (indices[half:, :, None] == found[:, None, :]).any(axis=2)
        self.recall = float(hits[is_other[half:]].mean())

    def nearest(self, queries: Any, k: int) -> tuple[RowNumbers, FloatArray]:
        if queries is self.points:
            return self._search_points(queries, self._own, k)
        # The nearest centres are found exactly, so that no result depends on other queries.
        visited, _ = self._among_centers.nearest(self._searcher.scaled(queries), self._n_visits)
        return self._search_in(queries, visited[:, 0], k, lambda rows: visited[rows])

    def _search_points(self, rows: Any, own: RowNumbers, k: int) -> tuple[RowNumbers, FloatArray]:
        """Search for points, whose own clusters are known, which is faster."""
        return self._search_in(rows, own, k, lambda part: self._visited(rows[part], own[part]))

    def _search_in(
        self, queries: Any, own: RowNumbers, k: int, visited_by: Callable[[RowNumbers], RowNumbers]
    ) -> tuple[RowNumbers, FloatArray]:
        order = np.argsort(own, kind="stable").astype(np.int32)
        indices = np.empty((len(queries), k), dtype=np.int32)
        distances = np.empty((len(queries), k))
        step = _QUERIES * max(1, _VISITS_AT_ONCE // (self._n_visits * _QUERIES))
        for start in range(0, len(queries), step):
            rows = order[start : start + step]
            visited, n_met = self._chosen(rows, visited_by)
            is_poor = n_met < k
            if is_poor.any():
                poor = rows[is_poor]
                indices[poor], distances[poor] = self._searcher.nearest(queries, k, poor)
                rows, visited = rows[~is_poor], visited[~is_poor]
            indices[rows], distances[rows] = self._searcher.nearest(queries, k, rows, visited)
        return indices, distances

    def _chosen(
        self, rows: RowNumbers, visited_by: Callable[[RowNumbers], RowNumbers]
    ) -> tuple[RowNumbers, Indices]:
        """Return the clusters that rows visit, and the number of points in them."""
        visited = np.empty((len(rows), self._n_visits), dtype=np.int32)
        n_met = np.empty(len(rows), dtype=np.int64)

        def choose(first: int) -> None:
            block = slice(first, first + _QUERIES)
            visited[block] = visited_by(rows[block])
            n_met[block] = self._sizes[visited[block]].sum(axis=1)

        in_blocks(choose, range(0, len(rows), _QUERIES), self._n_threads)
        return visited, n_met

    def _cluster(self, n_clusters: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
        """Return centres by k-means on a sample, numbered so that near ones have near numbers."""
        n_points = len(self.points)
        n_rows = min(n_points, _ROWS_PER_CENTER * n_clusters)
        sample = self.points[np.sort(rng.choice(n_points, n_rows, replace=False))]
        scaled = self._searcher.scaled(sample).astype(np.float32)
        self._centers = scaled[np.sort(rng.choice(n_rows, n_clusters, replace=False))]
        for _ in range(_STEPS):
            own = self._nearest_centers(sample)
            self._centers = moved_centres(self._centers, scaled, own, np.float64, self._n_threads)
        return self._centers[in_halves(self._centers, np.arange(n_clusters))]

    def _nearest_centers(self, rows: Any) -> RowNumbers:
        norms, twice = squared_norms(self._centers), -2 * self._centers
        n_rows = max(1, min(_ASSIGNED_AT_ONCE, _LARGEST_PRODUCT // len(self._centers)))

        def nearest(start: int) -> RowNumbers:
            block = rows[start : start + n_rows]
            product = self._searcher.scaled(block).astype(np.float32) @ twice.T
            product += norms
            return np.asarray(product.argmin(axis=1), dtype=np.int32)

        return np.concatenate(in_blocks(nearest, range(0, len(rows), n_rows), self._n_threads))

    def _learn_visits(
        self, sample: RowNumbers, neighbors: RowNumbers, is_other: npt.NDArray[np.bool_]
    ) -> int:
        """Set the number of visits for the target recall; return that of the clusters nearby."""
        n_clusters = len(self._centers)
        clusters = self._own[neighbors]
        norms = squared_norms(self._centers)

        def ranks(rows: npt.NDArray[np.float32]) -> Indices:
            order = np.argsort(norms - 2 * rows @ self._centers.T, axis=1, kind="stable")
            ranks = np.empty_like(order)
            np.put_along_axis(ranks, order, np.arange(n_clusters)[None], axis=1)
            return np.asarray(np.take_along_axis(ranks, clusters, axis=1)[is_other])

        def enough(counts: Indices, share: float) -> int:
            return int(np.quantile(counts, share, method="higher"))

        from_own = ranks(self._centers[self._own[sample]])
        missed = 1 - TARGET_RECALL
        n_near = enough(from_own + 1, 1 - missed * _MISSED_AS_NOT_NEAR)
        from_row = ranks(self._searcher.scaled(self.points[sample]).astype(np.float32))
        n_visits = enough(np.where(from_own < n_near, from_row + 1, n_clusters), TARGET_RECALL)
        most = max(_ALWAYS_ALLOWED, int(_LARGEST_SHARE * n_clusters))
        self._n_visits = min(n_visits, most, n_clusters)
        return max(n_near, self._n_visits)

    def _visited(self, queries: Any, own: RowNumbers) -> RowNumbers:
        """Return the clusters that each query visits, the nearest ones first."""
        twice = 2 * self._searcher.scaled(queries).astype(np.float32)
        norms = squared_norms(self._centers)
        visited = np.empty((len(own), self._n_visits), dtype=np.int32)
        limits = [rank for rank in (*_FIRST_RANKS, self._n_visits - 1) if rank < self._n_visits]
        starts = np.flatnonzero(np.diff(own, prepend=-1))
        for start, stop in zip(starts, np.append(starts[1:], len(own)), strict=True):
            near = self._near[own[start]]
            scores = norms[near] - twice[start:stop] @ self._centers[near].T
            nearest = np.argpartition(scores, limits, axis=1)[:, : self._n_visits]
            visited[start:stop] = near[nearest]
        return visited


def _cluster_size(n_points: int) -> int:
    """Return a larger size for more rows: fewer centres to compare each row with."""
    return int(np.clip(n_points**0.5 / 2, 256, 1024))


def in_halves(rows: npt.NDArray[np.float32], numbers: Indices) -> Indices:
    """Order rows by splitting them at the median of their widest feature, again and again."""
    if len(numbers) <= 2:
        return numbers
    widest = np.ptp(rows[numbers], axis=0).argmax()
    numbers = numbers[np.argsort(rows[numbers, widest], kind="stable")]
    half = len(numbers) // 2
    return np.concatenate([in_halves(rows, numbers[:half]), in_halves(rows, numbers[half:])])
