"""Naive Bayes with rows that belong to both classes in part, and EM over these parts.

Numbers are Gaussian within a class. Rows of a sparse table are texts: multinomial, with Laplace's
smoothing, over the absolute values of their entries. Either way the logarithm of the odds of a
positive is a polynomial of the row: sum_j q_j x_j^2 + l_j x_j + c.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from pucut._support.checks import BoolArray, FloatArray, is_sparse

# Added to variances within a class; the variance of all rows is 1.
SMOOTHING = 0.1
_CONVERGED = 1e-3
_MOST_ROUNDS = 50


@dataclass(frozen=True, eq=False)
class NaiveBayes:
    quadratic: FloatArray
    linear: FloatArray
    constant: float

    def scores(self, points: Any) -> FloatArray:
        """Log odds of a positive."""
        if is_sparse(points):
            return np.asarray(abs(points) @ self.linear, dtype=np.float64) + self.constant
        terms = points * (points * self.quadratic + self.linear)
        scores: FloatArray = terms.sum(axis=1) + self.constant
        return scores


def fit_naive_bayes(
    points: Any, positive: FloatArray, negative: FloatArray, smoothing: float = SMOOTHING
) -> NaiveBayes:
    """`positive` and `negative` say how much each row counts in either class."""
    odds = float(np.log(positive.sum() / negative.sum()))
    if is_sparse(points):
        texts = abs(points).T
        logs = [np.log(_shares(texts @ weights)) for weights in (positive, negative)]
        return NaiveBayes(np.zeros(points.shape[1]), logs[0] - logs[1], odds)
    mean, variance = _moments(points, positive, smoothing)
    other_mean, other_variance = _moments(points, negative, smoothing)
    constants = np.log(other_variance / variance) - mean**2 / variance
    return NaiveBayes(
        0.5 / other_variance - 0.5 / variance,
        mean / variance - other_mean / other_variance,
        odds + 0.5 * float(np.sum(constants + other_mean**2 / other_variance)),
    )


def em_naive_bayes(
    points: Any,
    is_labelled: BoolArray,
    negative: FloatArray,
    share: float,
    is_negative: BoolArray | None = None,
) -> NaiveBayes:
    """EM over the classes of the rows that are not labelled.

    Labelled rows are positive throughout, and known negatives negative; the first model takes the
    others as negative with weight `negative`, which may be 0. As in S-EM, the last model before the
    estimated error rises is kept: P(f = 1) + 2 P(f = 0 | positive) P(positive), up to a constant,
    among the rows without a label, of which `share` is positive.
    """
    positive = is_labelled.astype(np.float64)
    model = kept = fit_naive_bayes(points, positive, negative)
    least = np.inf
    for _ in range(_MOST_ROUNDS):
        scores = model.scores(points)
        error = float(np.mean(scores[~is_labelled] > 0.0))
        error += 2.0 * share * float(np.mean(scores[is_labelled] <= 0.0))
        if error > least:
            break
        kept, least = model, error
        posterior = np.where(is_labelled, 1.0, expit(scores))
        if is_negative is not None:
            posterior[is_negative] = 0.0
        if np.abs(posterior - positive).max() < _CONVERGED or posterior.min() == 1.0:
            break
        positive = posterior
        model = fit_naive_bayes(points, positive, 1.0 - positive)
    return kept


def _moments(points: Any, weights: FloatArray, smoothing: float) -> tuple[FloatArray, FloatArray]:
    total = weights.sum()
    mean = np.asarray(weights @ points, dtype=np.float64) / total
    variance = np.asarray(weights @ np.square(points - mean), dtype=np.float64) / total
    return mean, variance + smoothing


def _shares(counts: FloatArray) -> FloatArray:
    shares: FloatArray = (counts + 1.0) / (counts.sum() + len(counts))
    return shares
