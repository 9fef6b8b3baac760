"""Facts about the machine and the process, for the rows of results; never the host's name."""

import contextlib
import os
import platform
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def machine() -> str:
    """Like "x86_64, 2 cores, 24 GiB"."""
    text = f"{platform.machine()}, {os.cpu_count()} cores"
    try:
        n_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows does not say
        return text
    return f"{text}, {round(n_bytes / 2**30)} GiB"


def device_name(device: str) -> str:
    """The name of a device of PyTorch: "cpu", or "cuda:" and the name of the GPU."""
    import torch

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if torch.device(device).type != "cuda":
        return device
    return f"cuda:{torch.cuda.get_device_name(torch.device(device))}"


def forget_peak_memory() -> None:
    """Resets `peak_memory_mb`, where the system can: Linux, if the process is allowed to."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory_mb() -> float | None:
    """The most memory the process has held, in units of 10^6 bytes; None if the system is silent.

    Since `forget_peak_memory` on Linux, else since the process began.
    """
    try:
        lines = _STATUS.read_text().splitlines()
        kilobytes = next(line.split()[1] for line in lines if line.startswith("VmHWM:"))
        return int(kilobytes) * 1024 / 1e6
    except (OSError, StopIteration):
        pass
    if sys.platform == "win32":
        return None
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
