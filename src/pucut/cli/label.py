"""`pucut label`: a page on this machine to label the rows of a table, one after the other."""

import argparse
import getpass
import hashlib
import secrets
import socket
import sys
import webbrowser
from pathlib import Path

from pucut.cli._errors import Terminated, UserError
from pucut.cli._labelled import Exports, labelled_table
from pucut.cli._learned import learned_from, shown_cells, text_columns
from pucut.cli._output import (
    check_ending,
    check_outputs,
    is_delimited,
    table_bytes,
    without_formulas,
    write_files,
)
from pucut.cli._problem import Problem, make_estimator, read_problem
from pucut.cli._reading import STDIN
from pucut.cli._requests import forget_requests
from pucut.cli._voice import Voice
from pucut.labelling.journal import About, Journal, JournalError
from pucut.labelling.rows import RowsToLabel
from pucut.labelling.session import Session

NEEDED = "pip install 'pucut[label]'"
LOOPBACK = "127.0.0.1"


def run(arguments: argparse.Namespace) -> int:
    voice = Voice(arguments.quiet)
    _need_server()
    if arguments.table == STDIN:
        raise UserError("a table on stdin has no place for a journal: name a file")
    if not 0 <= arguments.port <= 65535:
        raise UserError(f"--port must be from 0 to 65535, found {arguments.port}")
    make_estimator(arguments)  # what it refuses is said now, not when answers have been given
    journal_path = arguments.journal or f"{arguments.table}.labels.jsonl"
    check_outputs({"--out": arguments.out, "--journal": journal_path}, [arguments.table])
    check_ending("--out", arguments.out)
    file = TableFile(Path(arguments.table))
    problem = read_problem(arguments, voice)
    rows = rows_of(problem, Path(arguments.table))
    about = About(file.path.name, file.digest, len(rows), problem.label_column)
    with _opened(Path(journal_path), about) as journal:
        voice.note(f"answers are kept in {journal_path} ({len(journal.entries)} lines so far)")
        session = Session(rows, journal, seed=arguments.seed)
        try:
            serve(arguments, session, problem, file)
        finally:
            session.close()
        if arguments.out is not None:
            _write_table(arguments, problem, session, voice)
    return 0


class TableFile:
    """The file as it was when it was read, and whether it still is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.digest, self._state = _digest(path), _state(path)
        except OSError as error:
            raise UserError(f"{str(path)!r} cannot be read: {error.strerror}") from error

    def is_changed(self) -> bool:
        """By its content: a file that was only touched, or written again, is the same."""
        try:
            state = _state(self.path)
            if state != self._state:
                if _digest(self.path) != self.digest:
                    return True
                self._state = state
        except OSError:
            return True
        return False


def _state(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rows_of(problem: Problem, path: Path) -> RowsToLabel:
    """What is shown of the table, and what is learned from."""
    frame = problem.table.frame
    names = [str(name) for name in frame.columns if name != problem.label_column]
    return RowsToLabel(
        path.name,
        tuple(names),
        tuple(shown_cells(frame[name]) for name in names),
        problem.y.is_labelled,
        problem.y.is_negative,
        learned_from(problem),
        frozenset(text_columns(problem)),
        frozenset(feature.name for feature in problem.plan.features),
        path.resolve().parent,
    )


def serve(
    arguments: argparse.Namespace, session: Session, problem: Problem, file: TableFile
) -> None:
    """Until the page, Ctrl-C or a request to end says so."""
    import uvicorn

    from pucut.labelling.app import Surroundings, application

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        try:
            listening.bind((LOOPBACK, arguments.port))
        except OSError as error:
            raise UserError(f"--port {arguments.port} cannot be used: {error.strerror}") from error
        listening.listen()
        port = listening.getsockname()[1]
        token = secrets.token_urlsafe(24)
        around = Surroundings(
            token=token,
            hosts=frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"}),
            who=arguments.who or _login(),
            is_changed=file.is_changed,
            exports=Exports(arguments, session, problem).all(),
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


def _write_table(
    arguments: argparse.Namespace, problem: Problem, session: Session, voice: Voice
) -> None:
    labelled = labelled_table(problem, session)
    if is_delimited(arguments.out):
        labelled, _ = without_formulas(labelled)
    write_files({arguments.out: table_bytes(labelled, arguments.out)})
    voice.note(f"written: {arguments.out}")


def _opened(path: Path, about: About) -> Journal:
    try:
        return Journal(path, about)
    except JournalError as error:
        raise UserError(str(error)) from error
    except OSError as error:
        raise UserError(f"{str(path)!r} cannot be written: {error.strerror}") from error


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this user
        return "me"


def _need_server() -> None:
    try:
        import starlette
        import uvicorn
    except ImportError as error:
        raise UserError(f"the page needs {error.name}: {NEEDED}") from error
    del starlette, uvicorn
