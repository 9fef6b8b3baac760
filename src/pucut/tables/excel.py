"""A sheet of an Excel file as columns of texts."""

import zipfile
from io import BytesIO
from typing import Any

import numpy as np

from pucut.tables.delimited import FileTexts
from pucut.tables.errors import INSTALL, TableError, listing, one_line


def read_sheet(data: bytes, name: str, sheet: str | None, most_bytes: int) -> FileTexts:
    """Return the sheet of that name, or the first; its first row with any text is the header."""
    import pyarrow as pa

    book = _opened(data, name, most_bytes)
    sheets = [page.title for page in book.worksheets]
    if not sheets:
        raise TableError(f"{name} has no sheet with cells")
    if sheet is not None and sheet not in sheets:
        raise TableError(f"--sheet {sheet!r} is not in {name}: it has {listing(sheets)}")
    chosen = sheet if sheet is not None else sheets[0]
    notes = []
    if sheet is None and len(sheets) > 1:
        notes = [f"{name} has {len(sheets)} sheets: {chosen!r} is read; --sheet names another"]
    rows = list(_rows(book, chosen, name))
    if not rows:
        raise TableError(f"{name}, sheet {chosen!r} is empty: a table with a header row is needed")
    if len(rows) == 1:
        raise TableError(f"{name}, sheet {chosen!r} has a header and no rows below it")
    # Cells that once were formatted make empty columns at the right.
    width = max(place + 1 for _, row in rows for place, text in enumerate(row) if text)
    cells = [[*row, *[""] * width][:width] for _, row in rows]
    texts = [pa.array(column, pa.large_string()) for column in zip(*cells[1:], strict=True)]
    lines = np.array([line for line, _ in rows[1:]], dtype=np.int64)
    elsewhere: dict[str, str] = {}
    for other in sheets:
        if other != chosen:
            _, header = next(_rows(book, other, name), (0, []))
            note = f"it is in sheet {other!r} of {name}, and {chosen!r} was read: --sheet {other!r}"
            elsewhere = {text.strip(): note for text in header if text} | elsewhere
    return FileTexts(cells[0], texts, lines, notes, elsewhere)


def _opened(data: bytes, name: str, most_bytes: int) -> Any:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
    except zipfile.BadZipFile as error:
        raise TableError(f"{name} is a broken Excel file or zip archive: {error}") from error
    if "xl/workbook.xml" not in [entry.filename for entry in entries]:
        raise TableError(f"{name} is a zip archive, but not an Excel file: unpack it first")
    if sum(entry.file_size for entry in entries) > most_bytes:
        raise TableError(f"{name} has more than {most_bytes >> 30} GiB unpacked: write CSV instead")
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise TableError(f"reading Excel files needs openpyxl: {INSTALL}") from error
    try:
        return load_workbook(BytesIO(data), read_only=True, data_only=True)
    except Exception as error:  # damaged files fail in many ways
        raise TableError(f"{name} cannot be read as an Excel file: {one_line(error)}") from error


def _rows(book: Any, sheet: str, name: str) -> Any:
    """Iterate over the rows that are not empty, each with its number."""
    page = book[sheet]
    # The size that the sheet gives may be wrong: all that is there is read.
    page.reset_dimensions()
    try:
        for line, row in enumerate(page.iter_rows(values_only=True), start=1):
            texts = [_cell_text(cell) for cell in row]
            if any(texts):
                yield line, texts
    except Exception as error:  # as above
        raise TableError(f"{name}, sheet {sheet!r} cannot be read: {one_line(error)}") from error


def _cell_text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return "" if cell is None else str(cell.isoformat() if hasattr(cell, "isoformat") else cell)
