"""The classifiers."""

from pucut.estimators.bagging import BaggingSVMClassifier, PUBaggingClassifier
from pucut.estimators.graph_methods import PULabelPropagationClassifier, PUMaxMarginClassifier
from pucut.estimators.naive import ElkanNotoClassifier, PUThresholdClassifier
from pucut.estimators.one_class import OneClassPUClassifier
from pucut.estimators.pu_extra_trees import PUExtraTreesClassifier
from pucut.estimators.svm import BiasedSVMClassifier
from pucut.estimators.two_hnc import TwoHNCClassifier
from pucut.estimators.two_step import RocchioClassifier, SpyClassifier

__all__ = [
    "BaggingSVMClassifier",
    "BiasedSVMClassifier",
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
]
