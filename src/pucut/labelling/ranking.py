"""Unlabelled rows in the order of how likely they are positive, from few answers of both kinds.

Every learner is trained on the rows that are known, with weights that keep the two kinds in
proportion however many of each there are, and the order is that of the mean of their ranks: of a
linear SVM on texts, of logistic regression and trees on the columns of a table. Where hardly any
negatives are known, some unlabelled rows stand in for them: most of those are negative.

Nothing is learned about rows that have no features (texts without words): they are not ranked among
the others but asked about when they promise more than the best of the rest (`next_rows`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.stats import rankdata
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut._support.threads import library_threads

IndexArray = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Known:
    """What the learners are trained on: rows, which are positive, and how much each counts."""

    rows: IndexArray
    is_positive: BoolArray

    def weights(self, ratio: float) -> FloatArray:
        """Positives together count `ratio` times as much as negatives; the mean weight is 1."""
        n_positive = int(self.is_positive.sum())
        negative = n_positive / (ratio * (len(self.rows) - n_positive))
        weights = np.where(self.is_positive, 1.0, negative)
        scaled: FloatArray = weights * (len(weights) / weights.sum())
        return scaled


Learner = Callable[[Any, Known], FloatArray]


def linear_svm(X: Any, known: Known) -> FloatArray:
    """Distances from the plane of a linear SVM; few errors on positives are accepted.

    C and the ratio are those of ASReview's default model, which were found on such texts.
    """
    model = LinearSVC(C=0.11, random_state=0)
    model.fit(X[known.rows], known.is_positive, sample_weight=known.weights(9.8))
    distances: FloatArray = model.decision_function(X)
    return distances


def logistic(X: Any, known: Known) -> FloatArray:
    """Log odds of logistic regression."""
    model = LogisticRegression(C=0.1, max_iter=1000)
    model.fit(X[known.rows], known.is_positive, sample_weight=known.weights(1.0))
    odds: FloatArray = model.decision_function(X)
    return odds


def trees(X: Any, known: Known) -> FloatArray:
    """Shares of the votes of extra trees."""
    model = ExtraTreesClassifier(100, min_samples_leaf=2, random_state=0, n_jobs=1)
    model.fit(X[known.rows], known.is_positive, sample_weight=known.weights(1.0))
    share: FloatArray = model.predict_proba(X)[:, 1]
    return share


@dataclass(frozen=True, eq=False)
class Features:
    """A matrix, one row per row of the table, and the learners that suit it."""

    X: Any
    learners: tuple[Learner, ...]


def features_of(texts: sp.csr_array | None, points: FloatArray | None) -> Features:
    """Of texts, of the other columns as points, or of both: the points are then further columns.

    A row without words whose other columns are at their means, or missing, has no features.
    """
    if texts is None:
        if points is None:
            raise ValueError("texts or points must be given: there is nothing to learn from")
        return Features(points, (logistic, trees))
    if points is None:
        return Features(texts, (linear_svm,))
    # Texts have length 1, and the points together one that is mostly shorter.
    beside = sp.csr_array(BESIDE_TEXTS * points / np.sqrt(points.shape[1]))
    beside.eliminate_zeros()
    return Features(sp.csr_array(sp.hstack([texts, beside], format="csr")), (linear_svm,))


# Of columns beside texts, relative to these.
BESIDE_TEXTS = 0.2
# With fewer known negatives, unlabelled rows stand in for the missing ones.
LEAST_NEGATIVES = 10


def known_rows(is_positive: BoolArray, is_negative: BoolArray, seed: int = 0) -> Known:
    """The labelled rows; if negatives are few, also some unlabelled ones, as negatives."""
    rows = np.flatnonzero(is_positive | is_negative)
    n_missing = LEAST_NEGATIVES - int(is_negative.sum())
    if n_missing > 0:
        free = np.flatnonzero(~(is_positive | is_negative))
        draw = np.random.default_rng(seed)
        rows = np.concatenate([rows, draw.permutation(free)[:n_missing]])
    return Known(rows, is_positive[rows])


def taught_by(
    features: Features, is_positive: BoolArray, is_negative: BoolArray, seed: int = 0
) -> Known | None:
    """The known rows with features; others teach nothing. None if they are not of both kinds."""
    known = known_rows(is_positive, is_negative, seed)
    has_features = ~is_blank(features.X)[known.rows]
    known = Known(known.rows[has_features], known.is_positive[has_features])
    of_both_kinds = known.is_positive.any() and not known.is_positive.all()
    return known if of_both_kinds else None


def rank_scores(
    features: Features, is_positive: BoolArray, is_negative: BoolArray, seed: int = 0
) -> FloatArray:
    """From 0 to 1, the higher the more likely: the mean rank by all learners, of every row.

    Ties are left only where all learners tie. As long as no positive with features is known, or
    nothing else, the order is drawn.
    """
    known = taught_by(features, is_positive, is_negative, seed)
    n_rows = len(is_positive)
    if known is None:
        return np.random.default_rng(seed).permutation(n_rows) / n_rows
    with library_threads(1):
        ranks = [rankdata(learner(features.X, known)) for learner in features.learners]
    scores: FloatArray = np.mean(ranks, axis=0) / n_rows
    return scores


def is_blank(X: Any) -> BoolArray:
    """Empty rows of a sparse matrix; points of a table always lie somewhere."""
    if is_sparse(X):
        return np.asarray(np.diff(X.indptr) == 0)
    return np.zeros(X.shape[0], dtype=np.bool_)
