"""Kernel ridge regression: left-out scores against regressions that really leave the row out."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from pucut.kernels.ridge import PENALTIES, WIDTHS, _Solution, fit_kernel_ridge


def table(n_rows=60, n_features=3, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_features))
    is_labelled = (X[:, 0] + 0.3 * random.normal(size=n_rows) > 0.3) & (random.random(n_rows) < 0.7)
    return X, is_labelled


def solved(features, gram, target, penalty):
    """Ridge regression with an intercept that is not penalised, by the normal equations."""
    n_rows, n_columns = features.shape
    design = np.column_stack([np.ones(n_rows), features])
    punished = np.zeros((n_columns + 1, n_columns + 1))
    punished[1:, 1:] = penalty * gram
    return np.linalg.solve(design.T @ design + punished, design.T @ target)


@pytest.mark.parametrize("n_landmarks", [60, 15])
def test_left_out_scores_are_those_of_regressions_without_the_row(n_landmarks):
    X, is_labelled = table()
    gamma = 0.4
    landmarks = X[:n_landmarks]
    found = _Solution(X, is_labelled, landmarks, gamma)
    kernel = np.exp(-gamma * cdist(X, landmarks, "sqeuclidean"))
    gram = kernel[:n_landmarks] + 1e-4 * np.eye(n_landmarks)
    target = is_labelled.astype(float)
    expected = np.empty(len(X))
    for row in range(len(X)):
        others = np.arange(len(X)) != row
        intercept, *weights = solved(kernel[others], gram, target[others], found.penalty)
        expected[row] = intercept + kernel[row] @ weights
    np.testing.assert_allclose(found.left_out, expected, atol=2e-6)


def test_the_penalty_has_the_least_error_of_rows_left_out():
    X, is_labelled = table(seed=1)
    found = _Solution(X, is_labelled, X, 0.4)
    kernel = np.exp(-0.4 * cdist(X, X, "sqeuclidean"))
    gram = kernel + 1e-4 * np.eye(len(X))
    target = is_labelled.astype(float)
    errors = []
    for penalty in PENALTIES:
        error = 0.0
        for row in range(len(X)):
            others = np.arange(len(X)) != row
            intercept, *weights = solved(kernel[others], gram, target[others], penalty)
            error += (intercept + kernel[row] @ weights - target[row]) ** 2 / len(X)
        errors.append(error)
    assert found.penalty == PENALTIES[int(np.argmin(errors))]
    assert found.error == pytest.approx(min(errors), rel=1e-5)


def test_new_rows_are_scored_by_the_whole_regression():
    X, is_labelled = table()
    ridge = fit_kernel_ridge(X, is_labelled, np.random.RandomState(0))
    gamma = ridge.width / X.shape[1]
    kernel = np.exp(-gamma * cdist(X, X, "sqeuclidean"))
    gram = kernel + 1e-4 * np.eye(len(X))
    intercept, *weights = solved(kernel, gram, is_labelled.astype(float), ridge.penalty)
    # Kernels of `fit` are in single precision.
    np.testing.assert_allclose(ridge.machine.scores(X), intercept + kernel @ weights, atol=1e-3)


def test_it_learns_what_is_curved_and_chooses_a_width():
    random = np.random.default_rng(0)
    X = random.normal(size=(1500, 2))
    positive = np.hypot(*X.T) < 1.0
    is_labelled = positive & (random.random(1500) < 0.5)
    ridge = fit_kernel_ridge(X, is_labelled, np.random.RandomState(0))
    others = ~is_labelled
    best = np.argsort(-ridge.left_out[others])[: positive[others].sum()]
    assert positive[others][best].mean() > 0.9
    assert ridge.width in WIDTHS


def test_sparse_rows_and_one_row_of_a_kind():
    X, is_labelled = table()
    dense = fit_kernel_ridge(X, is_labelled, np.random.RandomState(0))
    sparse = fit_kernel_ridge(sp.csr_array(X), is_labelled, np.random.RandomState(0))
    np.testing.assert_allclose(sparse.left_out, dense.left_out, atol=1e-3)
    alone = np.arange(len(X)) == 3
    assert np.isfinite(fit_kernel_ridge(X, alone, np.random.RandomState(0)).left_out).all()
    same = np.ones((20, 2))
    found = fit_kernel_ridge(same, np.arange(20) < 4, np.random.RandomState(0))
    assert np.isfinite(found.left_out).all()
