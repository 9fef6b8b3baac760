"""Positive-unlabelled learning by parametric minimum cuts."""

from importlib.metadata import version

from pucut.estimators import (
    ElkanNotoClassifier,
    PUExtraTreesClassifier,
    PUThresholdClassifier,
    TwoHNCClassifier,
)
from pucut.parametric_cut import CutPath, parametric_cut
from pucut.priors import estimate_prior

__version__ = version("pucut")

__all__ = [
    "CutPath",
    "ElkanNotoClassifier",
    "PUExtraTreesClassifier",
    "PUThresholdClassifier",
    "TwoHNCClassifier",
    "__version__",
    "estimate_prior",
    "parametric_cut",
]
