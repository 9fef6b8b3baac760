"""Plausible shares of positives, given how labelled rows rank among unlabelled ones.

The model has four numbers: the share p of positives among the unlabelled rows, and normal scores
with mean 0 and standard deviation 1 for negatives, mean d and standard deviation s for positives
(the binormal model of ROC analysis). It gives the distribution of a row's rank among the unlabelled
rows, whatever the scale of the scores. Labelled rows are positives drawn at random, so their ranks
are evidence about p, d and s; so are the ranks of known negatives, if these were drawn at random.
The estimate is the posterior mean of p.

A priori the share of positives among *all* rows has a beta distribution, and s is near 1; narrow
cuts (`narrow_cuts`) may add evidence. The range is the union of three ranges: with cuts, without
them, and with a uniform prior. docs/design/priors.md has the reasons.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import beta, norm

from pucut._support.checks import FloatArray

# Beta distribution of the share among all rows: mean 0.4, and 0.07 to 0.79 not unlikely.
PRIOR_SHAPE = (2.0, 3.0)
# Standard deviation of log s.
_SPREAD_OF_SPREADS = 0.3
# n ranks weigh as _TRUST n / (1 + n / _MANY) ^ _DISCOUNT: those by one model are not independent.
_TRUST, _MANY, _DISCOUNT = 0.6, 100.0, 0.7
_TRUST_IN_NEGATIVES = 0.4
# The interval leaves out this much on either side; the discount widens it enough to cover the truth
# nine times out of ten.
_TAIL = 0.1

# Shares among the unlabelled rows, distances and spreads that are compared.
SHARES = (np.arange(100) + 0.5) / 100.0
_DISTANCES = np.concatenate([np.linspace(0.0, 3.0, 13), np.linspace(3.5, 6.0, 6)])
_SPREADS = np.array([0.7, 1.0, 1.4])
_N_BINS = 50
_LEAST_DENSITY = 1e-3


@dataclass(frozen=True)
class PlausibleShare:
    """Mean and range of the plausible shares among the unlabelled rows."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of known rows among unlabelled ones, which weigh as `n_independent` rows."""

    values: FloatArray
    n_independent: int | None = None

    def weights(self, trust: float) -> FloatArray:
        n_in_bin = np.histogram(self.values, bins=_N_BINS, range=(0.0, 1.0))[0].astype(np.float64)
        n_ranks = len(self.values)
        n_independent = n_ranks if self.n_independent is None else self.n_independent
        discounted = trust / (1.0 + n_independent / _MANY) ** _DISCOUNT
        return np.asarray(n_in_bin * (discounted * n_independent / n_ranks))


def plausible_share(
    positives: Ranks,
    n_unlabelled: int,
    negatives: Ranks | None = None,
    of_cuts: FloatArray | None = None,
) -> PlausibleShare:
    """Estimate the share; `of_cuts` is the log-likelihood of each of `SHARES` by narrow cuts."""
    n_labelled, n_negative = len(positives.values), len(negatives.values) if negatives else 0
    of_all = (n_labelled + SHARES * n_unlabelled) / (n_labelled + n_unlabelled + n_negative)
    of_spreads = -np.square(np.log(_SPREADS) / _SPREAD_OF_SPREADS)[None, None, :] / 2.0
    fit = _log_densities(is_positive=True) @ positives.weights(_TRUST) + of_spreads
    if negatives is not None:
        fit = fit + _log_densities(is_positive=False) @ negatives.weights(_TRUST_IN_NEGATIVES)
    before = beta.logpdf(of_all, *PRIOR_SHAPE)
    log_priors = [before, np.zeros_like(before)]
    if of_cuts is not None:
        log_priors.insert(0, before + of_cuts)
    posteriors = [_posterior(fit, log_prior) for log_prior in log_priors]
    low, high = np.transpose(
        [
            np.interp([_TAIL, 1.0 - _TAIL], np.cumsum(weights) - weights / 2.0, SHARES)
            for weights in posteriors
        ]
    )
    return PlausibleShare(float(posteriors[0] @ SHARES), float(low.min()), float(high.max()))


def _posterior(fit: FloatArray, log_prior: FloatArray) -> FloatArray:
    """Return the weight of each share, summed over distances and spreads."""
    plausible = fit + log_prior[:, None, None]
    weights: FloatArray = np.exp(plausible - plausible.max()).sum(axis=(1, 2))
    return np.asarray(weights / weights.sum())


@lru_cache(maxsize=2)
def _log_densities(*, is_positive: bool) -> FloatArray:
    """Log density of a positive's or negative's rank in each bin, by share, distance and spread."""
    edges = np.linspace(0.0, 1.0, _N_BINS + 1)
    scores = np.linspace(-8.0, 14.0, 1200)
    negative = norm.cdf(scores)
    density = np.empty((len(SHARES), len(_DISTANCES), len(_SPREADS), _N_BINS))
    for j, distance in enumerate(_DISTANCES):
        for k, spread in enumerate(_SPREADS):
            positive = norm.cdf(scores, distance, spread)
            own = positive if is_positive else negative
            for i, share in enumerate(SHARES):
                mixed = share * positive + (1.0 - share) * negative
                below = np.interp(np.interp(edges, mixed, scores), scores, own)
                below[0], below[-1] = 0.0, 1.0
                density[i, j, k] = np.diff(below) * _N_BINS
    return np.log(np.maximum(density, _LEAST_DENSITY))
