"""Display of the calibration of probabilities, judged without negatives."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray
from pucut.data.labels import PULabels, checked_prior, checked_pu_labels
from pucut.displays._axes import BLUE, GREY, Display, check_has

# Two-sided, 95 %.
NORMAL_QUANTILE = 1.959964

Strategy = Literal["quantile", "uniform"]


@dataclass(frozen=True, eq=False)
class PUCalibration:
    """Bins of predicted probabilities that hold a row, with the estimated share of positives.

    Attributes
    ----------
    probability : float array
        Mean of the predicted probabilities in the bin.
    share : float array
        Estimated share of positives in it; chance may put it above 1.
    low, high : float arrays
        Its interval at 95 %.
    n_rows, n_labelled : int arrays
    """

    probability: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray
    n_rows: npt.NDArray[np.intp]
    n_labelled: npt.NDArray[np.intp]


def pu_calibration(
    labels: PULabels,
    probability: FloatArray,
    prior: float,
    *,
    n_bins: int = 10,
    strategy: Strategy = "quantile",
) -> PUCalibration:
    """Estimate the share of positives in bins of probabilities, as PUCalibrationDisplay explains.

    With `l` of the `n` rows of a bin labelled, and L of all N rows, the estimate
    prior * (l / L) / (n / N) is (l / n) / c, where c = L / (prior * N) is the share of the
    positives that are labelled. The interval is Wilson's for l / n, divided by c.
    """
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        edges = np.quantile(probability, edges)
    place = np.searchsorted(edges[1:-1], probability, side="right")
    n_rows = np.bincount(place, minlength=n_bins)
    used = n_rows > 0
    counts = n_rows[used]
    n_labelled = np.bincount(place[labels.is_labelled], minlength=n_bins)[used]
    mean = np.bincount(place, weights=probability, minlength=n_bins)[used] / counts
    label_frequency = labels.n_labelled / (prior * labels.n_samples)
    shares = (n_labelled / counts, *_wilson(n_labelled, counts))
    share, low, high = (each / label_frequency for each in shares)
    return PUCalibration(mean, share, low, high, counts, n_labelled)


def _wilson(
    successes: npt.NDArray[np.intp], trials: npt.NDArray[np.intp]
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's interval of a share, which holds for few trials and shares near 0 and 1."""
    square = NORMAL_QUANTILE**2
    share = successes / trials
    middle = (share + square / (2.0 * trials)) / (1.0 + square / trials)
    spread = np.sqrt(share * (1.0 - share) / trials + square / (4.0 * trials**2))
    half = NORMAL_QUANTILE * spread / (1.0 + square / trials)
    # Rounding aside, the interval begins at 0 where nothing was seen and ends at 1 where all was.
    low = np.where(successes == 0, 0.0, middle - half)
    return low, np.where(successes == trials, 1.0, middle + half)


@dataclass(eq=False, repr=False)
class PUCalibrationDisplay(Display):
    """Predicted probabilities against the share of positives in their bins, without negatives.

    Where the labelled rows are drawn at random from the positives, they fall into a bin as often as
    positives do: P(bin | labelled) = P(bin | positive). Bayes' rule then gives the share that
    cannot be counted,

        P(positive | bin) = prior * P(bin | positive) / P(bin)
                          = prior * P(bin | labelled) / P(bin),

    from the share of the labelled rows that fall into the bin and the share of all rows that do.
    Points on the diagonal are calibrated. An error of the prior moves all points by one factor. The
    bars are intervals at 95 % for the chance in which rows are labelled, with the prior taken as
    known. Chance may put an estimate above 1; it is drawn at 1, as a triangle that points upwards.
    Keywords of `plot` go to the points.

    A model has seen the labels of the rows of `fit`, and may look better on these than it is. Draw
    other rows, where there are some.

    Parameters
    ----------
    calibration : PUCalibration
        The bins.
    prior : float
    estimator_name : str, optional
        For the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : matplotlib Line2D
        The estimated shares, at most 1.
    beyond_ : matplotlib Line2D or None
        Those that are above 1.
    errors_ : matplotlib artist
        Their intervals, at most 1.
    diagonal_ : matplotlib Line2D
    """

    calibration: PUCalibration
    _: KW_ONLY
    prior: float
    estimator_name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        n_bins: int = 10,
        strategy: Strategy = "quantile",
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the probabilities of a fitted PU classifier for X, with its prior.

        The prior has to hold for `X` and `y`: labelled and unlabelled rows mixed as in `fit`.
        """
        check_has(estimator, cls.__name__, "predict_proba", "prior_")
        return cls.from_predictions(
            y,
            estimator.predict_proba(X)[:, 1],
            prior=estimator.prior_,
            n_bins=n_bins,
            strategy=strategy,
            pos_label=getattr(estimator, "pos_label", None),
            neg_label=getattr(estimator, "neg_label", None),
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        y_prob: npt.ArrayLike,
        *,
        prior: float,
        n_bins: int = 10,
        strategy: Strategy = "quantile",
        pos_label: Any = None,
        neg_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw probabilities of the positive class.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels as for `fit`: labelled positives, and unlabelled rows.
        y_prob : array-like of shape (n_samples,)
        prior : float
            Share of positives among all these rows.
        n_bins : int, default=10
        strategy : {"quantile", "uniform"}, default="quantile"
            Bins of equally many rows, or of equal width. Bins without a row are left out.
        pos_label, neg_label : values of y, optional
        name : str, optional
            For the legend.
        ax, kwargs
            As in `plot`.
        """
        probability = np.asarray(y_prob, dtype=np.float64)
        labels = checked_pu_labels(
            y, pos_label=pos_label, neg_label=neg_label, n_samples=len(probability)
        )
        if not ((probability >= 0.0) & (probability <= 1.0)).all():
            raise ValueError("y_prob must hold probabilities, found some outside of [0, 1]")
        if n_bins < 1:
            raise ValueError(f"n_bins must be 1 or more, found {n_bins!r}")
        if strategy not in ("quantile", "uniform"):
            raise ValueError(f"strategy must be 'quantile' or 'uniform', found {strategy!r}")
        prior = checked_prior(prior, labels)
        found = pu_calibration(labels, probability, prior, n_bins=n_bins, strategy=strategy)
        return cls(found, prior=prior, estimator_name=name).plot(ax=ax, **kwargs)

    def _draw(self, ax: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        bins = self.calibration
        (self.diagonal_,) = ax.plot([0, 1], [0, 1], ":", color=GREY, label="calibrated")
        look = {"color": BLUE, "marker": "o", "label": self.estimator_name or "estimated share"}
        share, low, high = (np.minimum(part, 1.0) for part in (bins.share, bins.low, bins.high))
        (self.line_,) = ax.plot(bins.probability, share, **(look | kwargs))
        colour, self.beyond_ = self.line_.get_color(), None
        places = bins.probability[bins.share > 1.0]
        if len(places):
            ones = np.ones(len(places))
            (self.beyond_,) = ax.plot(places, ones, "^", color=colour, label="above 1")
            self.beyond_.set_markersize(10)
        self.errors_ = ax.vlines(bins.probability, low, high, color=colour, linewidth=1)
        names = {"xlabel": "mean predicted probability", "ylabel": "estimated share of positives"}
        return names | {"xlim": (-0.04, 1.04), "ylim": (-0.04, 1.04)}
