"""How values are distributed among the known rows, those found, and the others."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from pucut._support.checks import BoolArray, FloatArray

N_BINS = 18
N_PROBABILITY_BINS = 20
# What lies beyond these quantiles is counted in the first and the last bin.
FRAME = (0.005, 0.995)
# Numbers with so few different values are shown value by value.
FEW_VALUES = 8
# Next to the largest value in size, what is smaller than this by so much is 0.
ROUNDING = 1e-12
MOST_CATEGORIES = 6


@dataclass(frozen=True, eq=False)
class Groups:
    """Which rows were known to be positive, which were found to be, and which are the others.

    `negative` are the rows that are known to be negative, None if there are none.
    """

    known: BoolArray
    found: BoolArray
    other: BoolArray
    negative: BoolArray | None = None

    def members(self) -> dict[str, BoolArray]:
        groups = {"known": self.known, "found": self.found, "other": self.other}
        return groups if self.negative is None else groups | {"negative": self.negative}


@dataclass(frozen=True, eq=False)
class Distribution:
    """Counts of a column's values, by group.

    Attributes
    ----------
    edges : list of float or None
        Ends of the bins; None where values are counted one by one.
    values : list of str or None
        The values that are counted; the last may stand for all others.
    counts : dict of list of int
        For each group the rows in each bin or with each value. Missing values are in none.
    medians : dict of float or None
        For each group; None for categories, and where the group has no value.
    """

    edges: list[float] | None
    values: list[str] | None
    counts: dict[str, list[int]]
    medians: dict[str, float | None]


def distribution_of(
    values: FloatArray, categories: list[str] | None, groups: Groups
) -> Distribution:
    """Counts the values of a column; those of a category are places in `categories`."""
    members = {name: values[rows & ~np.isnan(values)] for name, rows in groups.members().items()}
    if categories is not None:
        return _of_categories(members, categories)
    every = values[~np.isnan(values)]
    medians = {name: _median(inside, every) for name, inside in members.items()}
    distinct = np.unique(every)
    if len(distinct) <= FEW_VALUES:
        counts = {
            name: [int(np.count_nonzero(inside == value)) for value in distinct]
            for name, inside in members.items()
        }
        return Distribution(None, [f"{value:.6g}" for value in distinct], counts, medians)
    edges = _edges(every)
    counts = {
        name: np.histogram(np.clip(inside, edges[0], edges[-1]), edges)[0].tolist()
        for name, inside in members.items()
    }
    return Distribution(edges.tolist(), None, counts, medians)


def _median(inside: FloatArray, every: FloatArray) -> float | None:
    """0 where it is rounding: no reader wants 8e-18 beside 0.9."""
    if not len(inside):
        return None
    median = float(np.median(inside))
    return 0.0 if abs(median) < ROUNDING * float(np.abs(every).max()) else median


@dataclass(frozen=True, eq=False)
class Probabilities:
    """How many rows of each group have a probability of a size, and the means; None of no rows."""

    counts: dict[str, list[int]]
    means: dict[str, float | None]


def probabilities_of(probability: FloatArray, groups: Groups) -> Probabilities:
    """Counts probabilities in bins of the same width from 0 to 1."""
    members = {name: probability[rows] for name, rows in groups.members().items()}
    return Probabilities(
        {
            name: np.histogram(inside, N_PROBABILITY_BINS, (0.0, 1.0))[0].tolist()
            for name, inside in members.items()
        },
        {name: float(inside.mean()) if len(inside) else None for name, inside in members.items()},
    )


def _edges(values: FloatArray) -> FloatArray:
    low, high = np.quantile(values, FRAME)
    low = 0.0 if abs(low) < ROUNDING * abs(high) else low
    if not high > low:  # nearly all are the same: the few others decide
        low, high = values.min(), values.max()
    # Halves first: the difference of two huge numbers may be infinite.
    return np.linspace(low / 2.0, high / 2.0, N_BINS + 1) * 2.0


def _of_categories(members: dict[str, FloatArray], categories: list[str]) -> Distribution:
    every = {
        name: np.bincount(inside[inside >= 0].astype(np.intp), minlength=len(categories))
        for name, inside in members.items()
    }
    total = np.sum(list(every.values()), axis=0)
    order = np.argsort(-total, kind="stable")
    order = order[total[order] > 0]
    kept, rest = order[:MOST_CATEGORIES], order[MOST_CATEGORIES:]
    shown = [categories[place] for place in kept]
    counts = {name: found[kept].tolist() for name, found in every.items()}
    if len(rest):
        shown.append(f"{len(rest)} others")
        for name, found in every.items():
            counts[name].append(int(found[rest].sum()))
    return Distribution(None, shown, counts, dict.fromkeys(members))


def separation_of(values: FloatArray, is_category: bool, groups: Groups) -> float:
    """How far the rows found differ from the others: 0 if not at all, 1 if entirely.

    For numbers |2 A - 1|, with A the chance that a row found has the larger value; for categories
    the total variation distance. Where nothing was found, the known rows are compared.
    """
    is_seen = ~np.isnan(values)
    chosen = groups.found if groups.found.any() else groups.known
    inside, outside = values[chosen & is_seen], values[groups.other & is_seen]
    if not len(inside) or not len(outside):
        return 0.0
    if is_category:
        n_categories = int(max(inside.max(), outside.max())) + 1
        shares = [
            np.bincount(part[part >= 0].astype(np.intp), minlength=max(n_categories, 1)) / len(part)
            for part in (inside, outside)
        ]
        return float(np.abs(shares[0] - shares[1]).sum() / 2.0)
    ranks = rankdata(np.concatenate([inside, outside]))[: len(inside)]
    larger = (ranks.sum() - len(inside) * (len(inside) + 1) / 2.0) / (len(inside) * len(outside))
    return float(abs(2.0 * larger - 1.0))
