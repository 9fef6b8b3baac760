"""The classifiers, and what else the nested cuts are good for.

Those of `NEURAL` need PyTorch, and are imported when they are first asked for.
"""

import importlib.util
from typing import TYPE_CHECKING, Any

from pucut.estimators.bagging import BaggingSVMClassifier, PUBaggingClassifier
from pucut.estimators.graph_methods import PULabelPropagationClassifier, PUMaxMarginClassifier
from pucut.estimators.hnc import HNCClassifier
from pucut.estimators.naive import ElkanNotoClassifier, PUThresholdClassifier
from pucut.estimators.one_class import OneClassPUClassifier
from pucut.estimators.outliers import CutOutlierDetector
from pucut.estimators.pu_extra_trees import PUExtraTreesClassifier
from pucut.estimators.queries import CutQueryStrategy
from pucut.estimators.svm import BiasedSVMClassifier
from pucut.estimators.two_hnc import TwoHNCClassifier
from pucut.estimators.two_step import RocchioClassifier, SpyClassifier

if TYPE_CHECKING:
    from pucut.estimators.neural import NNPUClassifier as NNPUClassifier
    from pucut.estimators.neural import UPUClassifier as UPUClassifier

NEURAL = ("NNPUClassifier", "UPUClassifier")

__all__ = [
    "BaggingSVMClassifier",
    "BiasedSVMClassifier",
    "CutOutlierDetector",
    "CutQueryStrategy",
    "ElkanNotoClassifier",
    "HNCClassifier",
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
# `from pucut import *` shall work without PyTorch too.
if importlib.util.find_spec("torch") is not None:
    __all__ += ["NNPUClassifier", "UPUClassifier"]


def __getattr__(name: str) -> Any:
    if name not in NEURAL:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        neural = importlib.import_module("pucut.estimators.neural")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            f"{name} needs PyTorch, which is not installed: pip install 'pucut[torch]'"
        ) from error
    return getattr(neural, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *NEURAL})
