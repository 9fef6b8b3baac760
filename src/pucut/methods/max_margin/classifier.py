"""The widest margin between positives and negatives, similar rows on one side."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pucut._support.checks import FloatArray
from pucut._support.constraints import COUNT, NOT_NEGATIVE, POSITIVE
from pucut.data.labels import PULabels
from pucut.data.row_order import IndexArray
from pucut.graphs.similarity import Gaussian
from pucut.kernels.machines import Machine, as_float64, kernel_map
from pucut.methods._encoded import EncodedClassifier, neighbors_at_most
from pucut.methods.max_margin._margin import Margin, widest_margin


@dataclass(frozen=True, eq=False)
class _MarginModel:
    machine: Machine
    margin: Margin

    def scores(self, points: Any) -> FloatArray:
        return self.machine.scores(points)


class PUMaxMarginClassifier(EncodedClassifier):
    """The widest margin between positives and negatives, similar rows on one side.

    After Zhang, Ren, Liu, Yang and Gong, Positive and unlabeled learning with label disambiguation
    (IJCAI 2019). The classes of the unlabelled rows and the function that tells them apart are
    found in turns; the objective is at the top of `pucut.methods.max_margin._margin`.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a row on the wrong side of the margin.
    smoothness : float, default=0.1
        Cost of different scores for similar rows.
    n_neighbors : int, default=10
        Of the graph of similarities; at most the number of other samples.
    sigma : float, default=0.75
        Width of the kernel exp(-d^2 / (2 sigma^2 H)) of similarities, H being the number of
        features.
    n_landmarks : int, default=200
        f is a sum of Gaussian kernels (gamma = 1 / H) at this many rows, or at all if there are
        fewer.
    prior : float or "auto", default="auto"
        Fraction of positives among all samples given to `fit`, labelled and unlabelled; "auto"
        estimates it (see `prior_estimate_`). It fixes the number of positives in the objective.
    threshold : {"prior", "half"}, default="prior"
        `predict` says positive above the score that the prior's share of the training rows exceeds,
        or above 0, the middle of the margin.
    pos_label : value of y, optional
        The value that means labelled positive, if it is not what `y` itself says.
    neg_label : value of y, optional
        The value that means known negative; all values but these two then mean unlabelled.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    machine_ : Machine
    margin_ : Margin
        The classes that were found, and the objective after every turn.
    classes_ : array of shape (2,)
        The value of y that means unlabelled or negative, then the one that means positive.
    prior_, prior_estimate_
        The prior that was used, and how it was estimated.
    scores_ : float array of shape (n_samples,)
        Scores of the training rows, by models that did not see them.
    threshold_ : float
        The score above which a row is positive to `predict`.
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the labelled rows are positive, and as many of the best others
        as bring the share of positives to the prior, or those above 0.

    Notes
    -----
    Products of matrices are added up by the threads of the linear algebra library: with another
    number of them (`OMP_NUM_THREADS`) the last bits of scores may differ.

    Decided here, as the paper does not say: the hinge loss is squared, which Newton's method can
    use; the number of positives is the prior's; turns start from an SVM of labelled against
    unlabelled rows and end when at most one row in 500 changes its class. A local minimum is found,
    and which one depends on that start. 10 000 rows of 16 columns take 6 s of one processor; memory
    is that of rows times landmarks. There is no `sample_weight`.

    The paper claims that finding the classes of unlabelled rows beats taking them as negatives.
    Digits, odd against even, 10 % of the positives labelled: 91.2 % against 75.1 % for the same
    kernel in an SVM of labelled against unlabelled rows, cut at the prior
    (benchmarks/bench_methods.py).
    """

    _uses_negatives: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EncodedClassifier._parameter_constraints,
        "C": POSITIVE,
        "smoothness": NOT_NEGATIVE,
        "n_neighbors": COUNT,
        "sigma": POSITIVE,
        "n_landmarks": COUNT,
    }

    def __init__(
        self,
        *,
        prior: Any = "auto",
        C: float = 1.0,
        smoothness: float = 0.1,
        n_neighbors: int = 10,
        sigma: float = 0.75,
        n_landmarks: int = 200,
        threshold: str = "prior",
        pos_label: Any = None,
        neg_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.prior = prior
        self.C = C
        self.smoothness = smoothness
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.n_landmarks = n_landmarks
        self.threshold = threshold
        self.pos_label = pos_label
        self.neg_label = neg_label
        self.random_state = random_state

    def _learn(self, points: Any, labels: PULabels, random: np.random.RandomState) -> _MarginModel:
        lists = neighbors_at_most(points, self.n_neighbors, random)
        mapped = kernel_map(points, random, self.n_landmarks)
        margin = widest_margin(
            mapped.features(as_float64(points)),
            labels.is_labelled,
            math.floor(self.prior_ * labels.n_samples + 0.5),
            is_negative=labels.is_negative,
            cost=np.full(labels.n_samples, float(self.C)),
            graph=Gaussian.of_width(self.sigma, points.shape[1]).graph(lists),
            smoothness=float(self.smoothness),
        )
        return _MarginModel(mapped.machine(margin.weights, margin.intercept), margin)

    def _keep(self, model: _MarginModel, order: IndexArray) -> None:
        self.machine_ = model.machine
        self.margin_ = model.margin
