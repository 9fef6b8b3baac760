"""Probabilities of classes by learners that are mixed by hidden labels.

Trees, linear regressions and kernel regressions in each space learn from the labelled rows alone,
walks (`_class_walks`) go along the graph: which is best depends on the number of labels and on the
columns. What they predict for rows whose labels are hidden (`_class_worlds`) decides their weights.
The same rows are hidden from the cuts (`_class_cuts`), so that everything is judged by labels it
has not seen.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from pucut._support.checks import FloatArray, is_sparse
from pucut._support.threads import in_threads, library_threads
from pucut.graphs.spaces import NearRows
from pucut.kernels.class_ridge import ClassRidge, fit_class_ridge
from pucut.semi_supervised._class_spaces import CATEGORIES, ClassSpace
from pucut.semi_supervised._class_trees import ClassTrees, grow_class_trees
from pucut.semi_supervised._class_worlds import ClassWorlds, Codes

TREES, LINEAR, LOGISTIC = "trees", "linear", "logistic"
# More coefficients would make the logistic regression slow.
MOST_COEFFICIENTS = 300
_INVERSE_PENALTY = 3.0
# What has less weight is left out.
LEAST_WEIGHT = 0.01


@dataclass(frozen=True, eq=False)
class NewPoints:
    """New rows: their points, by space their points there, weighted, and their neighbours."""

    points: Any
    points_in: Mapping[str, Any]
    near: NearRows


class Learner(Protocol):
    """What learned from all labels; `space` names where its points lie, None for the table's."""

    @property
    def name(self) -> str: ...

    @property
    def space(self) -> str | None: ...

    def of(self, rows: NewPoints) -> FloatArray:
        """Probabilities of the classes."""


@dataclass(frozen=True, eq=False)
class PointLearner:
    """A model of points: trees, or a regression."""

    name: str
    space: str | None
    model: Any

    def of(self, rows: NewPoints) -> FloatArray:
        points = rows.points if self.space is None else rows.points_in[self.space]
        found: FloatArray = self.model.of(points)
        return found


@dataclass(frozen=True, eq=False)
class Opinion:
    """A learner, and the probabilities of the rows in every world, the complete one last."""

    learner: Learner
    of_worlds: tuple[FloatArray, ...]


@dataclass(frozen=True, eq=False)
class TreeOpinion(Opinion):
    """That of trees, with the importances of the features in every world."""

    importances: tuple[FloatArray, ...]


@dataclass(frozen=True, eq=False)
class ClassScores:
    """Learners with their weights, which sum to 1, and the spaces that they need."""

    learners: tuple[Learner, ...]
    weights: FloatArray
    spaces: tuple[ClassSpace, ...]

    def of(self, points: Any, near: NearRows) -> FloatArray:
        """Probabilities of the classes, one row per point."""
        points_in = {space.name: space.weighted(space.of(points)) for space in self.spaces}
        rows = NewPoints(points, points_in, near)
        with library_threads(1):
            return _mixed([learner.of(rows) for learner in self.learners], self.weights)


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """The learners that have weight, and the mixed probabilities of the rows in every world.

    `weights` has the weight of every learner by name, 0 where it was left out.
    """

    scores: ClassScores
    of_worlds: tuple[FloatArray, ...]
    weights: dict[str, float]


def tree_opinion(
    points: Any, worlds: ClassWorlds, n_trees: int, random: np.random.RandomState, n_threads: int
) -> TreeOpinion:
    """Trees shared out among the worlds, the complete one with twice as many as each other.

    In a world that hides labels those answer that were grown without them; in the complete one all.
    """
    n_hidden = len(worlds.folds)
    few = math.ceil(n_trees / (n_hidden + 2)) if n_hidden else 0
    sizes = [few] * n_hidden + [max(n_trees - few * n_hidden, 1)]
    forests = [
        grow_class_trees(points, codes, size, random, n_threads)
        for codes, size in zip(worlds.labels, sizes, strict=True)
    ]
    found = [forest.of(points) for forest in forests]
    importances = [forest.importances for forest in forests]
    everything = ClassTrees(tuple(tree for forest in forests for tree in forest.trees), n_threads)
    return TreeOpinion(
        PointLearner(TREES, None, everything),
        (*found[:-1], np.average(found, axis=0, weights=sizes)),
        (*importances[:-1], np.average(importances, axis=0, weights=sizes)),
    )


@dataclass(frozen=True, eq=False)
class _OfLogistic:
    model: LogisticRegression

    def of(self, points: Any) -> FloatArray:
        return np.asarray(self.model.predict_proba(points), np.float64)


def logistic_opinion(points: Any, worlds: ClassWorlds) -> Opinion | None:
    """A logistic regression with a weak penalty; None where it would be slow."""
    n_classes = int(worlds.codes.max()) + 1
    n_coefficients = points.shape[1] * (1 if n_classes == 2 else n_classes)
    if is_sparse(points) or n_coefficients > MOST_COEFFICIENTS:
        return None
    found = []
    with library_threads(1), warnings.catch_warnings():
        # One that has nearly converged is good enough.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for codes in worlds.labels:
            known = np.flatnonzero(codes >= 0)
            model = _OfLogistic(LogisticRegression(C=_INVERSE_PENALTY, tol=1e-3))
            model.model.fit(points[known], codes[known])
            found.append(model.of(points))
    return Opinion(PointLearner(LOGISTIC, None, model), tuple(found))


