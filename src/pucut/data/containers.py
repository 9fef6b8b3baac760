"""The door for X: any container an estimator is given, with its columns counted and named."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from pucut._support.checks import check_places, is_missing, is_sparse
from pucut.data.arrow import column_names, is_arrow, open_arrow, read_arrow
from pucut.data.tables import (
    MOST_ROWS,
    Table,
    array_of_column,
    holds_categories,
    holds_dates,
    is_wide_block,
    read_table,
)

# scikit-learn's checks look for "Reshape your data" if a single row comes without brackets.
ONE_DIMENSION = (
    "X must have two dimensions, one row per sample, found one of shape {shape}. Reshape your "
    "data: X.reshape(1, -1) if it is one sample, X.reshape(-1, 1) if it is one feature"
)


def checked_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Return X with the number and names of its columns checked, for any table.

    The contents of a data frame are checked when its columns are read (`pucut.data.tables`).
    """
    if hasattr(X, "__dask_graph__"):
        raise TypeError(
            f"X is a Dask {type(X).__name__}, and {type(estimator).__name__} needs all rows in one "
            "process: give X.compute(); or fit pucut.dask.DaskPUCutClassifier or "
            "pucut.dask.DaskTwoHNCClassifier; or fit a sample, and let "
            "pucut.dask.predict(model, X) answer"
        )
    refuse_kinds(X)
    if is_arrow(X):
        dataset = open_arrow(X)
        validate_data(estimator, column_names(dataset), reset=reset, skip_check_array=True)
        return read_arrow(dataset)
    if _is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    if is_sparse(X):
        check_places(X, "X")
    if isinstance(X, (list, tuple)) and np.asarray(X).dtype.kind in "US":
        X = np.asarray(X, dtype=object)  # next to strings, numbers would become strings
    # To find infinity it adds everything up: huge values of both signs are no mistake.
    with np.errstate(invalid="ignore"):
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse=["csc", "csr"],
            dtype=None,
            ensure_all_finite="allow-nan",
        )


def refuse_kinds(X: Any) -> None:
    """Refuse kinds of X that NumPy would take for something else, with advice."""
    if isinstance(X, dict) and not is_sparse(X):  # SciPy keeps one kind of matrix as a dict
        raise TypeError("X is a dict: give pandas.DataFrame(X), one column per entry")
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a LazyFrame, whose rows are not there yet: give X.collect()")
    if getattr(X, "requires_grad", False):
        raise TypeError(
            "X is a tensor that keeps gradients, which would not be kept here: give "
            "X.detach().cpu().numpy()"
        )


def as_table(X: Any) -> Table | None:
    """Return X as a table that was read leniently, or None if X is something else.

    Wrapped classifiers take texts, images and the like. A table has two dimensions, and its columns
    hold categories, dates without a time zone, or real numbers, none of them infinite.
    """
    if isinstance(X, Table):
        return X
    return read_table(X, is_lenient=True) if _is_table(X) else None


def _is_table(X: Any) -> bool:
    if is_sparse(X):
        return X.ndim == 2 and _has_cells(X.shape) and _are_finite(X.tocoo().data)
    if _is_frame(X):
        if is_wide_block(X):
            return _has_cells(X.shape) and _are_finite(X.to_numpy())
        by_place = hasattr(X, "iloc")
        columns = (X.iloc[:, j] if by_place else X[name] for j, name in enumerate(X.columns))
        return _has_cells(X.shape) and all(_is_column(column) for column in columns)
    if isinstance(X, (list, tuple)):
        can_be_read = _are_rows(X)
    else:
        can_be_read = hasattr(X, "__array__") and str(getattr(X, "device", "cpu")) == "cpu"
    if not can_be_read:
        return False
    array = np.asarray(X)
    if array.ndim != 2 or not _has_cells(array.shape):
        return False
    if array.dtype.kind == "O":
        return all(_is_column(column) for column in array.T)
    return array.dtype.kind in "USTmM" or _are_finite(array)


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _has_cells(shape: tuple[int, ...]) -> bool:
    return 1 <= shape[0] <= MOST_ROWS and shape[1] >= 1


def _are_rows(X: Sequence[Any]) -> bool:
    """Tell whether a list holds rows of one length, each of single values."""
    return len({_row_length(row) for row in X}) == 1 and _row_length(X[0]) > 0


def _row_length(row: Any) -> int:
    """Return the number of values of a row in a list of rows, 0 if it is something else."""
    if hasattr(row, "__array__"):
        return len(row) if row.ndim == 1 else 0
    if not isinstance(row, (list, tuple)):
        return 0
    return 0 if any(isinstance(cell, (list, tuple, np.ndarray)) for cell in row) else len(row)


def _is_column(column: Any) -> bool:
    if holds_categories(column, is_lenient=True):
        return True
    array = array_of_column(column)
    if array.dtype.kind == "O":
        if holds_dates(array):
            return False
        array = np.array([np.nan if is_missing(value) else float(value) for value in array])
    return array.dtype.kind in "mM" or _are_finite(array)


def _are_finite(array: npt.NDArray[Any]) -> bool:
    """Tell whether an array holds real numbers, none of them infinite; NaN is allowed."""
    if array.dtype.kind != "f":
        return array.dtype.kind in "biu"
    with np.errstate(invalid="ignore", over="ignore"):
        total = array.sum(dtype=np.float64)
    if np.isfinite(total):
        return True
    largest, smallest = np.fmax.reduce(array, axis=None), np.fmin.reduce(array, axis=None)
    return not np.isinf(largest) and not np.isinf(smallest)


def for_any_table(tags: Any) -> Any:
    """Set the tags of an estimator whose X goes through `checked_table`."""
    tags.input_tags.allow_nan = True
    tags.input_tags.sparse = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    return tags


def with_sorted_indices(X: Any) -> Any:
    """Return a sparse X whose rows are stored in the order of the columns, each entry once.

    Libraries add up a row as it is stored: in another order the last bits differ.
    """
    if not is_sparse(X) or X.format not in ("csr", "csc"):
        return X
    check_places(X, "X")
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def with_narrow_indices(points: Any) -> Any:
    """Give sparse rows 32-bit indices if these suffice: much of scikit-learn takes no others."""
    if isinstance(points, sp.csr_array) and points.nnz <= np.iinfo(np.int32).max:
        points.indices = points.indices.astype(np.int32, copy=False)
        points.indptr = points.indptr.astype(np.int32, copy=False)
    return points
