"""What a command says on stderr: notes, warnings of the library as sentences, progress."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pucut.cli._progress import bar_of

_SHOWN_NAMES = 12


@dataclass(frozen=True)
class Voice:
    """`quiet` leaves nothing but errors, which are not said here."""

    quiet: bool = False

    def note(self, text: str) -> None:
        if not self.quiet:
            print(printable(text), file=sys.stderr, flush=True)

    @contextmanager
    def sentences_for_warnings(self) -> Iterator[None]:
        """Warnings are said once each, without file names; those for developers alone are not."""
        said: set[str] = set()

        def say(message: Any, *_: Any, **__: Any) -> None:
            text = " ".join(str(message).split())
            if text not in said:
                said.add(text)
                self.note(f"warning: {text}")

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            # What a later version of a library will do does not concern somebody with a table.
            for for_developers in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
                warnings.simplefilter("ignore", for_developers)
            warnings.showwarning = say
            yield

    @contextmanager
    def progress_of(
        self, estimator: Any, title: str, X: Any = None, n_labelled: int | None = None
    ) -> Iterator[None]:
        """A bar for the fit of an estimator, if a person is looking."""
        if self.quiet or not sys.stderr.isatty():
            yield
            return
        with bar_of(estimator, title, X, n_labelled):
            yield


def printable(text: str) -> str:
    """What comes from files may hold signs that terminals obey: they are shown as they are written.

    Line ends are ours.
    """
    return "".join(
        sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text
    )


def listing(names: Sequence[str], n_shown: int = _SHOWN_NAMES) -> str:
    """Names in quotes, the first few of many."""
    shown = ", ".join(repr(str(name)) for name in names[:n_shown])
    return shown if len(names) <= n_shown else f"{shown} and {len(names) - n_shown} more"
