"""The columns of the table as the page shows them: weights, means, and values of every row."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.tables import Table

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
