"""Any scikit-learn classifier, made PU by cross-fitting and a threshold or a division."""

import numbers
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import get_tags, indexable
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from pucut._support.checks import FloatArray, IndexArray
from pucut._support.constraints import N_JOBS
from pucut.data.containers import ONE_DIMENSION, refuse_kinds, with_sorted_indices
from pucut.data.labels import PULabels
from pucut.data.tables import source_of
from pucut.judging.cross_fitting import (
    checked_classifier,
    cross_fit,
    default_classifier,
    mean_scores,
)
from pucut.methods._base import PUClassifier


class _CrossFittedClassifier(MetaEstimatorMixin, PUClassifier):
    """Base of the classifiers that cross-fit labelled against unlabelled rows.

    Parameters
    ----------
    n_folds : int, default=5
        Number of models; at most as many as there are labelled rows. A single labelled row cannot
        be left out, so then there is one model, fitted to all rows.
    n_jobs : int, optional
        Number of threads that share the models, each of which has one; results do not depend on
        it. None is 1 and -1 is all processors.

    Attributes
    ----------
    estimators_ : tuple of fitted classifiers
    """

    estimator: Annotated[Any, HasMethods(["fit", "predict"]), None] = None
    _: KW_ONLY
    n_folds: Annotated[int, Interval(numbers.Integral, 2, None, closed="left")] = 5
    n_jobs: Annotated[int | None, N_JOBS] = None

    _answers_rest_on: ClassVar[tuple[str, ...] | None] = (
        "estimators_",
        "label_frequency_",
        "_n_threads",
    )

    def __sklearn_tags__(self) -> Any:
        # The wrapped classifier decides what X may hold.
        tags = super().__sklearn_tags__()
        if self.estimator is None:
            tags.input_tags = get_tags(default_classifier(None)).input_tags
            tags.input_tags.sparse = True  # for which there is another default
        else:
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _checked_table(self, X: Any, *, reset: bool) -> Any:
        """Check number and names of the columns; the wrapped classifier checks their contents."""
        if reset:
            refuse_kinds(X)
            (X,) = indexable(with_sorted_indices(X))
        shape = np.shape(X) if isinstance(X, (list, tuple)) else getattr(X, "shape", None)
        if shape is not None and len(shape) == 1:
            raise ValueError(ONE_DIMENSION.format(shape=shape))
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _cross_fitted(self, X: Any, labels: PULabels) -> FloatArray:
        """Set the models, and return the scores of the training rows."""
        self._n_threads = int(effective_n_jobs(self.n_jobs))
        fitted = cross_fit(
            checked_classifier(self.estimator, X),
            X,
            labels.is_labelled,
            n_folds=self.n_folds,
            random_state=self.random_state,
            n_threads=self._n_threads,
        )
        self.estimators_ = fitted.models
        return fitted.scores

    def _score_rows(self, X: Any) -> FloatArray:
        X = with_sorted_indices(self._checked_table(X, reset=False))
        return mean_scores(self.estimators_, X, self._n_threads)


class PUThresholdClassifier(_CrossFittedClassifier):
    """A classifier of labelled against unlabelled rows, cut at the prior.

    The classifier is cross-fitted, so that the score of a row comes from a model that has not seen
    it as "unlabelled". A row is positive above the score at which the share of positives among the
    training rows, the labelled ones included, is the prior. Unseen rows are scored by the mean of
    the models.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Needs `predict_proba` or `decision_function`; X may hold whatever it takes. By default
        histogram gradient boosting, and for sparse X logistic regression.

    Attributes
    ----------
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the labelled rows are positive, and as many of the best others
        as bring the share of positives to the prior. `predict` on the same rows knows less: it
        ignores labels and uses all models, including those that have seen the rows.

    Notes
    -----
    A positive that is harder to recognise is as likely to be labelled as an easy one: that is
    what "labelled completely at random" (SCAR) means, and the ranking rests on it.
    """

    def _fit_rows(self, rows: Any, labels: PULabels, order: IndexArray) -> None:
        scores = self._cross_fitted(source_of(rows), labels)
        # The default estimators may not take what the user's classifier takes.
        self._settle_prior(rows, labels, None if self.estimator is None else scores)
        self._settle_answers(scores, labels, half=None)


class ElkanNotoClassifier(_CrossFittedClassifier):
    """P(positive) = P(labelled) / c, with c the labelled share of the positives.

    Elkan and Noto (KDD 2008): if positives are labelled completely at random, a classifier of
    labelled against unlabelled rows that is calibrated only needs to be divided by c, which is its
    mean over labelled rows it has not seen (their estimator e1), or follows from a given prior.
    A row is positive if its probability is above 1/2; `PUThresholdClassifier` cuts the same scores
    at the prior.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Needs `predict_proba`, which should be calibrated. By default histogram gradient boosting,
        and for sparse X logistic regression.
    prior : float or "auto", default="auto"
        Fraction of positives among all samples given to `fit`, labelled and unlabelled. "auto" is
        Elkan and Noto's own estimate, the labelled fraction over c.

    Attributes
    ----------
    label_frequency_ : float
        c, the estimated share of the positives that is labelled.
    scores_ : float array of shape (n_samples,)
        Probabilities of a positive, by models that did not see the rows.
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the labelled rows, and those with a probability above 1/2, are
        positive.
    """

    estimator: Annotated[Any, HasMethods(["fit", "predict_proba"]), None] = None

    def _fit_rows(self, rows: Any, labels: PULabels, order: IndexArray) -> None:
        scores = self._cross_fitted(source_of(rows), labels)
        self._settle_prior(rows, labels, scores, method="elkan_noto")
        self.label_frequency_ = labels.labelled_share / self.prior_
        self._settle_answers(self._divided(scores), labels, half=0.5)

    def _score_rows(self, X: Any) -> FloatArray:
        return self._divided(super()._score_rows(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return 1 - p and p of each row, with p = P(labelled) / c, at most 1."""
        check_is_fitted(self)
        positive = self._score_rows(X)
        return np.column_stack([1.0 - positive, positive])

    def _divided(self, scores: FloatArray) -> FloatArray:
        return np.minimum(scores / self.label_frequency_, 1.0)
