"""Estimate of the positives left, from the answers so far and their order.

Rows are shown with the most likely first, so the share of positives falls over time. The rate at
the t-th of N rows is A g(t): A is the number of positives among the N, and g, the share of them met
at t, has one of many shapes. It falls exponentially or as a power, to zero or to a floor of
positives that the ranking does not recognise. Counts are Poisson, and shapes are weighted by their
likelihoods: the median of the mixture is the estimate, its quantiles are the interval.

Rows drawn at random represent all rows that were not seen before: their rate is A times the share
of positives still to be met, divided by the number of those rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import nbinom

from pucut._support.checks import BoolArray, FloatArray
from pucut.labelling.journal import COUNT, FIND

# Part of the rows after which the rate has fallen, how fast it falls then (infinite:
# exponentially), and share of the positives that is spread over all rows.
_SCALES = (0.003, 0.006, 0.0125, 0.025, 0.05, 0.1, 0.2, 0.4)
_POWERS = (1.2, 2.0, 4.0, np.inf)
_FLOORS = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
# Prior of A: as if half a positive had been met in a thousandth of the way.
_PRIOR_COUNT, _PRIOR_SHARE = 0.5, 1e-3
# Answers are not independent given the shape, which is never quite right: each weighs less.
_TEMPER = 0.2
# Shapes this much less likely than the best do not change the quantiles.
_NEGLIGIBLE = 1e-4
# The interval should cover nine of ten cases; no shape is quite right, so it is a little wider.
LEVEL = 0.92
# With fewer answers the interval is as wide as the table.
LEAST_ANSWERS = 20


@dataclass(frozen=True)
class Answer:
    """Answer about a row, and the goal for which the row was shown."""

    is_positive: bool
    goal: str


@dataclass(frozen=True)
class Remaining:
    """Positives among the rows that were not answered."""

    left: int  # the median
    low: int  # `low` to `high` covers the truth in at least nine of ten cases
    high: int
    in_next: float  # expected among the next `n_next` rows
    n_next: int


def remaining(answers: Sequence[Answer], n_rows: int, *, n_next: int = 100) -> Remaining:
    """Estimate the positives left among `n_rows` rows from the answers so far, in order."""
    n_seen = len(answers)
    n_next = min(n_next, n_rows - n_seen)
    if n_seen > n_rows:
        raise ValueError(f"answers must be at most n_rows, {n_rows}, found {n_seen}")
    if n_next == 0:
        return Remaining(0, 0, 0, 0.0, 0)
    shares = _shares_met(np.arange(n_seen + 1.0), n_rows)
    is_met = [answer.goal in (FIND, COUNT) and answer.is_positive for answer in answers]
    weight, count, exposure = _posterior(
        _exposures(answers, shares, n_rows), np.array(is_met, dtype=np.bool_)
    )
    to_come = 1.0 - shares[:, -1]
    soon = _shares_met(np.array([n_seen + float(n_next)]), n_rows)[:, 0] - shares[:, -1]
    in_next = float(np.sum(weight * count * soon / exposure))
    is_likely = weight > _NEGLIGIBLE * weight.max()
    low, middle, high = _quantiles(
        weight[is_likely] / weight[is_likely].sum(),
        count,
        exposure[is_likely] / (exposure[is_likely] + to_come[is_likely]),
        n_rows - n_seen,
        ((1.0 - LEVEL) / 2.0, 0.5, (1.0 + LEVEL) / 2.0),
    )
    return Remaining(middle, low, high, min(in_next, float(n_next)), n_next)


def _shares_met(at: FloatArray, n_rows: int) -> FloatArray:
    """Return the share of the positives met by each shape (a row) up to each place (a column)."""
    shares = []
    for scale, power, floor in product(_SCALES, _POWERS, _FLOORS):
        # Integrals of the rate, up to a factor.
        met, all_met = (
            1.0 - (np.exp(-way) if np.isinf(power) else (1.0 + way) ** (1.0 - power))
            for way in (at / (scale * n_rows), np.float64(n_rows) / (scale * n_rows))
        )
        shares.append((1.0 - floor) * met / all_met + floor * at / n_rows)
    return np.array(shares)


def _exposures(answers: Sequence[Answer], shares: FloatArray, n_rows: int) -> FloatArray:
    """Return the share of the positives that each answer could meet, by shape."""
    goals = np.array([answer.goal for answer in answers])
    likely_first = np.diff(shares, axis=1)
    any_unseen = (1.0 - shares[:, :-1]) / (n_rows - np.arange(len(answers)))
    return np.where(goals == FIND, likely_first, np.where(goals == COUNT, any_unseen, 0.0))


def _posterior(exposures: FloatArray, is_met: BoolArray) -> tuple[FloatArray, float, FloatArray]:
    """Return the weights of the shapes, and count and exposures of the gamma distributions of A."""
    count = _PRIOR_COUNT + float(is_met.sum())
    exposure = _PRIOR_SHARE + exposures.sum(axis=1)
    # Far out, a rate that falls exponentially is below the smallest number.
    log_rate = np.log(np.maximum(exposures[:, is_met], np.finfo(np.float64).tiny))
    log_likelihood = log_rate.sum(axis=1) - count * np.log(exposure)
    weight = np.exp(_TEMPER * (log_likelihood - log_likelihood.max()))
    return weight / weight.sum(), count, exposure


def _quantiles(
    weight: FloatArray, count: float, share: FloatArray, most: int, levels: Sequence[float]
) -> list[int]:
    """Return quantiles of the mixture of negative binomials, none above `most`."""
    numbers = np.unique(np.concatenate([np.arange(60), np.geomspace(60, 60 + most, 200)]).round())
    numbers = numbers[numbers <= most]
    below = weight @ nbinom.cdf(numbers[None, :], count, share[:, None])
    places = np.minimum(np.searchsorted(below / below[-1], levels), len(numbers) - 1)
    return [int(number) for number in numbers[places]]


def sentence(left: Remaining, n_positive: int, n_answered: int) -> str:
    """Say on the page how many positives are left."""
    if left.n_next == 0:
        return f"Every row was looked at: {n_positive} are positive."
    if n_answered < LEAST_ANSWERS:
        return f"How many are left is said after {LEAST_ANSWERS} answers."
    soon = "hardly any" if left.in_next < 0.5 else f"about {left.in_next:.0f}"
    return (
        f"Of the next {left.n_next} rows {soon} {'is' if soon == 'about 1' else 'are'} positive; "
        f"about {left.left} of {n_positive + left.left} are left "
        f"(between {left.low} and {left.high})."
    )
