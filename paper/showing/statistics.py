"""Statistics of runs: means, paired tests and improvements as in the paper, and average ranks.

Tests of several classifiers over several datasets follow Demšar, "Statistical comparisons of
classifiers over multiple data sets", JMLR 7 (2006). All functions are pure; undefined values are
None.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
Alternative = Literal["greater", "less"]

# The Wilcoxon test is exact up to this number of differences, and above it approximately normal.
MOST_EXACT = 50


@dataclass(frozen=True)
class Summary:
    """Mean of runs; `standard_error` is None for a single run."""

    mean: float
    standard_error: float | None
    n: int


def summarise(values: Sequence[float]) -> Summary:
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        raise ValueError("values must hold at least one number, found none")
    error = float(array.std(ddof=1) / math.sqrt(array.size)) if array.size > 1 else None
    return Summary(float(array.mean()), error, int(array.size))


def percent_above(value: float, reference: float) -> float:
    """`value` less `reference`, in percent of the latter: the paper's Diff Max."""
    if reference <= 0.0:
        raise ValueError(f"reference must be positive, found {reference}")
    return (value / reference - 1.0) * 100.0


def units_apart(difference: float, *standard_errors: float | None) -> float | None:
    """A difference in units of the combined standard error of what is compared."""
    known = [error for error in standard_errors if error is not None]
    combined = math.hypot(*known)
    if len(known) < len(standard_errors) or combined == 0.0:
        return None
    return difference / combined


def paired_t_test(
    first: Sequence[float], second: Sequence[float], alternative: Alternative
) -> float | None:
    """p-value; alternative "greater": the first is better.

    None for fewer than two pairs, and where all differences are equal.
    """
    difference = _differences(first, second)
    if difference.size < 2:
        return None
    deviation = float(difference.std(ddof=1))
    if deviation <= 1e-13 * float(np.abs(difference).max(initial=0.0)):
        return None
    t = float(difference.mean()) / (deviation / math.sqrt(difference.size))
    tail = stats.t.sf if alternative == "greater" else stats.t.cdf
    return float(tail(t, difference.size - 1))


def wilcoxon_test(
    first: Sequence[float], second: Sequence[float], alternative: Alternative
) -> float | None:
    """p-value of the signed-rank test; alternative "greater": the first is better.

    Differences of 0 are left out, equal ones share their mean rank. Exact, ties included, up to
    `MOST_EXACT` differences; the normal curve without correction for continuity above. None where
    all differences are 0.
    """
    difference = _differences(first, second)
    # Sums of fractions that are equal on paper differ in their last bits.
    difference = np.round(difference, 10)
    difference = difference[difference != 0.0]
    if difference.size == 0:
        return None
    if alternative == "less":
        difference = -difference
    # Mean ranks are multiples of 1/2; twice the ranks are whole.
    double_ranks = np.rint(2.0 * stats.rankdata(np.abs(difference))).astype(np.int64)
    positive = int(double_ranks[difference > 0.0].sum())
    if difference.size <= MOST_EXACT:
        return _exact_tail(double_ranks, positive)
    middle = double_ranks.sum() / 2.0
    spread = math.sqrt(float((double_ranks.astype(np.float64) ** 2).sum()) / 4.0)
    return float(stats.norm.sf((positive - middle) / spread))


def _exact_tail(double_ranks: npt.NDArray[np.int64], positive: int) -> float:
    """Share of all signs for which the ranks of positive differences sum to at least this."""
    ways = np.zeros(int(double_ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in double_ranks:
        ways[rank:] += ways[:-rank].copy()
    return float(ways[positive:].sum() / ways.sum())


def _differences(first: Sequence[float], second: Sequence[float]) -> Floats:
    if len(first) != len(second):
        raise ValueError(
            f"first and second must have the same length, found {len(first)} and {len(second)}"
        )
    return np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)


@dataclass(frozen=True)
class Improvement:
    """Improvement of one method over another on many datasets, all in percent.

    `share_improved` counts strictly positive improvements, as the paper does; `share_tied` those
    of exactly 0.
    """

    average: float
    standard_deviation: float | None
    share_improved: float
    share_tied: float
    n: int


def improvements(ours: Sequence[float], theirs: Sequence[float]) -> Floats:
    """(ours / theirs - 1) * 100 for each dataset."""
    ours_array, theirs_array = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if ours_array.shape != theirs_array.shape:
        raise ValueError(
            f"ours and theirs must have the same length, found {len(ours)} and {len(theirs)}"
        )
    if (theirs_array <= 0.0).any():
        raise ValueError(f"theirs must be positive, found {theirs_array.min()}")
    return (ours_array / theirs_array - 1.0) * 100.0


def summarise_improvements(values: Floats) -> Improvement:
    if values.size == 0:
        raise ValueError("values must hold at least one number, found none")
    return Improvement(
        float(values.mean()),
        float(values.std(ddof=1)) if values.size > 1 else None,
        float((values > 0.0).mean() * 100.0),
        float((values == 0.0).mean() * 100.0),
        int(values.size),
    )


@dataclass(frozen=True)
class Ranking:
    """Average ranks of methods over datasets; 1 is best.

    `friedman_p` is of the Friedman test that all methods are equal; methods whose average ranks
    differ by at least `critical_difference` differ by the Nemenyi test.
    """

    average_ranks: tuple[float, ...]
    friedman_p: float | None
    critical_difference: float
    n_datasets: int


def rank_methods(scores: Floats, alpha: float = 0.05) -> Ranking:
    """Rank scores with one line per dataset and one column per method; equal scores share ranks."""
    if scores.ndim != 2 or scores.shape[0] < 1 or scores.shape[1] < 2:
        raise ValueError(
            f"scores must have at least one line and two columns, found shape {scores.shape}"
        )
    n_datasets, n_methods = scores.shape
    ranks = stats.rankdata(-np.round(scores, 10), axis=1)
    return Ranking(
        tuple(float(rank) for rank in ranks.mean(axis=0)),
        _friedman_p(ranks),
        critical_difference(n_methods, n_datasets, alpha),
        n_datasets,
    )


def _friedman_p(ranks: Floats) -> float | None:
    """With the correction for ties; None where all methods tie everywhere."""
    n_datasets, n_methods = ranks.shape
    middle = (n_methods + 1) / 2.0
    within = float(((ranks - middle) ** 2).sum())
    if within == 0.0:
        return None
    between = n_datasets * float(((ranks.mean(axis=0) - middle) ** 2).sum())
    statistic = n_datasets * (n_methods - 1) * between / within
    return float(stats.chi2.sf(statistic, n_methods - 1))


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Critical difference of average ranks, by the Nemenyi test."""
    quantile = float(stats.studentized_range.ppf(1.0 - alpha, n_methods, np.inf)) / math.sqrt(2.0)
    return quantile * math.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets))


def groups_not_different(ranks: Sequence[float], difference: float) -> list[tuple[int, ...]]:
    """Largest groups of two or more methods within a critical difference; positions in `ranks`."""
    order = sorted(range(len(ranks)), key=lambda position: (ranks[position], position))
    groups: list[tuple[int, ...]] = []
    last_end = 0
    for start in range(len(order)):
        end = start
        while end < len(order) and ranks[order[end]] - ranks[order[start]] < difference:
            end += 1
        if end - start > 1 and end > last_end:
            groups.append(tuple(order[start:end]))
            last_end = end
    return groups
