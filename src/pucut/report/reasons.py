"""Why a row is where it is: its labelled neighbours, the way to the nearest label, its margin."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from pucut._support.checks import BoolArray, FloatArray

IntArray = npt.NDArray[np.int32]

# Lengths of edges are -log(weight), and a little more, so that no edge has length 0.
SHORTEST = 1e-9


@dataclass(frozen=True, eq=False)
class LabelledNeighbors:
    """For each row its labelled neighbours in the graph, the most similar first.

    Attributes
    ----------
    row : int array of shape (n_samples, n)
        -1 where there are fewer.
    weight : float array of shape (n_samples, n)
        Similarities, 0 where there is no neighbour.
    """

    row: IntArray
    weight: FloatArray


def labelled_neighbors(graph: Any, is_labelled: BoolArray, n: int) -> LabelledNeighbors:
    """The `n` most similar labelled neighbours of each row, ties by row number."""
    labelled = np.flatnonzero(is_labelled)
    edges = sp.coo_array(sp.csr_array(graph)[:, labelled])
    from_row, to_row = edges.row, labelled[edges.col]
    other = from_row != to_row
    from_row, to_row, weight = from_row[other], to_row[other], edges.data[other]
    order = np.lexsort((to_row, -weight, from_row))
    from_row, to_row, weight = from_row[order], to_row[order], weight[order]
    place = np.arange(len(from_row)) - np.searchsorted(from_row, from_row, side="left")
    kept = place < n
    found = np.full((len(is_labelled), n), -1, dtype=np.int32)
    weights = np.zeros((len(is_labelled), n))
    found[from_row[kept], place[kept]] = to_row[kept]
    weights[from_row[kept], place[kept]] = weight[kept]
    return LabelledNeighbors(found, weights)


def chains_to_labels(graph: Any, is_labelled: BoolArray) -> IntArray:
    """For each row the next one on the strongest chain of edges to a labelled row; -1 for none.

    The strength of a chain is the product of its weights. Labelled rows have -1 too.
    """
    lengths = sp.csr_array(graph, copy=True)
    lengths.eliminate_zeros()
    lengths.data = SHORTEST - np.log(np.minimum(lengths.data, 1.0))
    _, towards, _ = dijkstra(
        lengths, indices=np.flatnonzero(is_labelled), min_only=True, return_predecessors=True
    )
    return np.where(towards < 0, -1, towards).astype(np.int32)


def share_to_positive(graph: Any, is_positive: BoolArray) -> FloatArray:
    """Of each row the share of its edges' weight that goes to positive rows; -1 without edges."""
    weights = sp.csr_array(graph)
    total = np.asarray(weights.sum(axis=1), dtype=np.float64).ravel()
    positive = np.asarray(weights @ is_positive.astype(np.float64), dtype=np.float64)
    share = np.full(len(total), -1.0)
    np.divide(positive, total, out=share, where=total > 0.0)
    return share


def turning_priors(
    scores: FloatArray, is_labelled: BoolArray, is_unlabelled: BoolArray | None = None
) -> FloatArray:
    """The prior from which on a row is positive, if the ranking by scores is kept; 0 if labelled.

    `is_unlabelled` are the rows that can turn, by default all that are not labelled; the other
    ones, known negatives, are never positive.

    Rows of equal score turn together, as soon as the share with them is nearer to the prior than
    the share without them: halfway between the two.
    """
    can_turn = ~is_labelled if is_unlabelled is None else is_unlabelled
    rising = np.sort(scores[can_turn])
    n_others, n_labelled = len(rising), int(np.count_nonzero(is_labelled))
    without = n_labelled + n_others - np.searchsorted(rising, scores, side="right")
    with_them = n_labelled + n_others - np.searchsorted(rising, scores, side="left")
    turning = np.where(can_turn, (without + with_them) / 2.0 / len(scores), np.inf)
    return np.where(is_labelled, 0.0, turning)
