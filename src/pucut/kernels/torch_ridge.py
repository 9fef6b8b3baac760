"""The regressions of gaussian.py by PyTorch, on a GPU, where many more rows can be landmarks.

All is in double precision, which the GPUs of computing centres multiply as fast as single. With
A = K'K + penalty M, both as in gaussian.py, the weights are A^-1 K'y, and the leverage of a row is
the square of L^-1 k, with A = L L'. A root for each penalty takes the place of the eigenvectors
there, which would take ten times as long as all the rest. Penalties are compared on some of the
rows, since leverages are half of the work.

Rows come to the device in blocks, and nothing stays there.
"""

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut.kernels.gaussian import (
    DIGITS,
    JITTER,
    LINEAR_PENALTIES,
    PENALTIES,
    copies_of,
    without_each,
)
from pucut.kernels.ridge import in_turn

# Rows by which penalties are compared.
VALIDATION_ROWS = 10_000
# Rows of a block, and the bytes of its kernel.
_MOST_ROWS_OF_A_BLOCK, _BYTES_OF_A_BLOCK = 8192, 1 << 29
_COLUMNS_OF_A_PRODUCT = 1024

_ONE_AT_A_TIME = threading.Lock()


@contextmanager
def giving_back() -> Iterator[None]:
    """Do work after which its memory on the device is there for others."""
    try:
        yield
    finally:
        empty_cache()


def empty_cache() -> None:
    """Give free memory of the device to other processes."""
    # PyTorch gives this function no types.
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.empty_cache()


@giving_back()
def linear_solution(
    points: Any, targets: BoolArray, device: str, groups: IndexArray | None = None
) -> "TorchSolution":
    """Return the linear regressions."""
    n_columns = points.shape[1]
    among = torch.eye(n_columns, dtype=torch.float64, device=device)
    found = TorchSolution(lambda rows: _moved(points[rows], device), among, targets, groups)
    found.choose(LINEAR_PENALTIES)
    return found


@giving_back()
def kernel_sums(
    points: FloatArray, landmarks: FloatArray, weights: FloatArray, gamma: float, device: str
) -> FloatArray:
    """Return sum_j weight_jc exp(-gamma d^2) for each row and each column c of the weights.

    Threads wait for each other: each would need memory of its own.
    """
    found = np.empty((points.shape[0], weights.shape[1]))
    with _ONE_AT_A_TIME:
        kernel_of = _kernel(landmarks, gamma, device)
        factors = _moved(weights, device)
        for rows in _blocks(np.arange(len(found)), max(landmarks.shape)):
            found[rows] = (kernel_of(_moved(points[rows], device)) @ factors).cpu().numpy()
    return found


@giving_back()
def kernel_solution(
    points: Any,
    targets: BoolArray,
    landmarks: FloatArray,
    gamma: float,
    device: str,
    groups: IndexArray | None = None,
    validation: IndexArray | None = None,
) -> "TorchSolution":
    """Return the regressions with these landmarks; `validation` rows choose the penalties."""
    kernel_of = _kernel(landmarks, gamma, device)
    among = kernel_of(_moved(landmarks, device))
    among.fill_diagonal_(1.0 + JITTER)

    def columns_of(rows: Any) -> Any:
        return kernel_of(_moved(points[rows], device))

    found = TorchSolution(columns_of, among, targets, groups, points.shape[1])
    found.choose(PENALTIES, validation)
    return found


@giving_back()
def class_weights(
    points: FloatArray, target: FloatArray, gamma: float, penalty: float, device: str
) -> tuple[FloatArray, FloatArray]:
    """Return W = (K + penalty)^-1 Y for rows that are all landmarks, and W / diag of the inverse.

    Y are the targets less their means, a column each.
    """
    shifted = _kernel(points, gamma, device)(_moved(points, device))
    shifted.fill_diagonal_(1.0 + penalty)
    root = torch.linalg.cholesky(shifted)
    inverse = torch.cholesky_inverse(root)
    weights = inverse @ _moved(target - target.mean(axis=0), device)
    errors = weights / inverse.diagonal()[:, None]
    return weights.cpu().numpy(), errors.cpu().numpy()


