"""How good a model is, estimated from positive and unlabelled rows: no negative is needed.

Symbols, once for all formulas. V are all rows given, labelled and unlabelled together (the
single-training-set scenario: a labelled row is one of the sample, marked), L the labelled ones, f
the prediction, and ::

    prior = share of positives in V, given by the user
    recall = share of L with f = 1
    predicted = share of V with f = 1

Labels are assumed to be drawn completely at random from the positives (SCAR). Then L looks like all
positives, `recall` estimates the true one, and since V is a mixture of both classes, ::

    predicted = prior * recall + (1 - prior) * false_positive_rate

gives the rest. Estimates are not clipped: a model better on L than chance allows can get an
accuracy above 1, and it would be wrong to hide that when models are compared; `clip=True` clips.
The rows must be new to the model (a test fold): labels it has seen may be memorised.
"""

import inspect
import numbers
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata

from pucut._support.checks import BoolArray, FloatArray, checked_scores
from pucut.data.labels import PULabels, checked_prior, checked_pu_labels

__all__ = [
    "OneClassPredictionWarning",
    "PUScorer",
    "hidden_positive_recall",
    "lee_liu_score",
    "make_pu_scorer",
    "nnpu_risk",
    "proxy_accuracy",
    "proxy_roc_auc",
    "pu_accuracy",
    "pu_balanced_accuracy",
    "pu_f1",
    "pu_precision",
    "pu_roc_auc",
    "upu_risk",
    "warn_if_one_class",
]


class OneClassPredictionWarning(UserWarning):
    """A model calls every row positive, or none, or gives all rows the same score."""


class _Rates(NamedTuple):
    prior: float
    recall: float
    predicted: float

    @property
    def false_positive_rate(self) -> float:
        return (self.predicted - self.prior * self.recall) / (1.0 - self.prior)


# Rounding in stratified folds can give a fold this many labelled rows more than its share.
_ROWS_TOO_MANY = 2


def pu_accuracy(
    y_true: Any, y_pred: Any, *, prior: float, pos_label: Any = None, clip: bool = False
) -> float:
    """Accuracy over all rows: 2 prior recall + 1 - prior - predicted.

    Equal to 1 - `upu_risk` with the zero-one loss. Its standard error is near
    2 prior sqrt(recall (1 - recall) / n_labelled). Assumes SCAR.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        PU labels: labelled positive or unlabelled.
    y_pred : array-like of shape (n_samples,)
        Predictions, in the values of `y_true`.
    prior : float
        Fraction of positives among these rows, labelled and unlabelled together.
    pos_label : value of y_true, optional
        The value that means labelled positive, if it is not the larger of the two.
    clip : bool
        Whether to clip the estimate to [0, 1], which it can leave.

    References
    ----------
    du Plessis, Niu, Sugiyama: Analysis of learning from positive and unlabeled data. NeurIPS 2014.
    """
    rates = _rates(y_true, y_pred, prior, pos_label)
    return _clipped(1.0 - rates.prior + 2.0 * rates.prior * rates.recall - rates.predicted, clip)


def pu_balanced_accuracy(
    y_true: Any, y_pred: Any, *, prior: float, pos_label: Any = None, clip: bool = False
) -> float:
    """Mean of recall and true negative rate: (recall + 1 - false_positive_rate) / 2.

    false_positive_rate = (predicted - prior recall) / (1 - prior). Assumes SCAR; parameters are
    those of `pu_accuracy`.

    References
    ----------
    Jain, White, Radivojac: Recovering true classifier performance in positive-unlabeled learning.
    AAAI 2017.
    """
    rates = _rates(y_true, y_pred, prior, pos_label)
    return _clipped((rates.recall + 1.0 - rates.false_positive_rate) / 2.0, clip)


