"""CSV files of typed cells, read with their line numbers, so that a mistake can be located."""

import csv
import gzip
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class FileProblem(ValueError):
    """A file or folder that is missing, or does not hold what it should."""


@dataclass(frozen=True)
class Kind(Generic[T]):
    """The kind of a cell: `parse` raises ValueError for a text that is not `what`.

    `digits` are the significant ones that a number is written with, None for all.
    """

    what: str
    parse: Callable[[str], T]
    digits: int | None = None

    @property
    def may_be_empty(self) -> bool:
        try:
            self.parse("")
        except ValueError:
            return False
        return True


def one_of(allowed: Sequence[str]) -> Kind[str]:
    return Kind(f"one of {', '.join(allowed)}", _member_of(frozenset(allowed)))


def like(example: str, allowed: Iterable[str]) -> Kind[str]:
    """One of names that are too many to list."""
    return Kind(f"a name like {example}", _member_of(frozenset(allowed)))


def _member_of(allowed: frozenset[str]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return parse


def number_in(low: float, high: float, digits: int | None = None) -> Kind[float]:
    def parse(text: str) -> float:
        value = float(text)
        if not low <= value <= high:  # NaN is not in any range
            raise ValueError(text)
        return value

    return Kind(f"a number from {low:g} to {high:g}", parse, digits)


def one_number_of(allowed: Sequence[float]) -> Kind[float]:
    def parse(text: str) -> float:
        value = float(text)
        if value not in allowed:
            raise ValueError(text)
        return value

    return Kind(" or ".join(map(str, allowed)), parse)


def optional(kind: Kind[T]) -> Kind[T | None]:
    """An empty cell is None: not measured."""
    return Kind(
        f"{kind.what} or empty", lambda text: kind.parse(text) if text else None, kind.digits
    )


_yes_or_no = _member_of(frozenset({"yes", "no"}))


def _filled(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


TEXT = Kind("filled in", _filled)
ANY_TEXT = Kind("a text", str)
WHOLE_NUMBER = Kind("a whole number", int)
# Two answers to a table of up to 10 000 rows whose scores differ also differ in these digits.
SHARE = number_in(0.0, 1.0, digits=8)
PERCENT = number_in(0.0, 100.0)
AMOUNT = number_in(0.0, 1e12, digits=4)
YES_OR_NO = Kind("one of yes, no", lambda text: _yes_or_no(text) == "yes")


@dataclass(frozen=True)
class Line:
    """One line of a file: its cells by column, and its place in the file."""

    file: Path
    number: int
    cells: dict[str, str]

    @property
    def place(self) -> str:
        return f"{self.file}, line {self.number}"

    def read(self, column: str, kind: Kind[T]) -> T:
        text = self.cells[column]
        try:
            return kind.parse(text)
        except ValueError:
            raise FileProblem(
                f"{self.place}: {column} must be {kind.what}, found {text!r}"
            ) from None


def read_lines(
    file: Path, columns: Sequence[str], may_lack: Collection[str] = ()
) -> Iterator[Line]:
    """The lines of a file that has these columns in this order; `.gz` is unpacked.

    Cells of a column that the file lacks, and may lack, are empty.
    """
    try:
        data = file.read_bytes()
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8")
    except FileNotFoundError:
        raise FileProblem(f"{file} is missing") from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise FileProblem(f"{file} cannot be read: {error}") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    header = next(reader, [])
    lacking = [column for column in may_lack if column not in header]
    expected = [column for column in columns if column not in lacking]
    if header != expected:
        raise FileProblem(
            f"{file}, line 1: columns must be {','.join(columns)}, found {','.join(header)}"
        )
    for cells in reader:
        if len(cells) != len(header):
            raise FileProblem(
                f"{file}, line {reader.line_num}: {len(header)} cells expected, found {len(cells)}"
            )
        yield Line(
            file,
            reader.line_num,
            dict(zip(header, cells, strict=True)) | dict.fromkeys(lacking, ""),
        )


def as_csv(columns: Sequence[str], lines: Iterable[Iterable[Any]]) -> str:
    """Floats are written with all the digits they have, so that equal ones give equal bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(cell_text, line) for line in lines)
    return text.getvalue()


def cell_text(value: Any) -> str:
    """None, for what was not measured, becomes an empty cell."""
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)
