"""Numbers and sentences as a reader wants them, and values and arrays as JSON has them."""

import base64
import math
import tomllib
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut.data.label_words import meaning_of, number_of

NARROW_SPACE = "\u202f"
LONGEST_WORD = 30
# Types that typed arrays of browsers have, by the same names as in JavaScript.
TYPES = ("uint8", "uint16", "int32", "float32", "float64")


def asset(name: str) -> str:
    """Read a file of the folder `assets`."""
    return files("pucut.report").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def _sentences() -> dict[str, str]:
    return tomllib.loads(asset("sentences.toml"))


def sentence(name: str, /, **parts: Any) -> str:
    """Fill in a sentence of `assets/sentences.toml`; a float is a share, written in percent."""
    written = {key: _written(value) for key, value in parts.items()}
    return Template(_sentences()[name]).substitute(written)


def _written(value: Any) -> str:
    if isinstance(value, float):
        return percent(value)
    return grouped(value) if isinstance(value, int) else str(value)


def grouped(value: int) -> str:
    """Write 17970 as 17 970, with a narrow space that does not break."""
    return f"{value:,}".replace(",", NARROW_SPACE) if abs(value) >= 10_000 else str(value)


def count(value: int, one: str, many: str) -> str:
    """Write a number and its noun."""
    return f"{grouped(value)} {one if value == 1 else many}"


def percent(share: float) -> str:
    """Write whole percents, with one more digit near 0 and 100."""
    value = 100.0 * share
    digits = 0 if 5.0 <= value <= 95.0 or value in (0.0, 100.0) else 1
    return f"{value:.{digits}f}{NARROW_SPACE}%"


def of_kind(value: float, kind: str) -> str:
    """Write a value of a column: a date for days since 1970, else a short number."""
    if kind == "date":
        return (date(1970, 1, 1) + timedelta(days=value)).isoformat()
    return short_number(value)


def short_number(value: float) -> str:
    """Write three significant digits or a whole number, with a typographic minus sign."""
    text = f"{value:.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"
    return text.replace("-", "−")


def shortened(value: Any, longest: int = 200) -> str:
    """Write a value as a text of at most `longest` characters."""
    text = str(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def listed_names(names: list[str]) -> str:
    """Write "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def word_for(mark: str) -> str | None:
    """Return the mark of known positives if it is a word for them, such as "cancer"."""
    text = mark.strip()
    says_nothing = len(text) < 2 or meaning_of(text) is not None or number_of(text) is not None
    return None if says_nothing or len(text) > LONGEST_WORD else text


def called(summary: dict[str, Any]) -> str:
    """Name the positives: positive, or the reader's own word in quotes."""
    word = summary["data"]["word"]
    return "positive" if word is None else f"“{word}”"


def n_found(summary: dict[str, Any]) -> int:
    """Count the rows that were not known to be positive and are classified as such."""
    return int(summary["n_positive"] - summary["data"]["n_labelled"])


def headline(summary: dict[str, Any]) -> str:
    """Say how many rows were found, as the page's title and first heading do."""
    verb = "looks" if n_found(summary) == 1 else "look"
    n_others = grouped(summary["data"]["n_unlabelled"])
    return f"{grouped(n_found(summary))} of {n_others} unlabelled rows {verb} {called(summary)}"


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
