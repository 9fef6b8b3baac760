"""The PU classifiers: one file or folder per method, and the table of them by name.

A new method is a file here, its import, and its line in `METHODS`: `compare`, the command line and
the public names of the package follow from these. ARCHITECTURE.md says what else to add.

Those in `NEURAL` need PyTorch, and are imported when they are first used.
"""

import importlib
import importlib.util
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sklearn.ensemble import IsolationForest

from pucut.methods.bagging.classifiers import BaggingSVMClassifier as BaggingSVMClassifier
from pucut.methods.bagging.classifiers import PUBaggingClassifier as PUBaggingClassifier
from pucut.methods.extra_trees import PUExtraTreesClassifier as PUExtraTreesClassifier
from pucut.methods.max_margin.classifier import PUMaxMarginClassifier as PUMaxMarginClassifier
from pucut.methods.naive import ElkanNotoClassifier as ElkanNotoClassifier
from pucut.methods.naive import PUThresholdClassifier as PUThresholdClassifier
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

if TYPE_CHECKING:
    from pucut.methods.neural.nnpu import NNPUClassifier as NNPUClassifier
    from pucut.methods.neural.upu import UPUClassifier as UPUClassifier

NEURAL = {
    "NNPUClassifier": "pucut.methods.neural.nnpu",
    "UPUClassifier": "pucut.methods.neural.upu",
}
HAS_TORCH = importlib.util.find_spec("torch") is not None

# Every method by its name in tables, as a function that makes it with its defaults.
METHODS: dict[str, Callable[[], Any]] = {
    "pucut": PUCutClassifier,
    "2-HNC": TwoHNCClassifier,
    "PU extra trees": PUExtraTreesClassifier,
    "boosting, prior": PUThresholdClassifier,
    "Elkan-Noto": ElkanNotoClassifier,
    "SAR-EM": SAREMClassifier,
    "spies": SpyClassifier,
    "Rocchio": RocchioClassifier,
    "biased SVM": BiasedSVMClassifier,
    "bagging SVM": BaggingSVMClassifier,
    "label propagation": PULabelPropagationClassifier,
    "max margin": PUMaxMarginClassifier,
    "PU bagging": PUBaggingClassifier,
    "one-class SVM": OneClassPUClassifier,
    "isolation forest": lambda: OneClassPUClassifier(IsolationForest()),
}
if HAS_TORCH:
    METHODS |= {
        "nnPU": lambda: __getattr__("NNPUClassifier")(),
        "uPU": lambda: __getattr__("UPUClassifier")(),
    }

# Every method by what is typed for it, such as "pu-extra-trees": its name in small letters, unless
# another spelling stands here.
_TYPED = {"pucut": "pu-cut"}
METHOD_BY_SLUG = {
    _TYPED.get(name, re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")): name for name in METHODS
}

# `from pucut import *` works without PyTorch too.
CLASSIFIERS = sorted(
    [name for name in globals() if name.endswith("Classifier")]
    + (list(NEURAL) if HAS_TORCH else [])
)


def __getattr__(name: str) -> Any:
    if name not in NEURAL:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(NEURAL[name])
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            f"{name} needs PyTorch, which is not installed: pip install 'pucut[torch]'"
        ) from error
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *NEURAL})
