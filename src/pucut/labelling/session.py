"""State of a labelling session, and what an answer changes.

Answers go to the journal first. A background thread ranks the rows again whenever labels have
changed; until it is done, the previous ranking is used.
"""

import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.labelling.journal import (
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
from pucut.labelling.next_rows import (
    COUNT,
    FIND,
    IMPROVE,
    apart_from,
    at_random,
    blank_rows_come_first,
    highest,
    most_likely,
)
from pucut.labelling.probabilities import PlattScaling, calibrated
from pucut.labelling.ranking import is_blank, rank_scores, uncertainties
from pucut.labelling.remaining import Answer, Remaining, remaining
from pucut.labelling.rows import RowsToLabel

# Seconds for which a row that is shown in one window is not shown in another.
RESERVED_SECONDS = 600.0
# Rows that others are kept apart from, at most: each takes a product with all rows.
_MOST_APART = 5


@dataclass(frozen=True, eq=False)
class RowRanking:
    """Scores and uncertainties of all rows, and the number of labels they were learned from."""

    scores: FloatArray
    uncertainties: FloatArray
    calibration: PlattScaling | None
    n_labels: int


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

    # Answers

    def answer(
        self, key: str, who: str, action: str, row: int, *, note: str = "", goal: str = FIND
    ) -> None:
        """Keep an answer; when this returns, it is on the disk."""
        if action not in (YES, NO, SKIP, NOTE):
            raise SessionError(f"an answer must be yes, no, skip or note, found {action!r}")
        if not 0 <= row < len(self.rows):
            raise SessionError(f"row must be from 0 to {len(self.rows) - 1}, found {row}")
        with self._lock:
            self._keep(Entry(key, _now(), who, action, row, note, goal))

    def undo(self, key: str, who: str) -> int | None:
        """Undo the last answer of a person, and return its row; None if there is none."""
        with self._lock:
            done = next((entry for entry in self.journal.entries if entry.key == key), None)
            if done is not None:  # sent twice
                return done.row
            last = last_entry_of(who, self.journal.entries)
            if last is None:
                return None
            self._keep(Entry(key, _now(), who, UNDO, last.row, undone=last.key))
            return last.row

    def _keep(self, entry: Entry) -> None:
        if self.journal.append(entry):
            self._read_journal()
            self._wake.set()

    def _read_journal(self) -> None:
        self.answers: CurrentAnswers = current_answers(self.journal.entries)
        self.labels = self._known_labels()
        self._remaining: Remaining | None = None

    def remaining(self) -> Remaining:
        """Estimate the positives left, once after every answer."""
        with self._lock:
            if self._remaining is None:
                answers = [answer for _, answer in self.labels.answered]
                self._remaining = remaining(answers, len(self.rows) - self.rows.n_labelled)
            return self._remaining

    def _known_labels(self) -> KnownLabels:
        is_positive, is_negative = self.rows.is_positive.copy(), self.rows.is_negative.copy()
        labels = self.answers.labels
        answered: dict[int, Answer] = {}
        for entry in not_undone(self.journal.entries):
            known = is_positive[entry.row] or is_negative[entry.row]
            if entry.action in (YES, NO) and entry.row in labels and not known:
                answered.setdefault(entry.row, Answer(labels[entry.row], entry.goal))
        for row, label in labels.items():
            is_positive[row], is_negative[row] = label, not label
        return KnownLabels(is_positive, is_negative, tuple(answered.items()))

    # Ranking

    def _ranked(self, labels: KnownLabels) -> RowRanking:
        learned_from = self.rows.features, labels.is_positive, labels.is_negative, self.seed
        return RowRanking(
            rank_scores(*learned_from),
            uncertainties(*learned_from),
            calibrated(*learned_from),
            labels.n_known,
        )

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

    # Rows to show

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
            answers = [
                (row, answer.is_positive)
                for row, answer in self.labels.answered
                if answer.goal == FIND
            ]
            n_positive = int(self.labels.is_positive.sum())
            blank_first = blank_rows_come_first(answers, self._is_blank, n_positive)
            scores = self._kept_apart(self.ranking.scores)
            rows = most_likely(scores, is_free, self._is_blank, 1, blank_first=blank_first)
        else:
            raise SessionError(f"goal must be find, count or improve, found {goal!r}")
        return int(rows[0])

    def _kept_apart(self, scores: FloatArray) -> FloatArray:
        """Lower the scores of rows similar to those shown, or answered since the last ranking."""
        n_learned = self.ranking.n_labels - self.rows.n_labelled
        recent = [row for row, _ in self.labels.answered[n_learned:]]
        shown = [row for row, _ in self._shown.values()]
        others = {*recent[-_MOST_APART:], *shown[-_MOST_APART:]}
        return apart_from(sorted(others), scores, self.rows.similar_to)

    def probability(self, row: int) -> float | None:
        calibration = self.ranking.calibration
        if calibration is None or self._is_blank[row]:
            return None
        return float(calibration.probabilities(self.ranking.scores[[row]])[0])

    def rank(self, row: int) -> int:
        """Return the place of a row among those without a label, from 1."""
        scores = self.ranking.scores
        return 1 + int((scores[self.labels.is_free] > scores[row]).sum())

    def nearest(self, row: int) -> list[tuple[int, bool]]:
        """Return the most similar known positive and the most similar known negative."""
        similar = self.rows.similar_to(row)
        pairs = []
        for is_positive in (True, False):
            of_class = self.labels.is_positive if is_positive else self.labels.is_negative
            others = np.flatnonzero(of_class & (np.arange(len(of_class)) != row))
            if len(others):
                pairs.append((int(others[np.argmax(similar[others])]), is_positive))
        return pairs

    def curve(self) -> list[int]:
        """Return the number of positives after each answer."""
        return [int(n) for n in np.cumsum([each.is_positive for _, each in self.labels.answered])]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
