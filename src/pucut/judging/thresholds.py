"""The decisions of the prior: how many rows are positive, and the score that separates them."""

import math

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.labels import PULabels


def threshold_for_share(scores: FloatArray, share: float) -> float:
    """The score above which this share of the rows lies, to the nearest whole number of rows.

    If ties make that share impossible, the nearest possible share is used, and the smaller of two
    that are equally near. The threshold lies halfway between the scores that it separates.
    """
    falling = np.sort(scores)[::-1]
    n_rows = len(falling)
    wanted = math.floor(share * n_rows + 0.5)
    # A cut after the first `count` rows is possible only where the score falls.
    counts = np.concatenate(([0], np.flatnonzero(falling[1:] < falling[:-1]) + 1, [n_rows]))
    count = int(counts[np.argmin(np.abs(counts - wanted))])
    if count == 0:
        return float(falling[0])
    if count == n_rows:
        return float(np.nextafter(falling[-1], -np.inf))
    above, below = float(falling[count - 1]), float(falling[count])
    middle = below + (above - below) / 2.0
    return middle if middle < above else below


def positives_by_prior(scores: FloatArray, labels: PULabels, prior: float) -> BoolArray:
    """The training rows that are positive: the labelled, and the highest-scoring of the others.

    As many of the others as bring the share of positives among all rows to the prior; known
    negatives are none of them.
    """
    positive = labels.is_labelled.copy()
    others = labels.is_unlabelled
    share = (prior * labels.n_samples - labels.n_labelled) / np.count_nonzero(others)
    positive[others] = scores[others] > threshold_for_share(scores[others], share)
    return positive
