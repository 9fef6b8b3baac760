"""`pucut label`: a page on this machine to label the rows of a table, one after the other."""

import argparse
import getpass
import hashlib
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from pucut.cli import _output as output
from pucut.cli._ending import Terminated, UserError, forget_requests, user_errors
from pucut.cli._learning import LabelledTable, fit, make_estimator, read_labelled
from pucut.cli._predictions import Predictions, fitted_predictions
from pucut.cli._voice import Voice
from pucut.cli.classify import labelled_predictions, report_page
from pucut.data.encoding import learn_encoding
from pucut.data.labels import PULabels
from pucut.labelling.journal import About, Journal, JournalError
from pucut.labelling.ranking import Features, features_of
from pucut.labelling.rows import RowsToLabel
from pucut.labelling.session import Export, Session
from pucut.tables.reading import STDIN
from pucut.tables.texts import text_matrix

LOOPBACK = "127.0.0.1"


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise UserError(f"the page needs {package}: pip install 'pucut[label]'")
    if arguments.table == STDIN:
        raise UserError("a table on stdin has no place for a journal: name a file")
    if not 0 <= arguments.port <= 65535:
        raise UserError(f"--port must be from 0 to 65535, found {arguments.port}")
    make_estimator(arguments)  # refuses its options now, not after answers have been given
    journal_path = arguments.journal or f"{arguments.table}.labels.jsonl"
    output.check_outputs({"--out": arguments.out, "--journal": journal_path}, [arguments.table])
    file = TableFile(Path(arguments.table))
    labelled = read_labelled(arguments, voice)
    rows = rows_of(labelled, Path(arguments.table))
    about = About(file.path.name, file.digest, len(rows), labelled.label_column)
    with (
        user_errors(f"{journal_path!r} cannot be written: ", OSError),
        user_errors("", JournalError),
    ):
        journal = Journal(Path(journal_path), about)
    with journal:
        voice.note(f"answers are kept in {journal_path} ({len(journal.entries)} lines so far)")
        session = Session(rows, journal, seed=arguments.seed)
        try:
            serve(arguments, session, labelled, file)
        finally:
            session.close()
        if arguments.out is not None:
            table = table_with_labels(labelled, session)
            output.write_files({arguments.out: output.safe_bytes(table, arguments.out)})
            voice.note(f"written: {arguments.out}")
    return 0


class TableFile:
    """A file as it was when it was read, to be compared with what it is now."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with user_errors(f"{str(path)!r} cannot be read: ", OSError):
            self.digest, self._state = self._read_digest(), self._read_state()

    def is_changed(self) -> bool:
        """Compare the content: a file that was only touched, or written again, is the same."""
        try:
            state = self._read_state()
            if state != self._state and self._read_digest() != self.digest:
                return True
            self._state = state
        except OSError:
            return True
        return False

    def _read_state(self) -> tuple[int, int, int]:
        found = self.path.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _read_digest(self) -> str:
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def serve(
    arguments: argparse.Namespace, session: Session, labelled: LabelledTable, file: TableFile
) -> None:
    """Serve the page until it is ended there, by Ctrl-C or by a request to end."""
    import uvicorn

    from pucut.labelling.app import Surroundings, application

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        with user_errors(f"--port {arguments.port} cannot be used: ", OSError):
            listening.bind((LOOPBACK, arguments.port))
        listening.listen()
        port = listening.getsockname()[1]
        token = secrets.token_urlsafe(24)
        around = Surroundings(
            token=token,
            hosts=frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"}),
            who=arguments.who or _login(),
            is_changed=file.is_changed,
            exports=exports(arguments, session, labelled),
            end=lambda: setattr(server, "should_exit", True),
        )
        server = uvicorn.Server(
            uvicorn.Config(
                application(session, around),
                log_level="error",
                access_log=False,
                lifespan="off",
                ws="none",
                server_header=False,
                timeout_graceful_shutdown=3,
            )
        )
        address = f"http://{LOOPBACK}:{port}/{token}/"
        print(address, flush=True)
        if not arguments.no_browser:
            webbrowser.open(address)
        try:
            server.run(sockets=[listening])
        except (KeyboardInterrupt, Terminated):  # how the page is ended
            forget_requests()
            print(file=sys.stderr)


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this user
        return "me"


def learned_from(labelled: LabelledTable) -> Features:
    """Return what a ranking for labelling learns from: words of texts, and other columns."""
    encoded, texts = labelled.encoded, text_columns(labelled)
    others = [*chain(*(made for name, made in encoded.columns.items() if name not in texts))]
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
        return output.safe_bytes(table_with_labels(labelled, session), "labels.csv")

    def predictions() -> bytes:
        current, _, found = latest()
        return output.safe_bytes(labelled_predictions(current, found), "predictions.csv")

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
