"""Nearest rows among partitions: every partition has an index, which all queries visit.

Distances have the same bits wherever they are measured (`pucut.graphs.neighbors.distances`), and
lists are merged by distance and row number. So if each index is exact, the lists are those of one
index over all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.dask.engine import SizedByArrays, computed, delayed, persisted
from pucut.dask.partitions import Partitions
from pucut.graphs.neighbors import NeighborIndex, nearest_to
from pucut.graphs.neighbors.lists import without_itself


@dataclass(frozen=True, eq=False)
class PartIndex:
    """Index of a partition, and the number of its first row among all."""

    index: NeighborIndex
    first_row: int
    n_bytes: int

    def __sizeof__(self) -> int:
        """Bytes of the points and of their rounded copies, by which Dask decides what to move."""
        return 3 * self.n_bytes


@dataclass(frozen=True, eq=False)
class Found(SizedByArrays):
    """Candidates of some queries: row numbers and squared distances, nearest first."""

    rows: npt.NDArray[np.int32]
    squared_distances: FloatArray


def partition_indices(
    points: Partitions, n_neighbors: int, method: str, seed: int
) -> tuple[Any, ...]:
    """Make an index of each part, and keep it where the part is."""
    make = delayed(index_of_part)
    return persisted(
        [
            make(part, int(first), n_neighbors, method, seed)
            for part, first in zip(points.parts, points.starts[:-1], strict=True)
        ]
    )


def neighbors_among(
    points: Partitions, n_neighbors: int, method: str, seed: int
) -> tuple[npt.NDArray[np.int32], FloatArray]:
    """Find the nearest other rows of every row, and squared distances, in this process."""
    k = n_neighbors + 1  # the row itself will be found too
    indices = partition_indices(points, k, method, seed)
    leave_out = delayed(without_own_rows)
    lists = []
    for number, part in enumerate(points.parts):
        # Each starts with its own partition, so that not all need the same worker at once.
        in_turn = indices[number:] + indices[:number]
        lists.append(leave_out(found_in_turn(part, in_turn, k), int(points.starts[number])))
    found = computed(lists)
    return (
        np.concatenate([each.rows for each in found]),
        np.concatenate([each.squared_distances for each in found]),
    )


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


def without_own_rows(found: Found, first_row: int) -> Found:
    """Leave each row of a partition out of its own list."""
    rows, distances = without_itself(found.rows, found.squared_distances, first_row)
    return Found(rows.astype(np.int32, copy=False), distances)


def distances_to_nearest(points: Partitions, among: BoolArray, queries: Sequence[Any]) -> list[Any]:
    """Return a task for each task of queries: the distances to the nearest of the rows `among`."""
    chosen = [
        (part, delayed(np.packbits(mask)))
        for part, mask in zip(points.parts, points.split(among), strict=True)
        if mask.any()
    ]
    nearest, smaller, missing = delayed(distance_to_rows), delayed(np.minimum), delayed(no_distance)
    if not chosen:
        return [missing(each) for each in queries]
    return [
        reduce(smaller, [nearest(part, packed, each) for part, packed in chosen])
        for each in queries
    ]


def distance_to_rows(
    points: npt.NDArray[Any], packed: npt.NDArray[np.uint8], queries: npt.NDArray[Any]
) -> FloatArray:
    """Return the distance of each query from the nearest of the rows whose bit is set."""
    rows = points[np.unpackbits(packed, count=len(points)).view(np.bool_)]
    lists = nearest_to(rows, queries, 1, n_jobs=1, random_state=0)
    distance: FloatArray = np.sqrt(lists.squared_distances[:, 0])
    return distance


def no_distance(queries: npt.NDArray[Any]) -> FloatArray:
    return np.full(len(queries), np.inf)
