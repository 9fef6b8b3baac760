"""Random walks on a graph that end by chance, and the number of labelled rows they meet.

A walk goes from a row to one of its neighbours, with a probability in proportion to their
similarity, and before each step it may end. It reaches labels beyond the neighbours, which helps
where labels are few. With f the expected sum of y over
the rows that a walk from each row meets, a the probability to go on and P the similarities scaled
to sum to 1,

    f = y + a P f.

This is the random walk with restart of Tong, Faloutsos and Pan (ICDM 2006), or the label spreading
of Zhou et al. (NIPS 2003) with walks in the place of their symmetric scaling.
"""

import math
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray

# The share of the error that the steps leave; at first the error is f itself.
_ERROR = 1e-5
# The probability that a walk goes on is between these.
_SHORTEST, _LONGEST = 0.05, 0.95


def to_meet_one(labelled_share: float) -> float:
    """Return the probability to go on with which a walk meets one labelled row in the mean.

    `labelled_share` is the share of labelled rows in the graph.
    """
    return min(max(1.0 - labelled_share, _SHORTEST), _LONGEST)


def rows_met(graph: Any, targets: FloatArray, goes_on: float) -> FloatArray:
    """Return f; `graph` is a symmetric CSR matrix in which each row has a neighbour.

    By Chebyshev's iteration (Saad, Iterative Methods for Sparse Linear Systems, 12.3): P has the
    eigenvalues of a symmetric matrix, from -1 to 1, so that those of I - a P are known to lie
    between 1 - a and 1 + a. No step needs an inner product, and so none depends on other targets.
    """
    degree = graph @ np.ones(graph.shape[0], dtype=graph.dtype)
    met = np.zeros(len(targets), dtype=graph.dtype)
    rest = targets.astype(graph.dtype)
    step, shrinks = rest.copy(), goes_on
    rate = (1.0 - math.sqrt(1.0 - goes_on**2)) / goes_on
    for _ in range(math.ceil(math.log(_ERROR) / math.log(rate))):
        met += step
        rest -= step - goes_on * (graph @ step) / degree
        before, shrinks = shrinks, 1.0 / (2.0 / goes_on - shrinks)
        step = shrinks * before * step + (2.0 * shrinks / goes_on) * rest
    return np.asarray(met, dtype=np.float64)
