"""Any table as finite numbers, for methods that measure distances or split on values."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array

from pucut._support.checks import BoolArray, FloatArray, is_missing, is_sparse

# More categories than this get no column of their own: the rest share one.
_MAX_CATEGORIES = 30
# Sparse tables with at most this many cells are filled in; larger ones would not fit in memory.
MAX_DENSE_CELLS = 20_000_000


def readable_table(X: Any) -> Any:
    """X as the default classifier takes it: text and other objects become numbers."""
    return X if is_sparse(X) or _columns(X) is None else numeric_features(X)


def numeric_features(X: Any) -> npt.NDArray[Any]:
    """Columns of finite numbers.

    A category becomes one column of 0 and 1 a value (the rarest share one), a missing number the
    median of its column beside a column that says it was missing. A dense array of finite numbers
    is returned as it is.
    """
    if is_sparse(X):
        n_cells = X.shape[0] * X.shape[1]
        if n_cells > MAX_DENSE_CELLS:
            raise ValueError(
                f"X is sparse with {X.shape[0]} x {X.shape[1]} cells, but this method needs it "
                f"dense, with at most {MAX_DENSE_CELLS} cells; reduce its columns first, as with "
                "sklearn.decomposition.TruncatedSVD, or use a method that works on scores"
            )
        X = X.toarray()
    columns = _columns(X)
    if columns is None:
        numbers = check_array(
            X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", input_name="X"
        )
        if np.isfinite(numbers).all():
            return np.asarray(numbers)
        columns = list(numbers.T)
    parts = [part for column in columns for part in _column_parts(column)]
    return np.column_stack(parts)


def _columns(X: Any) -> list[npt.NDArray[Any]] | None:
    """The columns of a DataFrame or of an array of objects; None for plain numbers."""
    if hasattr(X, "iloc"):  # by place: pandas allows two columns of one name
        return [np.asarray(X.iloc[:, place].to_numpy()) for place in range(X.shape[1])]
    if hasattr(X, "get_columns"):  # polars
        return [np.asarray(column.to_numpy()) for column in X.get_columns()]
    array = X if hasattr(X, "dtype") else np.asarray(X)
    if getattr(array, "ndim", 0) == 2 and array.dtype.kind in "OUS":
        return [np.asarray(column) for column in np.asarray(array).T]
    return None


def _column_parts(column: npt.NDArray[Any]) -> list[FloatArray]:
    numbers = _as_numbers(column)
    if numbers is None:
        return _category_parts(column)
    missing: BoolArray = np.isnan(numbers)
    if not missing.any():
        return [numbers]
    median = float(np.median(numbers[~missing])) if not missing.all() else 0.0
    return [np.where(missing, median, numbers), missing.astype(np.float64)]


def _as_numbers(column: npt.NDArray[Any]) -> FloatArray | None:
    """Floats with NaN where missing, or None where some value is no number."""
    if column.dtype.kind in "biuf":
        numbers = column.astype(np.float64)
    elif column.dtype.kind in "mM":
        numbers = np.where(np.isnat(column), np.nan, column.astype(np.int64).astype(np.float64))
    elif column.dtype.kind == "O":
        try:
            numbers = np.array([np.nan if is_missing(value) else float(value) for value in column])
        except (TypeError, ValueError):
            return None
        if any(isinstance(value, str) for value in column):
            return None  # "1" and "2" are names unless the user says otherwise
    else:
        return None
    if np.isinf(numbers).any():
        raise ValueError("X must not be infinite, found infinity; missing values are allowed")
    return numbers


def _category_parts(column: npt.NDArray[Any]) -> list[FloatArray]:
    names = np.array(["" if is_missing(value) else f"={value}" for value in column])
    values, codes, counts = np.unique(names, return_inverse=True, return_counts=True)
    if len(values) > _MAX_CATEGORIES:
        by_count = np.argsort(-counts, kind="stable")
        place = np.empty(len(values), dtype=np.intp)
        place[by_count] = np.arange(len(values))
        codes = np.minimum(place, _MAX_CATEGORIES)[codes]
    return [(codes == code).astype(np.float64) for code in range(int(codes.max()) + 1)]
