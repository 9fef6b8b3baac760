"""The chooser from points to a mixture: scores, spaces, cuts, judged by hidden positives."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray, FloatArray
from pucut._support.threads import in_threads, library_threads
from pucut.graphs.spaces import WeightedSpace, weighted_space
from pucut.methods.pu_cut._cuts import ChosenCuts, ScoreCut, choose_cuts, mix_scores
from pucut.methods.pu_cut._scores import (
    BaseScore,
    kernel_score,
    neighbor_score,
    tree_kinds,
    tree_score,
)
from pucut.trees.feature_weights import weights_of_kind
from pucut.trees.forest import Forest

# How features are weighted, its name, and the number of neighbours of its graph.
SPACES = (
    ("pu_trees", "importance", 5),
    ("pu_trees_squared", "importance squared", 5),
    (None, "all features alike", 10),
)
# Neighbours whose labels make a score.
SCORE_NEIGHBORS = 15

Step = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Cuts and scores with their weights, the spaces they lie in, and the trees for features."""

    chosen: ChosenCuts
    spaces: tuple[WeightedSpace, ...]
    forest: Forest

    def scores(self, points: Any) -> FloatArray:
        """Scores of new points."""
        return self.chosen.of(points, self.spaces)

    @property
    def cuts(self) -> tuple[ScoreCut, ...]:
        """The cuts that have weight."""
        return self.chosen.cuts

    @property
    def cut_weights(self) -> FloatArray:
        """The weight of each of them; the rest belongs to the mixed score by itself."""
        return self.chosen.weights[1:]


def find_mixture(
    points: Any,
    is_labelled: BoolArray,
    prior: float,
    *,
    feature_weights: Any,
    n_neighbors: Sequence[int] | None,
    sigma: float | None,
    neighbors: Any,
    n_trees: int,
    random_state: Any,
    n_threads: int,
    step: Step,
    most_bytes: int | None = None,
) -> Mixture:
    """Learns scores, finds neighbours, cuts and judges.

    `feature_weights` is "auto" for three spaces, else what `PUCutClassifier` takes for one;
    `n_neighbors` and `sigma` are given, or None for those of this module; for `most_bytes` see
    `nearest_neighbors`.
    """
    random = check_random_state(random_state)
    n_rows, n_features = points.shape
    n_positive = min(max(round(prior * n_rows), int(is_labelled.sum()) + 1), n_rows)
    parts: list[BaseScore] = []
    with step("trees"):
        trees = [
            tree_score(
                name,
                options,
                points,
                is_labelled,
                prior,
                n_trees=n_trees,
                random=random,
                n_threads=n_threads,
            )
            for name, options in tree_kinds(n_features).items()
        ]
        parts += trees
    forest = trees[0].forest
    spaces: list[tuple[WeightedSpace, Sequence[int]]] = []
    with step("neighbours"):
        for weights, name, usual in spaces_for(feature_weights):
            ks = [min(k, n_rows - 1) for k in n_neighbors or (usual,)]
            space = weighted_space(
                name,
                points,
                weights_of_kind(weights, forest, n_features),
                min(max(SCORE_NEIGHBORS, *ks), n_rows - 1),
                sigma=sigma,
                method=neighbors,
                n_threads=n_threads,
                random_state=random.randint(np.iinfo(np.int32).max),
                most_bytes=most_bytes,
            )
            spaces.append((space, sorted(set(ks))))
            parts.append(neighbor_score(space, is_labelled))
    with step("kernels"), library_threads(1):
        # One thread each: threads of linear algebra wait for each other more than they work.
        seeds = random.randint(np.iinfo(np.int32).max, size=len(spaces))
        parts += in_threads(
            lambda job: kernel_score(job[0].name, job[0].weights, points, is_labelled, job[1]),
            [(space, int(seed)) for (space, _), seed in zip(spaces, seeds, strict=True)],
            n_threads,
        )
    with step("cuts"):
        mixed, mixed_rank, candidates = mix_scores(parts, is_labelled, n_positive)
        chosen = choose_cuts(
            mixed,
            mixed_rank,
            spaces,
            is_labelled,
            n_positive,
            candidates,
            random=random,
            n_threads=n_threads,
        )
    return Mixture(chosen, tuple(space for space, _ in spaces), forest)


def spaces_for(feature_weights: Any) -> Sequence[tuple[Any, str, int]]:
    """Those of `SPACES` that the parameter selects, or one with given weights."""
    if isinstance(feature_weights, str) and feature_weights == "auto":
        return SPACES
    if feature_weights is None or isinstance(feature_weights, str):
        return [space for space in SPACES if space[0] == feature_weights]
    return [(feature_weights, "given weights", SPACES[0][2])]
