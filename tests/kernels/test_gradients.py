"""Directions of change: gradients against differences, and what they are for."""

import numpy as np
import pytest

from pucut.kernels import gradients as gradients_module
from pucut.kernels.gradients import directions_of_change, gradients, mapped
from pucut.kernels.ridge import fit_kernel_ridge


def diagonal_table(n_rows=800, n_columns=6, seed=0):
    """The class depends on the sum of two columns, and on nothing else."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    return X, np.abs(X[:, 0] + X[:, 1]) < 1.0


def test_gradients_are_limits_of_differences():
    X, target = diagonal_table(n_rows=200)
    machine = fit_kernel_ridge(X, target[None, :], np.random.RandomState(0)).machine
    step = 1e-5
    expected = np.column_stack(
        [
            (machine.scores(X + step * axis) - machine.scores(X - step * axis)) / (2 * step)
            for axis in np.eye(X.shape[1])
        ]
    )
    np.testing.assert_allclose(gradients(machine, X), expected, atol=1e-7)


def test_the_direction_that_separates_is_found_though_no_column_is_it():
    X, target = diagonal_table()
    root = directions_of_change(X, target, np.random.RandomState(0))
    values, vectors = np.linalg.eigh(root @ root)
    wanted = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]) / np.sqrt(2.0)
    assert abs(vectors[:, -1] @ wanted) > 0.99
    assert values[-1] > 5.0 * values[-2]
    assert np.mean(mapped(X, root).var(axis=0)) == pytest.approx(1.0)


def test_some_rows_of_a_large_table_are_enough(monkeypatch):
    monkeypatch.setattr(gradients_module, "_MOST_LEARNED", 500)
    X, target = diagonal_table(2000)
    learned = []

    def watched(points, targets, random, groups, device):
        learned.append((len(points), targets.shape, groups))
        return fit_kernel_ridge(points, targets, random, groups, device)

    monkeypatch.setattr(gradients_module, "fit_kernel_ridge", watched)
    # Every row twice: copies that were drawn are still copies, and they alone.
    groups = np.arange(4000) // 2
    root = directions_of_change(
        np.repeat(X, 2, axis=0), np.repeat(target, 2), np.random.RandomState(0), groups
    )
    ((n_rows, shape, drawn_groups),) = learned
    assert (n_rows, shape) == (500, (1, 500))
    assert drawn_groups.max() + 1 == len(np.unique(drawn_groups)) < 500
    _, vectors = np.linalg.eigh(root @ root)
    assert abs(vectors[:2, -1].sum()) / np.sqrt(2.0) > 0.99


def test_neighbours_there_are_of_one_class_more_often():
    X, target = diagonal_table()
    root = directions_of_change(X[:400], target[:400], np.random.RandomState(0))

    def agreement(points):
        distances = ((points[400:, None] - points[None, 400:]) ** 2).sum(axis=2)
        np.fill_diagonal(distances, np.inf)
        return np.mean(target[400:][distances.argmin(axis=1)] == target[400:])

    assert agreement(mapped(X, root)) > agreement(X) + 0.1


def test_nothing_is_turned_where_nothing_changes():
    X, _ = diagonal_table(n_rows=50)
    root = directions_of_change(X, np.zeros(50, dtype=bool), np.random.RandomState(0))
    np.testing.assert_array_equal(root, np.eye(6))


def test_equal_rows_are_mapped_to_equal_points_however_many_there_are():
    random = np.random.default_rng(0)
    X, matrix = random.normal(size=(300, 7)), random.normal(size=(7, 7))
    whole = mapped(X, matrix)
    np.testing.assert_allclose(whole, X @ matrix, rtol=1e-12, atol=1e-12)
    for row in (0, 17, 299):
        np.testing.assert_array_equal(mapped(X[row : row + 1], matrix)[0], whole[row])
