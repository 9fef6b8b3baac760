"""How many rows and columns a table has, and how wide its values are, without reading it."""

import numbers
from typing import Any

import numpy as np

from pucut.data.arrow import is_arrow, open_arrow


def size_of_table(X: Any) -> tuple[tuple[int, int], int]:
    """(rows, columns), and the bytes per value once encoded: 4 for single precision."""
    if isinstance(X, tuple) and len(X) == 2 and all(isinstance(x, numbers.Integral) for x in X):
        return (int(X[0]), int(X[1])), 8
    if is_arrow(X):
        dataset = open_arrow(X)
        kinds = [str(field.type) for field in dataset.schema]
        is_narrow = all(kind in ("float", "halffloat") for kind in kinds)
        return (dataset.count_rows(), len(kinds)), 4 if is_narrow else 8
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        is_narrow = all(str(kind).lower() in ("float32", "float16") for kind in X.dtypes)
        return (len(X), len(X.columns)), 4 if is_narrow else 8
    array = X if hasattr(X, "dtype") else np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X must have two dimensions, found shape {array.shape}")
    is_narrow = array.dtype in (np.float32, np.float16)
    return (int(array.shape[0]), int(array.shape[1])), 4 if is_narrow else 8
