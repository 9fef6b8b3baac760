"""Metrics as scikit-learn's `scoring`, and warnings of predictions that tell nothing."""

import inspect
import numbers
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.labels import PULabels, checked_pu_labels, prior_number
from pucut.exceptions import OneClassPredictionWarning
from pucut.metrics import _estimates as estimates

_LABELS = ("predict",)
_SCORES = ("decision_function", "predict_proba")


_OF_CLASSES = (
    estimates.pu_accuracy,
    estimates.pu_balanced_accuracy,
    estimates.pu_precision,
    estimates.pu_f1,
    estimates.lee_liu_score,
    estimates.proxy_accuracy,
)
_OF_SCORES = (estimates.pu_roc_auc, estimates.proxy_roc_auc, estimates.hidden_positive_recall)
_RISKS = (estimates.upu_risk, estimates.nnpu_risk)


@dataclass(frozen=True, eq=False)
class PUScorer:
    """A metric as scikit-learn's `scoring`: called with a fitted estimator, X and PU labels.

    Made by `make_pu_scorer`; greater is always better, risks are negated.
    """

    metric: Callable[..., float]
    response_method: tuple[str, ...]
    sign: int
    takes_margins: bool
    prior: float | None
    arguments: dict[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        method = next((name for name in self.response_method if hasattr(estimator, name)), None)
        if method is None:
            raise TypeError(
                f"{self.metric.__name__} needs {' or '.join(self.response_method)}, which "
                f"{estimator!r} does not have"
            )
        names = {name: self.arguments.get(name) for name in ("pos_label", "neg_label")}
        labels = checked_pu_labels(y, **names)
        response = getattr(estimator, method)(X)
        if method == "predict":
            _warn_of_one_class(labels, labels.decode(response), self.prior)
        else:
            response = _one_column(response, estimator, labels)
            if method == "predict_proba" and self.takes_margins:
                response = _logit(response)
            if not _warn_if_constant(response) and self.takes_margins:
                _warn_of_one_class(labels, response > 0.0, self.prior)
        given = {} if self.prior is None else {"prior": self.prior}
        return self.sign * float(self.metric(y, response, **given, **self.arguments))

    def __repr__(self) -> str:
        given = [] if self.prior is None else [f"prior={self.prior:g}"]
        given += [f"{name}={value!r}" for name, value in self.arguments.items()]
        minus = "-" if self.sign < 0 else ""
        return f"PUScorer({minus}{', '.join([self.metric.__name__, *given])})"


def make_pu_scorer(
    metric: str | Callable[..., float],
    *,
    prior: Any = None,
    response_method: str | tuple[str, ...] | None = None,
    greater_is_better: bool | None = None,
    **arguments: Any,
) -> PUScorer:
    """Make a metric usable as `scoring` in GridSearchCV, cross_val_score and their like.

    Use it with `PUStratifiedKFold`, so that every fold has its labelled rows. Warns
    (`OneClassPredictionWarning`) if a model predicts one class for all rows of a fold.

    Parameters
    ----------
    metric : str or callable
        One of this module or its name, or any `metric(y_true, y_pred, ...)` of PU labels. Of
        predicted classes: `pu_accuracy`, `pu_balanced_accuracy`, `pu_precision`, `pu_f1`,
        `lee_liu_score`, `proxy_accuracy`. Of scores: `pu_roc_auc`, `proxy_roc_auc`,
        `hidden_positive_recall`, `upu_risk`, `nnpu_risk`. `lee_liu_score` and `proxy_roc_auc` need
        no prior. `pu_accuracy` at the prior of the model is also what the method `score` of the
        classifiers returns.
    prior : float or PriorEstimate
        Fraction of positives among all samples. Needed by the metrics that take one.
    response_method : str or tuple of str, optional
        The methods of the estimator to use, the first that exists. For the metrics of this module
        it is known: `predict`, or `decision_function` and else
        `predict_proba`, whose logit is the margin of the risks. For others "predict".
    greater_is_better : bool, optional
        If False, the negative of the metric is maximised. For the metrics of this module it is
        known (False for the risks), for others True.
    **arguments
        More arguments of the metric, such as `pos_label` or `loss`.
    """
    by_name = {each.__name__: each for each in (*_OF_CLASSES, *_OF_SCORES, *_RISKS)}
    if isinstance(metric, str):
        metric = by_name.get(metric, metric)
    if isinstance(metric, str) or not callable(metric):
        raise TypeError(
            f"metric must be one of {', '.join(by_name)} or a function, found {metric!r}"
        )
    is_risk = metric in _RISKS
    parameters = inspect.signature(metric).parameters.values()
    takes_prior = any(p.name == "prior" or p.kind is p.VAR_KEYWORD for p in parameters)
    if takes_prior and prior is None:
        raise TypeError(
            f"{metric.__name__} needs prior, the fraction of positives among all samples; "
            "lee_liu_score and proxy_roc_auc do without"
        )
    prior = prior_number(prior)
    is_number = isinstance(prior, numbers.Real) and not isinstance(prior, (bool, np.bool_))
    if prior is not None and not (is_number and 0.0 < float(prior) < 1.0):
        raise ValueError(f"prior must be a number above 0 and below 1, found {prior!r}")
    if response_method is None:
        response_method = _SCORES if is_risk or metric in _OF_SCORES else _LABELS
    elif isinstance(response_method, str):
        response_method = (response_method,)
    allowed = {*_LABELS, *_SCORES}
    if not response_method or not set(response_method) <= allowed:
        raise ValueError(
            f"response_method must be of {', '.join(sorted(allowed))}, found {response_method!r}"
        )
    if greater_is_better is None:
        greater_is_better = not is_risk
    return PUScorer(
        metric,
        tuple(response_method),
        1 if greater_is_better else -1,
        is_risk,
        float(prior) if takes_prior and prior is not None else None,
        arguments,
    )


def warn_if_one_class(
    y_true: Any,
    y_pred: Any,
    *,
    prior: float | None = None,
    pos_label: Any = None,
    neg_label: Any = None,
) -> bool:
    """Warn, and return True, if every row is predicted the same.

    A model trained on positives against unlabelled rows often predicts the likelier of the two for
    every row, which is unlabelled; nothing measured about it is then meaningful.

    Parameters
    ----------
    y_true, y_pred, pos_label, neg_label
        As in `pu_accuracy`.
    prior : float, optional
        Fraction of positives among these rows, for the message.
    """
    labels = checked_pu_labels(y_true, pos_label=pos_label, neg_label=neg_label)
    return _warn_of_one_class(labels, labels.decode(y_pred), prior)


def _one_column(response: Any, estimator: Any, labels: PULabels) -> FloatArray:
    """Return scores of the positive class, whatever the order of the estimator's classes."""
    scores = np.asarray(response, dtype=np.float64)
    classes = list(getattr(estimator, "classes_", [None, labels.classes[1]]))
    place = next((i for i, value in enumerate(classes) if value == labels.classes[1]), None)
    if len(classes) != 2 or place is None:
        raise ValueError(
            f"{estimator!r} was fitted to the classes {classes}, but positive is "
            f"{labels.classes[1]!r} here"
        )
    if scores.ndim == 2:
        return scores[:, place]
    return scores if place == 1 else -scores


def _logit(probability: FloatArray) -> FloatArray:
    # A certain 0 or 1 counts as a margin of about 36, where a double cannot tell it from 1.
    low = np.finfo(np.float64).eps
    p = np.clip(probability, low, 1.0 - low)
    return np.log(p) - np.log1p(-p)


def _warn_of_one_class(labels: PULabels, is_predicted: BoolArray, prior: float | None) -> bool:
    n_predicted = int(is_predicted.sum())
    if 0 < n_predicted < labels.n_samples:
        return False
    expected = "" if prior is None else f", where about {prior * labels.n_samples:.0f} are expected"
    advice = (
        "The usual cause is the threshold of a model that was trained to tell labelled from "
        "unlabelled rows: take the score that the prior's share of the rows exceeds "
        "(PUThresholdClassifier)"
        if n_predicted == 0
        else "Lower the prior the model was given, or raise its threshold"
    )
    warnings.warn(
        f"the model calls {n_predicted} of {labels.n_samples} rows positive{expected}; "
        f"{labels.n_labelled} of them are labelled positive. {advice}; and see whether the scores "
        "differ at all",
        OneClassPredictionWarning,
        stacklevel=3,
    )
    return True


def _warn_if_constant(scores: FloatArray) -> bool:
    if scores.min() < scores.max():
        return False
    warnings.warn(
        f"the model gives all {len(scores)} rows the same score, {scores[0]:.6g}: it has learnt "
        "nothing from the features. See whether they are constant, or the model too regularised "
        "for the number of labelled rows",
        OneClassPredictionWarning,
        stacklevel=3,
    )
    return True
