"""Estimator e1 of Elkan and Noto, from the mean score of labelled rows.

Elkan, Noto: Learning classifiers from only positive and unlabeled data, KDD 2008. If the classes do
not overlap, the probability of being labelled is the same for every positive, c = P(labelled |
positive), here `label_frequency`. The mean score of labelled rows, by a classifier trained without
them, estimates c.
"""

import numpy as np

from pucut._support.checks import FloatArray


def elkan_noto(labelled_scores: FloatArray, n_unlabelled: int) -> float:
    """Estimate the share of positives among the unlabelled.

    The scores are out-of-fold probabilities of being labelled.
    """
    n_labelled = len(labelled_scores)
    label_frequency = float(np.mean(labelled_scores))
    if label_frequency <= 0.0:
        return 1.0
    n_positive = n_labelled / label_frequency
    return float(np.clip((n_positive - n_labelled) / n_unlabelled, 0.0, 1.0))
