"""Positive-unlabelled learning by parametric minimum cuts."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pucut import methods
from pucut.comparison import Comparison, compare
from pucut.cuts.parametric_cut import CutPath, parametric_cut
from pucut.displays import (
    CutPathDisplay,
    NegativeRankingDisplay,
    PriorSensitivityDisplay,
    PUCalibrationDisplay,
    SelectionDisplay,
)
from pucut.methods.size import FitEstimate
from pucut.outliers import CutOutlierDetector
from pucut.priors import estimate_prior
from pucut.queries import CutQueryStrategy
from pucut.semi_supervised import HNCClassifier

if TYPE_CHECKING:
    from pucut.methods import *  # noqa: F403 - every classifier, as that room lists them
else:
    # Those that need PyTorch are imported when they are first asked for.
    globals().update(
        {name: getattr(methods, name) for name in methods.CLASSIFIERS if name not in methods.NEURAL}
    )

__version__ = version("pucut")

__all__ = [
    "Comparison",
    "CutOutlierDetector",
    "CutPath",
    "CutPathDisplay",
    "CutQueryStrategy",
    "FitEstimate",
    "HNCClassifier",
    "NegativeRankingDisplay",
    "PUCalibrationDisplay",
    "PriorSensitivityDisplay",
    "SelectionDisplay",
    "__version__",
    "compare",
    "estimate_prior",
    "parametric_cut",
]
__all__ += methods.CLASSIFIERS


def __getattr__(name: str) -> Any:
    if name not in methods.NEURAL:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(methods, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *methods.NEURAL})
