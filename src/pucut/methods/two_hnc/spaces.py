"""What 2-HNC asks of the place its rows lie in: a graph, and how near new rows are.

Four such places: points with weighted distances, a given graph of distances, the leaves of a
forest, and given similarities.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.inductive import neighbors_similarity
from pucut.data.encoding import Encoding
from pucut.graphs.neighbors import NeighborIndex, NeighborLists, nearest_to
from pucut.graphs.similarity import Gaussian, proximity_graph
from pucut.graphs.spaces import WeightedSpace
from pucut.trees.feature_weights import weighted
from pucut.trees.forest import Forest, Proximities, forest_apply

# A new row may meet every training row in some tree.
_ROWS_AT_ONCE = 256

# To S, to all, and the share for a row that is similar to nothing.
Similarity = tuple[FloatArray, FloatArray, FloatArray]


class Space(Protocol):
    """Rows of `fit`, and new rows `X` in relation to them."""

    @property
    def recall(self) -> float: ...

    def graph(self, n_neighbors: int) -> sp.csr_array:
        """Similarities of the training rows."""

    def remoteness(self, is_lost: BoolArray, is_labelled: BoolArray) -> FloatArray | None:
        """How far the lost rows are from the labelled ones; None if unknown."""

    def similarity(self, X: Any, n_neighbors: int, is_positive: BoolArray) -> Similarity:
        """How similar new rows are to S and to all training rows."""

    def distances(self, X: Any, is_positive: BoolArray) -> tuple[FloatArray, FloatArray]:
        """How far new rows are from S and from S', infinite if a side is empty."""

    def distance_of(self, similarity: FloatArray) -> FloatArray:
        """The distance at which rows of this similarity are, in the same unit."""

    def for_answers(self) -> "Space":
        """What `similarity` and `distances` of new rows need, and nothing else."""


@dataclass(frozen=True, eq=False)
class PointSpace:
    """Points in the weighted, standardised space of the features."""

    encoding: Encoding
    space: WeightedSpace

    @property
    def recall(self) -> float:
        return self.space.lists.recall

    def graph(self, n_neighbors: int) -> sp.csr_array:
        return self.space.graph(n_neighbors)

    def remoteness(self, is_lost: BoolArray, is_labelled: BoolArray) -> FloatArray | None:
        points = self.space.weighted_points
        found = np.zeros(len(is_lost))
        found[is_lost] = _distance(self._index(points[is_labelled]), points[is_lost])
        return found

    def similarity(self, X: Any, n_neighbors: int, is_positive: BoolArray) -> Similarity:
        lists = self.space.near(self.encoding.encode(X), n_neighbors, in_place=True)
        weights = self.space.similarities(lists.squared_distances)
        return neighbors_similarity(lists.indices, weights, is_positive)

    def distances(self, X: Any, is_positive: BoolArray) -> tuple[FloatArray, FloatArray]:
        queries = weighted(self.encoding.encode(X), self.space.weights, in_place=True)
        inside, outside = self._sides(is_positive)
        return _distance(inside, queries), _distance(outside, queries)

    def distance_of(self, similarity: FloatArray) -> FloatArray:
        return self.space.kernel.distances(similarity)

    def for_answers(self) -> "PointSpace":
        return PointSpace(self.encoding, self.space.for_answers())

    def _sides(self, is_positive: BoolArray) -> tuple[NeighborIndex | None, NeighborIndex | None]:
        """The rows of either side, prepared when it is first asked for, and not pickled."""
        known = vars(self).get("_prepared")
        if known is None or known[0] is not is_positive:
            points = self.space.weighted_points
            known = (
                is_positive,
                self._index(points[is_positive]),
                self._index(points[~is_positive]),
            )
            vars(self)["_prepared"] = known
        return known[1], known[2]

    def _index(self, points: Any) -> NeighborIndex | None:
        if points.shape[0] == 0:
            return None
        return NeighborIndex(points, 1, n_jobs=self.space.n_threads, random_state=0)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_prepared"}


@dataclass(frozen=True, eq=False)
class DistanceSpace:
    """A graph of distances between rows, given instead of features."""

    lists: NeighborLists
    kernel: Gaussian

    @property
    def recall(self) -> float:
        return self.lists.recall

    def graph(self, n_neighbors: int) -> sp.csr_array:
        return self.kernel.graph(self.lists.nearest(n_neighbors))

    def remoteness(self, is_lost: BoolArray, is_labelled: BoolArray) -> FloatArray | None:
        return None

    def similarity(self, X: Any, n_neighbors: int, is_positive: BoolArray) -> Similarity:
        lists = nearest_to(X.T, X, n_neighbors, sp.csr_array(X))  # a column for each training row
        weights = self.kernel.similarities(lists.squared_distances)
        return neighbors_similarity(lists.indices, weights, is_positive)

    def distances(self, X: Any, is_positive: BoolArray) -> tuple[FloatArray, FloatArray]:
        given = sp.csr_array(X)
        return _smallest(given[:, is_positive]), _smallest(given[:, ~is_positive])

    def distance_of(self, similarity: FloatArray) -> FloatArray:
        return self.kernel.distances(similarity)

    def for_answers(self) -> "DistanceSpace":
        return replace(self, lists=self.lists.of_no_rows())


