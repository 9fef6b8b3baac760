"""The choice of a search for neighbours, and the search."""

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import check_random_state

from pucut._support.checks import FloatArray, checked_count, checked_n_threads, is_sparse
from pucut.graphs.neighbors.clusters import ClusterSearcher
from pucut.graphs.neighbors.dense_search import DenseSearcher
from pucut.graphs.neighbors.equal_rows import group_equal_rows
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
    points: Any, n_neighbors: int, method: Any = "auto", **options: Any
) -> NeighborLists:
    """Return the `n_neighbors` nearest other rows of every row, by Euclidean distance.

    Parameters and options as in `NeighborIndex`, `n_neighbors` being at most the number of rows
    less 1. The method may also be a sparse graph of distances, which needs at least `n_neighbors`
    other rows in every row.
    """
    n_rows = points.shape[0]
    _checked_number(n_neighbors, n_rows - 1, f"{n_rows} rows (the row itself does not count)")
    if is_sparse(method):
        return lists_from_graph(method, (n_rows, n_rows), n_neighbors, "precomputed", True)
    return NeighborIndex(points, n_neighbors, method, **options).neighbors()


def nearest_to(
    points: Any, queries: Any, n_neighbors: int, method: Any = "auto", **options: Any
) -> NeighborLists:
    """Return the `n_neighbors` nearest points of every query; equal points count too.

    Parameters and options as in `NeighborIndex`, which prepares the points once for several batches
    of queries. The method may also be a sparse graph of distances, with one row per query and one
    column per point.
    """
    n_points = points.shape[0]
    _checked_number(n_neighbors, n_points, f"{n_points} points")
    if is_sparse(method):
        shape = (queries.shape[0], n_points)
        return lists_from_graph(method, shape, n_neighbors, "precomputed", False)
    return NeighborIndex(points, n_neighbors, method, **options).query(queries)


