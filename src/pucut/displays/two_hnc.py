"""Displays of 2-HNC: the cuts of both stages, and the ranking of stage 1."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray
from pucut.cuts.parametric_cut import CutPath
from pucut.displays._axes import BLUE, GREY, RUST, Display, check_has, checked_axes


def _shares(path: CutPath) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the range and all breakpoints, and the share of rows in S at each.

    S shrinks just behind a lambda or grows at it. A share therefore holds up to its lambda where
    S shrinks, and from its lambda on where S grows.
    """
    low, high = path.lambda_range
    lam = np.unique(np.concatenate([[low], path.breakpoints, [high]]))
    rising = np.sort(path.switch)
    if path.grows:
        counts = np.searchsorted(rising, lam, side="right")
    else:
        counts = path.n_nodes - np.searchsorted(rising, lam, side="left")
    return lam, counts / path.n_nodes


@dataclass(eq=False, repr=False)
class CutPathDisplay(Display):
    """The share of positive rows over lambda, for both stages of 2-HNC.

    Every step is a breakpoint, at which rows change side; the partition that was chosen is marked.

    Parameters
    ----------
    stage1, stage2 : CutPath
    prior : float, optional
        Drawn as a horizontal line.
    chosen : (int, float, float), optional
        Stage, lambda and share of positives of the chosen partition.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : list of matplotlib Line2D
        Stage 1, then stage 2.
    prior_line_, chosen_ : matplotlib Line2D or None
    """

    stage1: CutPath
    stage2: CutPath
    _: KW_ONLY
    prior: float | None = None
    chosen: tuple[int, float, float] | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the paths of a fitted TwoHNCClassifier; `kwargs` as in `plot`."""
        names = ("stage1_", "stage2_", "partition_", "prior_")
        check_has(estimator, cls.__name__, *names, owner="TwoHNCClassifier")
        partition = estimator.partition_
        display = cls(
            estimator.stage1_,
            estimator.stage2_,
            prior=estimator.prior_,
            chosen=(partition.stage, partition.lam, partition.positive_fraction),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on `ax`, or on a new figure; `kwargs` go to the lines of both stages."""
        ax = checked_axes(ax)
        self.lines_ = []
        stages = (("stage 1", self.stage1, BLUE, "-"), ("stage 2", self.stage2, RUST, "--"))
        for label, path, colour, style in stages:
            look = {"color": colour, "linestyle": style, "label": label}
            look["drawstyle"] = "steps-post" if path.grows else "steps-pre"
            self.lines_ += ax.plot(*_shares(path), **(look | kwargs))
        self.prior_line_ = self.chosen_ = None
        if self.prior is not None:
            self.prior_line_ = ax.axhline(self.prior, color=GREY, linestyle=":", label="prior")
        if self.chosen is not None:
            stage, lam, share = self.chosen
            (self.chosen_,) = ax.plot(
                [lam], [share], "o", color="black", markersize=8, label=f"chosen: stage {stage}"
            )
        limits = (-0.02, 1.02)
        return self._drawn(ax, xlabel="lambda", ylabel="share of positive rows", ylim=limits)


@dataclass(eq=False, repr=False)
class NegativeRankingDisplay(Display):
    """The levels of the unlabelled rows along the ranking of 2-HNC, most likely negative first.

    A row's level is the lambda at which it leaves the positive side in stage 1. A jump is a gap
    between groups of rows; where the levels rise evenly, the place of the cut depends on the prior
    alone.

    Parameters
    ----------
    levels : array-like of shape (n_unlabelled,)
        In the order of the ranking.
    n_likely_negative : int
        Number of the first rows that were held as negatives in stage 2.
    n_negative : int, optional
        Number of unlabelled rows that are negative in the end. Stage 2 may choose others than the
        first.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_, likely_negative_line_ : matplotlib Line2D
    cut_line_ : matplotlib Line2D or None
    """

    levels: npt.ArrayLike
    n_likely_negative: int
    n_negative: int | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the ranking of a fitted TwoHNCClassifier; `kwargs` as in `plot`."""
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
        """Draw on `ax`, or on a new figure; `kwargs` go to the line of all levels."""
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
        return self._drawn(
            ax, xlabel="place in the ranking", ylabel="lambda at which the row leaves"
        )
