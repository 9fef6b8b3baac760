"""The classifiers."""

from pucut.estimators.naive import ElkanNotoClassifier, PUThresholdClassifier
from pucut.estimators.pu_extra_trees import PUExtraTreesClassifier
from pucut.estimators.two_hnc import TwoHNCClassifier

__all__ = [
    "ElkanNotoClassifier",
    "PUExtraTreesClassifier",
    "PUThresholdClassifier",
    "TwoHNCClassifier",
]
