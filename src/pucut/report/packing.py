"""Values as JSON has them: numbers, short texts, and arrays as base64."""

import base64
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut.report.wording import shortened

# Types that typed arrays of browsers have, by the same names as in JavaScript.
TYPES = ("uint8", "uint16", "int32", "float32", "float64")


def as_json(value: Any) -> Any:
    """Return a finite number, a boolean or None as it is, and anything else as a short text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float)) else shortened(value)


def packed(values: npt.ArrayLike, dtype: str) -> dict[str, str]:
    """Return the values as {"type": ..., "base64": ...}, lowest byte first."""
    array = np.asarray(values)
    with np.errstate(over="ignore"):  # a number too large for float32 becomes infinite
        stored = array.astype(np.dtype(dtype).newbyteorder("<"))
    if array.dtype.kind in "biu" and not np.array_equal(stored, array):
        raise ValueError(f"values do not fit into {dtype}: largest is {array.max()}")
    return {"type": dtype, "base64": base64.b64encode(stored.tobytes()).decode("ascii")}


def unpacked(entry: dict[str, str]) -> npt.NDArray[Any]:
    """Return the array that `packed` was called with."""
    if entry["type"] not in TYPES:
        raise ValueError(f"type must be one of {TYPES}, found {entry['type']!r}")
    stored = np.dtype(entry["type"]).newbyteorder("<")
    return np.frombuffer(base64.b64decode(entry["base64"]), dtype=stored)
