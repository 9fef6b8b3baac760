"""Rows of a table for a labelling session: cells to show, and features to learn from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.data.label_words import number_of
from pucut.labelling.ranking import Features

# Files that a browser shows as a picture, and cannot run.
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
class RowsToLabel:
    """Rows of a table to label."""

    name: str  # of the table, for headings
    columns: tuple[str, ...]
    cells: tuple[Sequence[str], ...]  # by column, as they stand in the table
    is_positive: BoolArray  # labels in the table itself
    is_negative: BoolArray
    features: Features
    text_columns: frozenset[str] = frozenset()
    # Columns that the ranking learns from; names of rows, for instance, are shown and not compared.
    used_columns: frozenset[str] = frozenset()
    folder: Path | None = None  # of the table: pictures are looked for below it

    @cached_property
    def spreads(self) -> tuple[float | None, ...]:
        """Standard deviation of each column of numbers; None for others."""
        return tuple(_spread(cells) for cells in self.cells)

    @property
    def n_labelled(self) -> int:
        """Number of labels in the table itself."""
        return int(self.is_positive.sum() + self.is_negative.sum())

    def __len__(self) -> int:
        return len(self.is_positive)

    def cell(self, row: int, column: int) -> str:
        return self.cells[column][row]

    def similar_to(self, row: int) -> FloatArray:
        """Return the similarity of every row to this one, from 0 to 1."""
        X = self.features.X
        if is_sparse(X):  # cosines: rows have length 1
            return np.asarray((X @ X[[row]].T).todense(), dtype=np.float64).ravel().clip(0.0, 1.0)
        squared = ((X - X[row]) ** 2).sum(axis=1)
        return np.asarray(np.exp(-4.0 * squared / (float(squared.mean()) or 1.0)))

    def picture(self, row: int, column: int) -> Path | None:
        """Return the file that a cell names, if it is a picture below the table's folder."""
        cell = self.cell(row, column).strip()
        if self.folder is None or not cell or Path(cell).suffix.lower() not in PICTURES:
            return None
        folder = self.folder.resolve()
        try:
            path = (folder / cell).resolve()
            return path if path.is_relative_to(folder) and path.is_file() else None
        except (OSError, ValueError):  # too long for a path, or a zero byte in it
            return None


def kind_of_cell(rows: RowsToLabel, row: int, column: int) -> str:
    """Return how the page shows a cell: "picture", "link", "text" or "value"."""
    if rows.picture(row, column) is not None:
        return "picture"
    if _ADDRESS.fullmatch(rows.cell(row, column).strip()):
        return "link"
    return "text" if rows.columns[column] in rows.text_columns else "value"


def differing_columns(rows: RowsToLabel, row: int, other: int) -> list[dict[str, str]]:
    """List the used columns but texts in which two rows differ, the most different first."""
    differences = []
    for name, cells, spread in zip(rows.columns, rows.cells, rows.spreads, strict=True):
        here, there = cells[row], cells[other]
        if name in rows.used_columns - rows.text_columns and here != there:
            # Numbers differ by standard deviations, everything else by 1.
            one, two, distance = number_of(here), number_of(there), 1.0
            if spread is not None and one is not None and two is not None:
                distance = abs(one - two) / spread
            differences.append((distance, {"column": name, "here": here, "there": there}))
    differences.sort(key=lambda difference: -difference[0])  # stable: equal ones in table order
    return [difference for _, difference in differences]


def _spread(cells: Sequence[str]) -> float | None:
    """Return the standard deviation in about a thousand rows, or None if some are no numbers."""
    some = [cell for cell in cells[:: 1 + len(cells) // _ROWS_LOOKED_AT] if cell.strip()]
    numbers = [number for number in map(number_of, some) if number is not None]
    if len(numbers) < max(len(some), 2):
        return None
    return float(np.std(numbers)) or None
