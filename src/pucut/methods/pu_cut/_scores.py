"""Scores of rows from three kinds of learners: PU trees, kernels, neighbours.

Each has an out-of-sample score for every training row (by trees that did not see the row, by a
regression on the other rows, by the labels of others), and scores new rows in the same way.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.spaces import WeightedSpace
from pucut.kernels.ridge import KernelRidge, fit_kernel_ridge
from pucut.trees.feature_weights import weighted
from pucut.trees.forest import Forest, forest_scores
from pucut.trees.growing import (
    ROWS_OF_A_TREE,
    CrossFittedForest,
    TreeOptions,
    cross_fitted_forest,
    grow_forest,
)

FOLDS = 4
# Trees per fold, as a share of the requested number of trees.
TREES_A_FOLD = 0.25


class BaseScore(Protocol):
    """A fitted learner."""

    @property
    def name(self) -> str: ...

    @property
    def left_out(self) -> FloatArray:
        """Scores of the training rows."""

    def of(self, points: Any, near: Mapping[str, NeighborLists]) -> FloatArray:
        """Scores of new points; `near` has their neighbours in each space."""


@dataclass(frozen=True, eq=False)
class TreeScore:
    """The share of positives in the leaves of PU trees."""

    name: str
    left_out: FloatArray
    forest: Forest
    n_threads: int

    def of(self, points: Any, near: Mapping[str, NeighborLists]) -> FloatArray:
        return forest_scores(self.forest, points, n_threads=self.n_threads).leaf


@dataclass(frozen=True, eq=False)
class KernelScore:
    """Kernel ridge regression on weighted points."""

    name: str
    ridge: KernelRidge
    weights: FloatArray

    @property
    def left_out(self) -> FloatArray:
        return self.ridge.left_out

    def of(self, points: Any, near: Mapping[str, NeighborLists]) -> FloatArray:
        return self.ridge.machine.scores(weighted(points.astype(np.float64), self.weights))


@dataclass(frozen=True, eq=False)
class NeighborScore:
    """The share of a row's similarity to its neighbours that goes to labelled ones."""

    name: str
    left_out: FloatArray
    space: WeightedSpace
    is_labelled: BoolArray

    def of(self, points: Any, near: Mapping[str, NeighborLists]) -> FloatArray:
        return _labelled_share(near[self.space.name], self.space, self.is_labelled)


def tree_kinds(n_features: int) -> dict[str, TreeOptions]:
    """Trees of four kinds, from nearly random to nearly greedy; none is best for all tables."""
    # Many features would make the greedy ones slow.
    half = min(math.ceil(n_features / 2), math.ceil(2.5 * math.sqrt(n_features)))
    return {
        "trees, random cuts": _sampled(min_samples_leaf=5),
        "trees, better cuts": _sampled(min_samples_leaf=10, max_candidates=8),
        "trees, many features": _sampled(min_samples_leaf=5, max_candidates=8, max_features=half),
        "trees, large leaves": _sampled(min_samples_leaf=30, max_candidates=3),
    }


def _sampled(**options: Any) -> TreeOptions:
    return TreeOptions(max_rows=ROWS_OF_A_TREE, **options)


def tree_score(
    name: str,
    options: TreeOptions,
    points: Any,
    is_labelled: BoolArray,
    prior: float,
    *,
    n_trees: int,
    random: np.random.RandomState,
    n_threads: int,
) -> TreeScore:
    """Trees that each leave a fold out; one labelled row cannot be left out, nor one other."""
    n_folds = min(FOLDS, int(is_labelled.sum()), int((~is_labelled).sum()))
    growing: dict[str, Any] = {"random_state": random, "n_threads": n_threads}
    if n_folds < 2:
        forest = grow_forest(points, is_labelled, prior, options, n_trees=n_trees, **growing)
        found = CrossFittedForest(forest, forest_scores(forest, points, n_threads=n_threads))
    else:
        found = cross_fitted_forest(
            points,
            is_labelled,
            prior,
            options,
            n_folds=n_folds,
            n_trees=math.ceil(TREES_A_FOLD * n_trees),
            **growing,
        )
    return TreeScore(name, found.scores.leaf, found.forest, n_threads)


def kernel_score(
    space_name: str,
    weights: FloatArray,
    points: Any,
    is_labelled: BoolArray,
    seed: int,
) -> KernelScore:
    random = np.random.RandomState(seed)
    ridge = fit_kernel_ridge(weighted(points, weights), is_labelled, random)
    return KernelScore(f"kernel, {space_name}", ridge, weights)


def neighbor_score(space: WeightedSpace, is_labelled: BoolArray) -> NeighborScore:
    share = _labelled_share(space.lists, space, is_labelled)
    return NeighborScore(f"neighbours, {space.name}", share, space, is_labelled)


def _labelled_share(
    lists: NeighborLists, space: WeightedSpace, is_labelled: BoolArray
) -> FloatArray:
    similar = space.similarities(lists.squared_distances)
    share: FloatArray = np.where(is_labelled[lists.indices], similar, 0.0).sum(axis=1)
    return np.asarray(share / similar.sum(axis=1))
