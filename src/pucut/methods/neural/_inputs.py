"""The rows as networks take them, images included, and the device that they go to."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch

from pucut._support.checks import FloatArray


@dataclass(frozen=True, eq=False)
class ImageScale:
    """Pixels to mean 0 and standard deviation 1 over each channel, not over each pixel.

    A pixel that is nearly always dark would otherwise count as much as one in the middle.
    """

    mean: FloatArray
    scale: FloatArray

    def encode(self, X: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        channels = X.reshape(len(X), len(self.mean), -1)
        scaled = (channels - self.mean[:, None]) / self.scale[:, None]
        return scaled.reshape(len(X), -1).astype(np.float32)


def single_precision(points: Any) -> Any:
    """Return the points as float32; values too large for it, as in far-away rows, are clipped."""
    largest = float(np.finfo(np.float32).max)
    is_sparse = sp.issparse(points)
    if not is_sparse:
        return np.clip(points, -largest, largest).astype(np.float32)
    limited = points.copy()
    limited.data = np.clip(limited.data, -largest, largest)
    return limited.astype(np.float32)


def dense_rows(points: Any, rows: npt.NDArray[Any]) -> torch.Tensor:
    block: Any = points[rows]
    return torch.from_numpy(block.toarray() if sp.issparse(points) else block)


def pixels_of(X: Any) -> npt.NDArray[Any]:
    if sp.issparse(X):
        raise ValueError("images must be a dense array, found a sparse matrix: use X.toarray()")
    pixels = np.asarray(X)
    if pixels.dtype.kind not in "biuf":
        raise ValueError(f"images must be numbers, found dtype {pixels.dtype}")
    if pixels.dtype.kind == "f" and np.isnan(pixels).any():
        raise ValueError("images must not hold missing values, found NaN")
    return pixels


def usable_device(device: Any, *, or_cpu: bool = False) -> torch.device:
    """Return the device of this name; with `or_cpu`, the CPU if there is none of its kind.

    A classifier fitted on a GPU must work on a machine without one. Scores are in double
    precision, which Apple's GPUs do not have.
    """
    has_cuda = torch.cuda.is_available()
    if isinstance(device, str) and device == "auto":
        return torch.device("cuda" if has_cuda else "cpu")
    try:
        found = torch.device(device)
    except RuntimeError as error:
        raise ValueError(
            f"device must be 'auto' or a device of PyTorch, like 'cpu' or 'cuda', found {device!r}"
        ) from error
    if or_cpu and (found.type == "mps" or (found.type == "cuda" and not has_cuda)):
        return torch.device("cpu")
    if found.type == "cuda" and not has_cuda:
        raise ValueError(
            f"device is {device!r}, but PyTorch finds no GPU here: use 'auto' or 'cpu'"
        )
    return found
