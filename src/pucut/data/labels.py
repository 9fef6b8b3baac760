"""The label convention: which rows are labelled positive, and how predictions are written.

`y` holds two values, any two. The larger is the labelled positive, or `pos_label` if given; the
other means unlabelled. Missing values (NaN, None, NaT, pandas.NA) mean unlabelled too.

If two or more classes are labelled, -1 means unlabelled (`checked_class_labels`), as in
scikit-learn. Missing values do too, and are the only such mark among strings.
"""

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target

from pucut._support.checks import BoolArray, is_missing

# Nobody reads a longer list; a few examples say more.
_SHOWN_VALUES = 5


@dataclass(frozen=True, eq=False)
class PULabels:
    """Checked labels: `is_labelled` per row, and `classes`, the unlabelled value first.

    Attributes
    ----------
    is_labelled : bool array of shape (n_samples,)
        Whether the row is a labelled positive.
    classes : array of shape (2,)
        The value that means negative or unlabelled, then the value that means positive.
    """

    is_labelled: BoolArray
    classes: npt.NDArray[Any]

    @property
    def n_labelled(self) -> int:
        return int(self.is_labelled.sum())

    @property
    def n_samples(self) -> int:
        return len(self.is_labelled)

    @property
    def labelled_share(self) -> float:
        """Labelled positives among all samples: no prior can be below it."""
        return self.n_labelled / self.n_samples

    def in_order(self, order: npt.NDArray[np.intp]) -> "PULabels":
        """The labels of these rows, in this order."""
        return PULabels(self.is_labelled[order], self.classes)

    def encode(self, is_positive: BoolArray) -> npt.NDArray[Any]:
        """Booleans in the two values of `y`."""
        return self.classes[np.asarray(is_positive).astype(np.intp)]

    def decode(self, predictions: Any, name: str = "y_pred") -> BoolArray:
        """Which predictions, in the two values of `y`, are positive.

        The other value is arbitrary: a fold need not show how unlabelled rows are marked elsewhere.
        """
        values = _as_array(predictions, name)
        if len(values) != self.n_samples:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: y has "
                f"{self.n_samples} labels, {name} has {len(values)}"
            )
        present = ~_is_missing(values)
        is_positive = np.zeros(len(values), dtype=np.bool_)
        is_positive[present] = values[present] == self.classes[1]
        distinct = _distinct(values[present], name)
        if len(distinct) > 2 or (len(distinct) == 2 and not is_positive.any()):
            raise ValueError(
                f"{name} must hold predictions in the two values of y, positive is "
                f"{_plain(self.classes[1])!r}; found {_listing(distinct)}"
            )
        return is_positive


def checked_pu_labels(y: Any, *, pos_label: Any = None, n_samples: int | None = None) -> PULabels:
    """Reads `y` by the convention above, or raises an error that says what is wrong with it.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        NumPy array, list, pandas or polars Series of numbers, booleans, strings or categories.
    pos_label : value of y, optional
        The value that means labelled positive, if it is not the larger of the two.
    n_samples : int, optional
        How many rows X has, if that should be compared.
    """
    values = _as_array(y)
    _check_length(values, n_samples)
    missing = _is_missing(values)
    present = values[~missing]
    if len(present) == 0:
        raise ValueError("y holds no class, only missing values; labelled positives must be marked")
    distinct = _distinct(present)
    positive = _positive_value(distinct, pos_label, has_missing=bool(missing.any()))
    is_labelled = np.zeros(len(values), dtype=np.bool_)
    is_labelled[~missing] = present == positive
    others = [value for value in distinct if value != positive]
    if others:
        other = others[0]
    elif values.dtype.kind == "b" or isinstance(positive, (bool, np.bool_)):
        other = False
    else:
        other = np.nan if values.dtype.kind == "f" else None
    return PULabels(is_labelled, _class_array(other, positive, values.dtype))


@dataclass(frozen=True, eq=False)
class ClassLabels:
    """Checked labels of two or more classes.

    Attributes
    ----------
    codes : int array of shape (n_samples,)
        The place of each label in `classes`, -1 for unlabelled rows.
    classes : array of shape (n_classes,), rising
    """

    codes: npt.NDArray[np.intp]
    classes: npt.NDArray[Any]

    @property
    def is_labelled(self) -> BoolArray:
        return self.codes >= 0

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """Of each class among the labelled rows."""
        return np.bincount(self.codes[self.is_labelled]) / np.count_nonzero(self.is_labelled)


