"""The ways in which a command ends: exit codes, errors, and requests to end.

Ctrl-C and SIGTERM become exceptions, and none of them is lost. An exception that a signal raises
may come up in a library that drops exceptions it does not expect, and the work would go on. So a
request is kept until the command has ended, and raised again where its results would be written.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from pucut.tables.errors import one_line

# Exit codes beside 0, which is success.
FAILURE = 1  # unexpected: a mistake of ours
USER_ERROR = 2  # wrong arguments or files: argparse's own code too
INTERRUPTED = 130  # as shells have it
TERMINATED = 143  # by SIGTERM, as shells have it
BROKEN_PIPE = 141  # the reader of the output has gone, as after `| head`


class UserError(Exception):
    """A mistake of the user's: shown as one message, without a traceback."""


class UnknownShareError(UserError):
    """The share of positives is needed, was not given, and can only be guessed."""


@contextmanager
def user_errors(prefix: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn exceptions of these kinds into errors of the user's."""
    try:
        yield
    except kinds as error:
        why = error.strerror if isinstance(error, OSError) else one_line(error)
        raise UserError(f"{prefix}{why}") from error


class Terminated(BaseException):
    """The process was asked to end: unfinished work is cleaned up on the way out."""


_requests: list[type[BaseException]] = []


@contextmanager
def answering_requests_to_end() -> Iterator[None]:
    """Leave no unfinished file, and no result of work that was to end."""
    if threading.current_thread() is not threading.main_thread():  # others cannot set handlers
        yield
        return

    def end(number: int, frame: FrameType | None) -> NoReturn:
        _requests.append(KeyboardInterrupt if number == signal.SIGINT else Terminated)
        raise _requests[-1]

    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, end)}
    # Where it is ignored, as in the background of a shell, it stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, end)
    try:
        try:
            yield
        except Exception:  # goes on below, unless the work was to end before that
            raise_lost_request()
            raise
        raise_lost_request()
    finally:
        forget_requests()
        for number, handler in before.items():
            signal.signal(number, handler)


def raise_lost_request() -> None:
    """Raise the request that came last, if one came."""
    if _requests:
        raise _requests[-1]


def forget_requests() -> None:
    """Forget them, for commands that a request ends as it should."""
    _requests.clear()
