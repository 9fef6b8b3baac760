"""The exact nearest rows, from matrix products in low precision and bounds on their rounding.

For rows x and y, a matrix product gives |x|^2 + |y|^2 - 2 x.y up to an error of at most
slack * (|x|^2 + |y|^2). So every pair has a lower and an upper bound, and a pair whose lower bound
lies above k upper bounds of its row is out. The few pairs left are measured by
`paired_squared_distances` and ranked by distance and row number. Nothing in the result depends on
how the product was rounded: not on the library, the threads or the blocks.

Ranges of columns restrict the search to parts of the rows (see clusters.py).
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from pucut._checks import FloatArray
from pucut.neighbors.distances import is_sparse, paired_squared_distances
from pucut.neighbors.equal_rows import Indices, first_of_each

# Of one block of products: queries times columns. The product stays in a processor's cache.
_QUERIES = 256
_COLUMNS = 2048
# More candidates than this many times k a row, and the precision was too low to tell rows apart.
_TOO_MANY = 16
_BLOCK_ENTRIES = 1 << 18

Range = tuple[int, int]


@dataclass(frozen=True, eq=False)
class _Rounded:
    """Rows moved to the origin, scaled to at most unit norm and rounded.

    `matrix` has one more column than the rows: a product of points and queries is then the lower
    bound of the squared distance, less what depends on the query alone.
    """

    matrix: Any  # dense, or CSR
    gaps: npt.NDArray[Any]  # a row's part of what lies between the lower and the upper bound


class Searcher:
    """Finds nearest rows among `points`; `numbers` are what ties are broken by and returned."""

    def __init__(self, points: Any, numbers: Indices | None = None) -> None:
        self.points = points
        self.numbers = np.arange(points.shape[0]) if numbers is None else numbers
        self._center: Any = 0.0
        if not is_sparse(points):
            self._center = points.mean(axis=0, dtype=np.float64)
        largest = _largest_norm(points, self._center)
        # A power of two, which changes no digit.
        self._scale = float(2.0 ** -np.ceil(np.log2(largest))) if largest > 0 else 1.0
        self._levels: dict[type, _Rounded] = {}

    def prepare(self) -> None:
        """Rounds the points now, before several threads ask for them at once."""
        self._level(np.float64 if is_sparse(self.points) else np.float32)

    def _level(self, dtype: type) -> _Rounded:
        if dtype not in self._levels:
            self._levels[dtype] = self._rounded(self.points, dtype, are_queries=False)
        return self._levels[dtype]

    def _rounded(self, rows: Any, dtype: type, *, are_queries: bool) -> _Rounded:
        # |x| |y| <= (|x|^2 + |y|^2) / 2 turns the usual bounds on rounding into multiples of the
        # norms: of the product 2 (n_features + 1) roundings; of norms, sums, the points themselves
        # and the bounds less than 48; 5 % for terms of second order. In double precision the exact
        # distance rounds as much as the product.
        n_rows, n_features = rows.shape
        slack = 2.1 * (n_features + 24) * float(np.finfo(dtype).eps) / 2
        if dtype is np.float64:
            slack *= 2

        def last_column(norms: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.ones_like(norms) if are_queries else norms * dtype(1 - slack)

        if is_sparse(rows):
            values = rows.astype(dtype) * dtype(self._scale)
            norms: npt.NDArray[Any] = np.asarray(
                values.multiply(values).sum(axis=1), dtype=dtype
            ).reshape(-1)
            if are_queries:
                values = values * dtype(-2)
            column = sp.csr_array(last_column(norms)[:, None])
            return _Rounded(sp.hstack([values, column], format="csr"), norms * dtype(2 * slack))
        matrix = np.empty((n_rows, n_features + 1), dtype=dtype)
        norms = np.empty(n_rows, dtype=dtype)
        step = max(1, _BLOCK_ENTRIES // max(1, n_features))
        for start in range(0, n_rows, step):
            block = slice(start, start + step)
            values = matrix[block, :-1]
            values[:] = (rows[block] - self._center) * self._scale
            norms[block] = np.einsum("ij,ij->i", values, values, dtype=np.float64)
            if are_queries:
                values *= dtype(-2)
        matrix[:, -1] = last_column(norms)
        return _Rounded(matrix, norms * dtype(2 * slack))

    def search(
        self, queries: Any, k: int, ranges: Sequence[Range] | None = None
    ) -> tuple[Indices, FloatArray]:
        """The k nearest of the points in `ranges` (all, if None) to each of a block of queries."""
        if ranges is None:
            ranges = [(0, self.points.shape[0])]
        sparse = is_sparse(self.points)
        limit = _TOO_MANY * (k + 4) * queries.shape[0]
        found = None
        if not sparse:
            found = self._candidates(queries, k, ranges, np.float32, limit)
        if found is None:
            found = self._candidates(queries, k, ranges, np.float64, None)
        assert found is not None
        query, column = found
        distances = paired_squared_distances(queries, query, self.points, column)
        return first_of_each(query, distances, self.numbers[column], queries.shape[0], k)

    def _candidates(
        self, queries: Any, k: int, ranges: Sequence[Range], dtype: type, limit: int | None
    ) -> tuple[Indices, Indices] | None:
        """Pairs (query, column) that may be among the k nearest, in the order of the queries.

        None, if there are more than `limit`.
        """
        points, asked = self._level(dtype), self._rounded(queries, dtype, are_queries=True)
        n_queries = len(asked.gaps)
        own_gap = asked.gaps[:, None] + dtype(1e3) * np.finfo(dtype).tiny  # room for underflow
        # The k smallest upper bounds of each query so far; a pair whose lower bound is above the
        # last of them is out.
        smallest: npt.NDArray[Any] = np.full((n_queries, k), np.inf, dtype)
        threshold = smallest[:, -1:]
        found: list[tuple[Indices, Indices, npt.NDArray[Any]]] = []
        n_counted, seen, seen_when_counted = 0, 0, 0
        for chunk in _chunks(ranges, k):
            lower = _product(asked.matrix, points.matrix, chunk)
            if not found and lower.shape[1] >= k:
                smallest = np.partition(lower + points.gaps[chunk], k - 1, axis=1)[:, :k]
                threshold = np.nextafter(smallest[:, -1:] + own_gap, dtype(np.inf))
                n_counted, seen_when_counted = 1, lower.shape[1]
            place = np.flatnonzero(lower <= threshold)
            query, column = np.divmod(place, lower.shape[1])
            column += chunk.start
            found.append((query, column, lower.ravel()[place]))
            seen += lower.shape[1]
            if seen < 2 * seen_when_counted:
                continue  # counting pays when much is new
            query, column, bound = _joined(found[n_counted:])
            upper = _as_rows(query, bound + points.gaps[column], n_queries)
            smallest = np.partition(np.hstack([smallest, upper]), k - 1, axis=1)[:, :k]
            threshold = np.nextafter(smallest[:, -1:] + own_gap, dtype(np.inf))
            n_counted, seen_when_counted = len(found), seen
        query, column, bound = _joined(found)
        kept = np.flatnonzero(bound <= threshold[query, 0])
        if limit is not None and len(kept) > limit:
            return None
        kept = kept[_order_of(query[kept])]
        return query[kept], column[kept]


def in_blocks(search: Callable[[Any], None], blocks: Iterable[Any], n_threads: int) -> None:
    """Runs `search` on every block, on threads; each matrix product then gets one thread."""
    with threadpool_limits(limits=1, user_api="blas"):
        if n_threads == 1:
            for block in blocks:
                search(block)
            return
        with ThreadPoolExecutor(n_threads) as pool:
            for _ in pool.map(search, blocks):
                pass


def exact_search(
    searcher: Searcher, queries: Any, k: int, n_threads: int
) -> tuple[Indices, FloatArray]:
    n_queries = queries.shape[0]
    indices = np.empty((n_queries, k), dtype=np.int64)
    distances = np.empty((n_queries, k))

    def search(start: int) -> None:
        block = slice(start, start + _QUERIES)
        indices[block], distances[block] = searcher.search(queries[block], k)

    searcher.prepare()
    in_blocks(search, range(0, n_queries, _QUERIES), n_threads)
    return indices, distances


def _chunks(ranges: Sequence[Range], k: int) -> Iterable[slice]:
    """The ranges in pieces; the first gives the first threshold, and sorting it is dear."""
    total = _total(ranges)
    size = max(4 * k, int((k * total) ** 0.5))
    for start, stop in ranges:
        while start < stop:
            end = min(stop, start + size)
            yield slice(start, end)
            start, size = end, _COLUMNS


def _total(ranges: Sequence[Range]) -> int:
    return sum(stop - start for start, stop in ranges)


def _product(queries: Any, points: Any, chunk: slice) -> npt.NDArray[Any]:
    if is_sparse(points):
        product: npt.NDArray[Any] = (queries @ points[chunk].T).toarray()
        return product
    return np.asarray(queries @ points[chunk].T)


def _joined(
    parts: Sequence[tuple[Indices, Indices, npt.NDArray[Any]]],
) -> tuple[Indices, Indices, npt.NDArray[Any]]:
    query, column, bound = zip(*parts, strict=True)
    return np.concatenate(query), np.concatenate(column), np.concatenate(bound)


def _order_of(query: Indices) -> Indices:
    """Sorts by query; numbers this short are sorted by their digits."""
    return np.argsort(query.astype(np.uint16), kind="stable")


def _as_rows(query: Indices, values: npt.NDArray[Any], n_queries: int) -> npt.NDArray[Any]:
    """The values of each query in a row of their own, filled up with infinity."""
    order = _order_of(query)
    counts = np.bincount(query, minlength=n_queries)
    rows = np.full((n_queries, counts.max(initial=0)), np.inf, values.dtype)
    within = np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows[query[order], within] = values[order]
    return rows


def _largest_norm(points: Any, center: Any) -> float:
    if is_sparse(points):
        squares = np.asarray(points.multiply(points).sum(axis=1)).ravel()
        return float(np.sqrt(squares.max(initial=0.0)))
    largest = 0.0
    step = max(1, (1 << 20) // max(1, points.shape[1]))
    for start in range(0, len(points), step):
        centered = points[start : start + step] - center
        largest = max(largest, float(np.einsum("ij,ij->i", centered, centered).max(initial=0.0)))
    return float(largest**0.5)
