"""The messages of a command on stderr: notes, warnings of the library as sentences, progress."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pucut.cli._progress import Bar


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
    def progress_of(
        self, estimator: Any, title: str, X: Any = None, n_labelled: int | None = None
    ) -> Iterator[None]:
        """Show a bar for the fit of an estimator, if a person is looking."""
        if self.quiet or not sys.stderr.isatty():
            yield
            return
        from pucut.methods.steps import watching_steps

        # The time of each step is estimated from the size of X where the estimator can do that.
        stages: tuple[Any, ...] = ()
        if X is not None and hasattr(estimator, "estimate"):
            stages = estimator.estimate(X, n_labelled).stages
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
