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
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_sparse
from pucut._support.threads import in_threads
from pucut.data.repeats import numbered
from pucut.kernels.gaussian import (
    RowsHere,
    as_rows,
    drawn,
    kernel_solution,
    linear_solution,
    single,
)
from pucut.kernels.machines import Machine, as_float64

WIDTHS = (0.3, 1.0, 3.0, 10.0)

# From this many rows on, a wrong width costs more than comparing widths on more of the rows.
LARGE = 20_000
_FEWEST_LANDMARKS, _MOST_LANDMARKS, _ROWS_A_LANDMARK = 300, 1000, 30
# On a GPU, rows times landmarks squared is at most this, about a second of an H200: up to 20 000
# rows all are landmarks. The matrices of landmarks held at once take a share of its free memory.
_MOST_WORK, _MATRICES, _SHARE_OF_MEMORY = 8e12, 5, 0.5

# Samples on which widths are compared: their rows, and the landmarks among them. One of many
# regressions that are mixed need not be the best by itself.
USUAL, OF_MANY, _IF_LARGE = (1000, 150), (500, 100), (4000, 300)


@dataclass(frozen=True, eq=False)
class Ridge:
    """The regressions of several targets.

    `left_out` has the leave-one-out scores, a line per target. The rest is of the last target; the
    width is None if it is linear.
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
    sample: tuple[int, int] = USUAL,
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
        landmarks = single(rows[drawn(n_rows, default_landmarks(n_rows), random)])
        solution: Callable[..., Any] = partial(kernel_solution, rows)
    else:
        from pucut.kernels import torch_ridge  # PyTorch takes seconds, and is no dependency

        most = default_landmarks_on_gpu(n_rows, torch_ridge.free_memory(device))
        landmarks = as_float64(single(rows[drawn(n_rows, most, random)]))
        validation = drawn(n_rows, torch_ridge.VALIDATION_ROWS, random)
        dense = single(rows.points)
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
    sample: tuple[int, int] = USUAL,
) -> list[float]:
    """Return for each target the width with the smallest error on a sample of the rows.

    `sample` has the numbers of its rows and landmarks; large tables have a larger one.
    `most_landmarks` replaces the second. Each thread takes a width.
    """
    rows = as_rows(points)
    n_rows, n_features = rows.shape
    if n_rows < 2:
        return [WIDTHS[0]] * len(targets)
    most_rows, n_landmarks = _IF_LARGE if n_rows >= LARGE else sample
    some = drawn(n_rows, most_rows, random)
    compared = single(rows[some])
    landmarks = compared[drawn(len(some), most_landmarks or n_landmarks, random)]
    together = None if groups is None else numbered(groups[some])

    def errors_of(tried: float) -> FloatArray:
        gamma = tried / n_features
        return kernel_solution(compared, targets[:, some], landmarks, gamma, together).errors

    errors = in_threads(errors_of, WIDTHS, n_threads)
    return [WIDTHS[place] for place in np.argmin(errors, axis=0)]


def in_turn(chosen: FloatArray) -> list[float]:
    """Return the values that targets chose, each once, with that of the last target last.

    After a loop over them, the result for the last target is the one that stays.
    """
    return list(dict.fromkeys([*(each for each in chosen if each != chosen[-1]), chosen[-1]]))


def fit_linear_ridge(
    points: Any, targets: BoolArray, groups: IndexArray | None = None, device: str | None = None
) -> Ridge:
    """Fit linear regressions on dense points; the parameters are those of `fit_kernel_ridge`."""
    rows = as_rows(points)
    if device is not None and isinstance(rows, RowsHere):
        from pucut.kernels import torch_ridge

        found: Any = torch_ridge.linear_solution(single(rows.points), targets, device, groups)
    else:
        found = linear_solution(rows, targets, groups)
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