def pu_precision(
    y_true: Any,
    y_pred: Any,
    *,
    prior: float,
    pos_label: Any = None,
    clip: bool = False,
    zero_division: float = 0.0,
) -> float:
    """Share of positives among the predicted ones: prior recall / predicted.

    `zero_division` is the answer where nothing is predicted positive. Assumes SCAR; the other
    parameters are those of `pu_accuracy`.

    References
    ----------
    Jain, White, Radivojac: Recovering true classifier performance in positive-unlabeled learning.
    AAAI 2017.
    """
    rates = _rates(y_true, y_pred, prior, pos_label)
    if rates.predicted == 0.0:
        return float(zero_division)
    return _clipped(rates.prior * rates.recall / rates.predicted, clip)


def pu_f1(
    y_true: Any, y_pred: Any, *, prior: float, pos_label: Any = None, clip: bool = False
) -> float:
    """Harmonic mean of precision and recall: 2 prior recall / (prior + predicted).

    0 where nothing is predicted positive. Assumes SCAR; parameters are those of `pu_accuracy`.

    References
    ----------
    Jain, White, Radivojac: Recovering true classifier performance in positive-unlabeled learning.
    AAAI 2017.
    """
    rates = _rates(y_true, y_pred, prior, pos_label)
    return _clipped(2.0 * rates.prior * rates.recall / (rates.prior + rates.predicted), clip)


def pu_roc_auc(
    y_true: Any, y_score: Any, *, prior: float, pos_label: Any = None, clip: bool = False
) -> float:
    """Area under the ROC curve of positives against negatives.

    With A the probability that a row of L scores above a row of V (equal scores count half),
    A = prior / 2 + (1 - prior) AUC, so AUC = (A - prior / 2) / (1 - prior). A is 1 / 2 inside L,
    so that this is the same as correcting the area of labelled against unlabelled rows by the
    share of positives among the unlabelled. Assumes SCAR.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        PU labels: labelled positive or unlabelled.
    y_score : array-like of shape (n_samples,)
        Higher means more likely positive.
    prior, pos_label, clip
        As in `pu_accuracy`.

    References
    ----------
    Menon, van Rooyen, Ong, Williamson: Learning from corrupted binary labels via class-probability
    estimation. ICML 2015. Jain, White, Radivojac: AAAI 2017.
    """
    labels, scores = _labels_and_scores(y_true, y_score, pos_label)
    prior = _checked_prior(prior, labels)
    against_unlabelled = _area(labels.is_labelled, scores)
    share = labels.labelled_share
    against_all = share / 2.0 + (1.0 - share) * against_unlabelled
    return _clipped((against_all - prior / 2.0) / (1.0 - prior), clip)


def lee_liu_score(
    y_true: Any, y_pred: Any, *, pos_label: Any = None, zero_division: float = 0.0
) -> float:
    """recall^2 / predicted, which is precision times recall over the prior.

    Needs no prior: at any prior it orders models as precision * recall does.
    At most 1 / prior; `zero_division` is the answer where nothing is predicted positive. Assumes
    SCAR; parameters are those of `pu_accuracy`.

    References
    ----------
    Lee, Liu: Learning with positive and unlabeled examples using weighted logistic regression.
    ICML 2003.
    """
    labels = checked_pu_labels(y_true, pos_label=pos_label)
    is_predicted = labels.decode(y_pred)
    if not is_predicted.any():
        return float(zero_division)
    return float(is_predicted[labels.is_labelled].mean() ** 2 / is_predicted.mean())


def upu_risk(
    y_true: Any, y_score: Any, *, prior: float, loss: str = "zero-one", pos_label: Any = None
) -> float:
    """Unbiased PU risk, smaller is better; can be negative.

    prior mean_L l(g) - prior mean_L l(-g) + mean_V l(-g), where g is the score and l the loss of a
    margin z: "zero-one" (1 below 0, 1 / 2 at 0), "sigmoid" 1 / (1 + exp z) or "logistic"
    log(1 + exp(-z)). The unlabelled sample of the papers is V: without the labelled rows it would
    hold too few positives. Assumes SCAR.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        PU labels: labelled positive or unlabelled.
    y_score : array-like of shape (n_samples,)
        Margins: positive above 0. For a probability p, use log(p / (1 - p)).
    prior : float
        Fraction of positives among these rows, labelled and unlabelled together.
    loss : "zero-one", "sigmoid" or "logistic"
    pos_label : value of y_true, optional
        The value that means labelled positive, if it is not the larger of the two.

    References
    ----------
    du Plessis, Niu, Sugiyama: Analysis of learning from positive and unlabeled data. NeurIPS 2014;
    Convex formulation for learning from positive and unlabeled data. ICML 2015.
    """
    risk_positive, risk_negative = _pu_risks(y_true, y_score, prior, loss, pos_label)
    return risk_positive + risk_negative


