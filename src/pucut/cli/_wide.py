"""Columns of plain numbers in tables of very many columns, read from their texts at one go.

What `_columns.py` does with a column takes milliseconds, however short it is. Nearly all columns of
very wide tables are plain numbers, and finding that out takes microseconds.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut.cli._numerals import MISSING

# Tables with fewer columns, or more rows, are read column by column.
MANY_COLUMNS = 256
FEW_ROWS = 10_000
# What consists of these and is a number to Python is written with a point, and finite in size.
_SIGNS = frozenset("0123456789.+-eE")
_NOTHING = frozenset(("", *MISSING))


def plain_numbers(names: Sequence[str], columns: Sequence[Any]) -> Mapping[str, FloatArray]:
    """The columns of Arrow texts whose cells are numbers with a point, or missing, and not all one.

    None in a table that is not wide.
    """
    if len(columns) < MANY_COLUMNS or len(columns[0]) > FEW_ROWS:
        return {}
    found = {}
    for name, column in zip(names, columns, strict=True):
        texts = [text.strip() for text in column.to_pylist()]
        values = _numbers(texts)
        if values is not None:
            found[name] = values
    return found


def _numbers(texts: list[str]) -> FloatArray | None:
    present = [text for text in texts if text not in _NOTHING]
    if not present or not _SIGNS.issuperset("".join(present)):
        return None
    try:
        known = [float(text) for text in present]
    except ValueError:
        return None
    lowest, highest = min(known), max(known)
    if lowest == highest or math.isinf(lowest) or math.isinf(highest):
        return None
    if len(known) == len(texts):
        return np.array(known)
    return np.array([np.nan if text in _NOTHING else float(text) for text in texts])
