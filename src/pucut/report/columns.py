"""The columns of the table given to `fit`: their values and weights."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import get_tags

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.arrow import is_arrow
from pucut.data.containers import checked_table
from pucut.data.encoding import learn_encoding
from pucut.data.tables import Table, read_table
from pucut.graphs.neighbors.equal_rows import group_equal_rows
from pucut.report.distributions import Groups, distribution_of, separation_of
from pucut.report.wording import count
from pucut.trees.feature_weights import weighted

# Columns that have a card, and whose values are on the page.
MOST_COLUMNS = 24
# Without weights of columns, so many columns are compared to find those that matter.
MOST_COMPARED = 5000


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
    """All columns.

    Attributes
    ----------
    sources : list of ColumnSource
        One for each column of X; empty where it has none that can be read, or holds similarities or
        distances.
    weights : float array, one for each column, or None where the method has none
    shown : list of dict
        The columns whose values are on the page: heaviest first, or those that separate most.
    points : array or sparse matrix or None
        The weighted features of all rows, or the graph where there are no columns.
    repeated : int array
        Rows that are equal to one before them in all columns.
    """

    sources: list[ColumnSource]
    weights: FloatArray | None
    shown: list[dict[str, Any]]
    points: Any
    repeated: npt.NDArray[np.intp]

    def kinds(self) -> dict[str, int]:
        """Count the columns of each kind in the table that X was read from."""
        return dict(Counter({source.column: source.kind for source in self.sources}.values()))

    def weight_of(self) -> dict[str, float]:
        """Return the weight of each column of that table, heaviest first."""
        if self.weights is None:
            return {}
        totals: dict[str, float] = {}
        for source, weight in zip(self.sources, self.weights, strict=True):
            totals[source.column] = totals.get(source.column, 0.0) + float(weight)
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
    none = np.zeros(0, dtype=np.intp)
    if get_tags(estimator).input_tags.pairwise:
        if feature_names is not None:
            raise ValueError("feature_names must be None where X is precomputed, found names")
        return ReadColumns([], None, [], graph, none)
    if is_arrow(X):
        X = checked_table(estimator, X, reset=False)
    X = X if hasattr(X, "shape") else _as_array(X)
    try:
        table = read_table(X)
        encoding, points = learn_encoding(table)
    except (TypeError, ValueError):  # only a wrapped classifier can read X
        return ReadColumns([], None, [], None, none)
    n_columns = table.format.n_columns
    names = _checked_names(feature_names, estimator, X, n_columns)
    weights = _importances(estimator, n_columns)
    known = [
        sources.get(name) or _source(name, table.format.categories[j])
        for j, name in enumerate(names)
    ]
    shown = [
        column_facts(
            table, j, names[j], known[j], None if weights is None else float(weights[j]), groups
        )
        for j in columns_shown(table, weights, groups)
    ]
    repeated = np.setdiff1d(np.arange(table.n_rows), group_equal_rows(points).first_members)
    features = getattr(estimator, "feature_weights_", None)
    if features is not None and len(features) == encoding.n_features:
        points = weighted(points, np.asarray(features, dtype=np.float64), in_place=True)
    return ReadColumns(known, weights, shown, points, repeated)


def _source(name: str, categories: Any) -> ColumnSource:
    if categories is None:
        return ColumnSource(name, "number", "numbers")
    return ColumnSource(name, "category", count(len(categories), "category", "categories"))


def _importances(estimator: Any, n_columns: int) -> FloatArray | None:
    """Return the weight of each column in the method, if it has such weights."""
    found = getattr(estimator, "feature_importances_", None)
    return None if found is None or len(found) != n_columns else np.asarray(found, np.float64)


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
        n_compared = min(table.format.n_columns, MOST_COMPARED)
        weights = np.array(
            [
                separation_of(_values_of(table, j), table.format.categories[j] is not None, groups)
                for j in range(n_compared)
            ]
        )
    return np.argsort(-weights, kind="stable")[:MOST_COLUMNS]


def _values_of(table: Table, number: int) -> FloatArray:
    """Return a column of a table, dense or sparse, with a value for every row."""
    values = np.asarray(table.values[number], dtype=np.float64)
    if not table.rows:
        return values
    dense = np.zeros(table.n_rows)
    dense[table.rows[number]] = values
    return dense


def column_facts(
    table: Table,
    number: int,
    name: str,
    source: ColumnSource,
    weight: float | None,
    groups: Groups,
) -> dict[str, Any]:
    """Describe one column of a table; `values` has its numbers, or places in `categories`."""
    values = _values_of(table, number)
    coded = table.format.categories[number]
    categories = None if coded is None else [str(category) for category in coded]
    is_missing = np.isnan(values)
    seen, labelled = values[~is_missing], values[groups["known"] & ~is_missing]
    is_number = categories is None
    return {
        "name": name,
        "kind": _kind(source, is_number),
        "text": source.text,
        "weight": weight,
        "n_missing": int(np.count_nonzero(is_missing)),
        "values": values,
        "categories": categories,
        "mean": _mean(seen) if is_number else 0.0,
        "mean_labelled": _mean(labelled) if is_number else 0.0,
        "deviation": float(seen.std()) if is_number and len(seen) else 0.0,
        "usual": -1 if is_number else _most_frequent(seen),
        "usual_labelled": -1 if is_number else _most_frequent(labelled),
        "separation": separation_of(values, not is_number, groups),
        "distribution": distribution_of(values, categories, groups),
    }


def _kind(source: ColumnSource, is_number: bool) -> str:
    if not is_number:
        return "category"
    return "date" if source.is_date else "text" if source.kind == "text" else "number"


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else 0.0


def _most_frequent(codes: FloatArray) -> int:
    usable: BoolArray = codes >= 0
    return int(np.argmax(np.bincount(codes[usable].astype(np.intp)))) if usable.any() else -1


def _as_array(X: Any) -> Any:
    """Read lists as `fit` does: numbers beside texts stay numbers."""
    array = np.asarray(X)
    return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
