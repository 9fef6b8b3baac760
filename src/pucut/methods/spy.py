"""S-EM: spies among the unlabelled rows, and naive Bayes with EM.

Rows belong to both classes in part. Numbers are Gaussian within a class. Rows of a sparse table are
texts: multinomial, with Laplace's smoothing, over the absolute values of their entries. Either way
the logarithm of the odds of a positive is a polynomial of the row: sum_j q_j x_j^2 + l_j x_j + c.
"""

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.random import RandomState
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_sparse
from pucut._support.constraints import SHARE
from pucut.data.labels import PULabels
from pucut.data.repeats import groups_for_folds, labelled_groups
from pucut.data.row_order import given_numbers
from pucut.judging.cross_fitting import checked_classifier, positive_scores, with_random_state
from pucut.methods._base import share_of_rest
from pucut.methods._encoded import EncodedClassifier

# Added to variances within a class; the variance of all rows is 1.
SMOOTHING = 0.1
_CONVERGED = 1e-3
_MOST_STEPS = 50


@dataclass(frozen=True, eq=False)
class NaiveBayes:
    quadratic: FloatArray
    linear: FloatArray
    constant: float

    def scores(self, points: Any) -> FloatArray:
        """Return the log odds of a positive."""
        if is_sparse(points):
            return np.asarray(abs(points) @ self.linear, dtype=np.float64) + self.constant
        terms = points * (points * self.quadratic + self.linear)
        return np.asarray(terms.sum(axis=1) + self.constant)


def fit_naive_bayes(
    points: Any, positive: FloatArray, negative: FloatArray, smoothing: float = SMOOTHING
) -> NaiveBayes:
    """Fit naive Bayes to rows with the weights `positive` and `negative` in the two classes."""
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
    """Run EM over the classes of the rows that are not labelled.

    Labelled rows are positive throughout, and known negatives negative; the first model takes the
    others as negative with weight `negative`, which may be 0. As in S-EM, the last model before the
    estimated error rises is kept: P(f = 1) + 2 P(f = 0 | positive) P(positive), up to a constant,
    among the rows without a label, of which `share` is positive.
    """
    positive = is_labelled.astype(np.float64)
    model = kept = fit_naive_bayes(points, positive, negative)
    least = np.inf
    for _ in range(_MOST_STEPS):
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
    return np.asarray((counts + 1.0) / (counts.sum() + len(counts)))


@dataclass(frozen=True, eq=False)
class Spies:
    """The labelled rows that were spies, the score they set, and the rows below it."""

    is_spy: BoolArray
    threshold: float
    is_negative: BoolArray


def send_spies(
    points: Any,
    is_labelled: BoolArray,
    prior: float,
    *,
    spy_share: float,
    noise: float,
    random: RandomState,
    groups: IndexArray,
) -> Spies:
    """Hide spies among the unlabelled rows, and take rows that score below them as negatives.

    All labelled rows of a group (`data.repeats`) are spies, or none: a copy that stays would give
    the spy away.
    """
    labelled = np.flatnonzero(labelled_groups(groups, is_labelled))
    n_spies = min(max(1, math.floor(spy_share * len(labelled) + 0.5)), len(labelled) - 1)
    is_spy = is_labelled & np.isin(groups, random.choice(labelled, n_spies, replace=False))
    known = is_labelled & ~is_spy
    share = share_of_rest(prior, known)
    scores = em_naive_bayes(points, known, (~known).astype(np.float64), share).scores(points)
    # A single labelled row cannot be a spy: the median of the unlabelled rows is used instead.
    rows, part = (is_spy, noise) if n_spies else (~is_labelled, 0.5)
    threshold = spy_threshold(scores[rows], part)
    is_negative = ~is_labelled & (scores < threshold)
    return Spies(is_spy, threshold, at_least_one(is_negative, ~is_labelled, scores))


def spy_threshold(scores: FloatArray, noise: float) -> float:
    """Return the largest score that at most the share `noise` of the spies lies below."""
    rising = np.sort(scores)
    return float(rising[min(math.floor(noise * len(rising) + 1e-9), len(rising) - 1)])


