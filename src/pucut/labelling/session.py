"""What a labelling session knows, and what it does with an answer.

Answers go to the journal first. A thread of its own ranks the rows again whenever labels have
changed; until it is done, the ranking before that serves.
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
    Answers,
    Entry,
    Journal,
    answers_of,
    last_of,
    standing,
)
from pucut.labelling.next_rows import (
    COUNT,
    FIND,
    IMPROVE,
    apart_from,
    at_random,
    blank_rows_come_first,
    least_sure,
    most_likely,
)
from pucut.labelling.probabilities import Calibration, calibrated
from pucut.labelling.ranking import doubts, is_blank, rank_scores
from pucut.labelling.remaining import Asked, Remaining, remaining
from pucut.labelling.rows import Rows

# A row that is shown in one window is not shown in another for so many seconds.
RESERVED_SECONDS = 600.0
# Only the last of them are kept apart: every one takes a product with all rows.
_MOST_SPREAD = 5


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores and doubts of all rows, and from how many labels they were learned."""

    scores: FloatArray
    doubts: FloatArray
    calibration: Calibration | None
    n_labels: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Labels:
    """What is known now: by the table, and by answers on which people agree."""

    is_positive: BoolArray
    is_negative: BoolArray
    asked: tuple[tuple[int, Asked], ...]  # rows in the order of their first answers

    @property
    def n_known(self) -> int:
        return int(self.is_positive.sum() + self.is_negative.sum())


class SessionError(ValueError):
    """An answer that cannot be taken; the text says why."""


