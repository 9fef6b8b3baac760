"""Approximate neighbours among partitions: rows are assigned to cells and visit near ones.

Centres come from k-means on a sample; a cell holds the rows whose nearest centre is its own. Every
row visits the cells whose centres are nearest to it, as many as the true neighbours of some sampled
rows need. Other sampled rows measure the recall. Cells next to each other form a region, which lies
on one worker. Every row travels once to its region, and then only to the regions it visits; the
search among all partitions takes it to every worker.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

from pucut._support.checks import FloatArray
from pucut.dask.engine import computed, delayed, n_slots, persisted
from pucut.dask.partitions import Indices, Partitions
from pucut.dask.search import Found, index_of_part, merge_found, search_part, without_own_rows
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.neighbors.clusters import in_halves
from pucut.graphs.neighbors.distances import products

TARGET_RECALL = 0.99
# Smaller cells are searched faster, but each row is compared with more centres. Cells of very many
# rows are searched approximately.
_ROWS_PER_CELL = 1 << 11
_MOST_CELLS = 512
_ROWS_PER_CENTER = 64
_SAMPLE_ROWS = 400
# Fewer regions are fewer tasks; a worker holds one, and a batch of its visitors. Bytes are those of
# double precision.
_BYTES_PER_REGION = 1 << 26
_REGIONS_PER_SLOT = 4
_BYTES_OF_VISITORS = 1 << 27

Centers = npt.NDArray[Any]
CellNumbers = npt.NDArray[np.int16]


class Region(NamedTuple):
    """Rows of some cells, by cell and number, and their points."""

    cells: CellNumbers
    rows: npt.NDArray[np.int32]
    points: npt.NDArray[Any]


class Visitors(NamedTuple):
    """Rows of a region that visit another, by place in their own, and all cells that they visit."""

    places: Indices
    visited: CellNumbers
    points: npt.NDArray[Any]


class _Truth(NamedTuple):
    """Sampled rows with their points and their true neighbours."""

    rows: Indices
    points: npt.NDArray[Any]
    neighbors: npt.NDArray[np.int32]


def neighbors_in_cells(points: Partitions, n_neighbors: int, seed: int) -> NeighborLists:
    """Find nearly all of the nearest other rows of every row, and the share that was found."""
    n_rows = points.shape[0]
    k = n_neighbors + 1  # the row itself will be found too
    rng = np.random.default_rng(seed)
    n_cells = max(1, min(_MOST_CELLS, n_rows // _ROWS_PER_CELL))
    centers = _learn_centers(points, n_cells, rng)
    sample = np.sort(rng.permutation(n_rows)[: 2 * _SAMPLE_ROWS])
    truth = _Truth(sample, points[sample], _nearest_anywhere(points, sample, k).rows)
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
    centers: Centers = means.fit(points[sample]).cluster_centers_
    return centers[in_halves(centers, np.arange(n_cells))]


def _nearest_anywhere(points: Partitions, rows: Indices, k: int) -> Found:
    """Return the true neighbours of a few rows."""
    found = computed(points.numbered_tasks(search_rows, points[rows], k))
    return without_own_rows(reduce(lambda one, other: merge_found(one, other, k), found), rows)


def _enough_visits(points: Partitions, truth: _Truth, centers: Centers) -> int:
    """Return the number of cells that hold the neighbours of the first half of the sample."""
    half = slice(None, None, 2)
    neighbors = truth.neighbors[half]
    distinct, place = np.unique(neighbors, return_inverse=True)
    cell = nearest_cells(points[distinct], centers, 1)[:, 0][place.reshape(neighbors.shape)]
    order = np.argsort(farness(truth.points[half], centers), axis=1, kind="stable")
    rank = np.argsort(order, axis=1)  # the place of each cell among those of a row
    needed = np.take_along_axis(rank, cell, axis=1) + 1
    return int(np.quantile(needed, TARGET_RECALL, method="higher"))


def _recall(truth: _Truth, indices: npt.NDArray[np.int32]) -> float:
    """Return the recall on the other half of the sample, or on a sample of one row."""
    half = slice(1, None, 2) if len(truth.rows) > 1 else slice(None)
    true, found = truth.neighbors[half], indices[truth.rows[half]]
    return float((true[:, :, None] == found[:, None, :]).any(axis=2).mean())


def _lists(
    points: Partitions, centers: Centers, n_visits: int, k: int, seed: int
) -> tuple[npt.NDArray[np.int32], FloatArray]:
    """Return lists of the other rows found, filled up with infinite distances."""
    ends = _ends_of_regions(points, len(centers))
    regions = _dealt(points, centers, ends)
    shared = delayed(centers)
    visited = persisted([delayed(visited_cells)(region, shared, n_visits) for region in regions])
    n_visitors = np.array(computed([delayed(count_visitors)(each, ends) for each in visited]))
    leave, search, finish = delayed(visitors_of), delayed(search_region), delayed(finished)
    visits: list[list[Any]] = [[] for _ in regions]
    most = _BYTES_OF_VISITORS // (8 * points.n_columns)
    for number, region in enumerate(regions):
        for together in _batches(n_visitors[:, number], most):
            visitors = [leave(regions[own], visited[own], ends, number) for own in together]
            found = search(region, visitors, k, seed)
            for place, own in enumerate(together):
                visits[own].append(found[place])
    tasks = [finish(region, each, k) for region, each in zip(regions, visits, strict=True)]
    indices = np.zeros((points.shape[0], k - 1), dtype=np.int32)
    distances = np.full((points.shape[0], k - 1), np.inf)
    for rows, best in computed(tasks):
        indices[rows], distances[rows] = best
    return indices, distances


def _ends_of_regions(points: Partitions, n_cells: int) -> Indices:
    """Return the number of the first cell behind each region."""
    n_rows, n_columns = points.shape
    n_bytes = n_rows * n_columns * 8
    n_regions = min(n_cells, max(-(-n_bytes // _BYTES_PER_REGION), _REGIONS_PER_SLOT * n_slots()))
    return np.linspace(0, n_cells, n_regions + 1).astype(np.int64)[1:]


def _batches(n_visitors: Indices, most: int) -> Iterator[list[int]]:
    """Yield batches of regions with at most `most` visitors, or one region with more."""
    together: list[int] = []
    for own in np.flatnonzero(n_visitors).tolist():
        if together and n_visitors[[*together, own]].sum() > most:
            yield together
            together = []
        together.append(own)
    if together:
        yield together


def _dealt(points: Partitions, centers: Centers, ends: Indices) -> tuple[Any, ...]:
    """Deal the rows to regions, which stay on the workers; some may be empty."""
    dealt, join = points.numbered_tasks(deal_rows, centers, ends), delayed(join_pieces)
    return persisted([join([each[number] for each in dealt]) for number in range(len(ends))])


def search_rows(points: npt.NDArray[Any], first_row: int, queries: Any, k: int) -> Found:
    """Find the true neighbours of a few rows in a partition; the index is not kept."""
    return search_part(index_of_part(points, first_row, k, "exact", 0), queries, k)


def nearest_cells(points: npt.NDArray[Any], centers: Centers, n_cells: int) -> Indices:
    """Return the nearest centres of each point, in any order."""
    distances = farness(points, centers)
    if n_cells == 1:
        return np.asarray(distances.argmin(axis=1)[:, None])
    return np.argpartition(distances, n_cells - 1, axis=1)[:, :n_cells]


def farness(points: npt.NDArray[Any], centers: Centers) -> npt.NDArray[Any]:
    """Return squared distances to all centres, less the point's own square."""
    found = products(points, -2 * centers)
    found += np.einsum("ij,ij->i", centers, centers)
    return found


