"""What shares of positives are plausible, given how labelled rows rank among unlabelled ones.

The model has four numbers: the share p of positives among the unlabelled rows, and scores that are
normal, with mean 0 and standard deviation 1 for negatives and mean d and standard deviation s for
positives (the binormal model of ROC analysis). It says how a positive row ranks among the
unlabelled ones, whatever the scale of the scores: with density 1 / p at the top, if the classes are
far apart. Labelled rows are positives drawn at random, so their ranks tell which p, d and s are
likely. So do the ranks of known negatives, if these are a random draw of the negatives: the mixture
of two kinds of rows that are both known has one number left, p. The answer is the mean of p over
all that is plausible, not the largest p that is possible.

Before anything is seen, the share of positives among *all* rows has a beta distribution, and s is
near 1; narrow cuts (`narrow_cuts`) may make some shares likelier. That is right for most tables and
wrong for some, so the range has to hold without it as well: it joins what is plausible with both,
without cuts, and where every share is equally likely beforehand.
Ranks of rows that one model has scored are not independent, and the model is never quite right, so
they count as fewer than they are. These settings were chosen on tables other than those
they are judged on (docs/design/tried.md).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import beta, norm

from pucut._support.checks import FloatArray

# Of the share among all rows, before anything is seen: mean 0.4, and 0.07 to 0.79 not unlikely.
PRIOR_SHAPE = (2.0, 3.0)
# How far from 1 the standard deviation of positives is, in logarithms.
_SPREAD_OF_SPREADS = 0.3
# n ranks count as _TRUST n / (1 + n / _MANY) ^ _DISCOUNT.
_TRUST, _MANY, _DISCOUNT = 0.6, 100.0, 0.7
# The same of known negatives.
_TRUST_IN_NEGATIVES = 0.4
# The interval leaves out this much on either side. That the ranks are discounted makes it wide
# enough to hold the truth nine times out of ten.
_TAIL = 0.1

# Of the positives among the unlabelled rows: those that are compared.
SHARES = (np.arange(100) + 0.5) / 100.0
_DISTANCES = np.concatenate([np.linspace(0.0, 3.0, 13), np.linspace(3.5, 6.0, 6)])
_SPREADS = np.array([0.7, 1.0, 1.4])
_N_BINS = 50
_LEAST_DENSITY = 1e-3


@dataclass(frozen=True)
class PlausibleShare:
    """The mean of the plausible shares among the unlabelled rows, and their range.

    The range is that of shares which are plausible with what cuts say, without it, or without what
    is known before as well.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Ranks:
    """Of known rows of one class among the unlabelled ones, from 0 to 1.

    They count as `n_independent`, all of them by default: copies tell nothing new.
    """

    values: FloatArray
    n_independent: int | None = None

    def counts(self, trust: float) -> FloatArray:
        """How much the ranks in each bin count."""
        found = np.histogram(self.values, bins=_N_BINS, range=(0.0, 1.0))[0].astype(np.float64)
        n_ranks = len(self.values)
        n_independent = n_ranks if self.n_independent is None else self.n_independent
        discounted = trust / (1.0 + n_independent / _MANY) ** _DISCOUNT
        return np.asarray(found * (discounted * n_independent / n_ranks))


def plausible_share(
    positives: Ranks,
    n_unlabelled: int,
    negatives: Ranks | None = None,
    of_cuts: FloatArray | None = None,
) -> PlausibleShare:
    """From the ranks of the labelled rows, and of known negatives if there are any.

    `of_cuts` is what cuts say of each of `SHARES`, as a logarithm.
    """
    n_labelled, n_negative = len(positives.values), len(negatives.values) if negatives else 0
    of_all = (n_labelled + SHARES * n_unlabelled) / (n_labelled + n_unlabelled + n_negative)
    of_spreads = -np.square(np.log(_SPREADS) / _SPREAD_OF_SPREADS)[None, None, :] / 2.0
    fit = _log_densities(is_positive=True) @ positives.counts(_TRUST) + of_spreads
    if negatives is not None:
        counts = negatives.counts(_TRUST_IN_NEGATIVES)
        fit = fit + _log_densities(is_positive=False) @ counts
    before = beta.logpdf(of_all, *PRIOR_SHAPE)
    beliefs = [before, np.zeros_like(before)]
    if of_cuts is not None:
        beliefs.insert(0, before + of_cuts)
    found = [_weights(fit, belief) for belief in beliefs]
    low, high = np.transpose([_range(weights) for weights in found])
    return PlausibleShare(float(found[0] @ SHARES), float(low.min()), float(high.max()))


def _weights(fit: FloatArray, belief: FloatArray) -> FloatArray:
    """How plausible each share is, from logarithms; the distances and spreads are summed over."""
    plausible = fit + belief[:, None, None]
    weights: FloatArray = np.exp(plausible - plausible.max()).sum(axis=(1, 2))
    return np.asarray(weights / weights.sum())


def _range(weights: FloatArray) -> FloatArray:
    middle = np.cumsum(weights) - weights / 2.0
    return np.asarray(np.interp([_TAIL, 1.0 - _TAIL], middle, SHARES))


@lru_cache(maxsize=2)
def _log_densities(*, is_positive: bool) -> FloatArray:
    """Of the rank of a positive, or a negative, in each bin, by share, distance and spread."""
    edges = np.linspace(0.0, 1.0, _N_BINS + 1)
    scores = np.linspace(-8.0, 14.0, 1200)
    negative = norm.cdf(scores)
    found = np.empty((len(SHARES), len(_DISTANCES), len(_SPREADS), _N_BINS))
    for j, distance in enumerate(_DISTANCES):
        for k, spread in enumerate(_SPREADS):
            positive = norm.cdf(scores, distance, spread)
            own = positive if is_positive else negative
            for i, share in enumerate(SHARES):
                mixed = share * positive + (1.0 - share) * negative
                below = np.interp(np.interp(edges, mixed, scores), scores, own)
                below[0], below[-1] = 0.0, 1.0
                found[i, j, k] = np.diff(below) * _N_BINS
    return np.log(np.maximum(found, _LEAST_DENSITY))
