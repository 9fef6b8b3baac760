"""Weights of candidates by what they got right on hidden labels, and what is reported of each.

Every rule is exp(-behind): how far a candidate is behind the best, in standard errors. A candidate
within the noise counts nearly as much as the best, so that nothing depends on luck; one that is
clearly behind drops out. The rules differ in the error by which they divide.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pucut._support.checks import BoolArray, FloatArray

# A candidate this many standard errors behind the best is left out.
CLEARLY_BEHIND = 3.0
# Smaller weights of class probabilities are left out.
LEAST_WEIGHT = 0.01
# The ranks that a learner gives to labelled rows are taken to spread at least this much.
_LEAST_SPREAD = 0.05
_CHANCE = 0.5
_ROUNDING = 1e-9
# The reason given for all candidates where there is a single label.
UNJUDGED = "nothing could be hidden to judge it"


@dataclass(frozen=True)
class Candidate:
    """A score or a cut that took part in a choice.

    Attributes
    ----------
    name : str
    kind : str
        "score", of a row by itself, "cut", along a graph, or "mixture", which predicts.
    hidden_recall : float
        Share of the hidden positives found among as many rows as the prior says. They were hidden
        from everything, so it estimates the share of the unlabelled positives that is found. NaN
        if nothing could be hidden.
    standard_error : float
        Of that recall. Of the mixture it tells how far the share of the unlabelled positives that
        is found may be from it. Of the others, which are only compared with each other, it is
        that of as many independent rows as were hidden.
    weight : float
        Its share among the candidates of its kind, from 0 to 1.
    why : str
        The reason for the weight, in words.
    """

    name: str
    kind: str
    hidden_recall: float
    standard_error: float
    weight: float
    why: str

    def __str__(self) -> str:
        """Return a line of a table."""
        return (
            f"{self.kind:<8}{100 * self.hidden_recall:6.1f} ± {100 * self.standard_error:4.1f} %"
            f"{self.weight:8.3f}  {self.name}: {self.why}"
        )


def recall_error(recall: float, n_hidden: int) -> float:
    """Return the standard error of a recall; that of one row, if all were found or none."""
    return max(math.sqrt(recall * (1.0 - recall) / n_hidden), 1.0 / n_hidden)


def recall_weights(recovered: FloatArray) -> FloatArray:
    """Return weights that sum to 1, of candidates (rows) by the judges (columns) they recovered.

    The error is that of the best recall, as of independent rows. Without judges all count the same.
    """
    n_candidates, n_hidden = recovered.shape
    if n_hidden == 0:
        return np.full(n_candidates, 1.0 / n_candidates)
    recalls = recovered.mean(axis=1)
    best = float(recalls.max())
    behind = (best - recalls) / recall_error(best, n_hidden)
    weights = np.where(behind < CLEARLY_BEHIND, np.exp(-behind), 0.0)
    return np.asarray(weights / weights.sum())


def loss_weights(losses: FloatArray) -> FloatArray:
    """Return weights that sum to 1, of candidates (rows) by their losses on the judges (columns).

    The error is that of the paired difference. Without judges all count the same.
    """
    n_candidates, n_cases = losses.shape
    if n_cases == 0:
        return np.full(n_candidates, 1.0 / n_candidates)
    behind = losses - losses[int(np.argmin(losses.mean(axis=1)))]
    error = behind.std(axis=1) / math.sqrt(n_cases)
    mean = behind.mean(axis=1)
    distance = np.divide(mean, error, out=np.where(mean > 0.0, np.inf, 0.0), where=error > 0.0)
    weights = np.exp(-distance)
    weights /= weights.sum()
    kept = np.where(weights >= min(LEAST_WEIGHT, float(weights.max())), weights, 0.0)
    return np.asarray(kept / kept.sum())


def rank_weights(ranks_of_labelled: FloatArray) -> FloatArray | None:
    """Return weights of learners (rows) by the out-of-sample ranks of the labelled rows (columns).

    The error is that of the best mean rank. A learner that ranks them below the others knows
    nothing: where there is nothing to learn, a row that is left out is expected a little below
    those that are not. None if no learner does better.
    """
    means = ranks_of_labelled.mean(axis=1)
    best = int(means.argmax())
    if means[best] < _CHANCE:
        return None
    spread = max(float(ranks_of_labelled[best].std()), _LEAST_SPREAD)
    error = spread / math.sqrt(ranks_of_labelled.shape[1])
    return np.where(means < _CHANCE, 0.0, np.exp((means - means[best]) / error))


def behind_the_best(recovered: FloatArray) -> FloatArray:
    """Return how many standard errors each candidate (row) is behind the best.

    Candidates are compared on the same judges (columns), so the noise of a difference is that of
    the judges on which they disagree.
    """
    n_hidden = recovered.shape[1]
    if n_hidden < 2:
        return np.zeros(len(recovered))
    missed = recovered[np.argmax(recovered.mean(axis=1))] - recovered
    error = np.maximum(missed.std(axis=1, ddof=1) / np.sqrt(n_hidden), 1.0 / n_hidden)
    return np.asarray(missed.mean(axis=1) / error)


def is_ahead(one: FloatArray, other: FloatArray, by: float) -> bool:
    """Tell whether one recovered more, by more standard errors of the paired difference.

    A single row is exactly one of them, and never more, however it is rounded.
    """
    behind = behind_the_best(np.array([one, other]))[1]
    return bool(one.mean() > other.mean() and behind > by + _ROUNDING)


def weighted_sum(weights: FloatArray, parts: Sequence[FloatArray]) -> FloatArray:
    """Add up the parts that have weight."""
    total = np.zeros(len(parts[0]))
    for weight, part in zip(weights, parts, strict=True):
        if weight > 0.0:
            total += weight * part
    return total


def compared(
    names: Sequence[str],
    kind: str,
    recovered: FloatArray,
    weights: FloatArray,
    is_positive: BoolArray,
) -> list[Candidate]:
    """Return each candidate with its recall, its weight, and the reason for it.

    Judges that are known negatives count for the weight, not for the recall.
    """
    hits = recovered[:, is_positive]
    if hits.shape[1] == 0:
        return [
            Candidate(name, kind, math.nan, math.nan, float(weight), UNJUDGED)
            for name, weight in zip(names, weights, strict=True)
        ]
    right = recovered.mean(axis=1)
    best = float(right.max())
    behind = (best - right) / recall_error(best, recovered.shape[1])
    found = zip(names, hits.mean(axis=1).tolist(), weights.tolist(), behind.tolist(), strict=True)
    return [
        Candidate(name, kind, recall, recall_error(recall, hits.shape[1]), weight, reason(distance))
        for name, recall, weight, distance in found
    ]


def left_out(name: str, recovered: FloatArray, is_positive: BoolArray, why: str) -> Candidate:
    """Return a candidate without weight, with its recall on some judges."""
    recall = float(recovered[is_positive].mean())
    error = recall_error(recall, int(is_positive.sum()))
    return Candidate(name, "score", recall, error, 0.0, why)


def reason(behind: float) -> str:
    """Return the reason for a weight, from how far behind the best it is, in standard errors."""
    if behind <= 0.0:
        return "found most hidden positives"
    if behind < 1.0:
        return "as good as the best, within the noise"
    if behind < CLEARLY_BEHIND:
        return "behind the best by little more than the noise"
    return "clearly behind the best"
