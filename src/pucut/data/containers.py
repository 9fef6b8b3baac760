"""The door for X: any container an estimator is given, with its columns counted and named."""

import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from pucut._support.checks import check_places, is_sparse
from pucut.data.arrow import column_names, is_arrow, open_arrow, read_arrow
from pucut.data.tables import is_frame

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
    if is_frame(X):
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


def for_any_table(tags: Any) -> Any:
    """Set the tags of an estimator whose X goes through `checked_table`."""
    for name in ("allow_nan", "sparse", "categorical", "string"):
        setattr(tags.input_tags, name, True)
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


def size_of_table(X: Any) -> tuple[tuple[int, int], int]:
    """Return (rows, columns) and the bytes per encoded value, 4 for single precision.

    Nothing of a file or of a data frame is read.
    """
    if isinstance(X, tuple) and len(X) == 2 and all(isinstance(x, numbers.Integral) for x in X):
        return (int(X[0]), int(X[1])), 8
    if is_arrow(X):
        dataset = open_arrow(X)
        kinds = [str(field.type) for field in dataset.schema]
        is_narrow = all(kind in ("float", "halffloat") for kind in kinds)
        return (dataset.count_rows(), len(kinds)), 4 if is_narrow else 8
    if is_frame(X):
        is_narrow = all(str(kind).lower() in ("float32", "float16") for kind in X.dtypes)
        return (len(X), len(X.columns)), 4 if is_narrow else 8
    array = X if hasattr(X, "dtype") else np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X must have two dimensions, found shape {array.shape}")
    is_narrow = array.dtype in (np.float32, np.float16)
    return (int(array.shape[0]), int(array.shape[1])), 4 if is_narrow else 8
