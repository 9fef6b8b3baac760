"""Scores from the rows that are near: the labels of neighbours, and random walks to labelled rows.

Neither is told what an unlabelled row is itself, so that its score is out-of-sample.
"""

from dataclasses import dataclass

import numpy as np

from pucut._support.checks import FloatArray
from pucut.graphs.spaces import near_in
from pucut.graphs.walks import rows_met, to_meet_one
from pucut.methods.pu_cut._scores import BaseScore, NewRows
from pucut.methods.pu_cut._spaces import SpaceOfWorlds
from pucut.methods.pu_cut._worlds import Worlds

# The graph of walks has so many neighbours.
WALK_NEIGHBORS = 10
# Neighbours whose labels make a score.
SCORE_NEIGHBORS = 15


def neighbor_name(space: str) -> str:
    return f"neighbours, {space}"


def walk_name(space: str) -> str:
    return f"walks, {space}"


@dataclass(frozen=True, eq=False)
class OfNear:
    """The mean target of the training rows nearest in a space, by similarity."""

    space: str
    n_neighbors: int
    target: FloatArray

    def __call__(self, rows: NewRows) -> FloatArray:
        return rows.near[self.space].nearest(self.n_neighbors).mean_of(self.target)


def neighbor_score(space: SpaceOfWorlds, worlds: Worlds) -> BaseScore:
    """The share of a row's similarity to its neighbours that goes to labelled ones.

    Less what goes to known negatives, as much as these count.
    """
    targets = worlds.targets.astype(np.float64)
    shares = [
        near_in(of_world, of_world.lists).mean_of(target)
        for of_world, target in zip(space.spaces, targets, strict=True)
    ]
    of = OfNear(space.name, space.final.lists.n_neighbors, targets[-1])
    return BaseScore(neighbor_name(space.name), shares, shares[-1], of)


def walk_score(space: SpaceOfWorlds, worlds: Worlds) -> BaseScore:
    """How many labelled rows a random walk from a row meets, less known negatives.

    What an unlabelled row is itself adds nothing, so that its score is out-of-sample, and a new row
    is where its neighbours are.
    """
    met: list[FloatArray] = []
    for world, (of_world, target) in enumerate(zip(space.spaces, worlds.targets, strict=True)):
        if world == 0 or of_world is not space.spaces[world - 1]:
            n_neighbors = min(WALK_NEIGHBORS, of_world.lists.n_neighbors)
            graph = of_world.graph(n_neighbors)
        goes_on = to_meet_one(int(worlds.labels[world].sum()) / worlds.n_positive)
        met.append(rows_met(graph, target, goes_on))
    of = OfNear(space.name, n_neighbors, goes_on * met[-1])
    return BaseScore(walk_name(space.name), met, met[-1], of)
