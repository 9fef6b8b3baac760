"""What `pucut label` gives away: the table with the answers, and what a method makes of them."""

import argparse
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pucut._support.checks import BoolArray
from pucut.cli._answers import answer_table, fitted_answers
from pucut.cli._errors import UserError
from pucut.cli._output import table_bytes, without_formulas
from pucut.cli._problem import Problem, fit
from pucut.cli._voice import Voice
from pucut.cli.classify import report_page
from pucut.data.labels import PULabels
from pucut.labelling.exports import Export
from pucut.labelling.session import Session

_CSV = "text/csv; charset=utf-8"


def labelled_table(problem: Problem, session: Session) -> Any:
    """All columns as they were, what is known of each row now, who said what, and notes."""
    frame = problem.table.frame.copy()
    labels, answers = session.labels, session.answers
    rows = range(len(session.rows))
    said = {
        row: "; ".join(f"{who}: {what}" for who, what in answers.by_row.get(row, {}).items())
        for row in rows
    }
    notes = {
        row: "; ".join(f"{who}: {text}" for who, text in answers.notes.get(row, ())) for row in rows
    }
    columns = {
        "label": [_word(labels.is_positive, labels.is_negative, row) for row in rows],
        "said": [said[row] for row in rows],
        "note": [notes[row] for row in rows],
    }
    for name, values in columns.items():
        free = f"pucut_{name}"
        while free in frame.columns:
            free += "_"
        frame[free] = values
    return frame


def _word(is_positive: BoolArray, is_negative: BoolArray, row: int) -> str:
    return "yes" if is_positive[row] else "no" if is_negative[row] else ""


class Exports:
    """Files that the page offers, made when they are asked for. One fit serves all of them."""

    def __init__(self, arguments: argparse.Namespace, session: Session, problem: Problem) -> None:
        self._arguments, self._session, self._problem = arguments, session, problem
        self._lock = threading.Lock()
        self._fitted: tuple[int, Problem, Any] | None = None

    def all(self) -> Mapping[str, Export]:
        method = self._arguments.method
        journal = self._session.journal.path
        return {
            "labels.csv": Export("the table with the answers", _CSV, self._labels),
            "predictions.csv": Export(f"what {method} says of every row", _CSV, self._predictions),
            "report.html": Export(
                f"the report on {method}, in a new tab", "text/html; charset=utf-8", self._report
            ),
            "journal.jsonl": Export(
                "who said what, and when", "application/jsonl", journal.read_bytes
            ),
        }

    def _labels(self) -> bytes:
        table, _ = without_formulas(labelled_table(self._problem, self._session))
        return table_bytes(table, "labels.csv")

    def _predictions(self) -> bytes:
        problem, estimator = self._fit()
        found = fitted_answers(estimator, problem.X, problem.y)
        answers = answer_table(
            problem.table, problem.plan.ids, [problem.label_column], found, problem.y
        )
        return table_bytes(without_formulas(answers)[0], "predictions.csv")

    def _report(self) -> bytes:
        problem, estimator = self._fit()
        found = fitted_answers(estimator, problem.X, problem.y)
        return report_page(self._arguments, problem, estimator, found).encode()

    def _fit(self) -> tuple[Problem, Any]:
        """The method that the options name, fitted to all that is known now."""
        with self._lock:
            labels = self._session.labels
            n_entries = len(self._session.journal.entries)
            if self._fitted is None or self._fitted[0] != n_entries:
                known = PULabels(
                    labels.is_positive, self._problem.labels.known.classes, labels.is_negative
                )
                problem = replace(self._problem, labels=replace(self._problem.labels, known=known))
                try:
                    estimator = fit(self._arguments, problem, Voice(quiet=True))
                except UserError as error:
                    raise ValueError(str(error)) from error
                self._fitted = (n_entries, problem, estimator)
            return self._fitted[1:]
