"""A table in partitions of rows that stay on the workers, from a Dask collection or a table."""

import bisect
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, is_sparse
from pucut._support.threads import library_threads
from pucut.dask.engine import computed, delayed, is_array, is_collection, n_slots, persisted
from pucut.kernels import gaussian

# Bytes of a part of rows of this process; a cluster of many workers gets smaller parts.
_MOST_BYTES = 1 << 26
# Blocks of a task, whose results all are kept until they have been added.
_BLOCKS_AT_ONCE = 4

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Partitions:
    """Delayed blocks of rows, in the order of the rows, and their lengths; none of them is empty.

    Regressions read them as `BlockedRows` (`pucut.kernels.gaussian`), if parts begin with a block.
    """

    parts: tuple[Any, ...]
    lengths: Indices
    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.lengths.sum()), self.n_columns

    @cached_property
    def starts(self) -> Indices:
        """The number of the first row of each part, followed by the number of all rows."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    def tasks(self, function: Any, *others: Any, each: Iterable[Any] | None = None) -> list[Any]:
        """Return a task for each part: function(part, its one of `each` if given, *others)."""
        task = delayed(function)
        # Numbers and the like go with each task; everything else travels once to a worker.
        alone = (int, float, str, slice)
        shared = [other if isinstance(other, alone) else delayed(other) for other in others]
        if each is None:
            return [task(part, *shared) for part in self.parts]
        return [task(part, own, *shared) for part, own in zip(self.parts, each, strict=True)]

    def numbered_tasks(self, function: Any, *others: Any) -> list[Any]:
        """Return a task for each part: function(part, number of its first row, *others)."""
        return self.tasks(function, *others, each=self.starts[:-1].tolist())

    def mapped(self, function: Any, *others: Any, n_columns: int | None = None) -> "Partitions":
        """Apply a function to each part, and keep the results, of as many rows, on the workers."""
        lazy = self.lazily(function, *others, n_columns=n_columns)
        return replace(lazy, parts=persisted(lazy.parts))

    def lazily(self, function: Any, *others: Any, n_columns: int | None = None) -> "Partitions":
        """Apply a function to each part again whenever the result is needed."""
        parts = tuple(self.tasks(function, *others))
        return Partitions(parts, self.lengths, n_columns or self.n_columns)

    def starting_with_blocks(self) -> "Partitions":
        """Return the rows in parts that begin with a block, as near as possible to those of now."""
        of, n_rows = gaussian.ROWS_OF_A_BLOCK, self.shape[0]
        starts = np.unique(np.minimum(np.rint(self.starts / of).astype(np.int64) * of, n_rows))
        starts = np.unique(np.concatenate([[0], starts, [n_rows]])).astype(np.int64)
        if np.array_equal(starts, self.starts):
            return self
        cut, join = delayed(rows_between), delayed(concatenated)
        begins, parts = self.starts.tolist(), []
        for start, stop in itertools.pairwise(starts.tolist()):
            first = bisect.bisect_right(begins, start) - 1
            last = bisect.bisect_left(begins, stop)
            numbers = range(first, last)
            parts.append(
                join([cut(self.parts[i], start - begins[i], stop - begins[i]) for i in numbers])
            )
        return Partitions(persisted(parts), np.diff(starts), self.n_columns)

    def split(self, per_row: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Split an array with one entry per row like the rows."""
        return np.split(per_row, self.starts[1:-1])

    def __getitem__(self, rows: Any) -> Any:
        """Return these rows, a sample that fits into this process; scikit-learn indexes so."""
        rows = np.asarray(rows[0] if isinstance(rows, tuple) else rows)
        part = np.searchsorted(self.starts, rows, side="right") - 1
        order = np.argsort(part, kind="stable")
        take = delayed(take_rows)
        pieces = [
            take(self.parts[number], rows[part == number] - self.starts[number])
            for number in np.unique(part)
        ]
        return take_rows(concatenated(computed(pieces)), np.argsort(order))

    def gathered(self) -> Any:
        """Return all rows, in this process."""
        return concatenated(computed(self.parts))

    def folded(self, of_block: Callable[..., Any], add: Any, start: Any, *of_rows: Any) -> Any:
        """Add on the workers, in the order of the blocks, as `RowsHere.folded` does."""
        found, combine = list(self._blocks(results_of_blocks, of_block, of_rows)), delayed(added)
        return computed([reduce(lambda total, more: combine(add, total, more), found, start)])[0]

    def joined(self, of_block: Callable[..., Any], *of_rows: Any) -> npt.NDArray[Any]:
        return np.concatenate(computed(list(self._blocks(joined_blocks, of_block, of_rows))))

    def _blocks(
        self, function: Any, of_block: Callable[..., Any], of_rows: Sequence[Any]
    ) -> Iterator[Any]:
        """Yield tasks of a few blocks each."""
        task, shared = delayed(function), delayed(of_block)
        step = _BLOCKS_AT_ONCE * gaussian.ROWS_OF_A_BLOCK
        for part, length, first in zip(self.parts, self.lengths, self.starts[:-1], strict=True):
            for start in range(0, int(length), step):
                stop = min(start + step, int(length))
                own = [each[..., first + start : first + stop] for each in of_rows]
                yield task(part, start, stop, shared, *own)


