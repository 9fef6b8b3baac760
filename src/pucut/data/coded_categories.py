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


@dataclass(frozen=True, eq=False)
class CodedCategories:
    """Which columns of points are taken as codes, and what stands in their place.

    Attributes
    ----------
    values : tuple of float arrays, one per column of the points
        The values of a column that is coded, in ascending order; empty for others, which stay.
    mean, scale : float arrays of shape (n_indicators,)
        Of the indicators of all values, by which they are standardised like other columns.
    """

    values: tuple[FloatArray, ...]
    mean: FloatArray
    scale: FloatArray

    @property
    def n_indicators(self) -> int:
        return len(self.mean)

    @property
    def n_columns(self) -> int:
        """Of the points with indicators."""
        return sum(not len(values) for values in self.values) + self.n_indicators

    def of(self, points: Any) -> Any:
        """The columns that are not coded, then an indicator for each value of the others.

        A value that is not known has no indicator.
        """
        rest = [place for place, values in enumerate(self.values) if not len(values)]
        found = np.hstack([points[:, rest], _indicators(points, self.values)])
        found[:, len(rest) :] -= self.mean
        found[:, len(rest) :] /= self.scale
        return found


def coded_categories(points: Any) -> CodedCategories | None:
    """None unless at least half of the columns have few values, and some of them more than two."""
    return None if is_sparse(points) else categories_of_parts([value_counts(points)])


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """The values of a column in ascending order, and in how many rows each stands."""

    values: FloatArray
    counts: npt.NDArray[np.int64]


def value_counts(points: Any) -> list[ValueCounts | None]:
    """Of each column of the rows; None if it has too many values to be coded."""
    return [_few_values(column) for column in points.T]


def categories_of_parts(parts: Sequence[list[ValueCounts | None]]) -> CodedCategories | None:
    """`coded_categories` of rows that lie in several parts, from the values of each."""
    columns = [_merged(of_parts) for of_parts in zip(*parts, strict=True)]
    few = [column for column in columns if column is not None]
    coded = [column for column in few if len(column.values) >= LEAST_VALUES]
    n_indicators = sum(len(column.values) for column in coded)
    if not 0 < n_indicators <= MOST_INDICATORS or 2 * len(few) < len(columns):
        return None
    n_rows = coded[0].counts.sum()
    shares = np.concatenate([column.counts for column in coded]) / n_rows
    values = tuple(
        np.empty(0) if column is None or len(column.values) < LEAST_VALUES else column.values
        for column in columns
    )
    return CodedCategories(values, shares, np.sqrt(shares * (1.0 - shares)))


def _merged(parts: Sequence[ValueCounts | None]) -> ValueCounts | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    values, place = np.unique(np.concatenate([part.values for part in known]), return_inverse=True)
    if len(values) > MOST_VALUES:
        return None
    counts = np.bincount(place, weights=np.concatenate([part.counts for part in known]))
    return ValueCounts(values, counts.astype(np.int64))


def _few_values(column: FloatArray) -> ValueCounts | None:
    if len(np.unique(column[:_FIRST_ROWS])) > MOST_VALUES:
        return None
    values, counts = np.unique(column, return_counts=True)
    return ValueCounts(values, counts) if len(values) <= MOST_VALUES else None


def _indicators(points: Any, values: tuple[FloatArray, ...]) -> Any:
    columns = [points[:, place] == each for place, known in enumerate(values) for each in known]
    return np.column_stack(columns).astype(points.dtype)
