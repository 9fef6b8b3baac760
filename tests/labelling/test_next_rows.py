"""Which rows come next: by score, at random, where the ranking doubts; spread, and blank ones."""

import numpy as np
import pytest

from pucut.labelling.ranking import (
    apart_from,
    at_random,
    blank_rows_come_first,
    highest,
    most_likely,
)

SCORES = np.array([0.1, 0.9, 0.5, 0.8, 0.3, 0.7])
ALL = np.ones(6, dtype=bool)
NONE = np.zeros(6, dtype=bool)


def test_the_highest_scores_come_first_and_only_free_rows_do():
    is_free = np.array([1, 0, 1, 1, 1, 1], dtype=bool)
    assert most_likely(SCORES, is_free, NONE, 3, blank_first=False).tolist() == [3, 5, 2]
    assert most_likely(SCORES, is_free, NONE, 9, blank_first=False).tolist() == [3, 5, 2, 4, 0]


def test_blank_rows_come_before_or_after_all_others():
    is_blank = np.array([0, 1, 0, 0, 1, 0], dtype=bool)
    first = most_likely(SCORES, ALL, is_blank, 6, blank_first=True)
    assert first.tolist() == [1, 4, 3, 5, 2, 0]
    last = most_likely(SCORES, ALL, is_blank, 6, blank_first=False)
    assert last.tolist() == [3, 5, 2, 0, 1, 4]


def test_rows_like_one_that_is_shown_wait():
    alike = np.eye(6)
    alike[1, 3] = alike[3, 1] = 1.0  # copies
    alike[5, 2] = alike[2, 5] = 0.5
    left = apart_from([1, 5], SCORES, lambda row: alike[row])
    assert left == pytest.approx([0.1, 0.0, 0.25, 0.0, 0.3, 0.0])
    assert SCORES[1] == 0.9


def test_the_most_doubtful_free_row_comes_first():
    is_free = np.array([1, 0, 1, 1, 1, 1], dtype=bool)
    assert highest(SCORES, is_free, 2).tolist() == [3, 5]


def test_random_rows_are_free_and_evenly_drawn():
    is_free = np.array([1, 0, 1, 1, 0, 1], dtype=bool)
    drawn = [int(at_random(is_free, 1, seed)[0]) for seed in range(400)]
    counts = np.bincount(drawn, minlength=6)
    assert counts[[1, 4]].sum() == 0
    assert counts[[0, 2, 3, 5]] == pytest.approx(100, abs=35)  # four standard deviations


@pytest.mark.parametrize(
    ("n_since", "n_blank", "wanted"),
    [
        (5, 0, False),  # too few answers to know what the best rows promise
        (80, 0, False),  # the best promise 4.5 / 85, a blank row 3 * 0.05 / 3
        (190, 0, True),  # 4.5 / 195
        (250, 20, True),  # 0.5 / 251 against 0.15 / 23
        (250, 80, False),  # 0.5 / 251 against 0.15 / 83
        (400, 80, True),  # 0.5 / 401
    ],
)
def test_blank_rows_wait_until_the_others_promise_less(n_since, n_blank, wanted):
    is_blank = np.arange(100) >= 30
    positives = [(row, True) for row in range(4)] if n_since > 5 else []
    answers = positives + [(5, False)] * n_since + [(50, False)] * n_blank
    assert blank_rows_come_first(answers, is_blank, n_positive=5) is wanted
