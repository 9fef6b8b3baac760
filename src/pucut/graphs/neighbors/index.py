"""The choice of a search for neighbours, and the search."""

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import check_random_state

from pucut._support.checks import FloatArray, checked_count, checked_n_threads, is_sparse
from pucut.graphs.neighbors.clusters import ClusterSearcher
from pucut.graphs.neighbors.dense_search import DenseSearcher
from pucut.graphs.neighbors.equal_rows import Indices, group_equal_rows
from pucut.graphs.neighbors.lists import (
    NeighborLists,
    as_lists,
    lists_from_graph,
    without_itself_in_place,
)
from pucut.graphs.neighbors.sparse_search import SparseSearcher

AnyRowNumbers = npt.NDArray[np.integer]

METHODS = ("auto", "exact", "approximate", "torch")
# A device takes these over: it is exact, and as fast as the approximate search.
EXACT_OR_LEFT_OPEN = ("auto", "exact")
# The exact search takes about 0.03 ns times (features + 45) per pair of rows, so this much work
# takes seven seconds on two processors.
MOST_EXACT_WORK = 5e11
WORK_OF_A_PAIR = 45
# Sparse rows, in the same unit: one multiplication of two entries, and one pair of rows.
_SPARSE_WORK_OF_A_MULTIPLICATION = 60
_SPARSE_WORK_OF_A_PAIR = 250
# The approximate and the GPU search make sparse rows dense, up to this size.
MOST_DENSE_BYTES = 1 << 31


def nearest_neighbors(
    points: Any,
    n_neighbors: int,
    method: Any = "auto",
    *,
    n_jobs: int | None = None,
    random_state: Any = None,
    most_bytes: int | None = None,
    device: str | None = None,
) -> NeighborLists:
    """Return the `n_neighbors` nearest other rows of every row, by Euclidean distance.

    Parameters
    ----------
    points : dense array of float32 or float64 in C order, or scipy CSR, all finite
    n_neighbors : from 1 to the number of rows less 1
    method : "auto" (exact if that takes seconds, else approximate), "exact", "approximate", "torch"
        (exact, on a GPU where there is one), a scikit-learn neighbours transformer, or a sparse
        graph of distances, which needs at least `n_neighbors` other rows in every row
    n_jobs : number of threads; None and -1 stand for all processors this process may use. The
        result does not depend on it.
    random_state : seed of the approximate search
    most_bytes : for the copy of dense points in low precision that a search on the processor makes;
        without a limit (features + 2) * 4 bytes per row. A smaller one costs time, but does not
        change the result.
    device : a device of PyTorch, on which dense points are searched if the method is "auto" or
        "exact": exactly, with the same lists as on the processors
    """
    n_rows = points.shape[0]
    _checked_number(n_neighbors, n_rows - 1, f"{n_rows} rows (the row itself does not count)")
    if is_sparse(method):
        return lists_from_graph(
            method, (n_rows, n_rows), n_neighbors, "precomputed", leave_itself_out=True
        )
    index = NeighborIndex(
        points,
        n_neighbors,
        method,
        n_jobs=n_jobs,
        random_state=random_state,
        most_bytes=most_bytes,
        device=device,
    )
    return index.neighbors()


