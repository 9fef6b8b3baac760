"""Ridge regression of "labelled or not", with the score of each row by all other rows.

    f(x) = sum_j weight_j k(x, z_j) + intercept,   k the Gaussian kernel exp(-width d^2 / H)

with landmarks z_j drawn from the rows (the Nystroem method) and H the number of features; or plain
f(x) = weight x + intercept. Least squares have a closed form, and so does the leave-one-out
prediction of a row: y - (y - f) / (1 - h), with h the leverage of the row. So penalties are
compared by their leave-one-out error, and the scores of the training rows are out of sample, at the
price of a single fit. Several targets, such as the same labels with some of them hidden, share all
but the last step. Labels are positives chosen at random, so that f orders rows as the probability
of being positive does.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_sparse
from pucut._support.threads import in_threads
from pucut.data.repeats import numbered
from pucut.kernels.blocks import RowsHere, as_rows, drawn
from pucut.kernels.gaussian import DIGITS, GaussianKernel
from pucut.kernels.machines import Machine, as_float64

WIDTHS = (0.3, 1.0, 3.0, 10.0)
PENALTIES = (0.1, 1.0, 10.0, 100.0)
# For standardised columns, whose squares add up to the number of rows.
LINEAR_PENALTIES = (1.0, 10.0, 100.0, 1000.0)

# From this many rows on, a wrong width costs more than comparing widths on more of the rows.
LARGE = 20_000
_FEWEST_LANDMARKS, _MOST_LANDMARKS, _ROWS_A_LANDMARK = 300, 1000, 30
# On a GPU, rows times landmarks squared is at most this, about a second of an H200: up to 20 000
# rows all are landmarks. The matrices of landmarks held at once take a share of its free memory.
_MOST_WORK, _MATRICES, _SHARE_OF_MEMORY = 8e12, 5, 0.5
# Landmarks that are nearly equal make their kernel singular.
JITTER = 1e-4
_SMALLEST_REST = 1e-6


@dataclass(frozen=True)
class WidthSample:
    """The sample on which widths are compared: its rows, and the landmarks among them."""

    n_rows: int
    n_landmarks: int


# One of many regressions that are mixed need not be the best by itself.
USUAL, OF_MANY, _IF_LARGE = WidthSample(1000, 150), WidthSample(500, 100), WidthSample(4000, 300)


@dataclass(frozen=True, eq=False)
class Ridge:
    """The regressions of several targets.

    Attributes
    ----------
    machine : Machine
        The regression of the last target.
    left_out : float array of shape (n_targets, n_rows)
        Leave-one-out scores.
    width : float or None
        The width of the last target's kernel; None if it is linear.
    penalty : float
        The penalty of the last target.
    """

    machine: Machine
    left_out: FloatArray
    width: float | None
    penalty: float


def fit_kernel_ridge(
    points: Any,
    targets: BoolArray,
    random: np.random.RandomState,
    groups: IndexArray | None = None,
    device: str | None = None,
    n_threads: int = 1,
    sample: WidthSample = USUAL,
) -> Ridge:
    """Fit each target with the width and penalty of the smallest leave-one-out squared error.

    `points` are an array, a CSR matrix or `BlockedRows`; `targets` has one line per target. Kernels
    are computed in single precision, once for targets of the same width. Rows of a group
    (`data.repeats`), which are equal, are left out together. With a `device` of PyTorch dense
    points of this process are regressed there, with more landmarks. Threads share the widths; for
    `sample` see `chosen_widths`.
    """
    rows = as_rows(points)
    n_rows, n_features = rows.shape
    chosen = chosen_widths(rows, targets, random, groups, n_threads=n_threads, sample=sample)
    if device is None or not isinstance(rows, RowsHere) or is_sparse(rows.points):
        device = None
        landmarks = _single(rows[drawn(n_rows, default_landmarks(n_rows), random)])
        solution: Callable[..., Any] = partial(_kernel_solution, rows)
    else:
        from pucut.kernels import torch_ridge  # PyTorch takes seconds, and is no dependency

        most = default_landmarks_on_gpu(n_rows, torch_ridge.free_memory(device))
        landmarks = as_float64(_single(rows[drawn(n_rows, most, random)]))
        validation = drawn(n_rows, torch_ridge.VALIDATION_ROWS, random)
        dense = _single(rows.points)
        solution = partial(torch_ridge.kernel_solution, dense, device=device, validation=validation)
    left_out = np.empty(targets.shape)
    widths = np.array(chosen)
    for width in in_turn(widths):
        same = widths == width
        found = solution(targets[same], landmarks, width / n_features, groups=groups)
        left_out[same] = found.left_out
    gamma = width / n_features
    machine = Machine(as_float64(landmarks), found.weights, found.intercept, gamma, device)
    return Ridge(machine, left_out, float(width), found.penalty)


def chosen_widths(
    points: Any,
    targets: BoolArray,
    random: np.random.RandomState,
    groups: IndexArray | None = None,
    most_landmarks: int | None = None,
    n_threads: int = 1,
    sample: WidthSample = USUAL,
) -> list[float]:
    """Return for each target the width with the smallest error on a sample of the rows.

    The sample is larger in large tables. `most_landmarks` replaces its number of landmarks. Each
    thread takes a width.
    """
    rows = as_rows(points)
    n_rows, n_features = rows.shape
    if n_rows < 2:
        return [WIDTHS[0]] * len(targets)
    sample = _IF_LARGE if n_rows >= LARGE else sample
    some = drawn(n_rows, sample.n_rows, random)
    compared = _single(rows[some])
    landmarks = compared[drawn(len(some), most_landmarks or sample.n_landmarks, random)]
    together = None if groups is None else numbered(groups[some])

    def errors_of(tried: float) -> FloatArray:
        gamma = tried / n_features
        return _kernel_solution(compared, targets[:, some], landmarks, gamma, together).errors

    errors = in_threads(errors_of, WIDTHS, n_threads)
    return [WIDTHS[place] for place in np.argmin(errors, axis=0)]


def in_turn(chosen: FloatArray) -> list[float]:
    """Return the values that targets chose, each once, with that of the last target last.

    After a loop over them, the result for the last target is the one that stays.
    """
    return list(dict.fromkeys([*(each for each in chosen if each != chosen[-1]), chosen[-1]]))


def fit_linear_ridge(
    points: Any,
    targets: BoolArray,
    groups: IndexArray | None = None,
    device: str | None = None,
) -> Ridge:
    """Fit linear regressions on dense points; the parameters are those of `fit_kernel_ridge`."""
    rows = as_rows(points)
    if device is not None and isinstance(rows, RowsHere):
        from pucut.kernels import torch_ridge

        found: Any = torch_ridge.linear_solution(_single(rows.points), targets, device, groups)
    else:
        among = np.eye(rows.shape[1])
        found = _Solution(rows, _single, among, targets, LINEAR_PENALTIES, groups)
    machine = Machine(None, found.weights, found.intercept, 0.0)
    return Ridge(machine, found.left_out, None, found.penalty)


def default_landmarks(n_rows: int) -> int:
    """Return the number of landmarks wanted; the caller caps it at the number of rows."""
    return min(max(_FEWEST_LANDMARKS, n_rows // _ROWS_A_LANDMARK), _MOST_LANDMARKS)


def default_landmarks_on_gpu(n_rows: int, free_memory: float = math.inf) -> int:
    """Return as many landmarks as work and the free bytes of a GPU allow.

    They are never fewer than on the processors.
    """
    by_work = math.sqrt(_MOST_WORK / n_rows)
    by_memory = math.sqrt(_SHARE_OF_MEMORY * free_memory / (8 * _MATRICES))
    return max(int(min(by_work, by_memory)), default_landmarks(n_rows))


def _single(points: Any) -> Any:
    return points.astype(np.float32, copy=False)


def _kernel_columns(kernel: GaussianKernel, block: Any) -> FloatArray:
    """Return the kernel of a block of rows, in the precision of the landmarks."""
    return kernel.of(block.astype(kernel.landmarks.dtype, copy=False))


def _kernel_solution(
    points: Any, targets: BoolArray, landmarks: Any, gamma: float, groups: IndexArray | None = None
) -> "_Solution":
    # In double precision: where landmarks are nearly equal, or one is far away, single precision
    # loses more than the jitter, and the matrix has no root.
    measured = landmarks.astype(np.float64, copy=False)
    among = GaussianKernel(measured, gamma).of(measured)
    among = (among + among.T) / 2.0
    among[np.diag_indices_from(among)] = 1.0 + JITTER
    columns_of = partial(_kernel_columns, GaussianKernel(landmarks, gamma))
    return _Solution(points, columns_of, among, targets, PENALTIES, groups)


class _Solution:
    """The regressions on the columns K that `columns_of` gives for rows, by the best penalties.

    M is the matrix of the penalty: the kernel of the landmarks, or 1. K is taken less the mean of
    each column. With M = C C' and C^-1 K'K C'^-1 = Q E Q', the features T = K C'^-1 Q are
    orthogonal, and every penalty is a division.
    """

    def __init__(
        self,
        points: Any,
        columns_of: Callable[[Any], Any],
        among: FloatArray,
        targets: BoolArray,
        penalties: tuple[float, ...],
        groups: IndexArray | None,
    ) -> None:
        rows = as_rows(points)
        target = targets.T.astype(np.float64)  # (n_rows, n_targets)
        (n_rows, n_targets), share = target.shape, target.mean(axis=0)
        size = len(among)
        none = _Sums(np.zeros((size, size)), np.zeros(size), np.zeros((size, n_targets)))
        sums = rows.folded(partial(_sums_of_block, columns_of, share), _added, none, targets)
        mean = sums.total / n_rows
        root = scipy.linalg.cholesky(among, lower=True)
        products = sums.products - n_rows * np.outer(mean, mean)
        inner = scipy.linalg.solve_triangular(root, products, lower=True)
        inner = scipy.linalg.solve_triangular(root, inner.T, lower=True)
        # NumPy's takes three quarters of the time of SciPy's.
        values, vectors = np.linalg.eigh((inner + inner.T) / 2.0)
        basis = scipy.linalg.solve_triangular(root, vectors, lower=True, trans="T")
        shrunk = 1.0 / (np.maximum(values, 0.0)[:, None] + np.array(penalties))
        # One column per target and penalty.
        coefficients = ((basis.T @ sums.towards)[:, :, None] * shrunk[:, None, :]).reshape(
            size, n_targets * len(penalties)
        )
        of_block = partial(
            _left_out_of_block, (columns_of, share, mean, basis, coefficients, shrunk, n_rows)
        )
        left_out = rows.joined(of_block, targets, *copies_of(groups, target))
        errors = np.square(left_out - target[:, :, None]).mean(axis=0)
        best = errors.argmin(axis=1)
        self.errors: FloatArray = errors.min(axis=1)
        self.penalty = penalties[best[-1]]
        self.left_out: FloatArray = np.round(
            np.take_along_axis(left_out, best[None, :, None], axis=2)[:, :, 0].T, DIGITS
        )
        last = (n_targets - 1) * len(penalties) + int(best[-1])
        self.weights: FloatArray = basis @ coefficients[:, last]
        self.intercept = float(share[-1] - mean @ self.weights)


class _Sums(NamedTuple):
    """K'K, the sums of the columns of K, and K' (y - share), over some of the rows."""

    products: FloatArray
    total: FloatArray
    towards: FloatArray


def _added(one: _Sums, other: _Sums) -> _Sums:
    return _Sums(*map(np.add, one, other))


def _sums_of_block(
    columns_of: Callable[[Any], Any], share: FloatArray, rows: Any, targets: BoolArray
) -> _Sums:
    block, target = columns_of(rows), targets.T.astype(np.float64)
    return _Sums(
        block.T @ block,
        block.sum(axis=0, dtype=np.float64),
        block.T @ (target - share).astype(block.dtype),
    )


def _left_out_of_block(
    solved: tuple[Any, ...],
    rows: Any,
    targets: BoolArray,
    n_equal: FloatArray | None = None,
    total: FloatArray | None = None,
) -> FloatArray:
    """Return leave-one-out predictions for each target and penalty; see `_Solution`."""
    columns_of, share, mean, basis, coefficients, shrunk, n_rows = solved
    block, target = columns_of(rows), targets.T.astype(np.float64)[:, :, None]
    features = (block - mean.astype(block.dtype)) @ basis.astype(block.dtype)
    fitted = features @ coefficients.astype(block.dtype)
    fitted = share[:, None] + fitted.reshape(len(block), target.shape[1], -1)
    leverage = 1.0 / n_rows + (features * features) @ shrunk.astype(block.dtype)
    return without_each(target, fitted, leverage, n_equal, total)


def without_each(
    target: FloatArray,
    fitted: FloatArray,
    leverage: FloatArray,
    n_equal: FloatArray | None = None,
    total: FloatArray | None = None,
) -> FloatArray:
    """Predict each row by all others, given the fitted values; `copies_of` gives the last two.

    With n equal rows left out, (I - H)^-1 of their block, which has the leverage h everywhere, is
    I + h / (1 - n h), so that the prediction is f - h (sum of y - n f) / (1 - n h). The axes are
    those of rows, targets and penalties; leverages do not depend on the target.
    """
    h = leverage[:, None, :]
    left_out = target - (target - fitted) / np.maximum(1.0 - h, _SMALLEST_REST)
    if n_equal is not None and total is not None:
        has_copy, n = n_equal > 1, n_equal[:, None, None]
        missing = total.T[:, :, None] - n * fitted
        without = fitted - h * missing / np.maximum(1.0 - n * h, _SMALLEST_REST)
        left_out[has_copy] = without[has_copy]
    return np.asarray(left_out)


def copies_of(groups: IndexArray | None, target: FloatArray) -> tuple[FloatArray, ...]:
    """Return for each row the number of rows equal to it, itself included, and their targets' sum.

    The sums have one line per target. If every row is a group by itself, the result is empty.
    """
    if groups is None:
        return ()
    sizes = np.bincount(groups)
    if sizes.max() == 1:
        return ()
    total = np.array([np.bincount(groups, weights=each)[groups] for each in target.T])
    return sizes[groups].astype(np.float64), total
