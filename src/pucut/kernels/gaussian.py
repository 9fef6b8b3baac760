"""The Gaussian kernel exp(-gamma d^2) of rows and landmarks.

In double precision dense rows are measured one by one, so that equal rows have equal kernels to the
bit, wherever they stand. In single precision, and for sparse rows, distances come from products of
matrices, which are many times faster and differ in the last bits.
"""

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from pucut._support.checks import FloatArray, is_sparse

_NUMBERS_AT_ONCE = 1 << 16


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
        """The kernel of each row and each landmark, in the precision of both."""
        if self._is_measured:
            return self._from_squared(cdist(rows, self.landmarks, "sqeuclidean"))
        products = rows @ self.landmarks.T
        if is_sparse(products):
            products = products.toarray()
        norms = squared_norms(rows)
        # A few rows at a time stay in the cache, and large arrays for steps between cost more than
        # the steps.
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


def squared_norms(rows: Any) -> FloatArray:
    if is_sparse(rows):
        squares = rows.multiply(rows)
        if rows.dtype == np.float64:  # one after the other, as the machines sum
            return np.asarray(squares.tocsr() @ np.ones(rows.shape[1]))
        return np.asarray(squares.sum(axis=1)).ravel()  # in pairs, which loses fewer digits
    norms: FloatArray = np.einsum("ij,ij->i", rows, rows)
    return norms
