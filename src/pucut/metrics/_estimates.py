"""The metrics, in the symbols of `pucut.metrics`."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata

from pucut._support.checks import BoolArray, FloatArray, checked_scores
from pucut.data.labels import PULabels, checked_prior, checked_pu_labels, prior_number

# Rounding in stratified folds can give a fold this many labelled rows more than its share.
_ROWS_TOO_MANY = 2


def pu_accuracy(
    y_true: Any,
    y_pred: Any,
    *,
    prior: float,
    pos_label: Any = None,
    neg_label: Any = None,
    clip: bool = False,
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
    pos_label, neg_label : values of y_true, optional
        The values that mean labelled positive and known negative, if the labels do not say so
        themselves.
    clip : bool
        Whether to clip the estimate to [0, 1], which it can leave.

    References
    ----------
    du Plessis, Niu, Sugiyama: Analysis of learning from positive and unlabeled data. NeurIPS 2014.
    """
    prior, recall, predicted = _rates(y_true, y_pred, prior, pos_label, neg_label)
    return _clipped(1.0 - prior + 2.0 * prior * recall - predicted, clip)


def pu_balanced_accuracy(
    y_true: Any,
    y_pred: Any,
    *,
    prior: float,
    pos_label: Any = None,
    neg_label: Any = None,
    clip: bool = False,
) -> float:
    """Mean of recall and true negative rate: (recall + 1 - false_positive_rate) / 2.

    false_positive_rate = (predicted - prior recall) / (1 - prior). Assumes SCAR; parameters are
    those of `pu_accuracy`.

    References
    ----------
    Jain, White, Radivojac: Recovering true classifier performance in positive-unlabeled learning.
    AAAI 2017.
    """
    prior, recall, predicted = _rates(y_true, y_pred, prior, pos_label, neg_label)
    false_positive_rate = (predicted - prior * recall) / (1.0 - prior)
    return _clipped((recall + 1.0 - false_positive_rate) / 2.0, clip)


def pu_precision(
    y_true: Any,
    y_pred: Any,
    *,
    prior: float,
    pos_label: Any = None,
    neg_label: Any = None,
    clip: bool = False,
    zero_division: float = 0.0,
) -> float:
    """Share of positives among the predicted ones: prior recall / predicted.

    `zero_division` is the answer where nothing is predicted positive. Assumes SCAR; the other
    parameters are those of `pu_accuracy`, and the reference is that of `pu_balanced_accuracy`.
    """
    prior, recall, predicted = _rates(y_true, y_pred, prior, pos_label, neg_label)
    if predicted == 0.0:
        return float(zero_division)
    return _clipped(prior * recall / predicted, clip)


def pu_f1(
    y_true: Any,
    y_pred: Any,
    *,
    prior: float,
    pos_label: Any = None,
    neg_label: Any = None,
    clip: bool = False,
) -> float:
    """Harmonic mean of precision and recall: 2 prior recall / (prior + predicted).

    Without a predicted positive it is 0. Assumes SCAR; parameters are those of `pu_accuracy`, and
    the reference is that of `pu_balanced_accuracy`.
    """
    prior, recall, predicted = _rates(y_true, y_pred, prior, pos_label, neg_label)
    return _clipped(2.0 * prior * recall / (prior + predicted), clip)


def pu_roc_auc(
    y_true: Any,
    y_score: Any,
    *,
    prior: float,
    pos_label: Any = None,
    neg_label: Any = None,
    clip: bool = False,
) -> float:
    """Area under the ROC curve of positives against negatives.

    With A the probability that a row of L scores above a row of V (equal scores count half),
    A = prior / 2 + (1 - prior) AUC, so AUC = (A - prior / 2) / (1 - prior). A is 1 / 2 inside L,
    so that this is the same as correcting the area of labelled against unlabelled rows by the
    share of positives among the unlabelled. Assumes SCAR.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        Higher means more likely positive.
    y_true, prior, pos_label, neg_label, clip
        As in `pu_accuracy`.

    References
    ----------
    Menon, van Rooyen, Ong, Williamson: Learning from corrupted binary labels via class-probability
    estimation. ICML 2015. Jain, White, Radivojac: AAAI 2017.
    """
    labels, scores = _labels_and_scores(y_true, y_score, pos_label, neg_label)
    prior = _checked_prior(prior, labels)
    against_unlabelled = _area(labels.is_labelled, scores)
    share = labels.labelled_share
    against_all = share / 2.0 + (1.0 - share) * against_unlabelled
    return _clipped((against_all - prior / 2.0) / (1.0 - prior), clip)


