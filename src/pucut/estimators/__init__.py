"""The classifiers."""

from pucut.estimators.naive import ElkanNotoClassifier, PUThresholdClassifier
from pucut.estimators.pu_extra_trees import PUExtraTreesClassifier

__all__ = ["ElkanNotoClassifier", "PUExtraTreesClassifier", "PUThresholdClassifier"]
