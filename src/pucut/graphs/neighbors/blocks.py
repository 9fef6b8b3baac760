"""The exact nearest rows, from matrix products in low precision and bounds on their rounding.

For rows x and y, a matrix product gives |x|^2 + |y|^2 - 2 x.y up to an error of at most
slack * (|x|^2 + |y|^2). So every pair has a lower and an upper bound, and a pair whose lower bound
lies above k upper bounds of its row is out. The few pairs left are measured by
`paired_squared_distances` and ranked by distance and row number. Nothing in the result depends on
how the product was rounded: not on the library, the threads or the blocks.

Queries visit ranges of columns, in rounds: all of them for the exact answer, a few for the
approximate one (see clusters.py). The points in low precision take (features + 1) * 4 bytes per
row in addition to the points themselves; if they would exceed a given limit, only the ranges
visited most recently are held, and others are made again.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pucut._support.checks import FloatArray, is_sparse
from pucut._support.threads import library_threads
from pucut.graphs.neighbors.distances import paired_squared_distances
from pucut.graphs.neighbors.equal_rows import Indices, RowNumbers, first_of_each

# Of one block of products: queries times columns. The product stays in a processor's cache.
_QUERIES = 256
_COLUMNS = 2048
# More candidates than this many times k per row mean that the precision was too low.
_TOO_MANY = 16
# Pairs held at a time; a block of queries with more of them is searched row by row.
_MOST_CANDIDATES = 1 << 22
_BLOCK_ENTRIES = 1 << 18
_LARGEST_SINGLE_NORM = 1e15


@dataclass(frozen=True, eq=False)
class Visit:
    """These queries (None: all of the block) are compared with these columns."""

    queries: Indices | None
    columns: slice


# Thresholds are made tighter after each round.
Round = Sequence[Visit]


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of a query and a column with their lower bounds, in pieces."""

    query: list[Indices]
    column: list[Indices]
    bound: list[npt.NDArray[Any]]

    def append(self, query: Indices, column: Indices, bound: npt.NDArray[Any]) -> None:
        self.query.append(query)
        self.column.append(column)
        self.bound.append(bound)

    def joined(self) -> tuple[Indices, Indices, npt.NDArray[Any]]:
        return np.concatenate(self.query), np.concatenate(self.column), np.concatenate(self.bound)

    def n_pairs(self) -> int:
        return sum(map(len, self.query))


@dataclass(frozen=True, eq=False)
class _Rounded:
    """Rows moved to the origin, scaled to at most unit norm and rounded.

    `matrix` has one more column than the rows: a product of points and queries is then the lower
    bound of the squared distance, less what depends on the query alone.
    """

    matrix: Any  # dense, or CSR
    gaps: npt.NDArray[Any]  # a row's part of what lies between the lower and the upper bound


