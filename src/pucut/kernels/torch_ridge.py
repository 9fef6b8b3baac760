"""The regressions of ridge.py by PyTorch, on a GPU, where many more rows can be landmarks.

All is in double precision, which the GPUs of computing centres multiply as fast as single. With
A = K'K + penalty M, both as in ridge.py, the weights are A^-1 K'y, and the leverage of a row is the
square of L^-1 k, with A = L L'. A root for each penalty takes the place of the eigenvectors there,
which would take ten times as long as all the rest. Penalties are compared on some of the rows,
since leverages are half of the work.

Rows come to the device in blocks, and nothing stays there.
"""

import functools
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import numpy as np
import torch

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.row_order import IndexArray
from pucut.kernels.machines import Machine, as_float64
from pucut.kernels.ridge import (
    DIGITS,
    JITTER,
    LINEAR_PENALTIES,
    PENALTIES,
    USUAL,
    Ridge,
    Sample,
    chosen_widths,
    copies_of,
    drawn,
    in_turn,
    n_landmarks_on_gpu,
    without_each,
)

# Rows by which penalties are compared.
ROWS_THAT_JUDGE = 10_000
# Rows of a block, and what their kernel may take.
_MOST_ROWS_OF_A_BLOCK, _BYTES_OF_A_BLOCK = 8192, 1 << 29
_COLUMNS_OF_A_PRODUCT = 1024

_ONE_AT_A_TIME = threading.Lock()
Columns = Callable[[Any], Any]
Returned = TypeVar("Returned")
Arguments = ParamSpec("Arguments")


