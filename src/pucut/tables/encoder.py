"""The reading of columns as a scikit-learn transformer."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from pucut.tables.columns import EncodedTable, encode_table, learn_columns, named_columns
from pucut.tables.errors import TableError
from pucut.tables.reading import InputTable


class ColumnEncoder(TransformerMixin, BaseEstimator):
    """Columns as they stand in a file, read as numbers and categories.

    Numbers with units, limits, decimal commas or separators of thousands, dates, categories and
    free text are recognised from all cells of a column. Identifiers and columns without information
    are left out. `transform` returns the data frame that `pucut classify` learns from, which every
    classifier of this package takes as X. Nothing is learned from labels.

    Parameters
    ----------
    kinds : mapping of str to str, optional
        The kind of some columns: "number", "category", "text" or "date", or "date=dmy", "date=mdy"
        or "date=ymd" with the order in which dates are written. Of other columns it is found.
    drop : sequence of str
        Columns not to use, such as that of the labels.
    ids : sequence of str
        Columns that name the rows; others are found by their names and cells.
    decimal : {".", ","}, optional
        The decimal sign of numbers in texts. By default it is found for each column.

    Attributes
    ----------
    features_ : tuple of Feature
        The columns that are used, and what was decided about each.
    ids_ : tuple of str
        The columns that name the rows.
    account_ : dict
        How each column is read: its kind and, where they matter, numerals, unit, order of dates,
        categories and number of gaps.
    notes_ : tuple of str
        What a person should know: columns that are not used, cells that could not be read.
    n_features_in_ : int
    feature_names_in_ : array of str

    Examples
    --------
    >>> import pandas as pd
    >>> from pucut.tables import ColumnEncoder
    >>> masses, days = ["12 kDa", "8,5 kDa", ""], ["1.5.2024", "", "3.5.2024"]
    >>> table = pd.DataFrame({"mass": masses, "day": days})
    >>> ColumnEncoder().fit_transform(table)
       mass      day
    0  12.0  19844.0
    1   8.5      NaN
    2   NaN  19846.0
    """

    def __init__(
        self,
        *,
        kinds: Mapping[str, str] | None = None,
        drop: Sequence[str] = (),
        ids: Sequence[str] = (),
        decimal: str | None = None,
    ) -> None:
        self.kinds = kinds
        self.drop = drop
        self.ids = ids
        self.decimal = decimal

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decide what each column is.

        Parameters
        ----------
        X : pandas.DataFrame or InputTable
            The table; `read_file` reads one from a file with all cells as texts.
        y : ignored
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Decide what each column is, and return the values."""
        table = as_input_table(X)
        for name in (*self.drop, *self.ids, *(self.kinds or {})):
            table.column(name, "column")
        encoded = learn_columns(
            table, ids=self.ids, ignored=self.drop, kinds=self.kinds, decimal=self.decimal
        )
        self.features_, self.ids_ = encoded.features, encoded.ids
        self.account_ = encoded.account()
        self.notes_ = (*table.notes, *encoded.notes, *encoded.lost)
        self.feature_names_in_ = np.array(table.frame.columns, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self._indexed(X, encoded)

    def transform(self, X: Any) -> Any:
        """Return the values of another table, read as that of `fit` was."""
        check_is_fitted(self)
        return self._indexed(X, encode_table(as_input_table(X), self.features_))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns that `transform` returns."""
        check_is_fitted(self)
        return np.array([*chain(*named_columns(self.features_).values())], dtype=object)

    def _indexed(self, X: Any, encoded: EncodedTable) -> Any:
        return encoded.X if isinstance(X, InputTable) else encoded.X.set_axis(X.index, axis=0)


def as_input_table(X: Any) -> InputTable:
    """Return a data frame as a table to be read."""
    if isinstance(X, InputTable):
        return X
    import pandas as pd

    if not isinstance(X, pd.DataFrame):
        raise TypeError(f"X must be a pandas DataFrame or an InputTable, found {type(X).__name__}")
    if not all(isinstance(name, str) for name in X.columns) or not X.columns.is_unique:
        raise TableError("the columns of X must have different names, which are texts")
    return InputTable("X", X.reset_index(drop=True))