class NeighborIndex:
    """Points prepared for several searches.

    Parameters
    ----------
    points : dense array of float32 or float64 in C order, or scipy CSR, all finite
    n_neighbors : the largest number that queries may ask for, at most the number of points
    method : "auto" (exact if that takes seconds, else approximate), "exact", "approximate", "torch"
        (exact, on a GPU where there is one), or a scikit-learn neighbours transformer
    n_jobs : number of threads; None and -1 stand for all processors this process may use. The
        result does not depend on it.
    random_state : seed of the approximate search
    most_bytes : for the copy of dense points in low precision that a search on the processor makes;
        without a limit (features + 2) * 4 bytes per row. A smaller one costs time, but does not
        change the result.
    device : a device of PyTorch, on which dense points are searched if the method is "auto" or
        "exact": exactly, with the same lists as on the processors
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
        self._shape, points = points.shape, _checked_points(points, "points")
        if not isinstance(method, str):
            self._transformer = _cloned(method)
            self._graph = self._transformer.fit_transform(points)
            return
        self._transformer = None
        n_threads = n_threads_of(n_jobs)
        groups = group_equal_rows(points, n_threads)
        self._groups = None if groups.are_all_single else groups
        if self._groups is not None:
            points = points[self._groups.first_members]
        self._method = _chosen_method(points, method, device)
        if self._method == "exact":
            self._searcher: Any = (
                SparseSearcher(points, n_threads)
                if is_sparse(points)
                else DenseSearcher(points, n_threads, most_bytes).in_boxes()
            )
        elif self._method == "torch":
            self._searcher = _TorchSearcher(_dense(points, method), device)
        else:
            seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
            self._searcher = ClusterSearcher(
                _dense(points, method), self.n_neighbors, n_threads, seed, most_bytes
            )

    def neighbors(self) -> NeighborLists:
        """Return the nearest points of each point, itself left out."""
        n_points, k = self._shape[0], self.n_neighbors
        if k == n_points:
            _checked_number(k, n_points - 1, f"{n_points} rows (the row itself does not count)")
        if self._transformer is not None:
            return lists_from_graph(self._graph, (n_points, n_points), k, "transformer", True)
        # One more, since the row itself will be found too.
        indices, distances = self._nearest(self._searcher.points, k + 1)
        if self._groups is not None:
            indices, distances = indices[self._groups.group_of], distances[self._groups.group_of]
        return self._lists(*without_itself_in_place(indices, distances))

    def query(self, queries: Any, n_neighbors: int | None = None) -> NeighborLists:
        """Return the nearest points of each query; nothing is left out."""
        k = self.n_neighbors
        if n_neighbors is not None:
            k = _checked_number(n_neighbors, k, "this index")
        if queries.shape[1] != self._shape[1]:
            raise ValueError(
                f"queries must have {self._shape[1]} features as the points have, found "
                f"{queries.shape[1]}"
            )
        queries = _checked_points(queries, "queries")
        if self._transformer is not None:
            graph, shape = self._transformer.transform(queries), (queries.shape[0], self._shape[0])
            return lists_from_graph(graph, shape, k, "transformer", False)
        return self._lists(*self._nearest(queries, k))

    def _nearest(self, queries: Any, k: int) -> tuple[AnyRowNumbers, FloatArray]:
        """Return the k nearest points by distance and number, and squared distances.

        Searchers have `points`, no two of which are equal, `recall`, and `nearest`.
        """
        if is_sparse(queries) and not is_sparse(self._searcher.points):
            queries = queries.toarray()
        if self._groups is None:
            found: tuple[AnyRowNumbers, FloatArray] = self._searcher.nearest(queries, k)
            return found
        groups, distances = self._searcher.nearest(queries, min(k, self._groups.n_groups))
        return self._groups.expanded(groups, distances, k)

    def _lists(self, indices: AnyRowNumbers, distances: FloatArray) -> NeighborLists:
        return as_lists(indices, distances, self._method, self._searcher.recall)


@dataclass(frozen=True, eq=False)
class _TorchSearcher:
    points: Any
    device: str | None
    recall: float = 1.0

    def nearest(self, queries: Any, k: int) -> tuple[AnyRowNumbers, FloatArray]:
        try:
            from pucut.graphs.neighbors import torch_search
        except ImportError as error:
            raise ImportError(
                "method='torch' needs PyTorch: install pucut[torch], or use another method"
            ) from error
        return torch_search.nearest_rows(self.points, queries, k, self.device)


def _cloned(transformer: Any) -> Any:
    """Check an object with scikit-learn's `fit_transform` from points to a graph of distances."""
    if not hasattr(transformer, "fit_transform"):
        raise TypeError(
            f"method must be one of {', '.join(METHODS)}, a neighbours transformer or a sparse "
            f"graph of distances, found {transformer!r}"
        )
    if getattr(transformer, "mode", "distance") != "distance":
        raise ValueError(
            f"the neighbours transformer must have mode='distance', found {transformer.mode!r}"
        )
    return clone(transformer, safe=False)


def _chosen_method(points: Any, method: str, device: str | None) -> str:
    """Return "exact", "approximate" or "torch"."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, found {method!r}")
    if device is not None and method in EXACT_OR_LEFT_OPEN and not is_sparse(points):
        return "torch"
    if method != "auto":
        return method
    # Sparse rows that would not fit into memory as dense ones can only be searched exactly.
    fits = not is_sparse(points) or _dense_bytes(points) <= MOST_DENSE_BYTES
    return "exact" if _exact_work(points) <= MOST_EXACT_WORK or not fits else "approximate"


def _dense(points: Any, method: str) -> npt.NDArray[Any]:
    if not is_sparse(points):
        return np.asarray(points)
    n_bytes = _dense_bytes(points)
    if n_bytes > MOST_DENSE_BYTES:
        raise ValueError(
            f"method={method!r} needs dense rows, at most {MOST_DENSE_BYTES} bytes of them; "
            f"these {points.shape[0]} x {points.shape[1]} would be {n_bytes} bytes: use "
            "method='exact', or reduce the number of features"
        )
    return np.asarray(points.toarray())


def _dense_bytes(points: Any) -> int:
    return int(points.shape[0] * points.shape[1] * points.dtype.itemsize)


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
