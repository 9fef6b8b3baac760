"""Regressions of classes: against scikit-learn's, and against leaving rows out one by one."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from pucut.kernels.class_ridge import (
    MOST_ROWS,
    PENALTIES,
    POWERS,
    ROWS_FOR_CHOICE,
    WIDTHS,
    _solver,
    fit_class_ridge,
)


def three_groups(n_rows=60, n_features=5, seed=0):
    random = np.random.default_rng(seed)
    codes = np.arange(n_rows) % 3
    return random.normal(size=(n_rows, n_features)) + codes[:, None], codes


def probabilities(answers, power):
    positive = np.clip(answers, 1e-3, 1.0) ** power
    return positive / positive.sum(axis=1, keepdims=True)


def fitted(points, codes, **options):
    return fit_class_ridge(points, codes, 3, np.random.RandomState(0), **options)


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("n_features", [5, 100])
def test_the_regression_is_that_of_scikit_learn(linear, n_features):
    points, codes = three_groups(n_features=n_features)
    found = fitted(points, codes, linear=linear)
    target = np.eye(3)[codes]
    peer = KernelRidge(alpha=found.penalty, kernel="rbf", gamma=(found.width or 0.0) / n_features)
    if linear:
        peer = KernelRidge(alpha=found.penalty * n_features, kernel="linear")
    peer.fit(points, target - target.mean(axis=0))
    new = three_groups(n_features=n_features, seed=1)[0]
    expected = probabilities(peer.predict(new) + target.mean(axis=0), found.power)
    assert_allclose(found.of(new), expected, atol=1e-10)
    assert_allclose(found.of_rows(new), expected, atol=2e-4)
    assert (found.width is None) == linear


@pytest.mark.parametrize("width", [None, 0.3])
@pytest.mark.parametrize("n_features", [5, 100])
def test_left_out_rows_are_predicted_by_the_others(width, n_features):
    points, codes = three_groups(30, n_features)
    target, penalty = np.eye(3)[codes], 0.3
    found = _solver(points, width)(target, penalty)
    # The shares of the classes are those of all rows.
    centred = target - target.mean(axis=0)
    kernel = points @ points.T / n_features
    if width is not None:
        kernel = rbf_kernel(points, gamma=width / n_features)
    for row in range(0, 30, 7):
        others = np.delete(np.arange(30), row)
        among = kernel[np.ix_(others, others)] + penalty * np.eye(29)
        expected = kernel[row, others] @ np.linalg.solve(among, centred[others])
        assert_allclose(found.left_out[row], expected + target.mean(axis=0), atol=1e-8)


def test_the_choice_has_the_least_error_of_all():
    points, codes = three_groups(90)
    found, target = fitted(points, codes), np.eye(3)[codes]

    def error(width, penalty, power):
        left_out = _solver(points, width)(target, penalty).left_out
        return np.square(probabilities(left_out, power) - target).sum(axis=1).mean()

    least = min(
        error(width, penalty, power)
        for width in WIDTHS
        for penalty in PENALTIES
        for power in POWERS[::2]
    )
    assert error(found.width, found.penalty, found.power) <= least
    other = fitted(points[:40], codes[:40], like=found)
    assert (other.width, other.penalty) == (found.width, found.penalty)


@pytest.mark.parametrize("linear", [False, True])
def test_sparse_rows_are_like_dense_ones(linear):
    points, codes = three_groups(n_features=8)
    dense = fitted(points, codes, linear=linear)
    sparse = fitted(sp.csr_array(points), codes, linear=linear)
    assert_allclose(sparse.of(sp.csr_array(points)), dense.of(points), atol=1e-9)
    assert_allclose(sparse.of_rows(sp.csr_array(points)), dense.of_rows(points), atol=1e-4)


def test_each_row_is_answered_by_itself():
    points, codes = three_groups(200)
    for linear in (False, True):
        found = fitted(points, codes, linear=linear)
        one_by_one = np.vstack([found.of(row[None, :]) for row in points[:20]])
        assert_array_equal(found.of(points)[:20], one_by_one)


def test_many_rows_are_sampled():
    points, codes = three_groups(MOST_ROWS + 200)
    assert len(codes) > ROWS_FOR_CHOICE
    found = fitted(points, codes)
    assert len(found.landmarks) == MOST_ROWS
    assert np.mean(np.argmax(found.of(points), axis=1) == codes) > 0.7
