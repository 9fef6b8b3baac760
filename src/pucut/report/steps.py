"""The nested partitions of a stage of 2-HNC as steps one can walk through, each of them exact.

Lambdas are only shown; whole numbers decide which rows are positive at a step.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.parametric_cut import CutPath
from pucut.cuts.two_stages import Partition
from pucut.graphs.neighbors.equal_rows import RowNumbers
from pucut.report.packing import packed


@dataclass(frozen=True, eq=False)
class StageSteps:
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
    n_positive: RowNumbers
    turn: RowNumbers
    duality_gap: float

    def step_of(self, is_positive: BoolArray) -> int:
        """Return the step that is the given partition."""
        n_positive = np.count_nonzero(is_positive)
        for step in np.flatnonzero(self.n_positive == n_positive):  # at most one: sets are nested
            inside = self.turn >= step if self.stage == 1 else self.turn <= step
            if np.array_equal(inside, is_positive):
                return int(step)
        raise ValueError(
            f"transduction_ has {n_positive} positives, but it is not a partition of stage "
            f"{self.stage}: it must be as fit left it"
        )

    def of_rows(self, rows: npt.NDArray[np.intp], also: int | None) -> "StageSteps":
        """Keep the steps at which one of these rows turns, and the step `also`.

        All steps are kept if all rows are given. At each step that is kept, the same of these rows
        are in S.
        """
        if len(rows) == len(self.turn):
            return self
        n_steps = len(self.lam)
        turning = self.turn[rows]
        turning = turning[(turning >= 0) & (turning < n_steps)]
        kept = np.union1d(turning, [0, n_steps - 1] if also is None else [0, also, n_steps - 1])
        if self.stage == 1:  # the last kept step up to the row's
            turn = np.searchsorted(kept, self.turn[rows], side="right") - 1
        else:  # the first kept step from the row's on
            turn = np.searchsorted(kept, self.turn[rows], side="left")
        return replace(
            self, lam=self.lam[kept], n_positive=self.n_positive[kept], turn=turn.astype(np.int32)
        )

    def facts(self) -> dict[str, Any]:
        """Return the steps as a part of the summary."""
        return {
            "stage": self.stage,
            "lam": packed(self.lam, "float64"),
            "n_positive": packed(self.n_positive, "int32"),
            "turn": packed(self.turn, "int32"),
            "duality_gap": self.duality_gap,
        }


def steps_of_stages(estimator: Any) -> tuple[StageSteps, StageSteps]:
    """Return the steps of both stages of a fitted TwoHNCClassifier."""
    return _leaving(estimator.stage1_, estimator.partition_), _joining(estimator.stage2_)


def _leaving(path: CutPath, partition: Partition) -> StageSteps:
    leaves = np.minimum(path.switch, path.lambda_range[1])
    # Rows that no label reaches leave all at once, unless the estimator has put them in an order.
    if partition.stage == 1 and np.array_equal(np.maximum(partition.level, 0.0), leaves):
        leaves = partition.level
    levels = np.unique(leaves[leaves > -np.inf])
    turn = np.searchsorted(levels, leaves).astype(np.int32)
    turn[leaves == -np.inf] = -1
    sizes = len(leaves) - np.searchsorted(np.sort(leaves), levels, side="left")
    lams = np.maximum(levels, path.lambda_range[0])
    return StageSteps(1, lams, sizes.astype(np.int32), turn, float(path.duality_gap))


def _joining(path: CutPath) -> StageSteps:
    joins = np.maximum(path.switch, path.lambda_range[0])
    lams = np.unique(joins[joins < np.inf])
    sizes = np.searchsorted(np.sort(joins), lams, side="right")
    turn = np.searchsorted(lams, joins).astype(np.int32)
    return StageSteps(2, lams, sizes.astype(np.int32), turn, float(path.duality_gap))
