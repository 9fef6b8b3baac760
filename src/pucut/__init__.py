"""Positive-unlabelled learning by parametric minimum cuts."""

import importlib
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

from pucut._support.platform import check_platform as _check_platform

if TYPE_CHECKING:  # for type checkers and editors: when they are imported, `__getattr__` says
    from pucut import calibration as calibration
    from pucut import datasets as datasets
    from pucut import displays as displays
    from pucut import methods as methods
    from pucut import metrics as metrics
    from pucut import model_files as model_files
    from pucut import model_selection as model_selection
    from pucut import priors as priors
    from pucut import report as report
    from pucut import tables as tables
    from pucut.comparison import Comparison as Comparison
    from pucut.comparison import compare as compare
    from pucut.cuts.parametric_cut import CutPath as CutPath
    from pucut.cuts.parametric_cut import parametric_cut as parametric_cut
    from pucut.displays import CutPathDisplay as CutPathDisplay
    from pucut.displays import NegativeRankingDisplay as NegativeRankingDisplay
    from pucut.displays import PriorSensitivityDisplay as PriorSensitivityDisplay
    from pucut.displays import PUCalibrationDisplay as PUCalibrationDisplay
    from pucut.displays import SelectionDisplay as SelectionDisplay
    from pucut.methods import *  # noqa: F403 - every classifier, as that room lists them
    from pucut.methods.plan import FitEstimate as FitEstimate
    from pucut.outliers import CutOutlierDetector as CutOutlierDetector
    from pucut.priors import check_labelling as check_labelling
    from pucut.priors import estimate_prior as estimate_prior
    from pucut.queries import CutQueryStrategy as CutQueryStrategy
    from pucut.semi_supervised import HNCClassifier as HNCClassifier

_check_platform()
__version__ = _version("pucut")

# Public names and where they come from. They are imported when they are first used, so that
# `import pucut` is quick. The classifiers come from `pucut.methods`, which lists them.
_HOMES = {
    "Comparison": "comparison",
    "CutOutlierDetector": "outliers",
    "CutPath": "cuts.parametric_cut",
    "CutPathDisplay": "displays",
    "CutQueryStrategy": "queries",
    "FitEstimate": "methods.plan",
    "HNCClassifier": "semi_supervised",
    "NegativeRankingDisplay": "displays",
    "PUCalibrationDisplay": "displays",
    "PriorSensitivityDisplay": "displays",
    "SelectionDisplay": "displays",
    "check_labelling": "priors",
    "compare": "comparison",
    "estimate_prior": "priors",
    "parametric_cut": "cuts.parametric_cut",
}
_MODULES = (
    "calibration",
    "datasets",
    "displays",
    "methods",
    "metrics",
    "model_files",
    "model_selection",
    "priors",
    "report",
    "tables",
)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOMES:
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    elif name == "__all__":
        return [*_HOMES, *_methods().CLASSIFIERS, "__version__"]
    elif name.endswith("Classifier") and name in dir(_methods()):
        value = getattr(_methods(), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__getattr__("__all__"), *_methods().NEURAL, *_MODULES})


def _methods() -> Any:
    return importlib.import_module(f"{__name__}.methods")
