"""The widest margin between classes of which one is not known, smooth over similar rows.

After Zhang, Ren, Liu, Yang and Gong, Positive and unlabeled learning with label disambiguation
(IJCAI 2019). Over f(x) = w x + b and classes y of the unlabelled rows, of which a given number is
positive, this is minimised:

    |w|^2 / 2 + sum_i cost_i max(0, 1 - y_i f_i)^2 / 2
        + smoothness n / 2 * sum_ij s_ij (f_i - f_j)^2 / sum_ij s_ij

with s the similarities of a graph. For given classes it is convex, and Newton's method ends after a
few steps. For a given f the best classes are those of the highest f. So the two take turns, and the
objective falls until the classes stay.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from pucut._support.checks import BoolArray, FloatArray

# Turns end when at most one row in this many changes its class.
FEW = 500
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
    """Turns begin with the f for which all unlabelled rows count as negative, at equal total cost.

    `n_positive` counts the labelled rows too. Known negatives stay negative.
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
        if objectives and np.count_nonzero(chosen != is_positive) <= len(chosen) // FEW:
            break
        is_positive = chosen
        weights = fit_classes(table, is_positive, cost, penalty, weights)
        objectives.append(objective(table, is_positive, cost, penalty, weights))
    return Margin(weights[:-1], float(weights[-1]), is_positive, tuple(objectives))


def smoothness_penalty(table: FloatArray, graph: sp.csr_array, smoothness: float) -> FloatArray:
    """The matrix R of the quadratic part, w R w / 2; the last column of the table is constant."""
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
    """The minimum of the objective for given classes, by Newton's method with halved steps."""
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
    """The labelled rows and the highest of the unlabelled, ties by row number.

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
