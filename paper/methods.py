"""The methods that are compared: one entry of `METHODS` each, which runs and tables follow from.

Each gives two things from one fit: a score for every row, and the classes by its own rule ("own").
The classes by the prior ("prior": as many of the highest scores as the prior asks for) are defined
alike for all, and are made from the scores later.

A `PUMethod` cannot see the truth, which is not part of its input. A `SupervisedMethod` can,
and shows the accuracy that all labels would give.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pucut import methods
from pucut._support.checks import BoolArray, FloatArray
from pucut.judging.cross_fitting import cross_fit, default_classifier

Rule = Literal["own", "prior"]
RULES: tuple[Rule, ...] = ("own", "prior")
# The paper's method, its benchmarks, our own, any other, the ceiling that knows all labels, and
# variants: a method trained otherwise, shown only in tables about that difference.
Role = Literal["paper", "benchmark", "ours", "other", "ceiling", "variant"]
# The prior and the labels; the labels alone; neither, only the rows and their true classes.
DependsOn = Literal["prior", "labels", "dataset"]


@dataclass(frozen=True, eq=False)
class PUData:
    """The input of a method, and its settings."""

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


@dataclass(frozen=True, kw_only=True)
class _Method:
    """A method, as runs and tables need it.

    Attributes
    ----------
    title : str
        Its name in tables and figures.
    role : Role
        Its part in the comparison.
    depends_on : DependsOn
        What its answer depends on beside the seed, so that nothing is fitted twice.
    cost : float
        Relative, for the estimate of the time left.
    rules, ranked_by : tuple of Rule
        The rules it is shown by, and those it enters average ranks by.
    variant_of : str
        The key of the method that it is a variant of.
    """

    title: str
    role: Role = "other"
    depends_on: DependsOn = "prior"
    cost: float = 1.0
    rules: tuple[Rule, ...] = RULES
    ranked_by: tuple[Rule, ...] = RULES
    variant_of: str = ""

    @property
    def uses_device(self) -> bool:
        return isinstance(self, NeuralMethod)


@dataclass(frozen=True, kw_only=True)
class PUMethod(_Method):
    """A method that learns from labelled and unlabelled rows."""

    fit: Callable[[PUData], Answer]


@dataclass(frozen=True, kw_only=True)
class NeuralMethod(_Method):
    """A network, which runs on a device and can be trained in a stack with others.

    `make` gives the estimator, not fitted.
    """

    make: Callable[[PUData], Any]

    def fit(self, data: PUData) -> Answer:
        return self.answer(self.make(data).fit(data.X, data.is_labelled))

    def answer(self, fitted: Any) -> Answer:
        """The sign of the output is the rule of the papers on networks."""
        return Answer(fitted.scores_, fitted.scores_ > 0.0)


@dataclass(frozen=True, kw_only=True)
class SupervisedMethod(_Method):
    """A method that is given the true class of every row, and competes with no other."""

    role: Role = "ceiling"
    depends_on: DependsOn = "dataset"
    rules: tuple[Rule, ...] = ("own",)
    ranked_by: tuple[Rule, ...] = ()
    fit: Callable[[PUData, BoolArray], Answer]


def _network(estimator: str, **training: Any) -> Callable[[PUData], Any]:
    """Makes an estimator of `pucut.methods`, which loads PyTorch; images and texts have their own
    networks, as in the paper.
    """

    def make(data: PUData) -> Any:
        settings: dict[str, dict[str, Any]] = {
            "mnist": {"image_shape": (1, 28, 28)},
            "news": {"activation": "softsign"},
        }
        return getattr(methods, estimator)(
            prior=data.prior,
            device=data.device,
            random_state=data.seed,
            **settings.get(data.dataset, {}),
            **training,
        )

    return make


def _variants(key: str, title: str, estimator: str) -> dict[str, NeuralMethod]:
    """Variants of the networks, trained as others may have trained them.

    "public" has the settings of the public program of nnPU's authors for MNIST: all rows in one
    batch, 100 steps, the last weights kept, and the rows without a label as the unlabelled set.
    """
    unstopped: dict[str, Any] = {"max_epochs": 100, "patience": None, "validation_share": 0.0}
    public: dict[str, Any] = {
        **unstopped,
        "batch_size": 30_000,
        "learning_rate": 1e-3,
        "weight_decay": 0.005,
        "unlabelled_includes_labelled": False,
    }
    trainings: dict[str, tuple[str, dict[str, Any]]] = {
        "unstopped": ("all epochs", unstopped),
        "public": ("public settings", public),
        "plain": (
            "public settings, no normalisation",
            {**public, "network": _plain_perceptron},
        ),
    }
    return {
        f"{key}_{name}": NeuralMethod(
            title=f"{title}, {what}",
            role="variant",
            variant_of=key,
            make=_network(estimator, **training),
            cost=10.0,
        )
        for name, (what, training) in trainings.items()
    }


def _plain_perceptron(n_features: int) -> Any:
    """The perceptron of the papers on networks, without batch normalisation."""
    from torch import nn

    layers: list[Any] = []
    for _ in range(5):
        layers += [nn.Linear(n_features, 300), nn.ReLU()]
        n_features = 300
    return nn.Sequential(*layers, nn.Linear(n_features, 1))


def _naive(data: PUData) -> Answer:
    """Labelled against unlabelled, as if the unlabelled were negative: probability above half."""
    model = methods.PUThresholdClassifier(prior=data.prior, random_state=data.seed)
    scores = model.fit(data.X, data.is_labelled).scores_
    return Answer(scores, scores > 0.5)


def _pu_extra_trees(data: PUData) -> Answer:
    """In-sample scores, by the trees that saw the rows, as the papers have it."""
    model = methods.PUExtraTreesClassifier(
        prior=data.prior, cross_fit=None, n_jobs=data.n_threads, random_state=data.seed
    )
    scores = model.fit(data.X, data.is_labelled).scores_
    return Answer(scores, scores > 0.5)


def _two_hnc(data: PUData) -> Answer:
    return _transduction(methods.TwoHNCClassifier, data)


def _pucut(data: PUData) -> Answer:
    return _transduction(methods.PUCutClassifier, data)


def _transduction(estimator: Any, data: PUData) -> Answer:
    model = estimator(prior=data.prior, n_jobs=data.n_threads, random_state=data.seed)
    model.fit(data.X, data.is_labelled)
    return Answer(model.scores_, model.transduction_)


def _oracle(data: PUData, is_positive: BoolArray) -> Answer:
    """Out-of-sample scores, by models that were given the true classes of the other rows."""
    fitted = cross_fit(default_classifier(data.X), data.X, is_positive, random_state=data.seed)
    return Answer(fitted.scores, fitted.scores > 0.5)


# By the key that rows and options use, in the order of tables. Average ranks have 2-HNC and pucut
# by one rule only: two columns that differ by a few rows would share their rank.
METHODS: dict[str, PUMethod | NeuralMethod | SupervisedMethod] = {
    "naive": PUMethod(title="naive", fit=_naive, depends_on="labels"),
    "upu": NeuralMethod(title="uPU", role="benchmark", make=_network("UPUClassifier"), cost=10.0),
    "nnpu": NeuralMethod(
        title="nnPU", role="benchmark", make=_network("NNPUClassifier"), cost=10.0
    ),
    "pu_et": PUMethod(title="PU ET", role="benchmark", fit=_pu_extra_trees, cost=0.3),
    "two_hnc": PUMethod(title="2-HNC", role="paper", fit=_two_hnc, cost=0.3, ranked_by=("own",)),
    "pucut": PUMethod(title="pucut", role="ours", fit=_pucut, cost=2.0, ranked_by=("own",)),
    "oracle": SupervisedMethod(title="oracle", fit=_oracle),
    **_variants("upu", "uPU", "UPUClassifier"),
    **_variants("nnpu", "nnPU", "NNPUClassifier"),
}
# The methods that are run and shown by default, without variants.
COMPARED = tuple(key for key, method in METHODS.items() if method.role != "variant")


def with_role(*roles: Role) -> tuple[str, ...]:
    """The keys of the methods with one of these roles, in the order of tables."""
    return tuple(key for key, method in METHODS.items() if method.role in roles)


def answer_of(key: str, data: PUData, is_positive: BoolArray) -> Answer:
    """Fit the method; only supervised ones get the truth."""
    method = METHODS[key]
    if isinstance(method, SupervisedMethod):
        answer = method.fit(data, is_positive)
    else:
        answer = method.fit(data)
    return Answer(
        np.asarray(answer.scores, dtype=np.float64), np.asarray(answer.is_positive, dtype=np.bool_)
    )
