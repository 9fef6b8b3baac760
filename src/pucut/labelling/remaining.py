"""How many positives are probably left, from the answers so far and the order they came in.

Rows are asked about with the most likely first, so the share of positives falls as one goes on. The
rate at the t-th of N rows is A g(t): A is the number of positives among the N, and g, the share of
them met at t, has one of many shapes: it falls exponentially or as a power, sooner or later, down
to nothing or to a floor, which stands for positives that the ranking does not recognise. Counts are
Poisson, every shape is weighted by how well it explains the answers, and what is left is the
mixture of what all of them say: its quantiles are the interval, its median the number.

Rows drawn at random tell of all rows that were not seen before: their rate is A times the share of
positives still to be met, divided by the number of those rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import nbinom

from pucut._support.checks import BoolArray, FloatArray
from pucut.labelling.next_rows import COUNT, FIND

# How far the rate has fallen after which part of the rows, how fast it falls then (infinite:
# exponentially), and which share of the positives is spread over all rows.
_SCALES = (0.003, 0.006, 0.0125, 0.025, 0.05, 0.1, 0.2, 0.4)
_POWERS = (1.2, 2.0, 4.0, np.inf)
_FLOORS = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
# Of A, before anything was seen: as if half a positive had been found in a thousandth of the way.
_PRIOR_COUNT, _PRIOR_SHARE = 0.5, 1e-3
# Answers are not independent given the shape, which is never quite right: each counts for less.
_TEMPER = 0.2
# Shapes this much less likely than the best do not change the quantiles.
_NEGLIGIBLE = 1e-4
# A little more than the nine of ten that are promised: no shape is quite right.
LEVEL = 0.92


@dataclass(frozen=True)
class Asked:
    """An answer: what it was, and what the row was asked for."""

    is_positive: bool
    goal: str


@dataclass(frozen=True)
class Remaining:
    """Positives among the rows that were not answered.

    Attributes
    ----------
    left, low, high : int
        The median, and an interval that holds the truth in at least nine of ten cases.
    in_next : float
        Expected among the next `n_next` rows.
    n_next : int
    """

    left: int
    low: int
    high: int
    in_next: float
    n_next: int


def remaining(answers: Sequence[Asked], n_rows: int, *, n_next: int = 100) -> Remaining:
    """What is left of `n_rows` rows, of which the first were answered as `answers` says.

    Parameters
    ----------
    answers : sequence of Asked, in order
    n_rows : int
        How many rows there were to ask about, answered ones included.
    """
    n_seen = len(answers)
    n_next = min(n_next, n_rows - n_seen)
    if n_seen > n_rows:
        raise ValueError(f"answers must be at most n_rows, {n_rows}, found {n_seen}")
    if n_next == 0:
        return Remaining(0, 0, 0, 0.0, 0)
    shares = _shares_met(np.arange(n_seen + 1.0), n_rows)
    told = [answer.goal in (FIND, COUNT) and answer.is_positive for answer in answers]
    weight, count, exposure = _posterior(
        _exposures(answers, shares, n_rows), np.array(told, dtype=np.bool_)
    )
    to_come = 1.0 - shares[:, -1]
    soon = _shares_met(np.array([n_seen + float(n_next)]), n_rows)[:, 0] - shares[:, -1]
    in_next = float(np.sum(weight * count * soon / exposure))
    is_likely = weight > _NEGLIGIBLE * weight.max()
    quantiles = _quantiles(
        weight[is_likely] / weight[is_likely].sum(),
        count,
        exposure[is_likely] / (exposure[is_likely] + to_come[is_likely]),
        n_rows - n_seen,
        ((1.0 - LEVEL) / 2.0, 0.5, (1.0 + LEVEL) / 2.0),
    )
    low, middle, high = quantiles
    return Remaining(middle, low, high, min(in_next, float(n_next)), n_next)


def _shares_met(at: FloatArray, n_rows: int) -> FloatArray:
    """Of every shape (a row), the share of the positives met up to each place (a column)."""
    shares = []
    for scale, power, floor in product(_SCALES, _POWERS, _FLOORS):
        met, all_met = (_fallen(place, scale * n_rows, power) for place in (at, float(n_rows)))
        shares.append((1.0 - floor) * met / all_met + floor * at / n_rows)
    return np.array(shares)


def _fallen(at: FloatArray | float, scale: float, power: float) -> FloatArray:
    """The integral of the rate, up to a factor."""
    if np.isinf(power):
        return np.asarray(1.0 - np.exp(-np.asarray(at) / scale))
    return np.asarray(1.0 - (1.0 + np.asarray(at) / scale) ** (1.0 - power))


def _exposures(answers: Sequence[Asked], shares: FloatArray, n_rows: int) -> FloatArray:
    """Of every shape, the share of the positives that each answer could have met."""
    n_seen = len(answers)
    goals = np.array([answer.goal for answer in answers])
    likely_first = np.diff(shares, axis=1)
    any_unseen = (1.0 - shares[:, :-1]) / (n_rows - np.arange(n_seen))
    return np.where(goals == FIND, likely_first, np.where(goals == COUNT, any_unseen, 0.0))


def _posterior(exposures: FloatArray, is_found: BoolArray) -> tuple[FloatArray, float, FloatArray]:
    """Weights of the shapes; count and exposures are those of the gamma distributions of A."""
    count = _PRIOR_COUNT + float(is_found.sum())
    exposure = _PRIOR_SHARE + exposures.sum(axis=1)
    # Far out, a rate that falls exponentially is below the smallest number.
    log_rate = np.log(np.maximum(exposures[:, is_found], np.finfo(np.float64).tiny))
    log_likelihood = log_rate.sum(axis=1) - count * np.log(exposure)
    weight = np.exp(_TEMPER * (log_likelihood - log_likelihood.max()))
    return weight / weight.sum(), count, exposure


def _quantiles(
    weight: FloatArray, count: float, share: FloatArray, most: int, levels: Sequence[float]
) -> list[int]:
    """Of the mixture of negative binomials, none above `most`."""
    numbers = np.unique(np.concatenate([np.arange(60), np.geomspace(60, 60 + most, 200)]).round())
    numbers = numbers[numbers <= most]
    below = weight @ nbinom.cdf(numbers[None, :], count, share[:, None])
    places = np.minimum(np.searchsorted(below / below[-1], levels), len(numbers) - 1)
    return [int(number) for number in numbers[places]]


# With fewer answers the interval is as wide as the table.
LEAST_ANSWERS = 20


def sentence(found: Remaining, n_found: int, n_asked: int) -> str:
    """What the page says of it, of positives found by answers."""
    if found.n_next == 0:
        return f"Every row was looked at: {n_found} are positive."
    if n_asked < LEAST_ANSWERS:
        return f"How many are left is said after {LEAST_ANSWERS} answers."
    soon = _about(found.in_next)
    return (
        f"Of the next {found.n_next} rows {soon} {'is' if soon == 'about 1' else 'are'} positive; "
        f"about {found.left} of {n_found + found.left} are left "
        f"(between {found.low} and {found.high})."
    )


def _about(number: float) -> str:
    return "hardly any" if number < 0.5 else f"about {number:.0f}"
