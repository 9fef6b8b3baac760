"""Arrays inside of JSON: a number's type, and the bytes of all numbers as base64."""

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

# What typed arrays of browsers hold; JavaScript knows them by these names.
TYPES = ("uint8", "uint16", "int32", "float32", "float64")


def packed(values: npt.ArrayLike, dtype: str) -> dict[str, str]:
    """The values as {"type": ..., "base64": ...}, lowest byte first."""
    array = np.asarray(values)
    with np.errstate(over="ignore"):  # what is too large for float32 is infinite there
        stored = array.astype(np.dtype(dtype).newbyteorder("<"))
    if array.dtype.kind in "biu" and not np.array_equal(stored, array):
        raise ValueError(f"values do not fit into {dtype}: largest is {array.max()}")
    return {"type": dtype, "base64": base64.b64encode(stored.tobytes()).decode("ascii")}


def unpacked(entry: dict[str, str]) -> npt.NDArray[Any]:
    """What `packed` was given."""
    if entry["type"] not in TYPES:
        raise ValueError(f"type must be one of {TYPES}, found {entry['type']!r}")
    stored = np.dtype(entry["type"]).newbyteorder("<")
    return np.frombuffer(base64.b64decode(entry["base64"]), dtype=stored)
