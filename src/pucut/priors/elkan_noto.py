"""Estimator e1 of Elkan and Noto, from the mean score of labelled rows.

Elkan, Noto: Learning classifiers from only positive and unlabeled data, KDD 2008. If the classes do
not overlap, the probability of being labelled is the same for every positive, c = P(labelled |
positive), here `label_frequency`. The mean score of labelled rows, by a classifier trained without
them, estimates c.
"""

import numpy as np

from pucut._support.checks import FloatArray
from pucut.priors.sample import PriorSample, ShareEstimate


def elkan_noto(labelled_scores: FloatArray, n_unlabelled: int) -> float:
    """Estimate the share of positives among the unlabelled from out-of-fold probabilities."""
    n_labelled = len(labelled_scores)
    label_frequency = float(np.mean(labelled_scores))
    if label_frequency <= 0.0:
        return 1.0
    n_positive = n_labelled / label_frequency
    return float(np.clip((n_positive - n_labelled) / n_unlabelled, 0.0, 1.0))


def share_by_elkan_noto(sample: PriorSample) -> ShareEstimate:
    labelled, unlabelled = sample.split_scores()
    both = np.concatenate([labelled, unlabelled])
    if both.min() < 0.0 or both.max() > 1.0:
        raise ValueError(
            "method 'elkan_noto' needs probabilities from 0 to 1, found scores from "
            f"{both.min():.3g} to {both.max():.3g}; use a classifier with predict_proba, or "
            "another method"
        )

    def estimate(labelled: FloatArray) -> float:
        return elkan_noto(labelled, len(unlabelled))

    resampled = sample.resampled(estimate, labelled)
    diagnostics = {"label_frequency": float(labelled.mean())}
    return ShareEstimate.with_resamples(estimate(labelled), resampled, diagnostics)
