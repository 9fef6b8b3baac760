"""The base of all PU classifiers: labels, the prior, the threshold, probabilities."""

import copy
import warnings
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils.validation import _num_samples, check_is_fitted

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut._support.constraints import PRIOR_CONSTRAINTS, DeclaredParameters
from pucut._support.fitting import FitsWhole
from pucut.calibration import Calibration, calibrate
from pucut.data.containers import checked_table
from pucut.data.label_words import plain
from pucut.data.labels import PULabels, checked_prior, checked_pu_labels
from pucut.data.repeats import equal_rows, repeats, warn_of_copies
from pucut.data.row_order import in_given_order, in_order, row_order
from pucut.data.suspects import suspect_columns, warn_of_suspects
from pucut.data.tables import as_table, read_once
from pucut.exceptions import NegativesNotUsedWarning
from pucut.judging.thresholds import positives_by_prior, threshold_for_share
from pucut.methods._documentation import inherit_documentation
from pucut.metrics import pu_accuracy
from pucut.priors import PriorEstimate, estimate_prior, warn_of_guess

# Folds for out-of-sample scores.
FOLDS = 5
# Results of `fit` that predictions of every model need, beside its parameters.
_OF_EVERY_MODEL = (
    "classes_",
    "prior_",
    "prior_estimate_",
    "threshold_",
    "n_features_in_",
    "feature_names_in_",
    "_calibration",
    "_names_of_labels",
)
# Per-row results of `fit`; predictions do not need them.
_OF_THE_ROWS = ("scores_", "transduction_")


