"""Quality of a model, estimated from positive and unlabelled rows alone.

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

from pucut.exceptions import OneClassPredictionWarning
from pucut.metrics._estimates import (
    hidden_positive_recall,
    lee_liu_score,
    nnpu_risk,
    proxy_accuracy,
    proxy_roc_auc,
    pu_accuracy,
    pu_balanced_accuracy,
    pu_f1,
    pu_precision,
    pu_roc_auc,
    upu_risk,
)
from pucut.metrics._scorer import PUScorer, make_pu_scorer, warn_if_one_class

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
