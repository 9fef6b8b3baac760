"""Ridge regression of the classes on the labelled rows, read as probabilities.

    f_c(x) = sum_j weight_jc k(x, z_j) + share_c

with z_j the labelled rows, share_c the share of class c among them, and k the Gaussian kernel
exp(-width d^2 / H), or the product x z_j / H, H being the number of features. The prediction of a
labelled row by all others has a closed form, y - weight / diag((K + penalty)^-1). So width and
penalty are those whose predictions have the smallest squared error, at the price of an inverse.

With few labels all predictions of a regression are near the shares of the classes. A power of
them, chosen in the same way, makes them as decided as their errors allow.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.linalg

from pucut._support.checks import FloatArray, is_sparse
from pucut.kernels.gaussian import DIGITS, GaussianKernel, rounded_kernel_sums, row_blocks
from pucut.kernels.machines import as_float64, row_sums

WIDTHS = (0.1, 0.3, 1.0, 3.0)
PENALTIES = (0.03, 0.3)
POWERS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
# Labelled rows on which width and penalty are compared, and the most that are regressed on; on a
# GPU the kernel takes more.
ROWS_FOR_CHOICE, MOST_ROWS, MOST_ROWS_ON_DEVICE = 250, 1000, 10_000
_LEAST_PROBABILITY = 1e-3
_ROWS_OF_A_BLOCK = 512


@dataclass(frozen=True, eq=False)
class ClassRidge:
    """A fitted regression, whose weights have one column per class.

    Landmarks, an array or CSR matrix of labelled rows, and the width are None if it is linear. The
    power is applied to predictions before they are scaled to sum to 1.
    """

    landmarks: Any
    weights: FloatArray
    shares: FloatArray
    width: float | None
    penalty: float
    power: float
    device: str | None = None

    def of_rows(self, points: Any) -> FloatArray:
        """Return probabilities of many rows together, in single precision and rounded."""
        if self.device is not None:
            return np.round(self.of(points), DIGITS)
        points, weights = points.astype(np.float32, copy=False), self.weights.astype(np.float32)
        kernel = self._kernel(np.float32)
        found = np.empty((points.shape[0], len(self.shares)))
        for rows in row_blocks(len(found), _ROWS_OF_A_BLOCK):
            near = points[rows] if kernel is None else kernel.of(points[rows])
            found[rows] = near @ weights
        return np.round(_probabilities(found + self.shares, self.power), DIGITS)

    def of(self, points: Any) -> FloatArray:
        """Return probabilities of rows, each by itself and in double precision."""
        kernel = self._kernel(np.float64, by_products=self.device is not None)
        if kernel is not None and self.device is not None:
            sums = rounded_kernel_sums(points, kernel, self.weights, self.device)
            return _probabilities(sums + self.shares, self.power)
        found = np.empty((points.shape[0], len(self.shares)))
        for rows in row_blocks(len(found), _ROWS_OF_A_BLOCK):
            near = as_float64(points[rows])
            near = near if kernel is None else kernel.of(near)
            for code, weights in enumerate(self.weights.T):
                found[rows, code] = row_sums(near, weights)
        return _probabilities(found + self.shares, self.power)

    def _kernel(self, dtype: Any, *, by_products: bool = False) -> GaussianKernel | None:
        if self.width is None:
            return None
        landmarks = self.landmarks.astype(dtype, copy=False)
        gamma = self.width / landmarks.shape[1]
        return GaussianKernel(landmarks, gamma, by_products=by_products)


def fit_class_ridge(
    points: Any,
    codes: npt.NDArray[np.intp],
    n_classes: int,
    random: np.random.RandomState,
    *,
    linear: bool = False,
    like: ClassRidge | None = None,
    device: str | None = None,
) -> ClassRidge:
    """Fit the regression of labelled rows, whose classes have the codes 0, 1, 2 ...

    Width and penalty are chosen, or those of another regression. With a `device` of PyTorch the
    kernel of dense rows is solved there.
    """
    device = None if linear or is_sparse(points) else device
    points, target = as_float64(points), np.eye(n_classes)[codes]
    order = random.permutation(len(codes))
    most = MOST_ROWS if device is None else MOST_ROWS_ON_DEVICE
    few, kept = np.sort(order[:ROWS_FOR_CHOICE]), np.sort(order[:most])
    if like is None:
        width, penalty = _choice(points[few], target[few], (None,) if linear else WIDTHS)
    else:
        width, penalty = like.width, like.penalty
    landmarks, target = points[kept], target[kept]
    if device is None or width is None:
        found = _solver(landmarks, width)(target, penalty)
    else:
        from pucut.kernels import torch_ridge  # PyTorch takes seconds, and is no dependency

        gamma = width / landmarks.shape[1]
        weights, errors = torch_ridge.class_weights(landmarks, target, gamma, penalty, device)
        found = _ClassSolution(weights, target - errors)
    losses = [_loss(found.left_out, target, power) for power in POWERS]
    return ClassRidge(
        None if width is None else landmarks,
        found.weights,
        target.mean(axis=0),
        width,
        penalty,
        POWERS[int(np.argmin(losses))],
        device,
    )


class _ClassSolution(NamedTuple):
    """Weights as in `ClassRidge`, and the predictions of each row by all others."""

    weights: FloatArray
    left_out: FloatArray


def _choice(
    points: Any, target: FloatArray, widths: Sequence[float | None]
) -> tuple[float | None, float]:
    """Return the width and the penalty of the smallest loss; the first of several."""
    losses = {}
    for width in widths:
        solve = _solver(points, width)
        for penalty in PENALTIES:
            left_out = solve(target, penalty).left_out
            losses[width, penalty] = min(_loss(left_out, target, p) for p in POWERS[::2])
    return min(losses, key=lambda each: losses[each])


def _solver(points: Any, width: float | None) -> Callable[[FloatArray, float], _ClassSolution]:
    """Return a function of targets and penalties; without a width, the linear regression."""
    n_rows, n_features = points.shape
    if width is not None:
        return partial(_by_kernel, GaussianKernel(points, width / n_features).of(points))
    features = points / math.sqrt(n_features)
    if not is_sparse(points) and n_features < n_rows:
        return partial(_by_features, features)
    products = features @ features.T
    among = products.toarray() if is_sparse(products) else products

    def solve(target: FloatArray, penalty: float) -> _ClassSolution:
        weights, left_out = _by_kernel(among, target, penalty)
        return _ClassSolution(features.T @ weights / math.sqrt(n_features), left_out)

    return solve


def _by_kernel(among: FloatArray, target: FloatArray, penalty: float) -> _ClassSolution:
    shifted = among.copy()
    shifted[np.diag_indices_from(shifted)] += penalty
    inverse = _inverse(shifted)
    weights = inverse @ (target - target.mean(axis=0))
    return _ClassSolution(weights, target - weights / np.diag(inverse)[:, None])


def _by_features(features: FloatArray, target: FloatArray, penalty: float) -> _ClassSolution:
    """Return the linear regression by its primal solution: there are fewer features than rows."""
    n_features = features.shape[1]
    inverse = _inverse(features.T @ features + penalty * np.eye(n_features))
    centred = target - target.mean(axis=0)
    weights = inverse @ (features.T @ centred)
    rest = 1.0 - np.einsum("ij,ij->i", features @ inverse, features)
    left_out = target - (centred - features @ weights) / rest[:, None]
    return _ClassSolution(weights / math.sqrt(n_features), left_out)


def _inverse(matrix: FloatArray) -> FloatArray:
    """Return the inverse of a positive definite matrix, in half the time of other ways."""
    factor, flaw = scipy.linalg.lapack.dpotrf(matrix, lower=1)
    if flaw:
        raise np.linalg.LinAlgError("the kernel of the labelled rows is not positive definite")
    half, _ = scipy.linalg.lapack.dpotri(factor, lower=1)  # above the diagonal it is 0
    whole = half + half.T
    whole[np.diag_indices_from(whole)] = half.diagonal()
    return np.asarray(whole)


def _probabilities(predictions: FloatArray, power: float) -> FloatArray:
    positive = np.clip(predictions, _LEAST_PROBABILITY, 1.0) ** power
    return np.asarray(positive / positive.sum(axis=1, keepdims=True))


def _loss(predictions: FloatArray, target: FloatArray, power: float) -> float:
    return float(np.square(_probabilities(predictions, power) - target).sum(axis=1).mean())
