"""The kernel of folded_ridge.py by PyTorch, on a GPU, with more landmarks.

Kernels are in single precision, as there, and roots in double.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from pucut._support.checks import IndexArray
from pucut.kernels import folded_ridge
from pucut.kernels.conjugate_gradients import LEAST_OF_ITS_MEAN, Preconditioner
from pucut.kernels.folded_ridge import LEARNING, PENALTY, Floats
from pucut.kernels.gaussian import JITTER, row_blocks
from pucut.kernels.machines import as_float64
from pucut.kernels.torch_ridge import gaussian_kernel, moved

ROWS_A_LANDMARK, MOST_LANDMARKS = 4, 16_000
# Shares of the free memory: for the kernel that is held, and for the roots while they are made.
_SHARE_OF_MEMORY, _MATRICES = 0.4, 5
_ROWS_OF_A_BLOCK = 8192


class KernelThere:
    """The kernel on a device, with the attributes and methods of `KernelHere`."""

    def __init__(
        self, points: Floats, learning: IndexArray, landmarks: Floats, gamma: float, device: str
    ) -> None:
        self._points, self._device = points, device
        self._kernel_of = gaussian_kernel(self.there(landmarks), gamma)
        n_learning = len(learning)
        self._held = torch.cat(
            [
                self._kernel_of(self.there(points[learning[some]]))
                for some in row_blocks(n_learning, _ROWS_OF_A_BLOCK)
            ]
        )
        self.mean = self._held.mean(dim=0, dtype=torch.float64)
        n_near = LEARNING * torch.bincount(self._held.argmax(dim=1), minlength=len(landmarks))
        self.preconditioner = _preconditioner(self.there(as_float64(landmarks)), n_near, gamma)

    def there(self, values: npt.NDArray[Any]) -> Any:
        return moved(values, self._device)

    def here(self, values: Any) -> npt.NDArray[Any]:
        return np.asarray(values.cpu().numpy())

    def single(self, values: Any) -> Any:
        return values.float()

    def towards(self, rest_of: Callable[[slice, Any], Any]) -> Any:
        rest = rest_of(slice(None), self._held)
        sums = rest.sum(dim=0, dtype=torch.float64)
        return (self._held.T @ rest).double() - self.mean[:, None] * sums

    def of_all_rows(self, work: Callable[[IndexArray, Any], None]) -> None:
        numbers = np.arange(len(self._points))
        for rows in row_blocks(len(numbers), _ROWS_OF_A_BLOCK):
            work(numbers[rows], self._kernel_of(self.there(self._points[rows])))


def landmarks_in_memory(n_rows: int, memory: float = math.inf) -> int:
    """Return the number of landmarks for free bytes; never fewer than on the processors."""
    n_learning = min(n_rows, folded_ridge.MOST_ROWS)
    by_kernel = _SHARE_OF_MEMORY * memory / (4 * n_learning)
    by_roots = math.sqrt(_SHARE_OF_MEMORY * memory / (8 * _MATRICES))
    most = min(n_rows // ROWS_A_LANDMARK, MOST_LANDMARKS, by_kernel, by_roots)
    return max(int(most), folded_ridge.folded_landmarks(n_rows))


def nearest_points(rows: Floats, points: Floats, gamma: float, device: str) -> IndexArray:
    """Return for each row the number of the point with the largest kernel."""
    kernel_of = gaussian_kernel(moved(points, device), gamma)
    found = [
        kernel_of(moved(rows[some], device)).argmax(dim=1)
        for some in row_blocks(len(rows), _ROWS_OF_A_BLOCK)
    ]
    return np.asarray(torch.cat(found).cpu().numpy())


def _preconditioner(landmarks: Any, n_near: Any, gamma: float) -> Preconditioner:
    """Make the inverses of the roots: a GPU multiplies faster than it solves.

    Rounding spoils how near the system comes to the identity, but not its solution.
    """
    among = gaussian_kernel(landmarks, gamma)(landmarks)
    among.fill_diagonal_(1.0 + JITTER)
    outer = _upper_root(among)
    scaled = outer * n_near.double().sqrt()
    inner = scaled @ scaled.T
    inner.diagonal().add_(PENALTY)
    return Preconditioner(_inverse(outer), _inverse(_upper_root(inner)), PENALTY, _solve)


def _upper_root(matrix: Any) -> Any:
    """Return the root as in conjugate_gradients.py; all of the matrix is given."""
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