def nnpu_risk(
    y_true: Any, y_score: Any, *, prior: float, loss: str = "sigmoid", pos_label: Any = None
) -> float:
    """Non-negative PU risk, smaller is better.

    prior mean_L l(g) + max(0, mean_V l(-g) - prior mean_L l(-g)): the part that stands for the
    negatives cannot be below 0 in truth and is not allowed to be in the estimate, which makes it
    biased but steadier. Assumes SCAR; parameters are those of `upu_risk`.

    References
    ----------
    Kiryo, Niu, du Plessis, Sugiyama: Positive-unlabeled learning with non-negative risk estimator.
    NeurIPS 2017.
    """
    risk_positive, risk_negative = _pu_risks(y_true, y_score, prior, loss, pos_label)
    return risk_positive + max(0.0, risk_negative)


def hidden_positive_recall(
    y_true: Any, y_score: Any, *, prior: float, pos_label: Any = None
) -> float:
    """Recall if exactly the share `prior` of the rows, the highest scores, is predicted positive.

    With predicted = prior the accuracy is 1 - 2 prior (1 - recall): recall alone orders models as
    accuracy does, and a model cannot win by calling more rows positive. It holds for any fixed
    share; the prior is the one at which the best possible model has no error. Rows of equal score
    at the border are predicted in part, so that ties are broken neither for nor against a model.
    Assumes SCAR.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Marks the positives the model did not know to be positive: the labelled rows of a test
        fold, or labelled rows that were hidden among the unlabelled (`HiddenPositivesSplit`).
    y_score : array-like of shape (n_samples,)
        Higher means more likely positive.
    prior : float
        Fraction of the rows that is predicted positive.
    pos_label : value of y_true, optional
        The value that means labelled positive, if it is not the larger of the two.
    """
    labels, scores = _labels_and_scores(y_true, y_score, pos_label)
    n_predicted = _checked_prior(prior, labels) * labels.n_samples
    _, value_of_row, counts = np.unique(scores, return_inverse=True, return_counts=True)
    above = counts.sum() - np.cumsum(counts)
    share_predicted = np.clip((n_predicted - above) / counts, 0.0, 1.0)
    return float(share_predicted[value_of_row][labels.is_labelled].mean())


def proxy_accuracy(y_true: Any, y_pred: Any, *, prior: float, pos_label: Any = None) -> float:
    """2 prior recall + share of V with f = 0, which is `pu_accuracy` + prior.

    The model selection criterion "PA" of the paper below, as the benchmark of its authors has it
    for two samples; the unlabelled one is V here. It orders models as `pu_accuracy` does, from
    which it differs by a constant, and only that one can be read as an accuracy. Assumes SCAR;
    parameters are those of `pu_accuracy`.

    References
    ----------
    Wang, Wu, Li, Zhang, Niu, Sugiyama: Accessible, realistic, and fair evaluation of
    positive-unlabeled learning algorithms. ICLR 2026, arXiv 2509.24228.
    """
    rates = _rates(y_true, y_pred, prior, pos_label)
    return 2.0 * rates.prior * rates.recall + 1.0 - rates.predicted


