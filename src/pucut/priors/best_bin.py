"""Best bin estimation (BBE).

Garg, Wu, Smola, Balakrishnan, Lipton: Mixture proportion estimation and PU learning: a modern
approach, NeurIPS 2021, algorithm 1. If labelled and unlabelled positives have the same distribution
of scores, the share of unlabelled rows above a threshold is at least the share of positives among
them times the share of labelled rows above it. So every threshold gives an upper bound, and the
bound is tight if only positives lie above it. The threshold is chosen by its confidence bound.

In the paper          here
q_p(c), q_u(c)        `labelled_above`, `unlabelled_above`: shares with a score of at least c
α                     `share`, of positives among the unlabelled
δ, γ                  `failure`, `SLACK`
"""

from dataclasses import dataclass

import numpy as np

from pucut._support.checks import FloatArray

SLACK = 0.01
FAILURE = 0.1


@dataclass(frozen=True)
class BestBin:
    """The bin above the best threshold.

    Attributes
    ----------
    share : float
        Share of positives among the unlabelled, 0 to 1.
    upper_bound : float
        Confidence bound of the share at this threshold, the least of all thresholds, at most 1.
    threshold : float
        Least score in the bin.
    labelled_above, unlabelled_above : float
        Shares of the two samples in the bin.
    """

    share: float
    upper_bound: float
    threshold: float
    labelled_above: float
    unlabelled_above: float


def best_bin(
    labelled_scores: FloatArray, unlabelled_scores: FloatArray, *, failure: float = FAILURE
) -> BestBin:
    """Estimate the share of positives among the unlabelled, from out-of-sample scores.

    `failure` is the probability the confidence bound allows for; if several thresholds are best,
    the highest is used.
    """
    curve = score_curve(labelled_scores, unlabelled_scores)
    margin = confidence_margin(len(labelled_scores), len(unlabelled_scores), failure)
    bounds = (curve.unlabelled_above + margin) / curve.labelled_above
    best = int(np.argmin(bounds))
    share = curve.unlabelled_above[best] / curve.labelled_above[best]
    return BestBin(
        share=float(min(share, 1.0)),
        upper_bound=float(min(bounds[best], 1.0)),
        threshold=float(curve.thresholds[best]),
        labelled_above=float(curve.labelled_above[best]),
        unlabelled_above=float(curve.unlabelled_above[best]),
    )


def confidence_margin(n_labelled: int, n_unlabelled: int, failure: float) -> float:
    """Bound the error of both shares above a threshold (Dvoretzky-Kiefer-Wolfowitz)."""
    deviation = np.sqrt(np.log(4.0 / failure) / 2.0)
    return float((1.0 + SLACK) * deviation * (n_labelled**-0.5 + n_unlabelled**-0.5))


@dataclass(frozen=True, eq=False)
class ScoreCurve:
    """Shares of both samples above each threshold that some labelled row reaches, highest first."""

    thresholds: FloatArray
    labelled_above: FloatArray
    unlabelled_above: FloatArray

    def unlabelled_at(self, labelled_above: float) -> float:
        """Share of the unlabelled above the threshold that this share of the labelled passes."""
        labelled, unlabelled = np.r_[0.0, self.labelled_above], np.r_[0.0, self.unlabelled_above]
        return float(np.interp(labelled_above, labelled, unlabelled))


def score_curve(labelled_scores: FloatArray, unlabelled_scores: FloatArray) -> ScoreCurve:
    """Return the curve at the labelled scores.

    Between two of them a lower threshold only adds unlabelled rows, so the ratio of the shares is
    least at a labelled score.
    """
    thresholds, counts = np.unique(labelled_scores, return_counts=True)
    thresholds, counts = thresholds[::-1], counts[::-1]
    below = np.searchsorted(np.sort(unlabelled_scores), thresholds, side="left")
    return ScoreCurve(
        thresholds, np.cumsum(counts) / len(labelled_scores), 1.0 - below / len(unlabelled_scores)
    )
