"""The columns of the table as the page shows them: weights, means, and values of every row."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import get_tags

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.encoding import learn_encoding
from pucut.data.tables import Table, read_table
from pucut.trees.feature_weights import weighted

# The values of all rows are on the page for so many columns that there are no more cells than this.
MOST_CELLS = 800_000
FEWEST_COLUMNS = 4
MOST_COLUMNS = 40


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """One column.

    Attributes
    ----------
    name : str
    weight : float
        Sum of the weights of its encoded features.
    values : float array of shape (n_samples,)
        Numbers, or places in `categories`; NaN where the value is missing.
    categories : list of str or None
    mean, mean_labelled, deviation : float
        Of the numbers of all rows, of the labelled ones, and their standard deviation; 0 for
        categories and where all is missing.
    usual, usual_labelled : int
        The most frequent categories, among all rows and the labelled ones; -1 for numbers.
    """

    name: str
    weight: float
    values: FloatArray
    categories: list[str] | None
    mean: float
    mean_labelled: float
    deviation: float
    usual: int
    usual_labelled: int


@dataclass(frozen=True, eq=False)
class Columns:
    """All columns.

    Attributes
    ----------
    names : list of str
        Empty where there are no columns, because X holds similarities or distances.
    weights : float array, one for each name
    shown : list of ColumnFacts
        Those whose values are on the page, heaviest first.
    points : array or sparse matrix
        The weighted features of all rows, or the graph where there are no columns.
    """

    names: list[str]
    weights: FloatArray
    shown: list[ColumnFacts]
    points: Any


def columns_of(
    estimator: Any, X: Any, graph: Any, is_labelled: BoolArray, feature_names: Any
) -> Columns:
    """Reads the table given to `fit`."""
    if get_tags(estimator).input_tags.pairwise:
        if feature_names is not None:
            raise ValueError("feature_names must be None where X is precomputed, found names")
        return Columns([], np.zeros(0), [], graph)
    X = X if hasattr(X, "shape") else _as_array(X)
    table = read_table(X)
    encoding, points = learn_encoding(table)
    weights = estimator.feature_weights_
    if weights is None or len(weights) != encoding.n_features:  # a graph that does without them
        weights = np.ones(encoding.n_features)
    n_columns = table.format.n_columns
    names = checked_names(feature_names, estimator, X, n_columns)
    by_column = weights_of_columns(weights, encoding.column, n_columns)
    shown = [
        column_facts(table, j, names[j], float(by_column[j]), is_labelled)
        for j in columns_shown(by_column, len(is_labelled))
    ]
    return Columns(names, by_column, shown, weighted(points, weights, in_place=True))


def checked_names(given: Any, estimator: Any, X: Any, n_columns: int) -> list[str]:
    """The names of the columns: those given, else those of the table, else their numbers."""
    if given is None:
        given = getattr(estimator, "feature_names_in_", None)
    if given is None:
        given = getattr(X, "columns", None)
    if given is None:
        return [f"column {number}" for number in range(n_columns)]
    names = [str(name) for name in given]
    if len(names) != n_columns:
        raise ValueError(
            f"feature_names must name the {n_columns} columns of X, found {len(names)} names"
        )
    return names


def weights_of_columns(weights: FloatArray, column: Any, n_columns: int) -> FloatArray:
    """The weights of encoded features, summed by the column they come from."""
    totals: FloatArray = np.bincount(column, weights=weights, minlength=n_columns).astype(
        np.float64
    )
    return totals


def columns_shown(weights: FloatArray, n_samples: int) -> npt.NDArray[np.intp]:
    """The columns whose values are put on the page: those with most weight, ties by number."""
    n_shown = int(np.clip(MOST_CELLS // n_samples, FEWEST_COLUMNS, MOST_COLUMNS))
    return np.argsort(-weights, kind="stable")[:n_shown]


def column_facts(
    table: Table, number: int, name: str, weight: float, is_labelled: BoolArray
) -> ColumnFacts:
    """Reads one column of a table, dense or sparse."""
    values = np.asarray(table.values[number], dtype=np.float64)
    if table.rows:
        stored, values = values, np.zeros(table.n_rows)
        values[table.rows[number]] = stored
    categories = table.format.categories[number]
    known, known_labelled = values[~np.isnan(values)], values[is_labelled & ~np.isnan(values)]
    if categories is not None:
        return ColumnFacts(
            name,
            weight,
            values,
            [str(category) for category in categories],
            0.0,
            0.0,
            0.0,
            _most_frequent(known),
            _most_frequent(known_labelled),
        )
    return ColumnFacts(
        name,
        weight,
        values,
        None,
        float(known.mean()) if len(known) else 0.0,
        float(known_labelled.mean()) if len(known_labelled) else 0.0,
        float(known.std()) if len(known) else 0.0,
        -1,
        -1,
    )


def _most_frequent(codes: FloatArray) -> int:
    return int(np.argmax(np.bincount(codes.astype(np.intp)))) if len(codes) else -1


def _as_array(X: Any) -> Any:
    """Lists as `fit` reads them: numbers beside texts stay numbers."""
    array = np.asarray(X)
    return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
