"""Known negatives in risks of positive and unlabelled rows: known rows count several times.

Sakai, du Plessis, Niu and Sugiyama (ICML 2017) mix two estimates of the risk of the negatives, π
being the prior and eta a number from 0 to 1:

    N(g) = (1 - eta) (E_U[l(-g)] - π E_P[l(-g)])  +  eta (1 - π) E_N[l(-g)]

Together with π E_P[l(g)] of the positives, this is the risk of positive and unlabelled rows alone,
with an unlabelled set that is mixed with a share eta of known rows, π of which are positive. So it
is enough to repeat known rows in the unlabelled set, for any method that minimises such a risk.
"""

from dataclasses import dataclass

import numpy as np

from pucut._support.checks import BoolArray, IndexArray

# A larger share repeats known rows more often than it helps, and takes time.
MOST_MIXED = 0.5


@dataclass(frozen=True, eq=False)
class RepeatedRows:
    """The rows of a table, then known ones again, which count as unlabelled."""

    rows: IndexArray
    is_labelled: BoolArray  # False where a row is repeated
    growth: float  # the size of the unlabelled set, in multiples of what it was


def mixed_share(prior: float, n_labelled: int, n_negative: int, n_unlabelled: int) -> float:
    """Return the eta at which N(g) varies least: both estimates are weighted by precision."""
    if not n_negative:
        return 0.0
    by_unlabelled = prior**2 / n_labelled + 1.0 / n_unlabelled
    by_negatives = (1.0 - prior) ** 2 / n_negative
    return min(by_unlabelled / (by_unlabelled + by_negatives), MOST_MIXED)


def with_known_rows(
    is_labelled: BoolArray, is_negative: BoolArray, prior: float, *, includes_labelled: bool = True
) -> RepeatedRows:
    """Return the rows for a risk of positive and unlabelled rows; the prior stays what it is.

    The unlabelled set of the risk is all of the rows, or only those without a positive label.
    """
    n_own = len(is_labelled)
    positives, negatives = np.flatnonzero(is_labelled), np.flatnonzero(is_negative)
    n_unlabelled = n_own if includes_labelled else n_own - len(positives)
    eta = mixed_share(prior, len(positives), len(negatives), n_unlabelled)
    n_more = eta / (1.0 - eta) * n_unlabelled
    more_positives = np.resize(positives, round(prior * n_more))
    more_negatives = np.resize(negatives, round((1.0 - prior) * n_more))
    rows = np.concatenate([np.arange(n_own), more_positives, more_negatives])
    own = np.arange(len(rows)) < n_own
    return RepeatedRows(rows, is_labelled[rows] & own, 1.0 + n_more / n_unlabelled)
