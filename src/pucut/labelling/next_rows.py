"""Choice of the rows to show next, by the goal of the labelling.

find     the most likely positives first, unlike each other
count    random rows: their share of positives is that of the unlabelled rows
improve  rows that a classifier is least sure of, unlike each other
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, IndexArray

FIND, COUNT, IMPROVE = "find", "count", "improve"
GOALS = (FIND, COUNT, IMPROVE)

# Similarity of every row to one, from 0 to 1.
SimilarTo = Callable[[int], FloatArray]

# The best rows promise the share of positives among so many of the last answers.
_RECENT = 200
_LEAST_RECENT = 10
# The rate of all rows weighs as much as so many answers about rows without features.
_PRIOR_ROWS = 3


def blank_rows_come_first(
    answers: Sequence[tuple[int, bool]], is_blank: BoolArray, n_positive: int
) -> bool:
    """Return whether rows without features now promise more than the best of the others.

    Nothing can be learned about a row without features, but it may be positive as any other. Such
    rows promise the rate of positives among those that were answered. The best of the ranked rows
    promise the rate among the last of them, or since the last positive if that is longer ago.

    `answers` are pairs (row, is positive) in order; `n_positive` counts all known positives.
    """
    ranked = [positive for row, positive in answers if not is_blank[row]]
    blank = [positive for row, positive in answers if is_blank[row]]
    if len(ranked) < _LEAST_RECENT:
        return False
    n_since = next((n for n, positive in enumerate(reversed(ranked)) if positive), len(ranked))
    recent = ranked[-max(_RECENT, n_since) :]
    of_the_best = (sum(recent) + 0.5) / (len(recent) + 1)
    expected = _PRIOR_ROWS * n_positive / len(is_blank)
    return (sum(blank) + expected) / (len(blank) + _PRIOR_ROWS) > of_the_best


def most_likely(
    scores: FloatArray, is_free: BoolArray, is_blank: BoolArray, n_rows: int, *, blank_first: bool
) -> IndexArray:
    """Return the free rows with the highest scores; blank ones before or after all others."""
    group = is_blank if blank_first else ~is_blank
    first = highest(scores, is_free & group, n_rows)
    return np.concatenate([first, highest(scores, is_free & ~group, n_rows - len(first))])


def at_random(is_free: BoolArray, n_rows: int, seed: int) -> IndexArray:
    """Draw free rows uniformly."""
    return np.random.default_rng(seed).permutation(np.flatnonzero(is_free))[:n_rows]


def apart_from(rows: Iterable[int], scores: FloatArray, similar_to: SimilarTo) -> FloatArray:
    """Lower the scores of rows that are similar to these, to 0 for their copies.

    Labels of these rows will tell about similar ones, which therefore wait until the ranking has
    learned from them.
    """
    for row in rows:
        scores = scores * (1.0 - similar_to(row))
    return scores


def highest(scores: FloatArray, is_free: BoolArray, n_rows: int) -> IndexArray:
    """Return the free rows with the highest scores; the first of equal ones comes first."""
    rows = np.flatnonzero(is_free)
    return rows[np.argsort(-scores[rows], kind="stable")[:n_rows]]
