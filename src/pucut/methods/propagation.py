"""LP-PUL: labels propagate along a graph of neighbours."""

import math
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from numpy.random import RandomState
from scipy.sparse.csgraph import dijkstra

from pucut._support.checks import BoolArray, FloatArray, IndexArray, diagonal_array
from pucut._support.constraints import COUNT, COUNT_OR_NONE, POSITIVE
from pucut.data.labels import PULabels
from pucut.data.row_order import given_numbers, in_given_order, renumbered_graph
from pucut.graphs.neighbors import NeighborIndex
from pucut.graphs.similarity import Gaussian, symmetric_graph
from pucut.methods._encoded import EncodedClassifier, folds_of, neighbors_at_most, scores_of_folds

# Pull towards the prior, relative to a row's edges: it decides where no label reaches.
PULL = 1e-3
_RESIDUAL = 1e-10
_MOST_STEPS = 10_000
# Most labelled rows from which paths are measured; if there are more, this many are drawn.
MOST_SOURCES = 200
# A path over equal rows must not look like a missing path.
_SHORTEST = 1e-9


def mean_path_lengths(lengths: sp.csr_array, sources: npt.NDArray[np.intp]) -> FloatArray:
    """Return the mean length of the shortest paths from each row to the sources.

    A source that cannot be reached counts as twice the longest of all paths.
    """
    paths = dijkstra(lengths, directed=False, indices=sources)
    reached = np.isfinite(paths)
    paths[~reached] = max(2.0 * paths[reached].max(), 1.0)
    return np.asarray(paths.mean(axis=0), dtype=np.float64)


def farthest_rows(distances: FloatArray, among: BoolArray, n_rows: int) -> BoolArray:
    """Return the `n_rows` of `among` that are farthest, ties by row number."""
    rows = np.flatnonzero(among)
    chosen = np.zeros(len(among), dtype=np.bool_)
    chosen[rows[np.argsort(-distances[rows], kind="stable")[:n_rows]]] = True
    return chosen


def propagate(
    graph: sp.csr_array, known: BoolArray, values: FloatArray, rest: float, pull: float = PULL
) -> FloatArray:
    """Return f with f = values on `known` rows, as smooth as possible on the others.

    It minimises sum_ij w_ij (f_i - f_j)^2 / 2 + pull sum_i d_i (f_i - rest)^2, d being degrees: the
    harmonic functions of Zhu, Ghahramani and Lafferty (ICML 2003), made unique without labels.
    """
    degree = np.asarray(graph @ np.ones(graph.shape[0]), dtype=np.float64)
    found = np.where(known, values, rest)
    free = ~known & (degree > 0.0)
    between = graph[free][:, free]
    root = np.sqrt(degree[free])
    scale = diagonal_array(1.0 / root)
    scaled = sp.csr_array(scale @ between @ scale)
    drawn = graph[free][:, known] @ values[known] + pull * degree[free] * rest
    found[free] = _solved(scaled, 1.0 + pull, drawn / root, root * rest) / root
    return np.clip(found, min(values[known].min(), rest), max(values[known].max(), rest))


def _solved(
    matrix: sp.csr_array, diagonal: float, right: FloatArray, start: FloatArray
) -> FloatArray:
    """Solve (diagonal I - matrix) x = right by conjugate gradients."""
    solution = start.copy()
    residual = right - (diagonal * solution - matrix @ solution)
    direction = residual
    square = float(residual @ residual)
    enough = _RESIDUAL**2 * max(float(right @ right), 1e-300)
    for _ in range(_MOST_STEPS):
        if square <= enough:
            break
        image = diagonal * direction - matrix @ direction
        step = square / float(direction @ image)
        solution = solution + step * direction
        residual = residual - step * image
        last, square = square, float(residual @ residual)
        direction = residual + (square / last) * direction
    return solution


@dataclass(frozen=True, eq=False)
class _Spread:
    """Values of the training rows; new rows get the mean of their neighbours, by similarity."""

    points: Any
    n_neighbors: int
    sigma: float
    graph: sp.csr_array
    values: FloatArray
    is_negative: BoolArray
    distances: FloatArray

    def scores(self, points: Any) -> FloatArray:
        lists = self._index.query(points, self.n_neighbors)
        # Relative to the nearest one: far from all rows similarities would vanish together.
        squared = lists.squared_distances - lists.squared_distances[:, :1]
        weights = Gaussian.of_width(self.sigma, points.shape[1]).similarities(squared)
        return np.asarray((weights * self.values[lists.indices]).sum(axis=1) / weights.sum(axis=1))

    def for_answers(self) -> "_Spread":
        """Return a copy that holds only what scores of new rows need."""
        nothing = np.empty(0)
        return replace(
            self, graph=sp.csr_array((0, 0)), is_negative=nothing.astype(bool), distances=nothing
        )

    @cached_property
    def _index(self) -> NeighborIndex:
        """The index of the training rows, made for the first new rows and left out of pickles."""
        return NeighborIndex(self.points, self.n_neighbors, n_jobs=1, random_state=0)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_index"}