def at_least_one(chosen: BoolArray, among: BoolArray, scores: FloatArray) -> BoolArray:
    """Return the lowest of `among` if nothing was chosen: the second step needs a negative."""
    if not chosen.any():
        chosen = among & (scores == scores[among].min())
    return chosen


@dataclass(frozen=True, eq=False)
class _SpyModel:
    second: Any
    spies: Spies

    def scores(self, points: Any) -> FloatArray:
        if hasattr(self.second, "scores"):
            return np.asarray(self.second.scores(points))
        return positive_scores(self.second, points)


class SpyClassifier(EncodedClassifier):
    """Spies among the unlabelled rows show which of these are surely negative.

    S-EM of Liu, Lee, Yu and Li, Partially supervised classification of text documents (ICML 2002).
    Step 1: some labelled positives, the spies, are put among the unlabelled rows; naive Bayes with
    EM tells the remaining positives from this mixture; unlabelled rows that score below nearly all
    spies are reliable negatives. Step 2: naive Bayes learns from positives and reliable negatives,
    and EM continues over the other rows.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Step 2 by this classifier, of positives against reliable negatives alone, as in the authors'
        comparison of 2003. By default EM with naive Bayes.
    spy_share : float, default=0.15
        Share of the labelled positives that become spies: the paper's 15 %. Of copies all or none.
    noise : float, default=0.15
        Share of the spies that may score below the threshold, because positives may be outliers:
        the paper's 15 %.

    Attributes
    ----------
    reliable_negatives_ : int array
        The rows that step 1 took as negatives, and known ones.
    spies_ : int array
        The labelled rows that were spies.
    spy_threshold_ : float
        The log odds below which rows are reliable negatives.

    Notes
    -----
    The paper has texts, and so multinomial naive Bayes, which is used for sparse tables here. It
    does not treat tables of numbers; they get a Gaussian per column and class, with a tenth of the
    column's variance added to the variance in a class. EM stops before the estimated error first
    rises, as in the paper, with P(positive) from the prior. A single labelled row cannot be a spy;
    then the lower-scoring half of the unlabelled rows are reliable negatives.
    There is no `sample_weight`. Time grows linearly with the rows.

    Both cut at the prior, S-EM was no better than naive Bayes of labelled against unlabelled rows
    (benchmarks/bench_methods.py).
    """

    estimator: Annotated[Any, HasMethods(["fit", "predict"]), None] = None
    _: KW_ONLY
    spy_share: Annotated[float, SHARE] = 0.15
    noise: Annotated[float, SHARE] = 0.15

    _uses_negatives: ClassVar[bool] = True

    def _check_parameters(self) -> None:
        if self.estimator is not None:
            checked_classifier(self.estimator, None)

    def _learn(self, points: Any, labels: PULabels, random: RandomState) -> _SpyModel:
        is_labelled = labels.is_labelled
        spies = send_spies(
            points,
            is_labelled,
            self.prior_,
            spy_share=self.spy_share,
            noise=self.noise,
            random=random,
            groups=groups_for_folds(points, is_labelled),
        )
        spies = replace(spies, is_negative=spies.is_negative | labels.is_negative)
        if self.estimator is None:
            negative = spies.is_negative.astype(np.float64)
            share = share_of_rest(self.prior_, is_labelled)
            second = em_naive_bayes(points, is_labelled, negative, share, labels.is_negative)
            return _SpyModel(second, spies)
        rows = is_labelled | spies.is_negative
        second = with_random_state(clone(self.estimator), random)
        return _SpyModel(second.fit(points[rows], is_labelled[rows].astype(np.intp)), spies)

    def _keep(self, model: _SpyModel, order: IndexArray) -> None:
        self.reliable_negatives_ = given_numbers(model.spies.is_negative, order)
        self.spies_ = given_numbers(model.spies.is_spy, order)
        self.spy_threshold_ = model.spies.threshold

    def _half(self) -> float:
        return 0.5 if hasattr(self.estimator, "predict_proba") else 0.0
