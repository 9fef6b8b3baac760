"""Display of the rows that change class as the prior moves."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.labels import PULabels, checked_prior, checked_pu_labels
from pucut.displays._axes import BLUE, GREY, RUST, Display, check_has, checked_axes
from pucut.judging.thresholds import positives_by_prior


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
    the prior hardly matters.

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

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on `ax`, or on a new figure; `kwargs` go to both lines."""
        ax = checked_axes(ax)
        priors = np.asarray(self.priors, dtype=np.float64)
        self.interval_ = None
        if self.interval is not None:
            self.interval_ = ax.axvspan(*self.interval, color=GREY, alpha=0.15, label="interval")
        lines = []
        for counts, colour, style, label in (
            (self.n_to_positive, BLUE, "-", "to positive"),
            (self.n_to_negative, RUST, "--", "to negative"),
        ):
            look = {"color": colour, "linestyle": style, "label": label}
            lines += ax.plot(priors, np.asarray(counts) / self.n_unlabelled, **(look | kwargs))
        self.to_positive_line_, self.to_negative_line_ = lines
        self.prior_line_ = ax.axvline(self.prior, color=GREY, linestyle=":", label="prior used")
        ax.set_ylim(bottom=0.0)
        return self._drawn(
            ax,
            xlabel="prior",
            ylabel="share of unlabelled rows that change",
            xlim=(priors.min(), priors.max()) if len(priors) > 1 else None,
        )
