"""A table from a file or from stdin: text, Excel, Parquet or Arrow, told apart by its content."""

import difflib
import gzip
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray
from pucut.cli._delimited import read_delimited
from pucut.cli._errors import UserError
from pucut.cli._wide import plain_numbers

STDIN = "-"
NEEDED = "pip install 'pucut[cli]'"
_SHOWN_NAMES = 12
# Of what is packed or has no length: gzip, Excel, pipes and devices.
MOST_BYTES = 4 << 30
_BYTES_AT_ONCE = 1 << 24
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, eq=False)
class InputTable:
    """A table as it was found.

    Attributes
    ----------
    name : str
        Of the file, for messages.
    frame : pandas.DataFrame
        Texts are of pandas' string type; cells of typed files keep their types.
    lines : int array or None
        The line of the file on which each row begins, where it has lines.
    notes : tuple of str
        What the user should know of how it was read.
    numbers : mapping of str to float array
        Columns of a very wide table that are plain numbers.
    """

    name: str
    frame: Any
    lines: npt.NDArray[np.int64] | None
    notes: tuple[str, ...]
    numbers: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return len(self.frame)

    def place(self, row: int) -> str:
        """Where the user finds a row, counted from 0."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def column(self, name: str, option: str) -> str:
        """The name itself if there is such a column, else an error with the nearest one."""
        names = [str(known) for known in self.frame.columns]
        if name in names:
            return name
        by_lower = {known.lower().strip(): known for known in names}
        near = difflib.get_close_matches(name.lower().strip(), by_lower, n=1, cutoff=0.6)
        hint = f"did you mean {by_lower[near[0]]!r}?" if near else f"there are {listing(names)}"
        raise UserError(f"{option} {name!r} is not a column of {self.name}: {hint}")


def read_input(
    path: str,
    *,
    sep: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> InputTable:
    """Reads the file, or stdin for "-"."""
    _need_pandas()
    name, data = _bytes_of(path)
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.open(BytesIO(data)) as unpacked:
                data = _limited(unpacked, name)
        except (OSError, EOFError, zlib.error) as error:
            raise UserError(f"{name} is a broken gzip file: {error}") from error
    if not data:
        raise UserError(f"{name} is empty: a table with a header line is needed")
    if data[:4] == _OLD_EXCEL:
        raise UserError(f"{name} is an old Excel file (.xls): save it as .xlsx or CSV")
    if data[:4] == b"PK\x03\x04":
        table = _read_excel(data, name, sheet)
    elif data[:4] == b"PAR1" or data[:6] in (b"ARROW1", b"FEA1"):
        table = _read_arrow(data, name)
    else:
        columns = read_delimited(data, name, sep=sep, encoding=encoding)
        names, notes = _checked_names(columns.names, name)
        frame = _frame(names, columns.texts)
        numbers = plain_numbers(names, columns.texts)
        table = InputTable(name, frame, columns.lines, columns.notes + notes, numbers)
    if sheet is not None and data[:4] != b"PK\x03\x04":
        raise UserError(f"--sheet {sheet!r} needs an Excel file, and {name} is not one")
    return table


def listing(names: Sequence[str], n_shown: int = _SHOWN_NAMES) -> str:
    """Names in quotes, the first few of many."""
    shown = ", ".join(repr(str(name)) for name in names[:n_shown])
    return shown if len(names) <= n_shown else f"{shown} and {len(names) - n_shown} more"


def _bytes_of(path: str) -> tuple[str, bytes]:
    if path == STDIN:
        return "stdin", _limited(sys.stdin.buffer, "stdin")
    try:
        if Path(path).is_file():
            return path, Path(path).read_bytes()
        with open(path, "rb") as special:  # a pipe or a device may have no end
            return path, _limited(special, path)
    except FileNotFoundError as error:
        folder = Path(path).parent
        there = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
        near = difflib.get_close_matches(Path(path).name, there, n=1)
        hint = f"; did you mean {str(folder / near[0])!r}?" if near else ""
        raise UserError(f"there is no file {path!r}{hint}") from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UserError(f"{path!r} cannot be read: {why}") from error


def _limited(file: Any, name: str) -> bytes:
    """All of it, unless it is more than can be meant."""
    parts: list[bytes] = []
    left = MOST_BYTES
    while left >= 0:
        part = file.read(min(left + 1, _BYTES_AT_ONCE))
        if not part:
            return b"".join(parts)
        parts.append(part)
        left -= len(part)
    raise UserError(
        f"{name} has more than {MOST_BYTES >> 30} GiB (unpacked, if it is packed), and may have no "
        "end; give a file that is not packed, or Parquet"
    )


def _need_pandas() -> None:
    try:
        for package in ("pandas", "pyarrow"):
            import_module(package)
    except ImportError as error:
        raise UserError(f"reading tables needs pandas and pyarrow: {NEEDED}") from error


def _checked_names(given: Sequence[Any], name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names as stripped texts; one without gets its number, two of one name are refused."""
    stripped = ["" if entry is None else str(entry).strip() for entry in given]
    names = [entry or f"column {place + 1}" for place, entry in enumerate(stripped)]
    twice = [entry for entry, count in Counter(names).items() if count > 1]
    if twice:
        places = [place + 1 for place, entry in enumerate(names) if entry == twice[0]]
        raise UserError(
            f"{name}: the column name {twice[0]!r} appears {len(places)} times (columns "
            f"{', '.join(map(str, places))}); names must differ"
        )
    without = [entry for entry, text in zip(names, stripped, strict=True) if not text]
    notes = (f"{name}: columns without a name are called {listing(without)}",) if without else ()
    return tuple(names), notes


