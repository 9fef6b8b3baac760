"""The regressions of folded_ridge.py by PyTorch, on a GPU, with more landmarks.

Kernels are in single precision, as there, and roots in double.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.row_order import IndexArray
from pucut.kernels import folded_ridge
from pucut.kernels.conjugate_gradients import LEAST_OF_ITS_MEAN, preconditioned
from pucut.kernels.folded_ridge import LEARNING, N_FOLDS, PENALTY, Floats, FoldedScores, centres
from pucut.kernels.machines import Machine, as_float64
from pucut.kernels.ridge import DIGITS, JITTER, drawn
from pucut.kernels.torch_ridge import empty_cache, free_memory, gaussian_kernel

ROWS_A_LANDMARK, MOST_LANDMARKS = 4, 16_000
# Of the free memory, for the kernel that is held, and for the roots and what they are made of.
_SHARE_OF_MEMORY, _MATRICES = 0.4, 5
_ROWS_OF_A_BLOCK = 8192


@contextmanager
def ridge_there(
    points: Any, width: float, random: np.random.RandomState, groups: IndexArray, device: str
) -> Iterator["TorchFoldedRidge"]:
    """As `FoldedRidge`; afterwards nothing stays on the device."""
    ridge = TorchFoldedRidge(points, width, random, groups, device)
    try:
        yield ridge
    finally:
        ridge.give_back()


class TorchFoldedRidge:
    """As `FoldedRidge`: of as many landmarks, these and the folds are the same."""

    @torch.no_grad()
    def __init__(
        self,
        points: Any,
        width: float,
        random: np.random.RandomState,
        groups: IndexArray,
        device: str,
    ) -> None:
        n_rows, n_features = points.shape
        self._points = points.astype(np.float32, copy=False)
        self._device, self._gamma = device, width / n_features
        n_wanted = n_landmarks(n_rows, free_memory(device))
        self._landmarks = centres(self._points, n_wanted, random, self._nearest)
        self._fold = random.randint(N_FOLDS, size=int(groups.max()) + 1)[groups]
        self._learning = drawn(n_rows, folded_ridge.MOST_ROWS, random)
        self._kernel_of = gaussian_kernel(self._there(self._landmarks), self._gamma)
        blocks = self._blocks(self._points[self._learning])
        self._kernel = torch.cat([self._kernel_of(block) for block in blocks])
        self._mean = self._kernel.mean(dim=0, dtype=torch.float64)
        n_near = LEARNING * torch.bincount(self._kernel.argmax(dim=1), minlength=n_wanted)
        landmarks = self._there(as_float64(self._landmarks))
        self._inverse_roots = _inverse_roots(landmarks, n_near, self._gamma)

    @torch.no_grad()
    def scores(self, targets: BoolArray, start: FloatArray | None = None) -> FoldedScores:
        kernel, mean = self._kernel, self._mean
        target = self._there(targets[:, self._learning].T.astype(np.float64))
        share = target.mean(dim=0)
        folds = torch.arange(N_FOLDS, device=self._device)
        learns = self._there(self._fold[self._learning])[:, None] != folds
        learns = learns.repeat_interleave(len(targets), dim=1)

        def towards(rest: Any) -> Any:
            sums = rest.sum(dim=0, dtype=torch.float64)
            return (kernel.T @ rest).double() - mean[:, None] * sums

        def product(weights: Any) -> Any:
            return towards((kernel @ weights.float() - (mean @ weights).float()) * learns)

        weights, found = preconditioned(
            product,
            towards(((target - share).repeat(1, N_FOLDS) * learns).float()),
            *self._inverse_roots,
            PENALTY,
            _solve,
            None if start is None else self._there(start),
            folded_ridge.TOLERANCE,
            folded_ridge.MOST_STEPS,
        )
        last = weights[:, len(targets) - 1 :: len(targets)].mean(dim=1)
        intercept = float(share[-1] - mean @ last)
        landmarks = as_float64(self._landmarks)
        machine = Machine(landmarks, last.cpu().numpy(), intercept, self._gamma, self._device)
        left_out = self._left_out(weights, share.cpu().numpy())
        return FoldedScores(np.round(left_out, DIGITS), machine, found.cpu().numpy())

    def give_back(self) -> None:
        del self._kernel, self._kernel_of, self._mean, self._inverse_roots
        empty_cache()

    def _left_out(self, weights: Any, share: FloatArray) -> FloatArray:
        scores = np.empty((len(share), len(self._points)))
        single, shift = weights.float(), (self._mean @ weights).float()
        for rows in _slices(len(self._points)):
            values = self._kernel_of(self._there(self._points[rows])) @ single - shift
            of_folds = values.double().cpu().numpy().reshape(-1, N_FOLDS, len(share))
            own = of_folds[np.arange(len(of_folds)), self._fold[rows]]
            scores[:, rows] = (share + own).T
        return scores

    def _nearest(self, rows: Floats, points: Floats) -> IndexArray:
        kernel_of = gaussian_kernel(self._there(points), self._gamma)
        found = [kernel_of(block).argmax(dim=1) for block in self._blocks(rows)]
        return np.asarray(torch.cat(found).cpu().numpy())

    def _blocks(self, rows: Floats) -> Iterator[Any]:
        return (self._there(rows[some]) for some in _slices(len(rows)))

    def _there(self, values: Any) -> Any:
        # PyTorch warns of arrays it may not write to.
        return torch.from_numpy(np.require(values, requirements=["C", "W"])).to(self._device)


def n_landmarks(n_rows: int, memory: float = math.inf) -> int:
    """With so many free bytes; never fewer than on the processors."""
    n_learning = min(n_rows, folded_ridge.MOST_ROWS)
    by_kernel = _SHARE_OF_MEMORY * memory / (4 * n_learning)
    by_roots = math.sqrt(_SHARE_OF_MEMORY * memory / (8 * _MATRICES))
    most = min(n_rows // ROWS_A_LANDMARK, MOST_LANDMARKS, by_kernel, by_roots)
    return max(int(most), folded_ridge.n_landmarks(n_rows))


def _inverse_roots(landmarks: Any, n_near: Any, gamma: float) -> tuple[Any, Any]:
    """The inverses of the roots of conjugate_gradients.py: a GPU multiplies faster than it solves.

    How near a system comes to the identity suffers from rounding, and not what it says.
    """
    among = gaussian_kernel(landmarks, gamma)(landmarks)
    among.fill_diagonal_(1.0 + JITTER)
    outer = _upper_root(among)
    scaled = outer * n_near.double().sqrt()
    inner = scaled @ scaled.T
    inner.diagonal().add_(PENALTY)
    return _inverse(outer), _inverse(_upper_root(inner))


def _upper_root(matrix: Any) -> Any:
    """As `upper_root` there; all of the matrix is given."""
    added = LEAST_OF_ITS_MEAN * float(matrix.diagonal().mean())
    while True:
        root, failed = torch.linalg.cholesky_ex(matrix, upper=True)
        if not int(failed):
            return root
        matrix.diagonal().add_(added)
        added *= 10.0


def _inverse(root: Any) -> Any:
    ones = torch.eye(len(root), dtype=root.dtype, device=root.device)
    return torch.linalg.solve_triangular(root, ones, upper=True)


def _solve(inverse: Any, right: Any, *, transposed: bool = False) -> Any:
    return (inverse.T if transposed else inverse) @ right


def _slices(n_rows: int) -> list[slice]:
    firsts = range(0, n_rows, _ROWS_OF_A_BLOCK)
    return [slice(first, first + _ROWS_OF_A_BLOCK) for first in firsts]