def proxy_roc_auc(y_true: Any, y_score: Any, *, pos_label: Any = None) -> float:
    """Area under the ROC curve of labelled against unlabelled rows.

    The model selection criterion "PAUC" of the paper below. With u the share of positives among
    the unlabelled it estimates u / 2 + (1 - u) AUC, and so orders models as the true area does; it
    needs no prior, but looks worse than the model is. Assumes SCAR; parameters are those of
    `pu_roc_auc`.

    References
    ----------
    Wang, Wu, Li, Zhang, Niu, Sugiyama: Accessible, realistic, and fair evaluation of
    positive-unlabeled learning algorithms. ICLR 2026, arXiv 2509.24228.
    """
    labels, scores = _labels_and_scores(y_true, y_score, pos_label)
    return _area(labels.is_labelled, scores)


def warn_if_one_class(
    y_true: Any, y_pred: Any, *, prior: float | None = None, pos_label: Any = None
) -> bool:
    """Warns, and returns True, if every row is predicted the same.

    A model trained on positives against unlabelled rows and asked for the likelier of the two
    often calls everything unlabelled; nothing measured about it is then meaningful.

    Parameters
    ----------
    y_true, y_pred, pos_label
        As in `pu_accuracy`.
    prior : float, optional
        Fraction of positives among these rows, for the message.
    """
    labels = checked_pu_labels(y_true, pos_label=pos_label)
    return _warn_if_one_class(labels, labels.decode(y_pred), prior)


def _warn_if_one_class(labels: PULabels, is_predicted: BoolArray, prior: float | None) -> bool:
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


_LABELS = ("predict",)
_SCORES = ("decision_function", "predict_proba")


class _Kind(NamedTuple):
    response_method: tuple[str, ...]
    greater_is_better: bool = True
    takes_margins: bool = False


_KINDS: dict[Callable[..., float], _Kind] = {
    pu_accuracy: _Kind(_LABELS),
    pu_balanced_accuracy: _Kind(_LABELS),
    pu_precision: _Kind(_LABELS),
    pu_f1: _Kind(_LABELS),
    lee_liu_score: _Kind(_LABELS),
    proxy_accuracy: _Kind(_LABELS),
    pu_roc_auc: _Kind(_SCORES),
    proxy_roc_auc: _Kind(_SCORES),
    hidden_positive_recall: _Kind(_SCORES),
    upu_risk: _Kind(_SCORES, greater_is_better=False, takes_margins=True),
    nnpu_risk: _Kind(_SCORES, greater_is_better=False, takes_margins=True),
}


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
        labels = checked_pu_labels(y, pos_label=self.arguments.get("pos_label"))
        response = getattr(estimator, method)(X)
        if method == "predict":
            _warn_if_one_class(labels, labels.decode(response), self.prior)
        else:
            response = _one_column(response, estimator, labels)
            if method == "predict_proba" and self.takes_margins:
                response = _logit(response)
            if not _warn_if_constant(response) and self.takes_margins:
                _warn_if_one_class(labels, response > 0.0, self.prior)
        given = {} if self.prior is None else {"prior": self.prior}
        return self.sign * float(self.metric(y, response, **given, **self.arguments))

    def __repr__(self) -> str:
        given = [] if self.prior is None else [f"prior={self.prior:g}"]
        given += [f"{name}={value!r}" for name, value in self.arguments.items()]
        minus = "-" if self.sign < 0 else ""
        return f"PUScorer({minus}{', '.join([self.metric.__name__, *given])})"


