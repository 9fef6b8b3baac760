"""Distributions of values among the known rows, those found, and the others."""

from typing import Any

import numpy as np
from scipy.stats import rankdata

from pucut._support.checks import BoolArray, FloatArray

N_BINS = 18
N_PROBABILITY_BINS = 20
# Values beyond these quantiles are counted in the first and the last bin.
FRAME = (0.005, 0.995)
# Numbers with so few different values are shown value by value.
FEW_VALUES = 8
# A number that is smaller than the largest one by this factor is shown as 0.
ROUNDING = 1e-12
MOST_CATEGORIES = 6

# The rows "known" to be positive, those "found" to be, the "other" ones and, if there are any, the
# known "negative" ones.
Groups = dict[str, BoolArray]


def distribution_of(
    values: FloatArray, categories: list[str] | None, groups: Groups
) -> dict[str, Any]:
    """Count the values of a column by group; those of a category are places in `categories`.

    The result has `edges` of bins, or `values` that are counted one by one, of which the last may
    stand for all others; `counts`, for each group, in which missing values are left out; and
    `medians`, which are None for categories and where a group has no value.
    """
    members = {name: values[rows & ~np.isnan(values)] for name, rows in groups.items()}
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
        return _distribution(None, [f"{value:.6g}" for value in distinct], counts, medians)
    edges = _edges(every)
    counts = {
        name: np.histogram(np.clip(inside, edges[0], edges[-1]), edges)[0].tolist()
        for name, inside in members.items()
    }
    return _distribution(edges.tolist(), None, counts, medians)


def _distribution(edges: Any, values: Any, counts: Any, medians: Any) -> dict[str, Any]:
    return {"edges": edges, "values": values, "counts": counts, "medians": medians}


def _median(inside: FloatArray, every: FloatArray) -> float | None:
    """Return the median, or 0 if it is a rounding error beside the largest value."""
    if not len(inside):
        return None
    median = float(np.median(inside))
    return 0.0 if abs(median) < ROUNDING * float(np.abs(every).max()) else median


def probabilities_of(probability: FloatArray, groups: Groups) -> dict[str, Any]:
    """Count probabilities in bins of equal width and take their means, by group."""
    members = {name: probability[rows] for name, rows in groups.items()}
    return {
        "counts": {
            name: np.histogram(inside, N_PROBABILITY_BINS, (0.0, 1.0))[0].tolist()
            for name, inside in members.items()
        },
        "means": {
            name: float(inside.mean()) if len(inside) else None for name, inside in members.items()
        },
    }


def _edges(values: FloatArray) -> FloatArray:
    low, high = np.quantile(values, FRAME)
    low = 0.0 if abs(low) < ROUNDING * abs(high) else low
    if not high > low:  # nearly all values are the same: the few others decide
        low, high = values.min(), values.max()
    # Halves first: the difference of two huge numbers may be infinite.
    return np.linspace(low / 2.0, high / 2.0, N_BINS + 1) * 2.0


def _of_categories(members: dict[str, FloatArray], categories: list[str]) -> dict[str, Any]:
    every = {name: _frequencies(inside, len(categories)) for name, inside in members.items()}
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
    return _distribution(None, shown, counts, dict.fromkeys(members))


def _frequencies(codes: FloatArray, n_categories: int) -> Any:
    return np.bincount(codes[codes >= 0].astype(np.intp), minlength=n_categories)


def separation_of(values: FloatArray, is_category: bool, groups: Groups) -> float:
    """Measure how far the rows found differ from the others: from 0, not at all, to 1, entirely.

    For numbers |2 A - 1|, with A the chance that a row found has the larger value; for categories
    the total variation distance. Where nothing was found, the known rows are compared.
    """
    is_seen = ~np.isnan(values)
    chosen = groups["found"] if groups["found"].any() else groups["known"]
    inside, outside = values[chosen & is_seen], values[groups["other"] & is_seen]
    if not len(inside) or not len(outside):
        return 0.0
    if is_category:
        n_categories = max(int(max(inside.max(), outside.max())) + 1, 1)
        first, second = (_frequencies(part, n_categories) / len(part) for part in (inside, outside))
        return float(np.abs(first - second).sum() / 2.0)
    ranks = rankdata(np.concatenate([inside, outside]))[: len(inside)]
    larger = (ranks.sum() - len(inside) * (len(inside) + 1) / 2.0) / (len(inside) * len(outside))
    return float(abs(2.0 * larger - 1.0))
