"""Columns of numbers that may be codes of categories, such as 1, 2 and 3 for red, green and blue.

Nothing in the numbers says whether their order means something. So a table of such columns is
looked at in both ways, and labels decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray, is_sparse

COLUMNS_AS_CATEGORIES = "columns as categories"

# Columns with two values are the same either way, and many values are hardly codes.
LEAST_VALUES, MOST_VALUES = 3, 12
# More columns would be slow.
MOST_INDICATORS = 300
# A column that has too many values shows it here.
_FIRST_ROWS = 200

# The values of a column, ascending, and how many rows have each; None if they are too many.
ValueCounts = tuple[FloatArray, npt.NDArray[np.int64]] | None


@dataclass(frozen=True, eq=False)
class CodedCategories:
    """The columns of points that are taken as codes, and the indicators in their place."""

    values: tuple[FloatArray, ...]  # of each column, rising; none of a column that stays
    mean: FloatArray  # of each indicator: they are standardised like other columns
    scale: FloatArray

    @property
    def n_indicators(self) -> int:
        return len(self.mean)

    @property
    def n_columns(self) -> int:
        """The number of columns of the points with indicators."""
        return sum(not len(values) for values in self.values) + self.n_indicators

    def of(self, points: Any) -> Any:
        """Return the columns that are not coded, then an indicator for each value of the others.

        A value that is not known has no indicator.
        """
        rest = [place for place, values in enumerate(self.values) if not len(values)]
        columns = zip(points.T, self.values, strict=True)
        indicators = [column == each for column, values in columns for each in values]
        found = np.column_stack([points[:, rest], *indicators]).astype(points.dtype)
        found[:, len(rest) :] -= self.mean
        found[:, len(rest) :] /= self.scale
        return found


def coded_categories(points: Any) -> CodedCategories | None:
    """Return None unless at least half of the columns have few values, and some more than two."""
    return None if is_sparse(points) else categories_of_parts([value_counts(points)])


def value_counts(points: Any) -> list[ValueCounts]:
    """Return the values of each column of the rows."""
    return [_few_values(column) for column in points.T]


def categories_of_parts(parts: Sequence[list[ValueCounts]]) -> CodedCategories | None:
    """Return `coded_categories` of rows that lie in several parts, from the values of each."""
    columns = [_merged(of_parts) for of_parts in zip(*parts, strict=True)]
    few = [column for column in columns if column is not None]
    coded = [counts for values, counts in few if len(values) >= LEAST_VALUES]
    n_indicators = sum(map(len, coded))
    if not 0 < n_indicators <= MOST_INDICATORS or 2 * len(few) < len(columns):
        return None
    shares = np.concatenate(coded) / coded[0].sum()
    values = tuple(
        np.empty(0) if column is None or len(column[0]) < LEAST_VALUES else column[0]
        for column in columns
    )
    return CodedCategories(values, shares, np.sqrt(shares * (1.0 - shares)))


def _merged(parts: Sequence[ValueCounts]) -> ValueCounts:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    all_values, all_counts = (np.concatenate(each) for each in zip(*known, strict=True))
    values, place = np.unique(all_values, return_inverse=True)
    counts = np.bincount(place, weights=all_counts).astype(np.int64)
    return (values, counts) if len(values) <= MOST_VALUES else None


def _few_values(column: FloatArray) -> ValueCounts:
    if len(np.unique(column[:_FIRST_ROWS])) > MOST_VALUES:
        return None
    values, counts = np.unique(column, return_counts=True)
    return (values, counts) if len(values) <= MOST_VALUES else None
