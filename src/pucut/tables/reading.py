"""A table from a file or from stdin: text, Excel, Parquet or Arrow, told apart by its content."""

import difflib
import gzip
import sys
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut.tables.delimited import FileTexts, read_delimited
from pucut.tables.errors import INSTALL, TableError, listing, one_line
from pucut.tables.excel import read_sheet
from pucut.tables.totals import rows_to_leave_out

STDIN = "-"
# Limit of what is packed or has no length: gzip, Excel, pipes and devices.
MOST_BYTES = 4 << 30
_BYTES_AT_ONCE = 1 << 24
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, eq=False)
class InputTable:
    """A table as it was found.

    Attributes
    ----------
    name : str
        The name of the file, for messages.
    frame : pandas.DataFrame
        Texts are of pandas' string type; cells of typed files keep their types.
    lines : int array or None
        The line of the file on which each row begins, where it has lines.
    notes : tuple of str
        What the user should know of how it was read.
    elsewhere : mapping of str to str
        Names that are no names of columns here, and what the user should know of them.
    """

    name: str
    frame: Any
    lines: npt.NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return len(self.frame)

    def place(self, row: int) -> str:
        """Return where the user finds a row, counted from 0."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def column(self, name: str, option: str) -> str:
        """Return the name itself if there is such a column, else raise with the nearest one."""
        names = [str(known) for known in self.frame.columns]
        if name in names:
            return name
        if name in self.elsewhere:
            raise TableError(f"{option} {name!r}: {self.elsewhere[name]}")
        by_lower = {known.lower().strip(): known for known in names}
        near = difflib.get_close_matches(name.lower().strip(), by_lower, n=1, cutoff=0.6)
        hint = f"did you mean {by_lower[near[0]]!r}?" if near else f"there are {listing(names)}"
        raise TableError(f"{option} {name!r} is not a column of {self.name}: {hint}")


def read_file(
    path: str, *, sep: str | None = None, encoding: str | None = None, sheet: str | None = None
) -> InputTable:
    """Read a file, or stdin for "-".

    Parameters
    ----------
    path : str
        CSV, TSV, Excel, Parquet or Arrow, also packed by gzip.
    sep, encoding : str, optional
        The separator and the encoding of CSV; detected if not given.
    sheet : str, optional
        The sheet of an Excel file; the first if not given.
    """
    if find_spec("pandas") is None or find_spec("pyarrow") is None:
        raise TableError(f"reading tables needs pandas and pyarrow: {INSTALL}")
    name, data = _bytes_of(path)
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.open(BytesIO(data)) as unpacked:
                data = _limited(unpacked, name)
        except (OSError, EOFError, zlib.error) as error:
            raise TableError(f"{name} is a broken gzip file: {error}") from error
    if not data:
        raise TableError(f"{name} is empty: a table with a header line is needed")
    if data[:4] == _OLD_EXCEL:
        raise TableError(f"{name} is an old Excel file (.xls): save it as .xlsx or CSV")
    if data[:4] == b"PAR1" or data[:6] in (b"ARROW1", b"FEA1"):
        table = _read_arrow(data, name)
    elif data[:4] == b"PK\x03\x04":
        return _from_texts(name, read_sheet(data, name, sheet, MOST_BYTES))
    else:
        table = _from_texts(name, read_delimited(data, name, sep=sep, encoding=encoding))
    if sheet is not None:
        raise TableError(f"--sheet {sheet!r} needs an Excel file, and {name} is not one")
    return table


def _from_texts(name: str, found: FileTexts) -> InputTable:
    """Return the table of a file of texts, without rows that are not data."""
    kept, left_out = rows_to_leave_out(found.texts, found.lines, name)
    if len(kept) == 0:
        raise TableError(f"{name} has a header and no rows below it")
    if len(kept) < len(found.lines):
        found = replace(found, texts=[column.take(kept) for column in found.texts])
    return _with_names(name, found, found.lines[kept], left_out)


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
        raise TableError(f"there is no file {path!r}{hint}") from error
    except TableError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise TableError(f"{path!r} cannot be read: {why}") from error


def _limited(file: Any, name: str) -> bytes:
    """Return all of it, unless it is more than can be meant."""
    parts: list[bytes] = []
    left = MOST_BYTES
    while left >= 0:
        part = file.read(min(left + 1, _BYTES_AT_ONCE))
        if not part:
            return b"".join(parts)
        parts.append(part)
        left -= len(part)
    raise TableError(
        f"{name} has more than {MOST_BYTES >> 30} GiB (unpacked, if it is packed), and may have no "
        "end; give a file that is not packed, or Parquet"
    )


def _with_names(
    name: str, columns: FileTexts, lines: npt.NDArray[np.int64] | None, left_out: Sequence[str] = ()
) -> InputTable:
    """Return the table with one name for each column.

    Names are stripped texts; columns without one, or of one name, get a number.
    """
    stripped = [entry.strip() for entry in columns.names]
    names = [entry or f"column {place}" for place, entry in enumerate(stripped, start=1)]
    without = [entry for entry, text in zip(names, stripped, strict=True) if not text]
    notes = [f"{name}: columns without a name are called {listing(without)}"] if without else []
    elsewhere = {**columns.elsewhere}
    taken = set(names)
    for entry, count in Counter(names).items():
        if count == 1:
            continue
        places = [place for place, other in enumerate(names) if other == entry]
        for number, place in enumerate(places, start=1):
            new = f"{entry} ({number})"
            while new in taken:
                new += "'"
            taken.add(new)
            names[place] = new
        elsewhere[entry] = (
            f"{count} columns have this name ({', '.join(str(place + 1) for place in places)}) and "
            f"are called {listing([names[place] for place in places])} here"
        )
        notes.append(f"{name}, column {entry!r}: {elsewhere[entry]}")
    frame = _frame(names, columns.texts)
    return InputTable(name, frame, lines, (*columns.notes, *notes, *left_out), elsewhere)


def _frame(names: Sequence[str], columns: Sequence[Any]) -> Any:
    """Return columns of Arrow as a data frame."""
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
        raise TableError(f"{name} cannot be read: {one_line(error)}") from error
    if table.num_rows == 0:
        raise TableError(f"{name} has {table.num_columns} columns and no rows")
    return _with_names(name, FileTexts(given, table.columns), None)
