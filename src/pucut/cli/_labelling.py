"""The rows that `pucut label` learns from and shows, and the files that its page offers."""

import argparse
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pucut.cli._ending import UserError
from pucut.cli._learning import LabelledTable, fit
from pucut.cli._output import table_bytes, without_formulas
from pucut.cli._predictions import Predictions, fitted_predictions
from pucut.cli._voice import Voice
from pucut.cli.classify import labelled_predictions, report_page
from pucut.data.encoding import learn_encoding
from pucut.data.labels import PULabels
from pucut.labelling.ranking import Features, features_of
from pucut.labelling.rows import RowsToLabel
from pucut.labelling.session import Export, Session
from pucut.tables.texts import text_matrix


def learned_from(labelled: LabelledTable) -> Features:
    """Return what a ranking for labelling learns from: words of texts, and other columns."""
    encoded, texts = labelled.encoded, text_columns(labelled)
    others = [
        column
        for feature in encoded.features
        if feature.name not in texts
        for column in encoded.columns[feature.name]
    ]
    cells = [shown_cells(labelled.table.frame[name]) for name in texts]
    joined = [" . ".join(row) for row in zip(*cells, strict=True)]
    words = text_matrix(joined) if texts else None
    points = learn_encoding(labelled.X[others])[1] if others else None
    return features_of(words, points)


def text_columns(labelled: LabelledTable) -> list[str]:
    return [feature.name for feature in labelled.encoded.features if feature.kind == "text"]


def shown_cells(column: Any) -> list[str]:
    """Return cells as they were found; empty where there is nothing."""
    texts: list[str] = column.map(str, na_action="ignore").astype(object).fillna("").tolist()
    return texts


def rows_of(labelled: LabelledTable, path: Path) -> RowsToLabel:
    """Return what the page shows of the table, and what the ranking learns from."""
    frame = labelled.table.frame
    names = [str(name) for name in frame.columns if name != labelled.label_column]
    return RowsToLabel(
        path.name,
        tuple(names),
        tuple(shown_cells(frame[name]) for name in names),
        labelled.y.is_labelled,
        labelled.y.is_negative,
        learned_from(labelled),
        frozenset(text_columns(labelled)),
        frozenset(feature.name for feature in labelled.encoded.features),
        path.resolve().parent,
    )


def table_with_labels(labelled: LabelledTable, session: Session) -> Any:
    """Return all columns as they were, the labels of the session, who gave them, and notes."""
    frame = labelled.table.frame.copy()
    labels, answers = session.labels, session.answers
    rows = range(len(session.rows))
    columns = {
        "label": np.select([labels.is_positive, labels.is_negative], ["yes", "no"], "").tolist(),
        "said": [
            "; ".join(f"{who}: {what}" for who, what in answers.by_row.get(row, {}).items())
            for row in rows
        ],
        "note": [
            "; ".join(f"{who}: {text}" for who, text in answers.notes.get(row, ())) for row in rows
        ],
    }
    for name, values in columns.items():
        free = f"pucut_{name}"
        while free in frame.columns:
            free += "_"
        frame[free] = values
    return frame


def exports(
    arguments: argparse.Namespace, session: Session, labelled: LabelledTable
) -> Mapping[str, Export]:
    """Return the files that the page offers, made when they are wanted; one fit serves them all."""
    lock = threading.Lock()

    @lru_cache(maxsize=1)
    def fitted(n_entries: int) -> tuple[LabelledTable, Any, Predictions]:
        """Fit the method that the options name to all labels of the session."""
        before, now = labelled.labels, session.labels
        known = PULabels(now.is_positive, before.known.classes, now.is_negative)
        current = replace(labelled, labels=replace(before, known=known))
        try:
            estimator = fit(arguments, current, Voice(quiet=True))
        except UserError as error:
            raise ValueError(str(error)) from error
        return current, estimator, fitted_predictions(estimator, current.X, current.y)

    def latest() -> tuple[LabelledTable, Any, Predictions]:
        with lock:
            return fitted(len(session.journal.entries))

    def labels() -> bytes:
        return table_bytes(without_formulas(table_with_labels(labelled, session))[0], "labels.csv")

    def predictions() -> bytes:
        current, _, found = latest()
        table, _ = without_formulas(labelled_predictions(current, found))
        return table_bytes(table, "predictions.csv")

    def report() -> bytes:
        return report_page(arguments, *latest()).encode()

    method, csv, html = arguments.method, "text/csv; charset=utf-8", "text/html; charset=utf-8"
    journal = session.journal.path.read_bytes
    return {
        "labels.csv": Export("the table with the answers", csv, labels),
        "predictions.csv": Export(f"what {method} says of every row", csv, predictions),
        "report.html": Export(f"the report on {method}, in a new tab", html, report),
        "journal.jsonl": Export("who said what, and when", "application/jsonl", journal),
    }
