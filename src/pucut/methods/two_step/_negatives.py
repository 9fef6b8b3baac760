"""Unlabelled rows that are most likely negative: the first of two steps, in two ways.

Spies: Liu, Lee, Yu and Li, Partially supervised classification of text documents (ICML 2002).
Rocchio: Li and Liu, Learning to classify texts using positive and unlabeled data (IJCAI 2003).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut._support.sparse import diagonal_array
from pucut.data.repeats import labelled_groups
from pucut.data.row_order import IndexArray
from pucut.kernels.machines import Machine
from pucut.methods.two_step._naive_bayes import em_naive_bayes

# Rounds end when at most one row in this many is found.
FEW = 500
_MOST_ROUNDS = 10


@dataclass(frozen=True, eq=False)
class Spies:
    """Which labelled rows were spies, the score they set, and the rows below it."""

    is_spy: BoolArray
    threshold: float
    is_negative: BoolArray


def send_spies(
    points: Any,
    is_labelled: BoolArray,
    prior: float,
    *,
    spy_share: float,
    noise: float,
    random: np.random.RandomState,
    groups: IndexArray,
) -> Spies:
    """Hides spies among the unlabelled rows and looks at how far down they come.

    All labelled rows of a group (`data.repeats`) are spies, or none: one that is left behind would
    give the others away.
    """
    labelled = np.flatnonzero(labelled_groups(groups, is_labelled))
    n_spies = min(max(1, math.floor(spy_share * len(labelled) + 0.5)), len(labelled) - 1)
    is_spy = is_labelled & np.isin(groups, random.choice(labelled, n_spies, replace=False))
    known = is_labelled & ~is_spy
    share = share_of_rest(prior, known)
    scores = em_naive_bayes(points, known, (~known).astype(np.float64), share).scores(points)
    # A single labelled row cannot be a spy: the median of the unlabelled rows is used instead.
    judges, part = (is_spy, noise) if n_spies else (~is_labelled, 0.5)
    threshold = spy_threshold(scores[judges], part)
    is_negative = ~is_labelled & (scores < threshold)
    return Spies(is_spy, threshold, _at_least_one(is_negative, ~is_labelled, scores))


def spy_threshold(scores: FloatArray, noise: float) -> float:
    """The largest score that at most the share `noise` of the spies lies below."""
    rising = np.sort(scores)
    return float(rising[min(math.floor(noise * len(rising) + 1e-9), len(rising) - 1)])


def rocchio_scores(points: Any, is_labelled: BoolArray, alpha: float, beta: float) -> FloatArray:
    """cos(x, c+) - cos(x, c-): with rows of length 1, P and U their means over the labelled and the
    unlabelled rows, c+ = alpha P - beta U and c- = alpha U - beta P.
    """
    rows = _unit(points)
    labelled = is_labelled / is_labelled.sum()
    unlabelled = ~is_labelled / (~is_labelled).sum()
    positive = np.asarray(rows.T @ (alpha * labelled - beta * unlabelled)).ravel()
    negative = np.asarray(rows.T @ (alpha * unlabelled - beta * labelled)).ravel()
    direction = _unit(positive[None, :])[0] - _unit(negative[None, :])[0]
    return np.asarray(rows @ direction, dtype=np.float64).ravel()


def rocchio_negatives(
    points: Any, is_labelled: BoolArray, *, alpha: float, beta: float
) -> BoolArray:
    """The unlabelled rows that are not more similar to c+ than to c-."""
    scores = rocchio_scores(points, is_labelled, alpha, beta)
    return _at_least_one(~is_labelled & (scores <= 0.0), ~is_labelled, scores)


def widen_negatives(
    points: Any,
    is_labelled: BoolArray,
    is_negative: BoolArray,
    fit: Callable[[Any, BoolArray], Machine],
    most_lost: float,
) -> tuple[Machine, BoolArray]:
    """Fits to labelled rows and negatives, adds to these what it finds negative, and fits again.

    If the last machine loses more than the share `most_lost` of the labelled rows, it has gone
    astray, and the first one is used.
    """
    first = machine = _fitted(points, is_labelled, is_negative, fit)
    widened = is_negative.copy()
    n_few = len(is_labelled) // FEW
    for _ in range(_MOST_ROUNDS):
        found = ~is_labelled & ~widened
        found[found] = machine.scores(points[found]) <= 0.0
        if np.count_nonzero(found) <= n_few:
            break
        widened |= found
        machine = _fitted(points, is_labelled, widened, fit)
    lost = float(np.mean(machine.scores(points[is_labelled]) <= 0.0))
    return (first, is_negative) if lost > most_lost else (machine, widened)


def share_of_rest(prior: float, is_labelled: BoolArray) -> float:
    """The share of positives among the rows that are not labelled."""
    n_rest = np.count_nonzero(~is_labelled)
    return max(prior * len(is_labelled) - np.count_nonzero(is_labelled), 0.0) / n_rest


def _fitted(
    points: Any,
    is_labelled: BoolArray,
    is_negative: BoolArray,
    fit: Callable[[Any, BoolArray], Machine],
) -> Machine:
    rows = is_labelled | is_negative
    return fit(points[rows], is_labelled[rows])


def _at_least_one(chosen: BoolArray, among: BoolArray, scores: FloatArray) -> BoolArray:
    """The lowest of `among` if nothing was chosen: the second step needs a negative."""
    if not chosen.any():
        chosen = among & (scores == scores[among].min())
    return chosen


def _unit(rows: Any) -> Any:
    """Rows of length 1; rows of zeros stay."""
    squares = rows.multiply(rows).sum(axis=1) if is_sparse(rows) else np.square(rows).sum(axis=1)
    lengths = np.sqrt(np.asarray(squares, dtype=np.float64)).ravel()
    factors = 1.0 / np.where(lengths > 0.0, lengths, 1.0)
    return diagonal_array(factors) @ rows if is_sparse(rows) else rows * factors[:, None]
