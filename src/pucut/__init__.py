"""Positive-unlabelled learning by parametric minimum cuts."""

from importlib.metadata import version

from pucut.comparison import Comparison, compare
from pucut.estimators import (
    BaggingSVMClassifier,
    BiasedSVMClassifier,
    ElkanNotoClassifier,
    OneClassPUClassifier,
    PUBaggingClassifier,
    PUExtraTreesClassifier,
    PULabelPropagationClassifier,
    PUMaxMarginClassifier,
    PUThresholdClassifier,
    RocchioClassifier,
    SpyClassifier,
    TwoHNCClassifier,
)
from pucut.parametric_cut import CutPath, parametric_cut
from pucut.priors import estimate_prior

__version__ = version("pucut")

__all__ = [
    "BaggingSVMClassifier",
    "BiasedSVMClassifier",
    "Comparison",
    "CutPath",
    "ElkanNotoClassifier",
    "OneClassPUClassifier",
    "PUBaggingClassifier",
    "PUExtraTreesClassifier",
    "PULabelPropagationClassifier",
    "PUMaxMarginClassifier",
    "PUThresholdClassifier",
    "RocchioClassifier",
    "SpyClassifier",
    "TwoHNCClassifier",
    "__version__",
    "compare",
    "estimate_prior",
    "parametric_cut",
]