def read_partitions(X: Any) -> Partitions:
    """Return the parts of a Dask array or DataFrame, or cut a table of this process into parts.

    Sizes that Dask does not know are computed; empty parts are left out. A collection is not kept
    in the memory of the workers unless its owner has persisted it: it is read again whenever it is
    needed.
    """
    if is_collection(X):
        parts, n_columns = rows_in_tasks(X), empty_piece(X).shape[1]
    else:
        pieces, n_columns = _cut(X)
        parts = list(persisted(pieces))
    shapes = computed([part.shape for part in parts])
    for number, shape in enumerate(shapes):
        if shape[1:] != (n_columns,):
            raise ValueError(
                f"X must have {n_columns} columns in every partition, found shape {shape} in "
                f"partition {number}"
            )
    lengths = np.array([shape[0] for shape in shapes], dtype=np.int64)
    if n_columns == 0 or not lengths.any():
        raise ValueError(
            f"X must have at least one row and one column, found shape ({lengths.sum()}, "
            f"{n_columns}) in {len(parts)} partitions"
        )
    kept = np.flatnonzero(lengths)
    return Partitions(tuple(parts[number] for number in kept), lengths[kept], n_columns)


def empty_piece(X: Any) -> Any:
    """Return no rows, but the columns of a Dask array or DataFrame; refuse other collections."""
    if type(X).__name__ == "DataFrame":
        return X._meta
    if not is_array(X):
        raise TypeError(
            f"X must be a Dask array or a Dask DataFrame, found a Dask {type(X).__name__}"
        )
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, one row per sample, found {X.ndim}")
    if np.isnan(X.shape[1]):
        raise ValueError(
            "X must have a known number of columns, found an array of unknown width; "
            "call X.compute_chunk_sizes() first"
        )
    if not isinstance(X._meta, np.ndarray):
        raise TypeError(
            f"X must be a Dask array of NumPy arrays, found one of {type(X._meta).__name__}; "
            "sparse rows need plain sparse X, or X.map_blocks(lambda block: block.toarray())"
        )
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X is {X.dtype}")
    return np.empty((0, X.shape[1]), dtype=X.dtype)


def rows_in_tasks(X: Any) -> list[Any]:
    """Return a task for each partition of a Dask array or DataFrame, with all columns in each."""
    return list(X.rechunk({1: -1}).to_delayed().ravel() if is_array(X) else X.to_delayed())


def labels_here(y: Any) -> Any:
    """Bring labels of a Dask array or Series into this process, which solves the cuts."""
    return computed([y])[0] if is_collection(y) else y


def concatenated(pieces: Sequence[Any]) -> Any:
    """Join arrays or data frames one below the other, as Dask itself joins partitions."""
    if len(pieces) == 1:
        return pieces[0]
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces)
    from dask.dataframe.dispatch import concat

    return concat(list(pieces))


def rows_between(part: Any, start: int, stop: int) -> Any:
    """Return the rows of a part from `start` to below `stop`, which may lie outside it."""
    return part[max(start, 0) : stop]


def take_rows(part: Any, rows: Indices | BoolArray) -> Any:
    return part.iloc[rows] if hasattr(part, "iloc") else part[rows]


def results_of_blocks(
    part: Any, start: int, stop: int, of_block: Callable[..., Any], *of_rows: Any
) -> list[Any]:
    """Return the result of each block of the rows of a part from `start` on."""
    points = part[start:stop]
    with library_threads(1):
        return [
            of_block(points[rows], *(each[..., rows] for each in of_rows))
            for rows in gaussian.row_blocks(stop - start)
        ]


def joined_blocks(*of_task: Any) -> Any:
    return np.concatenate(results_of_blocks(*of_task))


def added(add: Callable[[Any, Any], Any], total: Any, more: Sequence[Any]) -> Any:
    return reduce(add, more, total)


def _cut(X: Any) -> tuple[list[Any], int]:
    if is_sparse(X):
        raise TypeError(
            "X must be dense on Dask, found a sparse matrix; use TwoHNCClassifier, or X.toarray()"
        )
    if hasattr(X, "to_pandas"):  # polars
        X = X.to_pandas()
    table = X if hasattr(X, "iloc") else np.asarray(X)
    n_rows, n_columns = table.shape
    n_bytes = n_columns * 8 * n_rows
    n_parts = min(max(n_slots(), -(-n_bytes // _MOST_BYTES)), max(n_rows, 1))
    ends = np.linspace(0, n_rows, n_parts + 1).astype(np.int64).tolist()
    pieces = [delayed(take_rows(table, np.arange(*span))) for span in itertools.pairwise(ends)]
    return pieces, n_columns
