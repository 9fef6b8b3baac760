"""The gradient space: distances count a direction as much as a regression changes along it.

With f a kernel regression of the labels, distances are measured by G, the mean of grad f grad f'
over the rows (the average gradient outer product). Weights of columns can only stretch the axes. G
also turns them, which helps where a mixture of columns separates the classes.
"""

from functools import partial
from typing import Any

import numpy as np
import scipy.linalg

from pucut._support.checks import FloatArray, IndexArray
from pucut.data.repeats import numbered
from pucut.kernels.gaussian import BlockedRows, GaussianKernel, as_rows, drawn, row_blocks
from pucut.kernels.machines import Machine
from pucut.kernels.ridge import fit_kernel_ridge

# Rows that the regression learns from, and rows whose gradients are averaged: more do not change
# the matrix much.
_MOST_LEARNED, _MOST_ROWS = 20_000, 2000
# The share of G that is the same in all directions, so that no direction is lost.
_SHRINKAGE = 0.05


def directions_of_change(
    points: Any,
    target: Any,
    random: np.random.RandomState,
    groups: IndexArray | None = None,
    device: str | None = None,
) -> FloatArray:
    """Return the root of G for the regression of a target, a matrix that `mapped` applies to rows.

    `points` are an array or `BlockedRows`. The matrix is scaled so that mapped columns have
    variance 1 on average, which widths of kernels expect. For `device` see `fit_kernel_ridge`.
    """
    rows = as_rows(points)
    n_rows, n_columns = rows.shape
    learned: Any = rows
    if n_rows > _MOST_LEARNED:
        some = drawn(n_rows, _MOST_LEARNED, random)
        learned, target = rows[some], target[some]
        groups = None if groups is None else numbered(groups[some])
    machine = fit_kernel_ridge(learned, target[None, :], random, groups, device).machine
    slopes = gradients(machine, rows[drawn(n_rows, _MOST_ROWS, random)].astype(np.float64))
    outer = slopes.T @ slopes
    total = float(np.trace(outer))
    if not total > 0.0:  # f is constant
        return np.eye(n_columns)
    outer *= (1.0 - _SHRINKAGE) * n_columns / total
    outer[np.diag_indices_from(outer)] += _SHRINKAGE
    values, vectors = scipy.linalg.eigh(outer)
    root = (vectors * np.sqrt(values)) @ vectors.T
    variance = _mean_variance(rows, root)
    return np.asarray(root / np.sqrt(variance) if variance > 0.0 else root)


def gradients(machine: Machine, points: FloatArray) -> FloatArray:
    """Return the gradient of f at each point, a row each; the kernel must be Gaussian."""
    landmarks = machine.landmarks
    by_products = machine.device is not None  # then there are many landmarks
    kernel = GaussianKernel(landmarks, machine.gamma, by_products=by_products)
    shares = kernel.of(points) * machine.weights
    towards = shares @ landmarks - shares.sum(axis=1)[:, None] * points
    return np.asarray(2.0 * machine.gamma * towards)


def mapped(points: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return the rows times the matrix, each added in one order, so that equal rows stay equal."""
    found: FloatArray = np.zeros((points.shape[0], matrix.shape[1]))
    for rows in row_blocks(len(found)):  # of a size that stays in the cache
        of_block = found[rows]
        for column, line in zip(points[rows].T, matrix, strict=True):
            of_block += column[:, None] * line
    return found


def _mean_variance(rows: BlockedRows, matrix: FloatArray) -> float:
    """Return the mean variance of the columns of the mapped rows, summed row after row."""
    n_rows, nothing = rows.shape[0], np.zeros(matrix.shape[1])
    mean = rows.folded(partial(_deviations, matrix, nothing, 1), _rows_added, nothing) / n_rows
    variances = rows.folded(partial(_deviations, matrix, mean, 2), _rows_added, nothing) / n_rows
    return float(variances.mean())


def _deviations(matrix: FloatArray, centre: FloatArray, power: int, block: Any) -> FloatArray:
    """Return a power, 1 or 2, of the mapped rows of a block less the centre."""
    apart = mapped(block, matrix) - centre
    return apart if power == 1 else apart * apart


def _rows_added(total: FloatArray, block: FloatArray) -> FloatArray:
    return np.asarray(np.vstack([total, block]).sum(axis=0))
