"""A table in partitions of rows that stay on the workers, from a Dask collection or a table."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, is_sparse
from pucut.dask.engine import (
    computed,
    delayed,
    is_array,
    is_collection,
    is_frame,
    n_slots,
    persisted,
)

# Bytes of a part of rows of this process; a cluster of many workers gets smaller parts.
_MOST_BYTES = 1 << 26

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Partitions:
    """Blocks of rows on the workers, in the order of the rows; none of them is empty.

    Attributes
    ----------
    parts : tuple of delayed arrays or data frames
    lengths : int array
        The rows of each part.
    n_columns : int
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

    def mapped(self, function: Any, *others: Any, n_columns: int | None = None) -> "Partitions":
        """Apply a function to each part, and keep the results, of as many rows, on the workers."""
        lazy = self.lazily(function, *others, n_columns=n_columns)
        return replace(lazy, parts=persisted(lazy.parts))

    def lazily(self, function: Any, *others: Any, n_columns: int | None = None) -> "Partitions":
        """Apply a function to each part again whenever the result is needed."""
        task = delayed(function)
        shared = [delayed(other) for other in others]
        parts = tuple(task(part, *shared) for part in self.parts)
        return Partitions(parts, self.lengths, n_columns or self.n_columns)

    def starting_at_multiples(self, of: int) -> "Partitions":
        """Return the rows in parts that begin at multiples of a number, kept on the workers.

        The parts begin as near as possible to where they begin now.
        """
        n_rows = self.shape[0]
        starts = np.unique(np.minimum(np.rint(self.starts / of).astype(np.int64) * of, n_rows))
        starts = np.unique(np.concatenate([[0], starts, [n_rows]])).astype(np.int64)
        if np.array_equal(starts, self.starts):
            return self
        cut, join = delayed(rows_between), delayed(joined)
        parts = []
        for start, stop in itertools.pairwise(starts.tolist()):
            first = int(np.searchsorted(self.starts, start, side="right")) - 1
            last = int(np.searchsorted(self.starts, stop, side="left"))
            pieces = [
                cut(self.parts[number], start - int(begin), stop - int(begin))
                for number, begin in zip(range(first, last), self.starts[first:last], strict=True)
            ]
            parts.append(join(pieces))
        return Partitions(persisted(parts), np.diff(starts), self.n_columns)

    def split(self, per_row: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Split an array with one entry per row like the rows."""
        return np.split(per_row, self.starts[1:-1])

    def __getitem__(self, rows: Any) -> Any:
        """Return these rows, a sample that fits into this process; scikit-learn indexes so."""
        rows = np.asarray(rows[0] if isinstance(rows, tuple) else rows)
        part = np.searchsorted(self.starts, rows, side="right") - 1
        wanted = [np.flatnonzero(part == number) for number in range(len(self.parts))]
        task = delayed(take_rows)
        pieces = computed(
            [
                task(self.parts[number], rows[places] - self.starts[number])
                for number, places in enumerate(wanted)
                if len(places)
            ]
        )
        order = np.argsort(np.concatenate(wanted), kind="stable")
        return take_rows(joined(pieces), order)

    def gathered(self) -> Any:
        """Return all rows, in this process."""
        return joined(computed(self.parts))


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
    task = delayed(part_shape)
    shapes = computed([task(part) for part in parts])
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
    if is_frame(X):
        return X._meta
    if not is_array(X):
        raise TypeError(
            f"X must be a Dask array or a Dask DataFrame, found a Dask {type(X).__name__}"
        )
    _check_array(X)
    return np.empty((0, X.shape[1]), dtype=X.dtype)


def rows_in_tasks(X: Any) -> list[Any]:
    """Return a task for each partition of a Dask array or DataFrame, with all columns in each."""
    return list(X.rechunk({1: -1}).to_delayed().ravel() if is_array(X) else X.to_delayed())


def labels_here(y: Any) -> Any:
    """Bring labels of a Dask array or Series into this process, which solves the cuts."""
    return computed([y])[0] if is_collection(y) else y


def joined(pieces: Sequence[Any]) -> Any:
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


def take_columns(part: Any, columns: slice) -> Any:
    return part.iloc[:, columns] if hasattr(part, "iloc") else part[:, columns]


def part_shape(part: Any) -> tuple[int, ...]:
    return tuple(int(length) for length in part.shape)


def _check_array(X: Any) -> None:
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
    ends = np.linspace(0, n_rows, n_parts + 1).astype(np.int64)
    spans = [np.arange(ends[i], ends[i + 1]) for i in range(n_parts)]
    return [delayed(take_rows(table, rows)) for rows in spans], n_columns
