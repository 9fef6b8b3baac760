"""What a command says on stderr: notes, warnings of the library as sentences, progress."""

import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import TextIOBase
from typing import Any

_STEP = re.compile(r"\[(\d+)/(\d+)\] (.+) \.\.\.")
_BAR_WIDTH = 24
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
    def progress_of(self, estimator: Any, title: str) -> Iterator[None]:
        """A bar for the fit of an estimator that reports steps or trees, if a person is looking."""
        if self.quiet or not sys.stderr.isatty():
            yield
            return
        bar = _Bar(title)
        own = estimator.get_params(deep=False)
        told: dict[str, Any] = {"verbose": 1, "callback": bar.show_trees}
        told = {name: value for name, value in told.items() if name in own}
        estimator.set_params(**told)
        bar.show(0.0, "")
        try:
            with redirect_stdout(_StepReader(bar)):
                yield
        finally:
            estimator.set_params(**{name: own[name] for name in told})
            bar.clear()


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


class _Bar:
    def __init__(self, title: str) -> None:
        self._title = title
        self._length = 0

    def show(self, share: float, what: str) -> None:
        n_full = round(_BAR_WIDTH * share)
        text = f"{self._title} [{'#' * n_full}{'.' * (_BAR_WIDTH - n_full)}] {what}"
        sys.stderr.write(f"\r{text.ljust(self._length)}")
        sys.stderr.flush()
        self._length = len(text)

    def show_trees(self, n_done: int, n_all: int) -> None:
        self.show(n_done / n_all, f"{n_done} of {n_all} trees")

    def clear(self) -> None:
        sys.stderr.write(f"\r{' ' * self._length}\r")
        sys.stderr.flush()


class _StepReader(TextIOBase):
    """Takes what `verbose=1` prints and shows its steps as a bar."""

    def __init__(self, bar: _Bar) -> None:
        self._bar = bar

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        step = _STEP.search(text)
        if step is not None:
            number, n_steps = int(step[1]), max(int(step[2]), int(step[1]))
            self._bar.show((number - 1) / n_steps, step[3])
        return len(text)
