"""How many rows are positive, for every lambda of both stages of 2-HNC."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pucut._support.checks import FloatArray
from pucut.cuts.parametric_cut import CutPath
from pucut.displays._axes import BLUE, GREY, RUST, check_has, checked_axes


@dataclass(frozen=True, eq=False)
class ShareOfPath:
    """The share of rows in S: `share[i]` at `lam[i]`, and between two lambdas that of one of them.

    S shrinks just behind a lambda or grows at it, so that a share holds up to its lambda where
    `grows` is False, and from it on where it is True.
    """

    lam: FloatArray
    share: FloatArray
    grows: bool


def share_of_path(path: CutPath) -> ShareOfPath:
    """The shares at the ends of the range and at every breakpoint."""
    low, high = path.lambda_range
    lam = np.unique(np.concatenate([[low], path.breakpoints, [high]]))
    rising = np.sort(path.switch)
    if path.grows:
        counts = np.searchsorted(rising, lam, side="right")
    else:
        counts = path.n_nodes - np.searchsorted(rising, lam, side="left")
    return ShareOfPath(lam, counts / path.n_nodes, path.grows)


class CutPathDisplay:
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

    def __init__(
        self,
        stage1: CutPath,
        stage2: CutPath,
        *,
        prior: float | None = None,
        chosen: tuple[int, float, float] | None = None,
    ) -> None:
        self.stage1 = stage1
        self.stage2 = stage2
        self.prior = prior
        self.chosen = chosen

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draws the paths of a fitted TwoHNCClassifier; `kwargs` as in `plot`."""
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
        """Draws on `ax`, or on a new figure; `kwargs` go to the lines of both stages."""
        ax = checked_axes(ax)
        self.lines_ = []
        stages = (("stage 1", self.stage1, BLUE, "-"), ("stage 2", self.stage2, RUST, "--"))
        for label, path, colour, style in stages:
            shares = share_of_path(path)
            look = {
                "drawstyle": "steps-post" if shares.grows else "steps-pre",
                "color": colour,
                "linestyle": style,
                "label": label,
            }
            self.lines_ += ax.plot(shares.lam, shares.share, **(look | kwargs))
        self.prior_line_ = self.chosen_ = None
        if self.prior is not None:
            self.prior_line_ = ax.axhline(self.prior, color=GREY, linestyle=":", label="prior")
        if self.chosen is not None:
            stage, lam, share = self.chosen
            (self.chosen_,) = ax.plot(
                [lam], [share], "o", color="black", markersize=8, label=f"chosen: stage {stage}"
            )
        ax.set(xlabel="lambda", ylabel="share of positive rows", ylim=(-0.02, 1.02))
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
