"""Scores of different origin made comparable, judged by hidden positives, and mixed.

Only ranks are mixed, since scores have no common scale. A score is judged by its recall of hidden
labelled rows among as many rows as the prior says are positive: with that number fixed, recall
orders scores as their accuracy does, without a single negative label.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pucut._support.checks import BoolArray, FloatArray

# What is this many standard errors behind the best is left out.
CLEARLY_BEHIND = 3.0
_ROUNDING = 1e-9
# Said of all candidates where there is a single label.
UNJUDGED = "nothing could be hidden to judge it"


@dataclass(frozen=True)
class Candidate:
    """A score that took part in a choice.

    Attributes
    ----------
    name : str
        What it is.
    kind : str
        "score", of a row by itself, "cut", along a graph, or "mixture", what answers.
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
        In words.
    """

    name: str
    kind: str
    hidden_recall: float
    standard_error: float
    weight: float
    why: str

    def __str__(self) -> str:
        """A line of a table."""
        return (
            f"{self.kind:<8}{100 * self.hidden_recall:6.1f} ± {100 * self.standard_error:4.1f} %"
            f"{self.weight:8.3f}  {self.name}: {self.why}"
        )


def rank_among(values: FloatArray, reference: FloatArray) -> FloatArray:
    """The share of the reference below each value, those equal to it counted half.

    `reference` is ascending. Its own values get ranks above 0 and below 1, with mean 1/2.
    """
    # Rising values are found several times faster among very many.
    order = np.argsort(values)
    rising = values[order]
    below = np.searchsorted(reference, rising, side="left")
    is_tied = reference[np.minimum(below, len(reference) - 1)] == rising
    not_above = below.copy()
    not_above[is_tied] = np.searchsorted(reference, rising[is_tied], side="right")
    found = np.empty(len(values))
    found[order] = (below + not_above) / (2.0 * len(reference))
    return found


def ranks(values: FloatArray) -> FloatArray:
    """The rank of each value among all of them."""
    return rank_among(values, np.sort(values))


def shares_found(scores: FloatArray, is_hidden: BoolArray, n_positive: int) -> FloatArray:
    """1 for each hidden row among the `n_positive` rows of highest score, 0 for the other hidden.

    Rows tied at the score where the number is reached count in part, all equally.
    """
    return shares_above(scores[is_hidden], scores, n_positive)


def shares_above(values: FloatArray, scores: FloatArray, n_positive: int) -> FloatArray:
    """1 for each value that would be among the `n_positive` highest of the scores, ties in part."""
    rising = np.sort(scores)
    cut = rising[len(rising) - n_positive]
    above = len(rising) - int(np.searchsorted(rising, cut, side="right"))
    equal = len(rising) - above - int(np.searchsorted(rising, cut, side="left"))
    part = (n_positive - above) / equal
    return np.asarray((values > cut) + part * (values == cut))


def recall_error(recall: float, n_hidden: int) -> float:
    """Standard error of a recall; at least that of one row, if all were found or none."""
    return max(math.sqrt(recall * (1.0 - recall) / n_hidden), 1.0 / n_hidden)


def recall_weights(found: FloatArray) -> FloatArray:
    """Weights that sum to 1, of candidates (rows) by the hidden rows (columns) that they found.

    exp of how far behind the best, in its standard errors: what is within the noise counts nearly
    as much as the best, so that nothing depends on luck; what is clearly behind drops out. Without
    hidden rows all count the same.
    """
    n_candidates, n_hidden = found.shape
    if n_hidden == 0:
        return np.full(n_candidates, 1.0 / n_candidates)
    recalls = found.mean(axis=1)
    best = float(recalls.max())
    behind = (best - recalls) / recall_error(best, n_hidden)
    weights = np.where(behind < CLEARLY_BEHIND, np.exp(-behind), 0.0)
    return np.asarray(weights / weights.sum())


def behind_the_best(found: FloatArray) -> FloatArray:
    """How far each candidate (row) is behind the one that found most, in standard errors.

    Both were asked for the same hidden rows (columns), so that the noise of the difference is that
    of the rows on which they disagree.
    """
    n_hidden = found.shape[1]
    if n_hidden < 2:
        return np.zeros(len(found))
    missed = found[np.argmax(found.mean(axis=1))] - found
    error = np.maximum(missed.std(axis=1, ddof=1) / np.sqrt(n_hidden), 1.0 / n_hidden)
    return np.asarray(missed.mean(axis=1) / error)


def is_ahead(one: FloatArray, other: FloatArray, by: float) -> bool:
    """Whether one finds more hidden rows, by more standard errors of the paired difference.

    A single row is exactly one of them, and never more, however it is rounded.
    """
    behind = behind_the_best(np.array([one, other]))[1]
    return bool(one.mean() > other.mean() and behind > by + _ROUNDING)


def weighted_sum(weights: FloatArray, parts: Sequence[FloatArray]) -> FloatArray:
    """Parts without weight are not looked at."""
    total = np.zeros(len(parts[0]))
    for weight, part in zip(weights, parts, strict=True):
        if weight > 0.0:
            total += weight * part
    return total


def judged(
    names: list[str],
    kind: str,
    found: FloatArray,
    weights: FloatArray,
    is_positive: BoolArray | None = None,
) -> list[Candidate]:
    """What each candidate found, and why it has its weight.

    Those of the hidden rows that are not `is_positive` count for the weight, not for the recall.
    """
    hits = found if is_positive is None else found[:, is_positive]
    if hits.shape[1] == 0:
        return [
            Candidate(name, kind, math.nan, math.nan, float(weight), UNJUDGED)
            for name, weight in zip(names, weights, strict=True)
        ]
    right = found.mean(axis=1)
    best = float(right.max())
    error = recall_error(best, found.shape[1])
    return [
        Candidate(
            name,
            kind,
            float(recall),
            recall_error(float(recall), hits.shape[1]),
            float(weight),
            reason((best - float(share)) / error),
        )
        for name, recall, share, weight in zip(
            names, hits.mean(axis=1), right, weights, strict=True
        )
    ]


def reason(behind: float) -> str:
    """Why a candidate has its weight, from how far it is behind the best, in standard errors."""
    if behind <= 0.0:
        return "found most hidden positives"
    if behind < 1.0:
        return "as good as the best, within the noise"
    if behind < CLEARLY_BEHIND:
        return "behind the best by little more than the noise"
    return "clearly behind the best"