class TorchSolution:
    """The regressions of all targets, with the attributes of `gaussian.LeastSquares`."""

    def __init__(
        self,
        columns_of: Callable[[Any], Any],
        among: Any,
        targets: BoolArray,
        groups: IndexArray | None,
        n_features: int = 0,
    ) -> None:
        self._columns_of, self._among = columns_of, among
        self._width = max(len(among), n_features)
        self._target = targets.T.astype(np.float64)  # (n_rows, n_targets)
        self._copies = copies_of(groups, self._target)
        self._share = self._target.mean(axis=0)
        n_rows, n_columns = len(self._target), len(among)
        self._products = torch.zeros_like(among)
        total = among.new_zeros(n_columns)
        self._towards = among.new_zeros((n_columns, len(self._share)))
        starts = range(0, n_columns, _COLUMNS_OF_A_PRODUCT)
        for rows in _blocks(np.arange(n_rows), self._width):
            block = columns_of(rows)
            for start in starts:  # below the diagonal; above it is the same
                end = start + _COLUMNS_OF_A_PRODUCT
                part, before = block[:, start:end], block[:, :end]
                self._products[start:end, :end].addmm_(part.T, before)
            total += block.sum(dim=0)
            self._towards += block.T @ _moved(self._target[rows] - self._share, block.device)
        for start in starts:
            below = self._products[start : start + _COLUMNS_OF_A_PRODUCT, :start]
            self._products[:start, start : start + _COLUMNS_OF_A_PRODUCT] = below.T
        self._mean = total / n_rows
        self._products.addr_(self._mean, self._mean, alpha=-n_rows)

    def choose(self, penalties: Sequence[float], validation: IndexArray | None = None) -> None:
        """Choose each target's penalty by the squared error on some of the rows, and solve."""
        everything = np.arange(len(self._target))
        validation = everything if validation is None else validation
        target = self._target[validation]
        errors = [
            np.square(self._left_out(validation, *self._solved(p)) - target) for p in penalties
        ]
        chosen = np.array(penalties)[np.mean(errors, axis=1).argmin(axis=0)]
        by_best = np.empty(self._target.T.shape)
        for penalty in in_turn(chosen):
            root, weights = self._solved(penalty)
            found = self._left_out(everything, root, weights)
            by_best[chosen == penalty] = found.T[chosen == penalty]
        self.left_out: FloatArray = np.round(by_best, DIGITS)
        self.penalty, self.weights = float(penalty), weights[:, -1].cpu().numpy()
        self.intercept = float(self._share[-1] - float(self._mean @ weights[:, -1]))
        # Nothing stays on the device.
        del self._columns_of, self._among, self._products, self._towards, self._mean

    def _solved(self, penalty: float) -> tuple[Any, Any]:
        """Return the root of A, and the weights of each target."""
        root = torch.linalg.cholesky(torch.add(self._products, self._among, alpha=penalty))
        return root, torch.cholesky_solve(self._towards, root)

    def _left_out(self, rows: IndexArray, root: Any, weights: Any) -> FloatArray:
        """Predict each of these rows by all others, one column per target."""
        found = np.empty((len(rows), len(self._share)))
        done = 0
        for some in _blocks(rows, self._width):
            block = self._columns_of(some) - self._mean
            fitted = self._share + (block @ weights).cpu().numpy()
            halves = torch.linalg.solve_triangular(root, block.T, upper=False)
            leverage = 1.0 / len(self._target) + halves.square_().sum(dim=0).cpu().numpy()
            found[done : done + len(block)] = without_each(
                self._target[some][:, :, None],
                fitted[:, :, None],
                leverage[:, None],
                *(each[..., some] for each in self._copies),
            )[:, :, 0]
            done += len(block)
        return found


def _kernel(landmarks: FloatArray, gamma: float, device: str) -> Callable[[Any], Any]:
    return gaussian_kernel(_moved(landmarks, device), gamma)


def gaussian_kernel(landmarks: Any, gamma: float) -> Callable[[Any], Any]:
    """Return the kernel of rows with landmarks, on their device and in their precision."""
    squares = landmarks.square().sum(dim=1)

    def of(rows: Any) -> Any:
        squared = torch.addmm(squares, rows, landmarks.T, alpha=-2.0)
        squared += rows.square().sum(dim=1)[:, None]
        return squared.clamp_(min=0.0).mul_(-gamma).exp_()

    return of


def moved(rows: Any, device: Any) -> Any:
    """Return an array as a tensor on the device."""
    # PyTorch warns of arrays it may not write to.
    return torch.from_numpy(np.require(rows, requirements=["C", "W"])).to(device)


def _moved(rows: Any, device: Any) -> Any:
    """Return it in double precision, made so on the device: half as much is moved."""
    return moved(rows, device).to(torch.float64)


def _blocks(rows: IndexArray, width: int) -> list[slice | IndexArray]:
    """Divide rising row numbers into blocks, each row with `width` numbers on the device.

    Rows that follow each other are a slice, which copies nothing.
    """
    step = max(1, min(_MOST_ROWS_OF_A_BLOCK, _BYTES_OF_A_BLOCK // (8 * max(1, width))))
    blocks: list[slice | IndexArray] = []
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        first, last = int(block[0]), int(block[-1])
        blocks.append(slice(first, last + 1) if last - first + 1 == len(block) else block)
    return blocks


def free_memory(device: str) -> float:
    """Return the free bytes of a GPU; infinite on other devices."""
    is_gpu = torch.device(device).type == "cuda"
    return float(torch.cuda.mem_get_info(device)[0]) if is_gpu else math.inf
