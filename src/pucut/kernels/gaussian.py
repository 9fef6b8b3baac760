"""Rows in blocks, their Gaussian kernel exp(-gamma d^2) with landmarks, and least squares on it.

In double precision dense rows are measured one by one, so that equal rows have equal kernels to the
bit, wherever they stand. In single precision, and for sparse rows, distances come from products of
matrices, which are many times faster and differ in the last bits.

A regression needs sums over the rows, and then a result for each row. Blocks are the same wherever
the rows lie, in this process or on the workers of a cluster, and sums are taken in the order of the
blocks, so that all bits are the same. torch_ridge.py has the same regressions for a GPU.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.linalg
from scipy.spatial.distance import cdist

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_sparse
from pucut._support.devices import usable_card

# Rows whose kernel is held at once.
ROWS_OF_A_BLOCK = 4096
# Beyond these digits the order of summation would show.
DIGITS = 6
# With less work (rows times landmarks times features) moving the landmarks to a GPU takes longer.
LEAST_WORK = 1e9
_NUMBERS_AT_ONCE = 1 << 16
_ROWS_OF_A_SUM = 512

PENALTIES = (0.1, 1.0, 10.0, 100.0)
# For standardised columns, whose squares add up to the number of rows.
LINEAR_PENALTIES = (1.0, 10.0, 100.0, 1000.0)
# Landmarks that are nearly equal make their kernel singular.
JITTER = 1e-4
_SMALLEST_REST = 1e-6


class BlockedRows(Protocol):
    """Points, one row each."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def __getitem__(self, numbers: npt.NDArray[Any]) -> Any:
        """Some of the rows, in this process."""

    def folded(self, of_block: Callable[..., Any], add: Any, start: Any, *of_rows: Any) -> Any:
        """Return add(... add(add(start, of_block(first block)), of_block(second block)) ...).

        `of_rows` are arrays whose last axis is that of the rows; `of_block` takes the points of
        a block, and the part of these arrays that belongs to it. `add` must not change its
        arguments.
        """

    def joined(self, of_block: Callable[..., Any], *of_rows: Any) -> npt.NDArray[Any]:
        """Return the arrays of all blocks one after another, in this process."""


class RowsHere:
    """An array or CSR matrix of this process."""

    def __init__(self, points: Any) -> None:
        self.points = points
        self.shape: tuple[int, int] = points.shape

    def __getitem__(self, numbers: npt.NDArray[Any]) -> Any:
        return self.points[numbers]

    def folded(self, of_block: Callable[..., Any], add: Any, start: Any, *of_rows: Any) -> Any:
        total = start
        for rows in row_blocks(self.shape[0]):
            total = add(total, of_block(self.points[rows], *(each[..., rows] for each in of_rows)))
        return total

    def joined(self, of_block: Callable[..., Any], *of_rows: Any) -> npt.NDArray[Any]:
        found: Any = None
        for rows in row_blocks(self.shape[0]):
            part = of_block(self.points[rows], *(each[..., rows] for each in of_rows))
            if found is None:
                found = np.empty((self.shape[0], *part.shape[1:]), dtype=part.dtype)
            found[rows] = part
        return np.asarray(found)


def as_rows(points: Any) -> BlockedRows:
    """Return points of this process as `RowsHere`, and blocked rows as they are."""
    rows: BlockedRows = points if hasattr(points, "folded") else RowsHere(points)
    return rows


