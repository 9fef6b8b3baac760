"""Rows as points with weighted features, their neighbours, and the graph of these."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.graphs.neighbors import NeighborIndex, NeighborLists, nearest_neighbors
from pucut.graphs.similarity import Gaussian
from pucut.trees.feature_weights import weighted

# The scale of a kernel is the median distance of a row to this neighbour.
SCALE_NEIGHBOR = 7
# A table has a common scale if its columns are alike enough: the number of equal columns with the
# same sum of variances and of their squares is at least this share of all, and at least this many.
# Columns that are too much alike make no difference.
_LEAST_ALIKE, _LEAST_COLUMNS, _MOST_ALIKE = 0.1, 5.0, 0.9
# No row is too far away to be connected.
_LEAST_SIMILARITY = 1e-12


@dataclass(frozen=True, eq=False)
class WeightedSpace:
    """Points with weighted distances, the neighbours of each, and their similarity.

    Points that several spaces share are not yet weighted. For `most_bytes` see `NeighborIndex`.
    """

    name: str
    weights: FloatArray
    points: Any
    are_weighted: bool
    lists: NeighborLists
    kernel: Gaussian
    n_threads: int
    most_bytes: int | None = None

    def graph(self, n_neighbors: int) -> sp.csr_array:
        return self.kernel.graph(self.lists.nearest(n_neighbors))

    def similarities(self, squared_distances: FloatArray) -> FloatArray:
        return self.kernel.similarities(squared_distances)

    def near(
        self, new: Any, n_neighbors: int | None = None, *, in_place: bool = False
    ) -> NeighborLists:
        """Return the rows nearest to new points, by default as many as were found for each row.

        With `in_place` the new points may be overwritten.
        """
        points = weighted(new, self.weights, in_place=in_place)
        return self._index.query(points, n_neighbors or self.lists.n_neighbors)

    def distances(
        self, new: Any, is_inside: BoolArray, *, in_place: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Return how far new points are from the nearest row inside a set and outside it.

        Distances are infinite if a side has no row. With `in_place` the new points may be
        overwritten.
        """
        points = weighted(new, self.weights, in_place=in_place)
        known = vars(self).get("_prepared")
        # The indices of either side are made when they are first needed, and not pickled.
        if known is None or known[0] is not is_inside:
            own = self.weighted_points
            sides = self._index_of(own[is_inside]), self._index_of(own[~is_inside])
            known = vars(self)["_prepared"] = (is_inside, *sides)
        return _distances(known[1], points), _distances(known[2], points)

    def distances_between(self, rows: BoolArray, others: BoolArray) -> FloatArray:
        """Return how far each of some rows is from the nearest of others."""
        points = self.weighted_points
        return _distances(self._index_of(points[others]), points[rows])

    def for_answers(self) -> "WeightedSpace":
        """Return the space without the neighbours of its own rows; predictions need none."""
        return replace(self, lists=self.lists.of_no_rows())

    @property
    def weighted_points(self) -> Any:
        return self.points if self.are_weighted else weighted(self.points, self.weights)

    @cached_property
    def _index(self) -> NeighborIndex:
        """The index of the points, built for the first unseen rows and not pickled."""
        return NeighborIndex(
            self.weighted_points,
            self.lists.n_neighbors,
            n_jobs=self.n_threads,
            random_state=0,
            most_bytes=self.most_bytes,
        )

    def _index_of(self, points: Any) -> NeighborIndex | None:
        if points.shape[0] == 0:
            return None
        return NeighborIndex(points, 1, n_jobs=self.n_threads, random_state=0)

    def __getstate__(self) -> dict[str, Any]:
        made_again = ("_index", "_prepared")
        return {name: value for name, value in vars(self).items() if name not in made_again}


