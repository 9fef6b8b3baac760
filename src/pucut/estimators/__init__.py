"""The classifiers."""

from pucut.estimators.naive import ElkanNotoClassifier, PUThresholdClassifier

__all__ = ["ElkanNotoClassifier", "PUThresholdClassifier"]
