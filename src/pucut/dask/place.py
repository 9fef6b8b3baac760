"""The place of points that lie in partitions on the workers.

Its results are those of `pucut.judging.places.PointsHere`, bit for bit if neighbours are exact.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut.dask.cells import neighbors_in_cells
from pucut.dask.engine import computed, delayed, n_slots
from pucut.dask.partitions import Partitions, take_rows
from pucut.dask.search import (
    Found,
    distances_to_nearest,
    found_in_turn,
    neighbors_among,
    partition_indices,
)
from pucut.dask.trees import joined_scores, leaf_scores, scores_in_folds, trees_on_workers
from pucut.data.coded_categories import CodedCategories, categories_of_parts, value_counts
from pucut.data.repeats import groups_of_equal_rows, numbered
from pucut.data.row_order import Hashes, row_hashes
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.neighbors.index import MOST_EXACT_WORK, WORK_OF_A_PAIR
from pucut.graphs.similarity import Gaussian
from pucut.graphs.spaces import WeightedSpace, connecting_kernel
from pucut.judging.places import PointsHere
from pucut.kernels.gradients import mapped
from pucut.trees.cross_fitting import CrossFittedForest, dealt_folds
from pucut.trees.feature_weights import weighted
from pucut.trees.forest import Forest
from pucut.trees.growing import TreeOptions, tree_seeds


@dataclass(eq=False)
class PointsOnWorkers:
    """Points on workers; `threads_here` are for samples of the rows that come to this process."""

    points: Partitions
    threads_here: int = 1
    is_sparse: ClassVar[bool] = False
    n_threads: ClassVar[int] = 1  # the workers are busy with one learner

    @property
    def shape(self) -> tuple[int, int]:
        return self.points.shape

    @property
    def rows(self) -> Partitions:
        return self.points

    def here(self, points: Any) -> PointsHere:
        return PointsHere(points, self.threads_here)

    def turned(self, matrix: FloatArray) -> "PointsOnWorkers":
        turned = self.points.lazily(mapped, matrix, n_columns=matrix.shape[1])
        return PointsOnWorkers(turned, self.threads_here)

    def categories(self) -> CodedCategories | None:
        return categories_of_parts(computed(self.points.tasks(value_counts)))

    def coded(self, categories: CodedCategories) -> "PointsOnWorkers":
        coded = self.points.lazily(with_categories, categories, n_columns=categories.n_columns)
        return PointsOnWorkers(coded, self.threads_here)

    def groups(self, is_labelled: BoolArray) -> IndexArray:
        hashes = np.concatenate(computed(self.points.tasks(hashes_of_points)))
        return groups_of_equal_rows(numbered(hashes), is_labelled)

    def varying_columns(self) -> BoolArray:
        lowest, highest = zip(*computed(self.points.tasks(ends_of_columns)), strict=True)
        return np.asarray(np.max(highest, axis=0) > np.min(lowest, axis=0))

    def forest(
        self,
        is_labelled: BoolArray,
        prior: float,
        options: TreeOptions,
        *,
        n_trees: int,
        random_state: Any,
        is_negative: BoolArray | None = None,
    ) -> Forest:
        seeds = tree_seeds(check_random_state(random_state), n_trees)
        return trees_on_workers(self.points, is_labelled, prior, options, seeds, is_negative)

    def leaf_scores(self, forest: Forest) -> FloatArray:
        return np.concatenate(computed(self.points.tasks(leaf_scores, forest)))

    def cross_fitted_forest(
        self,
        is_labelled: BoolArray,
        prior: float,
        options: TreeOptions,
        *,
        n_folds: int,
        n_trees: int,
        random_state: Any,
        groups: IndexArray,
        is_negative: BoolArray | None = None,
    ) -> CrossFittedForest:
        random = check_random_state(random_state)
        folds = dealt_folds(groups, is_labelled, n_folds, n_trees, random)
        forest = trees_on_workers(
            self.points, is_labelled, prior, options, folds.seeds, is_negative, folds
        )
        own = self.points.split(folds.row_fold)
        parts = computed(self.points.tasks(scores_in_folds, forest, n_folds, each=own))
        unseen, by_all = zip(*parts, strict=True)
        return CrossFittedForest(forest, joined_scores(unseen), joined_scores(by_all))

    def space(
        self,
        name: str,
        weights: FloatArray,
        n_neighbors: int,
        *,
        kernel: Gaussian | None = None,
        sigma: float | None = None,
        in_place: bool = False,
        method: Any = "auto",
        random_state: Any = None,
    ) -> WeightedSpace:
        if in_place:  # this place loses its points, so that the workers can free them
            self.points = self.points.mapped(weighted, weights)
        in_space = self.points if in_place else weighted_partitions(self.points, weights)
        lists = partitioned_neighbors(in_space, n_neighbors, method, random_state)
        kernel = kernel or connecting_kernel(lists, sigma, len(weights))
        return WeightedSpaceOnWorkers(
            name, weights, self.points, in_place, lists, kernel, self.threads_here
        )


@dataclass(frozen=True, eq=False)
class WeightedSpaceOnWorkers(WeightedSpace):
    """A space whose `points` are `Partitions`; the lists of neighbours are here."""

    @property
    def weighted_points(self) -> Partitions:
        points: Partitions = self.points
        return points if self.are_weighted else weighted_partitions(points, self.weights)

    def near(
        self, new: Any, n_neighbors: int | None = None, *, in_place: bool = False
    ) -> NeighborLists:
        points = delayed(weighted(new, self.weights, in_place=in_place))
        found = computed([self.nearest(points, n_neighbors or self.lists.n_neighbors)])[0]
        return lists_of(found)

    def distances(
        self, new: Any, is_inside: BoolArray, *, in_place: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        points = delayed(weighted(new, self.weights, in_place=in_place))
        inside, outside = computed(self.nearest_distances(points, is_inside))
        return inside, outside

    def distances_between(self, rows: BoolArray, others: BoolArray) -> FloatArray:
        points, take = self.weighted_points, delayed(take_rows)
        queries = [
            take(part, np.flatnonzero(mask))
            for part, mask in zip(points.parts, points.split(rows), strict=True)
            if mask.any()
        ]
        return np.concatenate(computed(distances_to_nearest(points, others, queries)))

    def nearest(self, queries: Any, n_neighbors: int) -> Any:
        """Return a task: the rows nearest to those of a task of weighted points."""
        return found_in_turn(queries, self._indices, n_neighbors)

    def nearest_distances(self, queries: Any, is_inside: BoolArray) -> list[Any]:
        """Return two tasks: the `distances` of the rows of a task of weighted points."""
        return [
            distances_to_nearest(self.weighted_points, side, [queries])[0]
            for side in (is_inside, ~is_inside)
        ]

    def gathered(self, points: Any) -> WeightedSpace:
        """Return the space with its points, which are now in this process."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return WeightedSpace(**values | {"points": points})

    @cached_property
    def _indices(self) -> tuple[Any, ...]:
        """Built when the first unseen rows are scored."""
        return partition_indices(self.weighted_points, self.lists.n_neighbors, "auto", 0)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "the points of this model are on the Dask workers and cannot be pickled; call its "
            "method gather() first, which brings them into this process"
        )


