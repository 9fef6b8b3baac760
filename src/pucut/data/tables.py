"""Tables of numbers, categories and missing values, column by column, for the native trees.

Dense arrays, data frames and sparse matrices are read by view wherever their types allow. What was
learned about the columns when a forest was grown (`TableFormat`) is needed to read later rows.
"""

import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import assert_all_finite

from pucut._support.checks import BoolArray, is_missing
from pucut.data.row_hashes import Hashes, row_hashes

MOST_CATEGORIES = 255  # per column, as in scikit-learn's histogram trees
MOST_ROWS = np.iinfo(np.int32).max

# Read as they are; others are converted to the first of these that holds them.
_TYPES = tuple(np.dtype(kind) for kind in ("f4", "f8", "u1", "i4", "i8"))

# From here on the columns of a data frame are not looked at one by one.
_MANY_COLUMNS = 256
# Of a value that is named in an error.
_SHOWN = 40

Column = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class TableFormat:
    """For each column its categories, smallest first, or None for a column of numbers."""

    categories: tuple[npt.NDArray[np.object_] | None, ...]

    @property
    def n_columns(self) -> int:
        return len(self.categories)

    @property
    def has_categories(self) -> bool:
        return any(known is not None for known in self.categories)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers, in which a category is its place in the format and NaN means missing."""

    n_rows: int
    values: tuple[Column, ...]
    # The rows of the values, if the table is sparse; otherwise empty.
    rows: tuple[npt.NDArray[np.int32], ...]
    format: TableFormat
    # Of the columns of a data frame.
    names: tuple[Any, ...] | None = None
    # All columns, where X is an array of numbers or is as good as one.
    array: npt.NDArray[Any] | None = None

    def place(self, column: int) -> str:
        """The name of a column in errors."""
        return _place(column, self.names)

    def hashes(self, n_threads: int = 1) -> Hashes:
        """Return a number for each row that depends on its values alone, computed once."""
        known: Hashes | None = vars(self).get("_hashes")
        if known is None:
            known = row_hashes(self.n_rows, self.values, self.rows, n_threads=n_threads)
            vars(self)["_hashes"] = known
        return known


def read_table(
    X: Any,
    known: TableFormat | None = None,
    *,
    categorical_features: Any = "from_dtype",
    is_lenient: bool = False,
) -> Table:
    """Reads `X`; with `known`, as rows of a table that was read before.

    Columns of strings or other objects, and of the category types of pandas and polars, are
    categorical, as are those named by `categorical_features` (a mask, indices, or names of columns
    of a data frame). Categories that are not in `known` count as missing.

    `is_lenient` reads what is refused otherwise: dates are numbers, columns of any objects are
    categorical, and there may be any number of categories.
    """
    if isinstance(X, Table):
        return X
    names: tuple[Any, ...] | None = None
    array: npt.NDArray[Any] | None = None
    if sp.issparse(X):
        table = _read_sparse(X)
        if known is None and _is_given(categorical_features):
            raise ValueError("categorical_features needs dense X, found a sparse matrix")
        return table if known is None else _with_format(table, known)
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        names = tuple(X.columns)
        n_rows = len(X)
        if is_wide_block(X):
            array = _supported(_finite_or_missing(X.to_numpy()))
            columns = list(array.T)
        else:
            # By number where names may repeat.
            by_place = hasattr(X, "iloc")
            columns = [X.iloc[:, j] if by_place else X[name] for j, name in enumerate(names)]
    else:
        array = np.asarray(X)
        if array.ndim != 2:
            raise ValueError(f"X must have two dimensions, found shape {array.shape}")
        if array.dtype.kind in "biuf":
            array = _finite_or_missing(array)
        n_rows, array = len(array), _supported(array)
        columns = list(array.T)
    if n_rows < 1 or n_rows > MOST_ROWS or not columns:
        raise ValueError(
            f"X must have 1 to {MOST_ROWS} rows and at least one column, found "
            f"shape ({n_rows}, {len(columns)})"
        )
    if known is not None and known.n_columns != len(columns):
        raise ValueError(
            f"X has {len(columns)} features, but the forest was grown on {known.n_columns}"
        )
    chosen = np.zeros(len(columns), dtype=np.bool_)
    if _is_given(categorical_features):
        chosen = chosen_columns(categorical_features, len(columns), names)
    values: list[Column] = []
    categories: list[npt.NDArray[np.object_] | None] = []
    for j, column in enumerate(columns):
        if known is not None:
            learned = known.categories[j]
            is_categorical = learned is not None
        else:
            learned = None
            is_categorical = bool(chosen[j]) or holds_categories(column, is_lenient)
        where = _place(j, names)
        if is_categorical:
            codes, learned = _encode(column, learned, where, is_lenient)
            values.append(codes)
        else:
            values.append(_numbers(column, where, is_lenient))
        categories.append(learned)
    form = TableFormat(tuple(categories))
    is_array = array is not None and array.dtype in _TYPES and not form.has_categories
    return Table(n_rows, tuple(values), (), form, names, array if is_array else None)


def _place(column: int, names: tuple[Any, ...] | None) -> str:
    return f"column {column if names is None else repr(names[column])} of X"


def is_wide_block(X: Any) -> bool:
    """Whether a data frame has so many columns, all of one type of NumPy's, that they are an array.

    Taking columns out of a data frame one by one takes longer than everything else with them.
    """
    if X.shape[1] < _MANY_COLUMNS or not hasattr(X, "iloc"):
        return False
    kinds = set(X.dtypes)
    return len(kinds) == 1 and all(
        isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in kinds
    )


def _finite_or_missing(array: Column, where: str = "X") -> Column:
    # It adds everything up first: huge values of both signs are no mistake.
    with np.errstate(invalid="ignore", over="ignore"):
        assert_all_finite(array, allow_nan=True, input_name=where)
    return array


def _read_sparse(X: Any) -> Table:
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X must hold real numbers, found a sparse matrix of dtype {X.dtype}")
    n_rows, n_columns = X.shape
    if n_rows < 1 or n_rows > MOST_ROWS or n_columns < 1:
        raise ValueError(
            f"X must have 1 to {MOST_ROWS} rows and at least one column, found "
            f"shape {tuple(X.shape)}"
        )
    columns = X.tocsc()
    if not columns.has_canonical_format:
        if columns is X:
            columns = columns.copy()
        columns.sum_duplicates()
    data = _supported(columns.data)
    data = _finite_or_missing(data)
    places = np.asarray(columns.indices, dtype=np.int32)
    ends = columns.indptr
    ranges = [slice(ends[j], ends[j + 1]) for j in range(n_columns)]
    return Table(
        int(n_rows),
        tuple(data[part] for part in ranges),
        tuple(places[part] for part in ranges),
        TableFormat((None,) * n_columns),
    )


def _with_format(table: Table, known: TableFormat) -> Table:
    if known.n_columns != table.format.n_columns:
        raise ValueError(
            f"X has {table.format.n_columns} features, but the forest was grown on "
            f"{known.n_columns}"
        )
    if any(categories is not None for categories in known.categories):
        raise ValueError("X is sparse, but the forest was grown on categories")
    return table


def _is_given(categorical_features: Any) -> bool:
    if categorical_features is None:
        return False
    return not (isinstance(categorical_features, str) and categorical_features == "from_dtype")


def chosen_columns(
    chosen: Any, n_columns: int, names: Any, parameter: str = "categorical_features"
) -> BoolArray:
    """The columns that a parameter names, as a mask: by a mask, indices, or names if there are."""
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


def holds_categories(column: Any, is_lenient: bool) -> bool:
    kind = str(getattr(column, "dtype", "")).lower()
    if kind.startswith(("categor", "enum", "str", "utf8", "<u", ">u")):
        return True
    if getattr(column.dtype, "kind", "O") not in "OUST":
        return False
    values = np.asarray(column, dtype=object)
    return any(isinstance(value, (str, bytes)) for value in values) or (
        is_lenient and not all(is_missing(value) or _is_number(value) for value in values)
    )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _encode(
    column: Any, known: npt.NDArray[np.object_] | None, where: str, is_lenient: bool
) -> tuple[Column, npt.NDArray[np.object_]]:
    plain = [
        value.item() if isinstance(value, np.generic) else value
        for value in np.asarray(column, dtype=object)
    ]
    present = [None if is_missing(value) else value for value in plain]
    if is_lenient:  # lists and the like have no hash
        present = [
            value if value is None or isinstance(value, (str, numbers.Number)) else str(value)
            for value in present
        ]
    if known is None:
        distinct = {value for value in present if value is not None}
        if len(distinct) > MOST_CATEGORIES and not is_lenient:
            raise ValueError(
                f"{where} has {len(distinct)} categories, allowed are "
                f"{MOST_CATEGORIES}; join rare ones, or encode it as numbers"
            )
        try:
            ordered = sorted(distinct)
        except TypeError:
            ordered = sorted(distinct, key=lambda value: (type(value).__name__, str(value)))
        known = np.empty(len(ordered), dtype=object)
        known[:] = ordered
    places = {value: place for place, value in enumerate(known)}
    codes = np.fromiter(
        (places.get(value, np.nan) if value is not None else np.nan for value in present),
        dtype=np.float32,
        count=len(present),
    )
    return codes, known


def _numbers(column: Any, where: str, is_lenient: bool) -> Column:
    if isinstance(column, np.ndarray) and column.dtype in _TYPES:
        return column  # checked as a part of X
    array = array_of_column(column)
    if array.dtype.kind not in "biuf":
        array = _numbers_from_objects(array, where, is_lenient)
    array = _supported(array)
    return _finite_or_missing(array, where) if array.dtype.kind == "f" else array


def array_of_column(column: Any) -> Column:
    dtype = getattr(column, "dtype", None)
    is_extension = not isinstance(dtype, np.dtype) and getattr(dtype, "kind", "") in tuple("iufb")
    if is_extension and column.isna().any():  # a type of pandas with missing values of its own
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(column)


def holds_dates(array: Column) -> bool:
    """Dates with a time zone, periods and the like are objects to NumPy."""
    known = next((value for value in array if not is_missing(value)), None)
    return hasattr(known, "isoformat") or type(known).__name__ in ("Period", "timedelta")


def _numbers_from_objects(array: Column, where: str, is_lenient: bool) -> Column:
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {where} is {array.dtype}")
    if array.dtype.kind in "mM" and is_lenient:
        return np.where(np.isnat(array), np.nan, array.astype(np.int64).astype(np.float64))
    if array.dtype.kind in "mM" or holds_dates(array):
        raise ValueError(f"{where} holds dates, which are neither numbers nor classes")
    return np.array(
        [
            np.nan if is_missing(value) else _as_float(value, row, where)
            for row, value in enumerate(array)
        ],
        dtype=np.float64,
    )


def _as_float(value: Any, row: int, where: str) -> float:
    try:
        return float(value)
    except TypeError as error:
        # scikit-learn's checks look for these words, and for this type of error.
        allowed = "argument must be a string or a real number"
        raise TypeError(f"{where}: {allowed}, {_found(value, row)}") from error
    except OverflowError as error:
        allowed = f"numbers must be at most {np.finfo(np.float64).max:.2g} in size"
        raise ValueError(f"{where}: {allowed}, {_found(value, row)}") from error
    except ValueError as error:
        allowed = "its values must be real numbers"
        raise ValueError(f"{where}: {allowed}, {_found(value, row)}") from error


def _found(value: Any, row: int) -> str:
    try:
        shown = repr(value)
    except ValueError:  # Python does not write integers of more than 4300 digits
        shown = f"of {value.bit_length()} bits"
    if len(shown) > _SHOWN:
        shown = f"{shown[:_SHOWN]}..."
    return f"found {type(value).__name__} {shown} in row {row}"


def _supported(array: Column) -> Column:
    """The array itself where its type is read as it is."""
    if array.dtype in _TYPES or array.dtype.kind not in "biuf":
        return array
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    for wanted in _TYPES:
        if np.can_cast(array.dtype, wanted, "safe"):
            return array.astype(wanted)
    return array.astype(np.float64)
