"""Sums over many landmarks, of a regression that was fitted on a GPU.

They are computed by products of matrices in double precision: on a GPU if there is one like that of
the fit and there is much to do, else on the processors. How many rows are asked about, and where,
changes the last bits only, and these are rounded away.
"""

import numpy as np

from pucut._support.checks import FloatArray
from pucut._support.devices import usable_card
from pucut.kernels.gaussian import GaussianKernel

# Of products of rows, landmarks and features: less is done before a GPU has the landmarks.
LEAST_WORK = 1e9
_DIGITS = 6
# Rows whose kernel is held at once.
_ROWS_OF_A_BLOCK = 512


def kernel_sums(
    points: FloatArray, kernel: GaussianKernel, weights: FloatArray, device: str
) -> FloatArray:
    """sum_j weight_jc k(x, z_j) for each row x and each column c of the weights.

    The kernel is one by products.
    """
    landmarks, gamma = kernel.landmarks, kernel.gamma
    work = float(points.shape[0]) * landmarks.size
    card = usable_card(device) if work >= LEAST_WORK else None
    if card is not None:
        from pucut.kernels import torch_ridge

        return np.round(torch_ridge.kernel_sums(points, landmarks, weights, gamma, card), _DIGITS)
    found = np.empty((points.shape[0], weights.shape[1]))
    for start in range(0, len(found), _ROWS_OF_A_BLOCK):
        rows = slice(start, start + _ROWS_OF_A_BLOCK)
        found[rows] = kernel.of(points[rows].astype(np.float64, copy=False)) @ weights
    return np.round(found, _DIGITS)
