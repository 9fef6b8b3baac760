"""Display of the chooser: the hidden positives that every score and cut found."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from pucut.displays._axes import BLUE, RUST, Display, check_has, checked_axes

COLOURS = {"score": BLUE, "cut": RUST, "mixture": "black"}
LARGEST_DOT = 160.0


@dataclass(eq=False, repr=False)
class SelectionDisplay(Display):
    """The share of the hidden positives that each score and cut of `PUCutClassifier` found.

    The mixture comes first, and then the scores and cuts with most weight in it. Dots grow with the
    weight; bars are a standard error either way.

    Parameters
    ----------
    candidates : sequence of Candidate
        `selection_` of a fitted PUCutClassifier.
    n_shown : int, default=12
        Largest number of scores and cuts that are drawn besides the mixture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    shown_ : list of Candidate
        Those that are drawn, from the top down.
    dots_, errors_ : matplotlib artists
    """

    candidates: Sequence[Any]
    _: KW_ONLY
    n_shown: int = 12

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_shown: int = 12, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the scores and cuts of a fitted PUCutClassifier; `kwargs` as in `plot`."""
        check_has(estimator, cls.__name__, "selection_", owner="PUCutClassifier")
        return cls(estimator.selection_, n_shown=n_shown).plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on `ax`, or on a new figure; `kwargs` go to the dots."""
        ax = checked_axes(ax)
        if self.n_shown < 1:
            raise ValueError(f"n_shown must be 1 or more, found {self.n_shown!r}")
        mixture = [each for each in self.candidates if each.kind == "mixture"]
        tried = [each for each in self.candidates if each.kind != "mixture" and each.weight > 0.0]
        tried.sort(key=lambda each: -each.weight)
        self.shown_ = [*mixture, *tried[: self.n_shown]]
        recalls = np.array([each.hidden_recall for each in self.shown_])
        errors = np.array([each.standard_error for each in self.shown_])
        places = -np.arange(len(self.shown_))
        colours = [COLOURS[each.kind] for each in self.shown_]
        low, high = np.maximum(recalls - errors, 0.0), np.minimum(recalls + errors, 1.0)
        self.errors_ = ax.hlines(places, low, high, colors=colours, linewidth=1)
        sizes = [max(LARGEST_DOT * each.weight, 8.0) for each in self.shown_]
        look = {"color": colours, "s": sizes}
        self.dots_ = ax.scatter(recalls, places, **(look | kwargs))
        ax.set_yticks(places, [_title(each) for each in self.shown_])
        limits = (-0.02, 1.02)
        return self._drawn(ax, has_legend=False, xlabel="hidden positives found", xlim=limits)


def _title(candidate: Any) -> str:
    if candidate.kind == "mixture":
        return "the mixture, which answers"
    return f"{candidate.kind}: {candidate.name} ({100.0 * candidate.weight:.0f} %)"
