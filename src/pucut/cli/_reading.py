"""A table from a file or from stdin: text, Excel, Parquet or Arrow, told apart by its content."""

import difflib
import gzip
import sys
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray
from pucut.cli._delimited import read_delimited
from pucut.cli._errors import NEEDED, UserError
from pucut.cli._excel import read_sheet
from pucut.cli._leftovers import rows_to_leave_out
from pucut.cli._voice import listing as listing
from pucut.cli._wide import plain_numbers

STDIN = "-"
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
    elsewhere : mapping of str to str
        Names that are no names of columns here, and what the user should know of them.
    """

    name: str
    frame: Any
    lines: npt.NDArray[np.int64] | None
    notes: tuple[str, ...]
    numbers: Mapping[str, FloatArray] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)

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
        if name in self.elsewhere:
            raise UserError(f"{option} {name!r}: {self.elsewhere[name]}")
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
    if data[:4] == b"PAR1" or data[:6] in (b"ARROW1", b"FEA1"):
        table = _read_arrow(data, name)
    elif data[:4] == b"PK\x03\x04":
        page = read_sheet(data, name, sheet, MOST_BYTES)
        table = _from_texts(name, page.header, page.texts, page.lines, page.notes)
        others = {**page.elsewhere, **table.elsewhere}
        table = replace(table, elsewhere=others)
    else:
        columns = read_delimited(data, name, sep=sep, encoding=encoding)
        table = _from_texts(name, columns.names, columns.texts, columns.lines, columns.notes)
    if sheet is not None and data[:4] != b"PK\x03\x04":
        raise UserError(f"--sheet {sheet!r} needs an Excel file, and {name} is not one")
    return table


def _from_texts(
    name: str,
    header: Sequence[str],
    texts: Sequence[Any],
    lines: npt.NDArray[np.int64],
    notes: tuple[str, ...],
) -> InputTable:
    """The table of a file of texts, without rows that are none."""
    names = _checked_names(header, name)
    kept, left_out = rows_to_leave_out(texts, lines, name)
    if kept is not None:
        if len(kept) == 0:
            raise UserError(f"{name} has a header and no rows below it")
        texts, lines = [column.take(kept) for column in texts], lines[kept]
    return InputTable(
        name,
        _frame(names.names, texts),
        lines,
        (*notes, *names.notes, *left_out),
        plain_numbers(names.names, texts),
        names.elsewhere,
    )


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


@dataclass(frozen=True)
class _Names:
    """Names of columns, each once; what is said of them; and names that are no longer there."""

    names: tuple[str, ...]
    notes: tuple[str, ...]
    elsewhere: Mapping[str, str]


def _checked_names(given: Sequence[Any], name: str) -> _Names:
    """Names as stripped texts; those without one, and several of one, get a number."""
    stripped = ["" if entry is None else str(entry).strip() for entry in given]
    names = [entry or f"column {place + 1}" for place, entry in enumerate(stripped)]
    without = [entry for entry, text in zip(names, stripped, strict=True) if not text]
    notes = [f"{name}: columns without a name are called {listing(without)}"] if without else []
    elsewhere = {}
    taken = set(names)
    for entry, count in Counter(names).items():
        if count == 1:
            continue
        places = [place for place, other in enumerate(names) if other == entry]
        called = []
        for number, place in enumerate(places, start=1):
            new = f"{entry} ({number})"
            while new in taken:
                new += "'"
            taken.add(new)
            called.append(new)
            names[place] = new
        said = (
            f"{count} columns have this name ({', '.join(str(place + 1) for place in places)}) and "
            f"are called {listing(called)} here"
        )
        elsewhere[entry] = said
        notes.append(f"{name}, column {entry!r}: {said}")
    return _Names(tuple(names), tuple(notes), elsewhere)


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
    names = _checked_names(given, name)
    frame = _frame(names.names, table.columns)
    return InputTable(name, frame, None, names.notes, elsewhere=names.elsewhere)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
