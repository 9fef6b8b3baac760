"""Ranks, recall of hidden rows, weights: against SciPy, against chance, and by hand."""

import numpy as np
import pytest
from scipy.stats import rankdata

from pucut.judging.losses import rank_among, ranks, shares_above
from pucut.judging.weights import (
    Candidate,
    behind_the_best,
    compared,
    is_ahead,
    recall_error,
    recall_weights,
)


def test_ranks_are_mean_ranks():
    values = np.random.default_rng(0).integers(0, 20, size=100).astype(float)
    np.testing.assert_allclose(ranks(values), (rankdata(values) - 0.5) / 100)
    assert ranks(values).mean() == pytest.approx(0.5)


def test_rank_of_new_values():
    reference = np.array([1.0, 2.0, 2.0, 5.0])
    np.testing.assert_array_equal(
        rank_among(np.array([0.0, 1.0, 1.5, 2.0, 9.0]), reference), [0.0, 0.125, 0.25, 0.5, 1.0]
    )


def test_recall_counts_ties_as_chance_would():
    random = np.random.default_rng(0)
    scores = random.integers(0, 4, size=40).astype(float)
    is_hidden = random.random(40) < 0.3
    for n_positive in (1, 10, 25, 40):
        draws = np.zeros((4000, is_hidden.sum()))
        for draw in draws:
            order = np.lexsort((random.random(40), -scores))[:n_positive]
            draw[:] = np.isin(np.flatnonzero(is_hidden), order)
        expected = draws.mean(axis=0)
        found = shares_above(scores[is_hidden], scores, n_positive)
        np.testing.assert_allclose(found, expected, atol=0.03)


def test_weights_fall_by_e_with_each_standard_error():
    # The best is at 0.9 of 100 rows: a standard error of 0.03.
    weights = recall_weights(found_of(0.9, 0.87, 0.84, 0.5))
    assert weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(weights[1:3] / weights[0], np.exp([-1.0, -2.0]))
    assert weights[3] == 0.0  # left out, as all that is three standard errors behind
    near = recall_weights(found_of(0.9, 0.82, 0.80))
    np.testing.assert_allclose(near[1] / near[0], np.exp(-0.08 / 0.03))
    assert near[2] == 0.0
    # All found: one row more or less is the noise.
    assert recall_error(1.0, 50) == 1 / 50
    found = recall_weights(found_of(1.0, 0.98, n_hidden=50))
    assert found[1] / found[0] == pytest.approx(np.exp(-1.0))
    np.testing.assert_array_equal(recall_weights(np.empty((4, 0))), 0.25)


def found_of(*recalls, n_hidden=100):
    return np.array([np.arange(n_hidden) < round(recall * n_hidden) for recall in recalls]) * 1.0


def test_candidates_say_what_they_found_and_why_they_have_their_weight():
    found = found_of(0.9, 0.89, 0.85, 0.5)
    lines = compared(list("abcd"), "cut", found, recall_weights(found), np.ones(100, bool))
    assert [line.hidden_recall for line in lines] == pytest.approx([0.9, 0.89, 0.85, 0.5])
    assert [line.standard_error for line in lines] == pytest.approx(
        [np.sqrt(r * (1 - r) / 100) for r in (0.9, 0.89, 0.85, 0.5)]
    )
    assert [line.why for line in lines] == [
        "found most hidden positives",
        "as good as the best, within the noise",
        "behind the best by little more than the noise",
        "clearly behind the best",
    ]
    (alone,) = compared(["a"], "cut", np.empty((1, 0)), np.ones(1), np.ones(0, bool))
    assert np.isnan([alone.hidden_recall, alone.standard_error]).all()
    assert alone.why == "nothing could be hidden to judge it"


def test_a_candidate_is_a_line_when_printed():
    line = str(Candidate("linear", "score", 0.9123, 0.0211, 0.25, "found most hidden positives"))
    assert line == "score     91.2 ±  2.1 %   0.250  linear: found most hidden positives"


def test_differences_are_judged_on_the_same_rows():
    found = np.zeros((3, 100))
    found[0, :90] = found[1, :80] = found[2, 10:100] = 1.0
    # The first two disagree on 10 rows, all in favour of one; the others on 20, evenly.
    error = np.sqrt(0.1 * 0.9 / 99)
    np.testing.assert_allclose(behind_the_best(found), [0.0, 0.1 / error, 0.0])
    # Equal ones are not behind, and one row of difference is within the noise.
    found[1] = found[0]
    found[1, 0] = 0.0
    assert behind_the_best(found)[1] == pytest.approx(1.0)
    np.testing.assert_array_equal(behind_the_best(np.empty((2, 0))), 0.0)


def test_more_is_found_if_the_difference_is_not_chance():
    before, now = np.zeros(100), np.zeros(100)
    before[:60] = 1.0
    now[:66] = 1.0  # the same rows and six more
    error = np.sqrt(0.06 * 0.94 / 99)
    assert is_ahead(now, before, 0.99 * 0.06 / error)
    assert not is_ahead(now, before, 1.01 * 0.06 / error)
    # Six more, but other rows: they disagree on 86.
    other = np.roll(now, 40)
    assert is_ahead(other, before, 0.0)
    assert not is_ahead(other, before, 2.0)
    assert not is_ahead(before, before, 0.0)


@pytest.mark.parametrize("n_hidden", range(2, 60))
def test_a_single_row_is_never_more_than_one_error(n_hidden):
    """It is exactly one, and rounding must not decide."""
    before = np.zeros(n_hidden)
    now = np.arange(n_hidden) == 0
    assert is_ahead(now.astype(float), before, 0.9)
    assert not is_ahead(now.astype(float), before, 1.0)
