"""Contents of the page as plain dicts: the card of a row, and the state of the session."""

from typing import Any

from pucut.labelling.journal import NO, SKIP, YES
from pucut.labelling.remaining import sentence
from pucut.labelling.rows import RowsToLabel, differing_columns, kind_of_cell
from pucut.labelling.session import Session

_MOST_POINTS = 200
_MOST_COLUMNS = 6
_HEADING_LETTERS = 120


def row_card(session: Session, row: int) -> dict[str, Any]:
    """Describe a row for the page. Rows are counted from 0, `number` from 1."""
    rows, answers = session.rows, session.answers
    return {
        "row": row,
        "number": row + 1,
        "cells": [
            {"name": name, "kind": kind_of_cell(rows, row, place), "text": rows.cell(row, place)}
            for place, name in enumerate(rows.columns)
        ],
        "probability": session.probability(row),
        "rank": session.rank(row),
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
    return {
        "table": session.rows.name,
        "n_rows": len(session.rows),
        "n_known": session.rows.n_labelled,
        "n_yes": n_yes,
        "n_no": len(labels) - n_yes,
        "n_skipped": sum(set(by_person.values()) == {SKIP} for by_person in by_row.values()),
        "sentence": sentence(left, n_yes, len(session.labels.answered)),
        "left": [left.low, left.left, left.high],
        "curve": thinned(session.curve()),
        "disagreements": [
            {"row": row, "number": row + 1, "said": by_row[row]} for row in answers.disagreements
        ],
        "people": sorted({who for by_person in by_row.values() for who in by_person}),
        "ranked_with": session.ranking.n_labels,
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
    places = [*range(0, len(curve), step)]
    if curve and places[-1] != len(curve) - 1:
        places.append(len(curve) - 1)
    return [[place + 1, curve[place]] for place in places]
