"""Ranks, recall of hidden rows, weights: against SciPy, against chance, and by hand."""

import numpy as np
import pytest
from scipy.stats import rankdata

from pucut.methods.pu_cut._mixing import rank_among, ranks, recall_at, recall_error, recall_weights


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
        draws = []
        for _ in range(4000):
            order = np.lexsort((random.random(40), -scores))[:n_positive]
            draws.append(is_hidden[order].sum() / is_hidden.sum())
        expected = np.mean(draws)
        assert recall_at(scores, is_hidden, n_positive) == pytest.approx(expected, abs=0.02)


def test_weights_fall_by_e_with_each_standard_error():
    # The best is at 0.9 of 100 rows: a standard error of 0.03.
    weights = recall_weights(np.array([0.9, 0.87, 0.84, 0.5]), 100)
    assert weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(weights[1:3] / weights[0], np.exp([-1.0, -2.0]))
    assert weights[3] < 1e-5
    # All found: one row more or less is the noise.
    assert recall_error(1.0, 50) == 1 / 50
    found = recall_weights(np.array([1.0, 0.98]), 50)
    assert found[1] / found[0] == pytest.approx(np.exp(-1.0))
