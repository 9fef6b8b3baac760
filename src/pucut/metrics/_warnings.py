"""A model that calls all rows positive, or none, is worth a warning."""

import warnings
from typing import Any

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.labels import PULabels, checked_pu_labels
from pucut.exceptions import OneClassPredictionWarning


def warn_if_one_class(
    y_true: Any,
    y_pred: Any,
    *,
    prior: float | None = None,
    pos_label: Any = None,
    neg_label: Any = None,
) -> bool:
    """Warns, and returns True, if every row is predicted the same.

    A model trained on positives against unlabelled rows and asked for the likelier of the two
    often calls everything unlabelled; nothing measured about it is then meaningful.

    Parameters
    ----------
    y_true, y_pred, pos_label, neg_label
        As in `pu_accuracy`.
    prior : float, optional
        Fraction of positives among these rows, for the message.
    """
    labels = checked_pu_labels(y_true, pos_label=pos_label, neg_label=neg_label)
    return warn_of_one_class(labels, labels.decode(y_pred), prior)


def warn_of_one_class(labels: PULabels, is_predicted: BoolArray, prior: float | None) -> bool:
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


def warn_if_constant(scores: FloatArray) -> bool:
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
