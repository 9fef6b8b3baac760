"""Ridge regression of "labelled or not", with the score of each row by all other rows.

    f(x) = sum_j weight_j k(x, z_j) + intercept,   k the Gaussian kernel exp(-width d^2 / H)

with landmarks z_j drawn from the rows (the Nystroem method) and H the number of features; or plain
f(x) = weight x + intercept. Least squares have a closed form, and so does the leave-one-out
prediction of a row: y - (y - f) / (1 - h), with h the leverage of the row. So penalties are
compared by their leave-one-out error, and the scores of the training rows are out-of-sample, at the
price of a single fit. Several targets, such as the same labels with some of them hidden, share all
but the last step. Labels are positives chosen at random, so that f orders rows as the probability
of being positive does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.repeats import numbered
from pucut.data.row_order import IndexArray
from pucut.kernels.blocks import as_rows
from pucut.kernels.gaussian import GaussianKernel
from pucut.kernels.machines import Machine, as_float64

WIDTHS = (0.3, 1.0, 3.0, 10.0)
PENALTIES = (0.1, 1.0, 10.0, 100.0)
# Of standardised columns, whose squares add up to the number of rows.
LINEAR_PENALTIES = (1.0, 10.0, 100.0, 1000.0)

# Widths are compared on this many rows and landmarks.
_ROWS_FOR_WIDTH, _LANDMARKS_FOR_WIDTH = 1000, 150
_FEWEST_LANDMARKS, _MOST_LANDMARKS, _ROWS_A_LANDMARK = 300, 1000, 30
# Landmarks that are nearly equal make their kernel singular.
_JITTER = 1e-4
_SMALLEST_REST = 1e-6


@dataclass(frozen=True, eq=False)
class Ridge:
    """The regressions of several targets.

    Attributes
    ----------
    machine : Machine
        That of the last target.
    left_out : float array of shape (n_targets, n_rows)
        Leave-one-out scores.
    width : float or None
        Of the last target; None if it is linear.
    penalty : float
        Of the last target.
    """

    machine: Machine
    left_out: FloatArray
    width: float | None
    penalty: float


def fit_kernel_ridge(
    points: Any, targets: BoolArray, random: np.random.RandomState, groups: IndexArray | None = None
) -> Ridge:
    """Width and penalty of each target are those with the smallest leave-one-out squared error.

    `points` are an array, a CSR matrix or `Rows`; `targets` has one line per target. Kernels are
    computed in single precision, once for targets of the same width. Rows of a group
    (`data.repeats`), which are equal, are left out together.
    """
    rows = as_rows(points)
    n_rows, n_features = rows.shape
    widths = np.array(chosen_widths(rows, targets, random, groups))
    landmarks = _single(rows[drawn(n_rows, n_landmarks(n_rows), random)])
    left_out = np.empty(targets.shape)
    # The width of the last target comes last, and so its regression stays.
    for width in dict.fromkeys([*(w for w in widths if w != widths[-1]), widths[-1]]):
        same = widths == width
        found = _kernel_solution(rows, targets[same], landmarks, width / n_features, groups)
        left_out[same] = found.left_out
    machine = Machine(as_float64(landmarks), found.weights, found.intercept, width / n_features)
    return Ridge(machine, left_out, float(width), found.penalty)


def chosen_widths(
    points: Any, targets: BoolArray, random: np.random.RandomState, groups: IndexArray | None = None
) -> list[float]:
    """For each target, the width with the smallest error on a sample of the rows."""
    rows = as_rows(points)
    n_rows, n_features = rows.shape
    if n_rows < 2:
        return [WIDTHS[0]] * len(targets)
    some = drawn(n_rows, _ROWS_FOR_WIDTH, random)
    compared = _single(rows[some])
    landmarks = compared[drawn(len(some), _LANDMARKS_FOR_WIDTH, random)]
    errors = [
        _kernel_solution(
            compared,
            targets[:, some],
            landmarks,
            tried / n_features,
            None if groups is None else numbered(groups[some]),
        ).errors
        for tried in WIDTHS
    ]
    return [WIDTHS[place] for place in np.argmin(errors, axis=0)]


def fit_linear_ridge(points: Any, targets: BoolArray, groups: IndexArray | None = None) -> Ridge:
    """The linear regression on dense points; in single precision too. For the rest see above."""
    among = np.eye(points.shape[1])
    found = _Solution(points, _single, among, targets, LINEAR_PENALTIES, groups)
    machine = Machine(None, found.weights, found.intercept, 0.0)
    return Ridge(machine, found.left_out, None, found.penalty)


def n_landmarks(n_rows: int) -> int:
    """How many of the rows are landmarks, if there are as many."""
    return min(max(_FEWEST_LANDMARKS, n_rows // _ROWS_A_LANDMARK), _MOST_LANDMARKS)


@dataclass(frozen=True, eq=False)
class _KernelColumns:
    """The kernel of a block of rows and the landmarks, in the precision of these."""

    landmarks: Any
    gamma: float

    def __call__(self, block: Any) -> FloatArray:
        rows = block.astype(self.landmarks.dtype, copy=False)
        return GaussianKernel(self.landmarks, self.gamma).of(rows)


def _single(points: Any) -> Any:
    return points.astype(np.float32, copy=False)


def _kernel_solution(
    points: Any, targets: BoolArray, landmarks: Any, gamma: float, groups: IndexArray | None = None
) -> "_Solution":
    # In double precision: where landmarks are nearly equal, or one is far away, what single
    # precision loses is more than the jitter, and the matrix has no root.
    measured = as_float64(landmarks)
    among = GaussianKernel(measured, gamma).of(measured)
    among = (among + among.T) / 2.0
    among[np.diag_indices_from(among)] = 1.0 + _JITTER
    columns_of = _KernelColumns(landmarks, gamma)
    return _Solution(points, columns_of, among, targets, PENALTIES, groups)


class _Solution:
    """The regressions on the columns K that `columns_of` gives for rows, by the best penalties.

    M is the matrix of the penalty: that of the kernel of the landmarks, or 1. K is taken less the
    mean of each column. With M = C C' and C^-1 K'K C'^-1 = Q E Q', the features T = K C'^-1 Q are
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
        sums = rows.folded(_SumsOfBlock(columns_of, share), _added, none, targets)
        mean = sums.total / n_rows
        root = scipy.linalg.cholesky(among, lower=True)
        products = sums.products - n_rows * np.outer(mean, mean)
        inner = scipy.linalg.solve_triangular(root, products, lower=True)
        inner = scipy.linalg.solve_triangular(root, inner.T, lower=True)
        values, vectors = scipy.linalg.eigh((inner + inner.T) / 2.0)
        basis = scipy.linalg.solve_triangular(root, vectors, lower=True, trans="T")
        shrunk = 1.0 / (np.maximum(values, 0.0)[:, None] + np.array(penalties))
        # One column per target and penalty.
        coefficients = ((basis.T @ sums.towards)[:, :, None] * shrunk[:, None, :]).reshape(
            size, n_targets * len(penalties)
        )
        of_block = _LeftOutOfBlock(columns_of, share, mean, basis, coefficients, shrunk, n_rows)
        copies = None if groups is None else _copies(groups, target)
        left_out = rows.joined(
            of_block, targets, *(() if copies is None else (copies.n_equal, copies.total))
        )
        errors = np.square(left_out - target[:, :, None]).mean(axis=0)
        best = errors.argmin(axis=1)
        self.errors: FloatArray = errors.min(axis=1)
        self.penalty = penalties[best[-1]]
        # Beyond these digits the order of summation would show.
        self.left_out: FloatArray = np.round(
            np.take_along_axis(left_out, best[None, :, None], axis=2)[:, :, 0].T, 6
        )
        last = (n_targets - 1) * len(penalties) + int(best[-1])
        self.weights: FloatArray = basis @ coefficients[:, last]
        self.intercept = float(share[-1] - mean @ self.weights)