class PULabelPropagationClassifier(EncodedClassifier):
    """The unlabelled rows farthest from the labelled ones are negative; both labels then spread.

    After LP-PUL of Carnevali, Rossi, Milios and Lopes, A graph-based approach for positive and
    unlabeled learning (Information Sciences 2021). In a graph of nearest neighbours, the rows whose
    shortest paths to the labelled rows are longest on average are taken as negatives, and the
    labels of both kinds are propagated to all others.

    Parameters
    ----------
    n_neighbors : int, default=10
        At most the number of other samples.
    sigma : float, default=0.75
        Width of the kernel exp(-d^2 / (2 sigma^2 H)), with H the number of features.
    n_negative : int, optional
        Rows taken as negatives. By default as many as are labelled, but at most half of the
        negatives there are by the prior.

    Attributes
    ----------
    reliable_negatives_ : int array
        The rows that were taken as negatives.
    path_lengths_ : float array of shape (n_samples,)
        Mean length of the shortest paths to the labelled rows.
    propagated_ : float array of shape (n_samples,)
        From 0 (negative) to 1 (positive), 1 for labelled rows.
    graph_ : CSR array of shape (n_samples, n_samples)
        Similarities of neighbours.
    scores_ : float array of shape (n_samples,)
        As `propagated_`, but for every fifth of the rows with the labels of these rows hidden.

    Notes
    -----
    Decided here, as the paper does not say: the length of an edge is the distance of its rows; rows
    that no path reaches are farthest; if more than 200 rows are labelled, paths are measured from
    200 drawn at random; labels spread as harmonic functions with a slight pull (1e-3 of a row's
    edges) towards the prior. Unseen rows get the mean of their neighbours' values, weighted by
    similarity. Time is that of the neighbours, of 200 searches for paths and of six sparse systems.
    There is no `sample_weight`.

    Rows far from the labelled ones are taken as negatives: the method fails where positives are
    outliers.
    """

    _: KW_ONLY
    n_neighbors: Annotated[int, COUNT] = 10
    sigma: Annotated[float, POSITIVE] = 0.75
    n_negative: Annotated[int | None, COUNT_OR_NONE] = None

    _own_threshold: ClassVar[float] = 0.5
    _uses_negatives: ClassVar[bool] = True

    def _learn(self, points: Any, labels: PULabels, random: RandomState) -> _Spread:
        is_labelled, n_rows = labels.is_labelled, labels.n_samples
        lists = neighbors_at_most(points, self.n_neighbors, random)
        graph = Gaussian.of_width(self.sigma, points.shape[1]).graph(lists)
        lengths = symmetric_graph(
            lists.indices, np.maximum(np.sqrt(lists.squared_distances), _SHORTEST)
        )
        sources = np.flatnonzero(is_labelled)
        if len(sources) > MOST_SOURCES:
            sources = random.choice(sources, MOST_SOURCES, replace=False)
        distances = mean_path_lengths(lengths, sources)
        n_more = max(self._n_negative(is_labelled) - labels.n_negative, 0)
        farthest = farthest_rows(distances, labels.is_unlabelled, n_more)
        is_negative = farthest | labels.is_negative
        values = propagate(
            graph, is_labelled | is_negative, is_labelled.astype(np.float64), self.prior_
        )
        k = min(self.n_neighbors, n_rows)
        return _Spread(points, k, self.sigma, graph, values, is_negative, distances)

    def _n_negative(self, is_labelled: BoolArray) -> int:
        n_unlabelled = int(np.count_nonzero(~is_labelled))
        if self.n_negative is not None:
            return min(int(self.n_negative), n_unlabelled)
        of_prior = math.ceil((1.0 - self.prior_) * len(is_labelled) / 2.0)
        return max(1, min(len(is_labelled) - n_unlabelled, of_prior, n_unlabelled))

    def _unseen_scores(self, points: Any, labels: PULabels, random: RandomState) -> FloatArray:
        model: _Spread = self._model
        values = labels.is_labelled.astype(np.float64)

        def scores(train: IndexArray, test: IndexArray) -> FloatArray:
            known = np.zeros(labels.n_samples, dtype=np.bool_)
            known[train] = (labels.is_labelled | model.is_negative)[train]
            return propagate(model.graph, known, values, self.prior_)[test]

        return scores_of_folds(folds_of(points, labels, random), scores)

    def _keep(self, model: _Spread, order: IndexArray) -> None:
        self.reliable_negatives_ = given_numbers(model.is_negative, order)
        self.path_lengths_ = in_given_order(model.distances, order)
        self.propagated_ = in_given_order(model.values, order)
        self.graph_ = renumbered_graph(model.graph, order)
