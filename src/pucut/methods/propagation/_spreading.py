"""Labels that spread over a graph of similarities, and path lengths to the labelled rows.

After Carnevali, Rossi, Milios and Lopes, A graph-based approach for positive and unlabeled learning
(Information Sciences 2021).
"""

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from pucut._support.checks import BoolArray, FloatArray
from pucut._support.sparse import diagonal_array

# Pull towards the prior, relative to a row's edges: it decides where no label reaches.
PULL = 1e-3
_RESIDUAL = 1e-10
_MOST_ROUNDS = 10_000


def mean_path_lengths(lengths: sp.csr_array, sources: npt.NDArray[np.intp]) -> FloatArray:
    """The mean length of the shortest paths from each row to the sources.

    A source that cannot be reached counts as twice the longest of all paths.
    """
    paths = dijkstra(lengths, directed=False, indices=sources)
    reached = np.isfinite(paths)
    paths[~reached] = max(2.0 * paths[reached].max(), 1.0)
    return np.asarray(paths.mean(axis=0), dtype=np.float64)


def farthest_rows(distances: FloatArray, among: BoolArray, n_rows: int) -> BoolArray:
    """The `n_rows` of `among` that are farthest, ties by row number."""
    rows = np.flatnonzero(among)
    chosen = np.zeros(len(among), dtype=np.bool_)
    chosen[rows[np.argsort(-distances[rows], kind="stable")[:n_rows]]] = True
    return chosen


def propagate(
    graph: sp.csr_array, known: BoolArray, values: FloatArray, rest: float, pull: float = PULL
) -> FloatArray:
    """f with f = values on `known` rows, as smooth as possible on the others.

    It minimises sum_ij w_ij (f_i - f_j)^2 / 2 + pull sum_i d_i (f_i - rest)^2, d being degrees: the
    harmonic functions of Zhu, Ghahramani and Lafferty (ICML 2003), made unique without labels.
    """
    degree = np.asarray(graph @ np.ones(graph.shape[0]), dtype=np.float64)
    found = np.where(known, values, rest)
    asked = ~known & (degree > 0.0)
    between = graph[asked][:, asked]
    root = np.sqrt(degree[asked])
    scale = diagonal_array(1.0 / root)
    scaled = sp.csr_array(scale @ between @ scale)
    drawn = graph[asked][:, known] @ values[known] + pull * degree[asked] * rest
    found[asked] = _solved(scaled, 1.0 + pull, drawn / root, root * rest) / root
    return np.clip(found, min(values[known].min(), rest), max(values[known].max(), rest))


def _solved(
    matrix: sp.csr_array, diagonal: float, right: FloatArray, start: FloatArray
) -> FloatArray:
    """(diagonal I - matrix)^-1 right, by conjugate gradients."""
    solution = start.copy()
    residual = right - (diagonal * solution - matrix @ solution)
    direction = residual
    square = float(residual @ residual)
    enough = _RESIDUAL**2 * max(float(right @ right), 1e-300)
    for _ in range(_MOST_ROUNDS):
        if square <= enough:
            break
        image = diagonal * direction - matrix @ direction
        step = square / float(direction @ image)
        solution = solution + step * direction
        residual = residual - step * image
        last, square = square, float(residual @ residual)
        direction = residual + (square / last) * direction
    return solution
