"""The stages of 2-HNC in a row, from a table in partitions to the space its graph is made in."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from pucut._support.checks import BoolArray
from pucut.dask.choice import partitioned_neighbors
from pucut.dask.partitions import Partitions
from pucut.dask.space import PartitionedSpace
from pucut.dask.standardising import learn_partitioned_encoding
from pucut.dask.trees import grow_forest_on_workers
from pucut.graphs.similarity import Gaussian
from pucut.trees.feature_weights import weighted, weights_of_kind
from pucut.trees.forest import Forest

Step = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, eq=False)
class SpaceOnWorkers:
    """The space, and the trees its weights come from, where any were needed."""

    space: PartitionedSpace
    forest: Forest | None


def space_on_workers(
    table: Partitions,
    is_labelled: BoolArray,
    prior: float,
    *,
    feature_weights: Any,
    n_neighbors: int,
    sigma: float,
    neighbors: str,
    n_trees: int,
    random_state: Any,
    step: Step,
) -> SpaceOnWorkers:
    """Encodes, weighs and finds neighbours on the workers.

    `feature_weights` are a kind of `FOREST_WEIGHTS`, None for all the same, or an array.
    """
    with step("encoding"):
        encoding, points = learn_partitioned_encoding(table)
    forest: Forest | None = None
    if isinstance(feature_weights, str):
        with step("trees"):
            forest = grow_forest_on_workers(
                points, is_labelled, prior, n_trees=n_trees, random_state=random_state
            )
    weights = weights_of_kind(feature_weights, forest, encoding.n_features)
    with step("neighbours"):
        points = points.mapped(weighted, weights)
        lists = partitioned_neighbors(points, n_neighbors, neighbors, random_state)
    kernel = Gaussian.of_width(sigma, len(weights))
    return SpaceOnWorkers(PartitionedSpace(encoding, weights, points, lists, kernel), forest)
