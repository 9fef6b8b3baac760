"""The ranking of the unlabelled rows by stage 1 of 2-HNC, and where it was cut."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pucut.displays._axes import BLUE, GREY, RUST, check_has, checked_axes


class NegativeRankingDisplay:
    """The levels of the unlabelled rows along the ranking of 2-HNC, most likely negative first.

    A row's level is the lambda at which it leaves the positive side in stage 1. A jump is a gap
    between groups of rows; where the levels rise evenly, the place of the cut depends on the prior
    alone.

    Parameters
    ----------
    levels : array-like of shape (n_unlabelled,)
        In the order of the ranking.
    n_likely_negative : int
        How many of the first were held as negatives in stage 2.
    n_negative : int, optional
        How many unlabelled rows are negative in the end. Stage 2 may choose others than the first.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_, likely_negative_line_ : matplotlib Line2D
    cut_line_ : matplotlib Line2D or None
    """

    def __init__(
        self, levels: npt.ArrayLike, n_likely_negative: int, n_negative: int | None = None
    ) -> None:
        self.levels = levels
        self.n_likely_negative = n_likely_negative
        self.n_negative = n_negative

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draws the ranking of a fitted TwoHNCClassifier; `kwargs` as in `plot`."""
        names = ("negative_ranking_", "likely_negative_", "stage1_", "transduction_")
        check_has(estimator, cls.__name__, *names, owner="TwoHNCClassifier")
        order = estimator.negative_ranking_
        is_negative = estimator.transduction_[order] != estimator.classes_[1]
        display = cls(
            np.clip(estimator.stage1_.switch[order], 0.0, 1.0),
            len(estimator.likely_negative_),
            int(np.count_nonzero(is_negative)),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draws on `ax`, or on a new figure; `kwargs` go to the line of all levels."""
        ax = checked_axes(ax)
        levels = np.asarray(self.levels, dtype=np.float64)
        places = np.arange(1, len(levels) + 1)
        look = {"color": BLUE, "label": "unlabelled rows"}
        (self.line_,) = ax.plot(places, levels, **(look | kwargs))
        first = slice(0, self.n_likely_negative)
        (self.likely_negative_line_,) = ax.plot(
            places[first],
            levels[first],
            color=RUST,
            linewidth=4,
            solid_capstyle="butt",
            label=f"likely negatives: {self.n_likely_negative}",
        )
        self.cut_line_ = None
        if self.n_negative is not None:
            self.cut_line_ = ax.axvline(
                self.n_negative + 0.5,
                color=GREY,
                linestyle="--",
                label=f"negative in the end: {self.n_negative}",
            )
        ax.set(xlabel="place in the ranking", ylabel="lambda at which the row leaves")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
