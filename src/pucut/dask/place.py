"""The place of the chooser's points if these lie in partitions on the workers.

It gives what `pucut.judging.places.PointsHere` gives, with the same bits if neighbours are
exact. The points are there once; those of a space are made from them where they are needed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray, FloatArray
from pucut.dask.choice import partitioned_neighbors
from pucut.dask.engine import computed, delayed
from pucut.dask.partitions import Partitions
from pucut.dask.rows import PartitionedRows
from pucut.dask.search import Found, found_in_turn, partition_indices
from pucut.dask.trees import cross_fitted_on_workers, forest_on_workers, leaf_scores_on_workers
from pucut.data.coded_categories import CodedCategories, categories_of_parts, value_counts
from pucut.data.repeats import groups_of_equal_rows, numbered
from pucut.data.row_order import IndexArray, row_hashes
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.spaces import WeightedSpace, connecting_kernel
from pucut.judging.places import PointsHere
from pucut.kernels import blocks
from pucut.kernels.gradients import mapped
from pucut.trees.cross_fitting import CrossFittedForest, dealt_folds
from pucut.trees.feature_weights import weighted
from pucut.trees.forest import Forest
from pucut.trees.growing import TreeOptions, tree_seeds


@dataclass(frozen=True, eq=False)
class PointsOnWorkers:
    """Satisfies `Place`; `threads_here` are for samples of the rows that come to this process."""

    points: Partitions
    threads_here: int = 1
    is_sparse: bool = False
    n_threads: int = 1  # the workers are busy with one learner

    @property
    def shape(self) -> tuple[int, int]:
        return self.points.shape

    @property
    def rows(self) -> PartitionedRows:
        return PartitionedRows(self.points)

    def here(self, points: Any) -> PointsHere:
        return PointsHere(points, self.threads_here)

    def turned(self, matrix: FloatArray) -> "PointsOnWorkers":
        turned = self.points.lazily(mapped, matrix, n_columns=matrix.shape[1])
        return PointsOnWorkers(turned, self.threads_here)

    def categories(self) -> CodedCategories | None:
        return categories_of_parts(self._of_parts(value_counts))

    def coded(self, categories: CodedCategories) -> "PointsOnWorkers":
        width = categories.n_columns
        coded = self.points.lazily(with_categories, categories, n_columns=width)
        return PointsOnWorkers(coded, self.threads_here)

    def groups(self, is_labelled: BoolArray) -> IndexArray:
        hashes = np.concatenate(self._of_parts(row_hashes))
        return groups_of_equal_rows(numbered(hashes), is_labelled)

    def varying_columns(self) -> BoolArray:
        lowest, highest = zip(*self._of_parts(ends_of_columns), strict=True)
        return np.asarray(np.max(highest, axis=0) > np.min(lowest, axis=0))

    def forest(
        self,
        is_labelled: BoolArray,
        prior: float,
        options: TreeOptions,
        *,
        n_trees: int,
        random_state: Any,
        is_negative: BoolArray,
    ) -> Forest:
        seeds = tree_seeds(check_random_state(random_state), n_trees)
        return forest_on_workers(
            self.points, is_labelled, prior, options, seeds, is_negative=is_negative
        )

    def leaf_scores(self, forest: Forest) -> FloatArray:
        return leaf_scores_on_workers(self.points, forest)

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
        is_negative: BoolArray,
    ) -> CrossFittedForest:
        random = check_random_state(random_state)
        folds = dealt_folds(groups, is_labelled, n_folds, n_trees, random)
        forest = forest_on_workers(
            self.points,
            is_labelled,
            prior,
            options,
            folds.seeds,
            is_negative=is_negative,
            folds=folds,
        )
        return cross_fitted_on_workers(self.points, forest, folds)

    def space(
        self,
        name: str,
        weights: FloatArray,
        n_neighbors: int,
        *,
        sigma: float | None = None,
        method: Any = "auto",
        random_state: Any = None,
    ) -> WeightedSpace:
        in_space = weighted_partitions(self.points, weights)
        lists = partitioned_neighbors(in_space, n_neighbors, method, random_state)
        kernel = connecting_kernel(lists, sigma, len(weights))
        return WeightedSpaceOnWorkers(
            name, weights, self.points, False, lists, kernel, self.threads_here
        )

    def _of_parts(self, function: Callable[[Any], Any]) -> list[Any]:
        task = delayed(function)
        return computed([task(part) for part in self.points.parts])


@dataclass(frozen=True, eq=False)
class WeightedSpaceOnWorkers(WeightedSpace):
    """`points` are `Partitions`; the lists of neighbours are here."""

    @property
    def weighted_points(self) -> PartitionedRows:
        return PartitionedRows(weighted_partitions(self.points, self.weights))

    def near(
        self, new: Any, n_neighbors: int | None = None, *, in_place: bool = False
    ) -> NeighborLists:
        points = delayed(weighted(new, self.weights, in_place=in_place))
        found = computed([self.nearest(points, n_neighbors or self.lists.n_neighbors)])[0]
        return lists_of(found)

    def nearest(self, queries: Any, n_neighbors: int) -> Any:
        """A task: the rows nearest to those of a task of weighted points."""
        return found_in_turn(queries, self._indices, n_neighbors)

    def without_points(self) -> WeightedSpace:
        """What can travel to workers that answer."""
        return replace(self.gathered(None), lists=self.lists.of_no_rows())

    def gathered(self, points: Any) -> WeightedSpace:
        """The space with its unweighted points in this process."""
        return WeightedSpace(
            self.name, self.weights, points, False, self.lists, self.kernel, self.n_threads
        )

    @cached_property
    def _indices(self) -> tuple[Any, ...]:
        """Built when the first unseen rows are asked about."""
        points = weighted_partitions(self.points, self.weights)
        return partition_indices(points, self.lists.n_neighbors, "auto", 0)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "the points of this model are on the Dask workers and cannot be pickled; call its "
            "method gather() first, which brings them into this process"
        )


def place_of(points: Partitions, threads_here: int) -> PointsOnWorkers:
    """Of the points of an encoded table."""
    return PointsOnWorkers(points.starting_at_multiples(blocks.ROWS_OF_A_BLOCK), threads_here)


def weighted_partitions(points: Partitions, weights: FloatArray) -> Partitions:
    """Not kept: they are made again wherever they are needed."""
    return points if (weights == 1.0).all() else points.lazily(weighted, weights)


def lists_of(found: Found) -> NeighborLists:
    """Of new rows, each partition searched by itself."""
    return NeighborLists(found.rows, found.squared_distances, "exact", 1.0)


def with_categories(points: npt.NDArray[Any], categories: CodedCategories) -> Any:
    return categories.of(points)


def ends_of_columns(points: npt.NDArray[Any]) -> tuple[Any, Any]:
    return points.min(axis=0), points.max(axis=0)
