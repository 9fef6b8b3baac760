"""Labels as values of one column, and the words that they are written in.

Spellings of one word ("yes", "Yes", "y") are the same label. Of two words the one that means
positive is the positive class, or the one whose other means anything else.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d

from pucut._support.checks import BoolArray, is_missing

Meaning = Literal["positive", "negative", "unlabelled"]

# Nobody reads a longer list; a few examples say more.
_SHOWN_VALUES = 5
# Each line is one word in its spellings, in small letters.
_WORDS: dict[Meaning, tuple[tuple[str, ...], ...]] = {
    "positive": (
        ("positive", "pos", "p", "+"),
        ("yes", "y"),
        ("true", "t"),
        ("labelled", "labeled"),
        ("known",),
        ("confirmed",),
        ("case",),
    ),
    "negative": (("negative", "neg", "-"), ("no", "n"), ("false", "f"), ("control",)),
    "unlabelled": (
        ("unlabelled", "unlabeled", "u"),
        ("unknown",),
        ("unconfirmed",),
        ("untested", "not tested"),
        ("other",),
        # The rest of missing values in a column of texts.
        ("", "none", "nan", "na", "n/a", "null", "?"),
    ),
}
_MEANING = {each: meaning for meaning, words in _WORDS.items() for word in words for each in word}
_WORD = {spelling: word[0] for words in _WORDS.values() for word in words for spelling in word}


def meaning_of(label: Any) -> Meaning | None:
    """Return what a word is known to mean; None for other words, and for numbers."""
    return _MEANING.get(_folded(label)) if isinstance(label, str) else None


def word_of(label: Any) -> Any:
    """Return the first spelling of a known word; anything else as it is."""
    return _WORD.get(_folded(label), label) if isinstance(label, str) else label


def number_of(label: Any) -> float | None:
    """Return the number that a text writes, if it does."""
    try:
        return number if isfinite(number := float(label)) else None
    except (TypeError, ValueError):
        return None


def positive_of(labels: Sequence[str]) -> str | None:
    """Return the text that marks the positives, of numbers the largest; None if it is unclear.

    It is an error if several words mean positive, or none can.
    """
    positives = [label for label in labels if meaning_of(label) == "positive"]
    strangers = [label for label in labels if meaning_of(label) is None]
    shown, both = (" and ".join(repr(str(each)) for each in of) for of in (labels, positives))
    if len(positives) > 1:
        raise ValueError(f"holds {both}, which both mean positive")
    if positives:
        return positives[0]
    if not strangers:
        raise ValueError(f"holds {shown}: no word for labelled positives")
    if len(strangers) == 1:
        return strangers[0]
    are_numbers = all(number_of(label) is not None for label in labels)
    return max(labels, key=lambda label: number_of(label) or 0.0) if are_numbers else None


def in_one_spelling(present: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return texts in which each known word has one spelling, the one that is used most."""
    if present.dtype.kind not in "UO" or not all(isinstance(value, str) for value in present):
        return present
    spellings, numbers_of, counts = np.unique(present, return_inverse=True, return_counts=True)
    usual: dict[str, int] = {}
    for place in np.argsort(-counts, kind="stable"):
        usual.setdefault(word_of(str(spellings[place])), int(place))
    if len(usual) == len(spellings):
        return present
    chosen = np.array([usual[word_of(str(spelling))] for spelling in spellings])
    return np.asarray(spellings[chosen[numbers_of]])


def _folded(text: str) -> str:
    return text.strip().casefold()


def check_length(values: npt.NDArray[Any], n_samples: int | None) -> None:
    if n_samples is not None and len(values) != n_samples:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_samples} rows, "
            f"y has {len(values)} labels"
        )


def read_labels(y: Any, n_samples: int | None) -> tuple[npt.NDArray[Any], BoolArray]:
    """Return one column of labels and which are missing; `n_samples` is the number of rows of X."""
    values = label_array(y)
    check_length(values, n_samples)
    return values, missing_labels(values)


def label_array(y: Any, name: str = "y") -> npt.NDArray[Any]:
    """Return one column of labels; a pandas or polars Series keeps its missing values."""
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
    """Return the distinct values, smallest first."""
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
    """Return a scalar of NumPy as Python shows its own: 1, not np.int64(1)."""
    return value.item() if isinstance(value, np.generic) else value
