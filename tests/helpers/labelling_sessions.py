"""A small table of texts to label, and sessions about it."""

import time

import numpy as np

from pucut.labelling.journal import About, Journal
from pucut.labelling.ranking import features_of
from pucut.labelling.rows import RowsToLabel
from pucut.labelling.session import Session
from pucut.tables.texts import text_matrix

SUBJECT = ("cough", "fever", "chill", "throat", "nose", "lung")
OTHER = tuple(f"word{place}" for place in range(80))
HOSTILE = "</script><img src=x onerror=\"document.title='broken'\">&amp;"


def texts_about(n_rows, n_positive, seed=0):
    """The first rows are about one subject."""
    random = np.random.default_rng(seed)
    return [
        " ".join([*random.choice(OTHER, 8), *random.choice(SUBJECT, 5 * (row < n_positive))])
        for row in range(n_rows)
    ]


def made_rows(n_rows=60, n_positive=20, folder=None, texts=None, seed=0):
    """The first row is known to be positive, the last to be negative."""
    texts = texts_about(n_rows, n_positive) if texts is None else texts
    random = np.random.default_rng(seed)
    size = random.normal(size=n_rows).round(2)
    is_positive, is_negative = np.zeros((2, n_rows), dtype=bool)
    is_positive[0] = is_negative[-1] = True
    cells = (
        [f"id {row}" for row in range(n_rows)],
        texts,
        [str(value) for value in size],
        ["pictures/one.png" if row == 1 else "https://example.org/a" for row in range(n_rows)],
    )
    return RowsToLabel(
        "notes.csv",
        ("name", "report", "size", "see"),
        cells,
        is_positive,
        is_negative,
        features_of(text_matrix(texts), size[:, None]),
        frozenset({"report"}),
        frozenset({"report", "size", "see"}),
        folder,
    )


def made_session(path, rows=None, seed=0):
    rows = made_rows() if rows is None else rows
    journal = Journal(path / "notes.csv.labels.jsonl", About("notes.csv", "ab", len(rows), "ill"))
    return Session(rows, journal, seed=seed)


def close(session):
    session.close()
    session.journal.close()


def settle(session):
    """Waits until the ranking knows every label."""
    for _ in range(2000):
        if not session.labels.changed_since(session.ranking.labels).any() or session.failure:
            return
        time.sleep(0.01)
    raise AssertionError("the ranking was not renewed")
