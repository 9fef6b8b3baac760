"""Regressions with many landmarks: against the normal equations, fold by fold."""

from functools import partial

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from pucut.kernels import conjugate_gradients, folded_ridge
from pucut.kernels.folded_ridge import (
    PENALTY,
    FoldedRidge,
    cluster_centres,
    folded_landmarks,
    nearest_points,
)


def table(n_rows=400, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3)).astype(np.float32)
    noisy = X[:, 0] + 0.3 * random.normal(size=(2, n_rows))
    return X, noisy > 0.2


def learned(X, groups=None, n_threads=1, seed=0):
    groups = np.arange(len(X)) if groups is None else groups
    return FoldedRidge(X, 1.2, np.random.RandomState(seed), groups, n_threads)


def expected(ridge, X, targets, learns):
    """By the normal equations in double precision, one regression without each fold."""
    landmarks = ridge._landmarks.astype(np.float64)
    gamma = 1.2 / X.shape[1]
    kernel = np.exp(-gamma * cdist(X, landmarks, "sqeuclidean"))
    kernel -= kernel[learns].mean(axis=0)
    gram = np.exp(-gamma * cdist(landmarks, landmarks, "sqeuclidean"))
    gram[np.diag_indices_from(gram)] += 1e-4
    share = targets[:, learns].mean(axis=1)
    found = np.empty(targets.shape)
    for fold in range(folded_ridge.N_FOLDS):
        train, own = learns & (ridge._fold != fold), ridge._fold == fold
        matrix = kernel[train].T @ kernel[train] + PENALTY * gram
        weights = np.linalg.solve(matrix, kernel[train].T @ (targets[:, train] - share[:, None]).T)
        found[:, own] = (share + kernel[own] @ weights).T
    return found


@pytest.fixture
def to_the_end(monkeypatch):
    """Gradients until nothing is missing."""
    monkeypatch.setattr(folded_ridge, "TOLERANCE", 1e-7)
    monkeypatch.setattr(folded_ridge, "MOST_STEPS", 200)


@pytest.mark.parametrize("most_rows", [400, 150])
def test_scores_are_those_of_regressions_without_the_fold(monkeypatch, to_the_end, most_rows):
    monkeypatch.setattr(folded_ridge, "MOST_ROWS", most_rows)
    X, targets = table()
    ridge = learned(X)
    learns = np.zeros(len(X), dtype=bool)
    learns[ridge._learning] = True
    assert learns.sum() == most_rows
    found = ridge.scores(targets)
    np.testing.assert_allclose(
        found.of_targets,
        expected(ridge, X, targets, learns),
        atol=2e-4,  # single precision
    )
    assert set(ridge._fold) == {0, 1, 2}


def test_the_few_steps_that_are_made_hardly_change_the_order_of_rows():
    X, targets = table(2000)
    ridge = learned(X)
    exact = expected(ridge, X, targets, np.ones(len(X), dtype=bool))
    for found, right in zip(ridge.scores(targets).of_targets, exact, strict=True):
        assert spearmanr(found, right).statistic > 0.995


def test_a_further_target_is_learned_as_if_it_were_the_first(to_the_end):
    X, targets = table()
    ridge = learned(X)
    once = ridge.scores(targets)
    again = ridge.scores(targets, ridge.scores(~targets).found)
    np.testing.assert_allclose(again.of_targets, once.of_targets, atol=2e-4)


def test_regressions_start_from_those_of_similar_targets(monkeypatch):
    """Without a single step they stay where they start."""
    X, targets = table()
    ridge = learned(X)
    before = ridge.scores(targets)
    monkeypatch.setattr(folded_ridge, "MOST_STEPS", 0)
    np.testing.assert_array_equal(ridge.scores(targets, before.found).of_targets, before.of_targets)


def test_new_rows_are_scored_by_the_mean_of_the_regressions(monkeypatch):
    monkeypatch.setattr(folded_ridge, "ROWS_A_LANDMARK", 16)
    X, targets = table()
    found = learned(X).scores(targets)
    new, of_new = table(seed=1)
    scores = found.machine.scores(new)
    # Labels are noisy, so that nobody is right about all of them.
    assert np.mean((scores > 0.5) == of_new[1]) > 0.85
    # Rows of fit are scored by the mean of three, one of which has not seen them.
    assert np.corrcoef(found.machine.scores(X), found.of_targets[-1])[0, 1] > 0.99


def test_rows_of_a_group_share_a_fold_and_threads_change_nothing(monkeypatch):
    monkeypatch.setattr(folded_ridge, "_SIZE_OF_A_PART", 7)
    monkeypatch.setattr(conjugate_gradients, "_COLUMNS_OF_A_PART", 7)
    X, targets = table()
    groups = np.arange(len(X)) // 2
    one, two = (learned(X, groups, n_threads) for n_threads in (1, 2))
    assert (one._fold[::2] == one._fold[1::2]).all()
    np.testing.assert_array_equal(one.scores(targets).of_targets, two.scores(targets).of_targets)


def test_equal_rows_have_a_regression_too():
    """All landmarks but a few are equal, so that their kernel has no root by itself."""
    X, targets = table()
    few = X[np.arange(len(X)) % 3]
    scores = learned(few).scores(targets).of_targets
    assert np.isfinite(scores).all()
    assert len(np.unique(scores[0])) <= 9  # three rows, by three folds


def test_centres_stand_for_the_rows_better_than_rows_drawn_at_random():
    X, _ = table(3000)
    random = np.random.RandomState(0)
    found = cluster_centres(X, 60, random, partial(nearest_points, n_threads=1))
    assert found.shape == (60, 3)
    assert found.dtype == np.float32

    def distance(landmarks):
        return cdist(X, landmarks, "sqeuclidean").min(axis=1).mean()

    drawn = X[random.choice(len(X), 60, replace=False)]
    assert distance(found) < 0.9 * distance(drawn)
    in_two = partial(nearest_points, n_threads=2)
    np.testing.assert_array_equal(found, cluster_centres(X, 60, np.random.RandomState(0), in_two))


def test_how_many_landmarks_there_are():
    assert [folded_landmarks(n) for n in (1, 20, 20_000, 70_000, 10**6)] == [1, 2, 2000, 7000, 5000]