class Session:
    """One table, one journal, any number of windows. Methods may be called from any thread."""

    def __init__(self, rows: Rows, journal: Journal, *, seed: int = 0) -> None:
        self.rows, self.journal, self.seed = rows, journal, seed
        self._lock = threading.RLock()
        self._is_blank = is_blank(rows.features.X)
        self._n_before = int(rows.is_positive.sum() + rows.is_negative.sum())
        self._shown: dict[str, tuple[int, float]] = {}
        self._wake, self._stopped = threading.Event(), False
        self._renewed = threading.Condition()
        self.failure = ""
        self._take_stock()
        self.ranking = self._ranked(self.labels)
        self._thread = threading.Thread(target=self._keep_ranking, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stopped = True
        self._wake.set()
        self._thread.join()

    def wait(self, seconds: float) -> None:
        """Until the ranking is renewed, or so many seconds have passed."""
        with self._renewed:
            self._renewed.wait(seconds)

    # Answers

    def answer(
        self, key: str, who: str, action: str, row: int, *, note: str = "", goal: str = FIND
    ) -> None:
        """Keeps an answer; when this returns, it is on the disk."""
        if action not in (YES, NO, SKIP, NOTE):
            raise SessionError(f"an answer must be yes, no, skip or note, found {action!r}")
        if not 0 <= row < len(self.rows):
            raise SessionError(f"row must be from 0 to {len(self.rows) - 1}, found {row}")
        with self._lock:
            self._keep(Entry(key, _now(), who, action, row, note, goal))

    def undo(self, key: str, who: str) -> int | None:
        """Takes back the last answer of a person; the row it was about, or None."""
        with self._lock:
            done = next((entry for entry in self.journal.entries if entry.key == key), None)
            if done is not None:  # sent twice
                return done.row
            last = last_of(self.journal.entries, who)
            if last is None:
                return None
            self._keep(Entry(key, _now(), who, UNDO, last.row, undone=last.key))
            return last.row

    def _keep(self, entry: Entry) -> None:
        if self.journal.append(entry):
            self._take_stock()
            self._wake.set()

    def _take_stock(self) -> None:
        self.answers: Answers = answers_of(self.journal.entries)
        self.labels = self._labels()
        self._remaining: Remaining | None = None

    def remaining(self) -> Remaining:
        """Computed when it is asked for, once after every answer."""
        with self._lock:
            if self._remaining is None:
                asked = [asked for _, asked in self.labels.asked]
                self._remaining = remaining(asked, len(self.rows) - self._n_before)
            return self._remaining

    def _labels(self) -> Labels:
        is_positive, is_negative = self.rows.is_positive.copy(), self.rows.is_negative.copy()
        labels = self.answers.labels
        asked: dict[int, Asked] = {}
        for entry in standing(self.journal.entries):
            known = is_positive[entry.row] or is_negative[entry.row]
            if entry.action in (YES, NO) and entry.row in labels and not known:
                asked.setdefault(entry.row, Asked(labels[entry.row], entry.goal))
        for row, label in labels.items():
            is_positive[row], is_negative[row] = label, not label
        return Labels(is_positive, is_negative, tuple(asked.items()))

    # Ranking

    def _ranked(self, labels: Labels) -> Ranking:
        begun = time.perf_counter()
        known = (labels.is_positive, labels.is_negative)
        features, seed = self.rows.features, self.seed
        scores = rank_scores(features, *known, seed)
        in_doubt = doubts(features, *known, seed)
        calibration = calibrated(features, *known, seed)
        seconds = time.perf_counter() - begun
        return Ranking(scores, in_doubt, calibration, labels.n_known, seconds)

    def _keep_ranking(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._stopped:
                return
            with self._lock:
                labels = self.labels
            try:
                ranking = self._ranked(labels)
            except Exception as error:  # the page goes on with the ranking it has, and says so
                self.failure = f"{type(error).__name__}: {error}"
                continue
            self.failure = ""
            self.ranking = ranking
            with self._renewed:
                self._renewed.notify_all()

    # What to look at

    def next_row(self, client: str, goal: str, now: float | None = None) -> int | None:
        """The row to show in a window next, or None if every row is answered.

        Rows shown in other windows are left to them for a while. Rows that somebody skipped come
        again when nothing else is left.
        """
        now = time.monotonic() if now is None else now
        with self._lock:
            self._shown = {
                other: (row, since)
                for other, (row, since) in self._shown.items()
                if other != client and now - since < RESERVED_SECONDS
            }
            is_free = ~(self.labels.is_positive | self.labels.is_negative)
            is_free[[row for row, _ in self._shown.values()]] = False
            is_fresh = is_free.copy()
            is_fresh[list(self.answers.said)] = False
            row = self._first(is_fresh if is_fresh.any() else is_free, goal)
            if row is not None:
                self._shown[client] = (row, now)
            return row

    def _first(self, is_free: BoolArray, goal: str) -> int | None:
        if not is_free.any():
            return None
        if goal == COUNT:
            rows = at_random(is_free, 1, self.seed + len(self.labels.asked))
        elif goal == IMPROVE:
            rows = least_sure(self._spread(self.ranking.doubts), is_free, 1)
        elif goal == FIND:
            scores = self._spread(self.ranking.scores)
            answers = [
                (row, asked.is_positive) for row, asked in self.labels.asked if asked.goal == FIND
            ]
            n_positive = int(self.labels.is_positive.sum())
            blank_first = blank_rows_come_first(answers, self._is_blank, n_positive)
            rows = most_likely(scores, is_free, self._is_blank, 1, blank_first=blank_first)
        else:
            raise SessionError(f"goal must be find, count or improve, found {goal!r}")
        return int(rows[0])

    def _spread(self, scores: FloatArray) -> FloatArray:
        """Scores in which answers the ranking does not know yet, and rows shown elsewhere, count.

        What is like one of them waits: another answer would be learned from the first.
        """
        n_learned = self.ranking.n_labels - self._n_before
        recent = [row for row, _ in self.labels.asked[n_learned:]]
        shown = [row for row, _ in self._shown.values()]
        others = {*recent[-_MOST_SPREAD:], *shown[-_MOST_SPREAD:]}
        return apart_from(sorted(others), scores, self.rows.similar_to)

    def probability(self, row: int) -> float | None:
        calibration = self.ranking.calibration
        if calibration is None or self._is_blank[row]:
            return None
        return float(calibration.probabilities(self.ranking.scores[[row]])[0])

    def rank(self, row: int) -> int:
        """Its place among the rows without a label, from 1."""
        is_free = ~(self.labels.is_positive | self.labels.is_negative)
        return 1 + int((self.ranking.scores[is_free] > self.ranking.scores[row]).sum())

    def nearest(self, row: int) -> list[tuple[int, bool]]:
        """The most similar known positive and the most similar known negative."""
        similar = self.rows.similar_to(row)
        found = []
        for is_positive in (True, False):
            kind = self.labels.is_positive if is_positive else self.labels.is_negative
            others = np.flatnonzero(kind & (np.arange(len(kind)) != row))
            if len(others):
                found.append((int(others[np.argmax(similar[others])]), is_positive))
        return found

    def curve(self) -> list[int]:
        """Positives found after each answer."""
        return [int(n) for n in np.cumsum([asked.is_positive for _, asked in self.labels.asked])]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
