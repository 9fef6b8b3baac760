"""Rows of finished runs as CSV files: written, and read again from the files of a folder."""

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paper.csv_files import FileProblem, as_csv, read_lines
from paper.schema import COLUMNS, MAY_BE_EMPTY, Row, cells_of, row_from
from pucut._support.files import write_whole


def write_rows(file: Path, rows: Iterable[Row]) -> None:
    """One line for each row; packed where the name ends in `.gz`. Equal rows give equal bytes."""
    data = as_csv(COLUMNS, map(cells_of, rows)).encode()
    write_whole(file, gzip.compress(data, mtime=0) if file.suffix == ".gz" else data)


def read_rows(folder: Path) -> tuple[Row, ...]:
    """All rows of the `.csv` and `.csv.gz` files of a folder, in the order of their keys.

    A run that is there twice is an error: a table cannot decide which one is right.
    """
    if not folder.is_dir():
        raise FileProblem(f"{folder} is not a folder: it should hold the rows of finished runs")
    files = sorted({*folder.glob("*.csv"), *folder.glob("*.csv.gz")})
    if not files:
        raise FileProblem(f"{folder} has no .csv or .csv.gz file with rows of finished runs")
    rows: dict[tuple[Any, ...], Row] = {}
    places: dict[tuple[Any, ...], str] = {}
    for file in files:
        for line in read_lines(file, COLUMNS, MAY_BE_EMPTY):
            row = row_from(line)
            if row.key in rows:
                raise FileProblem(
                    f"{line.place}: {' '.join(map(str, row.key))} is already in {places[row.key]}"
                )
            rows[row.key], places[row.key] = row, line.place
    return tuple(rows[key] for key in sorted(rows))