def _frame(names: Sequence[str], columns: Sequence[Any]) -> Any:
    """Columns of Arrow as a data frame."""
    import pandas as pd
    import pyarrow as pa

    texts = pd.StringDtype("pyarrow")
    if all(column.type == pa.large_string() for column in columns):  # quicker, if there are many
        made = {name: texts.__from_arrow__(one) for name, one in zip(names, columns, strict=True)}
        return pd.DataFrame(made, copy=False)
    kinds = {pa.string(): texts, pa.large_string(): texts, pa.bool_(): pd.BooleanDtype()}
    return pa.table(list(columns), names=list(names)).to_pandas(types_mapper=kinds.get)


def _read_arrow(data: bytes, name: str) -> InputTable:
    import pyarrow as pa
    from pyarrow import feather, parquet

    try:
        read = parquet.read_table if data[:4] == b"PAR1" else feather.read_table
        table = read(BytesIO(data))
        table.validate(full=True)
        given = table.column_names  # decoded only now
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UserError(f"{name} cannot be read: {_one_line(error)}") from error
    if table.num_rows == 0:
        raise UserError(f"{name} has {table.num_columns} columns and no rows")
    names, notes = _checked_names(given, name)
    return InputTable(name, _frame(names, table.columns), None, notes)


def _read_excel(data: bytes, name: str, sheet: str | None) -> InputTable:
    """Cells as texts, the first row that is not empty as the header."""
    import pyarrow as pa

    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
    except zipfile.BadZipFile as error:
        raise UserError(f"{name} is a broken Excel file or zip archive: {error}") from error
    if "xl/workbook.xml" not in [entry.filename for entry in entries]:
        raise UserError(f"{name} is a zip archive, but not an Excel file: unpack it first")
    if sum(entry.file_size for entry in entries) > MOST_BYTES:
        raise UserError(f"{name} has more than {MOST_BYTES >> 30} GiB unpacked: write CSV instead")
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise UserError(f"reading Excel files needs openpyxl: {NEEDED}") from error
    try:
        book = load_workbook(BytesIO(data), read_only=True, data_only=True)
    except Exception as error:  # bytes of others can be wrong in any way
        raise UserError(f"{name} cannot be read as an Excel file: {_one_line(error)}") from error
    sheets = [page.title for page in book.worksheets]
    if not sheets:
        raise UserError(f"{name} has no sheet with cells")
    if sheet is not None and sheet not in sheets:
        raise UserError(f"--sheet {sheet!r} is not in {name}: it has {listing(sheets)}")
    chosen = sheet if sheet is not None else sheets[0]
    notes: tuple[str, ...] = ()
    if sheet is None and len(sheets) > 1:
        notes = (f"{name} has {len(sheets)} sheets: {chosen!r} is read; --sheet names another",)
    page = book[chosen]
    # What the sheet says of its size may be wrong: all that is there is read.
    page.reset_dimensions()
    try:
        rows = [
            (line, [_cell_text(cell) for cell in row])
            for line, row in enumerate(page.iter_rows(values_only=True), start=1)
        ]
    except Exception as error:  # as above
        raise UserError(f"{name}, sheet {chosen!r} cannot be read: {_one_line(error)}") from error
    rows = [(line, row) for line, row in rows if any(row)]
    if not rows:
        raise UserError(f"{name}, sheet {chosen!r} is empty: a table with a header row is needed")
    if len(rows) == 1:
        raise UserError(f"{name}, sheet {chosen!r} has a header and no rows below it")
    # Cells that once were formatted make empty columns at the right.
    width = max(place + 1 for _, row in rows for place, text in enumerate(row) if text)
    cells = [[*row, *[""] * width][:width] for _, row in rows]
    names, further = _checked_names(cells[0], name)
    texts = [pa.array(column, pa.large_string()) for column in zip(*cells[1:], strict=True)]
    lines = np.array([line for line, _ in rows[1:]], dtype=np.int64)
    numbers = plain_numbers(names, texts)
    return InputTable(name, _frame(names, texts), lines, notes + further, numbers)


def _cell_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if hasattr(cell, "isoformat"):
        return str(cell.isoformat())
    return str(cell)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