class Searcher:
    """Finds nearest rows among `points`; columns are the points as they are, or reordered.

    `most_bytes` limits what is held of them in low precision; None is no limit.
    """

    def __init__(self, points: Any, most_bytes: int | None = None) -> None:
        self.points = points
        self.order: npt.NDArray[np.integer] | None = None
        self._most_bytes = most_bytes
        self._center: Any = 0.0
        if not is_sparse(points):
            self._center = points.mean(axis=0, dtype=np.float64)
        largest = _largest_norm(points, self._center)
        # A power of two, which changes no digit.
        self._scale = float(2.0 ** -np.ceil(np.log2(largest))) if largest > 0 else 1.0
        # Whole levels of precision, and ranges of columns where a whole level would be too large.
        self._levels: dict[type, _Rounded] = {}
        self._ranges: OrderedDict[tuple[type, int, int], _Rounded] = OrderedDict()
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__ | {"_levels": {}, "_ranges": OrderedDict()}
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"_lock": Lock()}

    def reordered(self, order: npt.NDArray[np.integer]) -> "Searcher":
        """The same points, as columns in this order."""
        other = Searcher.__new__(Searcher)
        other.__setstate__(self.__getstate__() | {"order": order})
        return other

    def _columns(self, columns: slice, dtype: type) -> _Rounded:
        """A range of the columns in this precision."""
        if is_sparse(self.points) or self._fits(len(self.points), dtype):
            with self._lock:
                if dtype not in self._levels:
                    self._levels[dtype] = self._rounded(self.points, dtype, self.order)
                level = self._levels[dtype]
            return _Rounded(level.matrix[columns], level.gaps[columns])
        key = (dtype, columns.start, columns.stop)
        with self._lock:
            if key in self._ranges:
                self._ranges.move_to_end(key)
                return self._ranges[key]
        rows = columns if self.order is None else self.order[columns]
        made = self._rounded(self.points[rows], dtype)
        with self._lock:
            self._ranges[key] = made
            while len(self._ranges) > 1 and not self._fits(
                sum(len(each.gaps) for each in self._ranges.values()), dtype
            ):
                self._ranges.popitem(last=False)
        return made

    def _fits(self, n_rows: int, dtype: type) -> bool:
        if self._most_bytes is None:
            return True
        a_row = (self.points.shape[1] + 2) * np.dtype(dtype).itemsize
        return bool(n_rows * a_row <= self._most_bytes)

    def scaled(self, rows: npt.NDArray[Any]) -> FloatArray:
        """Dense rows moved to the origin and scaled to at most unit norm."""
        scaled: FloatArray = (rows - self._center) * self._scale
        return scaled

    def _rounded(
        self,
        rows: Any,
        dtype: type,
        order: npt.NDArray[np.integer] | None = None,
        *,
        are_queries: bool = False,
    ) -> _Rounded:
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
            if order is None:
                values[:] = self.scaled(rows[block])
            else:
                values[:] = self.scaled(rows[order[block]])
            norms[block] = np.einsum("ij,ij->i", values, values, dtype=np.float64)
            if are_queries:
                values *= dtype(-2)
        matrix[:, -1] = last_column(norms)
        return _Rounded(matrix, norms * dtype(2 * slack))

    def search(
        self, queries: Any, k: int, rounds: Sequence[Round] | None = None
    ) -> tuple[Indices, FloatArray]:
        """The k nearest points of each of a block of queries, at most 65 536 of them.

        `rounds` restrict the search; every query needs at least k points in them.
        """
        n_queries = queries.shape[0]
        if rounds is None:
            rounds = all_columns(self.points.shape[0], k)
        found = None
        # Queries very far away would overflow in single precision.
        farthest = self._scale * _largest_norm(queries, self._center)
        if not is_sparse(self.points) and farthest < _LARGEST_SINGLE_NORM:
            limit = _TOO_MANY * (k + 4) * n_queries
            found = self._candidates(queries, k, rounds, np.float32, limit)
        if found is None:
            found = self._candidates(queries, k, rounds, np.float64, _MOST_CANDIDATES)
        if found is None:  # too many ties: one query after the other
            parts = [
                self._nearest(queries[[row]], k, self._candidates_of(queries, row, k, rounds))
                for row in range(n_queries)
            ]
            return np.vstack([part[0] for part in parts]), np.vstack([part[1] for part in parts])
        return self._nearest(queries, k, found)

    def _nearest(
        self, queries: Any, k: int, candidates: tuple[Indices, Indices]
    ) -> tuple[Indices, FloatArray]:
        query, column = candidates
        row = column if self.order is None else self.order[column]
        distances = paired_squared_distances(queries, query, self.points, row)
        return first_of_each(query, distances, row, queries.shape[0], k)

    def _candidates_of(
        self, queries: Any, row: int, k: int, rounds: Sequence[Round]
    ) -> tuple[Indices, Indices]:
        own = [
            [
                Visit(None, visit.columns)
                for visit in visits
                if visit.queries is None or row in visit.queries
            ]
            for visits in rounds
        ]
        found = self._candidates(queries[[row]], k, own, np.float64, None)
        assert found is not None
        return found

    def _candidates(
        self, queries: Any, k: int, rounds: Sequence[Round], dtype: type, limit: int | None
    ) -> tuple[Indices, Indices] | None:
        """Pairs (query, column) that may be among the k nearest, in the order of the queries.

        None, if there are more than `limit`.
        """
        asked = self._rounded(queries, dtype, are_queries=True)
        n_queries = len(asked.gaps)
        own_gap = asked.gaps[:, None] + dtype(1e3) * np.finfo(dtype).tiny  # room for underflow
        # The k smallest upper bounds of each query so far. A pair whose lower bound is above all
        # of them is out.
        smallest: npt.NDArray[Any] = np.full((n_queries, k), np.inf, dtype)
        threshold: npt.NDArray[Any] = np.full((n_queries, 1), np.inf, dtype)
        found = _Pairs([], [], [])
        for number, visits in enumerate(rounds):
            fresh = _Pairs([], [], [])
            fresh_upper: list[npt.NDArray[Any]] = []
            for visit in visits:
                visiting = slice(None) if visit.queries is None else visit.queries
                points = self._columns(visit.columns, dtype)
                lower = products(asked.matrix[visiting], points.matrix)
                is_counted = number == 0 and lower.shape[1] >= k
                if is_counted:  # everything is new, so there is no need to pick
                    upper = lower + points.gaps
                    upper.partition(k - 1, axis=1)
                    smallest[visiting] = upper[:, :k]
                    threshold[visiting] = _above(upper[:, k - 1 : k] + own_gap[visiting])
                place = np.flatnonzero(lower <= threshold[visiting])
                query, column = np.divmod(place, lower.shape[1])
                if visit.queries is not None:
                    query = visit.queries[query]
                bound = lower.ravel()[place]
                if not is_counted:
                    fresh_upper.append(bound + points.gaps[column])
                column += visit.columns.start
                (found if is_counted else fresh).append(query, column, bound)
            if fresh.query:
                query, column, bound = fresh.joined()
                upper = _as_rows(query, np.concatenate(fresh_upper), n_queries)
                upper = np.hstack([smallest, upper])
                upper.partition(k - 1, axis=1)
                smallest = upper[:, :k].copy()
                threshold = _above(smallest[:, -1:] + own_gap)
                found.append(query, column, bound)
            if limit is not None and found.n_pairs() > 4 * limit:
                return None
        query, column, bound = found.joined()
        kept = np.flatnonzero(bound <= threshold[query, 0])
        if limit is not None and len(kept) > limit:
            return None
        kept = kept[_order_of(query[kept])]
        return query[kept], column[kept]


