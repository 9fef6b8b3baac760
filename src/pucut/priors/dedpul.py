"""Ratio of the densities of the scores, and expectation maximisation on it (DEDPUL).

Ivanov: DEDPUL: difference-of-estimated-densities-based positive-unlabeled learning, ICMLA 2020.

In the paper       here
f_p(y), f_u(y)     densities of the scores of labelled and of unlabelled rows
r = f_p / f_u      `ratios`, one for each unlabelled row
α                  `share`, of positives among the unlabelled
p(x) = min(αr, 1)  probability that an unlabelled row is positive

Expectation maximisation sets α to the mean of p. If r is exact, every α up to the true one is a
fixed point and none above it; starting at 1, the iteration falls to the largest.

Two steps differ from the paper's program. Scores are replaced by their ranks among all rows, which
the ratio does not depend on, so that one bandwidth serves any classifier. And r is made monotone in
the score by least squares (isotonic regression), not by running maxima and medians.
"""

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.stats import rankdata
from sklearn.isotonic import isotonic_regression

from pucut._support.checks import FloatArray, IndexArray
from pucut.priors.best_bin import negatives_passing
from pucut.priors.sample import PriorSample, ShareEstimate

# On the scale of ranks, 0 to 1.
BANDWIDTH = 0.03
_N_CELLS = 1000
# The iteration stops when a step lowers the share by less than this.
TOLERANCE = 1e-3
_MAX_STEPS = 20_000


def dedpul(
    labelled_scores: FloatArray,
    unlabelled_scores: FloatArray,
    *,
    bandwidth: float = BANDWIDTH,
    tolerance: float = TOLERANCE,
) -> float:
    """Estimate the share of positives among the unlabelled, from out-of-sample scores."""
    ratios = density_ratios(labelled_scores, unlabelled_scores, bandwidth=bandwidth)
    return largest_fixed_point(ratios, tolerance=tolerance)


def density_ratios(
    labelled_scores: FloatArray, unlabelled_scores: FloatArray, *, bandwidth: float = BANDWIDTH
) -> FloatArray:
    """Return labelled over unlabelled density at each unlabelled row; their mean is 1."""
    n_labelled = len(labelled_scores)
    ranks = rankdata(np.concatenate([labelled_scores, unlabelled_scores]))
    cells = np.minimum((ranks - 0.5) / len(ranks) * _N_CELLS, _N_CELLS - 1).astype(np.intp)
    labelled = _density(cells[:n_labelled], bandwidth)
    unlabelled = _density(cells[n_labelled:], bandwidth)
    floor = 1e-9  # both densities have mean 1
    raw = labelled / np.maximum(unlabelled, floor)
    monotone = isotonic_regression(raw, sample_weight=np.maximum(unlabelled, floor))
    ratios: FloatArray = np.asarray(monotone, dtype=np.float64)[cells[n_labelled:]]
    mean = ratios.mean()
    # No labelled row scores near an unlabelled one: no unlabelled row looks positive.
    return ratios / mean if mean > 0.0 else ratios


def largest_fixed_point(ratios: FloatArray, *, tolerance: float = TOLERANCE) -> float:
    """Iterate share = mean(min(share * ratios, 1)) from 1."""
    share = 1.0
    for _ in range(_MAX_STEPS):
        following = float(np.minimum(share * ratios, 1.0).mean())
        if share - following < tolerance:
            return following
        share = following
    return share


def _density(cells: IndexArray, bandwidth: float) -> FloatArray:
    """Smooth the counts of the cells by a Gaussian kernel, reflected at both ends."""
    counts = np.bincount(cells, minlength=_N_CELLS) * (_N_CELLS / len(cells))
    return np.asarray(gaussian_filter1d(counts, bandwidth * _N_CELLS, mode="reflect"))


def share_by_dedpul(sample: PriorSample) -> ShareEstimate:
    labelled, unlabelled = sample.split_scores()
    share = dedpul(labelled, unlabelled)
    passing = negatives_passing(labelled, unlabelled, share)
    resampled = sample.resampled(dedpul, labelled, unlabelled)
    return ShareEstimate.with_resamples(share, resampled, {"negatives_passing": passing})
