"""Approximate neighbours: each row is compared with the clusters whose centres are nearest to it.

Rows are divided into small clusters by a few steps of k-means on a sample. A query visits the
clusters with the nearest centres; queries that visit the same cluster share one matrix product.
How many clusters have to be visited is learnt from the true neighbours of a sample of rows. Among
the rows visited the answer is exact (blocks.py). Everything follows from the seed, with any number
of threads. What is visited depends on the dimension of the data and not on the number of rows n;
only finding the nearest centre grows with n, by n / size products a row.
"""

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._checks import FloatArray
from pucut.neighbors.blocks import Round, Searcher, Visit, exact_search, in_blocks
from pucut.neighbors.equal_rows import Indices

# The share of true neighbours that the clusters visited should hold.
TARGET_RECALL = 0.99
_SAMPLE_ROWS = 400
_ROWS_PER_CENTER = 32
_STEPS = 5
# A query may visit the clusters whose centres are the nearest to that of its own cluster, so many.
_MOST_NEAR = 512
# Clusters of these ranks begin a new round, with tighter thresholds.
_ROUNDS = (0, 1, 4)
# Visiting a larger share of the clusters than this is not worth it.
_LARGEST_SHARE = 1 / 3
_QUERIES = 4096
_ASSIGNED_AT_ONCE = 1024


