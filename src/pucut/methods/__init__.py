"""The PU classifiers, one file or folder per method, and their table by name.

A new method is a file here and a line in `_CLASSES`. `METHODS`, `compare`, the command line and the
public names of the package follow from it.

Classes are imported when they are first used, so that a list of the methods costs nothing. Those in
`NEURAL` need PyTorch.
"""

import importlib.util
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pucut._support.on_demand import importing

if TYPE_CHECKING:  # for type checkers and editors; `__getattr__` imports them on demand
    from pucut.methods.bagging import BaggingSVMClassifier as BaggingSVMClassifier
    from pucut.methods.bagging import PUBaggingClassifier as PUBaggingClassifier
    from pucut.methods.extra_trees import PUExtraTreesClassifier as PUExtraTreesClassifier
    from pucut.methods.max_margin import PUMaxMarginClassifier as PUMaxMarginClassifier
    from pucut.methods.naive import ElkanNotoClassifier as ElkanNotoClassifier
    from pucut.methods.naive import PUThresholdClassifier as PUThresholdClassifier
    from pucut.methods.neural.classifiers import NNPUClassifier as NNPUClassifier
    from pucut.methods.neural.classifiers import UPUClassifier as UPUClassifier
    from pucut.methods.one_class import OneClassPUClassifier as OneClassPUClassifier
    from pucut.methods.propagation import (
        PULabelPropagationClassifier as PULabelPropagationClassifier,
    )
    from pucut.methods.pu_cut import PUCutClassifier as PUCutClassifier
    from pucut.methods.rocchio import RocchioClassifier as RocchioClassifier
    from pucut.methods.sar_em import SAREMClassifier as SAREMClassifier
    from pucut.methods.spy import SpyClassifier as SpyClassifier
    from pucut.methods.svm import BiasedSVMClassifier as BiasedSVMClassifier
    from pucut.methods.two_hnc.classifier import TwoHNCClassifier as TwoHNCClassifier

# The class of each method, by the method's name in tables, and the module that defines it.
_CLASSES = {
    "pucut": ("PUCutClassifier", "pu_cut"),
    "2-HNC": ("TwoHNCClassifier", "two_hnc.classifier"),
    "PU extra trees": ("PUExtraTreesClassifier", "extra_trees"),
    "boosting, prior": ("PUThresholdClassifier", "naive"),
    "Elkan-Noto": ("ElkanNotoClassifier", "naive"),
    "SAR-EM": ("SAREMClassifier", "sar_em"),
    "spies": ("SpyClassifier", "spy"),
    "Rocchio": ("RocchioClassifier", "rocchio"),
    "biased SVM": ("BiasedSVMClassifier", "svm"),
    "bagging SVM": ("BaggingSVMClassifier", "bagging"),
    "label propagation": ("PULabelPropagationClassifier", "propagation"),
    "max margin": ("PUMaxMarginClassifier", "max_margin"),
    "PU bagging": ("PUBaggingClassifier", "bagging"),
    "one-class SVM": ("OneClassPUClassifier", "one_class"),
    "isolation forest": ("OneClassPUClassifier", "one_class"),
    "nnPU": ("NNPUClassifier", "neural.classifiers"),
    "uPU": ("UPUClassifier", "neural.classifiers"),
}
NEURAL = ("NNPUClassifier", "UPUClassifier")
HAS_TORCH = importlib.util.find_spec("torch") is not None
# `from pucut import *` works without PyTorch too.
CLASSIFIERS = sorted({name for name, _ in _CLASSES.values() if HAS_TORCH or name not in NEURAL})


def _made(method: str) -> Any:
    settings = {}
    if method == "isolation forest":
        from sklearn.ensemble import IsolationForest

        settings["estimator"] = IsolationForest()
    return __getattr__(_CLASSES[method][0])(**settings)


# Methods by name, each as a function that makes it with its defaults.
METHODS: dict[str, Callable[[], Any]] = {
    method: partial(_made, method) for method, (name, _) in _CLASSES.items() if name in CLASSIFIERS
}

# Methods by their names on the command line, such as "pu-extra-trees": in small letters, with the
# exceptions listed first.
_TYPED = {"pucut": "pu-cut"}
METHOD_BY_SLUG = {
    _TYPED.get(name, re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")): name for name in METHODS
}

_import = importing(__name__, dict(_CLASSES.values()))


def __getattr__(name: str) -> Any:
    try:
        return _import(name)
    except ModuleNotFoundError as error:
        if name not in NEURAL or error.name != "torch":
            raise
        raise ImportError(
            f"{name} needs PyTorch, which is not installed: pip install 'pucut[torch]'"
        ) from error


def __dir__() -> list[str]:
    return sorted({*globals(), *CLASSIFIERS, *NEURAL})


def name_in_methods(estimator: Any) -> str | None:
    """Return the name in `METHODS` of an estimator, whatever its settings; None if it has none.

    The same class around another classifier or detector than the method's is another method.
    """
    for method in METHODS:
        if _CLASSES[method][0] == type(estimator).__name__:
            usual = METHODS[method]()
            if _types(usual) == _types(estimator):
                return method
    return None


def _types(estimator: Any) -> tuple[type, type]:
    return type(estimator), type(getattr(estimator, "estimator", None))