@dataclass(frozen=True, eq=False)
class ForestSpace:
    """Leaves of PU trees: rows are as similar as the share of trees in which they meet."""

    encoding: Encoding
    forest: Forest
    leaves: npt.NDArray[np.int32]
    proximities: Proximities
    n_threads: int
    recall: float = 1.0

    def graph(self, n_neighbors: int) -> sp.csr_array:
        near = Proximities(
            self.proximities.indices[:, :n_neighbors], self.proximities.share[:, :n_neighbors]
        )
        return proximity_graph(near)

    def remoteness(self, is_lost: BoolArray, is_labelled: BoolArray) -> FloatArray | None:
        return None

    def similarity(self, X: Any, n_neighbors: int, is_positive: BoolArray) -> Similarity:
        """To the k training rows met most often, ties by row number."""
        to_positive, to_all = [], []
        for met in self._meetings(X):
            for start, end in itertools.pairwise(met.indptr):
                rows, shares = met.indices[start:end], met.data[start:end]
                nearest = np.lexsort((rows, -shares))[:n_neighbors]
                to_all.append(shares[nearest].sum())
                to_positive.append(shares[nearest][is_positive[rows[nearest]]].sum())
        without_any = np.full(len(to_all), float(is_positive.mean()))
        return np.array(to_positive), np.array(to_all), without_any

    def distances(self, X: Any, is_positive: BoolArray) -> tuple[FloatArray, FloatArray]:
        pairs = [
            (_largest(met[:, is_positive]), _largest(met[:, ~is_positive]))
            for met in self._meetings(X)
        ]
        to_positive, to_negative = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
        return self.distance_of(to_positive), self.distance_of(to_negative)

    def distance_of(self, similarity: FloatArray) -> FloatArray:
        return np.where(similarity > 0.0, 1.0 - similarity, np.inf)

    def for_answers(self) -> "ForestSpace":
        near = Proximities(self.proximities.indices[:0], self.proximities.share[:0])
        return replace(self, proximities=near)

    def _meetings(self, X: Any) -> Iterator[sp.csr_array]:
        """Shares of the trees in which new rows meet training rows, for some new rows at a time."""
        asked = forest_apply(self.forest, self.encoding.encode(X), n_threads=self.n_threads)
        for start in range(0, len(asked), _ROWS_AT_ONCE):
            block = asked[start : start + _ROWS_AT_ONCE]
            met = _leaf_table(block, self.forest) @ self._rows_of_leaf
            yield sp.csr_array(met / self.forest.n_trees)

    @cached_property
    def _rows_of_leaf(self) -> sp.csc_array:
        """Made when it is first asked for, and not pickled."""
        return _leaf_table(self.leaves, self.forest).T

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_rows_of_leaf"}


@dataclass(frozen=True, eq=False)
class SimilaritySpace:
    """Similarities of rows, given instead of features."""

    given: sp.csr_array
    recall: float = 1.0

    def graph(self, n_neighbors: int) -> sp.csr_array:
        return self.given

    def remoteness(self, is_lost: BoolArray, is_labelled: BoolArray) -> FloatArray | None:
        return None

    def similarity(self, X: Any, n_neighbors: int, is_positive: BoolArray) -> Similarity:
        weights = sp.csr_array(X)
        to_positive = row_sums(weights, is_positive)
        to_all = row_sums(weights, np.ones_like(is_positive))
        return to_positive, to_all, np.full(len(to_all), float(is_positive.mean()))

    def distances(self, X: Any, is_positive: BoolArray) -> tuple[FloatArray, FloatArray]:
        weights = sp.csr_array(X)
        return (
            self.distance_of(_largest(weights[:, is_positive])),
            self.distance_of(_largest(weights[:, ~is_positive])),
        )

    def distance_of(self, similarity: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return 1.0 / similarity

    def for_answers(self) -> "SimilaritySpace":
        return SimilaritySpace(self.given[:0])


def _distance(index: NeighborIndex | None, queries: Any) -> FloatArray:
    """Of each query from the nearest of the rows; infinite if there are none."""
    if index is None:
        return np.full(queries.shape[0], np.inf)
    distance: FloatArray = np.sqrt(index.query(queries).squared_distances[:, 0])
    return distance


def row_sums(graph: sp.csr_array, among: BoolArray) -> FloatArray:
    """The sum of the similarities of each row of the graph to the rows `among`."""
    return np.asarray(graph @ among.astype(np.float64), dtype=np.float64)


def largest_similarities(graph: sp.csr_array, among: BoolArray) -> FloatArray:
    """The largest similarity of each row of the graph to the rows `among`, 0 for none."""
    return _largest(graph[:, among])


def _leaf_table(leaves: npt.NDArray[np.int32], forest: Forest) -> sp.csr_array:
    """One row per row and one column per node of the forest: 1 if the row is in it."""
    n_rows, n_trees = leaves.shape
    columns = leaves + forest.offsets[:-1]
    return sp.csr_array(
        (
            np.ones(n_rows * n_trees),
            columns.ravel(),
            np.arange(0, n_rows * n_trees + 1, n_trees, dtype=np.int64),
        ),
        shape=(n_rows, int(forest.offsets[-1])),
    )


def _largest(weights: sp.csr_array) -> FloatArray:
    if weights.shape[1] == 0:
        return np.zeros(weights.shape[0])
    return np.asarray(weights.max(axis=1).todense(), dtype=np.float64).ravel()


def _smallest(distances: sp.csr_array) -> FloatArray:
    """The smallest stored distance of each row, infinite for none."""
    found = np.full(distances.shape[0], np.inf)
    rows = np.repeat(np.arange(distances.shape[0]), np.diff(distances.indptr))
    np.minimum.at(found, rows, distances.data)
    return found
