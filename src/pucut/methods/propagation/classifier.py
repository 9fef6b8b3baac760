"""Labels that spread along a graph of neighbours: LP-PUL."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from pucut._support.checks import BoolArray, FloatArray
from pucut._support.constraints import COUNT, COUNT_OR_NONE, POSITIVE
from pucut.data.labels import PULabels
from pucut.data.repeats import groups_for_folds
from pucut.data.row_order import IndexArray, given_numbers, in_given_order, renumbered_graph
from pucut.graphs.neighbors import NeighborIndex
from pucut.graphs.similarity import Gaussian, symmetric_graph
from pucut.judging.cross_fitting import stratified_folds
from pucut.methods._encoded import FOLDS, EncodedClassifier, neighbors_at_most
from pucut.methods.propagation._spreading import farthest_rows, mean_path_lengths, propagate

# Labelled rows from which paths are measured; if there are more, this many are drawn.
MOST_SOURCES = 200
# A path over equal rows must not look like a missing path.
_SHORTEST = 1e-9


@dataclass(frozen=True, eq=False)
class _Spread:
    """Values of the training rows; new rows get the mean of their neighbours by similarity."""

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
        means: FloatArray = (weights * self.values[lists.indices]).sum(axis=1) / weights.sum(axis=1)
        return means

    def for_answers(self) -> "_Spread":
        """Without what else is known of the training rows."""
        nothing = np.empty(0)
        return replace(
            self, graph=sp.csr_array((0, 0)), is_negative=nothing.astype(bool), distances=nothing
        )

    @cached_property
    def _index(self) -> NeighborIndex:
        """Made when the first unseen rows come, and not kept in pickles."""
        return NeighborIndex(self.points, self.n_neighbors, n_jobs=1, random_state=0)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_index"}


class PULabelPropagationClassifier(EncodedClassifier):
    """The unlabelled rows farthest from the labelled ones are negative; both labels then spread.

    After LP-PUL of Carnevali, Rossi, Milios and Lopes (Information Sciences 2021). In a graph of
    nearest neighbours, the rows whose shortest paths to the labelled rows are longest on average
    are taken as negatives, and the labels of both kinds are propagated to all others.

    Parameters
    ----------
    n_neighbors : int, default=10
        At most the number of other samples.
    sigma : float, default=0.75
        Width of the kernel exp(-d^2 / (2 sigma^2 H)), with H the number of features.
    n_negative : int, optional
        Rows taken as negatives. By default as many as are labelled, but at most half of the
        negatives there are by the prior.
    prior : float or "auto", default="auto"
        Fraction of positives among all samples given to `fit`, labelled and unlabelled; "auto"
        estimates it (see `prior_estimate_`).
    threshold : {"prior", "half"}, default="prior"
        `predict` says positive above the score that the prior's share of the training rows exceeds,
        or above 1/2.
    pos_label : value of y, optional
        The value that means labelled positive, if it is not what `y` itself says.
    neg_label : value of y, optional
        The value that means known negative; all values but these two then mean unlabelled.
    random_state : int, RandomState instance or None, default=None

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
    classes_ : array of shape (2,)
        The value of y that means unlabelled or negative, then the one that means positive.
    prior_, prior_estimate_
        The prior that was used, and how it was estimated.
    scores_ : float array of shape (n_samples,)
        As `propagated_`, but for every fifth of the rows with the labels of these rows hidden.
    threshold_ : float
        The score above which a row is positive to `predict`.
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the labelled rows are positive, and as many of the best others
        as bring the share of positives to the prior, or those above 1/2.

    Notes
    -----
    Decided here, as the paper does not say: the length of an edge is the distance of its rows; rows
    that no path reaches are farthest; if more than 200 rows are labelled, paths are measured from
    200 drawn at random; labels spread as harmonic functions with a slight pull (1e-3 of a row's
    edges) towards the prior. Unseen rows get the mean of their neighbours' values, weighted by
    similarity. Time is that of the neighbours, of 200 searches for paths and of six sparse systems.
    There is no `sample_weight`.

    The paper claims, on texts that are not available here, that it beats Rocchio if labels are few.
    5 % of the positives labelled: on digits 82.5 against 78.1 %, but on breast cancer 85.3 against
    92.8 %: there positives are the outliers, and 16 of the 40 rows taken as negatives, in four
    draws, were positive (benchmarks/bench_methods.py).
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EncodedClassifier._parameter_constraints,
        "n_neighbors": COUNT,
        "sigma": POSITIVE,
        "n_negative": COUNT_OR_NONE,
    }
    _own_threshold: ClassVar[float] = 0.5
    _uses_negatives: ClassVar[bool] = True

    def __init__(
        self,
        *,
        prior: Any = "auto",
        n_neighbors: int = 10,
        sigma: float = 0.75,
        n_negative: int | None = None,
        threshold: str = "prior",
        pos_label: Any = None,
        neg_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.prior = prior
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.n_negative = n_negative
        self.threshold = threshold
        self.pos_label = pos_label
        self.neg_label = neg_label
        self.random_state = random_state

    def _learn(self, points: Any, labels: PULabels, random: np.random.RandomState) -> _Spread:
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

    def _unseen_scores(
        self, points: Any, labels: PULabels, random: np.random.RandomState
    ) -> FloatArray:
        model: _Spread = self._model
        scores = np.empty(labels.n_samples)
        groups = groups_for_folds(points, labels.is_labelled)
        for train, test in stratified_folds(labels.is_labelled, FOLDS, random, groups):
            known = np.zeros(labels.n_samples, dtype=np.bool_)
            known[train] = (labels.is_labelled | model.is_negative)[train]
            spread = propagate(
                model.graph, known, labels.is_labelled.astype(np.float64), self.prior_
            )
            scores[test] = spread[test]
        return scores

    def _keep(self, model: _Spread, order: IndexArray) -> None:
        self.reliable_negatives_ = given_numbers(model.is_negative, order)
        self.path_lengths_ = in_given_order(model.distances, order)
        self.propagated_ = in_given_order(model.values, order)
        self.graph_ = renumbered_graph(model.graph, order)
