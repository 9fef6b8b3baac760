"""Which way to search among partitions: all of them, or those cells of space that are near."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from pucut.dask.cells import neighbors_in_cells
from pucut.dask.engine import n_slots
from pucut.dask.partitions import Partitions
from pucut.dask.search import neighbors_among
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.neighbors.index import MOST_EXACT_WORK, WORK_OF_A_PAIR

METHODS = ("auto", "exact", "approximate", "torch")


def partitioned_neighbors(
    points: Partitions, n_neighbors: int, method: Any, random_state: Any
) -> NeighborLists:
    """The nearest other rows of every row of all partitions, in this process.

    "exact" and "torch" compare all rows, "approximate" those of near cells, "auto" is one of
    these by the amount of work.
    """
    if method == "auto":
        n_rows, n_features = (float(length) for length in points.shape)
        work = n_rows**2 * (n_features + WORK_OF_A_PAIR)
        method = "exact" if work <= MOST_EXACT_WORK * n_slots() else "approximate"
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    if method == "approximate":
        return neighbors_in_cells(points, n_neighbors, seed)
    rows, distances = neighbors_among(points, n_neighbors, method, seed)
    return NeighborLists(rows, distances, method, 1.0)
