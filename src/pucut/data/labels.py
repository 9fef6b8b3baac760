"""Checked labels: of positive and unlabelled rows, and of several classes.

`y` holds two values, any two. Of numbers and booleans the larger is the labelled positive, of
strings the one that is known to mean positive (`label_words`), or `pos_label` if given; the other
means unlabelled. Missing values (NaN, None, NaT, pandas.NA) mean unlabelled too. With `neg_label`
its rows are known negatives, and everything that is neither is unlabelled.

For several classes -1 means unlabelled, as in scikit-learn, and so do missing values, which are the
only such mark among strings.
"""

import numbers
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import type_of_target

from pucut._support.checks import BoolArray
from pucut.data.label_words import (
    check_length,
    distinct_labels,
    in_one_spelling,
    label_array,
    listed,
    meaning_of,
    missing_labels,
    plain,
    positive_of,
    read_labels,
    word_of,
)
from pucut.exceptions import UnclearLabelsWarning


@dataclass(frozen=True, eq=False)
class PULabels:
    """Checked labels of positive and unlabelled rows."""

    is_labelled: BoolArray
    classes: npt.NDArray[Any]  # the value for negative or unlabelled rows, then that for positives
    # The known negatives; by default there are none.
    is_negative: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))

    def __post_init__(self) -> None:
        if len(self.is_negative) != len(self.is_labelled):
            object.__setattr__(self, "is_negative", np.zeros_like(self.is_labelled))

    def __len__(self) -> int:
        return self.n_samples

    @property
    def n_labelled(self) -> int:
        return int(self.is_labelled.sum())

    @property
    def n_negative(self) -> int:
        return int(self.is_negative.sum())

    @property
    def is_unlabelled(self) -> BoolArray:
        """The rows of which nothing is known."""
        return ~(self.is_labelled | self.is_negative)

    @property
    def n_samples(self) -> int:
        return len(self.is_labelled)

    @property
    def labelled_share(self) -> float:
        """The share of labelled positives among all samples: no prior can be below it."""
        return self.n_labelled / self.n_samples

    @property
    def largest_prior(self) -> float:
        """The share that the known negatives leave: no prior can be above it."""
        return (self.n_samples - self.n_negative) / self.n_samples

    @property
    def signs(self) -> npt.NDArray[np.int8]:
        """1 for labelled positives, -1 for known negatives, 0 for the others."""
        return self.is_labelled.astype(np.int8) - self.is_negative.astype(np.int8)

    def in_order(self, order: npt.NDArray[np.intp]) -> "PULabels":
        """Return the labels of these rows, in this order."""
        return PULabels(self.is_labelled[order], self.classes, self.is_negative[order])

    def hiding(self, is_hidden: BoolArray) -> "PULabels":
        """Return the labels with these rows unlabelled."""
        return PULabels(self.is_labelled & ~is_hidden, self.classes, self.is_negative & ~is_hidden)

    def as_values(self) -> npt.NDArray[Any]:
        """Return a `y` of these labels; next to known negatives, missing values are unlabelled."""
        values = self.encode(self.is_labelled)
        if self.n_negative:
            values = values.astype(np.float64 if values.dtype.kind in "iuf" else object)
            values[self.is_unlabelled] = np.nan if values.dtype.kind == "f" else None
        return values

    def encode(self, is_positive: BoolArray) -> npt.NDArray[Any]:
        """Return booleans as the two values of `y`."""
        return self.classes[np.asarray(is_positive).astype(np.intp)]

    def decode(self, predictions: Any, name: str = "y_pred") -> BoolArray:
        """Return the predictions, in the two values of `y`, that are positive.

        The other value is arbitrary: a fold need not show how unlabelled rows are marked elsewhere.
        """
        values = label_array(predictions, name)
        if len(values) != self.n_samples:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: y has "
                f"{self.n_samples} labels, {name} has {len(values)}"
            )
        present = ~missing_labels(values)
        is_positive = np.zeros(len(values), dtype=np.bool_)
        is_positive[present] = values[present] == self.classes[1]
        distinct = distinct_labels(values[present], name)
        if len(distinct) > 2 or (len(distinct) == 2 and not is_positive.any()):
            raise ValueError(
                f"{name} must hold predictions in the two values of y, positive is "
                f"{plain(self.classes[1])!r}; found {listed(distinct)}"
            )
        return is_positive


