"""Hochbaum's Normalised Cut: clusters that are similar inside and dissimilar to the rest.

Notation of the paper (Hochbaum and Nitayanont), with C(A, B) the total weight between A and B,
S the cluster, S' its complement, d_i the weighted degree of node i::

    HNC+    minimise C(S, S') - mu C(S, S)      <=>  C(S, S') - lambda * sum of d_i over S
    HNC-    minimise C(S, S') - mu C(S', S')    <=>  C(S, S') - lambda * sum of d_i over S'
    HNC+-   minimise C(S, S') - alpha C(S, S) - beta C(S', S')

with lambda = mu / (mu + 2). Positive seeds are fixed in S, negative seeds in S'.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pucut._support.checks import (
    BoolArray,
    check_disjoint,
    checked_graph,
    checked_n_threads,
    checked_seeds,
)
from pucut.cuts.parametric_cut import CutPath, Ties, all_cuts

HNCProblem = Literal["plus", "minus"]


def hnc_plus(
    graph: Any,
    positive: npt.ArrayLike | None,
    negative: npt.ArrayLike | None = None,
    *,
    n_threads: int | None = None,
) -> CutPath:
    """Solve HNC+ for every lambda in [0, 1]: S grows with lambda, from the positive seeds.

    The objective at lambda is ``path.cut_value(lam)`` minus lambda times the sum of all degrees.
    Without negative seeds S is everything for every lambda.
    """
    return _solve("plus", graph, positive, negative, (0.0, 1.0), n_threads)


def hnc_minus(
    graph: Any,
    positive: npt.ArrayLike | None,
    negative: npt.ArrayLike | None = None,
    *,
    n_threads: int | None = None,
) -> CutPath:
    """Solve HNC- for every lambda in [0, 1]: S shrinks with lambda, to the positive seeds.

    The objective at lambda is ``path.cut_value(lam)`` minus lambda times the sum of all degrees.
    """
    return _solve("minus", graph, positive, negative, (0.0, 1.0), n_threads)


def hnc_plus_minus(
    graph: Any,
    alpha: float,
    beta: float,
    positive: npt.ArrayLike | None = None,
    negative: npt.ArrayLike | None = None,
    ties: Ties = "source",
) -> BoolArray:
    """Return the set S that is optimal for HNC+- at two tradeoffs, as a mask.

    With seeds on both sides S is neither empty nor everything; without, it may be either. If
    several sets are optimal, ``ties="source"`` gives the largest and ``ties="sink"`` the smallest.
    """
    single = double_intra_similarity(alpha, beta)
    lam = tradeoff_to_lambda(single.mu)
    return _solve(single.problem, graph, positive, negative, (lam, lam)).source_set(lam, ties)


@dataclass(frozen=True)
class SingleTradeoff:
    """One of HNC+ ("plus") and HNC- ("minus"), and its tradeoff."""

    problem: HNCProblem
    mu: float


def double_intra_similarity(alpha: float, beta: float) -> SingleTradeoff:
    """Return the problem with one tradeoff that equals HNC+- (Double Intra-similarity Theorem)."""
    _check_tradeoff(alpha, "alpha", infinite=False)
    _check_tradeoff(beta, "beta", infinite=False)
    if alpha >= beta:
        return SingleTradeoff("plus", (alpha - beta) / (1 + beta))
    return SingleTradeoff("minus", (beta - alpha) / (1 + alpha))


def tradeoff_to_lambda(mu: float) -> float:
    """Return lambda = mu / (mu + 2), for mu from 0 to infinity."""
    _check_tradeoff(mu, "mu", infinite=True)
    return 1.0 if mu == math.inf else mu / (mu + 2)


def lambda_to_tradeoff(lam: float) -> float:
    """Return mu = 2 lambda / (1 - lambda), for lambda from 0 to 1."""
    if not 0 <= lam <= 1:
        raise ValueError(f"lam must lie in [0, 1], found {lam!r}")
    return math.inf if lam == 1 else 2 * lam / (1 - lam)


def _check_tradeoff(value: float, name: str, *, infinite: bool) -> None:
    if not value >= 0 or (value == math.inf and not infinite):
        allowed = "from 0 to infinity" if infinite else ">= 0 and finite"
        raise ValueError(f"{name} must be {allowed}, found {value!r}")


def _solve(
    problem: HNCProblem,
    graph: Any,
    positive: npt.ArrayLike | None,
    negative: npt.ArrayLike | None,
    lambda_range: tuple[float, float],
    n_threads: int | None = None,
) -> CutPath:
    checked = checked_graph(graph)
    n_nodes = checked.n_nodes
    in_cluster = checked_seeds(positive, n_nodes, "positive")
    outside = checked_seeds(negative, n_nodes, "negative")
    check_disjoint(in_cluster, outside, ("positive", "negative"))
    nothing = np.zeros(n_nodes)
    rising, constant = (nothing, checked.degrees), (nothing, nothing)
    source, sink = (rising, constant) if problem == "plus" else (constant, rising)
    n_used = checked_n_threads(n_threads)
    return all_cuts(checked, source, sink, lambda_range, in_cluster, outside, n_used)