def gives_back(work: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """Work whose memory on the device is there for others when it has returned."""

    @functools.wraps(work)
    def wrapped(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
        try:
            with torch.no_grad():
                return work(*args, **kwargs)
        finally:
            empty_cache()

    return wrapped


def empty_cache() -> None:
    """Memory of the device that is free here is free for others."""
    # PyTorch gives this function no types.
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.empty_cache()


def fit_kernel_ridge(
    points: Any,
    targets: BoolArray,
    random: np.random.RandomState,
    device: str,
    groups: IndexArray | None = None,
    n_threads: int = 1,
    sample: Sample = USUAL,
) -> Ridge:
    """As in ridge.py, on dense points."""
    n_rows, n_features = points.shape
    chosen = chosen_widths(points, targets, random, groups, n_threads=n_threads, sample=sample)
    widths = np.array(chosen)
    most = n_landmarks_on_gpu(n_rows, free_memory(device))
    landmarks = as_float64(points[drawn(n_rows, most, random)])
    judges = drawn(n_rows, ROWS_THAT_JUDGE, random)
    left_out = np.empty(targets.shape)
    for width in in_turn(widths):
        same = widths == width
        gamma = width / n_features
        found = kernel_solution(points, targets[same], landmarks, gamma, device, groups, judges)
        left_out[same] = found.left_out
    machine = Machine(landmarks, found.weights, found.intercept, gamma, device)
    return Ridge(machine, left_out, float(width), found.penalty)


@gives_back
def fit_linear_ridge(
    points: Any, targets: BoolArray, device: str, groups: IndexArray | None = None
) -> Ridge:
    """As in ridge.py."""
    found = _solution(
        lambda rows: _moved(points[rows], device),
        torch.eye(points.shape[1], dtype=torch.float64, device=device),
        targets,
        LINEAR_PENALTIES,
        groups,
        np.arange(points.shape[0]),
        points.shape[1],
    )
    machine = Machine(None, found.weights, found.intercept, 0.0)
    return Ridge(machine, found.left_out, None, found.penalty)


@gives_back
def kernel_sums(
    points: FloatArray, landmarks: FloatArray, weights: FloatArray, gamma: float, device: str
) -> FloatArray:
    """sum_j weight_jc exp(-gamma d^2) for each row and each column c of the weights.

    Threads that ask for them wait for each other: each would need memory of its own.
    """
    found = np.empty((points.shape[0], weights.shape[1]))
    with _ONE_AT_A_TIME:
        kernel_of = _kernel(landmarks, gamma, device)
        factors = _moved(weights, device)
        for rows in _blocks(np.arange(len(found)), max(landmarks.shape)):
            found[rows] = (kernel_of(_moved(points[rows], device)) @ factors).cpu().numpy()
    return found


@dataclass(frozen=True, eq=False)
class Solution:
    """As `Ridge`, with the weights and the intercept of the last target."""

    left_out: FloatArray
    penalty: float
    weights: FloatArray
    intercept: float


@gives_back
def kernel_solution(
    points: Any,
    targets: BoolArray,
    landmarks: FloatArray,
    gamma: float,
    device: str,
    groups: IndexArray | None = None,
    judges: IndexArray | None = None,
) -> Solution:
    """The regressions with these landmarks; `judges` are rows that choose penalties, or all."""
    kernel_of = _kernel(landmarks, gamma, device)
    among = kernel_of(_moved(landmarks, device))
    among.fill_diagonal_(1.0 + JITTER)
    return _solution(
        lambda rows: kernel_of(_moved(points[rows], device)),
        among,
        targets,
        PENALTIES,
        groups,
        np.arange(points.shape[0]) if judges is None else judges,
        points.shape[1],
    )


@gives_back
def class_weights(
    points: FloatArray, target: FloatArray, gamma: float, penalty: float, device: str
) -> tuple[FloatArray, FloatArray]:
    """Weights W = (K + penalty)^-1 Y of rows that are all landmarks, and W / diag of the inverse.

    Y are the targets less their means, a column each.
    """
    shifted = _kernel(points, gamma, device)(_moved(points, device))
    shifted.fill_diagonal_(1.0 + penalty)
    root = torch.linalg.cholesky(shifted)
    inverse = torch.cholesky_inverse(root)
    weights = inverse @ _moved(target - target.mean(axis=0), device)
    errors = weights / inverse.diagonal()[:, None]
    return weights.cpu().numpy(), errors.cpu().numpy()


class _Regression:
    """Everything that does not depend on the penalty, and the answers for one that is given."""

    def __init__(
        self,
        columns_of: Columns,
        among: Any,
        targets: BoolArray,
        groups: IndexArray | None,
        n_features: int,
    ) -> None:
        self._columns_of, self._among = columns_of, among
        self._width = max(len(among), n_features)
        self.target = targets.T.astype(np.float64)  # (n_rows, n_targets)
        self._copies = copies_of(groups, self.target)
        self.share = self.target.mean(axis=0)
        n_rows, n_columns = len(self.target), len(among)
        self._products = torch.zeros_like(among)
        total = among.new_zeros(n_columns)
        self._towards = among.new_zeros((n_columns, len(self.share)))
        starts = range(0, n_columns, _COLUMNS_OF_A_PRODUCT)
        for rows in _blocks(np.arange(n_rows), self._width):
            block = columns_of(rows)
            for start in starts:  # below the diagonal; above it is the same
                end = start + _COLUMNS_OF_A_PRODUCT
                part, before = block[:, start:end], block[:, :end]
                self._products[start:end, :end].addmm_(part.T, before)
            total += block.sum(dim=0)
            self._towards += block.T @ _moved(self.target[rows] - self.share, block.device)
        for start in starts:
            below = self._products[start : start + _COLUMNS_OF_A_PRODUCT, :start]
            self._products[:start, start : start + _COLUMNS_OF_A_PRODUCT] = below.T
        self._mean = total / n_rows
        self._products.addr_(self._mean, self._mean, alpha=-n_rows)

    def solved(self, penalty: float) -> tuple[Any, Any]:
        """The root of A, and the weights of each target."""
        root = torch.linalg.cholesky(torch.add(self._products, self._among, alpha=penalty))
        return root, torch.cholesky_solve(self._towards, root)

    def left_out(self, rows: IndexArray, root: Any, weights: Any) -> FloatArray:
        """What all other rows predict for each of these, one column per target."""
        n_rows = len(self.target)
        found = np.empty((len(rows), len(self.share)))
        done = 0
        for some in _blocks(rows, self._width):
            block = self._columns_of(some) - self._mean
            fitted = self.share + (block @ weights).cpu().numpy()
            halves = torch.linalg.solve_triangular(root, block.T, upper=False)
            leverage = 1.0 / n_rows + halves.square_().sum(dim=0).cpu().numpy()
            found[done : done + len(block)] = without_each(
                self.target[some][:, :, None],
                fitted[:, :, None],
                leverage[:, None],
                *(each[..., some] for each in self._copies),
            )[:, :, 0]
            done += len(block)
        return found

    def intercept(self, weights: Any) -> float:
        """That of the last target."""
        return float(self.share[-1] - float(self._mean @ weights[:, -1]))


def _solution(
    columns_of: Columns,
    among: Any,
    targets: BoolArray,
    penalties: Sequence[float],
    groups: IndexArray | None,
    judges: IndexArray,
    n_features: int,
) -> Solution:
    regression = _Regression(columns_of, among, targets, groups, n_features)
    errors = [
        np.square(regression.left_out(judges, *regression.solved(each)) - regression.target[judges])
        for each in penalties
    ]
    chosen = np.array(penalties)[np.mean(errors, axis=1).argmin(axis=0)]
    left_out = np.empty(targets.shape)
    for penalty in in_turn(chosen):
        root, weights = regression.solved(penalty)
        found = regression.left_out(np.arange(targets.shape[1]), root, weights)
        left_out[chosen == penalty] = found.T[chosen == penalty]
    return Solution(
        np.round(left_out, DIGITS),
        float(penalty),
        weights[:, -1].cpu().numpy(),
        regression.intercept(weights),
    )


def _kernel(landmarks: FloatArray, gamma: float, device: str) -> Callable[[Any], Any]:
    return gaussian_kernel(_moved(landmarks, device), gamma)


def gaussian_kernel(landmarks: Any, gamma: float) -> Callable[[Any], Any]:
    """That of rows with landmarks, on their device and in their precision."""
    squares = landmarks.square().sum(dim=1)

    def of(rows: Any) -> Any:
        squared = torch.addmm(squares, rows, landmarks.T, alpha=-2.0)
        squared += rows.square().sum(dim=1)[:, None]
        return squared.clamp_(min=0.0).mul_(-gamma).exp_()

    return of


def _moved(rows: Any, device: Any) -> Any:
    """On the device in double precision, made so there: half as much is moved."""
    rows = np.require(rows, requirements=["C", "W"])  # torch warns of arrays it may not write to
    return torch.from_numpy(rows).to(device).to(torch.float64)


def _blocks(rows: IndexArray, width: int) -> list[slice | IndexArray]:
    """Of rising row numbers, each row with so many numbers on the device.

    Rows that follow each other are a slice, which copies nothing.
    """
    step = max(1, min(_MOST_ROWS_OF_A_BLOCK, _BYTES_OF_A_BLOCK // (8 * max(1, width))))
    blocks = [rows[start : start + step] for start in range(0, len(rows), step)]
    return [
        slice(int(block[0]), int(block[-1]) + 1)
        if block[-1] - block[0] + 1 == len(block)
        else block
        for block in blocks
    ]


def free_memory(device: str) -> float:
    is_gpu = torch.device(device).type == "cuda"
    return float(torch.cuda.mem_get_info(device)[0]) if is_gpu else math.inf