def nearest_to(
    points: Any,
    queries: Any,
    n_neighbors: int,
    method: Any = "auto",
    *,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> NeighborLists:
    """Return the `n_neighbors` nearest points of every query; equal points count too.

    Parameters as in `nearest_neighbors`; a graph of distances has one row per query and one column
    per point. For several batches of queries a `NeighborIndex` prepares the points once.
    """
    n_points = points.shape[0]
    _checked_number(n_neighbors, n_points, f"{n_points} points")
    if is_sparse(method):
        shape = (queries.shape[0], n_points)
        return lists_from_graph(method, shape, n_neighbors, "precomputed", leave_itself_out=False)
    index = NeighborIndex(points, n_neighbors, method, n_jobs=n_jobs, random_state=random_state)
    return index.query(queries)


class NeighborIndex:
    """Points prepared for several searches. Parameters as in `nearest_neighbors`, but no graph.

    `n_neighbors` is the largest number that queries may ask for.
    """

    def __init__(
        self,
        points: Any,
        n_neighbors: int,
        method: Any = "auto",
        *,
        n_jobs: int | None = None,
        random_state: Any = None,
        most_bytes: int | None = None,
        device: str | None = None,
    ) -> None:
        n_points = points.shape[0]
        self.n_neighbors = _checked_number(n_neighbors, n_points, f"{n_points} points")
        self._points = _checked_points(points, "points")
        self._search: _Search
        if isinstance(method, str):
            n_threads = n_threads_of(n_jobs)
            choice = (self.n_neighbors, method, n_threads, random_state, most_bytes, device)
            self._search = _PointSearch(
                self._points, n_threads, lambda some: _engine(some, *choice)
            )
        elif hasattr(method, "fit_transform"):
            self._search = _TransformerSearch(self._points, method)
        else:
            raise TypeError(
                f"method must be one of {', '.join(METHODS)}, a neighbours transformer or a sparse "
                f"graph of distances, found {method!r}"
            )

    def neighbors(self) -> NeighborLists:
        """Return the nearest points of each point, itself left out."""
        n_points = self._points.shape[0]
        _checked_number(
            self.n_neighbors, n_points - 1, f"{n_points} rows (the row itself does not count)"
        )
        return self._search.of_points(self.n_neighbors)

    def query(self, queries: Any, n_neighbors: int | None = None) -> NeighborLists:
        """Return the nearest points of each query; nothing is left out."""
        if n_neighbors is None:
            n_neighbors = self.n_neighbors
        n_neighbors = _checked_number(n_neighbors, self.n_neighbors, "this index")
        if queries.shape[1] != self._points.shape[1]:
            raise ValueError(
                f"queries must have {self._points.shape[1]} features as the points have, found "
                f"{queries.shape[1]}"
            )
        return self._search.of_queries(_checked_points(queries, "queries"), n_neighbors)


class _Search(Protocol):
    def of_points(self, k: int) -> NeighborLists: ...

    def of_queries(self, queries: Any, k: int) -> NeighborLists: ...


@dataclass(frozen=True, eq=False)
class _Engine:
    """A way to search among points no two of which are equal.

    `search` returns the k nearest points of each query by distance and number, and squared
    distances. Queries must be dense if `points` are.
    """

    method: str
    points: Any
    search: Callable[[Any, int], tuple[AnyRowNumbers, FloatArray]]
    recall: float = 1.0


class _PointSearch:
    def __init__(self, points: Any, n_threads: int, engine_of: Callable[[Any], _Engine]) -> None:
        groups = group_equal_rows(points, n_threads)
        self._groups = None if groups.are_all_single else groups
        if self._groups is not None:
            points = points[self._groups.first_members]
        self._engine = engine_of(points)

    def of_points(self, k: int) -> NeighborLists:
        # One more, since the row itself will be found too.
        indices, distances = self._rows(self._engine.points, k + 1)
        if self._groups is not None:
            indices, distances = indices[self._groups.group_of], distances[self._groups.group_of]
        return self._lists(*without_itself_in_place(indices, distances))

    def of_queries(self, queries: Any, k: int) -> NeighborLists:
        return self._lists(*self._rows(queries, k))

    def _rows(self, queries: Any, k: int) -> tuple[AnyRowNumbers, FloatArray]:
        if is_sparse(queries) and not is_sparse(self._engine.points):
            queries = queries.toarray()
        if self._groups is None:
            return self._engine.search(queries, k)
        groups, distances = self._engine.search(queries, min(k, self._groups.n_groups))
        return self._groups.expanded(groups, distances, k)

    def _lists(self, indices: AnyRowNumbers, distances: FloatArray) -> NeighborLists:
        return as_lists(indices, distances, self._engine.method, self._engine.recall)


class _TransformerSearch:
    """Any object with scikit-learn's `fit_transform` from points to a graph of distances."""

    def __init__(self, points: Any, transformer: Any) -> None:
        if getattr(transformer, "mode", "distance") != "distance":
            raise ValueError(
                f"the neighbours transformer must have mode='distance', found {transformer.mode!r}"
            )
        self._transformer = clone(transformer, safe=False)
        self._graph = self._transformer.fit_transform(points)

    def of_points(self, k: int) -> NeighborLists:
        n_points = self._graph.shape[0]
        return lists_from_graph(
            self._graph, (n_points, n_points), k, "transformer", leave_itself_out=True
        )

    def of_queries(self, queries: Any, k: int) -> NeighborLists:
        shape = (queries.shape[0], self._graph.shape[0])
        graph = self._transformer.transform(queries)
        return lists_from_graph(graph, shape, k, "transformer", leave_itself_out=False)


def _engine(
    points: Any,
    n_neighbors: int,
    method: str,
    n_threads: int,
    random_state: Any,
    most_bytes: int | None,
    device: str | None,
) -> _Engine:
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, found {method!r}")
    if device is not None and method in EXACT_OR_LEFT_OPEN and not is_sparse(points):
        method = "torch"
    n_bytes = points.shape[0] * points.shape[1] * points.dtype.itemsize
    if method == "auto":
        # Sparse rows that would not fit into memory as dense ones can only be searched exactly.
        takes_seconds = _exact_work(points) <= MOST_EXACT_WORK
        fits = not is_sparse(points) or n_bytes <= MOST_DENSE_BYTES
        method = "exact" if takes_seconds or not fits else "approximate"
    if method == "exact":
        exact: DenseSearcher | SparseSearcher = (
            SparseSearcher(points, n_threads)
            if is_sparse(points)
            else DenseSearcher(points, n_threads, most_bytes).in_boxes()
        )
        return _Engine(method, points, exact.nearest)
    if is_sparse(points):
        if n_bytes > MOST_DENSE_BYTES:
            raise ValueError(
                f"method={method!r} needs dense rows, at most {MOST_DENSE_BYTES} bytes of them; "
                f"these {points.shape[0]} x {points.shape[1]} would be {n_bytes} bytes: use "
                "method='exact', or reduce the number of features"
            )
        points = points.toarray()
    if method == "torch":
        return _Engine(method, points, partial(_by_torch, points, device))
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    found = ClusterSearcher(points, n_neighbors, n_threads, seed, most_bytes)
    return _Engine(method, points, found.nearest, found.recall)


def _by_torch(
    points: npt.NDArray[Any], device: str | None, queries: Any, k: int
) -> tuple[Indices, FloatArray]:
    try:
        from pucut.graphs.neighbors import torch_search
    except ImportError as error:
        raise ImportError(
            "method='torch' needs PyTorch: install pucut[torch], or use another method"
        ) from error
    return torch_search.nearest_rows(points, queries, k, device)


def _checked_number(n_neighbors: Any, most: int, rows: str) -> int:
    return checked_count(n_neighbors, "n_neighbors", most=most, where=f" for {rows}")


def _exact_work(points: Any) -> float:
    n_rows, n_features = (float(length) for length in points.shape)
    if not is_sparse(points):
        return n_rows**2 * (n_features + WORK_OF_A_PAIR)
    entries = np.bincount(points.indices, minlength=points.shape[1]).astype(np.float64)
    multiplications = float(entries @ entries)
    return multiplications * _SPARSE_WORK_OF_A_MULTIPLICATION + n_rows**2 * _SPARSE_WORK_OF_A_PAIR


def _checked_points(points: Any, name: str) -> Any:
    """Check points whose values are finite; an error here is an error in this package."""
    if is_sparse(points):
        assert points.format == "csr", name
        if not points.has_canonical_format:
            points = points.copy()
            points.sum_duplicates()
        return points
    assert points.ndim == 2, name
    assert points.dtype in (np.float32, np.float64), name
    return points


def n_threads_of(n_jobs: Any) -> int:
    """Return scikit-learn's n_jobs as a number of threads: -1 is all processors, -2 all but one."""
    if isinstance(n_jobs, numbers.Integral) and int(n_jobs) < 0:
        return max(1, checked_n_threads(None) + 1 + int(n_jobs))
    return checked_n_threads(n_jobs)
