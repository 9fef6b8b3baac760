"""Limits of memory, set by the user or by the machine."""

import numbers
import os
import re
from pathlib import Path
from typing import Any

_UNITS = {
    "b": 1,
    **{f"{letter}b": 10 ** (3 * power) for power, letter in enumerate("kmgt", start=1)},
    **{f"{letter}ib": 1 << (10 * power) for power, letter in enumerate("kmgt", start=1)},
}
_ALLOWED = 'None, a number of bytes above 0, or a text such as "8GB" or "500 MiB"'


def checked_memory_limit(limit: Any) -> int | None:
    """Return a limit in bytes; None stays None."""
    if limit is None:
        return None
    n_bytes: float = float("nan")
    if isinstance(limit, str):
        found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([a-zA-Z]+)\s*", limit)
        if found and found[2].lower() in _UNITS:
            n_bytes = float(found[1]) * _UNITS[found[2].lower()]
    elif isinstance(limit, numbers.Real) and not isinstance(limit, bool):
        n_bytes = float(limit)
    if not 1 <= n_bytes < float("inf"):
        raise ValueError(f"memory_limit must be {_ALLOWED}, found {limit!r}")
    return int(n_bytes)


def available_memory() -> int | None:
    """Return the bytes, or None, that this process could use now, file caches included."""
    known = [each for each in (_system_memory(), _container_memory()) if each is not None]
    return min(known, default=None)


def readable_bytes(n_bytes: float) -> str:
    """Write a number of bytes: 1 234 567 890 is "1.23 GB"."""
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes / 10**3:.3g} kB"


def _system_memory() -> int | None:
    found = re.search(r"^MemAvailable:\s+([0-9]+) kB", _text("/proc/meminfo"), re.MULTILINE)
    if found:
        return int(found[1]) << 10
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system counts free pages
        return None


def _container_memory() -> int | None:
    """Ask the second version of Linux's control groups; no limit is the word "max"."""
    folder = "/sys/fs/cgroup"
    most, taken = _text(f"{folder}/memory.max"), _text(f"{folder}/memory.current")
    files = re.search(r"^inactive_file ([0-9]+)$", _text(f"{folder}/memory.stat"), re.MULTILINE)
    if not most.strip().isdigit() or not taken.strip().isdigit():
        return None
    return max(0, int(most) - int(taken) + (int(files[1]) if files else 0))


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii")
    except OSError:
        return ""
