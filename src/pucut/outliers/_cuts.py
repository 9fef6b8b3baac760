"""Outliers by nested cuts: the rows that leave the side of the regular ones first.

Every row is pulled to the regular side by its own density, which is the share of rows that are
farther from their neighbours than it is from its own, and by its similarity to rows that are there.
The cuts for all lambda are those of `pucut.cuts.score_cuts` with the regular rows as seeds; the
level of a row is the lambda at which it leaves. The density counts equally for all rows, as for a
row of median degree: an isolated row is not held by its few connections.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.parametric_cut import CutPath
from pucut.cuts.score_cuts import levels_of_new_rows, score_cut
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.neighbors.equal_rows import group_equal_rows
from pucut.graphs.spaces import WeightedSpace

# The share of rows, the densest, that stands in for regular rows if none are known.
DENSEST_SHARE = 0.5
# Rows that leave together are ordered by their density, with this small weight.
_TIE_WEIGHT = 1e-9


@dataclass(frozen=True, eq=False)
class OutlierCuts:
    """What was found about the rows of one table.

    Attributes
    ----------
    space : WeightedSpace
        The points, their neighbours and their similarities.
    path : CutPath
        All minimum cuts, with the seeds fixed on the regular side.
    is_seed : bool array of shape (n_samples,)
    remoteness : float array of shape (n_samples,)
        Mean distance to the neighbours.
    rising_remoteness : float array of shape (n_samples,)
        The same, sorted.
    pull : float
        How much the density counts, in the unit of degrees.
    score : float array of shape (n_samples,)
        Higher is more regular: the lambda at which a row leaves, seeds above all others.
    """

    space: WeightedSpace
    path: CutPath
    is_seed: BoolArray
    remoteness: FloatArray
    rising_remoteness: FloatArray
    pull: float
    score: FloatArray

    def scores_of(self, points: Any) -> FloatArray:
        """Scores of any rows, each by itself; a row equal to one of the table has its score.

        The level of a new row minimises its own terms of the objective, with all others fixed.
        """
        lists = self.space.near(points)
        density = densities(_mean_distance(lists), self.rising_remoteness)
        weights = self.space.similarities(lists.squared_distances)
        levels = levels_of_new_rows(
            lists.indices,
            weights,
            np.where(self.is_seed, np.inf, self.path.switch),
            density,
            self.pull / weights.sum(axis=1),
        )
        scores: FloatArray = levels + _TIE_WEIGHT * density
        is_known = lists.squared_distances[:, 0] == 0.0
        scores[is_known] = self.score[lists.indices[is_known, 0]]
        return scores


def find_outliers(
    space: WeightedSpace, regular: BoolArray | None, density_weight: float
) -> OutlierCuts:
    """The order in which rows leave the regular side.

    Parameters
    ----------
    space : WeightedSpace
    regular : bool array of shape (n_samples,), optional
        Rows known to be regular; without any the densest half takes their place.
    density_weight : float
        Above 0: how much the density of a row itself counts relative to the graph.
    """
    remoteness = _mean_distance(space.lists)
    is_seed = densest(remoteness, DENSEST_SHARE) if regular is None else regular
    rising = np.sort(remoteness)
    density = densities(remoteness, rising)
    graph = space.graph(space.lists.n_neighbors)
    degrees = np.asarray(graph.sum(axis=1), dtype=np.float64).ravel()
    pull = density_weight * float(np.median(degrees))
    path = score_cut(graph, is_seed, density, pull / degrees, n_threads=space.n_threads)
    # No row leaves later than at its density and its degree / pull.
    level = np.where(is_seed, 1.0 + degrees.max() / pull + density, path.switch)
    score = _shared_by_equals(level + _TIE_WEIGHT * density, space.points)
    return OutlierCuts(space, path, is_seed, remoteness, rising, pull, score)


def densities(remoteness: FloatArray, rising: FloatArray) -> FloatArray:
    """The share of the `rising` values that are larger; equal ones count half."""
    larger = len(rising) - np.searchsorted(rising, remoteness, side="right")
    not_smaller = len(rising) - np.searchsorted(rising, remoteness, side="left")
    share: FloatArray = (larger + not_smaller) / (2.0 * len(rising))
    return share


def densest(remoteness: FloatArray, share: float) -> BoolArray:
    """The rows nearest to their neighbours, at least one; ties by row number."""
    chosen = np.zeros(len(remoteness), dtype=np.bool_)
    n_chosen = max(1, int(share * len(remoteness)))
    chosen[np.argsort(remoteness, kind="stable")[:n_chosen]] = True
    return chosen


def far_share(remoteness: FloatArray) -> float:
    """The share of rows beyond Tukey's upper fence of the logarithms of their remoteness."""
    positive = remoteness > 0.0
    if not positive.any():
        return 0.0
    # Rows with that many copies count as near as the nearest that have fewer.
    logs = np.log(np.where(positive, remoteness, remoteness[positive].min()))
    lower, upper = np.quantile(logs, (0.25, 0.75))
    return float(np.mean(logs > upper + 1.5 * (upper - lower)))


def _mean_distance(lists: NeighborLists) -> FloatArray:
    mean: FloatArray = np.sqrt(lists.squared_distances).mean(axis=1)
    return mean


def _shared_by_equals(scores: FloatArray, points: Any) -> FloatArray:
    """Equal rows get the highest score among them: what is known of one is known of all."""
    groups = group_equal_rows(points)
    highest = np.full(groups.n_groups, -np.inf)
    np.maximum.at(highest, groups.group_of, scores)
    return np.asarray(highest[groups.group_of])
