"""Nearest rows among partitions: every partition has an index, which all queries visit.

Distances have the same bits wherever they are measured (`pucut.graphs.neighbors.distances`), and
lists are merged by distance and row number. So if each index is exact, the lists are those of one
index over all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.dask.engine import computed, delayed, persisted
from pucut.dask.partitions import Partitions
from pucut.graphs.neighbors import NeighborIndex, nearest_to


@dataclass(frozen=True, eq=False)
class PartIndex:
    """Index of a partition, and the number of its first row among all."""

    index: NeighborIndex
    first_row: int
    n_bytes: int

    def __sizeof__(self) -> int:
        """Bytes of the points and of their rounded copies, by which Dask decides what to move."""
        return 3 * self.n_bytes


class Found(NamedTuple):
    """Row numbers and squared distances of the neighbours of some queries, nearest first."""

    rows: npt.NDArray[np.int32]
    squared_distances: FloatArray


def partition_indices(
    points: Partitions, n_neighbors: int, method: str, seed: int
) -> tuple[Any, ...]:
    """Make an index of each part, and keep it where the part is."""
    return persisted(points.numbered_tasks(index_of_part, n_neighbors, method, seed))


def neighbors_among(
    points: Partitions, n_neighbors: int, method: str, seed: int
) -> tuple[npt.NDArray[np.int32], FloatArray]:
    """Find the nearest other rows of every row, and squared distances, in this process."""
    k = n_neighbors + 1  # the row itself will be found too
    indices = partition_indices(points, k, method, seed)
    leave_out, lists = delayed(without_own_rows), []
    for number, (part, start) in enumerate(zip(points.parts, points.starts.tolist(), strict=False)):
        # Each starts with its own partition, so that not all need the same worker at once.
        found = found_in_turn(part, indices[number:] + indices[:number], k)
        lists.append(leave_out(found, start))
    rows, distances = zip(*computed(lists), strict=True)
    return np.concatenate(rows), np.concatenate(distances)


def found_in_turn(queries: Any, indices: Sequence[Any], k: int) -> Any:
    """Return a task: the k nearest rows of the queries among those of all indices."""
    search, merge = delayed(search_part), delayed(merge_found)
    return reduce(
        lambda best, found: merge(best, found, k),
        [search(index, queries, k) for index in indices],
    )


def index_of_part(
    points: npt.NDArray[Any], first_row: int, n_neighbors: int, method: str, seed: int
) -> PartIndex:
    k = min(n_neighbors, len(points))
    index = NeighborIndex(points, k, method, n_jobs=1, random_state=seed)
    return PartIndex(index, first_row, points.nbytes)


def search_part(part: PartIndex, queries: npt.NDArray[Any], k: int) -> Found:
    lists = part.index.query(queries, min(k, part.index.n_neighbors))
    return Found(lists.indices + np.int32(part.first_row), lists.squared_distances)


def merge_found(one: Found, other: Found, k: int) -> Found:
    """Keep the k nearest of both, ties by row number; fewer if there are not as many."""
    rows = np.hstack([one.rows, other.rows])
    distances = np.hstack([one.squared_distances, other.squared_distances])
    order = np.lexsort((rows, distances), axis=1)[:, :k]
    return Found(np.take_along_axis(rows, order, 1), np.take_along_axis(distances, order, 1))


def without_own_rows(found: Found, own: Any) -> Found:
    """Leave each row out of its own list, or the last if it is not there.

    `own` are the numbers of the rows, or that of the first if they follow each other.
    """
    n_rows, width = found.rows.shape
    is_own = found.rows == (own if np.ndim(own) else np.arange(own, own + n_rows))[:, None]
    is_own[~is_own.any(axis=1), -1] = True
    return Found(*(each[~is_own].reshape(n_rows, width - 1) for each in found))


def distances_to_nearest(points: Partitions, among: BoolArray, queries: Sequence[Any]) -> list[Any]:
    """Return a task for each task of queries: the distances to the nearest of the rows `among`."""
    chosen = [
        (part, delayed(np.packbits(mask)))
        for part, mask in zip(points.parts, points.split(among), strict=True)
        if mask.any()
    ]
    nearest, smaller, missing = delayed(distance_to_rows), delayed(np.minimum), delayed(no_distance)
    return [
        reduce(smaller, [nearest(part, packed, each) for part, packed in chosen] or [missing(each)])
        for each in queries
    ]


def distance_to_rows(
    points: npt.NDArray[Any], packed: npt.NDArray[np.uint8], queries: npt.NDArray[Any]
) -> FloatArray:
    """Return the distance of each query from the nearest of the rows whose bit is set."""
    rows = points[np.unpackbits(packed, count=len(points)).view(np.bool_)]
    lists = nearest_to(rows, queries, 1, n_jobs=1, random_state=0)
    return np.asarray(np.sqrt(lists.squared_distances[:, 0]))


def no_distance(queries: npt.NDArray[Any]) -> FloatArray:
    return np.full(len(queries), np.inf)
