"""The step of k-means."""

from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.threads import in_threads
from pucut.kernels.gaussian import row_blocks

_FEATURES_AT_ONCE = 64


def moved_centres(
    centres: npt.NDArray[np.float32],
    rows: npt.NDArray[np.float32],
    nearest: npt.NDArray[Any],
    dtype: type[np.floating] = np.float32,
    n_threads: int = 1,
) -> npt.NDArray[np.float32]:
    """Move each centre to the mean of its rows; a centre without rows stays.

    `nearest` holds for each row the number of its centre, and `dtype` is that of the sums. Threads
    share the features.
    """
    order = np.argsort(nearest, kind="stable")
    present, starts = np.unique(nearest[order], return_index=True)
    sizes = np.diff(np.append(starts, len(rows)))
    moved = centres.copy()

    def move(features: slice) -> None:
        # Not by an index, which would hold the lock of the interpreter.
        in_order = np.take(np.ascontiguousarray(rows[:, features]), order, axis=0)
        sums = np.add.reduceat(in_order, starts, axis=0, dtype=dtype)
        moved[present, features] = sums / sizes[:, None]

    in_threads(move, row_blocks(rows.shape[1], _FEATURES_AT_ONCE), n_threads)
    return moved
