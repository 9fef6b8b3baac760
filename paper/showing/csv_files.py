"""CSV files read with their line numbers, so that a mistake can be named."""

import csv
import gzip
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


class FileProblem(ValueError):
    """A file or folder that is missing, or does not hold what it should."""


@dataclass(frozen=True)
class Line:
    """One line of a file: its cells by column, and where it stands."""

    file: Path
    number: int
    cells: dict[str, str]

    @property
    def place(self) -> str:
        return f"{self.file}, line {self.number}"

    def text(self, column: str) -> str:
        value = self.cells[column]
        if not value:
            raise FileProblem(f"{self.place}: {column} is empty")
        return value

    def one_of(self, column: str, allowed: Sequence[str]) -> str:
        value = self.cells[column]
        if value not in allowed:
            raise FileProblem(
                f"{self.place}: {column} must be one of {', '.join(allowed)}, found {value!r}"
            )
        return value

    def whole_number(self, column: str) -> int:
        try:
            return int(self.cells[column])
        except ValueError:
            raise FileProblem(
                f"{self.place}: {column} must be a whole number, found {self.cells[column]!r}"
            ) from None

    def number_in(self, column: str, low: float, high: float) -> float:
        try:
            value = float(self.cells[column])
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise FileProblem(
                f"{self.place}: {column} must be a number from {low:g} to {high:g}, found "
                f"{self.cells[column]!r}"
            )
        return value

    def number_or_none(self, column: str, low: float, high: float) -> float | None:
        """None for an empty cell: not measured."""
        return self.number_in(column, low, high) if self.cells[column] else None

    def yes_or_no(self, column: str) -> bool:
        return self.one_of(column, ("yes", "no")) == "yes"


def read_lines(file: Path, columns: Sequence[str]) -> Iterator[Line]:
    """The lines of a file that has exactly these columns; `.gz` is unpacked."""
    try:
        data = file.read_bytes()
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8")
    except FileNotFoundError:
        raise FileProblem(f"{file} is missing") from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise FileProblem(f"{file} cannot be read: {error}") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    header = next(reader, [])
    if header != list(columns):
        raise FileProblem(
            f"{file}, line 1: columns must be {','.join(columns)}, found {','.join(header)}"
        )
    for cells in reader:
        if len(cells) != len(columns):
            raise FileProblem(
                f"{file}, line {reader.line_num}: {len(columns)} cells expected, found {len(cells)}"
            )
        yield Line(file, reader.line_num, dict(zip(columns, cells, strict=True)))
