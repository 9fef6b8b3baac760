"""The result of a search for neighbours, and reading it from a graph of distances."""

import numbers
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import MAX_NODES, FloatArray, check_places, is_sparse
from pucut.graphs.neighbors.equal_rows import first_of_each

_ROWS_AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False)
class NeighborLists:
    """The nearest rows of each row, nearest first, the row itself left out.

    Among rows at equal distances the smaller row number comes first, also at the last place.
    `recall` is the share of the true neighbours that were found: 1 for exact methods, measured on a
    sample for the approximate one, NaN where the distances are the caller's and the truth unknown.
    """

    indices: npt.NDArray[np.int32]
    squared_distances: FloatArray
    method: str  # "exact", "approximate", "torch", "precomputed" or "transformer"
    recall: float

    @property
    def n_neighbors(self) -> int:
        return int(self.indices.shape[1])

    def nearest(self, k: int) -> "NeighborLists":
        """Return the k nearest of these, as views."""
        if not isinstance(k, numbers.Integral) or not 1 <= k <= self.n_neighbors:
            raise ValueError(f"k must be a whole number from 1 to {self.n_neighbors}, found {k!r}")
        return replace(
            self, indices=self.indices[:, :k], squared_distances=self.squared_distances[:, :k]
        )

    def of_no_rows(self) -> "NeighborLists":
        """Return lists of no rows, with the same number of neighbours, method and recall."""
        nothing = np.empty((0, self.n_neighbors))
        return replace(self, indices=nothing.astype(np.int32), squared_distances=nothing)


def without_itself_in_place(
    indices: npt.NDArray[np.integer], distances: FloatArray
) -> tuple[npt.NDArray[np.integer], FloatArray]:
    """Do the same as `without_itself` in the memory of the arrays, which are used up."""
    n_rows, width = indices.shape
    # Rows become shorter, so that nothing is overwritten that has not been read.
    flat_indices, flat_distances = indices.reshape(-1), distances.reshape(-1)
    for start in range(0, n_rows, _ROWS_AT_ONCE):
        rows = slice(start, min(start + _ROWS_AT_ONCE, n_rows))
        others = without_itself(indices[rows], distances[rows], start)
        place = slice(rows.start * (width - 1), rows.stop * (width - 1))
        flat_indices[place], flat_distances[place] = (part.reshape(-1) for part in others)
    shape, size = (n_rows, width - 1), n_rows * (width - 1)
    return flat_indices[:size].reshape(shape), flat_distances[:size].reshape(shape)


def without_itself(
    indices: npt.NDArray[np.integer], distances: FloatArray, first_row: int = 0
) -> tuple[npt.NDArray[np.integer], FloatArray]:
    """Leave its own number out of each row; if that is missing, the last neighbour."""
    n_rows, width = indices.shape
    is_own = indices == np.arange(first_row, first_row + n_rows)[:, None]
    is_own[~is_own.any(axis=1), -1] = True
    others = ~is_own
    return indices[others].reshape(n_rows, width - 1), distances[others].reshape(n_rows, width - 1)


def lists_from_graph(
    graph: Any, shape: tuple[int, int], n_neighbors: int, method: str, leave_itself_out: bool
) -> NeighborLists:
    """Read the nearest rows from a sparse graph of distances, in scikit-learn's convention.

    Stored entries are distances, not squared, those of 0 included; all others are not neighbours.
    """
    if not is_sparse(graph):
        raise TypeError(
            "a graph of neighbours must be a scipy sparse matrix or array of distances, found "
            f"{type(graph).__name__}"
        )
    if graph.shape != shape:
        wanted, found = (" x ".join(map(str, sizes)) for sizes in (shape, graph.shape))
        raise ValueError(f"the graph of neighbours must be {wanted}, found {found}")
    check_places(graph, "the graph of neighbours")
    csr = graph.tocsr()
    n_rows = shape[0]
    row = np.repeat(np.arange(n_rows), np.diff(csr.indptr))
    column, distance = csr.indices.astype(np.int64), csr.data.astype(np.float64)
    wrong = ~((distance >= 0) & np.isfinite(distance))
    if wrong.any():
        place = int(np.argmax(wrong))
        raise ValueError(
            "distances must be finite and not negative, found "
            f"{distance[place]} from row {row[place]} to row {column[place]}"
        )
    if leave_itself_out:
        others = row != column
        row, column, distance = row[others], column[others], distance[others]
    counts = np.bincount(row, minlength=n_rows)
    if counts.min(initial=n_neighbors) < n_neighbors:
        poorest = int(np.argmin(counts))
        raise ValueError(
            f"n_neighbors={n_neighbors} needs as many neighbours of every row, but the graph of "
            f"neighbours holds {counts[poorest]} of row {poorest}"
            f"{', itself not counted' if leave_itself_out else ''}"
        )
    indices, squared = first_of_each(row, distance * distance, column, n_rows, n_neighbors)
    return as_lists(indices, squared, method, float("nan"))


def as_lists(
    indices: npt.NDArray[np.integer], squared_distances: FloatArray, method: str, recall: float
) -> NeighborLists:
    assert indices.max(initial=0) <= MAX_NODES
    return NeighborLists(
        np.ascontiguousarray(indices, dtype=np.int32),
        np.ascontiguousarray(squared_distances),
        method,
        recall,
    )
