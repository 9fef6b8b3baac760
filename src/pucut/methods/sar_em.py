"""SAR-EM: expectation maximisation over which unlabelled rows are positive.

Bekker, Robberechts, Davis: Beyond the selected completely at random assumption for learning from
positive and unlabeled data, ECML PKDD 2019, section 5.

In the paper        here
f(x)                `probability`, that the row is positive, by a logistic regression on all columns
e(x)                `propensity`, that it is labelled if it is positive, by another one on the
                    columns that decide about labels
ŷ                   `posterior`, that the row is positive, given that it is labelled or not

Expectation: a labelled row is positive; an unlabelled one is so with odds f (1 - e) to 1 - f.
Maximisation: f learns from every row as a positive of weight ŷ and a negative of weight 1 - ŷ; e
learns from labelled against unlabelled rows, each of weight ŷ.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
from numpy.random import RandomState
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_sparse
from pucut._support.constraints import COUNT, NOT_NEGATIVE, POSITIVE
from pucut.calibration import Calibration, calibrate_log_odds, shift_to_mean
from pucut.data.labels import PULabels, checked_prior
from pucut.data.row_order import in_given_order
from pucut.data.tables import chosen_columns
from pucut.methods._encoded import EncodedClassifier

# Without a prior, the search begins at this one, or at this multiple of the labelled share.
_FIRST_PRIOR, _FIRST_FACTOR, _MOST = 0.4, 1.3, 0.95
_LEAST_WEIGHT = 1e-9
_LEAST = 1e-12
_MAX_STEPS_OF_A_REGRESSION = 1000
# Steps of the model of a fold, which starts where the steps on all rows ended. It moves slowly, and
# its held-out rows weigh little on where it began.
_LAST_STEPS = 3


@dataclass(frozen=True, eq=False)
class ClassAndPropensity:
    """The logistic regressions of class and propensity, and the steps that led to them."""

    classes: Any
    shift: float  # added to the log odds of `classes`, whose mean probability is then the prior
    propensities: Any  # None if the propensity depends on no column
    columns: Any  # encoded columns that the propensity depends on
    constant: float  # the propensity, if it depends on no column
    n_steps: int

    def scores(self, points: Any) -> FloatArray:
        """Return the log odds of a positive."""
        return np.asarray(self.classes.decision_function(points) + self.shift)

    def propensity(self, points: Any) -> FloatArray:
        if self.propensities is None:
            return np.full(points.shape[0], self.constant)
        return np.asarray(self.propensities.predict_proba(points[:, self.columns])[:, 1])

    def posterior(self, points: Any, is_labelled: BoolArray) -> FloatArray:
        positive, missed = expit(self.scores(points)), 1.0 - self.propensity(points)
        hidden = positive * missed
        return np.where(is_labelled, 1.0, hidden / np.maximum(hidden + 1.0 - positive, _LEAST))


def learn_class_and_propensity(
    points: Any,
    is_labelled: BoolArray,
    columns: Any,
    *,
    prior: float | None,
    C: float,
    max_iter: int,
    tol: float,
    start: ClassAndPropensity | None = None,
) -> ClassAndPropensity:
    """Fit both models; with a prior, the probabilities of a positive have it as their mean."""
    if start is None:
        start = _first_guess(points, is_labelled, columns, prior, C)
    unlabelled = ~is_labelled
    classes, propensities = _regression(C), _regression(C)
    parts: list[Any] = [points, points[unlabelled]]
    twice = sp.vstack(parts, format="csr") if is_sparse(points) else np.concatenate(parts)
    is_positive = np.repeat([1, 0], [len(is_labelled), int(np.count_nonzero(unlabelled))])
    model, posterior = start, start.posterior(points, is_labelled)
    for n_steps in range(1, max_iter + 1):
        weights = np.concatenate([posterior, 1.0 - posterior[unlabelled]])
        classes.fit(twice, is_positive, sample_weight=np.maximum(weights, _LEAST_WEIGHT))
        if len(columns):
            propensities.fit(
                points[:, columns], is_labelled, sample_weight=np.maximum(posterior, _LEAST_WEIGHT)
            )
        model = ClassAndPropensity(
            classes,
            0.0 if prior is None else shift_to_mean(classes.decision_function(points), prior),
            propensities if len(columns) else None,
            columns,
            float(np.count_nonzero(is_labelled) / posterior.sum()),
            n_steps,
        )
        before, posterior = posterior, model.posterior(points, is_labelled)
        if np.abs(posterior - before)[unlabelled].mean() < tol:
            break
    return model


def _first_guess(
    points: Any, is_labelled: BoolArray, columns: Any, prior: float | None, C: float
) -> ClassAndPropensity:
    """Fit labelled against unlabelled rows at the prior, with the same propensity for all."""
    share = float(is_labelled.mean())
    if prior is None:
        prior = max(min(max(_FIRST_PRIOR, _FIRST_FACTOR * share), _MOST), share)
    weights = np.where(is_labelled, prior / share, (1.0 - prior) / (1.0 - share))
    classes = _regression(C).fit(points, is_labelled, sample_weight=weights)
    shift = shift_to_mean(classes.decision_function(points), prior)
    return ClassAndPropensity(classes, shift, None, columns, share / prior, 0)


def _regression(C: float) -> LogisticRegression:
    return LogisticRegression(C=C, warm_start=True, max_iter=_MAX_STEPS_OF_A_REGRESSION)


class SAREMClassifier(EncodedClassifier):
    """For labels that were not drawn at random: learns who was labelled along with who is positive.

    SAR-EM of Bekker, Robberechts and Davis (ECML PKDD 2019): *selected at random* given some
    columns. A logistic regression on all columns says which rows are positive, another one on the
    columns that you name how likely a positive was to be labelled: its propensity. Expectation
    maximisation fits both.

    Parameters
    ----------
    propensity_columns : list of indices or names, or a mask, optional
        The columns that decided which positives were labelled, such as the hospital, the amount or
        the year. By default none: all positives have the same propensity. Name few: no data of this
        kind can tell whether a column says who is positive or who was labelled, so with many of
        them the two models share out what they explain at will (see Notes).
        `pucut.check_labelling` shows which columns differ.
    prior : float or "auto", default="auto"
        Fraction of positives among all samples given to `fit`, labelled and unlabelled. "auto"
        takes the mean probability of a positive that the two models arrive at; without
        `propensity_columns`, it is estimated as for all methods (see `prior_estimate_`).
    C : float, default=1.0
        Inverse strength of the penalty of both regressions, as in scikit-learn.
    max_iter : int, default=100
        Most steps of expectation maximisation.
    tol : float, default=0.001
        The steps end when the posterior of the unlabelled rows changes by less in the mean.

    Attributes
    ----------
    propensity_ : float array of shape (n_samples,)
        For each training row the chance that it is labelled, if it is positive.
    posterior_ : float array of shape (n_samples,)
        For each training row the probability that it is positive, given whether it is labelled.
    n_iter_ : int
        Steps that were taken; `max_iter` means that they may not have ended.
    prior_estimate_ : PriorEstimate or None
        How the prior was estimated; None if it was given, or found by the steps themselves.
    scores_ : float array of shape (n_samples,)
        Log odds of the training rows, by models that did not see them.

    Notes
    -----
    The paper takes the columns of the propensity as given, too. Named rightly, they are all that is
    needed; with all columns named, the method was worse than one that ignores the bias
    (docs/biased_labels.md has the figures). Categories and missing values are encoded as for the
    other methods. There is no `sample_weight`. Time grows linearly with the rows.
    """

    propensity_columns: Annotated[Any, "array-like", None] = None
    _: KW_ONLY
    C: Annotated[float, POSITIVE] = 1.0
    max_iter: Annotated[int, COUNT] = 100
    tol: Annotated[float, NOT_NEGATIVE] = 1e-3

    def predict_propensity(self, X: Any) -> FloatArray:
        """Return the chance of each row to be labelled, if it is positive."""
        check_is_fitted(self)
        return np.asarray(self._model.propensity(self._points_of(X)))

    def _check_parameters(self) -> None:
        chosen = () if self.propensity_columns is None else self.propensity_columns
        names = getattr(self, "feature_names_in_", None)
        self._chosen = chosen_columns(chosen, self.n_features_in_, names, "propensity_columns")

    def _settle_prior(
        self, X: Any, labels: PULabels, scores: FloatArray | None = None, method: str = "auto"
    ) -> None:
        if isinstance(self.prior, str) and self._chosen.any():
            # An estimate would assume that labels are drawn at random.
            self.prior_estimate_ = None
        else:
            super()._settle_prior(X, labels, scores, method)

    def _prepare(self, points: Any, labels: PULabels, random: RandomState) -> None:
        self._columns = np.flatnonzero(self._chosen[self._encoding.column])
        is_free = isinstance(self.prior, str) and bool(self._chosen.any())
        prior = None if is_free else self.prior_
        self._start = self._steps(points, labels, prior=prior, max_iter=self.max_iter)
        if is_free:
            mean = float(expit(self._start.scores(points)).mean())
            most = labels.largest_prior - 0.5 / labels.n_samples
            self.prior_ = checked_prior(min(max(mean, labels.labelled_share), most), labels)

    def _learn(self, points: Any, labels: PULabels, random: RandomState) -> ClassAndPropensity:
        last = min(self.max_iter, _LAST_STEPS)
        return self._steps(points, labels, prior=self.prior_, max_iter=last, start=self._start)

    def _steps(self, points: Any, labels: PULabels, **options: Any) -> ClassAndPropensity:
        options |= {"C": self.C, "tol": self.tol}
        return learn_class_and_propensity(points, labels.is_labelled, self._columns, **options)

    def _keep(self, model: ClassAndPropensity, order: IndexArray) -> None:
        self.n_iter_ = self._start.n_steps

    def _unseen_scores(self, points: Any, labels: PULabels, random: RandomState) -> FloatArray:
        self.propensity_ = self._model.propensity(points)
        posterior = self._model.posterior(points, labels.is_labelled)
        self.posterior_ = np.where(labels.is_negative, 0.0, posterior)
        return super()._unseen_scores(points, labels, random)

    def _calibrated(self, scores: FloatArray, labels: PULabels) -> Calibration:
        # The calibration of the other methods assumes that labels are a random draw.
        return calibrate_log_odds(scores, self.prior_, half_at=self.threshold_)

    def _set_in_given_order(self, order: IndexArray) -> None:
        super()._set_in_given_order(order)
        self.propensity_ = in_given_order(self.propensity_, order)
        self.posterior_ = in_given_order(self.posterior_, order)
