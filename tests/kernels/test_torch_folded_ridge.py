"""Regressions by PyTorch, here on the processor, beside those of NumPy."""

from contextlib import closing

import numpy as np
import pytest

from pucut.kernels import folded_ridge
from pucut.kernels.folded_ridge import FoldedRidge
from tests.kernels.test_folded_ridge import table

torch_folded_ridge = pytest.importorskip("pucut.kernels.torch_folded_ridge", reason="needs PyTorch")

WIDTH = 1.2


def by_torch(X, targets, groups=None):
    """Of the targets, and then of others."""
    groups = np.arange(len(X)) if groups is None else groups
    random = np.random.RandomState(0)
    with closing(FoldedRidge(X, WIDTH, random, groups, device="cpu")) as ridge:
        first = ridge.scores(targets)
        return first, ridge.scores(~targets, first.found)


@pytest.mark.parametrize("most_rows", [600, 250])
def test_scores_are_those_of_numpy_with_the_same_landmarks(monkeypatch, most_rows):
    monkeypatch.setattr(torch_folded_ridge, "ROWS_A_LANDMARK", folded_ridge.ROWS_A_LANDMARK)
    monkeypatch.setattr(folded_ridge, "MOST_ROWS", most_rows)
    # To the end: with few steps, rounding may decide whether there is one more.
    monkeypatch.setattr(folded_ridge, "TOLERANCE", 1e-7)
    monkeypatch.setattr(folded_ridge, "MOST_STEPS", 200)
    X, targets = table(600)
    groups = np.arange(len(X)) // 2
    ridge = FoldedRidge(X, WIDTH, np.random.RandomState(0), groups, 1)
    there, again = by_torch(X, targets, groups)
    here = ridge.scores(targets)
    np.testing.assert_allclose(there.of_targets, here.of_targets, atol=5e-4)
    new, _ = table(200, seed=1)
    np.testing.assert_allclose(there.machine.scores(new), here.machine.scores(new), atol=3e-4)
    expected = ridge.scores(~targets, here.found).of_targets
    np.testing.assert_allclose(again.of_targets, expected, atol=1e-3)


def test_blocks_and_another_call_change_nothing(monkeypatch):
    X, targets = table(600)
    once = by_torch(X, targets)[0].of_targets
    np.testing.assert_array_equal(by_torch(X, targets)[0].of_targets, once)
    monkeypatch.setattr(torch_folded_ridge, "_ROWS_OF_A_BLOCK", 64)
    np.testing.assert_allclose(by_torch(X, targets)[0].of_targets, once, atol=1e-5)


def test_equal_rows_have_a_regression_too():
    X, targets = table()
    scores = by_torch(X[np.arange(len(X)) % 3], targets)[0].of_targets
    assert np.isfinite(scores).all()


def test_how_many_landmarks_there_are():
    n_landmarks = torch_folded_ridge.landmarks_in_memory
    assert [n_landmarks(n) for n in (20_000, 70_000, 10**6)] == [5000, 16_000, 16_000]
    assert n_landmarks(70_000, 1e9) == folded_ridge.folded_landmarks(70_000)
    # Kernel 4 * 70 000 bytes a landmark, roots 40 bytes a pair: two fifths of the memory each.
    assert n_landmarks(70_000, 10e9) == int(np.sqrt(0.4 * 10e9 / 40))
