"""Delimited text (CSV, TSV) as columns of texts: encoding, separator, and rows that do not fit."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut.cli._errors import UserError

SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}
_NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}
_SNIFFED_RECORDS = 100
# Rows are made columns in parts: columns of Arrow take a fraction of the memory of Python's texts.
_ROWS_AT_ONCE = 20_000
_LOOKED_AT = 1 << 16
_CONTROL = [code for code in range(1, 32) if chr(code) not in "\t\n\r\f\x1b"]
_MOST_CONTROL = 0.02
_OTHER_THINGS = {
    (b"%pdf",): "a PDF: copy the table into a spreadsheet and save that",
    (b"<!doctype html", b"<html"): "a web page: open it in a spreadsheet and save it as CSV",
    (b"<?xml",): "XML: open it in a spreadsheet and save it as CSV",
    (b"{", b"[{", b"[["): "JSON: write it as CSV",
    (b"{\\rtf",): "a text document: copy the table into a spreadsheet and save that",
}
_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


@dataclass(frozen=True, eq=False)
class Columns:
    """Names and texts of the columns, and the line of the file on which each row begins."""

    names: tuple[str, ...]
    texts: tuple[Any, ...]
    lines: npt.NDArray[np.int64]
    notes: tuple[str, ...]


def read_delimited(
    data: bytes, name: str, *, sep: str | None = None, encoding: str | None = None
) -> Columns:
    """Reads the bytes of a file called `name`; sniffs the separator and encoding not given."""
    if encoding is None:
        _refuse_other_things(data, name)
    text, notes = _decoded(data, name, encoding)
    first_line = 1
    said = re.match(r"sep=(.)\r?\n", text)  # a line Excel writes and reads
    if said is not None:
        sep, text, first_line = sep or said[1], text[said.end() :], 2
    if not text.strip():
        raise UserError(f"{name} is empty: a table with a header line is needed")
    separator = _checked_separator(sep) if sep is not None else _sniffed(text)
    records = _records(text, separator, name, first_line)
    header_line, header = next(records)
    if len(header) == 1:
        _refuse_other_separator(header[0], separator, name)
    return _as_columns(records, header, header_line, name, separator, notes)


def _refuse_other_things(data: bytes, name: str) -> None:
    """Refuses binary data and other kinds of text: they would be read as a column of junk."""
    start = data[:_LOOKED_AT]
    if start.startswith(tuple(_MARKS)):
        return
    head = start.lstrip()[:100].lower()
    for signs, what in _OTHER_THINGS.items():
        if head.startswith(signs):
            raise UserError(f"{name} is not a table but {what}")
    n_control = sum(start.count(bytes([code])) for code in _CONTROL)
    if b"\0" in start or n_control > _MOST_CONTROL * len(start):
        raise UserError(
            f"{name} is not a table: it holds binary data; if it is text, --encoding names its "
            "encoding"
        )


def _decoded(data: bytes, name: str, encoding: str | None) -> tuple[str, list[str]]:
    if encoding is not None:
        try:
            return data.decode(encoding), []
        except LookupError as error:
            raise UserError(
                f"--encoding {encoding!r} is not known; try utf-8, cp1252 or utf-16"
            ) from error
        except UnicodeError as error:
            raise UserError(f"{name} cannot be read as {encoding}: {error}") from error
    for mark, of_mark in _MARKS.items():
        if data.startswith(mark):
            try:
                return data.decode(of_mark), []
            except UnicodeError as error:
                raise UserError(f"{name} begins like {of_mark}, but is not: {error}") from error
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        for fallback in ("cp1252", "latin-1"):
            try:
                text = data.decode(fallback)
            except UnicodeDecodeError:
                continue
            note = (
                f"{name} is not UTF-8 (line {line}): read as {fallback}; "
                "--encoding names another encoding"
            )
            return text, [note]
        raise AssertionError("latin-1 reads any bytes") from error


def _checked_separator(sep: str) -> str:
    separator = _NAMED.get(sep.lower(), sep)
    if len(separator) != 1 or separator in '"\r\n':
        raise UserError(f"--sep must be one character, or tab, found {sep!r}")
    return separator


def _sniffed(text: str) -> str:
    """The separator by which most of the first records have as many values as the header."""
    best, best_rank = ",", (0.0, 0)
    for separator in SEPARATORS:
        try:
            lengths = [
                len(record)
                for record in islice(_reader(text, separator), _SNIFFED_RECORDS)
                if record
            ]
        except csv.Error:
            continue
        if not lengths or lengths[0] < 2:
            continue
        counts = Counter(lengths[1:])
        # One value more than names: row names of R, or a separator at the end of each line.
        fitting = max(counts[lengths[0]], counts[lengths[0] + 1]) if counts else 0
        rank = (fitting / max(len(lengths) - 1, 1), lengths[0])
        if rank > best_rank:
            best, best_rank = separator, rank
    return best


def _reader(text: str, separator: str) -> Any:
    csv.field_size_limit(2**31 - 1)
    return csv.reader(StringIO(text, newline=""), delimiter=separator)


def _records(
    text: str, separator: str, name: str, first_line: int
) -> Iterator[tuple[int, list[str]]]:
    """Records that are not blank, each with the line on which it begins."""
    reader = _reader(text, separator)
    begins = first_line
    try:
        for record in reader:
            if record:
                yield begins, record
            begins = first_line + reader.line_num
    except csv.Error as error:
        raise UserError(f"{name}, line {begins}: {error}") from error


def _refuse_other_separator(header: str, separator: str, name: str) -> None:
    others = [other for other in SEPARATORS if other != separator and other in header]
    if others:
        other = max(others, key=header.count)
        named = SEPARATORS.get(separator, repr(separator))
        raise UserError(
            f"{name}, line 1: one column found with {named} as the separator, but the header "
            f"{_short(header)!r} contains {SEPARATORS[other]}: try --sep "
            + ("tab" if other == "\t" else f"'{other}'")
        )


def _as_columns(
    records: Iterator[tuple[int, list[str]]],
    header: list[str],
    header_line: int,
    name: str,
    separator: str,
    notes: list[str],
) -> Columns:
    import pyarrow as pa

    first = next(records, None)
    if first is None:
        raise UserError(f"{name} has a header and no rows below it")
    width = len(header) + (len(first[1]) == len(header) + 1)
    parts: list[list[Any]] = [[] for _ in range(width)]
    lines: list[int] = []
    rows: list[list[str]] = []

    def keep_rows() -> None:
        for part, texts in zip(parts, zip(*rows, strict=True), strict=True):
            part.append(pa.array(texts, pa.large_string()))
        rows.clear()

    for line, record in chain([first], records):
        if len(record) != width:
            named = SEPARATORS.get(separator, repr(separator))
            raise UserError(
                f"{name}, line {line}: {len(record)} values, but there are {len(header)} columns "
                f"in the header (line {header_line}; the separator is {named})"
            )
        rows.append(record)
        lines.append(line)
        if len(rows) == _ROWS_AT_ONCE:
            keep_rows()
    if rows:
        keep_rows()
    texts = [pa.chunked_array(part, pa.large_string()) for part in parts]
    names = list(header)
    if width > len(header):
        if set(texts[-1].unique().to_pylist()) <= {""}:
            texts.pop()
            notes = [
                *notes,
                f"{name}: a separator at the end of every row but the first is ignored",
            ]
        else:
            names = ["row_name", *names]
            notes = [
                *notes,
                f"{name}: the header has one name fewer than there are columns: the first column "
                "is used as the names of the rows",
            ]
    return Columns(tuple(names), tuple(texts), np.array(lines, dtype=np.int64), tuple(notes))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
