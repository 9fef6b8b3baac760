"""Cuts that use a score for every row in addition to the graph: 2-HNC with a data term.

In addition to the pull of the labelled rows, each unlabelled row i is pulled towards S by its own
score, gamma d_i score_i, which lambda weighs against gamma d_i:

    minimise  sum over edges of w_ij |x_i - x_j|
              +  sum over rows of gamma d_i (x_i - score_i)^2 / 2
              -  sum over rows of (similarity of i to labelled rows) x_i

The level sets of x are the minimum cuts for all lambda, as without scores, and x is the score
smoothed along the graph: the smaller gamma, the smoother. Labelled rows stay in S, and known
negatives in S'; the similarity to them is taken from that to labelled rows.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray, checked_graph, checked_n_threads
from pucut.cuts.parametric_cut import CutPath, all_cuts


def score_cut(
    graph: Any,
    is_labelled: BoolArray,
    scores: FloatArray,
    gamma: float | FloatArray,
    *,
    is_negative: BoolArray | None = None,
    n_threads: int | None = None,
) -> CutPath:
    """Return all minimum cuts with the data term; `switch` of a row is its x.

    It is infinite for labelled rows, and minus infinity for known negatives, which stay in S'.

    Parameters
    ----------
    graph : symmetric CSR matrix, or one that has been checked
        Similarities of all rows.
    scores : float array of shape (n_samples,), from 0 to 1
    gamma : float, or float array of shape (n_samples,)
        The weight of the scores relative to the graph, above 0, for all rows or for each.
    """
    checked, n_used = checked_graph(graph), checked_n_threads(n_threads)
    nothing = np.zeros(len(scores))
    slope = gamma * checked.sums_in_order
    has_negatives = is_negative is not None and bool(is_negative.any())
    # A row with only labelled neighbours has the largest x, its score + 1 / gamma, and one with
    # only known negatives the smallest, its score - 1 / gamma.
    reach = 2.0 / float(np.min(gamma))
    # Both sides have this much more, so that no capacity is negative.
    below = reach if has_negatives else 0.0
    source, sink = (slope * (scores + below), nothing), (slope * below, slope)
    ends = -below, 1.0 + reach
    return all_cuts(checked, source, sink, ends, is_labelled, is_negative, n_used)


def two_sided_cut(
    graph: Any,
    inside: BoolArray,
    outside: BoolArray,
    scores: FloatArray,
    gamma: float,
    *,
    n_threads: int | None = None,
) -> CutPath:
    """Return all cuts between the labelled rows of two sides, for lambda from -1 to 1.

    With d_i the degree of row i, score_i a number from -1 to 1 and gamma above 0:

        minimise  C(S, S')  +  gamma * sum over i in S of d_i (lambda - score_i)

    With scores 0 and gamma 1 this is HNC- at lambda for lambda > 0, and HNC+ at -lambda for
    lambda < 0: both problems are halves of one path, and lambda 0 is the plain minimum cut. S
    shrinks as lambda grows. `switch`, the lambda up to which a row is in S, is infinite where it
    never changes sides; with scores it is the score smoothed along the graph.
    """
    checked, n_used = checked_graph(graph), checked_n_threads(n_threads)
    slope = gamma * checked.row_sums
    # Both sides have gamma d_i more than above, so that no capacity is negative.
    source, sink = (slope * (1.0 + scores), np.zeros(len(slope))), (slope, slope)
    return all_cuts(checked, source, sink, (-1.0, 1.0), inside, outside, n_used)


def levels_of_new_rows(
    neighbors: npt.NDArray[np.int32],
    weights: FloatArray,
    levels: FloatArray,
    scores: FloatArray,
    gamma: float | FloatArray,
) -> FloatArray:
    """Return the x of rows outside the graph, each by itself, with that of the graph's rows fixed.

    Neighbours and weights, above 0, have one row per new row, `levels` one value per row of the
    graph, infinite for labelled ones. The minimum over x of one row's terms is the median
    of its neighbours' x and of the points where the terms would balance, if the 0, 1, 2 ... lowest
    neighbours were below.
    """
    n_rows, k = neighbors.shape
    near = levels[neighbors]
    order = near.argsort(axis=1, kind="stable")
    below = np.zeros((n_rows, k + 1))
    weights[np.arange(n_rows)[:, None], order].cumsum(axis=1, out=below[:, 1:])
    degree = below[:, -1:]
    pull = np.reshape(gamma, (-1, 1)) * degree
    balance = scores[:, None] + (degree - 2.0 * below) / pull
    all_of_them = np.concatenate([near, balance], axis=1)
    all_of_them.partition(k, axis=1)  # 2 k + 1 of them
    return all_of_them[:, k]
