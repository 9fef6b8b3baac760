"""Conjugate gradients against direct solutions, and how near the preconditioner brings a system."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from pucut.kernels.conjugate_gradients import (
    conjugate_gradients,
    preconditioner,
    solve,
    upper_root,
)

PENALTY = 0.1


def system(n_rows=300, n_landmarks=40, seed=0):
    """Kernels of rows and landmarks, and of the landmarks; how many rows are near each."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n_rows, 3))
    landmarks = rows[:n_landmarks]
    distances = cdist(rows, landmarks, "sqeuclidean")
    among = np.exp(-cdist(landmarks, landmarks, "sqeuclidean")) + 1e-4 * np.eye(n_landmarks)
    n_near = np.bincount(distances.argmin(axis=1), minlength=n_landmarks).astype(float)
    return np.exp(-distances), among, n_near


def test_every_column_is_solved_and_one_of_zeros_is_left_alone():
    random = np.random.default_rng(0)
    half = random.normal(size=(20, 20))
    matrix = half @ half.T + np.eye(20)
    right = np.column_stack([random.normal(size=20), np.zeros(20), 1e6 * random.normal(size=20)])
    found = conjugate_gradients(lambda x: matrix @ x, right, None, 1e-12, 100)
    np.testing.assert_allclose(found, np.linalg.solve(matrix, right), rtol=1e-8, atol=1e-12)


def test_weights_are_those_of_the_normal_equations():
    kernel, among, n_near = system()
    right = kernel.T @ np.random.default_rng(1).normal(size=(len(kernel), 2))
    expected = np.linalg.solve(kernel.T @ kernel + PENALTY * among, right)
    made = preconditioner(np.triu(among), n_near, PENALTY, n_threads=2)
    weights, found = made.solved(lambda w: kernel.T @ (kernel @ w), right, None, 1e-12, 200)
    np.testing.assert_allclose(weights, expected, rtol=1e-6)
    again, _ = made.solved(lambda w: kernel.T @ (kernel @ w), right, found, 1e-9, 0)
    np.testing.assert_array_equal(again, weights)


def test_few_steps_are_enough_with_it_and_not_without():
    kernel, among, n_near = system(2000, 100)
    right = kernel.T @ np.random.default_rng(1).normal(size=(len(kernel), 1))
    matrix = kernel.T @ kernel + PENALTY * among
    expected = kernel @ np.linalg.solve(matrix, right)
    made = preconditioner(np.triu(among), n_near, PENALTY, n_threads=1)
    weights, _ = made.solved(lambda w: kernel.T @ (kernel @ w), right, None, 0.0, 15)
    plain = conjugate_gradients(lambda w: matrix @ w, right, None, 0.0, 15)

    def missing(of_weights):
        return np.linalg.norm(kernel @ of_weights - expected) / np.linalg.norm(expected)

    assert missing(weights) < 0.05
    assert missing(plain) > 5 * missing(weights)


def test_if_rows_stand_on_landmarks_one_step_is_enough():
    _, among, _ = system()
    counts = np.random.default_rng(0).integers(1, 9, size=len(among)).astype(float)
    right = np.random.default_rng(1).normal(size=(len(among), 3))
    made = preconditioner(np.triu(among), counts, PENALTY, n_threads=1)

    def product(weights):
        return among @ (counts[:, None] * (among @ weights))

    weights, _ = made.solved(product, right, None, 0.0, 1)
    matrix = among @ np.diag(counts) @ among + PENALTY * among
    np.testing.assert_allclose(matrix @ weights, right, rtol=1e-5, atol=1e-8)


def test_a_root_of_the_upper_half_and_one_of_a_matrix_without():
    random = np.random.default_rng(0)
    half = random.normal(size=(30, 30))
    matrix = half @ half.T
    root = upper_root(np.triu(matrix))
    np.testing.assert_array_equal(root, np.triu(root))
    np.testing.assert_allclose(root.T @ root, matrix, rtol=1e-10, atol=1e-10)
    right = random.normal(size=(30, 2))
    np.testing.assert_allclose(root @ solve(root, right), right, atol=1e-8)
    np.testing.assert_allclose(root.T @ solve(root, right, transposed=True), right, atol=1e-8)
    singular = np.ones((10, 10)) - 1e-14 * np.eye(10)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(singular)
    nearly = upper_root(singular)
    np.testing.assert_allclose(nearly.T @ nearly, np.ones((10, 10)), atol=1e-8)
