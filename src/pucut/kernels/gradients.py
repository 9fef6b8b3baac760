"""The directions along which a regression changes.

With f a kernel regression of the labels and G the mean of grad f grad f' over the rows (the average
gradient outer product), distances measured by G count a direction as much as f changes along it.
Weights of columns can only stretch the axes; G also turns them, which matters where what separates
the classes is a mixture of columns.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from pucut._support.checks import FloatArray
from pucut.data.repeats import numbered
from pucut.data.row_order import IndexArray
from pucut.kernels.blocks import Rows, as_rows, row_blocks
from pucut.kernels.gaussian import GaussianKernel
from pucut.kernels.machines import Machine
from pucut.kernels.ridge import drawn, fit_kernel_ridge

# Rows that the regression learns from, and rows whose gradients are averaged: a number for each
# pair of columns needs no more.
_MOST_LEARNED, _MOST_ROWS = 20_000, 2000
# The share of G that is the same in all directions, so that none is lost.
_SHRINKAGE = 0.05


def directions_of_change(
    points: Any,
    target: Any,
    random: np.random.RandomState,
    groups: IndexArray | None = None,
    device: str | None = None,
) -> FloatArray:
    """The root of G for the regression of a target, as a matrix that `mapped` applies to rows.

    `points` are an array or `Rows`. The matrix is scaled so that mapped columns have variance 1 on
    average: widths of kernels are made for that. For `device` see `fit_kernel_ridge`.
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
    if not total > 0.0:  # it changes nowhere
        return np.eye(n_columns)
    outer *= (1.0 - _SHRINKAGE) * n_columns / total
    outer[np.diag_indices_from(outer)] += _SHRINKAGE
    values, vectors = scipy.linalg.eigh(outer)
    root = (vectors * np.sqrt(values)) @ vectors.T
    variance = _mean_variance(rows, root)
    return np.asarray(root / np.sqrt(variance) if variance > 0.0 else root)


def gradients(machine: Machine, points: FloatArray) -> FloatArray:
    """The gradient of f at each of the points, a row each; the kernel must be Gaussian."""
    landmarks = machine.landmarks
    by_products = machine.device is not None  # then there are many landmarks
    kernel = GaussianKernel(landmarks, machine.gamma, by_products=by_products)
    shares = kernel.of(points) * machine.weights
    towards = shares @ landmarks - shares.sum(axis=1)[:, None] * points
    return np.asarray(2.0 * machine.gamma * towards)


def mapped(points: FloatArray, matrix: FloatArray) -> FloatArray:
    """The rows times the matrix; each by itself and in one order, so equal rows stay equal."""
    found: FloatArray = np.zeros((points.shape[0], matrix.shape[1]))
    for rows in row_blocks(len(found)):  # of a size that stays in the cache
        of_block = found[rows]
        for column, line in zip(points[rows].T, matrix, strict=True):
            of_block += column[:, None] * line
    return found


def _mean_variance(rows: Rows, matrix: FloatArray) -> float:
    """Of the columns of the mapped rows, summed row after row."""
    n_rows, nothing = rows.shape[0], np.zeros(matrix.shape[1])
    mean = rows.folded(_Mapped(matrix, nothing, 1), _rows_added, nothing) / n_rows
    variances = rows.folded(_Mapped(matrix, mean, 2), _rows_added, nothing) / n_rows
    return float(variances.mean())


@dataclass(frozen=True, eq=False)
class _Mapped:
    """A power of how far the mapped rows of a block are from a centre."""

    matrix: FloatArray
    centre: FloatArray
    power: int

    def __call__(self, block: Any) -> FloatArray:
        apart = mapped(block, self.matrix) - self.centre
        return apart if self.power == 1 else apart * apart


def _rows_added(total: FloatArray, block: FloatArray) -> FloatArray:
    return np.asarray(np.vstack([total, block]).sum(axis=0))
