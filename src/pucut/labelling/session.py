"""State of a labelling session, what an answer changes, and what the page shows of it.

Answers go to the journal first. A background thread ranks the rows after each; until it is done,
the previous ranking is used.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.labelling.journal import (
    COUNT,
    FIND,
    IMPROVE,
    NO,
    NOTE,
    SKIP,
    UNDO,
    YES,
    CurrentAnswers,
    Entry,
    Journal,
    current_answers,
    last_entry_of,
    not_undone,
)
from pucut.labelling.ranking import (
    PlattScaling,
    apart_from,
    at_random,
    blank_rows_come_first,
    calibrated,
    highest,
    is_blank,
    most_likely,
    rank_scores,
    uncertainties,
)
from pucut.labelling.remaining import Answer, Remaining, remaining, sentence
from pucut.labelling.rows import RowsToLabel, differing_columns, kind_of_cell

# Sizes of a card and of the status: points of the curve, columns that differ, letters of a heading.
_MOST_POINTS = 200
_MOST_COLUMNS = 6
_HEADING_LETTERS = 120
# Seconds for which a row that is shown in one window is not shown in another.
RESERVED_SECONDS = 600.0
# Rows that others are kept apart from, at most: each takes a product with all rows.
_MOST_APART = 5


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """Labels of the table, and of answers on which people agree."""

    is_positive: BoolArray
    is_negative: BoolArray
    answered: tuple[tuple[int, Answer], ...]  # rows in the order of their first answers

    @property
    def is_free(self) -> BoolArray:
        return ~(self.is_positive | self.is_negative)

    @property
    def n_known(self) -> int:
        return int(self.is_positive.sum() + self.is_negative.sum())

    def changed_since(self, other: "KnownLabels") -> BoolArray:
        """Return the rows whose labels differ from these others."""
        is_same = (self.is_positive == other.is_positive) & (self.is_negative == other.is_negative)
        return np.asarray(~is_same)


@dataclass(frozen=True, eq=False)
class RowRanking:
    """Scores and uncertainties of all rows, and the labels they were learned from."""

    scores: FloatArray
    uncertainties: FloatArray
    calibration: PlattScaling | None
    labels: KnownLabels


@dataclass(frozen=True)
class Export:
    """A download: what it is, its media type, and the function that makes it."""

    about: str
    kind: str
    make: Callable[[], bytes]


class SessionError(ValueError):
    """An answer that is refused; the text gives the reason."""


class Session:
    """One table, one journal, any number of windows. Methods may be called from any thread."""

    def __init__(self, rows: RowsToLabel, journal: Journal, *, seed: int = 0) -> None:
        self.rows, self.journal, self.seed = rows, journal, seed
        self._lock = threading.RLock()
        self._is_blank = is_blank(rows.features.X)
        self._shown: dict[str, tuple[int, float]] = {}
        self._wake, self._stopped = threading.Event(), False
        self.failure = ""
        self._read_journal()
        self.ranking = self._ranked(self.labels)
        self._thread = threading.Thread(target=self._keep_ranking, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stopped = True
        self._wake.set()
        self._thread.join()

    def answer(
        self, key: str, who: str, action: str, row: int, *, note: str = "", goal: str = FIND
    ) -> None:
        """Keep an answer; when this returns, it is on the disk."""
        if action not in (YES, NO, SKIP, NOTE):
            raise SessionError(f"an answer must be yes, no, skip or note, found {action!r}")
        if not 0 <= row < len(self.rows):
            raise SessionError(f"row must be from 0 to {len(self.rows) - 1}, found {row}")
        with self._lock:
            self._keep(key, who, action, row, note=note, goal=goal)

    def undo(self, key: str, who: str) -> int | None:
        """Undo the last answer of a person, and return its row; None if there is none."""
        with self._lock:
            done = next((entry for entry in self.journal.entries if entry.key == key), None)
            last = done or last_entry_of(who, self.journal.entries)
            if last is not None and done is None:  # not sent twice
                self._keep(key, who, UNDO, last.row, undone=last.key)
            return None if last is None else last.row

    def _keep(self, key: str, who: str, action: str, row: int, **others: str) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        if self.journal.append(Entry(key, now, who, action, row, **others)):
            self._read_journal()
            self._wake.set()

    def _read_journal(self) -> None:
        self.answers: CurrentAnswers = current_answers(self.journal.entries)
        self._remaining: Remaining | None = None
        is_positive, is_negative = self.rows.is_positive.copy(), self.rows.is_negative.copy()
        is_known, labels = is_positive | is_negative, self.answers.labels
        answered: dict[int, Answer] = {}
        for entry in not_undone(self.journal.entries):
            if entry.action in (YES, NO) and entry.row in labels and not is_known[entry.row]:
                answered.setdefault(entry.row, Answer(labels[entry.row], entry.goal))
        for row, label in labels.items():
            is_positive[row], is_negative[row] = label, not label
        self.labels = KnownLabels(is_positive, is_negative, tuple(answered.items()))

    def remaining(self) -> Remaining:
        """Estimate the positives left, once after every answer."""
        with self._lock:
            if self._remaining is None:
                answers = [answer for _, answer in self.labels.answered]
                self._remaining = remaining(answers, len(self.rows) - self.rows.n_labelled)
            return self._remaining

    def _ranked(self, labels: KnownLabels) -> RowRanking:
        learned_from = self.rows.features, labels.is_positive, labels.is_negative, self.seed
        scores, uncertain = rank_scores(*learned_from), uncertainties(*learned_from)
        return RowRanking(scores, uncertain, calibrated(*learned_from), labels)

    def _keep_ranking(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._stopped:
                return
            with self._lock:
                labels = self.labels
            try:
                self.ranking = self._ranked(labels)
                self.failure = ""
            except Exception as error:  # the page keeps the ranking it has, and shows the error
                self.failure = f"{type(error).__name__}: {error}"

    def next_row(self, client: str, goal: str, now: float | None = None) -> int | None:
        """Return the row to show in a window next, or None if every row is answered.

        Rows shown in other windows are reserved for a while. Rows that somebody skipped come again
        when nothing else is left.
        """
        now = time.monotonic() if now is None else now
        with self._lock:
            self._shown = {
                other: (row, since)
                for other, (row, since) in self._shown.items()
                if other != client and now - since < RESERVED_SECONDS
            }
            is_free = self.labels.is_free
            is_free[[row for row, _ in self._shown.values()]] = False
            is_fresh = is_free.copy()
            is_fresh[list(self.answers.by_row)] = False
            row = self._first(is_fresh if is_fresh.any() else is_free, goal)
            if row is not None:
                self._shown[client] = (row, now)
            return row

    def _first(self, is_free: BoolArray, goal: str) -> int | None:
        if not is_free.any():
            return None
        if goal == COUNT:
            rows = at_random(is_free, 1, self.seed + len(self.labels.answered))
        elif goal == IMPROVE:
            rows = highest(self._kept_apart(self.ranking.uncertainties), is_free, 1)
        elif goal == FIND:
            answered = self.labels.answered
            found = [(row, each.is_positive) for row, each in answered if each.goal == FIND]
            n_positive = int(self.labels.is_positive.sum())
            blank_first = blank_rows_come_first(found, self._is_blank, n_positive)
            scores = self._kept_apart(self.ranking.scores)
            rows = most_likely(scores, is_free, self._is_blank, 1, blank_first=blank_first)
        else:
            raise SessionError(f"goal must be find, count or improve, found {goal!r}")
        return int(rows[0])

    def _kept_apart(self, scores: FloatArray) -> FloatArray:
        """Lower the scores of rows similar to those shown, or answered since the last ranking."""
        is_new = self.labels.changed_since(self.ranking.labels)
        recent = [row for row, _ in self.labels.answered if is_new[row]]
        shown = [row for row, _ in self._shown.values()]
        others = {*recent[-_MOST_APART:], *shown[-_MOST_APART:]}
        return apart_from(sorted(others), scores, self.rows.similar_to)

    def probability(self, row: int) -> float | None:
        calibration = self.ranking.calibration
        if calibration is None or self._is_blank[row]:
            return None
        return float(calibration.probabilities(self.ranking.scores[[row]])[0])

    def nearest(self, row: int) -> list[tuple[int, bool]]:
        """Return the most similar known positive and the most similar known negative."""
        similar = self.rows.similar_to(row)
        labels, pairs = self.labels, []
        for of_class, is_positive in ((labels.is_positive, True), (labels.is_negative, False)):
            others = np.flatnonzero(of_class)
            others = others[others != row]
            if len(others):
                pairs.append((int(others[np.argmax(similar[others])]), is_positive))
        return pairs


def row_card(session: Session, row: int) -> dict[str, Any]:
    """Describe a row for the page. Rows are counted from 0, `number` from 1."""
    rows, answers, scores = session.rows, session.answers, session.ranking.scores
    return {
        "row": row,
        "number": row + 1,
        "cells": [
            {"name": name, "kind": kind_of_cell(rows, row, place), "text": rows.cell(row, place)}
            for place, name in enumerate(rows.columns)
        ],
        "probability": session.probability(row),
        "rank": 1 + int((scores[session.labels.is_free] > scores[row]).sum()),
        "n_ranked": len(rows) - session.labels.n_known,
        "nearest": [
            _neighbour(rows, row, other, is_positive) for other, is_positive in session.nearest(row)
        ],
        "said": answers.by_row.get(row, {}),
        "notes": [list(note) for note in answers.notes.get(row, ())],
    }


def _neighbour(rows: RowsToLabel, row: int, other: int, is_positive: bool) -> dict[str, Any]:
    differs = differing_columns(rows, row, other)
    return {
        "row": other,
        "number": other + 1,
        "answer": YES if is_positive else NO,
        "heading": heading(rows, other),
        "differs": differs[:_MOST_COLUMNS],
        "n_differ": len(differs),
    }


def session_status(session: Session) -> dict[str, Any]:
    """Describe the session: counts, positives left, the curve, and disagreements."""
    answers = session.answers
    labels, by_row = answers.labels, answers.by_row
    left, n_yes = session.remaining(), sum(labels.values())
    positives = [int(answer.is_positive) for _, answer in session.labels.answered]
    n_new = int(session.labels.changed_since(session.ranking.labels).sum())
    return {
        "table": session.rows.name,
        "n_rows": len(session.rows),
        "n_known": session.rows.n_labelled,
        "n_yes": n_yes,
        "n_no": len(labels) - n_yes,
        "n_skipped": sum(set(by_person.values()) == {SKIP} for by_person in by_row.values()),
        "sentence": sentence(left, n_yes, len(positives)),
        "left": [left.low, left.left, left.high],
        "curve": thinned(np.cumsum(positives).tolist()),
        "disagreements": [
            {"row": row, "number": row + 1, "said": by_row[row]} for row in answers.disagreements
        ],
        "people": sorted({who for by_person in by_row.values() for who in by_person}),
        "ranked_with": session.labels.n_known - n_new,
        "n_labels": session.labels.n_known,
        "failure": session.failure,
    }


def heading(rows: RowsToLabel, row: int) -> str:
    """Return the beginning of a row's first text, or of its first cells."""
    texts = [
        cells[row]
        for name, cells in zip(rows.columns, rows.cells, strict=True)
        if name in rows.text_columns and cells[row].strip()
    ]
    chosen = texts[0] if texts else ", ".join(cells[row] for cells in rows.cells[:4])
    whole = " ".join(chosen.split())
    return whole if len(whole) <= _HEADING_LETTERS else whole[: _HEADING_LETTERS - 1] + "…"


def thinned(curve: list[int]) -> list[list[int]]:
    """Return points (answers, positives), at most a few hundred, the last one always."""
    step = max(1, -(-len(curve) // _MOST_POINTS))
    places = sorted({*range(0, len(curve), step), len(curve) - 1} - {-1})
    return [[place + 1, curve[place]] for place in places]
