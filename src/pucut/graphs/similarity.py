"""Graphs of nearest neighbours: an edge where either row is a neighbour of the other.

From `NARROW_FROM` rows on weights are in single precision, which saves a third of the memory of a
graph. They are then rounded to 24 bits, and weights too small for that become the smallest normal
number, so that no edge is lost; cuts are computed in double precision from these weights.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pucut import _core
from pucut._support.checks import LARGEST, SMALLEST, FloatArray
from pucut.graphs.neighbors import NeighborLists
from pucut.trees.forest import Proximities

NARROW_FROM = 500_000
# Rows whose weights are computed at a time.
_BLOCK_ROWS = 1 << 16
_MOST_SMALL_OFFSET = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Gaussian:
    """The similarity exp(-d^2 / (2 scale)) of two rows at distance d, at least `least`."""

    scale: float
    least: float = 0.0

    @classmethod
    def of_width(cls, sigma: float, n_features: int) -> Self:
        """exp(-d^2 / (2 sigma^2 H)), with H the number of features.

        The paper does not write the H, but without it distances grow with the number of features
        and all weights vanish.
        """
        if not SMALLEST <= sigma <= LARGEST:  # its square is divided by
            raise ValueError(
                f"sigma must be above 0, from {SMALLEST:g} to {LARGEST:g}, found {sigma!r}"
            )
        return cls(float(sigma) ** 2 * n_features)

    def similarities(self, squared_distances: FloatArray) -> FloatArray:
        found: FloatArray = np.exp(squared_distances / (-2.0 * self.scale))
        return np.maximum(found, self.least) if self.least > 0.0 else found

    def distances(self, similarities: FloatArray) -> FloatArray:
        """Return the distances that have these similarities; infinite for 0."""
        with np.errstate(divide="ignore"):
            squared = -2.0 * self.scale * np.log(similarities)
        distances: FloatArray = np.sqrt(np.maximum(squared, 0.0))
        return distances

    def graph(self, neighbors: NeighborLists) -> sp.csr_array:
        """Return the graph of these neighbours, weighted by the similarity of the ends."""
        return weighted_graph(neighbors, self.similarities)


def weighted_graph(
    neighbors: NeighborLists, weights_of: Callable[[FloatArray], FloatArray]
) -> sp.csr_array:
    """Return the graph whose weights are a function of squared distances, by blocks of rows."""
    squared = neighbors.squared_distances
    is_narrow = len(squared) >= NARROW_FROM
    weights: npt.NDArray[np.floating] = np.empty(
        squared.shape, dtype=np.float32 if is_narrow else np.float64
    )
    for start in range(0, len(squared), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        wide = weights_of(squared[rows])
        if is_narrow:
            wide = np.where(wide > 0.0, np.maximum(wide, np.finfo(np.float32).tiny), 0.0)
        weights[rows] = wide
    return symmetric_graph(neighbors.indices, weights)


def proximity_graph(proximities: Proximities) -> sp.csr_array:
    """Return the graph weighted by the share of trees in which two rows meet in one leaf."""
    return symmetric_graph(proximities.indices, proximities.share)


def symmetric_graph(
    indices: npt.NDArray[np.int32], weights: npt.NDArray[np.floating]
) -> sp.csr_array:
    """Return the graph of lists of neighbours: an edge where either lists the other.

    Weights of 0 make no edge. If both list each other the edge has the larger weight; distances
    give both the same. The weights keep their precision, single or double.
    """
    n_rows, n_neighbors = indices.shape
    built = _core.symmetric_graph(
        np.ascontiguousarray(indices, dtype=np.int32).reshape(-1),
        np.ascontiguousarray(weights).reshape(-1),
        n_neighbors,
    )
    offsets = built["offsets"]
    if offsets[-1] <= _MOST_SMALL_OFFSET:  # otherwise scipy would make both index arrays 64-bit
        offsets = offsets.astype(np.int32)
    graph = sp.csr_array(
        (built["weights"], built["neighbors"], offsets), shape=(n_rows, n_rows), copy=False
    )
    graph.has_sorted_indices = True
    graph.has_canonical_format = True
    return graph
