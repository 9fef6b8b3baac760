"""The two stages of 2-HNC: nested partitions, the ranking, likely negatives.

Notation of the paper (Hochbaum and Nitayanont): L+ the labelled positives, U the unlabelled, V all;
L^N likely negatives; S the positive side of a partition and S' the other; pi the prior.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, IndexArray, SymmetricGraph, checked_graph
from pucut._support.html import element
from pucut.cuts.hnc import hnc_minus, hnc_plus
from pucut.cuts.parametric_cut import CutPath

# The level of known negatives in stage 1, below that of all others.
_KNOWN_NEGATIVE = -2.0


@dataclass(frozen=True, eq=False)
class Ranking:
    """The unlabelled rows, most likely negative first, and the cuts this follows from.

    Attributes
    ----------
    path : CutPath
        HNC- with the labelled rows fixed in S, for all lambda.
    level : float array of shape (n_samples,)
        The lambda at which a row leaves S, 1 for labelled rows and -2 for known negatives. Rows
        that no label reaches leave at once, which says nothing about them; they have levels from
        -1 to below 0 in the order of `remoteness`.
    order : int array
        The unlabelled rows by rising level; rows of one level by rising similarity to the labelled
        rows, which is the sum of the weights of the edges to them, then by row number.
    is_reached : bool array of shape (n_samples,)
        Whether the row is connected to a labelled one.
    """

    path: CutPath
    level: FloatArray
    order: IndexArray
    is_reached: BoolArray


@dataclass(frozen=True, eq=False)
class Partition:
    """One of the nested partitions: S is where `level` is at least `cut`.

    Attributes
    ----------
    stage : int
        1 or 2.
    lam : float
        The lambda it belongs to.
    level : float array of shape (n_samples,)
        Higher stays longer in S.
    cut : float
    n_positive : int
        The rows in S.
    """

    stage: int
    lam: float
    level: FloatArray
    cut: float
    n_positive: int

    @property
    def is_positive(self) -> BoolArray:
        return np.asarray(self.level >= self.cut)

    @property
    def positive_fraction(self) -> float:
        return self.n_positive / len(self.level)

    def _repr_html_(self) -> str:
        share = f"{self.n_positive} of {len(self.level)} rows ({self.positive_fraction:.1%})"
        text = f"Partition of stage {self.stage} at lambda = {self.lam:.4g}: {share} are positive."
        return element("p", text)


@dataclass(frozen=True, eq=False)
class TwoStages:
    """The result of 2-HNC on one graph.

    Attributes
    ----------
    ranking : Ranking
        The ranking of stage 1.
    likely_negative : int array
        L^N, most likely negative first, without the negatives that are known.
    path : CutPath
        HNC+ of stage 2, with L+ fixed in S and L^N in S'.
    level : float array of shape (n_samples,)
        Minus the lambda at which a row joins S in stage 2, which is from -1 to 0; rows of L^N have
        their level in stage 1 less 2, hence the lowest.
    """

    ranking: Ranking
    likely_negative: IndexArray
    path: CutPath
    level: FloatArray


def rank_unlabelled(
    graph: Any,
    is_labelled: BoolArray,
    *,
    is_negative: BoolArray | None = None,
    remoteness: FloatArray | None = None,
    n_threads: int | None = None,
) -> Ranking:
    """Do stage 1: rank rows by the lambda at which they leave the side of the labelled ones.

    Parameters
    ----------
    graph : symmetric CSR matrix
        Similarities of all rows.
    is_labelled : bool array of shape (n_samples,)
    is_negative : bool array of shape (n_samples,), optional
        Known negatives, which are fixed on the other side and not ranked.
    remoteness : float array of shape (n_samples,), optional
        Orders the rows that no label reaches, the largest as the most likely negative, such as the
        distance to the nearest labelled row. By default they are equal.
    """
    graph = checked_graph(graph)
    path = hnc_minus(graph, is_labelled, is_negative, n_threads=n_threads)
    level = np.where(is_labelled, 1.0, np.clip(path.switch, 0.0, 1.0))
    is_reached = reached_from(graph, is_labelled)
    lost = np.flatnonzero(~is_reached)
    if len(lost):
        far = np.zeros(len(lost)) if remoteness is None else remoteness[lost]
        # Dense ranks: the farthest is at -1, the nearest just below 0.
        _, rank = np.unique(-far, return_inverse=True)
        level[lost] = rank / (rank.max() + 1.0) - 1.0
    known = np.zeros_like(is_labelled) if is_negative is None else is_negative
    level[known] = _KNOWN_NEGATIVE
    unlabelled = np.flatnonzero(~(is_labelled | known))
    similarity = similarity_to(graph, is_labelled)
    order = unlabelled[np.lexsort((similarity[unlabelled], level[unlabelled]))]
    return Ranking(path, level, order, is_reached)


def n_likely_negative(prior: float, n_labelled: int, n_unlabelled: int) -> int:
    """Return |L^N| = (1 - pi) / pi |L+|, to the nearest whole number, at most |U|.

    Then the share of positives among the seeds of stage 2 is that among all rows.
    """
    return min(math.floor((1.0 - prior) / prior * n_labelled + 0.5), n_unlabelled)


def two_stage_cuts(
    graph: Any,
    is_labelled: BoolArray,
    prior: float,
    *,
    is_negative: BoolArray | None = None,
    remoteness: FloatArray | None = None,
    lambda_grid: FloatArray | None = None,
    n_threads: int | None = None,
) -> TwoStages:
    """Do stage 1, choose the likely negatives (SelectNeg), and do stage 2.

    With a grid, SelectNeg uses only the first lambda of the grid at which a row has left S.
    Known negatives are seeds of S' in both stages, and SelectNeg adds to them what is missing.
    """
    graph = checked_graph(graph)
    known = np.zeros_like(is_labelled) if is_negative is None else is_negative
    ranking = rank_unlabelled(
        graph, is_labelled, is_negative=known, remoteness=remoteness, n_threads=n_threads
    )
    order = ranking.order
    if lambda_grid is not None:
        order = np.sort(order)
        index = np.searchsorted(lambda_grid, np.maximum(ranking.level[order], 0.0), side="right")
        order = order[np.lexsort((similarity_to(graph, is_labelled)[order], index))]
    n_known = int(known.sum())
    n_negative = n_likely_negative(prior, int(is_labelled.sum()), n_known + len(order))
    likely_negative = order[: max(n_negative - n_known, 0)]
    negative = known.copy()
    negative[likely_negative] = True
    # Rows that neither kind of seed reaches would join S at once; stage 1 has placed them.
    outside = negative | ~reached_from(graph, is_labelled | negative)
    path = hnc_plus(graph, is_labelled, outside, n_threads=n_threads)
    level = np.where(is_labelled, 0.0, -np.clip(path.switch, 0.0, 1.0))
    fixed = negative | (path.switch == np.inf)
    level[fixed] = np.minimum(ranking.level[fixed], 1.0) - 2.0
    return TwoStages(ranking, likely_negative, path, level)


def nested_cuts(stages: TwoStages, stage: int, lambda_grid: FloatArray | None = None) -> FloatArray:
    """Return the cuts of a stage's level, descending, one for each of the nested partitions.

    These are all cuts, or those that the lambdas of a grid find. Stage 1 goes from all rows to the
    labelled ones, stage 2 from these and what they pull in to all but the likely negatives.
    """
    level = stages.ranking.level if stage == 1 else stages.level
    # Levels below are those of likely negatives in stage 2, and of known ones.
    distinct = np.unique(level)[::-1]
    distinct = distinct[distinct >= -1.0]
    if lambda_grid is None:
        return distinct
    lowest_inside = lambda_grid if stage == 1 else -lambda_grid
    # The smallest level that is still in S, for each lambda: several lambdas may give one set.
    rising = distinct[::-1]
    place = np.searchsorted(rising, lowest_inside, side="left")
    return np.unique(rising[place[place < len(rising)]])[::-1]


def partition_at(stages: TwoStages, stage: int, cut: float) -> Partition:
    """Return the partition of a stage whose positive side has a level of at least `cut`."""
    level = stages.ranking.level if stage == 1 else stages.level
    lam = max(cut, 0.0) if stage == 1 else abs(cut)
    return Partition(stage, float(lam), level, float(cut), int(np.count_nonzero(level >= cut)))


def similarity_to(graph: SymmetricGraph, rows: BoolArray) -> FloatArray:
    """Return the sum of the weights of each row's edges to these rows."""
    return np.asarray(graph.matrix @ rows.astype(np.float64))


def reached_from(graph: Any, seeds: BoolArray) -> BoolArray:
    """Return a mask of the rows that are connected to a seed."""
    return checked_graph(graph).reached_from(np.ascontiguousarray(seeds))