@dataclass(frozen=True, eq=False)
class _Sums:
    """K'K, the sums of the columns of K, and K' (y - share), over some of the rows."""

    products: FloatArray
    total: FloatArray
    towards: FloatArray


def _added(one: _Sums, other: _Sums) -> _Sums:
    return _Sums(
        one.products + other.products, one.total + other.total, one.towards + other.towards
    )


@dataclass(frozen=True, eq=False)
class _SumsOfBlock:
    columns_of: Callable[[Any], Any]
    share: FloatArray

    def __call__(self, rows: Any, targets: BoolArray) -> _Sums:
        block, target = self.columns_of(rows), targets.T.astype(np.float64)
        return _Sums(
            block.T @ block,
            block.sum(axis=0, dtype=np.float64),
            block.T @ (target - self.share).astype(block.dtype),
        )


@dataclass(frozen=True, eq=False)
class _LeftOutOfBlock:
    """Leave-one-out predictions for each target and penalty; see `_Solution`."""

    columns_of: Callable[[Any], Any]
    share: FloatArray
    mean: FloatArray
    basis: FloatArray
    coefficients: FloatArray
    shrunk: FloatArray
    n_rows: int

    def __call__(
        self,
        rows: Any,
        targets: BoolArray,
        n_equal: FloatArray | None = None,
        total: FloatArray | None = None,
    ) -> FloatArray:
        block, target = self.columns_of(rows), targets.T.astype(np.float64)[:, :, None]
        features = (block - self.mean.astype(block.dtype)) @ self.basis.astype(block.dtype)
        fitted = features @ self.coefficients.astype(block.dtype)
        fitted = self.share[:, None] + fitted.reshape(len(block), target.shape[1], -1)
        leverage = 1.0 / self.n_rows + (features * features) @ self.shrunk.astype(block.dtype)
        rest = np.maximum(1.0 - leverage, _SMALLEST_REST)[:, None, :]
        left_out = target - (target - fitted) / rest
        if n_equal is not None and total is not None:
            has_copy = n_equal > 1
            without = _Copies(n_equal, total).without(fitted, leverage)
            left_out[has_copy] = without[has_copy]
        return np.asarray(left_out)


@dataclass(frozen=True, eq=False)
class _Copies:
    """For each row the number of rows equal to it, itself included, and the sum of their targets.

    With n equal rows left out, (I - H)^-1 of their block, which has the leverage h everywhere, is
    I + h / (1 - n h), so that the prediction is f - h (sum of y - n f) / (1 - n h).
    """

    n_equal: FloatArray
    total: FloatArray  # (n_targets, n_rows)

    def without(self, fitted: FloatArray, leverage: FloatArray) -> FloatArray:
        """Predictions without the row and its copies."""
        n_equal, h = self.n_equal[:, None, None], leverage[:, None, :]
        missing = self.total.T[:, :, None] - n_equal * fitted
        return np.asarray(fitted - h * missing / np.maximum(1.0 - n_equal * h, _SMALLEST_REST))


def _copies(groups: IndexArray, target: FloatArray) -> _Copies | None:
    """None if every row is a group by itself."""
    sizes = np.bincount(groups)
    if sizes.max() == 1:
        return None
    total = np.array([np.bincount(groups, weights=each)[groups] for each in target.T])
    return _Copies(sizes[groups].astype(np.float64), total)


def drawn(n_rows: int, most: int, random: np.random.RandomState) -> Any:
    """The numbers of so many of the rows, rising; of all, if there are no more."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, most, replace=False))