def deal_rows(
    points: npt.NDArray[Any], first_row: int, centers: Centers, ends: Indices
) -> list[Region]:
    """Return the rows of a partition by region."""
    own = nearest_cells(points, centers, 1)[:, 0].astype(np.int16)
    order = np.argsort(own, kind="stable")
    return [
        Region(own[rows], (rows + first_row).astype(np.int32), points[rows])
        for rows in np.split(order, np.searchsorted(own[order], ends[:-1]))
    ]


def join_pieces(pieces: Sequence[Region]) -> Region:
    """Join pieces in the order of their cells."""
    joined = [np.concatenate(arrays) for arrays in zip(*pieces, strict=True)]
    order = np.argsort(joined[0], kind="stable")
    return Region(*(array[order] for array in joined))


def visited_cells(region: Region, centers: Centers, n_visits: int) -> CellNumbers:
    return nearest_cells(region.points, centers, n_visits).astype(np.int16)


def count_visitors(visited: CellNumbers, ends: Indices) -> Indices:
    """Count the visitors of each region among rows that visit these cells."""
    regions = np.sort(np.searchsorted(ends, visited, side="right"), axis=1)
    is_first = np.diff(regions, axis=1, prepend=-1) > 0
    return np.bincount(regions[is_first], minlength=len(ends))


def visitors_of(region: Region, visited: CellNumbers, ends: Indices, other: int) -> Visitors:
    """Return the rows of a region that visit another, by its number."""
    first, end = ends[other - 1] if other else 0, ends[other]
    places = np.flatnonzero(((visited >= first) & (visited < end)).any(axis=1))
    return Visitors(places, visited[places], region.points[places])


def search_region(
    searched: Region, visitors: Sequence[Visitors], k: int, seed: int
) -> list[tuple[Indices, Found]]:
    """Search for each visitor the cells that it visits; return places and neighbours."""
    best = [nothing_found(len(each.places), k) for each in visitors]
    starts = np.flatnonzero(np.diff(searched.cells, prepend=-1))
    for start, end in pairwise([*starts.tolist(), len(searched.cells)]):
        come = [
            np.flatnonzero((each.visited == searched.cells[start]).any(axis=1)) for each in visitors
        ]
        queries = [each.points[places] for each, places in zip(visitors, come, strict=True)]
        stops = np.cumsum([len(places) for places in come])
        if not stops[-1]:
            continue
        cell = index_of_part(searched.points[start:end], start, k, "auto", seed)
        rows, distances = search_part(cell, np.concatenate(queries), k)
        parts = zip(np.split(searched.rows[rows], stops), np.split(distances, stops), strict=True)
        for so_far, places, part in zip(best, come, parts, strict=False):
            add_found(so_far, places, Found(*part))
    return [(each.places, found) for each, found in zip(visitors, best, strict=True)]


def nothing_found(n_rows: int, k: int) -> Found:
    return Found(np.full((n_rows, k), -1, dtype=np.int32), np.full((n_rows, k), np.inf))


def add_found(best: Found, places: Indices, more: Found) -> None:
    """Merge neighbours that the rows at some places found into the best so far."""
    so_far = Found(best.rows[places], best.squared_distances[places])
    best.rows[places], best.squared_distances[places] = merge_found(
        so_far, more, best.rows.shape[1]
    )


def finished(
    region: Region, visits: Sequence[tuple[Indices, Found]], k: int
) -> tuple[npt.NDArray[np.int32], Found]:
    """Return the rows of a region, and the other rows that each found."""
    best = nothing_found(len(region.rows), k)
    for places, found in visits:
        add_found(best, places, found)
    return region.rows, without_own_rows(best, region.rows)
