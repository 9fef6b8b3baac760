"""Choice of the processors or of a GPU, which PyTorch has to find."""

import re
import warnings
from typing import Any

from pucut.exceptions import DeviceNotFoundWarning

# For scikit-learn's validation; `card_of` checks the text.
DEVICE_CONSTRAINTS = [str, None]
DEVICE = re.compile(r"cpu|auto|cuda(:[0-9]+)?")
ALLOWED = "'cpu', 'auto', 'cuda' or 'cuda:' with the number of a GPU"


def card_of(device: Any, *, warns: bool = True) -> str | None:
    """Return the GPU that `device` names; None, after a warning, if the processors are used."""
    if device is None:
        return None
    if not isinstance(device, str) or not DEVICE.fullmatch(device):
        raise ValueError(f"device must be None, {ALLOWED}, found {device!r}")
    if device == "cpu":
        return None
    missing = _missing(device)
    if missing is None:
        return "cuda" if device == "auto" else device
    if warns and device != "auto":
        warnings.warn(
            f"device is {device!r}, but {missing}: the processors are used instead",
            DeviceNotFoundWarning,
            stacklevel=2,
        )
    return None


def usable_card(device: Any) -> str | None:
    """Return the same without a warning, for estimators fitted elsewhere or not fitted yet."""
    return card_of(device, warns=False)


def _missing(device: str) -> str | None:
    """Return the reason why the GPU cannot be used; None if it can."""
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