def checked_pu_labels(
    y: Any, *, pos_label: Any = None, neg_label: Any = None, n_samples: int | None = None
) -> PULabels:
    """Read `y` by the convention above, or raise an error that says what is wrong with it.

    `y` is a NumPy array, list, pandas or polars Series of numbers, booleans, strings or categories;
    checked labels are returned as they are. With `neg_label`, all values but the two that are named
    mean unlabelled. `n_samples` is the number of rows of X, if that should be compared.
    """
    if isinstance(y, PULabels):
        check_length(y.is_labelled, n_samples)
        return y
    values, missing = read_labels(y, n_samples)
    present = values[~missing]
    if len(present) == 0:
        raise ValueError("y holds no class, only missing values; labelled positives must be marked")
    present = in_one_spelling(present)
    distinct = distinct_labels(present)
    is_labelled, is_negative = np.zeros((2, len(values)), dtype=np.bool_)
    if neg_label is None:
        positive = _positive_value(distinct, pos_label, has_missing=bool(missing.any()))
        other = _other_value(distinct, positive)
    else:
        other = _given_value(distinct, neg_label)
        positive = _positive_beside(other, distinct, pos_label)
        is_negative[~missing] = present == other
        if not is_negative.any():
            warnings.warn(
                f"neg_label is {neg_label!r}, which is not a value of y: no negative is known. y "
                f"holds {listed(distinct)}; name one of these, or leave neg_label out",
                UnclearLabelsWarning,
                stacklevel=3,
            )
    is_labelled[~missing] = present == positive
    return PULabels(is_labelled, _class_array(other, positive, values.dtype), is_negative)


def _given_value(distinct: list[Any], given: Any) -> Any:
    """Return the value of y that was named in any of its spellings, or the name itself."""
    word = word_of(given)
    return next((each for each in distinct if bool(each == given) or word_of(each) == word), given)


def _positive_value(distinct: list[Any], pos_label: Any, *, has_missing: bool) -> Any:
    if len(distinct) > 2:
        raise ValueError(_too_many_values(distinct))
    if pos_label is not None:
        positive = _given_value(distinct, pos_label)
        _check_present(positive, distinct)
    if len(distinct) == 1 and not has_missing:
        raise ValueError(
            f"y holds only one class, {plain(distinct[0])!r}: it must hold two values, one for "
            "labelled positives and one for unlabelled samples"
        )
    if pos_label is None:
        positive = positive_by_convention(distinct)
    others = [plain(value) for value in distinct if value != positive]
    if has_missing and others and meaning_of(others[0]) != "unlabelled" and others[0] != -1:
        warnings.warn(
            f"y holds {plain(positive)!r}, {others[0]!r} and missing values: {others[0]!r} counts "
            f"as unlabelled, as missing values do. If it marks known negatives, write "
            f"neg_label={others[0]!r}; if not, replace it by a missing value",
            UnclearLabelsWarning,
            stacklevel=4,
        )
    return positive


def _check_present(positive: Any, distinct: list[Any]) -> None:
    if not any(value == positive for value in distinct):
        raise ValueError(
            f"pos_label is {positive!r}, which is not a value of y: no positive is labelled; "
            f"y holds {listed(distinct)}"
        )


def positive_by_convention(distinct: list[Any]) -> Any:
    """Return the larger of two numbers, or the string whose word says positive."""
    if not isinstance(distinct[0], str):
        if len(distinct) == 1 and distinct[0] in (0, -1):
            raise ValueError(
                f"y holds only {plain(distinct[0])!r} and missing values: no positive is labelled. "
                f"If it marks the positives, write pos_label={plain(distinct[0])!r}"
            )
        return distinct[-1]
    try:
        positive = positive_of(distinct)
    except ValueError as error:
        raise ValueError(f"y {error}. Give pos_label, the value that marks them") from None
    if positive is None:
        positive = distinct[-1]
        first, last = plain(distinct[0]), plain(positive)
        warnings.warn(
            f"y holds {first!r} and {last!r}, and neither is a word that is known to mean positive "
            f"or unlabelled: {last!r}, the last in the alphabet, is taken for the labelled "
            f"positives. Write pos_label={last!r} if that is right, else pos_label={first!r}",
            UnclearLabelsWarning,
            stacklevel=5,
        )
    return positive


def _positive_beside(negative: Any, distinct: list[Any], pos_label: Any) -> Any:
    """Return the value of labelled positives where the negative one is given."""
    if pos_label is not None:
        positive = _given_value(distinct, pos_label)
        if bool(positive == negative):
            raise ValueError(
                f"pos_label and neg_label are both {plain(negative)!r}: one is the value of "
                "labelled positives, the other that of known negatives"
            )
        _check_present(positive, distinct)
        return positive
    rest = [each for each in distinct if each not in (negative, -1)]
    rest = [each for each in rest if meaning_of(each) != "unlabelled"]
    if len(rest) > 1 and all(isinstance(value, str) for value in rest):
        rest = [value for value in rest if meaning_of(value) == "positive"] or rest
    if len(rest) != 1 or meaning_of(rest[0]) == "negative":
        raise ValueError(
            f"y holds {listed(distinct)} and neg_label is {plain(negative)!r}: give pos_label as "
            "well, the value of labelled positives"
        )
    return rest[0]


