"""The exact nearest rows of sparse tables, from matrix products and bounds on their rounding.

The method is that of native/neighbors/nearest_rows.hpp, here in double precision and with the
products of scipy: for rows x and y a product gives |x|^2 + |y|^2 - 2 x.y up to an error of at most
slack * (|x|^2 + |y|^2), so every pair has a lower and an upper bound. A pair whose lower bound lies
above k upper bounds of its row is out, and the few pairs left are measured and ranked.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from pucut._support.checks import FloatArray
from pucut._support.threads import in_blocks
from pucut.graphs.neighbors.distances import paired_squared_distances, products
from pucut.graphs.neighbors.equal_rows import Indices, RowNumbers, first_of_each

# The sizes of a block of products: queries times columns.
_QUERIES = 256
_COLUMNS = 2048
# Pairs held at a time; a block of queries with more of them is searched row by row.
_MOST_CANDIDATES = 1 << 22


class SparseSearcher:
    """The search among the rows of a CSR array."""

    recall = 1.0

    def __init__(self, points: Any, n_threads: int) -> None:
        self.points = points
        self._n_threads = n_threads
        squares = np.asarray(points.multiply(points).sum(axis=1)).ravel()
        largest = float(np.sqrt(squares.max(initial=0.0)))
        # A power of two, which changes no digit.
        self._scale = float(2.0 ** -np.ceil(np.log2(largest))) if largest > 0 else 1.0
        self._columns, self._gaps = self._rounded(points)

    def nearest(self, queries: Any, k: int) -> tuple[RowNumbers, FloatArray]:
        """Return the k nearest points of each query, and squared distances."""
        n_queries = queries.shape[0]
        indices = np.empty((n_queries, k), dtype=np.int32)
        distances = np.empty((n_queries, k))

        def search(start: int) -> None:
            block = slice(start, start + _QUERIES)
            indices[block], distances[block] = self._search(queries[block], k)

        in_blocks(search, range(0, n_queries, _QUERIES), self._n_threads)
        return indices, distances

    def _search(self, queries: Any, k: int) -> tuple[Indices, FloatArray]:
        n_queries = queries.shape[0]
        found = self._candidates(queries, k, _MOST_CANDIDATES if n_queries > 1 else None)
        if found is None:  # too many ties: one query after the other
            parts = [self._search(queries[[row]], k) for row in range(n_queries)]
            return np.vstack([part[0] for part in parts]), np.vstack([part[1] for part in parts])
        query, row = found
        distances = paired_squared_distances(queries, query, self.points, row)
        return first_of_each(query, distances, row, n_queries, k)

    def _rounded(self, rows: Any, *, are_queries: bool = False) -> tuple[Any, FloatArray]:
        """Return rows scaled to at most unit norm, and their parts of the gap between the bounds.

        They have one more column: a product of points and queries is then the lower bound of the
        squared distance, less the part that depends on the query alone.
        """
        # As slack_of in native/neighbors/points.cpp.
        slack = 2.1 * (rows.shape[1] + 24) * float(np.finfo(np.float64).eps)
        values = rows.astype(np.float64) * self._scale
        norms: FloatArray = np.asarray(values.multiply(values).sum(axis=1)).reshape(-1)
        last = np.ones_like(norms) if are_queries else norms * (1 - slack)
        if are_queries:
            values = values * -2.0
        matrix = sp.hstack([values, sp.csr_array(last[:, None])], format="csr")
        return matrix, norms * (2 * slack)

    def _candidates(
        self, queries: Any, k: int, limit: int | None
    ) -> tuple[Indices, Indices] | None:
        """Return pairs (query, row) that may be among the k nearest, in the order of the queries.

        The result is None if there are more than `limit`.
        """
        matrix, gaps_of_queries = self._rounded(queries, are_queries=True)
        n_queries = len(gaps_of_queries)
        own_gap = gaps_of_queries[:, None] + 1e3 * np.finfo(np.float64).tiny  # room for underflow
        # The k smallest upper bounds of each query so far. A pair whose lower bound is above all
        # of them is out.
        smallest: FloatArray = np.full((n_queries, k), np.inf)
        threshold: FloatArray = np.full((n_queries, 1), np.inf)
        found: list[tuple[Indices, Indices, FloatArray]] = []
        n_found = 0
        for columns in _ranges(self.points.shape[0], k):
            lower, gaps = products(matrix, self._columns[columns]), self._gaps[columns]
            if columns.start == 0:  # everything is new, so there is no need to pick
                upper = lower + gaps
            else:
                query, column = np.nonzero(lower <= threshold)
                upper = _as_rows(query, lower[query, column] + gaps[column], n_queries)
            upper = np.hstack([smallest, upper])
            upper.partition(k - 1, axis=1)
            smallest = upper[:, :k].copy()
            threshold = np.nextafter(smallest[:, -1:] + own_gap, np.inf)
            query, column = np.nonzero(lower <= threshold)
            found.append((query, column + columns.start, lower[query, column]))
            n_found += len(query)
            if limit is not None and n_found > 4 * limit:
                return None
        query, column, bound = (np.concatenate(part) for part in zip(*found, strict=True))
        kept = np.flatnonzero(bound <= threshold[query, 0])
        if limit is not None and len(kept) > limit:
            return None
        kept = kept[np.argsort(query[kept], kind="stable")]
        return query[kept], column[kept]


def _ranges(n_points: int, k: int) -> list[slice]:
    """Divide the columns; a threshold from the few first ones is enough for all others."""
    first = min(n_points, max(4 * k, int((k * n_points) ** 0.5)))
    starts = [0, *range(first, n_points, _COLUMNS)]
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], n_points], strict=True)]


def _as_rows(query: Indices, values: FloatArray, n_queries: int) -> FloatArray:
    """Put the values of each query, which come in order, in a row, filled up with infinity."""
    counts = np.bincount(query, minlength=n_queries)
    rows = np.full((n_queries, counts.max(initial=0)), np.inf)
    within = np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows[query, within] = values
    return rows
