"""The messages of a command on stderr: notes, warnings of the library as sentences, progress."""

import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# Shorter fits show no progress bar.
SILENT_SECONDS = 2.0
_SECONDS_BETWEEN = 0.5
_BAR_WIDTH = 24


@dataclass(frozen=True)
class Voice:
    """Writes messages; `quiet` leaves only errors, which are not written here."""

    quiet: bool = False

    def note(self, *texts: str) -> None:
        for text in () if self.quiet else texts:
            print(printable(text), file=sys.stderr, flush=True)

    @contextmanager
    def sentences_for_warnings(self) -> Iterator[None]:
        """Show warnings once each, without file names; those for developers alone are ignored."""
        shown: set[str] = set()

        def show(message: Any, *_: Any, **__: Any) -> None:
            text = " ".join(str(message).split())
            if text not in shown:
                shown.add(text)
                self.note(f"warning: {text}")

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            # Changes in a later version of a library do not concern somebody with a table.
            for for_developers in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
                warnings.simplefilter("ignore", for_developers)
            warnings.showwarning = show
            yield

    @contextmanager
    def progress_of(self, estimator: Any, title: str, X: Any, n_labelled: int) -> Iterator[None]:
        """Show a bar for the fit of an estimator, if a person is looking."""
        if self.quiet or not sys.stderr.isatty():
            yield
            return
        from pucut.methods.steps import watching_steps

        # The time of each step is estimated from the size of X where the estimator can do that.
        stages = estimator.estimate(X, n_labelled).stages if hasattr(estimator, "estimate") else ()
        bar = Bar(title, {stage.name: stage.seconds for stage in stages})
        own = estimator.get_params(deep=False)
        follow = {"callback": bar.show_trees} if "callback" in own else {}
        estimator.set_params(**follow)
        try:
            with bar.drawn(), watching_steps(estimator, bar.show_step):
                yield
        finally:
            estimator.set_params(**{name: own[name] for name in follow})


def printable(text: str) -> str:
    """Return the text with signs that terminals obey as they are written; line ends stay.

    Cells of files may hold such signs.
    """
    return "".join(
        sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text
    )


class Bar:
    """A bar with the name of the present step and the time that is left.

    `expected` has the seconds of steps by name, as far as they are known; steps that are done
    correct it.
    """

    def __init__(self, title: str, expected: Mapping[str, float]) -> None:
        self._title = title
        self._expected = expected
        self._began = self._step_began = time.monotonic()
        self._done: set[str] = set()
        self._step = ""
        self._share: float | None = None  # where it is reported
        self._length = 0
        self._ended = threading.Event()
        self._lock = threading.Lock()

    def show_step(self, name: str, number: int, n_steps: int) -> None:
        with self._lock:
            if self._step:
                self._done.add(self._step)
            self._step, self._step_began = name, time.monotonic()
            self._share = None if self._expected else (number - 1) / n_steps
        self.draw()

    def show_trees(self, n_done: int, n_all: int) -> None:
        with self._lock:
            self._share, self._step = n_done / n_all, f"{n_done} of {n_all} trees"
        self.draw()

    @contextmanager
    def drawn(self) -> Iterator[None]:
        """Draw again and again until the fit ends, and leave an empty line."""
        drawing = threading.Thread(target=self._draw_until_ended, daemon=True)
        drawing.start()
        try:
            yield
        finally:
            self._ended.set()
            drawing.join()
            if self._length:
                sys.stderr.write(f"\r{' ' * self._length}\r")
                sys.stderr.flush()

    def draw(self) -> None:
        with self._lock:
            passed = time.monotonic() - self._began
            if passed < SILENT_SECONDS:
                return
            share, left = self.progress(passed, time.monotonic() - self._step_began)
            n_full = round(_BAR_WIDTH * (share or 0.0))
            shown = [self._step] if self._step else []
            shown.append(f"{in_time(passed)} so far" if left is None else f"{in_time(left)} left")
            bar = f"{'#' * n_full}{'.' * (_BAR_WIDTH - n_full)}"
            text = f"{self._title} [{bar}] {', '.join(shown)}"
            sys.stderr.write(f"\r{text.ljust(self._length)}")
            sys.stderr.flush()
            self._length = max(self._length, len(text))

    def progress(self, passed: float, in_step: float) -> tuple[float | None, float | None]:
        """Return the share that is done, and the seconds that are left; None where not known.

        `passed` are seconds since the beginning, `in_step` those since the present step began.
        """
        if not self._expected:
            if not self._share:
                return self._share, None
            return self._share, passed * (1.0 - self._share) / self._share
        done = sum(self._expected.get(name, 0.0) for name in self._done)
        # The steps that are done show how much slower this machine is than expected.
        pace = (passed - in_step) / done if done > 0.0 else 1.0
        step = self._expected.get(self._step, 0.0)
        total = max(sum(self._expected.values()), 1e-9)
        now = done + min(in_step / max(pace, 1e-9), step)
        return now / total, (total - now) * pace

    def _draw_until_ended(self) -> None:
        while not self._ended.wait(_SECONDS_BETWEEN):
            self.draw()


def in_time(seconds: float) -> str:
    """Return seconds up to two minutes, then minutes, then hours."""
    if seconds < 120:
        return f"{max(seconds, 0.0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
