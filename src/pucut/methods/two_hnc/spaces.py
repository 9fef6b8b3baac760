"""Spaces of 2-HNC: a graph of the training rows, and the nearness of new rows.

There are four: points with weighted distances, a given graph of distances, the leaves of a forest,
and given similarities.
"""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.inductive import neighbors_similarity
from pucut.data.encoding import Encoding
from pucut.graphs.neighbors import NeighborLists, nearest_to
from pucut.graphs.similarity import Gaussian, proximity_graph
from pucut.graphs.spaces import WeightedSpace
from pucut.trees.forest import Forest, Proximities, forest_apply, proximity_neighbors

# A new row may meet every training row in some tree.
_ROWS_AT_ONCE = 256

# Similarities to S and to all rows, and the share for a row that is similar to nothing.
Similarity = tuple[FloatArray, FloatArray, FloatArray]


class GraphSpace(ABC):
    """Training rows, and new rows `X` in relation to them."""

    @property
    def recall(self) -> float:
        """The share of the true nearest neighbours that were found."""
        return 1.0

    @abstractmethod
    def graph(self, n_neighbors: int) -> sp.csr_array:
        """Return the similarities of the training rows."""

    def remoteness(self, is_lost: BoolArray, is_labelled: BoolArray) -> FloatArray | None:
        """Return the distances of lost rows from the labelled ones, None if unknown."""
        return None

    @abstractmethod
    def similarity(self, X: Any, n_neighbors: int, is_positive: BoolArray) -> Similarity:
        """Return the similarities of new rows to S and to all training rows."""

    def distances(self, X: Any, is_positive: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the distances of new rows from S and from S', infinite if a side is empty."""
        pairs = [
            (largest_similarities(met, is_positive), largest_similarities(met, ~is_positive))
            for met in self._meetings(X)
        ]
        to_positive, to_negative = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
        return self.distance_of(to_positive), self.distance_of(to_negative)

    def _meetings(self, X: Any) -> Iterator[sp.csr_array]:
        """Yield the similarities of some new rows at a time to the training rows."""
        raise NotImplementedError

    @abstractmethod
    def distance_of(self, similarity: FloatArray) -> FloatArray:
        """Return the distance of rows that have this similarity, in the same unit."""

    @abstractmethod
    def for_answers(self) -> "GraphSpace":
        """Return the part that `similarity` and `distances` of new rows need."""


@dataclass(frozen=True, eq=False)
class PointSpace(GraphSpace):
    """Points in the weighted, standardised space of the features, here or on workers."""

    encoding: Encoding
    space: WeightedSpace

    @property
    def recall(self) -> float:
        return self.space.lists.recall

    def graph(self, n_neighbors: int) -> sp.csr_array:
        return self.space.graph(n_neighbors)

    def remoteness(self, is_lost: BoolArray, is_labelled: BoolArray) -> FloatArray | None:
        found = np.zeros(len(is_lost))
        found[is_lost] = self.space.distances_between(is_lost, is_labelled)
        return found

    def similarity(self, X: Any, n_neighbors: int, is_positive: BoolArray) -> Similarity:
        lists = self.space.near(self.encoding.encode(X), n_neighbors, in_place=True)
        return self.similarity_of_neighbors(lists, is_positive)

    def similarity_of_neighbors(self, lists: NeighborLists, is_positive: BoolArray) -> Similarity:
        """Return how similar new rows are to these neighbours."""
        weights = self.space.similarities(lists.squared_distances)
        return neighbors_similarity(lists.indices, weights, is_positive)

    def distances(self, X: Any, is_positive: BoolArray) -> tuple[FloatArray, FloatArray]:
        return self.space.distances(self.encoding.encode(X), is_positive, in_place=True)

    def distance_of(self, similarity: FloatArray) -> FloatArray:
        return self.space.kernel.distances(similarity)

    def for_answers(self) -> "PointSpace":
        return PointSpace(self.encoding, self.space.for_answers())


@dataclass(frozen=True, eq=False)
class DistanceSpace(GraphSpace):
    """Distances between rows, given instead of features."""

    lists: NeighborLists
    kernel: Gaussian

    @property
    def recall(self) -> float:
        return self.lists.recall

    def graph(self, n_neighbors: int) -> sp.csr_array:
        return self.kernel.graph(self.lists.nearest(n_neighbors))

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
class ForestSpace(GraphSpace):
    """Leaves of PU trees: the similarity of rows is the share of trees in which they meet."""

    encoding: Encoding
    forest: Forest
    leaves: npt.NDArray[np.int32]
    proximities: Proximities
    n_threads: int

    def graph(self, n_neighbors: int) -> sp.csr_array:
        near = Proximities(
            self.proximities.indices[:, :n_neighbors], self.proximities.share[:, :n_neighbors]
        )
        return proximity_graph(near)

    def similarity(self, X: Any, n_neighbors: int, is_positive: BoolArray) -> Similarity:
        """Count the k training rows met most often, ties by row number."""
        to_positive, to_all = [], []
        for met in self._meetings(X):
            for start, end in itertools.pairwise(met.indptr):
                rows, shares = met.indices[start:end], met.data[start:end]
                nearest = np.lexsort((rows, -shares))[:n_neighbors]
                to_all.append(shares[nearest].sum())
                to_positive.append(shares[nearest][is_positive[rows[nearest]]].sum())
        without_any = np.full(len(to_all), float(is_positive.mean()))
        return np.array(to_positive), np.array(to_all), without_any

    def distance_of(self, similarity: FloatArray) -> FloatArray:
        return np.where(similarity > 0.0, 1.0 - similarity, np.inf)

    def for_answers(self) -> "ForestSpace":
        near = Proximities(self.proximities.indices[:0], self.proximities.share[:0])
        return replace(self, proximities=near)

    def _meetings(self, X: Any) -> Iterator[sp.csr_array]:
        leaves = forest_apply(self.forest, self.encoding.encode(X), n_threads=self.n_threads)
        for start in range(0, len(leaves), _ROWS_AT_ONCE):
            block = leaves[start : start + _ROWS_AT_ONCE]
            met = _leaf_table(block, self.forest) @ self._rows_of_leaf
            yield sp.csr_array(met / self.forest.n_trees)

    @cached_property
    def _rows_of_leaf(self) -> sp.csc_array:
        """The table of the training rows, which is not pickled."""
        return _leaf_table(self.leaves, self.forest).T

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_rows_of_leaf"}


def forest_space(
    encoding: Encoding, forest: Forest, points: Any, n_neighbors: int, n_threads: int
) -> ForestSpace:
    leaves = forest_apply(forest, points, n_threads=n_threads)
    near = proximity_neighbors(forest, points, n_neighbors, n_threads=n_threads)
    return ForestSpace(encoding, forest, leaves, near, n_threads)


@dataclass(frozen=True, eq=False)
class SimilaritySpace(GraphSpace):
    """Similarities of rows, given instead of features."""

    given: sp.csr_array

    def graph(self, n_neighbors: int) -> sp.csr_array:
        return self.given

    def similarity(self, X: Any, n_neighbors: int, is_positive: BoolArray) -> Similarity:
        sums = sums_of_similarity(sp.csr_array(X), is_positive)
        return *sums, np.full(len(sums[0]), float(is_positive.mean()))

    def _meetings(self, X: Any) -> Iterator[sp.csr_array]:
        yield sp.csr_array(X)

    def distance_of(self, similarity: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return 1.0 / similarity

    def for_answers(self) -> "SimilaritySpace":
        return SimilaritySpace(self.given[:0])


def sums_of_similarity(
    graph: sp.csr_array, is_positive: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return the sums of the similarities of each row of the graph to S and to all rows."""
    return graph @ is_positive.astype(np.float64), graph @ np.ones(len(is_positive))


def largest_similarities(graph: sp.csr_array, among: BoolArray) -> FloatArray:
    """Return the largest similarity of each row of the graph to the rows `among`, 0 for none."""
    if not among.any():
        return np.zeros(graph.shape[0])
    return np.asarray(graph[:, among].max(axis=1).todense(), dtype=np.float64).ravel()


def _leaf_table(leaves: npt.NDArray[np.int32], forest: Forest) -> sp.csr_array:
    """Return a row for each row and a column for each node of the forest: 1 if it is there."""
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


def _smallest(distances: sp.csr_array) -> FloatArray:
    """Return the smallest stored distance of each row, infinite for none."""
    found = np.full(distances.shape[0], np.inf)
    rows = np.repeat(np.arange(distances.shape[0]), np.diff(distances.indptr))
    np.minimum.at(found, rows, distances.data)
    return found
