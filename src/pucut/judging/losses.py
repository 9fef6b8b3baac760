"""Ranks, and the losses by which candidates are compared on hidden labels.

Scores of positive and unlabelled rows have no common scale, so their ranks are compared: by recall
of the hidden positives among as many rows as the prior says are positive. With that number fixed,
recall orders scores as their accuracy does, without a single negative label. Probabilities of
several classes are compared by their squared errors.
"""

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray


def rank_among(values: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the share of the reference below each value, those equal to it counted half.

    `reference` is ascending. Its own values get ranks above 0 and below 1, with mean 1/2.
    """
    # Rising values are found several times faster among very many.
    order = np.argsort(values)
    rising = values[order]
    below = np.searchsorted(reference, rising, side="left")
    is_tied = reference[np.minimum(below, len(reference) - 1)] == rising
    not_above = below.copy()
    not_above[is_tied] = np.searchsorted(reference, rising[is_tied], side="right")
    found = np.empty(len(values))
    found[order] = (below + not_above) / (2.0 * len(reference))
    return found


def ranks(values: FloatArray) -> FloatArray:
    """Return the rank of each value among all of them."""
    return rank_among(values, np.sort(values))


def shares_above(values: FloatArray, scores: FloatArray, n_positive: int) -> FloatArray:
    """Return 1 for each value that would be among the `n_positive` highest scores, 0 for others.

    Values tied with the score where the number is reached count in part, all equally.
    """
    rising = np.sort(scores)
    cut = rising[len(rising) - n_positive]
    above = len(rising) - int(np.searchsorted(rising, cut, side="right"))
    equal = len(rising) - above - int(np.searchsorted(rising, cut, side="left"))
    part = (n_positive - above) / equal
    return np.asarray((values > cut) + part * (values == cut))


def squared_errors(probabilities: FloatArray, codes: npt.NDArray[np.intp]) -> FloatArray:
    """Return the squared error of each row, summed over the classes."""
    errors = probabilities.copy()
    errors[np.arange(len(codes)), codes] -= 1.0
    found: FloatArray = np.square(errors).sum(axis=1)
    return found
