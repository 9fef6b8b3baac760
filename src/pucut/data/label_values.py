"""Labels as values: one column of any kind, its missing values and its distinct ones."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d

from pucut._support.checks import BoolArray, is_missing

# Nobody reads a longer list; a few examples say more.
_SHOWN_VALUES = 5


def check_length(values: npt.NDArray[Any], n_samples: int | None) -> None:
    if n_samples is not None and len(values) != n_samples:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_samples} rows, "
            f"y has {len(values)} labels"
        )


def label_array(y: Any, name: str = "y") -> npt.NDArray[Any]:
    """One column of labels; a pandas or polars Series keeps its missing values."""
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    elif isinstance(y, (list, tuple)) and len({isinstance(value, str) for value in y}) == 2:
        y = np.array(y, dtype=object)  # otherwise 1 next to "a" would become "1", and None "None"
    array: npt.NDArray[Any] = column_or_1d(y, warn=True)
    if array.dtype.kind not in "biufOUSMm":
        raise ValueError(
            f"{name} must hold numbers, booleans or strings, found dtype {array.dtype}"
        )
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError(
            f"{name} must not be infinite, found infinity; missing values (NaN) are allowed"
        )
    return array


def missing_labels(values: npt.NDArray[Any]) -> BoolArray:
    if values.dtype.kind not in "fmMO":
        return np.zeros(len(values), dtype=np.bool_)
    return np.fromiter((is_missing(value) for value in values), np.bool_, len(values))


def distinct_labels(present: npt.NDArray[Any], name: str = "y") -> list[Any]:
    """The distinct values, smallest first."""
    try:
        return list(np.unique(present))
    except TypeError as error:
        kinds = sorted({type(value).__name__ for value in present})
        raise ValueError(
            f"{name} must hold values of one kind that can be ordered, found {' and '.join(kinds)}"
        ) from error


def listed(distinct: list[Any]) -> str:
    shown = ", ".join(repr(plain(value)) for value in distinct[:_SHOWN_VALUES])
    return shown if len(distinct) <= _SHOWN_VALUES else f"{shown}, ..."


def plain(value: Any) -> Any:
    """numpy scalars as Python shows its own: 1, not np.int64(1)."""
    return value.item() if isinstance(value, np.generic) else value
