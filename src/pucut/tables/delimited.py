"""Delimited text (CSV, TSV) as columns of texts: encoding, separator, and rows that do not fit."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut.tables.errors import TableError

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
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True, eq=False)
class FileTexts:
    """The content of a file: names of columns, Arrow columns, and what the user should know of it.

    `lines` are the lines of the file on which rows begin; `elsewhere` has names of columns that are
    in other sheets, and where they are.
    """

    names: Sequence[str]
    texts: Sequence[Any]
    lines: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    notes: Sequence[str] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict)


def read_delimited(
    data: bytes, name: str, *, sep: str | None = None, encoding: str | None = None
) -> FileTexts:
    """Read the bytes of a file called `name`; a separator or encoding not given is detected."""
    if encoding is None:
        _refuse_other_things(data, name)
    text, notes = _decoded(data, name, encoding)
    first_line = 1
    named = re.match(r"sep=(.)\r?\n", text)  # a line Excel writes and reads
    if named is not None:
        sep, text, first_line = sep or named[1], text[named.end() :], 2
    if not text.strip():
        raise TableError(f"{name} is empty: a table with a header line is needed")
    separator = _sniffed(text) if sep is None else _NAMED.get(sep.lower(), sep)
    if len(separator) != 1 or separator in '"\r\n':
        raise TableError(f"--sep must be one character, or tab, found {sep!r}")
    records = _records(text, separator, name, first_line)
    header_line, header = next(records)
    called = SEPARATORS.get(separator, repr(separator))
    if len(header) == 1:
        _refuse_other_separator(header[0], separator, called, name)
    first = next(records, None)
    if first is None:
        raise TableError(f"{name} has a header and no rows below it")
    width = len(header) + (len(first[1]) == len(header) + 1)
    lines: list[int] = []

    def rows() -> Iterator[list[str]]:
        for line, record in chain([first], records):
            if len(record) != width:
                raise TableError(
                    f"{name}, line {line}: {len(record)} values, but there are {len(header)} "
                    f"columns in the header (line {header_line}; the separator is {called})"
                )
            lines.append(line)
            yield record

    texts = _arrow_columns(rows(), width)
    if width > len(header):
        if set(texts[-1].unique().to_pylist()) <= {""}:
            texts.pop()
            note = "a separator at the end of every row but the first is ignored"
        else:
            header = ["row_name", *header]
            note = (
                "the header has one name fewer than there are columns: the first column is used "
                "as the names of the rows"
            )
        notes.append(f"{name}: {note}")
    return FileTexts(header, texts, np.array(lines, dtype=np.int64), notes)


def _refuse_other_separator(header: str, separator: str, called: str, name: str) -> None:
    others = [other for other in SEPARATORS if other != separator and other in header]
    if others:
        other = max(others, key=header.count)
        start = header if len(header) <= 60 else f"{header[:57]}..."
        raise TableError(
            f"{name}, line 1: one column found with {called} as the separator, but the header "
            f"{start!r} contains {SEPARATORS[other]}: try --sep "
            + ("tab" if other == "\t" else f"'{other}'")
        )


def _refuse_other_things(data: bytes, name: str) -> None:
    """Refuse binary data and other kinds of text, which would be read as a column of junk."""
    start = data[:_LOOKED_AT]
    if start.startswith(tuple(_MARKS)):
        return
    head = start.lstrip()[:100].lower()
    for signs, what in _OTHER_THINGS.items():
        if head.startswith(signs):
            raise TableError(f"{name} is not a table but {what}")
    n_control = sum(start.count(bytes([code])) for code in _CONTROL)
    if b"\0" in start or n_control > _MOST_CONTROL * len(start):
        why = "it holds binary data; if it is text, --encoding names its encoding"
        raise TableError(f"{name} is not a table: {why}")


def _decoded(data: bytes, name: str, encoding: str | None) -> tuple[str, list[str]]:
    """Return the text, and notes on its encoding."""
    marked = next((kind for mark, kind in _MARKS.items() if data.startswith(mark)), None)
    try:
        return data.decode(encoding or marked or "utf-8"), []
    except LookupError as error:
        known = "try utf-8, cp1252 or utf-16"
        raise TableError(f"--encoding {encoding!r} is not known; {known}") from error
    except UnicodeError as error:
        if encoding is not None:
            raise TableError(f"{name} cannot be read as {encoding}: {error}") from error
        if marked is not None:
            raise TableError(f"{name} begins like {marked}, but is not: {error}") from error
        line = data.count(b"\n", 0, error.start) + 1  # type: ignore[attr-defined]
    try:
        text, fallback = data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        text, fallback = data.decode("latin-1"), "latin-1"  # which reads any bytes
    how = f"read as {fallback}; --encoding names another encoding"
    return text, [f"{name} is not UTF-8 (line {line}): {how}"]


def _sniffed(text: str) -> str:
    """Return the separator by which most of the first records have as many values as the header."""
    ranks = {",": (0.0, 0)}
    for separator in SEPARATORS:
        try:
            records = islice(_reader(text, separator), _SNIFFED_RECORDS)
            lengths = [len(record) for record in records if record]
        except csv.Error:
            continue
        if not lengths or lengths[0] < 2:
            continue
        counts = Counter(lengths[1:])
        # One value more than names: row names of R, or a separator at the end of each line.
        fitting = max(counts[lengths[0]], counts[lengths[0] + 1])
        ranks[separator] = (fitting / max(len(lengths) - 1, 1), lengths[0])
    return max(ranks, key=ranks.__getitem__)


def _reader(text: str, separator: str) -> Any:
    csv.field_size_limit(2**31 - 1)
    return csv.reader(StringIO(text, newline=""), delimiter=separator)


def _records(
    text: str, separator: str, name: str, first_line: int
) -> Iterator[tuple[int, list[str]]]:
    """Iterate over records that are not blank, each with the line on which it begins."""
    reader = _reader(text, separator)
    begins = first_line
    try:
        for record in reader:
            if record:
                yield begins, record
            begins = first_line + reader.line_num
    except csv.Error as error:
        raise TableError(f"{name}, line {begins}: {error}") from error


def _arrow_columns(rows: Iterator[list[str]], width: int) -> list[Any]:
    import pyarrow as pa

    parts: list[list[Any]] = [[] for _ in range(width)]
    while some := list(islice(rows, _ROWS_AT_ONCE)):
        for part, texts in zip(parts, zip(*some, strict=True), strict=True):
            part.append(pa.array(texts, pa.large_string()))
    return [pa.chunked_array(part, pa.large_string()) for part in parts]