def regressions(
    points: Any,
    placed: Sequence[Any],
    spaces: Sequence[ClassSpace],
    worlds: ClassWorlds,
    random: np.random.RandomState,
    n_threads: int,
    device: str | None = None,
) -> list[Opinion]:
    """A kernel regression in each space, and linear ones of columns as they are and as categories.

    `placed` are the points in each space, not weighted. For `device` see `fit_class_ridge`.
    """
    n_classes, seed = int(worlds.codes.max()) + 1, random.randint(np.iinfo(np.int32).max)

    def opinion(name: str, space: ClassSpace | None, given: Any, is_linear: bool) -> Opinion:
        models: list[ClassRidge] = []
        found = []
        for world, codes in enumerate(worlds.labels):
            known = np.flatnonzero(codes >= 0)
            here = given if space is None else space.weighted(given, world)
            # A single world hides many of many labels: what it chose need not be chosen again.
            like = models[0] if world and len(worlds.folds) == 1 else None
            models.append(
                fit_class_ridge(
                    here[known],
                    codes[known],
                    n_classes,
                    np.random.RandomState(seed),
                    linear=is_linear,
                    like=like,
                    device=device,
                )
            )
            found.append(models[-1].of_rows(here))
        learner = PointLearner(name, None if space is None else space.name, models[-1])
        return Opinion(learner, tuple(found))

    jobs: list[tuple[str, ClassSpace | None, Any, bool]] = [(LINEAR, None, points, True)]
    for space, given in zip(spaces, placed, strict=True):
        jobs.append((kernel_name(space), space, given, False))
        if space.name == CATEGORIES:
            jobs.append((f"{LINEAR}, {space.name}", space, given, True))
    with library_threads(1):
        # A GPU does one after the other, with its whole memory.
        return in_threads(lambda job: opinion(*job), jobs, n_threads if device is None else 1)


def kernel_name(space: ClassSpace) -> str:
    return f"kernel, {space.name}"


def mix_opinions(
    opinions: Sequence[Opinion], spaces: Sequence[ClassSpace], worlds: ClassWorlds
) -> JudgedScores:
    """Weighs the learners by hidden labels, in each world by those that others hide."""
    losses = hidden_losses(opinions, worlds)
    weights = [loss_weights(losses[:, worlds.judging(w)]) for w in range(len(worlds.labels))]
    mixed = [
        _mixed([opinion.of_worlds[world] for opinion in opinions], weights[world])
        for world in range(len(worlds.labels))
    ]
    final = weights[-1]
    used = [place for place, weight in enumerate(final) if weight > 0.0]
    learners = tuple(opinions[place].learner for place in used)
    needed = {learner.space for learner in learners}
    return JudgedScores(
        ClassScores(
            learners, final[used], tuple(space for space in spaces if space.name in needed)
        ),
        tuple(mixed),
        {
            opinion.learner.name: float(weight)
            for opinion, weight in zip(opinions, final, strict=True)
        },
    )


def best_space(
    opinions: Sequence[Opinion], spaces: Sequence[ClassSpace], worlds: ClassWorlds
) -> int:
    """Where the space stands whose kernel is best on hidden labels; if there are none, 0."""
    if len(spaces) == 1 or not worlds.folds:
        return 0
    names = [kernel_name(space) for space in spaces]
    kernels = [opinion for opinion in opinions if opinion.learner.name in names]
    return int(np.argmin(hidden_losses(kernels, worlds).mean(axis=1)))


def hidden_losses(opinions: Sequence[Opinion], worlds: ClassWorlds) -> FloatArray:
    """Squared errors of each learner (rows) on the hidden rows (columns), summed over classes."""
    found = [
        [
            squared_errors(of_world[fold], worlds.codes[fold])
            for of_world, fold in zip(opinion.of_worlds, worlds.folds, strict=False)
        ]
        for opinion in opinions
    ]
    return np.array([np.concatenate([np.empty(0), *of_learner]) for of_learner in found])


def squared_errors(probabilities: FloatArray, codes: Codes) -> FloatArray:
    """Of each row, summed over the classes."""
    errors = probabilities.copy()
    errors[np.arange(len(codes)), codes] -= 1.0
    found: FloatArray = np.square(errors).sum(axis=1)
    return found


def loss_weights(losses: FloatArray) -> FloatArray:
    """Weights from the losses of candidates (rows) on the same cases (columns).

    exp of how far behind the best, in standard errors of that difference: what is within the noise
    counts nearly as much as the best, what is clearly worse drops out. Without cases all count the
    same.
    """
    n_candidates, n_cases = losses.shape
    if n_cases == 0:
        return np.full(n_candidates, 1.0 / n_candidates)
    behind = losses - losses[int(np.argmin(losses.mean(axis=1)))]
    error = behind.std(axis=1) / math.sqrt(n_cases)
    mean = behind.mean(axis=1)
    distance = np.divide(mean, error, out=np.where(mean > 0.0, np.inf, 0.0), where=error > 0.0)
    weights = np.exp(-distance)
    weights /= weights.sum()
    kept = np.where(weights >= min(LEAST_WEIGHT, float(weights.max())), weights, 0.0)
    return np.asarray(kept / kept.sum())


def _mixed(found: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    mixed: FloatArray = np.tensordot(weights, np.asarray(found), axes=1)
    return mixed
