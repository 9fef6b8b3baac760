"""Rows that a table holds more than once, and which of them folds must keep together.

A score is out of sample only if the model has not seen a copy of the row either, since copies
share their label. So folds keep copies together. In a table of few values, different samples happen
to be equal, and each was labelled or not by itself: unlabelled positives do profit from an equal
labelled row, and held-out rows without one would look harder than they are.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, IndexArray
from pucut.data.row_order import table_hashes
from pucut.data.tables import as_table
from pucut.exceptions import RepeatedRowsWarning

# Rows equal to a labelled one are copies if this share of them is labelled too. If each was
# labelled by itself, the share is at most that of the labelled among the positives.
COPIES_AGREE = 0.9
# A table has few values if its different rows stand more often than this on average.
MOST_COPIES = 10
# Copies are said to be copies, and worth a warning, if they are this share of the rows, and of the
# labelled ones.
MANY_COPIES = 0.1


@dataclass(frozen=True)
class Repeats:
    """Numbers of rows that have an equal one in the table."""

    n_rows: int
    n_labelled: int
    n_repeated: int  # rows that are equal to some other row
    n_labelled_repeated: int
    n_distinct: int  # different rows among the repeated ones
    agreement: float  # the share of labelled rows among those equal to one; NaN if there are none

    @property
    def has_few_values(self) -> bool:
        """Tell whether there are so few different rows that equal ones mean nothing."""
        n_different = self.n_rows - self.n_repeated + self.n_distinct
        return n_different * MOST_COPIES < self.n_rows

    @property
    def are_copies(self) -> bool:
        """Tell whether there are labels enough to say that equal rows are copies."""
        agree = self.agreement >= COPIES_AGREE and not self.has_few_values
        return agree and self.n_labelled_repeated >= MANY_COPIES * self.n_labelled

    def __str__(self) -> str:
        if not self.n_repeated:
            return f"All {self.n_rows} rows are different."
        equal = f"{self.n_repeated} of {self.n_rows} rows are equal to another row"
        if self.are_copies:
            return (
                f"{equal}, label included: {self.n_distinct} rows and their copies. No row is "
                "judged by a model that has seen a copy of it, but every copy counts in the share "
                "of positives."
            )
        equal = f"{equal} in every column that is used ({self.n_distinct} different rows)"
        apart = "each counts as a sample of its own."
        if self.agreement < COPIES_AGREE:
            return f"{equal}. They are labelled or not one by one, so {apart}"
        if self.has_few_values:
            return f"{equal}. With so few different rows, {apart}"
        return f"{equal}. Hardly any is labelled, so they may be copies: folds keep them together."


def repeats(groups: IndexArray, is_labelled: BoolArray) -> Repeats:
    """Count the rows that are equal to others, by their numbers from `equal_rows`."""
    sizes = np.bincount(groups)
    return Repeats(
        n_rows=len(groups),
        n_labelled=int(is_labelled.sum()),
        n_repeated=int(sizes[sizes > 1].sum()),
        n_labelled_repeated=int((is_labelled & (sizes[groups] > 1)).sum()),
        n_distinct=int((sizes > 1).sum()),
        agreement=_agreement(groups, is_labelled),
    )


def warn_of_copies(found: Repeats) -> None:
    """Warn if many rows are copies of others."""
    if found.are_copies and found.n_repeated >= MANY_COPIES * found.n_rows:
        warnings.warn(
            f"{found} If they are the same samples twice, drop them first "
            "(DataFrame.drop_duplicates); if not, ignore pucut.exceptions.RepeatedRowsWarning.",
            RepeatedRowsWarning,
            stacklevel=2,
        )


def equal_rows(X: Any, n_threads: int = 1) -> IndexArray:
    """Return a number for each row, the same for equal ones, counted by first appearance.

    Rows that are no table (`as_table`) count as different.
    """
    table = as_table(X)
    if table is None:
        return np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
    return numbered(table_hashes(table, n_threads))


def groups_for_folds(X: Any, is_labelled: BoolArray, n_threads: int = 1) -> IndexArray:
    """Return the group of each row: rows of a group belong into one fold.

    Copies are a group, and every other row is one by itself. If no labelled row has an equal one,
    nothing speaks against copies, and equal rows are kept together. Groups are counted by first
    appearance, so that without copies they are the numbers of the rows.
    """
    return groups_of_equal_rows(equal_rows(X, n_threads), is_labelled)


def groups_of_equal_rows(groups: IndexArray, is_labelled: BoolArray) -> IndexArray:
    """Return `groups_for_folds` of rows that are numbered by `equal_rows`."""
    labelled_apart = _agreement(groups, is_labelled) < COPIES_AGREE
    few_values = (int(groups.max()) + 1) * MOST_COPIES < len(groups)
    return np.arange(len(groups)) if labelled_apart or few_values else groups


def numbered(values: npt.NDArray[Any]) -> IndexArray:
    """Return the values as whole numbers from 0, by first appearance."""
    _, first, place = np.unique(values, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.intp)
    number[np.argsort(first)] = np.arange(len(first))
    return number[place.reshape(-1)]


def labelled_groups(groups: IndexArray, is_labelled: BoolArray) -> BoolArray:
    """Tell for each group whether it has a labelled row."""
    return np.asarray(np.bincount(groups, weights=is_labelled) > 0.0)


def possible_folds(n_folds: int, groups: IndexArray, is_labelled: BoolArray) -> int:
    """Return the number of folds, at most that of groups with a label or of those without."""
    has_label = labelled_groups(groups, is_labelled)
    n_labelled = int(has_label.sum())
    return min(n_folds, n_labelled, len(has_label) - n_labelled)


def _agreement(groups: IndexArray, is_labelled: BoolArray) -> float:
    """Return the share of labelled rows among those equal to one, NaN if there are none."""
    sizes = np.bincount(groups)
    n_labelled = np.bincount(groups, weights=is_labelled)
    of_labelled = groups[is_labelled & (sizes[groups] > 1)]
    if not len(of_labelled):
        return math.nan
    return float(((n_labelled[of_labelled] - 1.0) / (sizes[of_labelled] - 1.0)).mean())
