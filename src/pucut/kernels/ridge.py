"""Kernel ridge regression of "labelled or not", with the score of each row by all other rows.

    f(x) = sum_j weight_j k(x, z_j) + intercept,   k the Gaussian kernel exp(-width d^2 / H)

with landmarks z_j drawn from the rows (the Nystroem method) and H the number of features. Least
squares have a closed form, and so does the leave-one-out prediction of a row:
y - (y - f) / (1 - h), with h the leverage of the row. So penalties are compared by their
leave-one-out error, and the scores of the training rows are out-of-sample, at the price of a single
fit. Labels are positives chosen at random, so that f orders rows as the probability of being
positive does.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from pucut._support.checks import BoolArray, FloatArray
from pucut.kernels.gaussian import GaussianKernel
from pucut.kernels.machines import Machine, as_float64

WIDTHS = (0.3, 1.0, 3.0, 10.0)
PENALTIES = (0.1, 1.0, 10.0, 100.0)

# Widths are compared on this many rows and landmarks.
_ROWS_FOR_WIDTH, _LANDMARKS_FOR_WIDTH = 1000, 150
_FEWEST_LANDMARKS, _MOST_LANDMARKS, _ROWS_A_LANDMARK = 300, 1500, 30
# Rows whose kernel is held at once.
ROWS_OF_A_BLOCK = 4096
# Landmarks that are nearly equal make their kernel singular.
_JITTER = 1e-4
_SMALLEST_REST = 1e-6


@dataclass(frozen=True, eq=False)
class KernelRidge:
    """The regression; `left_out` holds the leave-one-out score of each training row."""

    machine: Machine
    left_out: FloatArray
    width: float
    penalty: float


def fit_kernel_ridge(
    points: Any, is_labelled: BoolArray, random: np.random.RandomState
) -> KernelRidge:
    """Width and penalty are those with the smallest leave-one-out squared error.

    Kernels are computed in single precision.
    """
    points = points.astype(np.float32, copy=False)
    n_rows, n_features = points.shape
    width = WIDTHS[0]
    if n_rows > 1:
        some = _drawn(n_rows, _ROWS_FOR_WIDTH, random)
        landmarks = some[_drawn(len(some), _LANDMARKS_FOR_WIDTH, random)]
        errors = [
            _Solution(points[some], is_labelled[some], points[landmarks], tried / n_features).error
            for tried in WIDTHS
        ]
        width = WIDTHS[int(np.argmin(errors))]
    landmarks = points[_drawn(n_rows, n_landmarks(n_rows), random)]
    best = _Solution(points, is_labelled, landmarks, width / n_features)
    machine = Machine(as_float64(landmarks), best.weights, best.intercept, width / n_features)
    return KernelRidge(machine, best.left_out, width, best.penalty)


def n_landmarks(n_rows: int) -> int:
    """How many of the rows are landmarks, if there are as many."""
    return min(max(_FEWEST_LANDMARKS, n_rows // _ROWS_A_LANDMARK), _MOST_LANDMARKS)


class _Solution:
    """The regression for one width, with the best of the penalties.

    K is the kernel of rows and landmarks less the mean of each column, M that of the landmarks.
    With M = C C' and C^-1 K'K C'^-1 = Q E Q', the features T = K C'^-1 Q are orthogonal, and every
    penalty is a division.
    """

    def __init__(self, points: Any, is_labelled: BoolArray, landmarks: Any, gamma: float) -> None:
        target = is_labelled.astype(np.float64)
        n_rows, share = len(target), float(target.mean())
        kernel = GaussianKernel(landmarks, gamma)
        among = kernel.of(landmarks).astype(np.float64)
        among = (among + among.T) / 2.0
        among[np.diag_indices_from(among)] = 1.0 + _JITTER
        root = scipy.linalg.cholesky(among, lower=True)
        products = np.zeros_like(among)
        total = np.zeros(len(among))
        towards = np.zeros(len(among))
        for rows in _blocks(n_rows):
            block = kernel.of(points[rows])
            products += block.T @ block
            total += block.sum(axis=0, dtype=np.float64)
            towards += block.T @ (target[rows] - share).astype(block.dtype)
        mean = total / n_rows
        products -= n_rows * np.outer(mean, mean)
        inner = scipy.linalg.solve_triangular(root, products, lower=True)
        inner = scipy.linalg.solve_triangular(root, inner.T, lower=True)
        values, vectors = scipy.linalg.eigh((inner + inner.T) / 2.0)
        basis = scipy.linalg.solve_triangular(root, vectors, lower=True, trans="T")
        shrunk = 1.0 / (np.maximum(values, 0.0)[:, None] + np.array(PENALTIES))
        coefficients = shrunk * (basis.T @ towards)[:, None]
        left_out = np.empty((n_rows, len(PENALTIES)))
        for rows in _blocks(n_rows):
            block = kernel.of(points[rows])
            features = (block - mean.astype(block.dtype)) @ basis.astype(block.dtype)
            fitted = share + features @ coefficients.astype(block.dtype)
            leverage = 1.0 / n_rows + (features * features) @ shrunk.astype(block.dtype)
            rest = np.maximum(1.0 - leverage, _SMALLEST_REST)
            left_out[rows] = target[rows, None] - (target[rows, None] - fitted) / rest
        errors = np.square(left_out - target[:, None]).mean(axis=0)
        best = int(np.argmin(errors))
        self.error = float(errors[best])
        self.penalty = PENALTIES[best]
        # Beyond these digits the order of summation would show.
        self.left_out = np.round(left_out[:, best], 6)
        self.weights: FloatArray = basis @ coefficients[:, best]
        self.intercept = share - float(mean @ self.weights)


def _drawn(n_rows: int, most: int, random: np.random.RandomState) -> Any:
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, most, replace=False))


def _blocks(n_rows: int) -> list[slice]:
    starts = range(0, n_rows, ROWS_OF_A_BLOCK)
    return [slice(start, start + ROWS_OF_A_BLOCK) for start in starts]
