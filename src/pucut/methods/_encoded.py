"""Base of the classifiers that work on encoded points."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state

from pucut._support.checks import FloatArray
from pucut._support.constraints import PRIOR_CONSTRAINTS, THRESHOLD_CONSTRAINTS
from pucut.data.containers import for_any_table, with_narrow_indices
from pucut.data.encoding import learn_encoding
from pucut.data.labels import PULabels
from pucut.data.repeats import groups_for_folds
from pucut.data.row_order import IndexArray, in_order, row_order
from pucut.graphs.neighbors import NeighborLists, nearest_neighbors
from pucut.judging.cross_fitting import stratified_folds
from pucut.methods._base import PUClassifier

# Folds for out-of-sample scores.
FOLDS = 5


class EncodedClassifier(PUClassifier):
    """`_learn` of a subclass learns a model from points and labels; the rest is here.

    Scores of the training rows come from five further models, each fitted without a fifth of the
    rows, unless a subclass does it differently.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "prior": PRIOR_CONSTRAINTS,
        "threshold": THRESHOLD_CONSTRAINTS,
        "pos_label": "no_validation",
        "neg_label": "no_validation",
        "random_state": ["random_state"],
    }
    _answers_rest_on: ClassVar[tuple[str, ...] | None] = ("_encoding", "_model")
    # The score above which the method itself says positive.
    _own_threshold: ClassVar[float] = 0.0

    def __sklearn_tags__(self) -> Any:
        return for_any_table(super().__sklearn_tags__())

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from the labelled and the unlabelled rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two values, one for labelled positives (the larger number, a word such as "yes", or
            `pos_label`) and the other for unlabelled rows; missing values mean unlabelled too. With
            `neg_label` known negatives, and everything else is unlabelled.
        """
        X = self._checked_table(X, reset=True)
        labels = self._read_labels(y, X.shape[0])
        self._check_parameters()
        order = row_order(X, labels.signs)
        X, labels = in_order(X, order), labels.in_order(order)
        self._settle_prior(X, labels)
        random = check_random_state(self.random_state)
        self._encoding, points = learn_encoding(X)
        points = with_narrow_indices(points)
        self._prepare(points, labels, random)
        self._model = self._learn(points, labels, random)
        self._keep(self._model, order)
        scores = self._unseen_scores(points, labels, random)
        self._settle_answers(scores, labels, self._half() if self.threshold == "half" else None)
        self._set_in_given_order(order)
        return self

    @abstractmethod
    def _learn(self, points: Any, labels: PULabels, random: np.random.RandomState) -> Any:
        """The model; `prior_` is known by then. Sets nothing: it is called for every fold too."""

    def _check_parameters(self) -> None:
        """Checks that the constraints cannot express."""

    def _prepare(self, points: Any, labels: PULabels, random: np.random.RandomState) -> None:
        """Sets what is chosen once, for the model of all rows and for those of the folds."""

    def _keep(self, model: Any, order: IndexArray) -> None:
        """Sets the attributes of the model for all rows, which it has seen in this order."""

    def _half(self) -> float:
        return self._own_threshold

    def _unseen_scores(
        self, points: Any, labels: PULabels, random: np.random.RandomState
    ) -> FloatArray:
        """Scores of the training rows, out-of-sample unless no row can be left out."""
        scores = np.empty(labels.n_samples)
        groups = groups_for_folds(points, labels.is_labelled)
        for train, test in stratified_folds(labels.is_labelled, FOLDS, random, groups):
            model = self._model
            if len(train) < labels.n_samples:
                model = self._learn(points[train], labels.in_order(train), random)
            scores[test] = model.scores(points[test])
        return scores

    def _points_of(self, X: Any) -> Any:
        return with_narrow_indices(self._encoding.encode(self._checked_table(X, reset=False)))

    def _score_rows(self, X: Any) -> FloatArray:
        scores: FloatArray = self._model.scores(self._points_of(X))
        return scores


def neighbors_at_most(points: Any, k: int, random: np.random.RandomState) -> NeighborLists:
    """The k nearest rows of each row, or all others where there are fewer."""
    return nearest_neighbors(
        points, min(k, points.shape[0] - 1), n_jobs=1, random_state=random.randint(1 << 31)
    )
