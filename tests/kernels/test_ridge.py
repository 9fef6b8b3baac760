"""Ridge regression: left-out scores against regressions that really leave the row out."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from pucut.kernels import ridge
from pucut.kernels.gaussian import LINEAR_PENALTIES, PENALTIES, LeastSquares, kernel_solution
from pucut.kernels.ridge import LARGE, WIDTHS, chosen_widths, fit_kernel_ridge, fit_linear_ridge


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
    X, targets = table_with_targets()
    gamma = 0.4
    landmarks = X[:n_landmarks]
    found = kernel_solution(X, targets, landmarks, gamma)
    kernel = np.exp(-gamma * cdist(X, landmarks, "sqeuclidean"))
    gram = kernel[:n_landmarks] + 1e-4 * np.eye(n_landmarks)
    best = [best_left_out(kernel, gram, target, PENALTIES) for target in targets]
    assert found.left_out.shape == targets.shape
    for left_out, (expected, _, _) in zip(found.left_out, best, strict=True):
        np.testing.assert_allclose(left_out, expected, atol=2e-6)
    assert found.penalty == best[-1][2]
    assert found.errors == pytest.approx([error for _, error, _ in best], rel=1e-5)


def test_copies_are_left_out_together():
    """The oracle is a regression without the row and those equal to it; others keep their bits."""
    X, targets = table_with_targets()
    X, targets = np.vstack([X, X[:9], X[:4]]), np.hstack([targets, targets[:, :9], targets[:, :4]])
    n_rows = len(X) - 13
    groups = np.concatenate([np.arange(n_rows), np.arange(9), np.arange(4)])
    penalty, target = 10.0, targets[-1]
    kernel = np.exp(-0.4 * cdist(X, X[:15], "sqeuclidean"))
    gram = kernel[:15] + 1e-4 * np.eye(15)
    found = LeastSquares(kernel, np.asarray, gram, targets, (penalty,), groups).left_out[-1]
    for row in (0, 5, 20, n_rows + 1, n_rows + 10):
        kept = groups != groups[row]
        intercept, *weights = solved(kernel[kept], gram, target[kept] * 1.0, penalty)
        assert found[row] == pytest.approx(intercept + kernel[row] @ weights, abs=2e-6)
    alone = LeastSquares(kernel, lambda block: block, gram, targets, (penalty,), None).left_out[-1]
    is_single = np.bincount(groups)[groups] == 1
    np.testing.assert_array_equal(found[is_single], alone[is_single])
    assert (found[~is_single] != alone[~is_single]).all()
    own = np.arange(len(X))
    same = LeastSquares(kernel, lambda block: block, gram, targets, (penalty,), own).left_out[-1]
    np.testing.assert_array_equal(same, alone)


def test_targets_do_not_know_of_each_other():
    """The same bits for a target, whatever stands beside it."""
    X, targets = table_with_targets()
    for fit in (lambda y: kernel_solution(X, y, X[:15], 0.4), lambda y: fit_linear_ridge(X, y)):
        found = fit(targets).left_out
        changed = targets.copy()
        changed[1:] = ~changed[1:]
        np.testing.assert_array_equal(fit(changed).left_out[0], found[0])
        assert (fit(changed).left_out[1:] != found[1:]).any()


def test_linear_scores_are_those_of_regressions_without_the_row():
    X, targets = table_with_targets()
    found = fit_linear_ridge(X, targets)
    best = [best_left_out(X, np.eye(X.shape[1]), target, LINEAR_PENALTIES) for target in targets]
    for left_out, (expected, _, _) in zip(found.left_out, best, strict=True):
        np.testing.assert_allclose(left_out, expected, atol=2e-6)
    assert (found.width, found.penalty) == (None, best[-1][2])
    intercept, *weights = solved(X, np.eye(X.shape[1]), targets[-1] * 1.0, found.penalty)
    new = table(seed=5)[0]
    np.testing.assert_allclose(found.machine.scores(new), intercept + new @ weights, atol=1e-6)


def test_each_target_has_its_own_width():
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 2))
    smooth, wavy = X[:, 0] > 0.0, np.sin(4 * X[:, 0]) * np.sin(4 * X[:, 1]) > 0.0
    alone = {}
    for name, target in (("smooth", smooth), ("wavy", wavy)):
        alone[name] = fit_kernel_ridge(X, target[None, :], np.random.RandomState(0))
    assert alone["smooth"].width < alone["wavy"].width
    for names in (("smooth", "wavy", "smooth"), ("wavy", "smooth", "wavy")):
        targets = np.array([{"smooth": smooth, "wavy": wavy}[name] for name in names])
        together = fit_kernel_ridge(X, targets, np.random.RandomState(0))
        for left_out, name in zip(together.left_out, names, strict=True):
            # In single precision, summed in another order.
            np.testing.assert_allclose(left_out, alone[name].left_out[0], atol=5e-3)
        last = alone[names[-1]]
        assert (together.width, together.penalty) == (last.width, last.penalty)
        np.testing.assert_allclose(together.machine.scores(X), last.machine.scores(X), atol=5e-3)


def table_with_targets():
    """Three targets: labels with some of them hidden, and all of them."""
    X, is_labelled = table()
    hidden = np.random.default_rng(3).random((2, len(X))) < 0.3
    return X, np.array([is_labelled & ~hidden[0], is_labelled & ~hidden[1], is_labelled])


def best_left_out(features, gram, target, penalties):
    """Left-out scores by brute force, their squared error, and the penalty with the least."""
    found = []
    for penalty in penalties:
        scores = np.empty(len(features))
        for row in range(len(features)):
            others = np.arange(len(features)) != row
            intercept, *weights = solved(features[others], gram, target[others] * 1.0, penalty)
            scores[row] = intercept + features[row] @ weights
        found.append((scores, float(np.mean((scores - target) ** 2)), penalty))
    return min(found, key=lambda each: each[1])


def test_new_rows_are_scored_by_the_whole_regression():
    X, is_labelled = table()
    ridge = fit_kernel_ridge(X, is_labelled[None, :], np.random.RandomState(0))
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
    ridge = fit_kernel_ridge(X, is_labelled[None, :], np.random.RandomState(0))
    others = ~is_labelled
    best = np.argsort(-ridge.left_out[0][others])[: positive[others].sum()]
    assert positive[others][best].mean() > 0.9
    assert ridge.width in WIDTHS


def test_sparse_rows_and_one_row_of_a_kind():
    X, is_labelled = table()
    dense = fit_kernel_ridge(X, is_labelled[None, :], np.random.RandomState(0))
    sparse = fit_kernel_ridge(sp.csr_array(X), is_labelled[None, :], np.random.RandomState(0))
    np.testing.assert_allclose(sparse.left_out, dense.left_out, atol=1e-3)
    alone = np.arange(len(X)) == 3
    assert np.isfinite(fit_kernel_ridge(X, alone[None, :], np.random.RandomState(0)).left_out).all()
    same = np.ones((20, 2))
    found = fit_kernel_ridge(same, np.arange(20)[None, :] < 4, np.random.RandomState(0))
    assert np.isfinite(found.left_out).all()


def test_rows_that_lie_close_together_and_far_from_the_rest_have_a_solution():
    """Single precision loses more of their distances than the jitter of the kernel makes up for."""
    random = np.random.default_rng(0)
    far = 12.0 + 1e-3 * random.normal(size=(150, 4))
    X = np.vstack([far, random.normal(size=(850, 4))]).astype(np.float32)
    target = random.random(1000) < 0.3
    found = kernel_solution(X, target[None, :], X[:150], 0.25)
    assert np.isfinite(found.left_out).all()


@pytest.mark.parametrize(("n_rows", "expected"), [(LARGE - 1, (1000, 150)), (LARGE, (4000, 300))])
def test_widths_of_large_tables_are_compared_on_more_rows(monkeypatch, n_rows, expected):
    compared = set()

    def watched(points, targets, landmarks, *given):
        assert targets.shape == (1, len(points))
        compared.add((len(points), len(landmarks)))
        return kernel_solution(points, targets, landmarks, *given)

    monkeypatch.setattr(ridge, "kernel_solution", watched)
    random = np.random.RandomState(0)
    X = random.normal(size=(n_rows, 2)).astype(np.float32)
    (width,) = chosen_widths(X, X[None, :, 0] > 0.0, random)
    assert width in WIDTHS
    assert compared == {expected}
    compared.clear()
    chosen_widths(X, X[None, :, 0] > 0.0, random, most_landmarks=200)
    assert compared == {(expected[0], 200)}


def test_threads_that_share_widths_choose_the_same():
    random = np.random.RandomState(0)
    X = random.normal(size=(600, 2)).astype(np.float32)
    targets = np.array([X[:, 0] > 0.0, np.sin(9.0 * X[:, 0]) > 0.0])
    alone, shared = (
        chosen_widths(X, targets, np.random.RandomState(1), n_threads=n) for n in (1, 3)
    )
    assert alone == shared
    assert len(set(alone)) == 2
