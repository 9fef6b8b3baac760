"""Utilities of rows for labelling, from where they switch sides along the nested cuts.

With both classes labelled, known positives are fixed in S and known negatives in S'. The level of
a row is the lambda up to which it is in S. It is near 1 or -1 if the row is closely connected to
labelled rows of one kind, and near 0 on the border and wherever labels hardly reach: a group of
rows without any label switches as a whole, at the difference of its connections to the two sides,
divided by the sum of its degrees.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.stats import rankdata

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut.cuts.score_cuts import two_sided_cut
from pucut.cuts.selection import closest_partition
from pucut.cuts.two_stages import two_stage_cuts

# A queried row represents others up to this many edges away.
HOPS = 3
# Beyond its neighbours, its share halves with every edge.
_LOSS_PER_HOP = 0.5


def two_sided_levels(
    graph: sp.csr_array,
    is_positive: BoolArray,
    is_negative: BoolArray,
    *,
    n_threads: int | None = None,
) -> FloatArray:
    """Return levels from -1 to 1, the known negatives at -1 and the known positives at 1."""
    nothing = np.zeros(len(is_positive))
    path = two_sided_cut(graph, is_positive, is_negative, nothing, 1.0, n_threads=n_threads)
    levels: FloatArray = np.clip(path.switch, -1.0, 1.0)
    return levels


def one_sided_levels(
    graph: sp.csr_array,
    is_positive: BoolArray,
    prior: float,
    remoteness: FloatArray,
    *,
    n_threads: int | None = None,
) -> FloatArray:
    """Return levels from -1 to 1 where only positives are known, and the prior cuts at 0.

    They are ranks, by the stage of 2-HNC that has the partition closest to the prior. Among rows
    that switch together, those nearer to the known positives come first, so that the prior can cut
    between them.
    """
    stages = two_stage_cuts(graph, is_positive, prior, remoteness=remoteness, n_threads=n_threads)
    switch = closest_partition(stages, prior).level
    _, step = np.unique(np.column_stack([switch, -remoteness]), axis=0, return_inverse=True)
    above_cut = (rankdata(step) - 0.5) / len(switch) - (1.0 - prior)
    levels: FloatArray = above_cut / np.where(above_cut > 0.0, prior, 1.0 - prior)
    return levels


def represented_by(graph: sp.csr_array, row: int) -> FloatArray:
    """Return how far a row represents each row, from 0 to 1, along at most `HOPS` edges.

    A path counts by its similarities; contributions over several neighbours add up.
    """
    share = np.zeros(graph.shape[0])
    share[row] = 1.0
    loss = 1.0
    for _ in range(HOPS):
        share = np.maximum(share, np.minimum(loss * (graph @ share), 1.0))
        loss = _LOSS_PER_HOP
    return share


def greedy_batch(
    graph: sp.csr_array,
    utility: FloatArray,
    candidates: IndexArray,
    batch_size: int,
    *,
    diversity: float,
    order: npt.NDArray[Any],
) -> Iterator[tuple[int, FloatArray]]:
    """Yield the rows of a batch, each with the utilities it was chosen by.

    Every chosen row reduces the utility of the others by the share it represents, times
    `diversity`. Among equals the first in `order`, a permutation of all rows, is chosen. Utilities
    are NaN for rows that could not be chosen.
    """
    left = np.full(len(utility), np.nan)
    left[candidates] = utility[candidates]
    for _ in range(batch_size):
        row = int(order[np.nanargmax(left[order])])
        yield row, left
        left = left * (1.0 - diversity * represented_by(graph, row))
        left[row] = np.nan