def lee_liu_score(
    y_true: Any,
    y_pred: Any,
    *,
    pos_label: Any = None,
    neg_label: Any = None,
    zero_division: float = 0.0,
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
    labels = checked_pu_labels(y_true, pos_label=pos_label, neg_label=neg_label)
    is_predicted = labels.decode(y_pred)
    if not is_predicted.any():
        return float(zero_division)
    return float(is_predicted[labels.is_labelled].mean() ** 2 / is_predicted.mean())


def upu_risk(
    y_true: Any,
    y_score: Any,
    *,
    prior: float,
    loss: str = "zero-one",
    pos_label: Any = None,
    neg_label: Any = None,
) -> float:
    """Unbiased PU risk, smaller is better; can be negative.

    prior mean_L l(g) - prior mean_L l(-g) + mean_V l(-g), where g is the score and l the loss of a
    margin z: "zero-one" (1 below 0, 1 / 2 at 0), "sigmoid" 1 / (1 + exp z) or "logistic"
    log(1 + exp(-z)). The unlabelled sample of the papers is V: without the labelled rows it would
    hold too few positives. Assumes SCAR.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        Margins: positive above 0. For a probability p, use log(p / (1 - p)).
    loss : "zero-one", "sigmoid" or "logistic"
    y_true, prior, pos_label, neg_label
        As in `pu_accuracy`.

    References
    ----------
    du Plessis, Niu, Sugiyama: Analysis of learning from positive and unlabeled data. NeurIPS 2014;
    Convex formulation for learning from positive and unlabeled data. ICML 2015.
    """
    risk_positive, risk_negative = _pu_risks(y_true, y_score, prior, loss, pos_label, neg_label)
    return risk_positive + risk_negative


def nnpu_risk(
    y_true: Any,
    y_score: Any,
    *,
    prior: float,
    loss: str = "sigmoid",
    pos_label: Any = None,
    neg_label: Any = None,
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
    risk_positive, risk_negative = _pu_risks(y_true, y_score, prior, loss, pos_label, neg_label)
    return risk_positive + max(0.0, risk_negative)


def hidden_positive_recall(
    y_true: Any, y_score: Any, *, prior: float, pos_label: Any = None, neg_label: Any = None
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
    pos_label, neg_label
        As in `pu_accuracy`.
    """
    labels, scores = _labels_and_scores(y_true, y_score, pos_label, neg_label)
    n_predicted = _checked_prior(prior, labels) * labels.n_samples
    _, value_of_row, counts = np.unique(scores, return_inverse=True, return_counts=True)
    above = counts.sum() - np.cumsum(counts)
    share_predicted = np.clip((n_predicted - above) / counts, 0.0, 1.0)
    return float(share_predicted[value_of_row][labels.is_labelled].mean())


def proxy_accuracy(
    y_true: Any, y_pred: Any, *, prior: float, pos_label: Any = None, neg_label: Any = None
) -> float:
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
    prior, recall, predicted = _rates(y_true, y_pred, prior, pos_label, neg_label)
    return 2.0 * prior * recall + 1.0 - predicted


def proxy_roc_auc(
    y_true: Any, y_score: Any, *, pos_label: Any = None, neg_label: Any = None
) -> float:
    """Area under the ROC curve of labelled against unlabelled rows.

    The model selection criterion "PAUC" of the paper named in `proxy_accuracy`. With u the share of
    positives among the unlabelled it estimates u / 2 + (1 - u) AUC, and so orders models as the
    true area does; it needs no prior, but looks worse than the model is. Assumes SCAR; parameters
    are those of `pu_roc_auc`.
    """
    labels, scores = _labels_and_scores(y_true, y_score, pos_label, neg_label)
    return _area(labels.is_labelled, scores)


def _rates(
    y_true: Any, y_pred: Any, prior: float, pos_label: Any, neg_label: Any
) -> tuple[float, float, float]:
    """Return the prior, the recall, and the share of rows predicted positive."""
    labels = checked_pu_labels(y_true, pos_label=pos_label, neg_label=neg_label)
    is_predicted = labels.decode(y_pred)
    recall = float(is_predicted[labels.is_labelled].mean())
    return _checked_prior(prior, labels), recall, float(is_predicted.mean())


def _checked_prior(prior: float, labels: PULabels) -> float:
    """Return the prior, even if a fold has one or two more labelled rows than it allows."""
    prior = prior_number(prior)
    try:
        checked_prior(prior, labels)
    except ValueError:
        if not 0.0 < prior < 1.0 or prior * labels.n_samples < labels.n_labelled - _ROWS_TOO_MANY:
            raise
    return float(prior)


def _labels_and_scores(
    y_true: Any, y_score: Any, pos_label: Any, neg_label: Any
) -> tuple[PULabels, FloatArray]:
    labels = checked_pu_labels(y_true, pos_label=pos_label, neg_label=neg_label)
    return labels, checked_scores(y_score, "y_score", labels.n_samples)


def _area(is_first: BoolArray, scores: FloatArray) -> float:
    """Return the probability that a row of the first kind scores above another, ties half."""
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
    y_true: Any, y_score: Any, prior: float, loss: str, pos_label: Any, neg_label: Any
) -> tuple[float, float]:
    """Return the parts of the risk that stand for the positives and for the negatives."""
    labels, scores = _labels_and_scores(y_true, y_score, pos_label, neg_label)
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
