"""Scores of unseen rows, which were not part of the cut.

The paper has two rules: the label that changes the objective least, and the nearer side.
"""

from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.two_stages import Partition


def objective_threshold(partition: Partition) -> float:
    """Return the share of a new row's similarity to S above which S is the better side for it.

    Let a new row have similarity a to S and b to S'. In S it adds b to the cut, in S' a; and the
    degrees of the row and of its neighbours grow by what connects them. HNC- (stage 1) subtracts
    lambda times the degrees in S': S is better if (1 - lambda) a > (1 + lambda) b. HNC+ (stage 2)
    subtracts them in S, and S is better if (1 + lambda) a > (1 - lambda) b.
    """
    sign = 1.0 if partition.stage == 1 else -1.0
    return (1.0 + sign * partition.lam) / 2.0


def share_of_similarity(
    to_positive: FloatArray, to_all: FloatArray, without_any: FloatArray
) -> FloatArray:
    """Return a / (a + b) for each row, and `without_any` for rows that are similar to nothing."""
    some = to_all > 0.0
    share = np.array(without_any, dtype=np.float64)
    share[some] = np.minimum(to_positive[some] / to_all[some], 1.0)
    return share


def nearness(to_positive: FloatArray, to_negative: FloatArray) -> FloatArray:
    """Score rows from -1 (next to a negative row) to 1 (next to a positive one) by distances."""
    both = to_positive + to_negative
    # A side without rows is infinitely far away; a row that touches both sides is at 0.
    with np.errstate(invalid="ignore"):
        score = np.where(both > 0.0, (to_negative - to_positive) / both, 0.0)
    return np.where(np.isinf(to_negative), 1.0, np.where(np.isinf(to_positive), -1.0, score))


def neighbors_similarity(
    indices: Any, weights: FloatArray, is_positive: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return similarity to S and to all neighbours, and 1 where the nearest is in S, else 0."""
    in_positive = is_positive[indices]
    return (
        np.where(in_positive, weights, 0.0).sum(axis=1),
        weights.sum(axis=1),
        in_positive[:, :1].any(axis=1).astype(np.float64),  # an empty part of a table lists none
    )
