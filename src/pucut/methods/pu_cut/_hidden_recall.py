"""What the recall of hidden positives says of the unlabelled ones, and how far off it may be.

Each hidden row is, in its world, one positive of many that nothing is told about. So the share of
them that is found estimates the share of the unlabelled positives that is found. It is wrong for
three reasons, and the error has a part for each: they are few; where every label is hidden in
turn, those that judge in one world have taught in the others; and the worlds answer otherwise than
all labels do. Candidates are not compared by this error, but row by row.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pucut._support.checks import FloatArray
from pucut.methods.pu_cut._mixing import shares_above
from pucut.methods.pu_cut._worlds import Worlds

# Both are measured on the practice tables, by `python -m benchmarks.bench_hidden_recall`.
# The variance of the recall if every label is hidden in turn, over that of independent rows.
VARIANCE_IN_TURN = 1.8
# How far the recall of the answer is from that in the worlds, over the share of rows that changes.
ERROR_OF_CHANGE = 0.25


@dataclass(frozen=True)
class HiddenRecall:
    """What was found of the hidden positives.

    Attributes
    ----------
    recall : float
        The share of them that was found; NaN if there are none.
    n_hidden : int
        How many there are.
    in_turn : bool
        Whether every label is hidden in one world and known in all others.
    changed : float
        The share of the rows found with all labels that is not found in a world, in the mean.
    """

    recall: float
    n_hidden: int
    in_turn: bool
    changed: float

    @property
    def standard_error(self) -> float:
        """Of the recall as an estimate for the unlabelled positives."""
        n_rows = self.n_hidden / (VARIANCE_IN_TURN if self.in_turn else 1.0)
        return error_of_estimate(self.recall, n_rows, ERROR_OF_CHANGE * self.changed)


def error_of_estimate(recall: float, n_rows: float, error_of_change: float) -> float:
    """Root of the mean squared distance of what the recall may be from the share that was found.

    If all recalls are equally likely beforehand, then with that share of so many rows found they
    have a beta distribution. The distance stays honest where all were found, or none.
    """
    mean = (recall * n_rows + 1.0) / (n_rows + 2.0)
    variance = mean * (1.0 - mean) / (n_rows + 3.0)
    return math.sqrt(variance + (mean - recall) ** 2 + error_of_change**2)


def hidden_recall(
    worlds: Worlds, mixtures: Sequence[FloatArray], answer: FloatArray
) -> HiddenRecall:
    """Of the mixture, given its scores in the worlds that hide labels and with all labels."""
    hits = worlds.found(mixtures)[worlds.is_hidden_positive]
    if not len(hits):
        return HiddenRecall(math.nan, 0, in_turn=False, changed=math.nan)
    return HiddenRecall(
        float(hits.mean()),
        len(hits),
        in_turn=bool(worlds.is_hidden[worlds.is_labelled].all()),
        changed=share_changed(worlds, mixtures, answer),
    )


def share_changed(worlds: Worlds, mixtures: Sequence[FloatArray], answer: FloatArray) -> float:
    """The share of the rows found with all labels that is not found in a world, in the mean.

    In each as many of the unlabelled rows are found as with all labels; ties in part.
    """
    others = ~worlds.is_known
    wanted = min(worlds.n_positive - int(worlds.is_labelled.sum()), int(others.sum()))
    found, *in_worlds = (
        shares_above(scores[others], scores[others], wanted) for scores in (answer, *mixtures)
    )
    moved = [np.maximum(found - in_world, 0.0).sum() / wanted for in_world in in_worlds]
    return float(np.mean(moved))
