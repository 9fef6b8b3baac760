"""The nested partitions of a stage as steps one can walk through, each of them exact.

Lambdas are only shown; which rows are positive at a step is decided by whole numbers.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.parametric_cut import CutPath
from pucut.cuts.two_stages import Partition

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Steps:
    """All partitions of a stage, by rising lambda.

    Attributes
    ----------
    stage : int
        1: rows leave S as lambda rises. 2: they join it.
    lam : float array of shape (n_steps,)
    n_positive : int array of shape (n_steps,)
        The rows in S.
    turn : int array of shape (n_samples,)
        In stage 1 the last step at which the row is in S, -1 if there is none; in stage 2 the
        first, n_steps if there is none.
    """

    stage: int
    lam: FloatArray
    n_positive: IntArray
    turn: IntArray
    duality_gap: float

    def is_positive(self, step: int) -> BoolArray:
        """The rows in S at a step."""
        return self.turn >= step if self.stage == 1 else self.turn <= step

    def of_rows(self, rows: npt.NDArray[np.intp], also: int | None) -> "Steps":
        """The steps at which one of these rows turns, and the step `also`; all if all are given.

        Of these rows, the same are in S at each step that is left.
        """
        if len(rows) == len(self.turn):
            return self
        n_steps = len(self.lam)
        turning = self.turn[rows]
        turning = turning[(turning >= 0) & (turning < n_steps)]
        kept = np.union1d(turning, [0, n_steps - 1] if also is None else [0, also, n_steps - 1])
        if self.stage == 1:  # the last of the steps that are left up to the row's
            turn = np.searchsorted(kept, self.turn[rows], side="right") - 1
        else:  # the first of them from the row's on
            turn = np.searchsorted(kept, self.turn[rows], side="left")
        return replace(
            self, lam=self.lam[kept], n_positive=self.n_positive[kept], turn=turn.astype(np.int32)
        )

    def place_of(self, whole: "Steps", step: int) -> int:
        """Where a step of the whole stage is among these."""
        return int(np.flatnonzero(self.n_positive == whole.n_positive[step])[0])


def steps_of_stages(estimator: Any) -> tuple[Steps, Steps]:
    """The steps of both stages of a fitted TwoHNCClassifier."""
    return _leaving(estimator.stage1_, estimator.partition_), _joining(estimator.stage2_)


def _leaving(path: CutPath, partition: Partition) -> Steps:
    leaves = np.minimum(path.switch, path.lambda_range[1])
    # Rows that no label reaches leave all at once, unless the estimator has put them in an order.
    if partition.stage == 1 and np.array_equal(np.maximum(partition.level, 0.0), leaves):
        leaves = partition.level
    levels = np.unique(leaves[leaves > -np.inf])
    turn = np.searchsorted(levels, leaves).astype(np.int32)
    turn[leaves == -np.inf] = -1
    sizes = len(leaves) - np.searchsorted(np.sort(leaves), levels, side="left")
    lams = np.maximum(levels, path.lambda_range[0])
    return Steps(1, lams, sizes.astype(np.int32), turn, float(path.duality_gap))


def _joining(path: CutPath) -> Steps:
    joins = np.maximum(path.switch, path.lambda_range[0])
    lams = np.unique(joins[joins < np.inf])
    sizes = np.searchsorted(np.sort(joins), lams, side="right")
    turn = np.searchsorted(lams, joins).astype(np.int32)
    return Steps(2, lams, sizes.astype(np.int32), turn, float(path.duality_gap))


def step_of(steps: Steps, is_positive: BoolArray) -> int:
    """The step that is the given partition."""
    n_positive = np.count_nonzero(is_positive)
    for step in np.flatnonzero(steps.n_positive == n_positive):  # one at most: the sets are nested
        if np.array_equal(steps.is_positive(int(step)), is_positive):
            return int(step)
    raise ValueError(
        f"transduction_ has {n_positive} positives, but it is not a partition of stage "
        f"{steps.stage}: it must be as fit left it"
    )
