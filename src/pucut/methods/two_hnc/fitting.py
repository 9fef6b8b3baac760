"""2-HNC from a table to a partition: the stages in order, each with a frozen result."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.inductive import nearness, objective_threshold, share_of_similarity
from pucut.cuts.selection import choose_n_neighbors, closest_partition
from pucut.cuts.two_stages import Partition, TwoStages, reached_from, two_stage_cuts
from pucut.data.encoding import learn_encoding
from pucut.data.labels import PULabels
from pucut.data.row_order import IndexArray, order_rows_in_place, row_order
from pucut.graphs.neighbors import nearest_neighbors
from pucut.graphs.similarity import Gaussian
from pucut.graphs.spaces import weighted_space
from pucut.methods.two_hnc.spaces import (
    DistanceSpace,
    ForestSpace,
    PointSpace,
    SimilaritySpace,
    Space,
    largest_similarities,
    row_sums,
)
from pucut.trees.feature_weights import options_of_weighing_trees, weights_of_kind
from pucut.trees.forest import Forest, forest_apply, proximity_neighbors
from pucut.trees.growing import grow_forest

# The paper's numbers of neighbours and width of the kernel change at this number of samples.
LARGE = 10_000

Step = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True)
class Settings:
    """The paper's numbers of neighbours, of which one is chosen, and its width of the kernel."""

    n_neighbors: tuple[int, ...]
    sigma: float


def paper_settings(n_rows: int) -> Settings:
    return Settings((5, 10, 15), 0.75) if n_rows < LARGE else Settings((5,), 0.25)


@dataclass(frozen=True, eq=False)
class FoundSpace:
    """Where the rows lie, and the trees, feature weights and importances, if there are any.

    If there is an `order`, the rows lie there in this order of the table's.
    """

    space: Space
    forest: Forest | None = None
    weights: FloatArray | None = None
    importances: FloatArray | None = None
    order: IndexArray | None = None


@dataclass(frozen=True, eq=False)
class ChosenPartition:
    """The two stages for the number of neighbours that was chosen, and their best partition."""

    n_neighbors: int
    graph: sp.csr_array
    stages: TwoStages
    partition: Partition


@dataclass(frozen=True, eq=False)
class InductiveRule:
    """How new rows are answered, by one of the paper's two rules."""

    name: str
    space: Space
    n_neighbors: int
    is_positive: BoolArray

    def scores(self, X: Any) -> FloatArray:
        if self.name == "nearest":
            return nearness(*self.space.distances(X, self.is_positive))
        similarity = self.space.similarity(X, self.n_neighbors, self.is_positive)
        return share_of_similarity(*similarity)

    def for_answers(self) -> "InductiveRule":
        return replace(self, space=self.space.for_answers())


