"""Journal of a labelling session: one JSON object a line, for each answer of each person.

Lines are only ever appended, and each is on the disk before it is confirmed. An unfinished line at
the end, which was never confirmed, is cut off when the journal is opened again. Undoing an answer
adds a line.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pucut._support.files import lock

SCHEMA = "pucut-labels-1"
YES, NO, SKIP, NOTE, UNDO = "yes", "no", "skip", "note", "undo"
ACTIONS = (YES, NO, SKIP, NOTE, UNDO)
# Goals of a labelling, which `ranking` describes.
FIND, COUNT, IMPROVE = "find", "count", "improve"
GOALS = (FIND, COUNT, IMPROVE)


class JournalError(ValueError):
    """A journal that cannot be used: of another table, in use, or not a journal."""


@dataclass(frozen=True)
class Entry:
    """One line."""

    key: str  # made by the page; an entry that is sent twice has the same key and is kept once
    time: str  # ISO 8601, UTC
    who: str
    action: str  # one of ACTIONS
    row: int  # counted from 0
    note: str = ""
    goal: str = ""  # one of GOALS, for which the row was shown
    undone: str = ""  # key of the entry that an "undo" takes back


@dataclass(frozen=True)
class About:
    """The table of a journal, identified by its content."""

    table: str
    sha256: str
    n_rows: int
    label_column: str


class Journal:
    """An open journal; `with` closes it. Only one process at a time can have it open."""

    def __init__(self, path: Path, about: About) -> None:
        self.path = path
        binary = getattr(os, "O_BINARY", 0)  # else Windows writes lines with two signs at the end
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | binary, 0o666)
        try:
            try:
                lock(self._file)
            except OSError as error:
                raise JournalError(
                    f"{self.path} is in use: another `pucut label` has this table open"
                ) from error
            self.entries = self._read(about)
        except BaseException:
            os.close(self._file)
            raise
        self._keys = {entry.key for entry in self.entries}

    def append(self, entry: Entry) -> bool:
        """Put an entry on the disk, and return whether it is new."""
        if entry.key in self._keys:
            return False
        self._write(asdict(entry))
        self._keys.add(entry.key)
        self.entries.append(entry)
        return True

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _read(self, about: About) -> list[Entry]:
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            os.ftruncate(self._file, len(whole))
        lines = whole.splitlines()
        if not lines:
            self._write({"schema": SCHEMA, **asdict(about)})
            return []
        head = _object(lines[0], f"{self.path}, line 1")
        if head.get("schema") != SCHEMA:
            raise JournalError(f"{self.path} is not a journal of `pucut label` ({SCHEMA})")
        for name, wanted in asdict(about).items():
            if name != "table" and head.get(name) != wanted:
                raise JournalError(
                    f"{self.path} belongs to another state of the table: its {name} is "
                    f"{head.get(name)!r}, and that of the table is {wanted!r}. Name another "
                    "journal with --journal, or give back the table it was written for"
                )
        return [
            _entry(line, about, f"{self.path}, line {number}")
            for number, line in enumerate(lines[1:], start=2)
        ]

    def _write(self, value: dict[str, Any]) -> None:
        line = json.dumps(value, ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"
        if os.write(self._file, line) != len(line):
            raise OSError(f"{self.path} could not be written whole: is the disk full?")
        os.fsync(self._file)


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise JournalError(f"{where} is not an object of JSON: {line[:60]!r}")
    return value


def _entry(line: bytes, about: About, where: str) -> Entry:
    fields = _object(line, where)
    try:
        entry = Entry(**fields)
    except TypeError as error:
        raise JournalError(f"{where} is not an entry: {error}") from error
    if entry.action not in ACTIONS or not isinstance(entry.row, int):
        raise JournalError(f"{where} is not an entry: action {entry.action!r}, row {entry.row!r}")
    if not 0 <= entry.row < about.n_rows:
        raise JournalError(f"{where}: row {entry.row} is not of 0 to {about.n_rows - 1}")
    return entry


@dataclass(frozen=True)
class CurrentAnswers:
    """Last answers of all people, without those that were undone."""

    by_row: dict[int, dict[str, str]]  # by row and person: "yes", "no" or "skip"
    notes: dict[int, tuple[tuple[str, str], ...]]  # by row: (person, text)

    @property
    def labels(self) -> dict[int, bool]:
        """True or False where all who answered agree; skipping is no answer."""
        classes = {row: set(by.values()) - {SKIP} for row, by in self.by_row.items()}
        return {row: found == {YES} for row, found in classes.items() if len(found) == 1}

    @property
    def disagreements(self) -> list[int]:
        """Rows with different answers."""
        return sorted(row for row, by in self.by_row.items() if {YES, NO} <= set(by.values()))


def current_answers(entries: Sequence[Entry]) -> CurrentAnswers:
    by_row: dict[int, dict[str, str]] = {}
    notes: dict[int, tuple[tuple[str, str], ...]] = {}
    for entry in not_undone(entries):
        if entry.action in (YES, NO, SKIP):
            by_row.setdefault(entry.row, {})[entry.who] = entry.action
        if entry.note:
            notes[entry.row] = (*notes.get(entry.row, ()), (entry.who, entry.note))
    return CurrentAnswers(by_row, notes)


def not_undone(entries: Sequence[Entry]) -> list[Entry]:
    undone = {entry.undone for entry in entries if entry.action == UNDO}
    return [entry for entry in entries if entry.action != UNDO and entry.key not in undone]


def last_entry_of(who: str, entries: Sequence[Entry]) -> Entry | None:
    """Return the entry that a person would undo next."""
    return next((entry for entry in reversed(not_undone(entries)) if entry.who == who), None)
