"""From points and labels to what the cuts need: scores and a graph in every world."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut.data.encoding import Encoding
from pucut.graphs.spaces import WeightedSpace
from pucut.semi_supervised._class_scores import (
    ClassScores,
    Opinion,
    best_space,
    logistic_opinion,
    mix_opinions,
    regressions,
    tree_opinion,
)
from pucut.semi_supervised._class_spaces import ClassSpace, class_spaces, neighbors_in_worlds
from pucut.semi_supervised._class_walks import walk_opinion
from pucut.semi_supervised._class_worlds import ClassWorlds


@dataclass(frozen=True, eq=False)
class Options:
    """The parameters of `HNCClassifier` that say what is learned, and where.

    `device` is a GPU that was found, or None.
    """

    has_scores: bool
    feature_weights: Any
    n_neighbors: int
    sigma: float | None
    n_trees: int
    device: str | None = None


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned.

    Attributes
    ----------
    scores : ClassScores or None
        None if everything is left to the graph.
    score_weights : dict of str to float, or None
        The weight of each learner.
    pulls : tuple of float arrays of shape (n_samples, n_classes)
        Scores of the rows, from -1 to 1, in each world, the complete one last.
    space : ClassSpace
        Where distances are measured.
    neighbors : WeightedSpace
        The neighbours there in the complete world.
    graphs : tuple of CSR arrays
        The graph in each world.
    """

    scores: ClassScores | None
    score_weights: dict[str, float] | None
    pulls: tuple[FloatArray, ...]
    space: ClassSpace
    neighbors: WeightedSpace
    graphs: tuple[Any, ...]


def learn_classes(
    encoding: Encoding,
    points: Any,
    worlds: ClassWorlds,
    options: Options,
    random: np.random.RandomState,
    n_threads: int,
) -> Learned:
    """Learners, the space whose kernel they commend, and the graph of neighbours in it."""
    n_worlds, weights = len(worlds.labels), options.feature_weights
    opinions: list[Opinion] = []
    importances = [np.empty(0)] * n_worlds
    if options.has_scores or isinstance(weights, str):
        trees = tree_opinion(points, worlds, options.n_trees, random, n_threads)
        opinions, importances = [trees], list(trees.importances)
    spaces = class_spaces(weights, encoding, points, importances)
    placed = [space.of(points) for space in spaces]
    if options.has_scores or len(spaces) > 1:
        opinions += regressions(points, placed, spaces, worlds, random, n_threads, options.device)
    logistic = logistic_opinion(points, worlds) if options.has_scores else None
    opinions += [] if logistic is None else [logistic]
    chosen = best_space(opinions, spaces, worlds)
    neighbors = neighbors_in_worlds(
        spaces[chosen],
        placed[chosen],
        options.n_neighbors,
        random.randint(np.iinfo(np.int32).max),
        sigma=options.sigma,
        n_threads=n_threads,
        device=options.device,
    )
    graphs = _graphs(neighbors)
    there: Any = (spaces[chosen], neighbors[-1], graphs)
    if not options.has_scores:
        nothing = np.zeros((points.shape[0], int(worlds.codes.max()) + 1))
        return Learned(None, None, (nothing,) * n_worlds, *there)
    opinions.append(walk_opinion(graphs, worlds, n_threads))
    judged = mix_opinions(opinions, spaces, worlds)
    pulls = tuple(2.0 * found - 1.0 for found in judged.of_worlds)
    return Learned(judged.scores, judged.weights, pulls, *there)


def _graphs(neighbors: Sequence[WeightedSpace]) -> tuple[Any, ...]:
    """One for each world; worlds that share their neighbours share it."""
    graphs: list[Any] = []
    for world, near in enumerate(neighbors):
        is_shared = world > 0 and near is neighbors[world - 1]
        graphs.append(graphs[-1] if is_shared else near.graph(near.lists.n_neighbors))
    return tuple(graphs)