def find_space(
    X: Any,
    labels: PULabels,
    prior: float,
    *,
    similarity: str,
    neighbors: Any,
    feature_weights: Any,
    n_neighbors: int,
    sigma: float,
    n_trees: int,
    random_state: Any,
    n_threads: int,
    device: str | None,
    in_place: bool,
    most_bytes: int | None,
    step: Step,
    in_given_order: bool = False,
) -> FoundSpace:
    """Encodes, weighs and finds neighbours: what the graphs of all k are made from.

    With `in_place` the memory of X may be reused; for `most_bytes` and `device` see
    `nearest_neighbors`. Rows are put into the order of `data.row_order`, unless
    `in_given_order` leaves them in theirs.
    """
    if similarity == "precomputed":
        return FoundSpace(SimilaritySpace(sp.csr_array(X, dtype=np.float64)))
    if isinstance(neighbors, str) and neighbors == "precomputed":
        with step("neighbours"):
            lists = nearest_neighbors(X, n_neighbors, sp.csr_array(X))
        return FoundSpace(DistanceSpace(lists, Gaussian.of_width(sigma, 1)))
    with step("encoding"):
        n_rows, signs = X.shape[0], labels.signs
        order = np.arange(n_rows) if in_given_order else row_order(X, signs, n_threads)
        encoding, points = learn_encoding(X, in_place=in_place, n_threads=n_threads)
        points = order_rows_in_place(points, order, n_threads)
        labels = labels.in_order(order)
    forest: Forest | None = None
    if isinstance(feature_weights, str) or similarity == "forest":
        with step("trees"):
            forest = grow_forest(
                points,
                labels.is_labelled,
                prior,
                options_of_weighing_trees(X.shape[0]),
                n_trees=n_trees,
                random_state=random_state,
                n_threads=n_threads,
            )
    weights = weights_of_kind(feature_weights, forest, encoding.n_features)
    importances = encoding.importances(weights)
    with step("neighbours"):
        if forest is not None and similarity == "forest":
            leaves = forest_apply(forest, points, n_threads=n_threads)
            near = proximity_neighbors(forest, points, n_neighbors, n_threads=n_threads)
            nearby = ForestSpace(encoding, forest, leaves, near, n_threads)
            return FoundSpace(nearby, forest, weights, importances, order)
        space = weighted_space(
            "features",
            points,
            weights,
            n_neighbors,
            kernel=Gaussian.of_width(sigma, len(weights)),
            in_place=True,
            method=neighbors,
            n_threads=n_threads,
            random_state=random_state,
            most_bytes=most_bytes,
            device=device,
        )
    return FoundSpace(PointSpace(encoding, space), forest, weights, importances, order)


def cut_and_choose(
    space: Space,
    labels: PULabels,
    prior: float,
    ks: Sequence[int],
    lambda_grid: FloatArray | None,
    n_threads: int,
) -> ChosenPartition:
    """Both stages for every k, and the partition and the k that the prior chooses."""
    # Graphs are built when they are needed; the last one stays, since most fits need only one.
    graph_of = lru_cache(maxsize=1)(space.graph)
    remoteness = _remoteness(space, graph_of(min(ks)), labels.is_labelled)
    stages: dict[int, TwoStages] = {}
    partitions: dict[int, Partition] = {}
    for k in ks:
        stages[k] = two_stage_cuts(
            graph_of(k),
            labels.is_labelled,
            prior,
            is_negative=labels.is_negative,
            remoteness=remoteness,
            lambda_grid=lambda_grid,
            n_threads=n_threads,
        )
        partitions[k] = closest_partition(stages[k], prior, lambda_grid)
    chosen = choose_n_neighbors(partitions, prior)
    return ChosenPartition(chosen, graph_of(chosen), stages[chosen], partitions[chosen])


def threshold_and_scores(rule: InductiveRule, chosen: ChosenPartition) -> tuple[float, FloatArray]:
    """The rule's threshold, and the score of each training row as if it were new.

    That is, with its neighbours but without itself.
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
    scores = share_of_similarity(
        row_sums(graph, is_positive),
        row_sums(graph, np.ones_like(is_positive)),
        is_positive.astype(np.float64),
    )
    return objective_threshold(chosen.partition), scores


def checked_grid(lambda_grid: Any) -> FloatArray | None:
    """The values of lambda to which partitions are limited, if any are given."""
    if lambda_grid is None:
        return None
    grid = np.asarray(lambda_grid, dtype=np.float64)
    if grid.ndim != 1 or not len(grid) or not (grid >= 0).all() or not (grid <= 1).all():
        raise ValueError(f"lambda_grid must hold numbers from 0 to 1, found {lambda_grid!r}")
    if (np.diff(grid) <= 0).any():
        raise ValueError("lambda_grid must rise, found a value that does not exceed the last")
    return grid


def _remoteness(space: Space, graph: sp.csr_array, is_labelled: BoolArray) -> FloatArray | None:
    """With the fewest neighbours most rows are unreached, including all that are for a larger k."""
    is_lost = ~reached_from(graph, is_labelled)
    return space.remoteness(is_lost, is_labelled) if is_lost.any() else None
