"""Expectation maximisation over which unlabelled rows are positive.

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

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.calibration import shift_to_mean

# Where no prior is given, the search begins at this one, or at this multiple of the labelled share.
_FIRST_PRIOR, _FIRST_FACTOR, _MOST = 0.4, 1.3, 0.95
_LEAST_WEIGHT = 1e-9
_LEAST = 1e-12
_MAX_STEPS_OF_A_REGRESSION = 1000


@dataclass(frozen=True, eq=False)
class ClassAndPropensity:
    """Both models.

    Attributes
    ----------
    classes, propensities : LogisticRegression
        `propensities` is None if it depends on no column.
    shift : float
        Added to the log odds of `classes`; with it, the mean over the rows of fit is the prior.
    columns : int array
        The encoded columns that the propensity depends on.
    constant : float
        The propensity, if it depends on no column.
    n_steps : int
    """

    classes: Any
    shift: float
    propensities: Any
    columns: Any
    constant: float
    n_steps: int

    def scores(self, points: Any) -> FloatArray:
        """Log odds of a positive."""
        found: FloatArray = self.classes.decision_function(points) + self.shift
        return found

    def propensity(self, points: Any) -> FloatArray:
        if self.propensities is None:
            return np.full(points.shape[0], self.constant)
        found: FloatArray = self.propensities.predict_proba(points[:, self.columns])[:, 1]
        return found

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
    """Both models; with a prior, the probabilities of a positive have it as their mean.

    The steps end when the posterior of the unlabelled rows changes by less than `tol` in the mean.
    """
    if start is None:
        start = _first_guess(points, is_labelled, columns, prior, C)
    unlabelled = ~is_labelled
    classes, propensities = _regression(C), _regression(C)
    twice = _stacked(points, points[unlabelled])
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
    """Labelled against unlabelled rows, at the prior; every positive as likely to be labelled."""
    share = float(is_labelled.mean())
    if prior is None:
        prior = max(min(max(_FIRST_PRIOR, _FIRST_FACTOR * share), _MOST), share)
    weights = np.where(is_labelled, prior / share, (1.0 - prior) / (1.0 - share))
    classes = _regression(C).fit(points, is_labelled, sample_weight=weights)
    shift = shift_to_mean(classes.decision_function(points), prior)
    return ClassAndPropensity(classes, shift, None, columns, share / prior, 0)


def _regression(C: float) -> LogisticRegression:
    return LogisticRegression(C=C, warm_start=True, max_iter=_MAX_STEPS_OF_A_REGRESSION)


def _stacked(first: Any, second: Any) -> Any:
    if is_sparse(first):
        blocks: list[Any] = [first, second]
        return sp.vstack(blocks, format="csr")
    return np.concatenate([first, second])
