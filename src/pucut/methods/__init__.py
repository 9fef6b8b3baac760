"""The PU classifiers: one file or folder per method, and the table of them by name.

A new method is a file here and its line in `_CLASSES`: `METHODS`, `compare`, the command line and
the public names of the package follow from it. ARCHITECTURE.md says what else to add.

Classes are imported when they are first used, so that a list of the methods costs nothing. Those in
`NEURAL` need PyTorch.
"""

import importlib.util
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pucut._support.on_demand import importing

if TYPE_CHECKING:  # for type checkers and editors: when they are imported, `__getattr__` says
    from pucut.methods.bagging.classifiers import BaggingSVMClassifier as BaggingSVMClassifier
    from pucut.methods.bagging.classifiers import PUBaggingClassifier as PUBaggingClassifier
    from pucut.methods.extra_trees import PUExtraTreesClassifier as PUExtraTreesClassifier
    from pucut.methods.max_margin.classifier import PUMaxMarginClassifier as PUMaxMarginClassifier
    from pucut.methods.naive import ElkanNotoClassifier as ElkanNotoClassifier
    from pucut.methods.naive import PUThresholdClassifier as PUThresholdClassifier
    from pucut.methods.neural.nnpu import NNPUClassifier as NNPUClassifier
    from pucut.methods.neural.upu import UPUClassifier as UPUClassifier
    from pucut.methods.one_class import OneClassPUClassifier as OneClassPUClassifier
    from pucut.methods.propagation.classifier import (
        PULabelPropagationClassifier as PULabelPropagationClassifier,
    )
    from pucut.methods.pu_cut import PUCutClassifier as PUCutClassifier
    from pucut.methods.sar_em.classifier import SAREMClassifier as SAREMClassifier
    from pucut.methods.svm import BiasedSVMClassifier as BiasedSVMClassifier
    from pucut.methods.two_hnc.classifier import TwoHNCClassifier as TwoHNCClassifier
    from pucut.methods.two_step.rocchio import RocchioClassifier as RocchioClassifier
    from pucut.methods.two_step.spy import SpyClassifier as SpyClassifier

# The class of each method, by the method's name in tables, and the module here that has the class.
_CLASSES = {
    "pucut": ("PUCutClassifier", "pu_cut"),
    "2-HNC": ("TwoHNCClassifier", "two_hnc.classifier"),
    "PU extra trees": ("PUExtraTreesClassifier", "extra_trees"),
    "boosting, prior": ("PUThresholdClassifier", "naive"),
    "Elkan-Noto": ("ElkanNotoClassifier", "naive"),
    "SAR-EM": ("SAREMClassifier", "sar_em.classifier"),
    "spies": ("SpyClassifier", "two_step.spy"),
    "Rocchio": ("RocchioClassifier", "two_step.rocchio"),
    "biased SVM": ("BiasedSVMClassifier", "svm"),
    "bagging SVM": ("BaggingSVMClassifier", "bagging.classifiers"),
    "label propagation": ("PULabelPropagationClassifier", "propagation.classifier"),
    "max margin": ("PUMaxMarginClassifier", "max_margin.classifier"),
    "PU bagging": ("PUBaggingClassifier", "bagging.classifiers"),
    "one-class SVM": ("OneClassPUClassifier", "one_class"),
    "isolation forest": ("OneClassPUClassifier", "one_class"),
    "nnPU": ("NNPUClassifier", "neural.nnpu"),
    "uPU": ("UPUClassifier", "neural.upu"),
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


# Every method by its name, as a function that makes it with its defaults.
METHODS: dict[str, Callable[[], Any]] = {
    method: partial(_made, method) for method, (name, _) in _CLASSES.items() if name in CLASSIFIERS
}

# Every method by what is typed for it, such as "pu-extra-trees": its name in small letters, unless
# another spelling stands here.
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


def method_of(estimator: Any) -> str | None:
    """The name of the method that an estimator is, whatever its settings; None if it is another.

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
