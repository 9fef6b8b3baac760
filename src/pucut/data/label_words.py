"""Words that labels are written in, and what they mean: one list for Python and the command line.

Spellings of one word ("yes", "Yes", "y") are the same label. Of two words the one that means
positive is the positive class, or the one whose other means anything else.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Meaning = Literal["positive", "negative", "unlabelled"]

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
    "negative": (
        ("negative", "neg", "-"),
        ("no", "n"),
        ("false", "f"),
        ("control",),
    ),
    "unlabelled": (
        ("unlabelled", "unlabeled", "u"),
        ("unknown",),
        ("unconfirmed",),
        ("untested", "not tested"),
        ("other",),
        # What is left of missing values in a column of texts.
        ("", "none", "nan", "na", "n/a", "null", "?"),
    ),
}
_MEANING: dict[str, Meaning] = {
    spelling: meaning for meaning, words in _WORDS.items() for word in words for spelling in word
}
_WORD = {spelling: word[0] for words in _WORDS.values() for word in words for spelling in word}


def meaning_of(label: Any) -> Meaning | None:
    """What a word is known to mean; None for other words, and for numbers."""
    return _MEANING.get(_folded(label)) if isinstance(label, str) else None


def word_of(label: Any) -> Any:
    """The first spelling of a known word; whatever else as it is."""
    return _WORD.get(_folded(label), label) if isinstance(label, str) else label


def number_of(label: Any) -> float | None:
    """The number that a text writes, if it does."""
    try:
        number = float(label)
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) else None


def positive_of(labels: Sequence[str]) -> str | None:
    """Which of these texts marks the positives; None if their words do not say.

    Of numbers the largest. It is an error if several words mean positive, or none can.
    """
    shown = " and ".join(repr(str(label)) for label in labels)
    positives = [label for label in labels if meaning_of(label) == "positive"]
    strangers = [label for label in labels if meaning_of(label) is None]
    if len(positives) > 1:
        both = " and ".join(repr(str(label)) for label in positives)
        raise ValueError(f"holds {both}, which both mean positive")
    if positives:
        return positives[0]
    if not strangers:
        raise ValueError(f"holds {shown}: no word for labelled positives")
    if len(strangers) == 1:
        return strangers[0]
    numbers = [number_of(label) for label in labels]
    if all(number is not None for number in numbers):
        return max(labels, key=lambda label: number_of(label) or 0.0)
    return None


def in_one_spelling(present: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Texts in which each known word has one spelling, the one that is used most."""
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
