"""Points in blocks of rows, wherever they lie: in this process, or on the workers of a cluster.

A regression needs sums over the rows, and then a result for each row. Blocks are the same wherever
the rows lie, and sums are taken in the order of the blocks, so that all bits are the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pucut._support.checks import IndexArray

# Rows whose kernel is held at once.
ROWS_OF_A_BLOCK = 4096


class BlockedRows(Protocol):
    """Points, one row each."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def __getitem__(self, numbers: npt.NDArray[Any]) -> Any:
        """Some of the rows, in this process."""

    def folded(self, of_block: Callable[..., Any], add: Any, start: Any, *of_rows: Any) -> Any:
        """Return add(... add(add(start, of_block(first block)), of_block(second block)) ...).

        `of_rows` are arrays whose last axis is that of the rows; `of_block` takes the points of
        a block, and the part of these arrays that belongs to it. `add` must not change its
        arguments.
        """

    def joined(self, of_block: Callable[..., Any], *of_rows: Any) -> npt.NDArray[Any]:
        """Return the arrays of all blocks one after another, in this process."""


@dataclass(frozen=True, eq=False)
class RowsHere:
    """An array or CSR matrix of this process."""

    points: Any

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.points.shape
        return n_rows, n_columns

    def __getitem__(self, numbers: npt.NDArray[Any]) -> Any:
        return self.points[numbers]

    def folded(self, of_block: Callable[..., Any], add: Any, start: Any, *of_rows: Any) -> Any:
        total = start
        for rows in row_blocks(self.shape[0]):
            total = add(total, of_block(self.points[rows], *(each[..., rows] for each in of_rows)))
        return total

    def joined(self, of_block: Callable[..., Any], *of_rows: Any) -> npt.NDArray[Any]:
        found: Any = None
        for rows in row_blocks(self.shape[0]):
            part = of_block(self.points[rows], *(each[..., rows] for each in of_rows))
            if found is None:
                found = np.empty((self.shape[0], *part.shape[1:]), dtype=part.dtype)
            found[rows] = part
        return np.asarray(found)


def as_rows(points: Any) -> BlockedRows:
    """Return points of this process as `RowsHere`, and blocked rows as they are."""
    rows: BlockedRows = points if hasattr(points, "folded") else RowsHere(points)
    return rows


def row_blocks(n_rows: int, size: int | None = None) -> list[slice]:
    """Return the rows in blocks of `size`, by default of `ROWS_OF_A_BLOCK`."""
    size = size or ROWS_OF_A_BLOCK
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def drawn(n_rows: int, most: int, random: np.random.RandomState) -> IndexArray:
    """Return the numbers of at most `most` rows drawn at random, rising."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, most, replace=False))
