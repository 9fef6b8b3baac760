"""Columns of numbers that may be codes of categories, such as 1, 2 and 3 for red, green and blue.

Nothing in the numbers says whether their order means something. So a table of such columns is
looked at in both ways, and labels decide (`pucut.semi_supervised`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray, is_sparse

# Columns with two values are the same either way, and many values are hardly codes.
LEAST_VALUES, MOST_VALUES = 3, 12
# More columns would be slow.
MOST_INDICATORS = 200
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
    if is_sparse(points):
        return None
    distinct = [_few_values(column) for column in points.T]
    is_coded = [values is not None and len(values) >= LEAST_VALUES for values in distinct]
    n_few = sum(values is not None for values in distinct)
    values = tuple(
        found if coded and found is not None else np.empty(0)
        for found, coded in zip(distinct, is_coded, strict=True)
    )
    n_indicators = sum(map(len, values))
    if not 0 < n_indicators <= MOST_INDICATORS or 2 * n_few < points.shape[1]:
        return None
    indicators = _indicators(points, values)
    return CodedCategories(values, indicators.mean(axis=0), indicators.std(axis=0))


def _few_values(column: FloatArray) -> FloatArray | None:
    if len(np.unique(column[:_FIRST_ROWS])) > MOST_VALUES:
        return None
    found = np.unique(column)
    return found if len(found) <= MOST_VALUES else None


def _indicators(points: Any, values: tuple[FloatArray, ...]) -> Any:
    columns = [points[:, place] == each for place, known in enumerate(values) for each in known]
    return np.column_stack(columns).astype(points.dtype)