@dataclass(frozen=True, eq=False)
class NearRows:
    """The rows of a space that are nearest to others, nearest first, and their similarities."""

    indices: npt.NDArray[np.int32]
    similar: FloatArray

    def part(self, rows: slice) -> "NearRows":
        return NearRows(self.indices[rows], self.similar[rows])

    def nearest(self, k: int) -> "NearRows":
        return NearRows(self.indices[:, :k], self.similar[:, :k])

    def mean_of(self, values: FloatArray) -> FloatArray:
        """Return the mean of values of the rows of the space, by similarity."""
        total: FloatArray = (values[self.indices] * self.similar).sum(axis=1)
        return np.asarray(total / self.similar.sum(axis=1))


def near_in(space: WeightedSpace, lists: NeighborLists) -> NearRows:
    return NearRows(lists.indices, space.similarities(lists.squared_distances))


def weighted_space(
    name: str,
    points: Any,
    weights: FloatArray,
    n_neighbors: int,
    *,
    kernel: Gaussian | None = None,
    sigma: float | None = None,
    in_place: bool = False,
    n_threads: int = 1,
    most_bytes: int | None = None,
    **options: Any,
) -> WeightedSpace:
    """Make a space and find its neighbours.

    The default kernel has the width `sigma` or, without it, the scale of the distances themselves;
    its least similarity keeps every row connected. With `in_place` the points are weighted in
    place, and belong to the space alone. The rest is for `nearest_neighbors`.
    """
    own = weighted(points, weights, in_place=in_place)
    lists = nearest_neighbors(own, n_neighbors, n_jobs=n_threads, most_bytes=most_bytes, **options)
    kernel = kernel or connecting_kernel(lists, sigma, len(weights))
    kept = own if in_place else points
    return WeightedSpace(name, weights, kept, in_place, lists, kernel, n_threads, most_bytes)


def unweighted_space(
    points: Any, n_neighbors: int | None, usual: int, **search: Any
) -> WeightedSpace:
    """Find the neighbours where all features have weight 1; by default `usual` of them or all."""
    n_others = points.shape[0] - 1
    k = min(usual, n_others) if n_neighbors is None else int(n_neighbors)
    if k > n_others or n_others < 1:
        raise ValueError(
            f"n_neighbors must be at most {n_others}, the number of other samples, found {k}"
        )
    return weighted_space("plain", points, np.ones(points.shape[1]), k, **search)


def connecting_kernel(lists: NeighborLists, sigma: float | None, n_features: int) -> Gaussian:
    """Return a kernel of the width `sigma`, or of the distances' scale; no similarity is 0."""
    scale = _scale_of(lists) if sigma is None else sigma**2 * n_features
    return Gaussian(scale, _LEAST_SIMILARITY)


def varying_columns(points: Any) -> BoolArray:
    """Return a mask of the columns of an array or CSR matrix that are not constant."""
    if is_sparse(points):
        return np.asarray(np.diff(points.tocsc().indptr) > 0)
    return np.asarray(np.ptp(points, axis=0) > 0)


def common_scale(scale: FloatArray, varies: BoolArray) -> FloatArray | None:
    """Return weights that undo the standardisation; None if the columns share no scale.

    `scale` has the standard deviations that columns were divided by. Those of columns that do not
    vary mean nothing.
    """
    # A power of two, which costs no digit, keeps squares within the range of numbers.
    exponent = np.frexp(np.max(scale, initial=0.0, where=varies))[1]
    variance = np.square(np.ldexp(np.where(varies, scale, 0.0), -exponent))
    n_columns = int(np.count_nonzero(variance))
    if n_columns == 0:
        return None
    alike = float(variance.sum() ** 2 / np.square(variance).sum())
    if alike < max(_LEAST_ALIKE * n_columns, _LEAST_COLUMNS) or alike > _MOST_ALIKE * n_columns:
        return None
    return np.asarray(variance * (len(variance) / variance.sum()))


def _distances(index: NeighborIndex | None, points: Any) -> FloatArray:
    if index is None:
        return np.full(points.shape[0], np.inf)
    return np.asarray(np.sqrt(index.query(points).squared_distances[:, 0]))


def _scale_of(lists: NeighborLists) -> float:
    squared = lists.squared_distances[:, min(SCALE_NEIGHBOR, lists.n_neighbors) - 1]
    # 0 if most rows have that many copies.
    return float(np.median(squared)) or float(squared.mean()) or 1.0
