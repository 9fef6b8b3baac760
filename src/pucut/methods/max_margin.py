"""The widest margin between positives and negatives, similar rows on one side.

Over f(x) = w x + b and classes y of the unlabelled rows, of which a given number is
positive, this is minimised:

    |w|^2 / 2 + sum_i cost_i max(0, 1 - y_i f_i)^2 / 2
        + smoothness n / 2 * sum_ij s_ij (f_i - f_j)^2 / sum_ij s_ij

with s the similarities of a graph. For given classes it is convex, and Newton's method ends after a
few steps. For a given f the best classes are those of the highest f. So the two take turns, and the
objective falls until the classes stay.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.random import RandomState
from scipy.linalg import cho_factor, cho_solve

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut._support.constraints import COUNT, NOT_NEGATIVE, POSITIVE
from pucut.data.labels import PULabels
from pucut.graphs.similarity import Gaussian
from pucut.kernels.machines import Machine, as_float64, kernel_map
from pucut.methods._encoded import EncodedClassifier, neighbors_at_most

# Turns end when at most one row in this many changes its class.
_FEW = 500
_MOST_TURNS = 30
_MOST_STEPS = 50
_INTERCEPT_PENALTY = 1e-8


@dataclass(frozen=True, eq=False)
class Margin:
    """Weights, intercept, classes of the rows, and the objective after each turn."""

    weights: FloatArray
    intercept: float
    is_positive: BoolArray
    objectives: tuple[float, ...]


def widest_margin(
    features: FloatArray,
    is_labelled: BoolArray,
    n_positive: int,
    *,
    is_negative: BoolArray | None = None,
    cost: FloatArray,
    graph: sp.csr_array,
    smoothness: float,
) -> Margin:
    """Find classes and f in turns, from the f that takes all unlabelled rows as negative.

    Both kinds of rows have the same total cost there. `n_positive` counts the labelled rows too.
    Known negatives stay negative.
    """
    table = np.column_stack([features, np.ones(len(features))])
    penalty = smoothness_penalty(table, graph, smoothness)
    n_labelled = np.count_nonzero(is_labelled)
    is_negative = np.zeros_like(is_labelled) if is_negative is None else is_negative
    balanced = cost * np.where(is_labelled, (len(cost) - n_labelled) / n_labelled, 1.0)
    weights = fit_classes(table, is_labelled, balanced, penalty, np.zeros(table.shape[1]))
    objectives: list[float] = []
    is_positive = is_labelled
    for _ in range(_MOST_TURNS):
        chosen = _best(table @ weights, is_labelled, is_negative, n_positive)
        if objectives and np.count_nonzero(chosen != is_positive) <= len(chosen) // _FEW:
            break
        is_positive = chosen
        weights = fit_classes(table, is_positive, cost, penalty, weights)
        objectives.append(objective(table, is_positive, cost, penalty, weights))
    return Margin(weights[:-1], float(weights[-1]), is_positive, tuple(objectives))


def smoothness_penalty(table: FloatArray, graph: sp.csr_array, smoothness: float) -> FloatArray:
    """Return the matrix R of the quadratic part, w R w / 2; the last column is constant."""
    degree = np.asarray(graph @ np.ones(graph.shape[0]), dtype=np.float64)
    total = max(float(degree.sum()), np.finfo(float).tiny)
    laplacian = table.T @ (degree[:, None] * table) - table.T @ (graph @ table)
    penalty = np.asarray(2.0 * smoothness * len(table) / total * laplacian)
    penalty = np.asarray((penalty + penalty.T) / 2.0)
    ridge = np.ones(table.shape[1])
    ridge[-1] = _INTERCEPT_PENALTY
    penalty[np.diag_indices_from(penalty)] += ridge
    return penalty


def objective(
    table: FloatArray,
    is_positive: BoolArray,
    cost: FloatArray,
    penalty: FloatArray,
    weights: FloatArray,
) -> float:
    missing = np.maximum(1.0 - _signs(is_positive) * (table @ weights), 0.0)
    return float(weights @ penalty @ weights + cost @ missing**2) / 2.0


def fit_classes(
    table: FloatArray,
    is_positive: BoolArray,
    cost: FloatArray,
    penalty: FloatArray,
    start: FloatArray,
) -> FloatArray:
    """Minimise the objective for given classes, by Newton's method with halved steps."""
    signs = _signs(is_positive)
    weights = start
    value = objective(table, is_positive, cost, penalty, weights)
    for _ in range(_MOST_STEPS):
        missing = 1.0 - signs * (table @ weights)
        active = missing > 0.0
        rows, row_cost = table[active], cost[active]
        gradient = penalty @ weights - rows.T @ (row_cost * signs[active] * missing[active])
        curvature = penalty + rows.T @ (row_cost[:, None] * rows)
        step = cho_solve(cho_factor(curvature), gradient)
        length, last = 1.0, value
        while length > 1e-6:
            tried = weights - length * step
            value = objective(table, is_positive, cost, penalty, tried)
            if value <= last - 1e-4 * length * float(gradient @ step):
                break
            length /= 2.0
        if not value < last:
            return weights
        weights = tried
        if last - value <= 1e-10 * abs(last):
            break
    return weights


def _best(
    scores: FloatArray, is_labelled: BoolArray, is_negative: BoolArray, n_positive: int
) -> BoolArray:
    """Choose the labelled rows and the highest of the unlabelled, ties by row number.

    At least one row is negative.
    """
    rows = np.flatnonzero(~(is_labelled | is_negative))
    most = len(rows) if is_negative.any() else len(rows) - 1
    n_wanted = min(max(n_positive - int(is_labelled.sum()), 0), most)
    chosen = is_labelled.copy()
    chosen[rows[np.argsort(-scores[rows], kind="stable")[:n_wanted]]] = True
    return chosen


def _signs(is_positive: BoolArray) -> FloatArray:
    return np.where(is_positive, 1.0, -1.0)


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
    found in turns; the objective is given in `pucut.methods.max_margin`.

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

    Attributes
    ----------
    machine_ : Machine
    margin_ : Margin
        The classes that were found, and the objective after every turn.

    Notes
    -----
    Products of matrices are added up by the threads of the linear algebra library: with another
    number of them (`OMP_NUM_THREADS`) the last bits of scores may differ.

    Decided here, as the paper does not say: the hinge loss is squared, which Newton's method can
    use; the number of positives is the prior's; turns start from an SVM of labelled against
    unlabelled rows and end when at most one row in 500 changes its class. A local minimum is found,
    and which one depends on that start. 10 000 rows of 16 columns take 6 s of one processor; memory
    is that of rows times landmarks. There is no `sample_weight`.
    """

    _: KW_ONLY
    C: Annotated[float, POSITIVE] = 1.0
    smoothness: Annotated[float, NOT_NEGATIVE] = 0.1
    n_neighbors: Annotated[int, COUNT] = 10
    sigma: Annotated[float, POSITIVE] = 0.75
    n_landmarks: Annotated[int, COUNT] = 200

    _uses_negatives: ClassVar[bool] = True

    def _learn(self, points: Any, labels: PULabels, random: RandomState) -> _MarginModel:
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
