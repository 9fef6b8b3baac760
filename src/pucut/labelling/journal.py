"""The journal of a labelling session: who said what of which row, one JSON object a line.

The file is only ever appended to, and a line is on the disk before anybody is told that it was
kept. A process killed while it wrote leaves at most one unfinished line at the end, which nobody
was told of: it is cut off when the journal is opened again. Nothing is deleted by taking an answer
back: that is a line too.
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pucut._support.locks import lock

SCHEMA = "pucut-labels-1"
YES, NO, SKIP, NOTE, UNDO = "yes", "no", "skip", "note", "undo"
ACTIONS = (YES, NO, SKIP, NOTE, UNDO)


class JournalError(ValueError):
    """A journal that cannot be used: of another table, in use, or not a journal."""


@dataclass(frozen=True)
class Entry:
    """One line.

    Attributes
    ----------
    key : str
        Made by the page: the same key is kept once, even if it is sent twice.
    time : str
        ISO 8601, UTC.
    who : str
    action : {"yes", "no", "skip", "note", "undo"}
    row : int
        Counted from 0.
    note : str
    goal : str
        What the row was shown for: see `next_rows`.
    undone : str
        Of "undo": the key of the entry that it takes back.
    """

    key: str
    time: str
    who: str
    action: str
    row: int
    note: str = ""
    goal: str = ""
    undone: str = ""


@dataclass(frozen=True)
class About:
    """The table a journal belongs to, by its content."""

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
            self._lock()
            self.entries = self._read(about)
        except BaseException:
            os.close(self._file)
            raise
        self._keys = {entry.key for entry in self.entries}

    def append(self, entry: Entry) -> bool:
        """Whether it is new; in either case it is on the disk when this returns."""
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

    def _lock(self) -> None:
        try:
            lock(self._file)
        except OSError as error:
            raise JournalError(
                f"{self.path} is in use: another `pucut label` has this table open"
            ) from error

    def _read(self, about: About) -> list[Entry]:
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            os.ftruncate(self._file, len(whole))
        lines = whole.splitlines()
        if not lines:
            self._write({"schema": SCHEMA, **asdict(about)})
            return []
        self._check(_object(lines[0], self.path, 1), about)
        return [
            _entry(_object(line, self.path, number), about, f"{self.path}, line {number}")
            for number, line in enumerate(lines[1:], start=2)
        ]

    def _check(self, head: dict[str, Any], about: About) -> None:
        if head.get("schema") != SCHEMA:
            raise JournalError(f"{self.path} is not a journal of `pucut label` ({SCHEMA})")
        for name, wanted in asdict(about).items():
            if name != "table" and head.get(name) != wanted:
                raise JournalError(
                    f"{self.path} belongs to another state of the table: its {name} is "
                    f"{head.get(name)!r}, and that of the table is {wanted!r}. Name another "
                    "journal with --journal, or give back the table it was written for"
                )

    def _write(self, value: dict[str, Any]) -> None:
        line = json.dumps(value, ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"
        if os.write(self._file, line) != len(line):
            raise OSError(f"{self.path} could not be written whole: is the disk full?")
        os.fsync(self._file)


def _object(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise JournalError(f"{path}, line {number} is not an object of JSON: {line[:60]!r}")
    return found


def _entry(found: dict[str, Any], about: About, where: str) -> Entry:
    try:
        entry = Entry(**found)
    except TypeError as error:
        raise JournalError(f"{where} is not an entry: {error}") from error
    if entry.action not in ACTIONS or not isinstance(entry.row, int):
        raise JournalError(f"{where} is not an entry: action {entry.action!r}, row {entry.row!r}")
    if not 0 <= entry.row < about.n_rows:
        raise JournalError(f"{where}: row {entry.row} is not of 0 to {about.n_rows - 1}")
    return entry


@dataclass(frozen=True)
class Answers:
    """What the entries amount to.

    Attributes
    ----------
    said : dict of row to dict of person to "yes", "no" or "skip"
        The last answer of each, without those taken back.
    notes : dict of row to tuple of (person, text)
    """

    said: dict[int, dict[str, str]]
    notes: dict[int, tuple[tuple[str, str], ...]]

    def label(self, row: int) -> bool | None:
        """True or False where all who answered agree; skipping is no answer."""
        found = {answer for answer in self.said.get(row, {}).values() if answer != SKIP}
        return None if len(found) != 1 else found == {YES}

    @property
    def labels(self) -> dict[int, bool]:
        labels = {row: self.label(row) for row in self.said}
        return {row: label for row, label in labels.items() if label is not None}

    @property
    def disagreements(self) -> list[int]:
        """Rows of which some say yes and others no."""
        return sorted(row for row, said in self.said.items() if {YES, NO} <= set(said.values()))


def answers_of(entries: Iterable[Entry]) -> Answers:
    entries = standing(entries)
    said: dict[int, dict[str, str]] = {}
    notes: dict[int, tuple[tuple[str, str], ...]] = {}
    for entry in entries:
        if entry.action in (YES, NO, SKIP):
            said.setdefault(entry.row, {})[entry.who] = entry.action
        if entry.note:
            notes[entry.row] = (*notes.get(entry.row, ()), (entry.who, entry.note))
    return Answers(said, notes)


def standing(entries: Iterable[Entry]) -> list[Entry]:
    """Those that were not taken back, in their order."""
    entries = list(entries)
    undone = {entry.undone for entry in entries if entry.action == UNDO}
    return [entry for entry in entries if entry.action != UNDO and entry.key not in undone]


def last_of(entries: Sequence[Entry], who: str) -> Entry | None:
    """What a person would take back next."""
    own = [entry for entry in standing(entries) if entry.who == who]
    return own[-1] if own else None
