"""The methods that are compared.

Each gives two things from one fit: a score for every row, and the classes by its own rule. What it
says by the prior, as many of the best scores as the prior asks for, is the same for all and made
from the scores later.

A `PUMethod` cannot see the truth: it is not in what it is given. A `SupervisedMethod` is given it,
and is there only to say what could be reached with all labels.

Each says what its answer depends on, beside the seed, so that nothing is fitted twice.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pucut import methods
from pucut._support.checks import BoolArray, FloatArray
from pucut.scores.cross_fitting import cross_fit, default_classifier

# The prior and the labels; the labels alone; neither, only the rows and their true classes.
DependsOn = Literal["prior", "labels", "dataset"]


@dataclass(frozen=True, eq=False)
class PUData:
    """What a method may see, and how it may work."""

    dataset: str
    X: npt.NDArray[Any]
    is_labelled: BoolArray
    prior: float
    seed: int
    device: str = "auto"
    n_threads: int = 1


@dataclass(frozen=True, eq=False)
class Answer:
    """Scores of all rows, and the classes of all rows by the method's own rule."""

    scores: FloatArray
    is_positive: BoolArray


@dataclass(frozen=True)
class PUMethod:
    """A method that learns from labelled and unlabelled rows; `cost` is relative, for progress."""

    title: str
    fit: Callable[[PUData], Answer]
    depends_on: DependsOn = "prior"
    cost: float = 1.0
    uses_device: bool = False


@dataclass(frozen=True)
class SupervisedMethod:
    """A method that is told the true class of every row."""

    title: str
    fit: Callable[[PUData, BoolArray], Answer]
    depends_on: DependsOn = "dataset"
    cost: float = 1.0
    uses_device: bool = False


# The networks of the paper: images and texts have their own.
_NETWORK_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "mnist": {"image_shape": (1, 28, 28)},
    "news": {"activation": "softsign"},
}


def neural_classifier(method: str, data: PUData) -> Any:
    """The estimator of "upu" or "nnpu", not fitted."""
    kind = {"upu": "UPUClassifier", "nnpu": "NNPUClassifier"}[method]
    return getattr(methods, kind)(
        prior=data.prior,
        device=data.device,
        random_state=data.seed,
        **_NETWORK_SETTINGS.get(data.dataset, {}),
    )


def neural_answer(fitted: Any) -> Answer:
    """The sign of the output is the rule of both papers."""
    return Answer(fitted.scores_, fitted.scores_ > 0.0)


def _upu(data: PUData) -> Answer:
    return neural_answer(neural_classifier("upu", data).fit(data.X, data.is_labelled))


def _nnpu(data: PUData) -> Answer:
    return neural_answer(neural_classifier("nnpu", data).fit(data.X, data.is_labelled))


def _naive(data: PUData) -> Answer:
    """Labelled against unlabelled, as if the unlabelled were negative: probability above half."""
    model = methods.PUThresholdClassifier(prior=data.prior, random_state=data.seed)
    scores = model.fit(data.X, data.is_labelled).scores_
    return Answer(scores, scores > 0.5)


def _pu_extra_trees(data: PUData) -> Answer:
    """Scores by the trees that saw the rows, as the authors of the method and the paper do."""
    model = methods.PUExtraTreesClassifier(
        prior=data.prior, cross_fit=None, n_jobs=data.n_threads, random_state=data.seed
    )
    scores = model.fit(data.X, data.is_labelled).scores_
    return Answer(scores, scores > 0.5)


def _two_hnc(data: PUData, **settings: Any) -> Answer:
    model = methods.TwoHNCClassifier(
        prior=data.prior, n_jobs=data.n_threads, random_state=data.seed, **settings
    )
    model.fit(data.X, data.is_labelled)
    return Answer(model.scores_, model.transduction_)


def _two_hnc_of_the_paper(data: PUData) -> Answer:
    return _two_hnc(data, preset="paper")


def _oracle(data: PUData, is_positive: BoolArray) -> Answer:
    """Each row by a model that was told the classes of the other rows."""
    fitted = cross_fit(default_classifier(data.X), data.X, is_positive, random_state=data.seed)
    return Answer(fitted.scores, fitted.scores > 0.5)


METHODS: Mapping[str, PUMethod | SupervisedMethod] = {
    "naive": PUMethod("naive", _naive, depends_on="labels"),
    "upu": PUMethod("uPU", _upu, cost=10.0, uses_device=True),
    "nnpu": PUMethod("nnPU", _nnpu, cost=10.0, uses_device=True),
    "pu_et": PUMethod("PU ET", _pu_extra_trees, cost=0.3),
    "two_hnc_paper": PUMethod("2-HNC (paper)", _two_hnc_of_the_paper, cost=0.3),
    "two_hnc": PUMethod("2-HNC (default)", _two_hnc, cost=2.0),
    "oracle": SupervisedMethod("oracle", _oracle),
}


def answer_of(method: str, data: PUData, is_positive: BoolArray) -> Answer:
    """Fits the method; the truth goes to the supervised ones alone."""
    chosen = METHODS[method]
    if isinstance(chosen, SupervisedMethod):
        answer = chosen.fit(data, is_positive)
    else:
        answer = chosen.fit(data)
    return Answer(
        np.asarray(answer.scores, dtype=np.float64), np.asarray(answer.is_positive, dtype=np.bool_)
    )
