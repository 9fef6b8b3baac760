"""A sheet of an Excel file as columns of texts."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut.cli._errors import NEEDED, UserError
from pucut.cli._voice import listing


@dataclass(frozen=True, eq=False)
class Sheet:
    """The first row that is not empty as the header, the texts below, and the row of each.

    `elsewhere` has the names of columns of other sheets, and where they are.
    """

    header: tuple[str, ...]
    texts: tuple[Any, ...]
    lines: npt.NDArray[np.int64]
    notes: tuple[str, ...]
    elsewhere: Mapping[str, str]


def read_sheet(data: bytes, name: str, sheet: str | None, most_bytes: int) -> Sheet:
    """The sheet of that name, or the first; `most_bytes` limits what it may be unpacked."""
    import pyarrow as pa

    book = _opened(data, name, most_bytes)
    sheets = [page.title for page in book.worksheets]
    if not sheets:
        raise UserError(f"{name} has no sheet with cells")
    if sheet is not None and sheet not in sheets:
        raise UserError(f"--sheet {sheet!r} is not in {name}: it has {listing(sheets)}")
    chosen = sheet if sheet is not None else sheets[0]
    notes: tuple[str, ...] = ()
    if sheet is None and len(sheets) > 1:
        notes = (f"{name} has {len(sheets)} sheets: {chosen!r} is read; --sheet names another",)
    rows = list(_rows(book, chosen, name))
    if not rows:
        raise UserError(f"{name}, sheet {chosen!r} is empty: a table with a header row is needed")
    if len(rows) == 1:
        raise UserError(f"{name}, sheet {chosen!r} has a header and no rows below it")
    # Cells that once were formatted make empty columns at the right.
    width = max(place + 1 for _, row in rows for place, text in enumerate(row) if text)
    cells = [[*row, *[""] * width][:width] for _, row in rows]
    texts = [pa.array(column, pa.large_string()) for column in zip(*cells[1:], strict=True)]
    lines = np.array([line for line, _ in rows[1:]], dtype=np.int64)
    elsewhere: dict[str, str] = {}
    for other in sheets:
        if other != chosen:
            _, header = next(_rows(book, other, name), (0, []))
            said = f"it is in sheet {other!r} of {name}, and {chosen!r} was read: --sheet {other!r}"
            elsewhere = {text.strip(): said for text in header if text} | elsewhere
    return Sheet(tuple(cells[0]), tuple(texts), lines, notes, elsewhere)


def _opened(data: bytes, name: str, most_bytes: int) -> Any:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
    except zipfile.BadZipFile as error:
        raise UserError(f"{name} is a broken Excel file or zip archive: {error}") from error
    if "xl/workbook.xml" not in [entry.filename for entry in entries]:
        raise UserError(f"{name} is a zip archive, but not an Excel file: unpack it first")
    if sum(entry.file_size for entry in entries) > most_bytes:
        raise UserError(f"{name} has more than {most_bytes >> 30} GiB unpacked: write CSV instead")
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise UserError(f"reading Excel files needs openpyxl: {NEEDED}") from error
    try:
        return load_workbook(BytesIO(data), read_only=True, data_only=True)
    except Exception as error:  # bytes of others can be wrong in any way
        why = " ".join(str(error).split())
        raise UserError(f"{name} cannot be read as an Excel file: {why}") from error


def _rows(book: Any, sheet: str, name: str) -> Any:
    """The rows that are not empty, each with its number."""
    page = book[sheet]
    # What the sheet says of its size may be wrong: all that is there is read.
    page.reset_dimensions()
    try:
        for line, row in enumerate(page.iter_rows(values_only=True), start=1):
            texts = [_cell_text(cell) for cell in row]
            if any(texts):
                yield line, texts
    except Exception as error:  # as above
        why = " ".join(str(error).split())
        raise UserError(f"{name}, sheet {sheet!r} cannot be read: {why}") from error


def _cell_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if hasattr(cell, "isoformat"):
        return str(cell.isoformat())
    return str(cell)
