"""Positive-unlabelled learning by parametric minimum cuts."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pucut import estimators
from pucut.comparison import Comparison, compare
from pucut.displays import (
    CutPathDisplay,
    NegativeRankingDisplay,
    PriorSensitivityDisplay,
    PUCalibrationDisplay,
)
from pucut.estimators import (
    BaggingSVMClassifier,
    BiasedSVMClassifier,
    CutOutlierDetector,
    CutQueryStrategy,
    ElkanNotoClassifier,
    HNCClassifier,
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
from pucut.size_estimate import FitEstimate, estimate_fit

if TYPE_CHECKING:
    from pucut.estimators import NNPUClassifier as NNPUClassifier
    from pucut.estimators import UPUClassifier as UPUClassifier

__version__ = version("pucut")

__all__ = [
    "BaggingSVMClassifier",
    "BiasedSVMClassifier",
    "Comparison",
    "CutOutlierDetector",
    "CutPath",
    "CutPathDisplay",
    "CutQueryStrategy",
    "ElkanNotoClassifier",
    "FitEstimate",
    "HNCClassifier",
    "NegativeRankingDisplay",
    "OneClassPUClassifier",
    "PUBaggingClassifier",
    "PUCalibrationDisplay",
    "PUExtraTreesClassifier",
    "PULabelPropagationClassifier",
    "PUMaxMarginClassifier",
    "PUThresholdClassifier",
    "PriorSensitivityDisplay",
    "RocchioClassifier",
    "SpyClassifier",
    "TwoHNCClassifier",
    "__version__",
    "compare",
    "estimate_fit",
    "estimate_prior",
    "parametric_cut",
]
# Those that need PyTorch: listed where it is installed, imported when they are first asked for.
__all__ += [name for name in estimators.NEURAL if name in estimators.__all__]


def __getattr__(name: str) -> Any:
    if name not in estimators.NEURAL:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(estimators, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *estimators.NEURAL})
