"""The Gaussian kernel exp(-gamma d^2) of rows and landmarks, and weighted sums of it.

In double precision dense rows are measured one by one, so that equal rows have equal kernels to the
bit, wherever they stand. In single precision, and for sparse rows, distances come from products of
matrices, which are many times faster and differ in the last bits.
"""

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from pucut._support.checks import FloatArray, is_sparse
from pucut._support.devices import usable_card
from pucut.kernels.blocks import row_blocks

# Beyond these digits the order of summation would show.
DIGITS = 6
# With less work (rows times landmarks times features) moving the landmarks to a GPU takes longer.
LEAST_WORK = 1e9
_NUMBERS_AT_ONCE = 1 << 16
_ROWS_OF_A_SUM = 512


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
