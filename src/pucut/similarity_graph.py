"""From nearest neighbours to a graph: an edge where either row is a neighbour of the other."""

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pucut._checks import FloatArray
from pucut.neighbors import NeighborLists
from pucut.pu_trees import Proximities


def gaussian_graph(neighbors: NeighborLists, *, sigma: float, n_features: int) -> sp.csr_array:
    """Weights exp(-d^2 / (2 sigma^2 H)), with d the distance and H the number of features.

    The paper does not write the H, but without it distances grow with the number of features and
    all weights vanish.
    """
    weights = gaussian_weights(neighbors.squared_distances, sigma=sigma, n_features=n_features)
    return symmetric_graph(neighbors.indices, weights)


def gaussian_weights(squared: FloatArray, *, sigma: float, n_features: int) -> FloatArray:
    """exp(-d^2 / (2 sigma^2 H)) for squared distances."""
    if not sigma > 0.0 or not np.isfinite(sigma):
        raise ValueError(f"sigma must be above 0 and finite, found {sigma!r}")
    weights: FloatArray = np.exp(squared / (-2.0 * float(sigma) ** 2 * n_features))
    return weights


def proximity_graph(proximities: Proximities) -> sp.csr_array:
    """Weights are the shares of trees in which two rows meet in one leaf."""
    return symmetric_graph(proximities.indices, proximities.share)


def symmetric_graph(indices: npt.NDArray[np.int32], weights: FloatArray) -> sp.csr_array:
    """The graph of lists of neighbours: an edge where either lists the other; no weights of 0.

    Both directions have to give an edge the same weight, as distances do.
    """
    n_rows, n_neighbors = indices.shape
    listed = sp.csr_array(
        (
            weights.ravel(),
            indices.ravel(),
            np.arange(0, n_rows * n_neighbors + 1, n_neighbors, dtype=np.int64),
        ),
        shape=(n_rows, n_rows),
    )
    listed.sort_indices()
    listed.eliminate_zeros()
    graph = listed.maximum(listed.T.tocsr()).tocsr()
    graph.sort_indices()
    return graph