class ClusterEngine:
    """Approximate search among dense points of which no two are equal."""

    method = "approximate"

    def __init__(self, points: Any, n_neighbors: int, n_threads: int, seed: int) -> None:
        n_points = len(points)
        rng = np.random.default_rng(seed)
        self._points = points
        self._n_threads = n_threads
        self._scaled = Searcher(points).scaled
        self._centers = self._cluster(max(1, n_points // _cluster_size(n_points)), rng)
        self._own = self._nearest_centers(points)
        self._sizes = np.bincount(self._own, minlength=len(self._centers))
        self._ends = np.cumsum(self._sizes)
        self._searcher = Searcher(points, np.argsort(self._own, kind="stable"))
        n_neighbors = min(n_neighbors, n_points - 1)
        sample = rng.permutation(n_points)[: 2 * _SAMPLE_ROWS]
        indices, _ = exact_search(self._searcher, points[sample], n_neighbors + 1, n_threads)
        is_other = indices != sample[:, None]
        half = (len(sample) + 1) // 2
        self._n_visits = self._visits_needed(sample[:half], indices[:half], is_other[:half])
        n_near = min(len(self._centers), _MOST_NEAR)
        self._near, _ = exact_search(Searcher(self._centers), self._centers, n_near, n_threads)
        # Measured on rows that the number of visits was not chosen by.
        found, _ = self.search(points[sample[half:]], n_neighbors + 1)
        hits = (indices[half:, :, None] == found[:, None, :]).any(axis=2)
        self.recall = float(hits[is_other[half:]].mean()) if half < len(sample) else 1.0

    def search(self, queries: Any, k: int) -> tuple[Indices, FloatArray]:
        own = self._own if queries is self._points else self._nearest_centers(queries)
        order = np.argsort(own, kind="stable")
        indices = np.empty((len(queries), k), dtype=np.int64)
        distances = np.empty((len(queries), k))

        def search(start: int) -> None:
            rows = order[start : start + _QUERIES]
            visited = self._visited(queries[rows], own[rows])
            is_poor = self._sizes[visited].sum(axis=1) < k
            for part, rounds in (
                (rows[is_poor], None),
                (rows[~is_poor], self._rounds(visited[~is_poor])),
            ):
                if len(part):
                    indices[part], distances[part] = self._searcher.search(queries[part], k, rounds)

        in_blocks(search, range(0, len(queries), _QUERIES), self._n_threads)
        return indices, distances

    def _cluster(self, n_clusters: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
        """Centres by k-means on a sample, numbered so that near ones have near numbers."""
        n_points = len(self._points)
        n_rows = min(n_points, _ROWS_PER_CENTER * n_clusters)
        sample = self._points[np.sort(rng.choice(n_points, n_rows, replace=False))]
        scaled = self._scaled(sample).astype(np.float32)
        self._centers = scaled[np.sort(rng.choice(n_rows, n_clusters, replace=False))]
        for _ in range(_STEPS):
            own = self._nearest_centers(sample)
            order = np.argsort(own, kind="stable")
            present, starts = np.unique(own[order], return_index=True)
            sums = np.add.reduceat(scaled[order], starts, axis=0, dtype=np.float64)
            counts = np.diff(np.append(starts, n_rows))
            self._centers[present] = sums / counts[:, None]
        return self._centers[_in_halves(self._centers, np.arange(n_clusters))]

    def _nearest_centers(self, rows: Any) -> Indices:
        nearest = np.empty(len(rows), dtype=np.int64)
        norms = _squared_norms(self._centers)
        twice = -2 * self._centers

        def assign(start: int) -> None:
            block = slice(start, start + _ASSIGNED_AT_ONCE)
            product = self._scaled(rows[block]).astype(np.float32) @ twice.T
            product += norms
            nearest[block] = product.argmin(axis=1)

        in_blocks(assign, range(0, len(rows), _ASSIGNED_AT_ONCE), self._n_threads)
        return nearest

    def _visits_needed(
        self, sample: Indices, neighbors: Indices, is_other: npt.NDArray[np.bool_]
    ) -> int:
        """The number of clusters to visit for the target recall on a sample of points."""
        n_clusters = len(self._centers)
        own = self._own[sample]
        rows = self._scaled(self._points[sample]).astype(np.float32)
        rank = _ranks(_squared_norms(self._centers) - 2 * rows @ self._centers.T)
        from_own = _squared_norms(self._centers) - 2 * self._centers[own] @ self._centers.T
        needed = np.where(_ranks(from_own) < _MOST_NEAR, rank + 1, n_clusters)
        needed = np.take_along_axis(needed, self._own[neighbors], axis=1)[is_other]
        enough = int(np.quantile(needed, TARGET_RECALL, method="higher"))
        return min(enough, max(1, int(_LARGEST_SHARE * n_clusters)))

    def _visited(self, queries: Any, own: Indices) -> Indices:
        """The clusters each query visits, nearest first up to the limits of the rounds."""
        rows = self._scaled(queries).astype(np.float32)
        norms = _squared_norms(self._centers)
        visited = np.empty((len(rows), self._n_visits), dtype=np.int64)
        limits = [limit for limit in (*_ROUNDS, self._n_visits - 1) if limit < self._n_visits]
        starts = np.flatnonzero(np.diff(own, prepend=-1))
        for start, stop in zip(starts, np.append(starts[1:], len(own)), strict=True):
            near = self._near[own[start]]
            scores = norms[near] - 2 * rows[start:stop] @ self._centers[near].T
            nearest = np.argpartition(scores, limits, axis=1)[:, : self._n_visits]
            visited[start:stop] = near[nearest]
        return visited

    def _rounds(self, visited: Indices) -> list[Round]:
        limits = [*(limit for limit in _ROUNDS if limit < visited.shape[1]), visited.shape[1]]
        rounds: list[Round] = []
        for first, last in itertools.pairwise(limits):
            cluster = visited[:, first:last].ravel()
            order = np.argsort(cluster, kind="stable")
            query = order // (last - first)
            present, starts = np.unique(cluster[order], return_index=True)
            parts = np.split(query, starts[1:])
            rounds.append(
                [
                    Visit(part, slice(self._ends[c] - self._sizes[c], self._ends[c]))
                    for c, part in zip(present, parts, strict=True)
                    if self._sizes[c]
                ]
            )
        return rounds


def _cluster_size(n_points: int) -> int:
    """Larger clusters for more rows: fewer centres to compare each row with."""
    return int(np.clip(n_points**0.5 / 2, 256, 1024))


def _squared_norms(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return np.einsum("ij,ij->i", rows, rows)


def _ranks(scores: npt.NDArray[Any]) -> Indices:
    order = np.argsort(scores, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(scores.shape[1])[None], axis=1)
    return ranks


def _in_halves(rows: npt.NDArray[np.float32], numbers: Indices) -> Indices:
    """Orders rows by splitting them at the median of their widest feature, again and again."""
    if len(numbers) <= 2:
        return numbers
    widest = np.ptp(rows[numbers], axis=0).argmax()
    numbers = numbers[np.argsort(rows[numbers, widest], kind="stable")]
    half = len(numbers) // 2
    return np.concatenate([_in_halves(rows, numbers[:half]), _in_halves(rows, numbers[half:])])
