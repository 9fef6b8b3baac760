"""Values as JSON has them."""

import math
from typing import Any

import numpy as np

LONGEST_TEXT = 200


def plain(value: Any) -> Any:
    """Numbers, texts and None as JSON has them; anything else as a text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return short(value)


def short(value: Any) -> str:
    """A text of it that is not too long for a line."""
    text = str(value)
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
