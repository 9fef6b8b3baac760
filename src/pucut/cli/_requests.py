"""Requests to end: Ctrl-C and SIGTERM become exceptions, and none of them is lost.

An exception that a signal raises comes up wherever the program is, also in code of others that
drops what it does not expect. The work would then go on, and end as if nobody had asked. So a
request is kept until the command has ended, and raised again where its results would be written.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from pucut.cli._errors import Terminated

_requests: list[type[BaseException]] = []


@contextmanager
def answering_requests_to_end() -> Iterator[None]:
    """No unfinished file is left, and no result of work that was to end."""
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
    """Raises the request that came last, if one came."""
    if _requests:
        raise _requests[-1]


def forget_requests() -> None:
    """For commands that a request ends as it should."""
    _requests.clear()