def make_pu_scorer(
    metric: Callable[..., float],
    *,
    prior: float | None = None,
    response_method: str | tuple[str, ...] | None = None,
    greater_is_better: bool | None = None,
    **arguments: Any,
) -> PUScorer:
    """Makes a metric usable as `scoring` in GridSearchCV, cross_val_score and their like.

    Use it with `PUStratifiedKFold`, so that every fold has its labelled rows. Warns
    (`OneClassPredictionWarning`) if a model predicts one class for all rows of a fold.

    Parameters
    ----------
    metric : callable
        One of this module, or any `metric(y_true, y_pred, ...)` of PU labels.
    prior : float
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
    if not callable(metric):
        raise TypeError(f"metric must be a function such as pu_accuracy, found {metric!r}")
    kind = _KINDS.get(metric, _Kind(_LABELS))
    takes_prior = _takes(metric, "prior")
    if takes_prior and prior is None:
        raise TypeError(
            f"{metric.__name__} needs prior, the fraction of positives among all samples; "
            "lee_liu_score and proxy_roc_auc do without"
        )
    if prior is not None and not _is_share(prior):
        raise ValueError(f"prior must be a number above 0 and below 1, found {prior!r}")
    if response_method is None:
        response_method = kind.response_method
    elif isinstance(response_method, str):
        response_method = (response_method,)
    allowed = {*_LABELS, *_SCORES}
    if not response_method or not set(response_method) <= allowed:
        raise ValueError(
            f"response_method must be of {', '.join(sorted(allowed))}, found {response_method!r}"
        )
    if greater_is_better is None:
        greater_is_better = kind.greater_is_better
    return PUScorer(
        metric,
        tuple(response_method),
        1 if greater_is_better else -1,
        kind.takes_margins,
        float(prior) if takes_prior and prior is not None else None,
        arguments,
    )


def _is_share(value: Any) -> bool:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    return is_number and 0.0 < float(value) < 1.0


def _takes(metric: Callable[..., float], name: str) -> bool:
    parameters = inspect.signature(metric).parameters.values()
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in parameters)


def _one_column(response: Any, estimator: Any, labels: PULabels) -> FloatArray:
    """Scores of the positive class, in whichever column or sign the estimator has them."""
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
    margin: FloatArray = np.log(p) - np.log1p(-p)
    return margin


def _rates(y_true: Any, y_pred: Any, prior: float, pos_label: Any) -> _Rates:
    labels = checked_pu_labels(y_true, pos_label=pos_label)
    is_predicted = labels.decode(y_pred)
    return _Rates(
        _checked_prior(prior, labels),
        float(is_predicted[labels.is_labelled].mean()),
        float(is_predicted.mean()),
    )


def _checked_prior(prior: float, labels: PULabels) -> float:
    """As given, even if a fold has one or two more labelled rows than it allows."""
    try:
        checked_prior(prior, labels)
    except ValueError:
        if not 0.0 < prior < 1.0 or prior * labels.n_samples < labels.n_labelled - _ROWS_TOO_MANY:
            raise
    return float(prior)


def _labels_and_scores(y_true: Any, y_score: Any, pos_label: Any) -> tuple[PULabels, FloatArray]:
    labels = checked_pu_labels(y_true, pos_label=pos_label)
    return labels, checked_scores(y_score, "y_score", labels.n_samples)


def _area(is_first: BoolArray, scores: FloatArray) -> float:
    """Probability that a row of the first kind scores above one of the other, ties half."""
    n_first = int(is_first.sum())
    n_other = len(is_first) - n_first
    wins = rankdata(scores)[is_first].sum() - n_first * (n_first + 1) / 2.0
    return float(wins / (n_first * n_other))


_LOSSES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "zero-one": lambda margin: (1.0 - np.sign(margin)) / 2.0,
    "sigmoid": lambda margin: expit(-margin),
    "logistic": lambda margin: np.logaddexp(0.0, -margin),
}


def _pu_risks(
    y_true: Any, y_score: Any, prior: float, loss: str, pos_label: Any
) -> tuple[float, float]:
    """The parts of the risk that stand for the positives and for the negatives."""
    labels, scores = _labels_and_scores(y_true, y_score, pos_label)
    prior = _checked_prior(prior, labels)
    if loss not in _LOSSES:
        raise ValueError(f"loss must be one of {', '.join(_LOSSES)}, found {loss!r}")
    as_positive = _LOSSES[loss](scores)
    as_negative = _LOSSES[loss](-scores)
    positives = labels.is_labelled
    return (
        float(prior * as_positive[positives].mean()),
        float(as_negative.mean() - prior * as_negative[positives].mean()),
    )


def _clipped(value: float, clip: bool) -> float:
    return min(max(value, 0.0), 1.0) if clip else value
