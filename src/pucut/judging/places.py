"""The place where the points of the rows of `fit` lie: this process, or the workers of a cluster.

Everything else, such as labels, scores, neighbour lists, mixtures and cuts, is in this process: it
takes a few numbers per row. The place on workers is in `pucut.dask`.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_sparse
from pucut.data.coded_categories import CodedCategories, coded_categories
from pucut.data.repeats import groups_for_folds
from pucut.data.tables import Table, read_table
from pucut.graphs.spaces import WeightedSpace, varying_columns, weighted_space
from pucut.kernels.gaussian import BlockedRows, RowsHere
from pucut.kernels.gradients import mapped
from pucut.trees.cross_fitting import CrossFittedForest, cross_fitted_forest
from pucut.trees.forest import Forest, forest_scores
from pucut.trees.growing import grow_forest


class Place(Protocol):
    """Points of rows; results depend on the points alone, not on the place."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def is_sparse(self) -> bool: ...

    @property
    def n_threads(self) -> int:
        """The number of learners that may work on the points at a time."""

    @property
    def rows(self) -> BlockedRows:
        """For regressions."""

    def here(self, points: Any) -> "PointsHere":
        """Return a place for other points in this process, such as a sample."""

    def turned(self, matrix: FloatArray) -> "Place":
        """Return the points times a matrix (`kernels.gradients.mapped`)."""

    def categories(self) -> CodedCategories | None:
        """Return `coded_categories` of the points."""

    def coded(self, categories: CodedCategories) -> "Place":
        """Return the points with indicators in the place of codes."""

    def groups(self, is_labelled: BoolArray) -> IndexArray:
        """Return the groups of copies (`groups_for_folds`)."""

    def varying_columns(self) -> BoolArray: ...

    def forest(self, *known: Any, **growing: Any) -> Forest:
        """Grow the trees of `grow_forest`, which takes the same arguments after the points."""

    def leaf_scores(self, forest: Forest) -> FloatArray:
        """Return the mean score of the leaves of each row over all trees."""

    def cross_fitted_forest(self, *known: Any, **growing: Any) -> CrossFittedForest: ...

    def space(self, name: str, *weighing: Any, **search: Any) -> WeightedSpace:
        """Find the neighbours of all rows (`weighted_space`).

        With `in_place` the space takes the memory of the points, which this place loses.
        """


@dataclass(frozen=True, eq=False)
class PointsHere:
    """Points in an array or CSR matrix of this process.

    For `most_bytes` and `device` see `nearest_neighbors`.
    """

    points: Any
    n_threads: int = 1
    most_bytes: int | None = None
    device: str | None = None

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.points.shape
        return n_rows, n_columns

    @property
    def is_sparse(self) -> bool:
        return is_sparse(self.points)

    @property
    def rows(self) -> BlockedRows:
        return RowsHere(self.points)

    @cached_property
    def table(self) -> Table:
        """The points as trees read them."""
        return read_table(self.points)

    def here(self, points: Any) -> "PointsHere":
        return replace(self, points=points)

    def turned(self, matrix: FloatArray) -> "PointsHere":
        return self.here(mapped(self.points, matrix))

    def categories(self) -> CodedCategories | None:
        return coded_categories(self.points)

    def coded(self, categories: CodedCategories) -> "PointsHere":
        return self.here(categories.of(self.points))

    def groups(self, is_labelled: BoolArray) -> IndexArray:
        return groups_for_folds(self.table, is_labelled, self.n_threads)

    def varying_columns(self) -> BoolArray:
        return varying_columns(self.points)

    def forest(self, *known: Any, **growing: Any) -> Forest:
        return grow_forest(self.table, *known, n_threads=self.n_threads, **growing)

    def leaf_scores(self, forest: Forest) -> FloatArray:
        return forest_scores(forest, self.table, n_threads=self.n_threads).leaf

    def cross_fitted_forest(self, *known: Any, **growing: Any) -> CrossFittedForest:
        return cross_fitted_forest(self.table, *known, n_threads=self.n_threads, **growing)

    def space(self, name: str, *weighing: Any, **search: Any) -> WeightedSpace:
        return weighted_space(
            name,
            self.points,
            *weighing,
            n_threads=self.n_threads,
            most_bytes=self.most_bytes,
            device=self.device,
            **search,
        )
