"""Displays of fits: the cuts and the ranking of 2-HNC, the chooser, and other priors."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.parametric_cut import CutPath
from pucut.data.labels import PULabels, checked_prior, checked_pu_labels
from pucut.displays._axes import BLUE, GREY, RUST, Display, check_has
from pucut.judging.thresholds import positives_by_prior

COLOURS = {"score": BLUE, "cut": RUST, "mixture": "black"}
LARGEST_DOT = 160.0
TWO_LINES = ({"color": BLUE, "linestyle": "-"}, {"color": RUST, "linestyle": "--"})


def _shares(path: CutPath) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the range and all breakpoints, and the share of rows in S at each.

    S shrinks just behind a lambda or grows at it. A share therefore holds up to its lambda where
    S shrinks, and from its lambda on where S grows.
    """
    low, high = path.lambda_range
    lam = np.unique(np.concatenate([[low], path.breakpoints, [high]]))
    counts = np.searchsorted(np.sort(path.switch), lam, side="right" if path.grows else "left")
    return lam, (counts if path.grows else path.n_nodes - counts) / path.n_nodes


@dataclass(eq=False, repr=False)
class CutPathDisplay(Display):
    """The share of positive rows over lambda, for both stages of 2-HNC.

    Every step is a breakpoint, at which rows change side; the partition that was chosen is marked.
    Keywords of `plot` go to the lines of both stages.

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
        stages, found = (estimator.stage1_, estimator.stage2_), estimator.partition_
        chosen = (found.stage, found.lam, found.positive_fraction)
        return cls(*stages, prior=estimator.prior_, chosen=chosen).plot(ax=ax, **kwargs)

    def _draw(self, ax: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        self.lines_ = []
        for stage, path in enumerate((self.stage1, self.stage2)):
            drawstyle = "steps-post" if path.grows else "steps-pre"
            look = TWO_LINES[stage] | {"label": f"stage {stage + 1}", "drawstyle": drawstyle}
            self.lines_ += ax.plot(*_shares(path), **(look | kwargs))
        self.prior_line_ = self.chosen_ = None
        if self.prior is not None:
            self.prior_line_ = ax.axhline(self.prior, color=GREY, linestyle=":", label="prior")
        if self.chosen is not None:
            stage, lam, share = self.chosen
            label = f"chosen: stage {stage}"
            (self.chosen_,) = ax.plot(lam, share, "o", color="black", markersize=8, label=label)
        return {"xlabel": "lambda", "ylabel": "share of positive rows", "ylim": (-0.02, 1.02)}


@dataclass(eq=False, repr=False)
class NegativeRankingDisplay(Display):
    """The levels of the unlabelled rows along the ranking of 2-HNC, most likely negative first.

    A row's level is the lambda at which it leaves the positive side in stage 1. A jump is a gap
    between groups of rows; where the levels rise evenly, the place of the cut depends on the prior
    alone. Keywords of `plot` go to the line of all levels.

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
        levels = np.clip(estimator.stage1_.switch[order], 0.0, 1.0)
        is_negative = estimator.transduction_[order] != estimator.classes_[1]
        n_negative = int(np.count_nonzero(is_negative))
        return cls(levels, len(estimator.likely_negative_), n_negative).plot(ax=ax, **kwargs)

    def _draw(self, ax: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        levels = np.asarray(self.levels, dtype=np.float64)
        places = np.arange(1, len(levels) + 1)
        look = {"color": BLUE, "label": "unlabelled rows"}
        (self.line_,) = ax.plot(places, levels, **(look | kwargs))
        n_likely, n_negative = self.n_likely_negative, self.n_negative
        (self.likely_negative_line_,) = ax.plot(
            places[:n_likely], levels[:n_likely], color=RUST, label=f"likely negatives: {n_likely}"
        )
        self.likely_negative_line_.set(linewidth=4, solid_capstyle="butt")
        self.cut_line_ = None
        if n_negative is not None:
            label = f"negative in the end: {n_negative}"
            self.cut_line_ = ax.axvline(n_negative + 0.5, color=GREY, linestyle="--", label=label)
        return {"xlabel": "place in the ranking", "ylabel": "lambda at which the row leaves"}


@dataclass(eq=False, repr=False)
class SelectionDisplay(Display):
    """The share of the hidden positives that each score and cut of `PUCutClassifier` found.

    The mixture comes first, and then the scores and cuts with most weight in it. Dots grow with the
    weight; bars are a standard error either way. Keywords of `plot` go to the dots.

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
    _has_legend = False

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_shown: int = 12, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the scores and cuts of a fitted PUCutClassifier; `kwargs` as in `plot`."""
        check_has(estimator, cls.__name__, "selection_", owner="PUCutClassifier")
        return cls(estimator.selection_, n_shown=n_shown).plot(ax=ax, **kwargs)

    def _draw(self, ax: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
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
        self.dots_ = ax.scatter(recalls, places, **({"color": colours, "s": sizes} | kwargs))
        ax.set_yticks(places, [_title(each) for each in self.shown_])
        return {"xlabel": "hidden positives found", "xlim": (-0.02, 1.02)}


def _title(candidate: Any) -> str:
    if candidate.kind == "mixture":
        return "the mixture, which answers"
    return f"{candidate.kind}: {candidate.name} ({100.0 * candidate.weight:.0f} %)"


def changed_rows(
    scores: FloatArray, labels: PULabels, prior: float, before: BoolArray
) -> tuple[BoolArray, BoolArray]:
    """Return the rows that become positive at a prior, and those that become negative.

    `before` are the rows that were positive. The ranking by scores is kept.
    """
    now = positives_by_prior(scores, labels, prior)
    return now & ~before, before & ~now


@dataclass(eq=False, repr=False)
class PriorSensitivityDisplay(Display):
    """The share of unlabelled rows whose class changes as the prior varies around its value.

    The ranking is kept and only cut elsewhere: nothing is fitted again. Where the curve is flat,
    the prior hardly matters. Keywords of `plot` go to both lines.

    Parameters
    ----------
    priors : array-like of float
    n_to_positive, n_to_negative : array-like of int
        The rows that become positive and negative at each of these priors.
    prior : float
        The one that was used.
    n_unlabelled : int
    interval : (float, float), optional
        Where the prior lies, as far as is known.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    to_positive_line_, to_negative_line_, prior_line_ : matplotlib Line2D
    interval_ : matplotlib artist or None
    """

    priors: npt.ArrayLike
    n_to_positive: npt.ArrayLike
    n_to_negative: npt.ArrayLike
    _: KW_ONLY
    prior: float
    n_unlabelled: int
    interval: tuple[float, float] | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, y: Any, *, reach: float = 0.15, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the sensitivity of a fitted PU classifier of this package, by its `scores_`.

        Parameters
        ----------
        estimator : fitted PU classifier
        y : array-like of shape (n_samples,)
            The labels given to `fit`.
        reach : float, default=0.15
            Largest distance by which the prior is moved, within the priors that `y` allows.
        ax, kwargs
            As in `plot`.
        """
        check_has(estimator, cls.__name__, "scores_", "prior_")
        estimate = getattr(estimator, "prior_estimate_", None)
        return cls.from_predictions(
            y,
            estimator.scores_,
            prior=estimator.prior_,
            interval=None if estimate is None else estimate.interval,
            pos_label=estimator.pos_label,
            neg_label=estimator.neg_label,
            reach=reach,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        scores: npt.ArrayLike,
        *,
        prior: float,
        interval: tuple[float, float] | None = None,
        pos_label: Any = None,
        neg_label: Any = None,
        reach: float = 0.15,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw it from scores of all rows, higher for more likely positive."""
        if not 0.0 < reach < 1.0:
            raise ValueError(f"reach must lie between 0 and 1, found {reach!r}")
        scores = np.asarray(scores, dtype=np.float64)
        labels = checked_pu_labels(
            y, pos_label=pos_label, neg_label=neg_label, n_samples=len(scores)
        )
        prior = checked_prior(prior, labels)
        lowest, highest = labels.labelled_share, labels.largest_prior
        steps = prior + reach * np.linspace(-1.0, 1.0, 61)
        priors = np.unique(np.clip(steps, lowest, highest))
        before = positives_by_prior(scores, labels, prior)
        changed = [changed_rows(scores, labels, float(moved), before) for moved in priors]
        counts = np.count_nonzero(np.array(changed), axis=2).T
        n_unlabelled = int(labels.is_unlabelled.sum())
        display = cls(priors, *counts, prior=prior, n_unlabelled=n_unlabelled, interval=interval)
        return display.plot(ax=ax, **kwargs)

    def _draw(self, ax: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        priors = np.asarray(self.priors, dtype=np.float64)
        self.interval_ = None
        if self.interval is not None:
            self.interval_ = ax.axvspan(*self.interval, color=GREY, alpha=0.15, label="interval")
        up, down = np.array([self.n_to_positive, self.n_to_negative]) / self.n_unlabelled
        look = TWO_LINES[0] | {"label": "to positive"} | kwargs
        (self.to_positive_line_,) = ax.plot(priors, up, **look)
        look = TWO_LINES[1] | {"label": "to negative"} | kwargs
        (self.to_negative_line_,) = ax.plot(priors, down, **look)
        self.prior_line_ = ax.axvline(self.prior, color=GREY, linestyle=":", label="prior used")
        ax.set_ylim(bottom=0.0)
        names = {"xlabel": "prior", "ylabel": "share of unlabelled rows that change"}
        return names | {"xlim": (priors.min(), priors.max()) if len(priors) > 1 else None}
