"""The columns of the table given to `fit`: their values, weights and distributions."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from sklearn.utils import get_tags

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.arrow import is_arrow
from pucut.data.containers import checked_table
from pucut.data.encoding import learn_encoding
from pucut.data.tables import Table, read_table
from pucut.graphs.neighbors.equal_rows import group_equal_rows
from pucut.report.values import count
from pucut.trees.feature_weights import weighted

# Columns that have a card, and whose values are on the page.
MOST_COLUMNS = 24
# Without weights of columns, so many columns are compared to find those that matter.
MOST_COMPARED = 5000
N_BINS = 18
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


@dataclass(frozen=True)
class ColumnSource:
    """A column of X as it stood in the table that X was read from.

    Attributes
    ----------
    column : str
        The column of that table. Several columns of X may come from one, such as a date and its
        weekday.
    kind : str
        What that column holds: "number", "category", "date", "text" or another word.
    text : str
        What the column of X is, in words, such as "number in kDa".
    is_date : bool
        Whether its numbers are days since 1970; they are shown as dates.
    """

    column: str
    kind: str
    text: str
    is_date: bool = False


@dataclass(frozen=True, eq=False)
class ReadColumns:
    """All columns; none where X holds similarities, or only a wrapped classifier can read it."""

    # The weighted features of all rows, or the graph where there are no columns.
    points: Any = None
    sources: list[ColumnSource] = field(default_factory=list)  # one for each column of X
    weights: FloatArray | None = None  # one for each column; None where the method has none
    # The columns whose values are on the page: heaviest first, or those that separate most.
    shown: list[dict[str, Any]] = field(default_factory=list)
    # Rows that are equal to one before them in all columns.
    repeated: npt.NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def kinds(self) -> dict[str, int]:
        """Count the columns of each kind in the table that X was read from."""
        return dict(Counter({source.column: source.kind for source in self.sources}.values()))

    def weight_of(self) -> dict[str, float]:
        """Return the weight of each column of that table, heaviest first."""
        totals: dict[str, float] = {}
        for place, weight in enumerate(() if self.weights is None else self.weights):
            column = self.sources[place].column
            totals[column] = totals.get(column, 0.0) + float(weight)
        return dict(sorted(totals.items(), key=lambda item: -item[1]))


def read_columns(
    estimator: Any,
    X: Any,
    graph: Any,
    groups: Groups,
    feature_names: Any,
    sources: Mapping[str, ColumnSource],
) -> ReadColumns:
    """Read the table given to `fit`."""
    if get_tags(estimator).input_tags.pairwise:
        if feature_names is not None:
            raise ValueError("feature_names must be None where X is precomputed, found names")
        return ReadColumns(graph)
    try:
        if is_arrow(X) or not hasattr(X, "shape"):
            X = checked_table(estimator, X, reset=False)
        table = read_table(X)
        encoding, points = learn_encoding(table)
    except (TypeError, ValueError):  # only a wrapped classifier can read X
        return ReadColumns()
    n_columns = table.format.n_columns
    names = _checked_names(feature_names, estimator, X, n_columns)
    weights = getattr(estimator, "feature_importances_", None)
    if weights is not None:
        weights = np.asarray(weights, np.float64) if len(weights) == n_columns else None
    known = [
        sources.get(name) or _source(name, categories)
        for name, categories in zip(names, table.format.categories, strict=True)
    ]
    shown = []
    for j in columns_shown(table, weights, groups):
        weight = None if weights is None else float(weights[j])
        shown.append(column_facts(table, j, names[j], known[j], weight, groups))
    repeated = np.setdiff1d(np.arange(table.n_rows), group_equal_rows(points).first_members)
    features = getattr(estimator, "feature_weights_", None)
    if features is not None and len(features) == encoding.n_features:
        points = weighted(points, np.asarray(features, dtype=np.float64), in_place=True)
    return ReadColumns(points, known, weights, shown, repeated)


def _source(name: str, categories: Any) -> ColumnSource:
    if categories is None:
        return ColumnSource(name, "number", "numbers")
    return ColumnSource(name, "category", count(len(categories), "category", "categories"))


def _checked_names(passed: Any, estimator: Any, X: Any, n_columns: int) -> list[str]:
    """Return the names of the columns: those passed, else those of the table, else numbers."""
    if passed is None:
        passed = getattr(estimator, "feature_names_in_", getattr(X, "columns", None))
    if passed is None:
        return [f"column {number}" for number in range(n_columns)]
    names = [str(name) for name in passed]
    if len(names) != n_columns:
        raise ValueError(
            f"feature_names must name the {n_columns} columns of X, found {len(names)} names"
        )
    return names


def columns_shown(table: Table, weights: FloatArray | None, groups: Groups) -> npt.NDArray[np.intp]:
    """Choose the columns on the page: those that weigh or separate most, ties by number."""
    if weights is None:
        compared = enumerate(table.format.categories[:MOST_COMPARED])
        apart = [separation_of(table.column(j), c is not None, groups) for j, c in compared]
        weights = np.array(apart)
    return np.argsort(-weights, kind="stable")[:MOST_COLUMNS]


def column_facts(
    table: Table,
    number: int,
    name: str,
    source: ColumnSource,
    weight: float | None,
    groups: Groups,
) -> dict[str, Any]:
    """Describe one column of a table; `values` has its numbers, or places in `categories`."""
    values, coded = table.column(number), table.format.categories[number]
    is_seen = ~np.isnan(values)
    seen, labelled = values[is_seen], values[is_seen & groups["known"]]
    facts: dict[str, Any] = {
        "name": name,
        "kind": "date" if source.is_date else "text" if source.kind == "text" else "number",
        "text": source.text,
        "weight": weight,
        "n_missing": len(values) - len(seen),
        "values": values,
        "categories": None,
        "mean": float(seen.mean()) if len(seen) else 0.0,
        "mean_labelled": float(labelled.mean()) if len(labelled) else 0.0,
        "deviation": float(seen.std()) if len(seen) else 0.0,
        "usual": -1,
        "usual_labelled": -1,
    }
    if coded is not None:
        facts |= dict.fromkeys(("mean", "mean_labelled", "deviation"), 0.0)
        facts |= {"kind": "category", "categories": [str(category) for category in coded]}
        facts |= {"usual": _most_frequent(seen), "usual_labelled": _most_frequent(labelled)}
    return facts | {
        "separation": separation_of(values, coded is not None, groups),
        "distribution": distribution_of(values, facts["categories"], groups),
    }


def _frequencies(codes: FloatArray, n_categories: int = 0) -> npt.NDArray[np.intp]:
    return np.bincount(codes[codes >= 0].astype(np.intp), minlength=n_categories)


def _most_frequent(codes: FloatArray) -> int:
    counts = _frequencies(codes)
    return int(np.argmax(counts)) if len(counts) else -1


def distribution_of(
    values: FloatArray, categories: list[str] | None, groups: Groups
) -> dict[str, Any]:
    """Count the values of a column by group; those of a category are places in `categories`.

    The result has `edges` of bins, or `values` that are counted one by one, of which the last may
    stand for all others; `counts`, for each group, in which missing values are left out; and
    `medians`, which are None for categories and where a group has no value.
    """
    members = {name: values[rows & ~np.isnan(values)] for name, rows in groups.items()}
    every = values[~np.isnan(values)]
    distinct, edges, shown = np.unique(every), None, None
    medians = {name: _median(inside, every) for name, inside in members.items()}
    if categories is not None:
        shown, counts = _of_categories(members, categories)
        medians = dict.fromkeys(members)
    elif len(distinct) <= FEW_VALUES:
        shown = [f"{value:.6g}" for value in distinct]
        counts = {
            name: np.bincount(np.searchsorted(distinct, inside), minlength=len(distinct)).tolist()
            for name, inside in members.items()
        }
    else:
        edges = _edges(every).tolist()
        counts = {
            name: np.histogram(np.clip(inside, edges[0], edges[-1]), edges)[0].tolist()
            for name, inside in members.items()
        }
    return {"edges": edges, "values": shown, "counts": counts, "medians": medians}


def _median(inside: FloatArray, every: FloatArray) -> float | None:
    """Return the median, or 0 if it is a rounding error beside the largest value."""
    if not len(inside):
        return None
    median = float(np.median(inside))
    return 0.0 if abs(median) < ROUNDING * float(np.abs(every).max()) else median


def _edges(values: FloatArray) -> FloatArray:
    low, high = np.quantile(values, FRAME)
    low = 0.0 if abs(low) < ROUNDING * abs(high) else low
    if not high > low:  # nearly all values are the same: the few others decide
        low, high = values.min(), values.max()
    # Halves first: the difference of two huge numbers may be infinite.
    return np.linspace(low / 2.0, high / 2.0, N_BINS + 1) * 2.0


def _of_categories(
    members: dict[str, FloatArray], categories: list[str]
) -> tuple[list[str], dict[str, list[int]]]:
    """Return the most frequent categories, the last for all others, and their counts by group."""
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
    return shown, counts


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
