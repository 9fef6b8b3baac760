"""The rows of a table as a labelling session needs them: cells to show, features to learn from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
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
    folder : Path or None
        Where the table is: pictures are looked for below it.
    """

    name: str
    columns: tuple[str, ...]
    cells: tuple[Sequence[str], ...]
    is_positive: BoolArray
    is_negative: BoolArray
    features: Features
    text_columns: frozenset[str] = field(default_factory=frozenset)
    folder: Path | None = None

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


def differing_columns(rows: Rows, row: int, other: int, most: int = 6) -> list[dict[str, str]]:
    """Cells of two rows that are not equal; texts, which hardly ever are, do not count."""
    found = [
        {"column": name, "here": cells[row], "there": cells[other]}
        for name, cells in zip(rows.columns, rows.cells, strict=True)
        if name not in rows.text_columns and cells[row] != cells[other]
    ]
    return found[:most]


def _similarity(X: Any, row: int) -> FloatArray:
    """Cosines of sparse rows of length 1; of points, by their distances relative to the mean."""
    if is_sparse(X):
        return np.asarray((X @ X[[row]].T).todense(), dtype=np.float64).ravel().clip(0.0, 1.0)
    squared = ((X - X[row]) ** 2).sum(axis=1)
    scale = float(squared.mean()) or 1.0
    near: FloatArray = np.exp(-4.0 * squared / scale)
    return near
