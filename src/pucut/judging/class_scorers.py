"""Scorers of classes: probabilities, one column per class, learned from the labelled rows."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from pucut._support.checks import FloatArray, is_sparse
from pucut._support.threads import in_threads, library_threads
from pucut.graphs.walks import rows_met, to_meet_one
from pucut.judging.folds import LabelFolds
from pucut.judging.scorers import Predictor, Score, TreeScore, score_of
from pucut.judging.spaces import IDENTITY, NewRows, SearchedSpace, Space, Transform
from pucut.kernels.class_ridge import ClassRidge, fit_class_ridge
from pucut.trees.class_trees import ClassTrees, grow_class_trees
from pucut.trees.feature_weights import weighted

TREES, LOGISTIC, WALKS = "trees", "logistic", "walks"
# The logistic regression would be slow with more coefficients.
MOST_COEFFICIENTS = 300
_INVERSE_PENALTY = 3.0
# Every walk is taken to meet this many labelled rows of no class in particular; otherwise one that
# meets next to none would be as sure as any other. Hidden labels choose; without any, the last.
UNKNOWN, UNKNOWN_UNJUDGED = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0), 0.1


@dataclass(frozen=True, eq=False)
class ClassPredictor(Predictor):
    """A model of class probabilities in a space with these weights of the features, if any."""

    model: Any
    weights: FloatArray | None = None
    transform: Transform = IDENTITY

    def __call__(self, rows: NewRows) -> FloatArray:
        points = rows.points[self.transform.key]
        points = points if self.weights is None else weighted(points, self.weights)
        return np.asarray(self.model.of(points), np.float64)


def class_trees(
    points: Any, folds: LabelFolds, n_trees: int, random: np.random.RandomState, n_threads: int
) -> TreeScore:
    """Score by extra trees, dealt to the folds, the final fit with twice as many as each other.

    In a fold those predict that were grown in it; in the final fit all do.
    """
    few = math.ceil(n_trees / (folds.n_folds + 2)) if folds.n_folds else 0
    sizes = [few] * folds.n_folds + [max(n_trees - few * folds.n_folds, 1)]
    forests = [
        grow_class_trees(points, codes, size, random, n_threads)
        for codes, size in zip(folds.labels, sizes, strict=True)
    ]
    found = [forest.of(points) for forest in forests]
    importances = [forest.importances for forest in forests]
    every = ClassTrees(tuple(tree for forest in forests for tree in forest.trees), n_threads)
    found[-1] = np.average(found, axis=0, weights=sizes)
    importances[-1] = np.average(importances, axis=0, weights=sizes)
    return TreeScore(score_of(TREES, found, ClassPredictor(every)), tuple(importances))


def class_regression(
    name: str,
    space: Space,
    points: Any,
    folds: LabelFolds,
    seed: int,
    *,
    is_linear: bool = False,
    device: str | None = None,
) -> Score:
    """Score by a ridge regression of the classes on points of a space, which are not weighted."""
    models: list[ClassRidge] = []
    found = []
    for codes, weights in zip(folds.labels, space.weights, strict=True):
        known = np.flatnonzero(codes >= 0)
        here = weighted(points, weights)
        # A single fold hides many of many labels: width and penalty need not be chosen again.
        like = models[0] if models and folds.n_folds == 1 else None
        models.append(
            fit_class_ridge(
                here[known],
                codes[known],
                folds.n_classes,
                np.random.RandomState(seed),
                linear=is_linear,
                like=like,
                device=device,
            )
        )
        found.append(models[-1].of_rows(here))
    return score_of(name, found, ClassPredictor(models[-1], space.weights[-1], space.transform))


@dataclass(frozen=True, eq=False)
class _Logistic:
    regression: LogisticRegression

    def of(self, points: Any) -> FloatArray:
        return np.asarray(self.regression.predict_proba(points), np.float64)


def logistic_score(points: Any, folds: LabelFolds) -> Score | None:
    """Score by a logistic regression with a weak penalty; None where it would be slow."""
    n_coefficients = points.shape[1] * (1 if folds.n_classes == 2 else folds.n_classes)
    if is_sparse(points) or n_coefficients > MOST_COEFFICIENTS:
        return None
    found = []
    with library_threads(1), warnings.catch_warnings():
        # A model that has nearly converged is good enough.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for codes in folds.labels:
            known = np.flatnonzero(codes >= 0)
            model = _Logistic(LogisticRegression(C=_INVERSE_PENALTY, tol=1e-3))
            model.regression.fit(points[known], codes[known])
            found.append(model.of(points))
    return score_of(LOGISTIC, found, ClassPredictor(model))


@dataclass(frozen=True, eq=False)
class ClassWalks(Predictor):
    """The labelled rows of each class that walks from the training rows meet.

    A walk goes on with the probability `goes_on`; `shares` are those of the classes among the
    labels, and `unknown` is one of `UNKNOWN`.
    """

    met: FloatArray
    shares: FloatArray
    goes_on: float
    space: str = ""
    n_neighbors: int = 0
    unknown: float = UNKNOWN_UNJUDGED

    def __call__(self, rows: NewRows) -> FloatArray:
        """Walk from a new row to a training row near it, and on from there."""
        near = rows.near[self.space].nearest(self.n_neighbors)
        found = [near.mean_of(met) for met in self.met.T]
        return self._probabilities(self.goes_on * np.column_stack(found))

    @property
    def of_rows(self) -> FloatArray:
        return self._probabilities(self.met)

    def _probabilities(self, met: FloatArray) -> FloatArray:
        total = met.sum(axis=1, keepdims=True)
        return np.asarray((met + self.unknown * self.shares) / (total + self.unknown))


def class_walks(
    space: SearchedSpace, graphs: Sequence[Any], folds: LabelFolds, n_threads: int
) -> Score:
    """Score by the share of each class among the labelled rows that random walks meet.

    Where labels are few, hardly any row has a labelled neighbour; a walk meets labelled rows
    farther off. `unknown` is chosen for each fold by the judges of that fold.
    """
    (n_neighbors,) = space.n_neighbors

    def walks(graph: Any, codes: Any) -> ClassWalks:
        known = codes[codes >= 0]
        goes_on = to_meet_one(len(known) / len(codes))

        def met_of(code: int) -> FloatArray:
            return rows_met(graph, (codes == code).astype(np.float64), goes_on)

        met = in_threads(met_of, range(folds.n_classes), n_threads)
        shares = np.bincount(known, minlength=folds.n_classes) / len(known)
        # The iteration is not exact, and where nothing is met it may fall below 0.
        positive = np.maximum(np.column_stack(met), 0.0)
        return ClassWalks(positive, shares, goes_on, space.name, n_neighbors)

    found = [walks(graph, codes) for graph, codes in zip(graphs, folds.labels, strict=True)]
    if folds.n_folds:
        tried = [[replace(each, unknown=unknown) for each in found] for unknown in UNKNOWN]
        losses = np.array([folds.losses([one.of_rows for one in each]) for each in tried])
        best = [losses[:, folds.may_judge(k)].mean(axis=1).argmin() for k in range(len(found))]
        found = [tried[unknown][k] for k, unknown in enumerate(best)]
    return score_of(WALKS, [each.of_rows for each in found], found[-1])
