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
from pucut.priors.sample import PriorSample, ShareEstimate

SLACK = 0.01
FAILURE = 0.1
# The share of positives that must pass a threshold when the overlap is measured.
PASSING = 0.9
N_RESAMPLES = 100
# Resampled shares above a threshold are computed at no more thresholds than this.
_MAX_THRESHOLDS = 400


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
    thresholds, labelled_above, unlabelled_above = score_curve(labelled_scores, unlabelled_scores)
    margin = confidence_margin(len(labelled_scores), len(unlabelled_scores), failure)
    bounds = (unlabelled_above + margin) / labelled_above
    best = int(np.argmin(bounds))
    share = unlabelled_above[best] / labelled_above[best]
    return BestBin(
        share=float(min(share, 1.0)),
        upper_bound=float(min(bounds[best], 1.0)),
        threshold=float(thresholds[best]),
        labelled_above=float(labelled_above[best]),
        unlabelled_above=float(unlabelled_above[best]),
    )


def confidence_margin(n_labelled: int, n_unlabelled: int, failure: float) -> float:
    """Bound the error of both shares above a threshold (Dvoretzky-Kiefer-Wolfowitz)."""
    deviation = np.sqrt(np.log(4.0 / failure) / 2.0)
    return float((1.0 + SLACK) * deviation * (n_labelled**-0.5 + n_unlabelled**-0.5))


def score_curve(
    labelled_scores: FloatArray, unlabelled_scores: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the labelled scores, highest first, and the shares of both samples above each.

    Between two of them a lower threshold only adds unlabelled rows, so the ratio of the shares is
    least at a labelled score.
    """
    thresholds, counts = np.unique(labelled_scores, return_counts=True)
    thresholds, counts = thresholds[::-1], counts[::-1]
    below = np.searchsorted(np.sort(unlabelled_scores), thresholds, side="left")
    unlabelled_above = 1.0 - below / len(unlabelled_scores)
    return thresholds, np.cumsum(counts) / len(labelled_scores), unlabelled_above


def negatives_passing(labelled: FloatArray, unlabelled: FloatArray, share: float) -> float:
    """Return the share of the negatives above the threshold that 90 % of the positives pass."""
    if share >= 1.0:
        return 1.0
    _, *shares = score_curve(labelled, unlabelled)
    above = float(np.interp(PASSING, *(np.r_[0.0, each] for each in shares)))
    return float(np.clip((above - share * PASSING) / (1.0 - share), 0.0, 1.0))


def resampled_best_bins(
    labelled: FloatArray,
    unlabelled: FloatArray,
    *,
    random: np.random.RandomState,
    n_resamples: int = N_RESAMPLES,
    failure: float = FAILURE,
) -> FloatArray:
    """Return the share that `best_bin` finds in resamples with replacement of both samples."""
    thresholds = np.unique(labelled)
    if len(thresholds) > _MAX_THRESHOLDS:
        # Neighbouring thresholds hardly differ, so only counts between a few of them are drawn.
        thresholds = thresholds[np.linspace(0, len(thresholds) - 1, _MAX_THRESHOLDS).astype(int)]
    labelled_above = _resampled_above(labelled, thresholds, n_resamples, random)
    unlabelled_above = _resampled_above(unlabelled, thresholds, n_resamples, random)
    margin = confidence_margin(len(labelled), len(unlabelled), failure)
    reached = labelled_above > 0.0
    safe = np.where(reached, labelled_above, 1.0)
    bounds = np.where(reached, (unlabelled_above + margin) / safe, np.inf)
    best = np.argmin(bounds, axis=1)[:, np.newaxis]
    ratios = np.take_along_axis(unlabelled_above, best, 1) / np.take_along_axis(safe, best, 1)
    return np.asarray(np.minimum(ratios[:, 0], 1.0))


def _resampled_above(
    scores: FloatArray, thresholds: FloatArray, n_resamples: int, random: np.random.RandomState
) -> FloatArray:
    """Return the share of the scores at or above each threshold, highest first, by resample."""
    counts = np.bincount(
        np.searchsorted(thresholds, scores, side="right"), minlength=len(thresholds) + 1
    )
    drawn = random.multinomial(len(scores), counts[::-1] / len(scores), size=n_resamples)
    return np.cumsum(drawn, axis=1)[:, :-1] / len(scores)


def share_by_best_bin(sample: PriorSample) -> ShareEstimate:
    labelled, unlabelled = sample.split_scores()
    best = best_bin(labelled, unlabelled)
    diagnostics = {
        "threshold": best.threshold,
        "labelled_above": best.labelled_above,
        "unlabelled_above": best.unlabelled_above,
        "share_upper_bound": best.upper_bound,
        "negatives_passing": negatives_passing(labelled, unlabelled, best.share),
    }
    resampled = resampled_best_bins(labelled, unlabelled, random=sample.random)
    return ShareEstimate.with_resamples(best.share, resampled, diagnostics)
