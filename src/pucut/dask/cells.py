"""Approximate neighbours among partitions: rows are assigned to cells and visit near ones.

Centres come from k-means on a sample; a cell holds the rows whose nearest centre is its own. Every
row visits the cells whose centres are nearest to it, as many as the true neighbours of some sampled
rows need. Other sampled rows measure the recall. Every row travels once to its cell, and then only
to the cells it visits, whereas the search among all partitions takes it to every worker.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

from pucut._support.checks import FloatArray
from pucut.dask.engine import computed, delayed, persisted
from pucut.dask.partitions import Indices, Partitions
from pucut.dask.search import Found, PartIndex, index_of_part, merge_found, search_part
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.neighbors.blocks import products

TARGET_RECALL = 0.99
# Smaller cells are less to search; more of them are more tasks. Large ones, of very many rows, are
# searched approximately themselves.
_ROWS_PER_CELL = 1 << 12
_MOST_CELLS = 256
_ROWS_PER_CENTER = 64
_SAMPLE_ROWS = 400

Centers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cell:
    """Rows by number, rising, and their points."""

    rows: npt.NDArray[np.int32]
    points: npt.NDArray[Any]

    def __sizeof__(self) -> int:
        return int(self.rows.nbytes + self.points.nbytes)


@dataclass(frozen=True, eq=False)
class CellIndex:
    """The index of a cell, None of an empty one, and the numbers of its rows."""

    index: PartIndex | None
    rows: npt.NDArray[np.int32]

    def __sizeof__(self) -> int:
        return int(self.rows.nbytes) + (self.index.__sizeof__() if self.index else 0)


@dataclass(frozen=True, eq=False)
class Visitors:
    """Those rows of a cell that visit another, by place in their own."""

    places: Indices
    points: npt.NDArray[Any]

    def __sizeof__(self) -> int:
        return int(self.places.nbytes + self.points.nbytes)


@dataclass(frozen=True, eq=False)
class Visit:
    """What visitors found."""

    places: Indices
    found: Found

    def __sizeof__(self) -> int:
        return int(self.places.nbytes) + self.found.__sizeof__()


@dataclass(frozen=True, eq=False)
class _Truth:
    """Sampled rows with their points, and the other rows that are truly nearest to them."""

    rows: Indices
    points: npt.NDArray[Any]
    neighbors: npt.NDArray[np.int32]


def neighbors_in_cells(points: Partitions, n_neighbors: int, seed: int) -> NeighborLists:
    """The nearest other rows of every row, nearly all of them, and the share that was found."""
    n_rows = points.shape[0]
    k = n_neighbors + 1  # the row itself will be found too
    rng = np.random.default_rng(seed)
    n_cells = max(1, min(_MOST_CELLS, n_rows // _ROWS_PER_CELL))
    centers = _learn_centers(points, n_cells, rng)
    sample = np.sort(rng.permutation(n_rows)[: 2 * _SAMPLE_ROWS])
    truth = _Truth(sample, points[sample], _nearest_anywhere(points, sample, k)[0])
    n_visits = _enough_visits(points, truth, centers)
    indices, distances = _lists(points, centers, n_visits, k, seed)
    # Rows whose cells hold too few others are few: they are searched for everywhere.
    lacking = np.flatnonzero(np.isinf(distances[:, -1]))
    if len(lacking):
        indices[lacking], distances[lacking] = _nearest_anywhere(points, lacking, k)
    return NeighborLists(indices, distances, "approximate", _recall(truth, indices))


def _learn_centers(points: Partitions, n_cells: int, rng: np.random.Generator) -> Centers:
    n_rows = points.shape[0]
    sample = np.sort(rng.choice(n_rows, min(n_rows, _ROWS_PER_CENTER * n_cells), replace=False))
    means = KMeans(n_cells, n_init=1, max_iter=10, random_state=int(rng.integers(1 << 31)))
    centers: Centers = means.fit(points[sample].astype(np.float64)).cluster_centers_
    return centers


def _nearest_anywhere(
    points: Partitions, rows: Indices, k: int
) -> tuple[npt.NDArray[np.int32], FloatArray]:
    """The other rows that are truly nearest to a few."""
    search, asked = delayed(search_rows), delayed(points[rows])
    starts = points.starts[:-1].tolist()
    found = computed(
        [search(part, first, asked, k) for part, first in zip(points.parts, starts, strict=True)]
    )
    nearest: Found = reduce(lambda one, other: merge_found(one, other, k), found)
    return _others(rows, nearest.rows, nearest.squared_distances)


def _enough_visits(points: Partitions, truth: _Truth, centers: Centers) -> int:
    """How many cells hold the neighbours of the first half of the sample."""
    half = slice(None, None, 2)
    neighbors = truth.neighbors[half]
    distinct, place = np.unique(neighbors, return_inverse=True)
    cell = nearest_cells(points[distinct], centers, 1)[:, 0][place.reshape(neighbors.shape)]
    order = nearest_cells(truth.points[half], centers, len(centers))
    rank = np.argsort(order, axis=1)  # the place of each cell among those of a row
    needed = np.take_along_axis(rank, cell, axis=1) + 1
    return int(np.quantile(needed, TARGET_RECALL, method="higher"))


def _recall(truth: _Truth, indices: npt.NDArray[np.int32]) -> float:
    """On the other half of the sample, or on all of one row."""
    half = slice(1, None, 2) if len(truth.rows) > 1 else slice(None)
    true, found = truth.neighbors[half], indices[truth.rows[half]]
    return float((true[:, :, None] == found[:, None, :]).any(axis=2).mean())


def _lists(
    points: Partitions, centers: Centers, n_visits: int, k: int, seed: int
) -> tuple[npt.NDArray[np.int32], FloatArray]:
    """Lists of the other rows found, filled up with infinite distances."""
    cells = _dealt(points, centers)
    shared = delayed(centers)
    asked = persisted([delayed(visited_cells)(cell, shared, n_visits) for cell in cells])
    index = [delayed(index_of_cell)(cell, k, seed) for cell in cells]
    visited = computed([delayed(np.unique)(each) for each in asked])
    leave, search = delayed(visitors_of), delayed(search_cell)
    merge, finish = delayed(merge_visit), delayed(finished)
    tasks = []
    for own, cell in enumerate(cells):
        visits = [
            search(index[other], leave(cell, asked[own], int(other)), k) for other in visited[own]
        ]
        start = delayed(nothing_found)(cell, k)
        tasks.append(finish(cell, reduce(merge, visits, start)))
    indices = np.zeros((points.shape[0], k - 1), dtype=np.int32)
    distances = np.full((points.shape[0], k - 1), np.inf)
    for rows, found in computed(tasks):
        indices[rows], distances[rows] = found.rows, found.squared_distances
    return indices, distances


def _dealt(points: Partitions, centers: Centers) -> tuple[Any, ...]:
    """A cell for each centre, on the workers; some may be empty."""
    deal, join, pick = delayed(deal_rows), delayed(join_pieces), delayed(piece_of)
    shared = delayed(centers)
    dealt = [
        deal(part, int(first), shared)
        for part, first in zip(points.parts, points.starts[:-1], strict=True)
    ]
    return persisted(
        [join([pick(each, number) for each in dealt]) for number in range(len(centers))]
    )


def search_rows(points: npt.NDArray[Any], first_row: int, queries: Any, k: int) -> Found:
    """The true neighbours of a few rows among those of a partition; the index is not kept."""
    return search_part(index_of_part(points, first_row, k, "exact", 0), queries, k)


def nearest_cells(points: npt.NDArray[Any], centers: Centers, n_cells: int) -> Indices:
    """The nearest centres of each point, nearest first, ties by number."""
    distances = np.einsum("ij,ij->i", centers, centers) - 2.0 * products(points, centers)
    return np.argsort(distances, axis=1, kind="stable")[:, :n_cells]


def deal_rows(points: npt.NDArray[Any], first_row: int, centers: Centers) -> list[Cell]:
    """The rows of a partition, by cell."""
    own = nearest_cells(points, centers, 1)[:, 0]
    order = np.argsort(own, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(own, minlength=len(centers)))[:-1])
    return [Cell((rows + first_row).astype(np.int32), points[rows]) for rows in groups]


def piece_of(dealt: list[Cell], number: int) -> Cell:
    return dealt[number]


def join_pieces(pieces: Sequence[Cell]) -> Cell:
    return Cell(
        np.concatenate([piece.rows for piece in pieces]),
        np.concatenate([piece.points for piece in pieces]),
    )


def visited_cells(cell: Cell, centers: Centers, n_visits: int) -> npt.NDArray[np.int16]:
    return nearest_cells(cell.points, centers, n_visits).astype(np.int16)


def index_of_cell(cell: Cell, k: int, seed: int) -> CellIndex:
    index = index_of_part(cell.points, 0, k, "auto", seed) if len(cell.rows) else None
    return CellIndex(index, cell.rows)


def visitors_of(cell: Cell, asked: npt.NDArray[np.int16], other: int) -> Visitors:
    """The rows of a cell that visit another, by its number."""
    places = np.flatnonzero((asked == other).any(axis=1))
    return Visitors(places, cell.points[places])


def search_cell(searched: CellIndex, visitors: Visitors, k: int) -> Visit:
    """What the rows of a cell find in one that they visit."""
    if searched.index is None:
        return Visit(visitors.places[:0], Found(np.empty((0, 0), np.int32), np.empty((0, 0))))
    found = search_part(searched.index, visitors.points, k)
    return Visit(visitors.places, Found(searched.rows[found.rows], found.squared_distances))


def nothing_found(cell: Cell, k: int) -> Found:
    shape = (len(cell.rows), k)
    return Found(np.full(shape, -1, dtype=np.int32), np.full(shape, np.inf))


def merge_visit(best: Found, visit: Visit) -> Found:
    places, k = visit.places, best.rows.shape[1]
    own = Found(best.rows[places], best.squared_distances[places])
    better = merge_found(own, visit.found, k) if len(places) else own
    rows, distances = best.rows.copy(), best.squared_distances.copy()
    rows[places], distances[places] = better.rows, better.squared_distances
    return Found(rows, distances)


def finished(cell: Cell, best: Found) -> tuple[npt.NDArray[np.int32], Found]:
    """The rows of a cell, and the others that each found."""
    return cell.rows, Found(*_others(cell.rows, best.rows, best.squared_distances))


def _others(
    own: npt.NDArray[Any], rows: npt.NDArray[np.int32], distances: FloatArray
) -> tuple[npt.NDArray[np.int32], FloatArray]:
    """Lists without the row itself; if it is not there, without the last."""
    is_own = rows == own[:, None]
    is_own[~is_own.any(axis=1), -1] = True
    shape = (len(rows), rows.shape[1] - 1)
    return rows[~is_own].reshape(shape), distances[~is_own].reshape(shape)
