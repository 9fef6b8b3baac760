"""Ranking of unlabelled rows by how likely they are positive, from few labels of both classes.

A learner is trained on the labelled rows, with weights that fix the proportion of the classes
however many rows each has: a linear SVM for texts, extra trees for the columns of a table. If
hardly any negatives are known, some unlabelled rows stand in for them: most of those are negative.

Rows that have no features (texts without words) are not ranked among the others: they are shown
when they promise more than the best of the rest (`next_rows`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from scipy.stats import rankdata
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_sparse
from pucut._support.threads import library_threads

N_TREES = 100
# Weight of columns beside texts, relative to these.
BESIDE_TEXTS = 0.2
# Number of negatives, counting unlabelled rows that stand in for missing ones.
N_STAND_INS = 10


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Numbers of the rows to train on, and whether each is positive."""

    rows: IndexArray
    is_positive: BoolArray

    def weights(self, ratio: float) -> FloatArray:
        """Weight positives together `ratio` times as much as negatives; the mean weight is 1."""
        n_positive = int(self.is_positive.sum())
        negative = n_positive / (ratio * (len(self.rows) - n_positive))
        weights = np.where(self.is_positive, 1.0, negative)
        return np.asarray(weights * (len(weights) / weights.sum()))


RankLearner = Callable[[Any, TrainingRows], FloatArray]


def linear_svm(X: Any, training: TrainingRows) -> FloatArray:
    """Return distances from the plane of a linear SVM that accepts few errors on positives.

    C and the ratio are those of ASReview's default model, which were found on such texts.
    """
    model = LinearSVC(C=0.11, random_state=0)
    model.fit(X[training.rows], training.is_positive, sample_weight=training.weights(9.8))
    return np.asarray(model.decision_function(X))


def trees(X: Any, training: TrainingRows) -> FloatArray:
    """Return shares of the votes of extra trees; logistic regression breaks ties."""
    data = (X[training.rows], training.is_positive, training.weights(1.0))
    votes = _trees().fit(*data).predict_proba(X)[:, 1]
    odds = _regression().fit(*data).decision_function(X)
    return np.asarray(votes + expit(odds) / (2 * N_TREES))  # less than half a vote


def _regression() -> Any:
    return LogisticRegression(C=0.1, max_iter=1000)


def _regression_on_texts() -> Any:
    # Rows have length 1, hence the large C. The dual has one unknown for each labelled row, and not
    # one for each of a million words.
    return LogisticRegression(C=10.0, solver="liblinear", dual=True, max_iter=1000, random_state=0)


def _trees() -> Any:
    return ExtraTreesClassifier(N_TREES, random_state=0, n_jobs=1)


@dataclass(frozen=True, eq=False)
class Features:
    """A matrix, one row per row of the table, and the models that suit it."""

    X: Any  # sparse or dense
    learner: RankLearner  # for `rank_scores`
    models: tuple[Callable[[], Any], ...] = ()  # make scikit-learn classifiers for `uncertainties`
    enough_negatives: int = 1  # with fewer known ones, unlabelled rows stand in for negatives


def features_of(texts: sp.csr_array | None, points: FloatArray | None) -> Features:
    """Make features of texts, of the other columns as points, or of both side by side.

    A row without words whose other columns are at their means, or missing, has no features.
    """
    if texts is None:
        if points is None:
            raise ValueError("texts or points must be given: there is nothing to learn from")
        return Features(points, trees, (_regression, _trees))
    if points is not None:
        # Texts have length 1, and the points together one that is mostly shorter.
        beside = sp.csr_array(BESIDE_TEXTS * points / np.sqrt(points.shape[1]))
        beside.eliminate_zeros()
        texts = sp.csr_array(sp.hstack([texts, beside], format="csr"))
    return Features(texts, linear_svm, (_regression_on_texts,), N_STAND_INS)


def training_rows(
    features: Features,
    is_positive: BoolArray,
    is_negative: BoolArray,
    seed: int = 0,
    enough: int | None = None,
) -> TrainingRows | None:
    """Choose the labelled rows that have features, or return None if these are of one class.

    With less than `enough` negatives (default: as many as the features need), unlabelled rows
    stand in for the missing ones.
    """
    rows = np.flatnonzero(is_positive | is_negative)
    n_negative = int(is_negative.sum())
    if n_negative < (features.enough_negatives if enough is None else enough):
        free = np.flatnonzero(~(is_positive | is_negative))
        drawn = np.random.default_rng(seed).permutation(free)[: N_STAND_INS - n_negative]
        rows = np.concatenate([rows, drawn])
    rows = rows[~is_blank(features.X)[rows]]
    training = TrainingRows(rows, is_positive[rows])
    has_both_classes = training.is_positive.any() and not training.is_positive.all()
    return training if has_both_classes else None


def rank_scores(
    features: Features, is_positive: BoolArray, is_negative: BoolArray, seed: int = 0
) -> FloatArray:
    """Return every row's rank by the learner, from 0 to 1, the higher the more likely positive.

    As long as no positive with features is known, or nothing else, the order is random.
    """
    training = training_rows(features, is_positive, is_negative, seed)
    n_rows = len(is_positive)
    if training is None:
        return np.random.default_rng(seed).permutation(n_rows) / n_rows
    with library_threads(1):
        return np.asarray(rankdata(features.learner(features.X, training)) / n_rows)


def uncertainties(
    features: Features, is_positive: BoolArray, is_negative: BoolArray, seed: int = 0
) -> FloatArray:
    """Return how uncertain the models are, from 0 to 1, which is a probability of one half.

    All labelled rows weigh the same, so that one half is the border between the classes.
    Unlabelled rows stand in for negatives only as long as none is known.
    """
    training = training_rows(features, is_positive, is_negative, seed, enough=1)
    if training is None:
        return np.zeros(len(is_positive))
    X, data = features.X, (features.X[training.rows], training.is_positive)
    shares = [make().fit(*data).predict_proba(X)[:, 1] for make in features.models]
    uncertain: FloatArray = 1.0 - np.abs(2.0 * np.mean(shares, axis=0) - 1.0)
    uncertain[is_blank(X)] = 0.0  # nothing would be learned from their labels
    return uncertain


def is_blank(X: Any) -> BoolArray:
    """Find the empty rows of a sparse matrix; dense rows always have features."""
    if is_sparse(X):
        return np.asarray(np.diff(X.indptr) == 0)
    return np.zeros(X.shape[0], dtype=np.bool_)
