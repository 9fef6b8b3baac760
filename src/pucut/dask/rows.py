"""Points in partitions as regressions read them, by blocks of rows.

Blocks are computed on the workers and added there in their order, so that every sum has the bits
that one machine gives it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.threads import library_threads
from pucut.dask.engine import computed, delayed
from pucut.dask.partitions import Partitions
from pucut.kernels import blocks

# Blocks of a task, whose results all are kept until they have been added.
_BLOCKS_AT_ONCE = 4


@dataclass(frozen=True, eq=False)
class PartitionedRows:
    """Satisfies `pucut.kernels.blocks.BlockedRows`; partitions begin with a block."""

    points: Partitions

    @property
    def shape(self) -> tuple[int, int]:
        return self.points.shape

    def __getitem__(self, numbers: npt.NDArray[Any]) -> Any:
        return self.points[numbers]

    def folded(self, of_block: Callable[..., Any], add: Any, start: Any, *of_rows: Any) -> Any:
        found, combine = list(self._tasks(results_of_blocks, of_block, of_rows)), delayed(added)
        return computed([reduce(lambda total, more: combine(add, total, more), found, start)])[0]

    def joined(self, of_block: Callable[..., Any], *of_rows: Any) -> npt.NDArray[Any]:
        return np.concatenate(computed(list(self._tasks(joined_blocks, of_block, of_rows))))

    def _tasks(
        self, function: Any, of_block: Callable[..., Any], of_rows: Sequence[Any]
    ) -> Iterator[Any]:
        task, shared = delayed(function), delayed(of_block)
        step = _BLOCKS_AT_ONCE * blocks.ROWS_OF_A_BLOCK
        for part, length, first in zip(
            self.points.parts, self.points.lengths, self.points.starts[:-1], strict=True
        ):
            for start in range(0, int(length), step):
                stop = min(start + step, int(length))
                own = [each[..., first + start : first + stop] for each in of_rows]
                yield task(part, start, stop, shared, *own)


def results_of_blocks(
    part: Any, start: int, stop: int, of_block: Callable[..., Any], *of_rows: Any
) -> list[Any]:
    """Return the result of each block of the rows of a part from `start` on."""
    points = part[start:stop]
    with library_threads(1):
        return [
            of_block(points[rows], *(each[..., rows] for each in of_rows))
            for rows in blocks.row_blocks(stop - start)
        ]


def joined_blocks(
    part: Any, start: int, stop: int, of_block: Callable[..., Any], *of_rows: Any
) -> Any:
    return np.concatenate(results_of_blocks(part, start, stop, of_block, *of_rows))


def added(add: Callable[[Any, Any], Any], total: Any, more: Sequence[Any]) -> Any:
    return reduce(add, more, total)