class PUClassifier(FitsWhole, DeclaredParameters, ClassifierMixin, BaseEstimator):
    """Base of the PU classifiers: a subclass learns scores, this class does the rest.

    A subclass defines `_fit_rows`, which learns, and `_score_rows`, which scores any rows, each by
    itself. `fit` passes the rows in the order of `data.row_order`, so that the same table in any
    order gives the same results.

    Known negatives are never predicted positive among the rows of `fit`; the prior is at most what
    they leave, and its estimate learns from them. A subclass that learns from them itself sets
    `_uses_negatives`.

    Subclasses inherit the entries below, as far as they do not document the same names.

    Parameters
    ----------
    prior : float or "auto", default="auto"
        Fraction of positives among all samples given to `fit`, labelled and unlabelled; "auto"
        estimates it (see `prior_estimate_`). Among the unlabelled alone the fraction is smaller.
    pos_label : value of y, optional
        The value that means labelled positive, if it is not what `y` itself says.
    neg_label : value of y, optional
        The value that means known negative; all values but these two then mean unlabelled. Known
        negatives are never predicted positive, and the prior respects them. If the method does not
        learn from them, `fit` warns (`NegativesNotUsedWarning`).
    unlabelled_includes_labelled : bool, default=True
        Whether the unlabelled set of the risk is all rows, as if some rows of one sample were
        labelled, or only the rows without a label.
    n_jobs : int, optional
        Number of threads; results do not depend on it. None is 1 and -1 is all processors.
    random_state : int, RandomState instance or None, default=None
        For all that is drawn at random, including the estimate of the prior and the seeds of an
        `estimator` that has no random state of its own.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of y that means unlabelled or negative, then the one that means positive.
    prior_ : float
        The prior that was used.
    prior_estimate_ : PriorEstimate or None
        How the prior was estimated; None if it was given.
    scores_ : float array of shape (n_samples,)
        Scores of the training rows, by models that did not see them.
    threshold_ : float
        The score above which a row is positive to `predict`.
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the labelled rows are positive, and as many of the best others
        as bring the share of positives to the prior, or, if `threshold` is "half", those above the
        method's own threshold.
    n_features_in_ : int
    feature_names_in_ : array of shape (`n_features_in_`,)
        If X has names for all columns.
    """

    _: KW_ONLY
    prior: Annotated[Any, PRIOR_CONSTRAINTS] = "auto"
    pos_label: Any = None
    neg_label: Any = None
    random_state: Annotated[Any, "random_state"] = None

    # Whether the method learns from known negatives; else a warning says that it does not.
    _uses_negatives: ClassVar[bool] = False
    # The results of `fit` that `_score_rows` reads, for `compact`; None if they are not listed.
    _answers_rest_on: ClassVar[tuple[str, ...] | None] = None

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        inherit_documentation(cls)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the labelled and the unlabelled rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two values, one for labelled positives (the larger number, a word such as "yes", or
            `pos_label`) and the other for unlabelled rows; missing values mean unlabelled too. With
            `neg_label` known negatives, and everything else is unlabelled.
        """
        X = self._checked_table(X, reset=True)
        labels = self._read_labels(y, _num_samples(X))
        rows = read_once(X)
        order = row_order(rows, labels.signs)
        self._fit_rows(in_order(rows, order), labels.in_order(order), order)
        self._set_in_given_order(order)
        return self

    def _fit_rows(self, rows: Any, labels: PULabels, order: IndexArray) -> None:
        """Learn from rows in this order, and call `_settle_prior` and `_settle_answers`.

        `rows` are a `Table` that has been read, whose `source` is X, or X itself if it is something
        else.
        """
        raise NotImplementedError

    def _score_rows(self, X: Any) -> Any:
        """Return the score of each row: higher means more likely positive."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> Any:
        """Return the score of each row less the threshold: above 0 means positive."""
        check_is_fitted(self)
        with self._own_threads():
            return self._score_rows(X) - self.threshold_

    def predict(self, X: Any) -> Any:
        """Return the class of each row, in the two values of `y`."""
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) > 0.0).astype(np.intp)]

    def predict_proba(self, X: Any) -> Any:
        """Return probabilities of the two classes, calibrated so that their mean is the prior."""
        check_is_fitted(self)
        with self._own_threads():
            return self._calibration.probabilities(self._score_rows(X))

    def score(self, X: Any, y: Any) -> float:
        """Estimate the accuracy on X from PU labels: `pucut.metrics.pu_accuracy` at `prior_`.

        Plain accuracy would take unlabelled positives for negatives, and prefer the model that
        finds none of them. `y` is read as in `fit`; rows of X should be new to the model, with
        labels drawn from the positives as those of `fit` were. The estimate may exceed 1 by chance.

        To compare models, as `GridSearchCV` does, give all of them the same number as `prior`, or
        use `pucut.metrics.make_pu_scorer` as `scoring`, which holds the prior fixed.
        """
        check_is_fitted(self)
        return pu_accuracy(y, self.predict(X), prior=self.prior_, **self._names_of_labels)

    def compact(self) -> Self:
        """Return a smaller copy that predicts the same bits, for memory and for model files.

        It keeps the parameters and what `predict`, `predict_proba`, `decision_function` and `score`
        need. Everything else that `fit` has set is left out; accessing it raises an AttributeError
        that says so.
        """
        check_is_fitted(self)
        state = vars(self)
        if self._answers_rest_on is None:
            kept = set(state) - set(_OF_THE_ROWS)
        else:
            kept = {*self.get_params(deep=False), *_OF_EVERY_MODEL, *self._answers_rest_on}
        small = copy.copy(self)
        small.__dict__ = {
            name: value.for_answers() if hasattr(value, "for_answers") else value
            for name, value in state.items()
            if name in kept
        }
        left_out = {*state, *getattr(self, "_left_out", ())} - kept - {"_left_out"}
        small._left_out = tuple(sorted(left_out))
        return small

    if not TYPE_CHECKING:  # else any attribute would be one

        def __getattr__(self, name: str) -> Any:
            left_out = vars(self).get("_left_out", ())
            # A property of the class comes here too, if an attribute that it reads is missing.
            if name in left_out or (left_out and hasattr(type(self), name)):
                raise AttributeError(
                    f"{name} was left out of this {type(self).__name__} by compact(), which keeps "
                    "only what answers need: ask the model that compact() was called on"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _checked_table(self, X: Any, *, reset: bool) -> Any:
        return checked_table(self, X, reset=reset)

    def _read_labels(self, y: Any, n_samples: int) -> PULabels:
        labels = checked_pu_labels(
            y, pos_label=self.pos_label, neg_label=self.neg_label, n_samples=n_samples
        )
        if not labels.is_unlabelled.any():
            raise ValueError(
                "y holds a known class in every row, and no unlabelled row is left to learn from: "
                "any classifier of scikit-learn does that"
            )
        if labels.n_negative and not self._uses_negatives:
            warnings.warn(
                f"{type(self).__name__} does not learn from known negatives: the "
                f"{labels.n_negative} of y count as unlabelled while it learns. The prior respects "
                "them, and they are never predicted positive. To learn from them, use another "
                "method, such as PUCutClassifier",
                NegativesNotUsedWarning,
                stacklevel=3,
            )
        self.classes_ = labels.classes
        # For `score`, whatever the parameters are set to later.
        negative = None if self.neg_label is None else plain(labels.classes[0])
        self._names_of_labels = {"pos_label": plain(labels.classes[1]), "neg_label": negative}
        return labels

    def _settle_prior(
        self, X: Any, labels: PULabels, scores: FloatArray | None = None, method: str = "auto"
    ) -> None:
        """Warn of copies and suspect columns, and set `prior_` and `prior_estimate_`.

        The estimate, None if the prior is a number, uses out-of-fold `scores` if there are any,
        otherwise X.
        """
        n_threads = int(effective_n_jobs(getattr(self, "n_jobs", None)))
        table = as_table(X)
        if table is not None:
            warn_of_copies(repeats(equal_rows(table, n_threads), labels.is_labelled))
            warn_of_suspects(suspect_columns(table, labels, n_threads=n_threads))
        self._set_prior(X, labels, scores, method)

    def _set_prior(
        self, X: Any, labels: PULabels, scores: FloatArray | None = None, method: str = "auto"
    ) -> None:
        """Set the prior without looking for copies and suspect columns."""
        self.prior_estimate_: PriorEstimate | None = None
        if isinstance(self.prior, str):
            self.prior_estimate_ = estimate_prior(
                X,
                labels,
                method,
                scores=scores,
                n_jobs=getattr(self, "n_jobs", None),
                random_state=self.random_state,
            )
            warn_of_guess(self.prior_estimate_)
        elif isinstance(self.prior, PriorEstimate):
            self.prior_estimate_ = self.prior
        given = self.prior if self.prior_estimate_ is None else self.prior_estimate_.prior
        self.prior_ = checked_prior(given, labels)

    def _settle_answers(
        self,
        scores: FloatArray,
        labels: PULabels,
        half: float | None,
        seen: FloatArray | None = None,
    ) -> None:
        """Set the threshold, the classes of the training rows, and the map to probabilities.

        `scores` are out-of-sample scores of the training rows; `half` is the threshold of the
        method's own rule, None for the one at the prior. `seen` are in-sample scores, if these
        classify the training rows better.
        """
        own = scores if seen is None else seen
        self.scores_ = scores
        if half is None:
            self.threshold_ = threshold_for_share(scores, self.prior_)
            positive = positives_by_prior(own, labels, self.prior_)
        else:
            self.threshold_ = half
            positive = labels.is_labelled | (labels.is_unlabelled & (own > half))
        self.transduction_ = labels.encode(positive)
        self._calibration = self._calibrated(scores, labels)

    def _calibrated(self, scores: FloatArray, labels: PULabels) -> Calibration:
        return calibrate(scores, labels, self.prior_, half_at=self.threshold_)

    def _set_in_given_order(self, order: IndexArray) -> None:
        """Turn per-row results from the order of the fit to that of the table."""
        self.scores_ = in_given_order(self.scores_, order)
        self.transduction_ = in_given_order(self.transduction_, order)


def share_of_rest(prior: float, is_labelled: BoolArray, least: float = 0.0) -> float:
    """Return the share of positives among the rows that are not labelled.

    At least `least` of them count as positive: a risk needs some, and half a row is enough.
    """
    n_positive = prior * len(is_labelled) - np.count_nonzero(is_labelled)
    return max(n_positive, least) / np.count_nonzero(~is_labelled)