def in_blocks(search: Callable[[Any], None], blocks: Iterable[Any], n_threads: int) -> None:
    """Runs `search` on every block, on threads; each matrix product then gets one thread."""
    with library_threads(1, "blas"):
        if n_threads == 1:
            for block in blocks:
                search(block)
            return
        with ThreadPoolExecutor(n_threads) as pool:
            for _ in pool.map(search, blocks):
                pass


def exact_search(
    searcher: Searcher, queries: Any, k: int, n_threads: int
) -> tuple[RowNumbers, FloatArray]:
    n_queries = queries.shape[0]
    indices = np.empty((n_queries, k), dtype=np.int32)
    distances = np.empty((n_queries, k))

    def search(start: int) -> None:
        block = slice(start, start + _QUERIES)
        indices[block], distances[block] = searcher.search(queries[block], k)

    in_blocks(search, range(0, n_queries, _QUERIES), n_threads)
    return indices, distances


def all_columns(n_points: int, k: int) -> list[Round]:
    """Every query visits every point.

    The first round gives the first threshold. Sorting a large one is expensive, but a threshold
    from a small one lets many pass. Rounds double in size, because counting pays if much is new.
    """
    start, size = 0, max(4 * k, int((k * n_points) ** 0.5))
    rounds: list[Round] = []
    while start < n_points:
        stop = min(n_points, start + size)
        step = size if start == 0 else _COLUMNS
        pieces = range(start, stop, step)
        rounds.append([Visit(None, slice(piece, min(stop, piece + step))) for piece in pieces])
        start, size = stop, max(stop, _COLUMNS)
    return rounds


def products(queries: Any, points: Any) -> npt.NDArray[Any]:
    """The products of all pairs of rows, which are finite and of moderate size."""
    # Kernels for a few rows may compute in lanes that are thrown away and leave the flag of an
    # invalid operation behind, which none of the product's can be.
    with np.errstate(invalid="ignore"):
        product: npt.NDArray[Any] = queries @ points.T
    # Declared dense, which it is unless both factors are sparse.
    return product.toarray() if is_sparse(product) else product  # type: ignore[attr-defined]


def _above(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The next larger numbers: sums that were rounded down are covered again."""
    larger: npt.NDArray[Any] = np.nextafter(values, values.dtype.type(np.inf))
    return larger


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
