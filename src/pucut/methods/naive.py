"""Any scikit-learn classifier, made PU: the obvious approach, done with care."""

import numbers
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import MetaEstimatorMixin, _fit_context
from sklearn.utils import get_tags, indexable
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from pucut._support.checks import FloatArray
from pucut._support.constraints import PRIOR_CONSTRAINTS
from pucut.data.containers import ONE_DIMENSION, refuse_kinds, with_sorted_indices
from pucut.data.labels import PULabels
from pucut.data.row_order import IndexArray, in_order, row_order
from pucut.judging.cross_fitting import (
    CrossFit,
    checked_classifier,
    cross_fit,
    default_classifier,
    mean_scores,
)
from pucut.methods._base import PUClassifier


class _CrossFittedClassifier(MetaEstimatorMixin, PUClassifier):
    """Labelled against unlabelled, cross-fitted: scores for the answers of the base class."""

    _answers_rest_on: ClassVar[tuple[str, ...] | None] = (
        "estimators_",
        "label_frequency_",
        "_n_threads",
    )

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "prior": PRIOR_CONSTRAINTS,
        "n_folds": [Interval(numbers.Integral, 2, None, closed="left")],
        "pos_label": "no_validation",
        "neg_label": "no_validation",
        "n_jobs": [numbers.Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        prior: Any = "auto",
        n_folds: int = 5,
        pos_label: Any = None,
        neg_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.n_folds = n_folds
        self.pos_label = pos_label
        self.neg_label = neg_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        # What X may hold is up to the wrapped classifier.
        tags = super().__sklearn_tags__()
        if self.estimator is None:
            tags.input_tags = get_tags(default_classifier(None)).input_tags
            tags.input_tags.sparse = True  # for which there is another default
        else:
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _fit_scores(self, X: Any, y: Any) -> tuple[Any, PULabels, CrossFit, IndexArray]:
        refuse_kinds(X)
        (X,) = indexable(with_sorted_indices(X))
        self._check_columns(X, reset=True)
        labels = self._read_labels(y, _num_samples(X))
        order = row_order(X, labels.signs)
        X, labels = in_order(X, order), labels.in_order(order)
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
        return X, labels, fitted, order

    def _score_rows(self, X: Any) -> FloatArray:
        self._check_columns(X, reset=False)
        return mean_scores(self.estimators_, with_sorted_indices(X), self._n_threads)

    def _check_columns(self, X: Any, *, reset: bool) -> None:
        """Number and names of the columns; their contents are checked by the wrapped classifier."""
        shape = np.shape(X) if isinstance(X, (list, tuple)) else getattr(X, "shape", None)
        if shape is not None and len(shape) == 1:
            raise ValueError(ONE_DIMENSION.format(shape=shape))
        validate_data(self, X, reset=reset, skip_check_array=True)


class PUThresholdClassifier(_CrossFittedClassifier):
    """A classifier of labelled against unlabelled rows, cut at the prior.

    The classifier is cross-fitted, so that the score of a row comes from a model that has not seen
    it as "unlabelled". A row is positive above the score at which the share of positives among the
    training rows, the labelled ones included, is the prior. Unseen rows are scored by the mean of
    the models.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Needs `predict_proba` or `decision_function`. By default histogram gradient boosting, and
        for sparse X logistic regression.
    prior : float or "auto", default="auto"
        Fraction of positives among all samples given to `fit`, labelled and unlabelled; "auto"
        estimates it (see `prior_estimate_`). Among the unlabelled alone the fraction is smaller.
    n_folds : int, default=5
        Number of models; at most as many as there are labelled rows. A single labelled row cannot
        be left out, so then there is one model, fitted to all rows.
    pos_label : value of y, optional
        The value that means labelled positive, if it is not what `y` itself says.
    neg_label : value of y, optional
        The value that means known negative; all values but these two then mean unlabelled.
    n_jobs : int, optional
        Number of threads that share the models, each of which has one; results do not depend on
        it. None is 1 and -1 is all processors.
    random_state : int, RandomState instance or None, default=None
        For the folds, for the models that do not have a random state of their own, and for the
        estimate of the prior.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of y that means unlabelled or negative, then the one that means positive.
    prior_ : float
        The prior that was used.
    prior_estimate_ : PriorEstimate or None
        How the prior was estimated; None if it was given.
    estimators_ : tuple of fitted classifiers
    scores_ : float array of shape (n_samples,)
        Scores of the training rows, out of fold.
    threshold_ : float
        The score above which a row is positive to `predict`: the share of `scores_` above it is
        the prior.
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the labelled rows are positive, and as many of the best others
        as bring the share of positives to the prior. `predict` on the same rows knows less: it
        ignores labels and uses all models, including those that have seen the rows.

    Notes
    -----
    A positive that is harder to recognise is as likely to be labelled as an easy one: that is
    what "labelled completely at random" (SCAR) means, and the ranking rests on it.
    """

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Cross-fits the classifier and finds the threshold.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Whatever the classifier takes.
        y : array-like of shape (n_samples,)
            Two values, one for labelled positives (the larger number, a word such as "yes", or
            `pos_label`) and the other for unlabelled rows; missing values mean unlabelled too. With
            `neg_label` known negatives, and everything else is unlabelled.
        """
        X, labels, fitted, order = self._fit_scores(X, y)
        # A classifier given by the user may take what the default ones do not.
        scores = None if self.estimator is None else fitted.scores
        self._settle_prior(X, labels, scores)
        self._settle_answers(fitted.scores, labels, half=None)
        self._set_in_given_order(order)
        return self


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
    n_folds, pos_label, neg_label, n_jobs, random_state
        As in `PUThresholdClassifier`.

    Attributes
    ----------
    label_frequency_ : float
        c, the estimated share of the positives that is labelled.
    classes_, prior_, prior_estimate_, estimators_, scores_, transduction_, threshold_
        As in `PUThresholdClassifier`; scores are the probabilities of a positive.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_CrossFittedClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
    }

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Cross-fits the classifier and finds c.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Whatever the classifier takes.
        y : array-like of shape (n_samples,)
            Two values, one for labelled positives (the larger number, a word such as "yes", or
            `pos_label`) and the other for unlabelled rows; missing values mean unlabelled too. With
            `neg_label` known negatives, and everything else is unlabelled.
        """
        X, labels, fitted, order = self._fit_scores(X, y)
        self._settle_prior(X, labels, fitted.scores, method="elkan_noto")
        self.label_frequency_ = labels.labelled_share / self.prior_
        self._settle_answers(self._divided(fitted.scores), labels, half=0.5)
        self._set_in_given_order(order)
        return self

    def _score_rows(self, X: Any) -> FloatArray:
        return self._divided(super()._score_rows(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """P(labelled) / c, at most 1, in the second column, and 1 minus that in the first."""
        check_is_fitted(self)
        positive = self._score_rows(X)
        return np.column_stack([1.0 - positive, positive])

    def _divided(self, scores: FloatArray) -> FloatArray:
        return np.minimum(scores / self.label_frequency_, 1.0)
