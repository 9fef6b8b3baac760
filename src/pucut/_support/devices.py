"""Where a fit computes: on the processors, or on a GPU that PyTorch finds."""

import re
import warnings
from typing import Any

from pucut.exceptions import DeviceNotFoundWarning

# For scikit-learn's validation; what a text may say is checked by `card_of`.
DEVICE_CONSTRAINTS = [str, None]
DEVICE = re.compile(r"cpu|auto|cuda(:[0-9]+)?")
ALLOWED = "'cpu', 'auto', 'cuda' or 'cuda:' with the number of a GPU"


def card_of(device: Any) -> str | None:
    """The GPU that the parameter `device` asks for, as PyTorch names it; None: the processors.

    Warns if it asks for one that is not there.
    """
    card, missing = _found(device)
    if missing is not None:
        warnings.warn(
            f"device is {device!r}, but {missing}: the processors are used instead",
            DeviceNotFoundWarning,
            stacklevel=2,
        )
    return card


def usable_card(device: Any) -> str | None:
    """The same without a warning, for what was fitted elsewhere or is not fitted yet."""
    return _found(device)[0]


def _found(device: Any) -> tuple[str | None, str | None]:
    """The GPU, or why there is none although one is asked for."""
    if device is None:
        return None, None
    if not isinstance(device, str) or not DEVICE.fullmatch(device):
        raise ValueError(f"device must be None, {ALLOWED}, found {device!r}")
    if device == "cpu":
        return None, None
    missing = _missing(device)
    if device == "auto":
        return (None if missing else "cuda"), None
    return (None if missing else device), missing


def _missing(device: str) -> str | None:
    """Why the GPU cannot be used; None if it can."""
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed (pucut[torch])"
    if not torch.cuda.is_available():
        return "PyTorch finds no GPU here that it can use through CUDA"
    number, n_found = int(device.partition(":")[2] or 0), torch.cuda.device_count()
    if number < n_found:
        return None
    return f"the last GPU that PyTorch finds here is 'cuda:{n_found - 1}'"
