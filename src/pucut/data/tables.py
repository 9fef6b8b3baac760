"""Tables of numbers, categories and missing values, column by column, in any container.

Dense arrays, data frames and sparse matrices are read by view wherever their types allow. What was
learned about the columns of one table (`TableFormat`) is needed to read later rows of it.
"""

import numbers
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import _safe_indexing

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut.data.columns import (
    NUMBER_TYPES,
    Categories,
    Column,
    NotReadable,
    finite_or_missing,
    read_column,
    supported,
)

MOST_ROWS = np.iinfo(np.int32).max
# From here on the columns of a data frame are not looked at one by one.
_MANY_COLUMNS = 256


@dataclass(frozen=True, eq=False)
class TableFormat:
    """For each column its categories, smallest first, or None for a column of numbers."""

    categories: tuple[Categories | None, ...]

    @property
    def n_columns(self) -> int:
        return len(self.categories)

    @property
    def has_categories(self) -> bool:
        return any(known is not None for known in self.categories)

    @cached_property
    def n_categories(self) -> npt.NDArray[np.int32]:
        """The number of categories of each column, 0 for columns of numbers."""
        sizes = [0 if known is None else max(len(known), 1) for known in self.categories]
        return np.array(sizes, dtype=np.int32)

    def __getstate__(self) -> dict[str, Any]:
        return {"categories": self.categories}  # what follows from them is not written to files


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers, in which a category is its place in the format and NaN means missing."""

    n_rows: int
    values: tuple[Column, ...]
    rows: tuple[npt.NDArray[np.int32], ...]  # of the values, if the table is sparse; else empty
    format: TableFormat
    names: tuple[Any, ...] | None = None  # of the columns of a data frame
    array: npt.NDArray[Any] | None = None  # all columns, where X is an array of numbers or as good
    source: Any = None  # X itself, its rows in the same order; a sparse X as CSR or CSC
    is_strict: bool = True  # whether a reading that is not lenient gives the same
    # Numbers computed for each row from its values, such as its hash (`row_order`).
    kept: dict[str, npt.NDArray[Any]] = field(default_factory=dict, repr=False)

    def place(self, column: int) -> str:
        """Return the name of a column in errors."""
        return _place(column, self.names)

    def column(self, j: int) -> FloatArray:
        """Return a value of column j for every row, in a sparse table too."""
        values = np.asarray(self.values[j], dtype=np.float64)
        if self.rows:
            stored, values = values, np.zeros(self.n_rows)
            values[self.rows[j]] = stored
        return values

    @cached_property
    def compiled(self) -> dict[str, Any]:
        """The table as compiled code takes it."""
        return {
            "n_rows": self.n_rows,
            "values": list(self.values),
            "rows": list(self.rows),
            "n_categories": self.format.n_categories,
        }

    def of_rows(self, rows: IndexArray) -> "Table":
        """Return the table with these rows, some perhaps several times; categories stay."""
        source = _safe_indexing(self.source, rows)
        kept = {name: each[rows] for name, each in self.kept.items()}
        if self.rows:
            return replace(_read_sparse(source), format=self.format, kept=kept)
        array = None if self.array is None else supported(np.asarray(source))
        values = tuple(array.T) if array is not None else tuple(each[rows] for each in self.values)
        n_rows = len(rows)
        return replace(self, n_rows=n_rows, values=values, array=array, source=source, kept=kept)


def read_once(X: Any) -> Any:
    """Return X as a table that has been read (`as_table`), or X itself if it is something else."""
    table = as_table(X)
    return X if table is None else table


def source_of(rows: Any) -> Any:
    """Return the X of a table; anything else as it is."""
    return rows.source if isinstance(rows, Table) else rows


def as_table(X: Any) -> Table | None:
    """Return X as a table that was read leniently, or None if X is something else.

    Wrapped classifiers take texts, images and the like. A table has two dimensions, and its columns
    hold categories, dates without a time zone, or real numbers, none of them infinite.
    """
    if isinstance(X, Table):
        return X
    if isinstance(X, (list, tuple)):
        may_be_one = len({_row_length(row) for row in X}) == 1 and _row_length(X[0]) > 0
    elif sp.issparse(X) or is_frame(X):
        may_be_one = True
    else:
        may_be_one = hasattr(X, "__array__") and str(getattr(X, "device", "cpu")) == "cpu"
    try:
        return _read(X, None, None, is_lenient=True) if may_be_one else None
    except NotReadable:
        return None


def _row_length(row: Any) -> int:
    """Return the number of values of a row in a list of rows, 0 if it is something else."""
    if hasattr(row, "__array__"):
        return len(row) if row.ndim == 1 else 0
    if not isinstance(row, (list, tuple)):
        return 0
    return 0 if any(isinstance(cell, (list, tuple, np.ndarray)) for cell in row) else len(row)


def read_table(
    X: Any,
    known: TableFormat | None = None,
    *,
    categorical_features: Any = "from_dtype",
    is_lenient: bool = False,
) -> Table:
    """Read X; with `known`, as rows of a table that was read before.

    Columns of strings or other objects, and of the category types of pandas and polars, are
    categorical, as are those named by `categorical_features` (a mask, indices, or names of columns
    of a data frame). Categories that are not in `known` count as missing.

    `is_lenient` reads what is refused otherwise: dates are numbers, columns of any objects are
    categorical, and there may be any number of categories.

    A table that was read is not read again, unless it was read leniently and that matters here.
    """
    if isinstance(X, Table):
        if X.is_strict or is_lenient:
            return X
        X = X.source
    from_types = isinstance(categorical_features, str) and categorical_features == "from_dtype"
    try:
        return _read(X, known, None if from_types else categorical_features, is_lenient)
    except NotReadable as refusal:
        raise refusal.error from None


def _read(X: Any, known: TableFormat | None, chosen: Any, is_lenient: bool) -> Table:
    if sp.issparse(X):
        table = _read_sparse(X)
        if known is None and chosen is not None:
            raise ValueError("categorical_features needs dense X, found a sparse matrix")
        if known is not None:
            _check_width(known, table.format.n_columns)
            if known.has_categories:
                raise ValueError("X is sparse, but the forest was grown on categories")
        return table
    names: tuple[Any, ...] | None = None
    array: npt.NDArray[Any] | None = None
    if is_frame(X):
        names, shape = tuple(X.columns), (len(X), len(X.columns))
        if _is_wide_block(X):
            array = finite_or_missing(X.to_numpy())
    else:
        array = np.asarray(X)
        if array.ndim != 2:
            raise NotReadable(f"X must have two dimensions, found shape {array.shape}")
        shape = array.shape
        if array.dtype.kind in "biuf":
            finite_or_missing(array)
    _check_size(shape)
    if known is not None:
        _check_width(known, shape[1])
    is_chosen = chosen_columns(() if chosen is None else chosen, shape[1], names)
    if array is not None:
        array = supported(array)
        has_categories = is_chosen.any() if known is None else known.has_categories
        if array.dtype in NUMBER_TYPES and not has_categories:
            form = known or TableFormat((None,) * shape[1])
            return Table(len(array), tuple(array.T), (), form, names, array, X)
        columns: Any = array.T
    else:  # by number where names may repeat
        by_place = hasattr(X, "iloc")
        columns = [X.iloc[:, j] if by_place else X[name] for j, name in enumerate(names or ())]
    read = []
    for j, column in enumerate(columns):
        learned = None if known is None else known.categories[j]
        kind = (True if is_chosen[j] else None) if known is None else learned is not None
        read.append(read_column(column, learned, _place(j, names), kind, is_lenient))
    values, categories, is_strict = zip(*read, strict=True)
    form = TableFormat(categories)
    return Table(shape[0], values, (), form, names, None, X, is_strict=all(is_strict))


def _read_sparse(X: Any) -> Table:
    if X.ndim != 2:
        raise NotReadable(f"X must have two dimensions, found shape {X.shape}")
    if X.dtype.kind not in "biuf":
        raise NotReadable(f"X must hold real numbers, found a sparse matrix of dtype {X.dtype}")
    _check_size(X.shape)
    columns = X.tocsc()
    if not columns.has_canonical_format:
        if columns is X:
            columns = columns.copy()
        columns.sum_duplicates()
    data = finite_or_missing(supported(columns.data))
    places = np.asarray(columns.indices, dtype=np.int32)
    n_rows, n_columns = X.shape
    ends = columns.indptr
    ranges = [slice(ends[j], ends[j + 1]) for j in range(n_columns)]
    values, rows = (tuple(each[part] for part in ranges) for each in (data, places))
    source = X if X.format in ("csr", "csc") else columns
    return Table(int(n_rows), values, rows, TableFormat((None,) * n_columns), source=source)


def _check_size(shape: tuple[int, ...]) -> None:
    if not 1 <= shape[0] <= MOST_ROWS or shape[1] < 1:
        raise NotReadable(
            f"X must have 1 to {MOST_ROWS} rows and at least one column, found shape {tuple(shape)}"
        )


def _check_width(known: TableFormat, n_columns: int) -> None:
    if known.n_columns != n_columns:
        raise ValueError(
            f"X has {n_columns} features, but the forest was grown on {known.n_columns}"
        )


def _place(column: int, names: tuple[Any, ...] | None) -> str:
    return f"column {column if names is None else repr(names[column])} of X"


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame, of pandas or of polars."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _is_wide_block(X: Any) -> bool:
    """Return whether a data frame has many columns, all of one type of NumPy's.

    Taking columns out of a data frame one by one takes longer than everything else with them.
    """
    if X.shape[1] < _MANY_COLUMNS or not hasattr(X, "iloc"):
        return False
    kind, *others = set(X.dtypes)
    return not others and isinstance(kind, np.dtype) and kind.kind in "biuf"


def chosen_columns(
    chosen: Any, n_columns: int, names: Any, parameter: str = "categorical_features"
) -> BoolArray:
    """Return as a mask the columns that a mask, indices or, if there are any, names choose."""
    names = None if names is None else list(names)
    mask = np.zeros(n_columns, dtype=np.bool_)
    if isinstance(chosen, (str, bytes)) or not isinstance(chosen, Iterable):
        also = "'from_dtype', None, " if parameter == "categorical_features" else ""
        raise ValueError(
            f"{parameter} must be {also}a mask, or a list of indices or names, found {chosen!r}"
        )
    entries = list(chosen)
    if entries and all(isinstance(entry, (bool, np.bool_)) for entry in entries):
        if len(entries) != n_columns:
            raise ValueError(
                f"{parameter} is a mask of length {len(entries)}, but X has {n_columns} columns"
            )
        mask[:] = entries
        return mask
    for entry in entries:
        if isinstance(entry, str):
            if names is None or entry not in names:
                raise ValueError(
                    f"{parameter} names {entry!r}, which is not a column of X"
                    + (": X has no column names" if names is None else "")
                )
            mask[names.index(entry)] = True
        elif isinstance(entry, numbers.Integral) and -n_columns <= int(entry) < n_columns:
            mask[int(entry)] = True
        else:
            raise ValueError(
                f"{parameter} must hold column names or indices below {n_columns}, found {entry!r}"
            )
    return mask