def row_blocks(n_rows: int, size: int | None = None) -> list[slice]:
    """Return the rows in blocks of `size`, by default of `ROWS_OF_A_BLOCK`."""
    size = size or ROWS_OF_A_BLOCK
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def drawn(n_rows: int, most: int, random: np.random.RandomState) -> IndexArray:
    """Return the numbers of at most `most` rows drawn at random, rising."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, most, replace=False))


class GaussianKernel:
    """The kernel with some landmarks, whose squares are computed once.

    `by_products` asks for products in double precision too, for the sake of time.
    """

    def __init__(self, landmarks: Any, gamma: float, *, by_products: bool = False) -> None:
        self.landmarks, self.gamma = landmarks, gamma
        is_double = not is_sparse(landmarks) and landmarks.dtype == np.float64
        self._is_measured = is_double and not by_products
        self._squares: Any = None if self._is_measured else squared_norms(landmarks)

    def of(self, rows: Any) -> FloatArray:
        """Return the kernel of each row and each landmark, in the precision of both."""
        if self._is_measured:
            return self._from_squared(cdist(rows, self.landmarks, "sqeuclidean"))
        products = rows @ self.landmarks.T
        if is_sparse(products):
            products = products.toarray()
        norms = squared_norms(rows)
        # A few rows at a time stay in the cache; large temporary arrays would cost more than the
        # arithmetic.
        n_at_once = max(1, _NUMBERS_AT_ONCE // max(1, products.shape[1]))
        for first in range(0, len(products), n_at_once):
            some = slice(first, first + n_at_once)
            block = products[some]
            block *= 2.0
            np.subtract(norms[some, None] + self._squares[None, :], block, out=block)
            self._from_squared(block)
        kernel: FloatArray = products
        return kernel

    def _from_squared(self, distances: FloatArray) -> FloatArray:
        """In place."""
        np.maximum(distances, 0.0, out=distances)
        distances *= -self.gamma
        return np.asarray(np.exp(distances, out=distances))


def rounded_kernel_sums(
    points: FloatArray, kernel: GaussianKernel, weights: FloatArray, device: str
) -> FloatArray:
    """Return sum_j weight_jc k(x, z_j) for each row x and each column c of the weights.

    For the many landmarks of a regression that was fitted on a `device`. `kernel` is one by
    products. A GPU like that of the fit is used if there is one and there is much to do. The number
    of rows and the device change the last bits only, and these are rounded away.
    """
    landmarks, gamma = kernel.landmarks, kernel.gamma
    work = float(points.shape[0]) * landmarks.size
    card = usable_card(device) if work >= LEAST_WORK else None
    if card is not None:
        from pucut.kernels import torch_ridge  # PyTorch takes seconds, and is no dependency

        return np.round(torch_ridge.kernel_sums(points, landmarks, weights, gamma, card), DIGITS)
    found = np.empty((points.shape[0], weights.shape[1]))
    for rows in row_blocks(len(found), _ROWS_OF_A_SUM):
        found[rows] = kernel.of(points[rows].astype(np.float64, copy=False)) @ weights
    return np.round(found, DIGITS)


def squared_norms(rows: Any) -> FloatArray:
    """Return the squared norm of each row, in its precision."""
    if is_sparse(rows):
        squares = rows.multiply(rows)
        if rows.dtype == np.float64:  # one after the other, as the machines sum
            return np.asarray(squares.tocsr() @ np.ones(rows.shape[1]))
        return np.asarray(squares.sum(axis=1)).ravel()  # in pairs, which loses fewer digits
    norms: FloatArray = np.einsum("ij,ij->i", rows, rows)
    return norms


class LeastSquares:
    """The regressions on the columns K that `columns_of` gives for rows, by the best penalties.

    M is the matrix of the penalty: the kernel of the landmarks, or 1. K is taken less the mean of
    each column. With M = C C' and C^-1 K'K C'^-1 = Q E Q', the features T = K C'^-1 Q are
    orthogonal, and every penalty is a division.

    `errors` has the least mean squared error of each target, `left_out` the leave-one-out scores,
    a line per target; `penalty`, `weights` and `intercept` are those of the last target.
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
        (n_rows, n_targets), share, size = target.shape, target.mean(axis=0), len(among)
        none = np.zeros((size, size)), np.zeros(size), np.zeros((size, n_targets))
        products, total, towards = rows.folded(
            partial(_sums_of_block, columns_of, share), _added, none, targets
        )
        mean = total / n_rows
        root = scipy.linalg.cholesky(among, lower=True)
        products = products - n_rows * np.outer(mean, mean)
        inner = scipy.linalg.solve_triangular(root, products, lower=True)
        inner = scipy.linalg.solve_triangular(root, inner.T, lower=True)
        # NumPy's takes three quarters of the time of SciPy's.
        values, vectors = np.linalg.eigh((inner + inner.T) / 2.0)
        basis = scipy.linalg.solve_triangular(root, vectors, lower=True, trans="T")
        shrunk = 1.0 / (np.maximum(values, 0.0)[:, None] + np.array(penalties))
        # One column per target and penalty.
        coefficients = ((basis.T @ towards)[:, :, None] * shrunk[:, None, :]).reshape(
            size, n_targets * len(penalties)
        )
        solved = columns_of, share, mean, basis, coefficients, shrunk, n_rows
        of_block = partial(_left_out_of_block, solved)
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


def kernel_solution(
    points: Any, targets: BoolArray, landmarks: Any, gamma: float, groups: IndexArray | None = None
) -> LeastSquares:
    """Return the regressions with these landmarks, in their precision."""
    # In double precision: where landmarks are nearly equal, or one is far away, single precision
    # loses more than the jitter, and the matrix has no root.
    measured = landmarks.astype(np.float64, copy=False)
    among = GaussianKernel(measured, gamma).of(measured)
    among = (among + among.T) / 2.0
    among[np.diag_indices_from(among)] = 1.0 + JITTER
    columns_of = partial(_kernel_columns, GaussianKernel(landmarks, gamma))
    return LeastSquares(points, columns_of, among, targets, PENALTIES, groups)


def linear_solution(
    points: Any, targets: BoolArray, groups: IndexArray | None = None
) -> LeastSquares:
    """Return the linear regressions, in single precision."""
    among = np.eye(points.shape[1])
    return LeastSquares(points, single, among, targets, LINEAR_PENALTIES, groups)


def single(points: Any) -> Any:
    """Return points in single precision."""
    return points.astype(np.float32, copy=False)


def _kernel_columns(kernel: GaussianKernel, block: Any) -> FloatArray:
    return kernel.of(block.astype(kernel.landmarks.dtype, copy=False))


def _sums_of_block(
    columns_of: Callable[[Any], Any], share: FloatArray, rows: Any, targets: BoolArray
) -> tuple[FloatArray, ...]:
    """Return K'K, the sums of the columns of K, and K' (y - share), over a block."""
    block, target = columns_of(rows), targets.T.astype(np.float64)
    towards = block.T @ (target - share).astype(block.dtype)
    return block.T @ block, block.sum(axis=0, dtype=np.float64), towards


def _added(sums: tuple[FloatArray, ...], more: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    return tuple(map(np.add, sums, more))


def _left_out_of_block(
    solved: tuple[Any, ...], rows: Any, targets: BoolArray, *copies: FloatArray
) -> FloatArray:
    """Return leave-one-out predictions for each target and penalty."""
    columns_of, share, mean, basis, coefficients, shrunk, n_rows = solved
    block, target = columns_of(rows), targets.T.astype(np.float64)[:, :, None]
    features = (block - mean.astype(block.dtype)) @ basis.astype(block.dtype)
    fitted = features @ coefficients.astype(block.dtype)
    fitted = share[:, None] + fitted.reshape(len(block), target.shape[1], -1)
    leverage = 1.0 / n_rows + (features * features) @ shrunk.astype(block.dtype)
    return without_each(target, fitted, leverage, *copies)


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
