"""`pucut label`: a page on this machine to label the rows of a table, one after the other."""

import argparse
import getpass
import hashlib
import secrets
import socket
import sys
import webbrowser
from importlib.util import find_spec
from pathlib import Path

from pucut.cli import _output as output
from pucut.cli._ending import Terminated, UserError, forget_requests, user_errors
from pucut.cli._labelling import exports, rows_of, table_with_labels
from pucut.cli._learning import LabelledTable, make_estimator, read_labelled
from pucut.cli._voice import Voice
from pucut.labelling.journal import About, Journal, JournalError
from pucut.labelling.session import Session
from pucut.tables.reading import STDIN

LOOPBACK = "127.0.0.1"


def run(arguments: argparse.Namespace) -> int:
    voice = Voice(arguments.quiet)
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
    output.check_ending("--out", arguments.out)
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
            if output.is_delimited(arguments.out):
                table, _ = output.without_formulas(table)
            output.write_files({arguments.out: output.table_bytes(table, arguments.out)})
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