def _other_value(distinct: list[Any], positive: Any) -> Any:
    """Return the value of the other class; one that fits where only missing values stand for it."""
    others = [value for value in distinct if value != positive]
    if others:
        return others[0]
    if isinstance(positive, (bool, np.bool_)):
        return not positive
    if isinstance(positive, str):
        return "negative" if meaning_of(positive) != "negative" else "other"
    return int(float(positive) == 0.0) if isinstance(positive, numbers.Real) else None


def _too_many_values(distinct: list[Any]) -> str:
    kind = type_of_target(np.asarray(distinct))
    if str(kind).startswith("continuous"):
        return (
            f"Unknown label type: {kind}. y holds {len(distinct)} values ({listed(distinct)}), "
            "but labels must be two values"
        )
    negative = next((value for value in distinct if meaning_of(value) == "negative"), distinct[0])
    positive = next((value for value in distinct if meaning_of(value) == "positive"), distinct[-1])
    return (
        f"Only binary classification is supported. The type of the target is {kind}. y holds "
        f"{len(distinct)} values ({listed(distinct)}), which is ambiguous here: known negatives "
        "and unlabelled samples cannot be told apart. Name the known negatives, such as "
        f"pos_label={plain(positive)!r}, neg_label={plain(negative)!r} (everything else then means "
        "unlabelled), or keep two values, one for labelled positives and one for everything else"
    )


def _class_array(other: Any, positive: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if other is None:
        return np.array([None, positive], dtype=object)
    if dtype.kind == "O":
        # Objects that are all strings or all booleans get that type, which np.unique needs.
        found = np.array([plain(other), plain(positive)])
        return found if found.dtype.kind in "bUiuf" else np.array([other, positive], dtype=object)
    # The text "negative" may be longer than what y holds.
    return np.array([other, positive], dtype=None if dtype.kind in "US" else dtype)


def prior_number(prior: Any) -> Any:
    """Return the number of an estimate that is given as a prior; anything else as it is."""
    return prior.as_prior() if hasattr(prior, "as_prior") else prior


def checked_prior(prior: Any, labels: PULabels, name: str = "prior") -> float:
    """Return a share of positives among all samples that the labels allow, below 1."""
    prior = prior_number(prior)
    if isinstance(prior, (bool, np.bool_)) or not isinstance(prior, numbers.Real):
        raise TypeError(f"{name} must be a number between 0 and 1, found {prior!r}")
    value = float(prior)
    if not 0.0 < value < 1.0:
        raise ValueError(
            f"{name} must be above 0 and below 1, found {value!r}: it is the fraction of positives "
            "among all samples, labelled and unlabelled"
        )
    # A prior computed from the counts themselves may miss their quotient by rounding.
    if value < labels.labelled_share * (1.0 - 1e-12):
        raise ValueError(
            f"{name} is {value:.6g}, below the labelled fraction {labels.labelled_share:.6g} "
            f"({labels.n_labelled} of {labels.n_samples} samples are labelled positive): it is the "
            "fraction of positives among all samples, not among the unlabelled"
        )
    if labels.n_negative and value > labels.largest_prior * (1.0 + 1e-12):
        raise ValueError(
            f"{name} is {value:.6g}, above {labels.largest_prior:.6g}: {labels.n_negative} of "
            f"{labels.n_samples} samples are known negatives, so that no more can be positive"
        )
    return min(max(value, labels.labelled_share), labels.largest_prior)


@dataclass(frozen=True, eq=False)
class ClassLabels:
    """The place of each label in the classes, which rise; -1 for unlabelled rows."""

    codes: npt.NDArray[np.intp]
    classes: npt.NDArray[Any]

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """The share of each class among the labelled rows."""
        known = self.codes[self.codes >= 0]
        return np.bincount(known) / len(known)


def checked_class_labels(y: Any, *, n_samples: int | None = None) -> ClassLabels:
    """Read labels of two or more classes, with -1 or missing values for unlabelled rows.

    If y holds only -1 and 1, both are classes: labels of a single class would not be enough.
    """
    values, unlabelled = read_labels(y, n_samples)
    if values.dtype.kind in "US" and (values == values.dtype.type("-1")).any():
        raise ValueError(
            "y holds the string '-1' among strings, which may be a class or mean unlabelled: mark "
            "unlabelled rows with None, or with the number -1, in an array of dtype object"
        )
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
