"""Probabilities of classes from the labelled rows alone, by learners mixed by hidden labels.

Trees and linear models with three penalties: which is best depends on the number of labels and of
columns. Each labelled row is hidden once, and what the learners then predict for it decides their
weights. Hidden labels are hidden from the cuts too (`_class_cuts`), so that everything is judged by
labels it has not seen.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from pucut._support.checks import FloatArray
from pucut._support.threads import library_threads
from pucut.data.repeats import numbered

Codes = npt.NDArray[np.intp]

HIDDEN_FOLDS = 3
# This many hidden labels separate candidates well enough: further folds are not used.
ENOUGH_HIDDEN = 300
INVERSE_PENALTIES = (0.03, 0.3, 3.0)
LEARNERS = ("trees", *(f"linear, C={c:g}" for c in INVERSE_PENALTIES))
# Trees that judge, as a share of those that answer.
_TREES_A_FOLD = 0.25


@dataclass(frozen=True, eq=False)
class ClassScores:
    """Fitted learners and their weights, which sum to 1."""

    learners: tuple[Any, ...]
    weights: FloatArray

    def of(self, points: Any) -> FloatArray:
        """Probabilities of the classes, one row per point."""
        return _mixed(_probabilities(self.learners, points), self.weights)


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """The learners, scores of the training rows, and for each fold those without its labels."""

    scores: ClassScores
    of_rows: FloatArray
    of_folds: tuple[FloatArray, ...]


def hidden_folds(codes: Codes, random: np.random.RandomState, groups: Codes) -> list[Codes]:
    """Labelled rows to hide, fold by fold, each class spread over the folds.

    Three folds, or fewer with enough rows in them. A class with a single label is never hidden;
    if all classes are like that, there is no fold. Copies of a row, which `groups` numbers
    (`data.repeats`), are hidden together.
    """
    folds: list[list[Codes]] = [[] for _ in range(HIDDEN_FOLDS)]
    for code in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == code)
        copies = numbered(groups[rows])
        drawn = random.permutation(len(np.unique(copies)))
        if len(drawn) > 1:
            for place, fold in enumerate(folds):
                fold.append(rows[np.isin(copies, drawn[place::HIDDEN_FOLDS])])
    joined = [np.sort(np.concatenate(fold)) if fold else np.empty(0, np.intp) for fold in folds]
    before = np.cumsum([0, *map(len, joined[:-1])])
    return [
        rows
        for rows, n_hidden in zip(joined, before, strict=True)
        if len(rows) and n_hidden < ENOUGH_HIDDEN
    ]


def judged_scores(
    points: Any,
    codes: Codes,
    folds: Sequence[Codes],
    *,
    n_trees: int,
    random: np.random.RandomState,
    n_jobs: int,
) -> JudgedScores:
    """Learners of all labels, weighted by what those of the folds predict for the hidden rows."""
    learners = fit_learners(points, codes, n_trees, random, n_jobs)
    of_learners = _probabilities(learners, points)
    of_folds = []
    for hidden in folds:
        kept = codes.copy()
        kept[hidden] = -1
        fewer = fit_learners(points, kept, math.ceil(_TREES_A_FOLD * n_trees), random, n_jobs)
        of_folds.append(_probabilities(fewer, points))
    weights = np.full(len(learners), 1.0 / len(learners))
    if folds:
        weights = loss_weights(
            np.array(
                [
                    np.concatenate(
                        [
                            squared_errors(found[place][hidden], codes[hidden])
                            for found, hidden in zip(of_folds, folds, strict=True)
                        ]
                    )
                    for place in range(len(learners))
                ]
            )
        )
    return JudgedScores(
        ClassScores(learners, weights),
        _mixed(of_learners, weights),
        tuple(_mixed(found, weights) for found in of_folds),
    )


def fit_learners(
    points: Any, codes: Codes, n_trees: int, random: np.random.RandomState, n_jobs: int
) -> tuple[Any, ...]:
    """Trees, then linear models, fitted to the labelled rows; every class has to be among them."""
    labelled = np.flatnonzero(codes >= 0)
    learners = (
        class_forest(n_trees, random, n_jobs),
        *(LogisticRegression(C=c, max_iter=1000) for c in INVERSE_PENALTIES),
    )
    with library_threads(1), warnings.catch_warnings():
        # A linear model that has nearly converged is good enough.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for learner in learners:
            learner.fit(points[labelled], codes[labelled])
    return learners


def class_forest(n_trees: int, random: np.random.RandomState, n_jobs: int) -> ExtraTreesClassifier:
    seed = random.randint(np.iinfo(np.int32).max)
    return ExtraTreesClassifier(n_trees, random_state=seed, n_jobs=n_jobs)


def squared_errors(probabilities: FloatArray, codes: Codes) -> FloatArray:
    """Of each row, summed over the classes."""
    errors = probabilities.copy()
    errors[np.arange(len(codes)), codes] -= 1.0
    found: FloatArray = np.square(errors).sum(axis=1)
    return found


def loss_weights(losses: FloatArray) -> FloatArray:
    """Weights from the losses of candidates (rows) on the same cases (columns).

    exp of how far behind the best, in standard errors of that difference: what is within the noise
    counts nearly as much as the best, what is clearly worse drops out.
    """
    behind = losses - losses[int(np.argmin(losses.mean(axis=1)))]
    error = behind.std(axis=1) / math.sqrt(losses.shape[1])
    mean = behind.mean(axis=1)
    distance = np.divide(mean, error, out=np.where(mean > 0.0, np.inf, 0.0), where=error > 0.0)
    weights = np.exp(-distance)
    return np.asarray(weights / weights.sum())


def _probabilities(learners: Sequence[Any], points: Any) -> list[FloatArray]:
    with library_threads(1):
        return [np.asarray(learner.predict_proba(points), np.float64) for learner in learners]


def _mixed(found: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    mixed: FloatArray = np.tensordot(weights, np.asarray(found), axes=1)
    return mixed
