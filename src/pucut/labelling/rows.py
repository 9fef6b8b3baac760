"""The rows of a table as a labelling session needs them: cells to show, features to learn from."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.labelling.ranking import Features

# What a browser shows as a picture, and cannot run.
PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
_ROWS_LOOKED_AT = 1000
_ADDRESS = re.compile(r"https?://[^\s<>\"']+", re.ASCII)


@dataclass(frozen=True, eq=False)
class Rows:
    """What there is to label.

    Attributes
    ----------
    name : str
        Of the table, for headings.
    columns : tuple of str
    cells : tuple of sequences of str, one per column
        As they were found in the table.
    is_positive, is_negative : bool array
        What the table itself says.
    features : Features
    text_columns : frozenset of str
    used_columns : frozenset of str
        What the ranking learns from; names of rows, for instance, are shown and not compared.
    folder : Path or None
        Where the table is: pictures are looked for below it.
    """

    name: str
    columns: tuple[str, ...]
    cells: tuple[Sequence[str], ...]
    is_positive: BoolArray
    is_negative: BoolArray
    features: Features
    text_columns: frozenset[str] = frozenset()
    used_columns: frozenset[str] = frozenset()
    folder: Path | None = None

    @cached_property
    def spreads(self) -> tuple[float | None, ...]:
        """Of each column of numbers; None for others."""
        return tuple(_spread(cells) for cells in self.cells)

    def __len__(self) -> int:
        return len(self.is_positive)

    def cell(self, row: int, column: int) -> str:
        return self.cells[column][row]

    def similar_to(self, row: int) -> FloatArray:
        """From 0 to 1."""
        return _similarity(self.features.X, row)

    def picture(self, row: int, column: int) -> Path | None:
        """The file that a cell names, if it is a picture below the table's folder."""
        cell = self.cell(row, column).strip()
        if self.folder is None or not cell or Path(cell).suffix.lower() not in PICTURES:
            return None
        folder = self.folder.resolve()
        try:
            path = (folder / cell).resolve()
            return path if path.is_relative_to(folder) and path.is_file() else None
        except (OSError, ValueError):  # too long for a path, or a zero byte in it
            return None


def kind_of_cell(rows: Rows, row: int, column: int) -> str:
    """How the page shows it: "picture", "link", "text" or "value"."""
    if rows.picture(row, column) is not None:
        return "picture"
    if _ADDRESS.fullmatch(rows.cell(row, column).strip()):
        return "link"
    return "text" if rows.columns[column] in rows.text_columns else "value"


def differing_columns(rows: Rows, row: int, other: int) -> list[dict[str, str]]:
    """Cells of two rows that are not equal, of columns that are used, the most different first.

    Numbers differ by their distance, in standard deviations of the column, and everything else by
    1. Texts, which are hardly ever equal, do not count.
    """
    found = [
        (_distance(cells[row], cells[other], spread), name, cells[row], cells[other])
        for name, cells, spread in zip(rows.columns, rows.cells, rows.spreads, strict=True)
        if name in rows.used_columns - rows.text_columns and cells[row] != cells[other]
    ]
    found.sort(key=lambda difference: -difference[0])  # equals stay in the order of the table
    return [{"column": name, "here": here, "there": there} for _, name, here, there in found]


def _distance(here: str, there: str, spread: float | None) -> float:
    one, other = _number(here), _number(there)
    if spread is None or one is None or other is None:
        return 1.0
    return abs(one - other) / spread


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _spread(cells: Sequence[str]) -> float | None:
    """Of numbers, the standard deviation in about a thousand rows; None if there are others."""
    some = [cell for cell in cells[:: 1 + len(cells) // _ROWS_LOOKED_AT] if cell.strip()]
    numbers = [number for number in map(_number, some) if number is not None]
    if len(numbers) < max(len(some), 2):
        return None
    return float(np.std(numbers)) or None


def _similarity(X: Any, row: int) -> FloatArray:
    """Cosines of sparse rows of length 1; of points, by their distances relative to the mean."""
    if is_sparse(X):
        return np.asarray((X @ X[[row]].T).todense(), dtype=np.float64).ravel().clip(0.0, 1.0)
    squared = ((X - X[row]) ** 2).sum(axis=1)
    scale = float(squared.mean()) or 1.0
    near: FloatArray = np.exp(-4.0 * squared / scale)
    return near
