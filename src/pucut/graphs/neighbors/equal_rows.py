"""Groups of equal rows, which are searched once: tables of few values hold many of them.

Groups are numbered by their first member, so that among groups at one distance the smaller number
holds the smaller row. The k nearest rows are among the members of the k nearest groups.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pucut._support.checks import FloatArray, is_sparse
from pucut._support.threads import in_blocks

Indices = npt.NDArray[np.int64]
# Row numbers that are kept for all rows take half the memory.
RowNumbers = npt.NDArray[np.int32]
# If one list is much longer than most, filling up all to its length takes more than it saves.
_MOST_FILLED = 4


@dataclass(frozen=True, eq=False)
class EqualRows:
    """Groups of equal rows: the members of group g are members[offsets[g] : offsets[g + 1]]."""

    group_of: RowNumbers
    members: RowNumbers
    offsets: Indices

    @property
    def n_groups(self) -> int:
        return len(self.offsets) - 1

    @property
    def are_all_single(self) -> bool:
        return self.n_groups == len(self.members)

    @property
    def first_members(self) -> RowNumbers:
        return self.members[self.offsets[:-1]]

    def expanded(
        self, groups: npt.NDArray[Any], distances: FloatArray, k: int
    ) -> tuple[Indices, FloatArray]:
        """Return the k nearest rows, by distance and number, from the nearest groups in that order.

        At most the first k members of each group can be among them.
        """
        taken = np.minimum(np.diff(self.offsets)[groups], k)
        # Groups whose predecessors hold more than k rows already are out of reach, unless they
        # are as near as one that is not.
        before = np.cumsum(taken, axis=1) - taken
        farthest = np.take_along_axis(distances, (before < k).sum(axis=1)[:, None] - 1, axis=1)
        reachable = distances <= farthest
        taken = np.where(reachable, taken, 0).ravel()
        query = np.repeat(np.arange(len(groups)), taken.reshape(groups.shape).sum(axis=1))
        within = np.arange(taken.sum()) - np.repeat(np.cumsum(taken) - taken, taken)
        rows = self.members[np.repeat(self.offsets[groups.ravel()], taken) + within]
        flat = np.repeat(distances.ravel(), taken)
        return first_of_each(query, flat, rows, len(groups), k)


def group_equal_rows(points: Any, n_threads: int = 1) -> EqualRows:
    """Find equal rows by a hash, and compare those whose hash is equal."""
    n_rows = points.shape[0]
    hashes = _hashes(points, n_threads)
    rising = np.sort(hashes)
    if not (rising[1:] == rising[:-1]).any():
        own = np.arange(n_rows, dtype=np.int32)
        return EqualRows(own, own, np.arange(n_rows + 1))
    del rising
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    representative = first[group.reshape(-1)]
    # Unequal rows with one hash stay by themselves: groups need not be as large as possible.
    repeated = np.flatnonzero(representative != np.arange(n_rows))
    for start in range(0, len(repeated), 1024):
        rows = repeated[start : start + 1024]
        unequal = points[rows] != points[representative[rows]]
        differs = unequal.sum(axis=1) if is_sparse(unequal) else unequal.any(axis=1)
        rows = rows[np.asarray(differs).ravel() > 0]
        representative[rows] = rows
    _, group_of = np.unique(representative, return_inverse=True)
    groups = group_of.reshape(-1).astype(np.int32)
    members = np.argsort(groups, kind="stable").astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(groups))]).astype(np.int64)
    return EqualRows(groups, members, offsets)


def first_of_each(
    query: npt.NDArray[Any], distances: FloatArray, rows: npt.NDArray[Any], n_queries: int, k: int
) -> tuple[Indices, FloatArray]:
    """Return the k first candidates (query, distance, row) of each query by distance, then row.

    Candidates are in the order of their queries, at least k for each.
    """
    counts = np.bincount(query, minlength=n_queries)
    starts = np.cumsum(counts) - counts
    width = int(counts.max(initial=0))
    if n_queries * width > _MOST_FILLED * len(query):
        order = np.lexsort((rows, distances, query))
        kept = order[starts[:, None] + np.arange(k)]
        return rows[kept].astype(np.int64, copy=False), distances[kept]
    # Many short lists are sorted faster than a long one.
    place = query, np.arange(len(query)) - np.repeat(starts, counts)
    lists = np.arange(n_queries)[:, None]
    filled = np.full((n_queries, width), np.inf)
    filled[place] = distances
    nearest = filled.argsort(axis=1)[:, : k + 1]
    rising = filled[lists, nearest]
    if (rising[:, 1:] == rising[:, :-1]).any():
        # Where distances are equal the numbers of the rows decide.
        numbers = np.full((n_queries, width), np.iinfo(rows.dtype).max, rows.dtype)
        numbers[place] = rows
        by_number = numbers.argsort(axis=1)
        by_distance = filled[lists, by_number].argsort(axis=1, kind="stable")
        nearest = by_number[lists, by_distance]
    kept = starts[:, None] + nearest[:, :k]
    return rows[kept].astype(np.int64, copy=False), distances[kept]


def _hashes(points: Any, n_threads: int) -> npt.NDArray[np.uint64]:
    numbers = np.random.default_rng(0).integers(1 << 63, size=points.shape[1], dtype=np.uint64)
    multipliers = numbers * np.uint64(2) + np.uint64(1)  # odd
    if is_sparse(points):
        mixed = sp.csr_array((_mixed(points.data), points.indices, points.indptr), points.shape)
        return np.asarray(mixed @ multipliers)
    hashes = np.empty(len(points), dtype=np.uint64)
    step = max(1, (1 << 18) // max(1, points.shape[1]))

    def hash_rows(start: int) -> None:
        hashes[start : start + step] = _mixed(points[start : start + step]) @ multipliers

    in_blocks(hash_rows, range(0, len(points), step), n_threads)
    return hashes


def _mixed(values: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Return bits in which small whole numbers, whose low bits are all 0, differ everywhere."""
    # -0.0 equals 0.0, and must have its bits.
    bits = np.add(values, 0.0, dtype=np.float64).view(np.uint64)
    # Few calls: between them threads wait for the lock of the interpreter.
    mixed: npt.NDArray[np.uint64] = bits >> np.uint64(32)
    mixed ^= bits
    return mixed
