"""2-HNC from points to a partition: the stages in order, each with a frozen result."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.inductive import nearness, objective_threshold, share_of_similarity
from pucut.cuts.selection import choose_n_neighbors, closest_partition
from pucut.cuts.two_stages import Partition, TwoStages, reached_from, two_stage_cuts
from pucut.data.labels import PULabels
from pucut.graphs.neighbors import nearest_neighbors
from pucut.graphs.similarity import Gaussian
from pucut.graphs.spaces import WeightedSpace
from pucut.methods.steps import Step
from pucut.methods.two_hnc.spaces import (
    DistanceSpace,
    GraphSpace,
    PointSpace,
    SimilaritySpace,
    largest_similarities,
    sums_of_similarity,
)

# The paper's numbers of neighbours and width of the kernel change at this number of samples.
LARGE = 10_000


@dataclass(frozen=True, eq=False)
class CutSettings:
    """Numbers of neighbours, of which one is chosen, width of the kernel, and values of lambda."""

    n_neighbors: tuple[int, ...]
    sigma: float
    lambda_grid: FloatArray | None = None


def paper_settings(n_rows: int) -> CutSettings:
    return CutSettings((5, 10, 15), 0.75) if n_rows < LARGE else CutSettings((5,), 0.25)


@dataclass(frozen=True, eq=False)
class ChosenPartition:
    """The two stages for the chosen number of neighbours, and their best partition."""

    n_neighbors: int
    graph: sp.csr_array
    stages: TwoStages
    partition: Partition


@dataclass(frozen=True, eq=False)
class InductiveRule:
    """One of the paper's two rules for new rows."""

    name: str
    space: GraphSpace
    n_neighbors: int
    is_positive: BoolArray

    def scores(self, X: Any) -> FloatArray:
        if self.name == "nearest":
            return nearness(*self.space.distances(X, self.is_positive))
        similarity = self.space.similarity(X, self.n_neighbors, self.is_positive)
        return share_of_similarity(*similarity)

    def for_answers(self) -> "InductiveRule":
        return replace(self, space=self.space.for_answers())

    def in_space(self, points: WeightedSpace) -> "InductiveRule":
        """Return the rule with its points in another place."""
        assert isinstance(self.space, PointSpace)
        return replace(self, space=replace(self.space, space=points))


def precomputed_space(X: Any, similarity: str, settings: CutSettings, step: Step) -> GraphSpace:
    """Return the space of a given matrix of similarities, or of a given graph of distances."""
    if similarity == "precomputed":
        return SimilaritySpace(sp.csr_array(X, dtype=np.float64))
    with step("neighbours"):
        lists = nearest_neighbors(X, max(settings.n_neighbors), sp.csr_array(X))
    return DistanceSpace(lists, Gaussian.of_width(settings.sigma, 1))


def cut_and_choose(
    space: GraphSpace, labels: PULabels, prior: float, settings: CutSettings, n_threads: int
) -> ChosenPartition:
    """Cut in both stages for every k, and choose the partition and the k by the prior."""
    # Graphs are built when they are needed; the last one stays, since most fits need only one.
    graph_of = lru_cache(maxsize=1)(space.graph)
    # The fewest neighbours leave most rows unreached.
    is_lost = ~reached_from(graph_of(min(settings.n_neighbors)), labels.is_labelled)
    remoteness = space.remoteness(is_lost, labels.is_labelled) if is_lost.any() else None
    stages: dict[int, TwoStages] = {}
    partitions: dict[int, Partition] = {}
    for k in settings.n_neighbors:
        stages[k] = two_stage_cuts(
            graph_of(k),
            labels.is_labelled,
            prior,
            is_negative=labels.is_negative,
            remoteness=remoteness,
            lambda_grid=settings.lambda_grid,
            n_threads=n_threads,
        )
        partitions[k] = closest_partition(stages[k], prior, settings.lambda_grid)
    chosen = choose_n_neighbors(partitions, prior)
    return ChosenPartition(chosen, graph_of(chosen), stages[chosen], partitions[chosen])


def threshold_and_scores(rule: InductiveRule, chosen: ChosenPartition) -> tuple[float, FloatArray]:
    """Return the rule's threshold, and the score of each training row as if it were new.

    Such a score counts the neighbours of the row but not the row itself.
    """
    graph, is_positive = chosen.graph, chosen.partition.is_positive
    if rule.name == "nearest":
        scores = nearness(
            rule.space.distance_of(largest_similarities(graph, is_positive)),
            rule.space.distance_of(largest_similarities(graph, ~is_positive)),
        )
        isolated = np.diff(graph.indptr) == 0
        scores[isolated] = np.where(is_positive[isolated], 1.0, -1.0)
        return 0.0, scores
    alone = is_positive.astype(np.float64)
    scores = share_of_similarity(*sums_of_similarity(graph, is_positive), alone)
    return objective_threshold(chosen.partition), scores


def checked_grid(lambda_grid: Any) -> FloatArray | None:
    """Check the values of lambda to which partitions are limited, if any are given."""
    if lambda_grid is None:
        return None
    grid = np.asarray(lambda_grid, dtype=np.float64)
    if grid.ndim != 1 or not len(grid) or not (grid >= 0).all() or not (grid <= 1).all():
        raise ValueError(f"lambda_grid must hold numbers from 0 to 1, found {lambda_grid!r}")
    if (np.diff(grid) <= 0).any():
        raise ValueError("lambda_grid must rise, found a value that does not exceed the last")
    return grid
