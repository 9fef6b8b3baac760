"""Labels of two or more classes: -1 means unlabelled, as in scikit-learn.

Missing values (NaN, None, NaT, pandas.NA) do too, and are the only such mark among strings.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import type_of_target

from pucut._support.checks import BoolArray
from pucut.data.label_values import (
    check_length,
    distinct_labels,
    label_array,
    listed,
    missing_labels,
    plain,
)


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
    values = label_array(y)
    check_length(values, n_samples)
    if values.dtype.kind in "US" and (values == values.dtype.type("-1")).any():
        raise ValueError(
            "y holds the string '-1' among strings, which may be a class or mean unlabelled: mark "
            "unlabelled rows with None, or with the number -1, in an array of dtype object"
        )
    unlabelled = missing_labels(values)
    signs = values.dtype.kind in "if" and set(np.unique(values[~unlabelled])) == {-1, 1}
    if values.dtype.kind in "ifO" and not signs:
        unlabelled[~unlabelled] = [bool(value == -1) for value in values[~unlabelled]]
    present = values[~unlabelled]
    if len(present) == 0:
        raise ValueError("y holds only -1 or missing values, which mean unlabelled")
    distinct = distinct_labels(present)
    found = np.array([plain(value) for value in distinct])
    kind = type_of_target(found)
    if str(kind).startswith("continuous"):
        raise ValueError(
            f"Unknown label type: {kind}. y holds {listed(distinct)}, but labels must be classes"
        )
    if len(distinct) < 2:
        raise ValueError(
            f"y holds labels of only one class, {plain(distinct[0])!r}: at least two are needed; "
            "for labels of one class see TwoHNCClassifier"
        )
    classes = found if values.dtype.kind == "O" else found.astype(values.dtype)
    codes = np.full(len(values), -1, dtype=np.intp)
    codes[~unlabelled] = np.searchsorted(classes, present.astype(classes.dtype))
    return ClassLabels(codes, classes)
