"""Reasons for a row's class: its labelled neighbours, the way to the nearest label, its margin."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from pucut._support.checks import BoolArray, FloatArray
from pucut.graphs.neighbors.equal_rows import RowNumbers

# Added to the length of every edge, -log(weight), so that none is 0.
SHORTEST = 1e-9


def labelled_neighbors(graph: Any, is_labelled: BoolArray, n: int) -> tuple[RowNumbers, FloatArray]:
    """Return the `n` most similar labelled neighbours of each row and their similarities.

    Ties are broken by row number. Where a row has fewer neighbours, the last ones are -1, with a
    similarity of 0.
    """
    labelled = np.flatnonzero(is_labelled)
    edges = sp.coo_array(sp.csr_array(graph)[:, labelled])
    from_row, to_row = edges.row, labelled[edges.col]
    other = from_row != to_row
    from_row, to_row, weight = from_row[other], to_row[other], edges.data[other]
    order = np.lexsort((to_row, -weight, from_row))
    from_row, to_row, weight = from_row[order], to_row[order], weight[order]
    place = np.arange(len(from_row)) - np.searchsorted(from_row, from_row, side="left")
    kept = place < n
    neighbors = np.full((len(is_labelled), n), -1, dtype=np.int32)
    weights = np.zeros((len(is_labelled), n))
    neighbors[from_row[kept], place[kept]] = to_row[kept]
    weights[from_row[kept], place[kept]] = weight[kept]
    return neighbors, weights


def chains_to_labels(graph: Any, is_labelled: BoolArray) -> RowNumbers:
    """Return for each row the next one on the strongest chain of edges to a label; -1 for none.

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
    """Return for each row the share of its edges' weight that leads to positives; -1 if none."""
    weights = sp.csr_array(graph)
    total = np.asarray(weights.sum(axis=1), dtype=np.float64).ravel()
    positive = np.asarray(weights @ is_positive.astype(np.float64), dtype=np.float64)
    share = np.full(len(total), -1.0)
    np.divide(positive, total, out=share, where=total > 0.0)
    return share


def turning_priors(
    scores: FloatArray, is_labelled: BoolArray, is_unlabelled: BoolArray | None = None
) -> FloatArray:
    """Return the prior from which on each row is positive, if the ranking is kept.

    Labelled rows have 0. `is_unlabelled` are the rows that can turn, by default all that are not
    labelled; the others, known negatives, have infinity. Rows of equal score turn together, as soon
    as the share with them is nearer to the prior than the share without them.
    """
    can_turn = ~is_labelled if is_unlabelled is None else is_unlabelled
    rising = np.sort(scores[can_turn])
    n_others, n_labelled = len(rising), int(np.count_nonzero(is_labelled))
    without = n_labelled + n_others - np.searchsorted(rising, scores, side="right")
    with_them = n_labelled + n_others - np.searchsorted(rising, scores, side="left")
    turning = np.where(can_turn, (without + with_them) / 2.0 / len(scores), np.inf)
    return np.where(is_labelled, 0.0, turning)
