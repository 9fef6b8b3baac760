"""Rows as points whose features count differently, their neighbours, and the graph of these."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from pucut._support.checks import FloatArray
from pucut.graphs.neighbors import NeighborIndex, NeighborLists, nearest_neighbors
from pucut.graphs.similarity import weighted_graph
from pucut.trees.feature_weights import weighted

# The scale of a kernel follows from the distance to this neighbour, in the middle of the rows.
SCALE_NEIGHBOR = 7
# No row is so far away that nothing connects it.
_LEAST_SIMILARITY = 1e-12


@dataclass(frozen=True, eq=False)
class WeightedSpace:
    """Points with weighted distances.

    Attributes
    ----------
    name : str
    weights : float array of shape (n_features,)
    points : array or CSR matrix
        Not weighted: spaces share them.
    lists : NeighborLists
    scale : float
        Similarities are exp(-d^2 / (2 scale)).
    most_bytes : int or None
        See `nearest_neighbors`.
    """

    name: str
    weights: FloatArray
    points: Any
    lists: NeighborLists
    scale: float
    n_threads: int
    most_bytes: int | None = None

    def graph(self, n_neighbors: int) -> sp.csr_array:
        return weighted_graph(self.lists.nearest(n_neighbors), self.similarities)

    def similarities(self, squared_distances: FloatArray) -> FloatArray:
        found: FloatArray = np.exp(squared_distances / (-2.0 * self.scale))
        return np.maximum(found, _LEAST_SIMILARITY)

    def near(self, new: Any) -> NeighborLists:
        """The rows nearest to new points, as many as were found for each row."""
        return self._index.query(weighted(new, self.weights), self.lists.n_neighbors)

    @cached_property
    def _index(self) -> NeighborIndex:
        """Made when the first unseen rows come, and not kept in pickles."""
        points = weighted(self.points, self.weights)
        return NeighborIndex(
            points,
            self.lists.n_neighbors,
            n_jobs=self.n_threads,
            random_state=0,
            most_bytes=self.most_bytes,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_index"}


def weighted_space(
    name: str,
    points: Any,
    weights: FloatArray,
    n_neighbors: int,
    *,
    sigma: float | None = None,
    method: Any = "auto",
    n_threads: int = 1,
    random_state: Any = None,
    most_bytes: int | None = None,
) -> WeightedSpace:
    """Finds the neighbours; without `sigma` the scale is that of the distances themselves."""
    lists = nearest_neighbors(
        weighted(points, weights),
        n_neighbors,
        method,
        n_jobs=n_threads,
        random_state=random_state,
        most_bytes=most_bytes,
    )
    scale = 0.0 if sigma is None else sigma**2 * len(weights)
    if sigma is None:
        squared = lists.squared_distances[:, min(SCALE_NEIGHBOR, n_neighbors) - 1]
        scale = float(np.median(squared))
        if scale == 0.0:  # most rows have that many equals
            scale = float(squared.mean()) or 1.0
    return WeightedSpace(name, weights, points, lists, scale, n_threads, most_bytes)