def checked_class_labels(y: Any, *, n_samples: int | None = None) -> ClassLabels:
    """Reads labels of two or more classes, with -1 or missing values for unlabelled rows.

    If y holds only -1 and 1, both are classes: labels of a single class would not be enough.
    """
    values = _as_array(y)
    _check_length(values, n_samples)
    if values.dtype.kind in "US" and (values == values.dtype.type("-1")).any():
        raise ValueError(
            "y holds the string '-1' among strings, which may be a class or mean unlabelled: mark "
            "unlabelled rows with None, or with the number -1, in an array of dtype object"
        )
    unlabelled = _is_missing(values)
    signs = values.dtype.kind in "if" and set(np.unique(values[~unlabelled])) == {-1, 1}
    if values.dtype.kind in "ifO" and not signs:
        unlabelled[~unlabelled] = [bool(value == -1) for value in values[~unlabelled]]
    present = values[~unlabelled]
    if len(present) == 0:
        raise ValueError("y holds only -1 or missing values, which mean unlabelled")
    distinct = _distinct(present)
    plain = np.array([_plain(value) for value in distinct])
    kind = type_of_target(plain)
    if str(kind).startswith("continuous"):
        raise ValueError(
            f"Unknown label type: {kind}. y holds {_listing(distinct)}, but labels must be classes"
        )
    if len(distinct) < 2:
        raise ValueError(
            f"y holds labels of only one class, {_plain(distinct[0])!r}: at least two are needed; "
            "for labels of one class see TwoHNCClassifier"
        )
    classes = plain if values.dtype.kind == "O" else plain.astype(values.dtype)
    codes = np.full(len(values), -1, dtype=np.intp)
    codes[~unlabelled] = np.searchsorted(classes, present.astype(classes.dtype))
    return ClassLabels(codes, classes)


def _check_length(values: npt.NDArray[Any], n_samples: int | None) -> None:
    if n_samples is not None and len(values) != n_samples:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_samples} rows, "
            f"y has {len(values)} labels"
        )


def _as_array(y: Any, name: str = "y") -> npt.NDArray[Any]:
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


def _is_missing(values: npt.NDArray[Any]) -> BoolArray:
    if values.dtype.kind not in "fmMO":
        return np.zeros(len(values), dtype=np.bool_)
    return np.fromiter((is_missing(value) for value in values), np.bool_, len(values))


def _distinct(present: npt.NDArray[Any], name: str = "y") -> list[Any]:
    """The distinct values, smallest first."""
    try:
        return list(np.unique(present))
    except TypeError as error:
        kinds = sorted({type(value).__name__ for value in present})
        raise ValueError(
            f"{name} must hold values of one kind that can be ordered, found {' and '.join(kinds)}"
        ) from error


def _positive_value(distinct: list[Any], pos_label: Any, *, has_missing: bool) -> Any:
    if len(distinct) > 2:
        raise ValueError(_too_many_values(distinct))
    if pos_label is not None and not any(value == pos_label for value in distinct):
        raise ValueError(
            f"pos_label is {pos_label!r}, which is not a value of y: no positive is labelled; "
            f"y holds {_listing(distinct)}"
        )
    if len(distinct) == 1 and not has_missing:
        raise ValueError(
            f"y holds only one class, {_plain(distinct[0])!r}: it must hold two values, one for "
            "labelled positives and one for unlabelled samples"
        )
    if pos_label is not None:
        return next(value for value in distinct if value == pos_label)
    return distinct[-1]


def _too_many_values(distinct: list[Any]) -> str:
    kind = type_of_target(np.asarray(distinct))
    if str(kind).startswith("continuous"):
        return (
            f"Unknown label type: {kind}. y holds {len(distinct)} values ({_listing(distinct)}), "
            "but labels must be two values"
        )
    return (
        f"Only binary classification is supported. The type of the target is {kind}. y holds "
        f"{len(distinct)} values ({_listing(distinct)}), which is ambiguous here: known negatives "
        "and unlabelled samples cannot be told apart. Keep two values, one for labelled positives "
        "and one for everything else"
    )


def _listing(distinct: list[Any]) -> str:
    shown = ", ".join(repr(_plain(value)) for value in distinct[:_SHOWN_VALUES])
    return shown if len(distinct) <= _SHOWN_VALUES else f"{shown}, ..."


def _plain(value: Any) -> Any:
    """numpy scalars as Python shows its own: 1, not np.int64(1)."""
    return value.item() if isinstance(value, np.generic) else value


def _class_array(other: Any, positive: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if other is None:
        return np.array([None, positive], dtype=object)
    if dtype.kind == "O":
        # Objects that are all strings or all booleans get that type, which np.unique needs.
        plain = np.array([_plain(other), _plain(positive)])
        return plain if plain.dtype.kind in "bUiuf" else np.array([other, positive], dtype=object)
    return np.array([other, positive], dtype=dtype)


def checked_prior(prior: Any, labels: PULabels, name: str = "prior") -> float:
    """The share of positives among all samples: at least the labelled share, and below 1."""
    if isinstance(prior, (bool, np.bool_)) or not isinstance(prior, numbers.Real):
        raise TypeError(f"{name} must be a number between 0 and 1, found {prior!r}")
    value = float(prior)
    if not 0.0 < value < 1.0:
        raise ValueError(
            f"{name} must be above 0 and below 1, found {value!r}: it is the fraction of positives "
            "among all samples, labelled and unlabelled"
        )
    # A prior computed from the counts themselves may fall short of their quotient by rounding.
    if value < labels.labelled_share * (1.0 - 1e-12):
        raise ValueError(
            f"{name} is {value:.6g}, below the labelled fraction {labels.labelled_share:.6g} "
            f"({labels.n_labelled} of {labels.n_samples} samples are labelled positive): it is the "
            "fraction of positives among all samples, not among the unlabelled"
        )
    return max(value, labels.labelled_share)
