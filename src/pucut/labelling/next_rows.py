"""Which rows to look at next, by what is wanted.

find     the most likely positives first, spread over what is similar
count    rows at random: what they hold is what the unlabelled rows hold
improve  rows that a classifier trained on the answers is least sure of, spread likewise
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray

FIND, COUNT, IMPROVE = "find", "count", "improve"
GOALS = (FIND, COUNT, IMPROVE)

IndexArray = npt.NDArray[np.intp]
# Similarity of every row to one, from 0 to 1.
SimilarTo = Callable[[int], FloatArray]

# The share of positives among the last so many answers is what the best rows promise.
_RECENT = 200
_LEAST_RECENT = 10
# Rows without features are judged as if so many of them had been seen, at the rate of all rows.
_PRIOR_ROWS = 3


def blank_rows_come_first(
    answers: Sequence[tuple[int, bool]], is_blank: BoolArray, n_positive: int
) -> bool:
    """Whether rows without features now promise more than the best of the others.

    Nothing can be learned about a row without features, but it may be positive as any other. What
    it promises is the rate among those like it that were answered; what the best of the ranked rows
    promise is the rate among the last of them, or since the last positive if that is longer ago.

    Parameters
    ----------
    answers : sequence of (row, is positive), in the order given
    is_blank : rows without features
    n_positive : known positives, those that were known before included
    """
    ranked = [positive for row, positive in answers if not is_blank[row]]
    blank = [positive for row, positive in answers if is_blank[row]]
    if len(ranked) < _LEAST_RECENT:
        return False
    n_since = next((n for n, found in enumerate(reversed(ranked)) if found), len(ranked))
    recent = ranked[-max(_RECENT, n_since) :]
    of_the_best = (sum(recent) + 0.5) / (len(recent) + 1)
    of_the_blank = (sum(blank) + _PRIOR_ROWS * n_positive / len(is_blank)) / (
        len(blank) + _PRIOR_ROWS
    )
    return of_the_blank > of_the_best


def most_likely(
    scores: FloatArray, is_free: BoolArray, is_blank: BoolArray, n_rows: int, *, blank_first: bool
) -> IndexArray:
    """The free rows with the highest scores; blank ones before or after all others."""
    group = is_blank if blank_first else ~is_blank
    first = _highest(scores, is_free & group, n_rows)
    return np.concatenate([first, _highest(scores, is_free & ~group, n_rows - len(first))])


def least_sure(doubts: FloatArray, is_free: BoolArray, n_rows: int) -> IndexArray:
    """The free rows whose class is most in doubt."""
    return _highest(doubts, is_free, n_rows)


def at_random(is_free: BoolArray, n_rows: int, seed: int) -> IndexArray:
    """Free rows, each as likely as another."""
    free = np.flatnonzero(is_free)
    return np.random.default_rng(seed).permutation(free)[:n_rows]


def apart_from(rows: Iterable[int], scores: FloatArray, similar_to: SimilarTo) -> FloatArray:
    """Scores lowered for what is like one of these rows, to 0 for their copies.

    An answer about one of them will tell about the others: until it is learned from, they wait.
    """
    for row in rows:
        scores = scores * (1.0 - similar_to(row))
    return scores


def _highest(utility: FloatArray, is_free: BoolArray, n_rows: int) -> IndexArray:
    """The first of equals first."""
    rows = np.flatnonzero(is_free)
    return rows[np.argsort(-utility[rows], kind="stable")[:n_rows]]
