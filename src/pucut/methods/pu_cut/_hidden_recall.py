"""The recall on hidden positives as an estimate for the unlabelled ones, and its error.

Recall on the hidden positives estimates recall on the unlabelled ones. It is wrong for three
reasons, and the error has a part for each: the hidden rows are few; where every label is hidden in
turn, rows that judge in one fold were training rows in the others; and models without the hidden
labels differ from the final one. Candidates are not compared by this error, but row by row.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pucut._support.checks import FloatArray
from pucut.judging.folds import PUFolds
from pucut.judging.losses import shares_above

# Both are measured on the practice tables, by `python -m benchmarks.bench_hidden_recall`.
# The variance of the recall if every label is hidden in turn, over that of independent rows.
VARIANCE_IN_TURN = 1.8
# The distance of the final recall from that in the folds, over the share of rows that changes.
ERROR_OF_CHANGE = 0.25


@dataclass(frozen=True)
class HiddenRecall:
    """The recall on the hidden positives; NaN if no positive was hidden.

    It is `in_turn` if every label is hidden in one fold and known in all others. `changed` is the
    mean share of the final predicted positives that a fold does not predict.
    """

    recall: float
    n_hidden: int
    in_turn: bool
    changed: float

    @property
    def standard_error(self) -> float:
        """The error of the recall as an estimate for the unlabelled positives."""
        n_rows = self.n_hidden / (VARIANCE_IN_TURN if self.in_turn else 1.0)
        return error_of_estimate(self.recall, n_rows, ERROR_OF_CHANGE * self.changed)


def error_of_estimate(recall: float, n_rows: float, error_of_change: float) -> float:
    """Return the root mean squared distance of the plausible recalls from the one measured.

    If all recalls are equally likely beforehand, then after that share of `n_rows` they have a beta
    distribution. The distance stays honest where all rows were recovered, or none.
    """
    mean = (recall * n_rows + 1.0) / (n_rows + 2.0)
    variance = mean * (1.0 - mean) / (n_rows + 3.0)
    return math.sqrt(variance + (mean - recall) ** 2 + error_of_change**2)


def hidden_recall(
    folds: PUFolds, mixtures: Sequence[FloatArray], final: FloatArray
) -> HiddenRecall:
    """Return the recall of a mixture, given its scores in each fold and in the final fit."""
    hits = folds.recovered(mixtures)[folds.is_positive_judge]
    if not len(hits):
        return HiddenRecall(math.nan, 0, in_turn=False, changed=math.nan)
    return HiddenRecall(
        float(hits.mean()),
        len(hits),
        in_turn=bool(folds.is_hidden[folds.is_labelled].all()),
        changed=share_changed(folds, mixtures, final),
    )


def share_changed(folds: PUFolds, mixtures: Sequence[FloatArray], final: FloatArray) -> float:
    """Return the mean share of the final predicted positives that a fold does not predict.

    In each fold as many of the unlabelled rows are predicted positive as in the end; ties in part.
    """
    others = ~folds.is_known
    wanted = min(folds.n_positive - int(folds.is_labelled.sum()), int(others.sum()))
    predicted, *in_folds = (
        shares_above(scores[others], scores[others], wanted) for scores in (final, *mixtures)
    )
    moved = [np.maximum(predicted - in_fold, 0.0).sum() / wanted for in_fold in in_folds]
    return float(np.mean(moved))
