"""Base of the classifiers that work on encoded points."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.random import RandomState
from sklearn.utils import check_random_state

from pucut._support.checks import FloatArray, IndexArray
from pucut._support.constraints import THRESHOLD_CONSTRAINTS
from pucut.data.containers import for_any_table, with_narrow_indices
from pucut.data.encoding import learn_encoding
from pucut.data.labels import PULabels
from pucut.data.repeats import groups_for_folds
from pucut.graphs.neighbors import NeighborLists, nearest_neighbors
from pucut.judging.cross_fitting import stratified_folds
from pucut.methods._base import FOLDS, PUClassifier


class EncodedClassifier(PUClassifier):
    """Base of the classifiers whose `_learn` returns a model of points and labels.

    Scores of the training rows come from five further models, each fitted without a fifth of the
    rows, unless a subclass does it differently.

    Parameters
    ----------
    threshold : {"prior", "half"}, default="prior"
        `predict` says positive above the score that the prior's share of the training rows exceeds,
        or, with "half", where the method itself does: above 1/2 if scores are votes or
        probabilities, and above 0 if they are margins or log odds.
    """

    _: KW_ONLY
    threshold: Annotated[str, THRESHOLD_CONSTRAINTS] = "prior"

    _answers_rest_on: ClassVar[tuple[str, ...] | None] = ("_encoding", "_model")
    # The score above which the method itself says positive.
    _own_threshold: ClassVar[float] = 0.0

    def __sklearn_tags__(self) -> Any:
        return for_any_table(super().__sklearn_tags__())

    def _fit_rows(self, rows: Any, labels: PULabels, order: IndexArray) -> None:
        self._check_parameters()
        self._settle_prior(rows, labels)
        random = check_random_state(self.random_state)
        self._encoding, points = learn_encoding(rows)
        points = with_narrow_indices(points)
        self._prepare(points, labels, random)
        self._model = self._learn(points, labels, random)
        self._keep(self._model, order)
        scores = self._unseen_scores(points, labels, random)
        self._settle_answers(scores, labels, self._half() if self.threshold == "half" else None)

    @abstractmethod
    def _learn(self, points: Any, labels: PULabels, random: RandomState) -> Any:
        """Return a model with `scores`. It is called for every fold too, and sets no attribute."""

    def _check_parameters(self) -> None:
        """Check what the constraints cannot express."""

    def _prepare(self, points: Any, labels: PULabels, random: RandomState) -> None:
        """Set what is chosen once, for the model of all rows and for those of the folds."""

    def _keep(self, model: Any, order: IndexArray) -> None:
        """Set the attributes of the model for all rows, which it has seen in this order."""

    def _half(self) -> float:
        return self._own_threshold

    def _unseen_scores(self, points: Any, labels: PULabels, random: RandomState) -> FloatArray:
        """Return scores of the training rows, out-of-sample unless no row can be left out."""

        def scores(train: IndexArray, test: IndexArray) -> FloatArray:
            model = self._model
            if len(train) < labels.n_samples:
                model = self._learn(points[train], labels.in_order(train), random)
            return np.asarray(model.scores(points[test]))

        return scores_of_folds(folds_of(points, labels, random), scores)

    def _points_of(self, X: Any) -> Any:
        return with_narrow_indices(self._encoding.encode(self._checked_table(X, reset=False)))

    def _score_rows(self, X: Any) -> FloatArray:
        return np.asarray(self._model.scores(self._points_of(X)))


Folds = Iterable[tuple[IndexArray, IndexArray]]


def folds_of(points: Any, labels: PULabels, random: RandomState) -> Folds:
    """Return the rows to fit and to score, fold by fold; copies of a row stay together."""
    groups = groups_for_folds(points, labels.is_labelled)
    return list(stratified_folds(labels.is_labelled, FOLDS, random, groups))


def scores_of_folds(
    folds: Folds, scores: Callable[[IndexArray, IndexArray], FloatArray]
) -> FloatArray:
    """Return a score for each row, by `scores` of the rows to fit and the rows to score."""
    parts = [(test, scores(train, test)) for train, test in folds]
    found = np.empty(sum(len(test) for test, _ in parts))
    for test, of_test in parts:
        found[test] = of_test
    return found


def neighbors_at_most(points: Any, k: int, random: RandomState) -> NeighborLists:
    """Return the k nearest rows of each row, or all others where there are fewer."""
    return nearest_neighbors(
        points, min(k, points.shape[0] - 1), n_jobs=1, random_state=random.randint(1 << 31)
    )
