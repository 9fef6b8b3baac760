"""Which way to search among partitions: all of them, or those cells of space that are near."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from pucut.dask.cells import neighbors_in_cells
from pucut.dask.engine import n_slots
from pucut.dask.partitions import Partitions
from pucut.dask.search import neighbors_among
from pucut.graphs.neighbors import NeighborLists

METHODS = ("auto", "dask", "exact", "approximate", "torch")
# Of a processor, in the unit of `pucut.graphs.neighbors.index`: what is searched exactly there is
# searched exactly here.
_MOST_EXACT_WORK = 5e11
_WORK_OF_A_PAIR = 45


def partitioned_neighbors(
    points: Partitions, n_neighbors: int, method: Any, random_state: Any
) -> NeighborLists:
    """The nearest other rows of every row of all partitions, in this process.

    "exact" and "torch" compare all rows, "approximate" those of near cells, "auto" and "dask" are
    one of these by the amount of work.
    """
    checked_method(method)
    if method in ("auto", "dask"):
        n_rows, n_features = (float(length) for length in points.shape)
        work = n_rows**2 * (n_features + _WORK_OF_A_PAIR)
        method = "exact" if work <= _MOST_EXACT_WORK * n_slots() else "approximate"
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    if method == "approximate":
        return neighbors_in_cells(points, n_neighbors, seed)
    rows, distances = neighbors_among(points, n_neighbors, method, seed)
    return NeighborLists(rows, distances, method, 1.0)


def checked_method(method: Any) -> str:
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(
            f"neighbors must be one of {', '.join(map(repr, METHODS))} where X is a Dask "
            f"collection, found {method!r}"
        )
    return method