def weighted_partitions(points: Partitions, weights: FloatArray) -> Partitions:
    """Return weighted points, which are made again wherever they are needed."""
    return points if (weights == 1.0).all() else points.lazily(weighted, weights)


def partitioned_neighbors(
    points: Partitions, n_neighbors: int, method: Any, random_state: Any
) -> NeighborLists:
    """Find the nearest other rows of every row of all partitions, in this process.

    "auto" is exact or approximate by the amount of work.
    """
    if method == "auto":
        n_rows, n_features = (float(length) for length in points.shape)
        work = n_rows**2 * (n_features + WORK_OF_A_PAIR)
        method = "exact" if work <= MOST_EXACT_WORK * n_slots() else "approximate"
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    if method == "approximate":
        return neighbors_in_cells(points, n_neighbors, seed)
    rows, distances = neighbors_among(points, n_neighbors, method, seed)
    return NeighborLists(rows, distances, method, 1.0)


def lists_of(found: Found) -> NeighborLists:
    """Return the neighbours of new rows as lists; each partition was searched exactly."""
    return NeighborLists(found.rows, found.squared_distances, "exact", 1.0)


def with_categories(points: npt.NDArray[Any], categories: CodedCategories) -> Any:
    return categories.of(points)


def hashes_of_points(points: npt.NDArray[Any]) -> Hashes:
    return row_hashes(len(points), list(points.T))


def ends_of_columns(points: npt.NDArray[Any]) -> tuple[Any, Any]:
    return points.min(axis=0), points.max(axis=0)
