"""Unlabelled rows in the order of how likely they are positive, from few answers of both kinds.

A learner is trained on the rows that are known, with weights that keep the two kinds in proportion
however many of each there are: a linear SVM on texts, extra trees on the columns of a table. Where
hardly any negatives are known, some unlabelled rows stand in for them: most of those are negative.

Nothing is learned about rows that have no features (texts without words): they are not ranked among
the others but asked about when they promise more than the best of the rest (`next_rows`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import expit
from scipy.stats import rankdata
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut._support.threads import library_threads

IndexArray = npt.NDArray[np.intp]

N_TREES = 100


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


def trees(X: Any, known: Known) -> FloatArray:
    """Shares of the votes of extra trees; where they are equal, logistic regression decides."""
    data = (X[known.rows], known.is_positive, known.weights(1.0))
    votes = _trees().fit(*data).predict_proba(X)[:, 1]
    odds = _regression().fit(*data).decision_function(X)
    share: FloatArray = votes + expit(odds) / (2 * N_TREES)  # less than half a vote
    return share


def _regression() -> Any:
    return LogisticRegression(C=0.1, max_iter=1000)


def _regression_on_texts() -> Any:
    # Rows have length 1, hence the large C. The dual has one unknown for each known row, and not
    # one for each of a million words.
    return LogisticRegression(C=10.0, solver="liblinear", dual=True, max_iter=1000, random_state=0)


def _trees() -> Any:
    return ExtraTreesClassifier(N_TREES, random_state=0, n_jobs=1)


@dataclass(frozen=True, eq=False)
class Features:
    """A matrix, one row per row of the table, and what suits it.

    Attributes
    ----------
    X : sparse matrix or array
    learner : Learner
        It ranks.
    models : tuple of functions
        Each makes a classifier of scikit-learn, for `doubts`.
    enough_negatives : int
        With fewer known, unlabelled rows stand in for negatives.
    """

    X: Any
    learner: Learner
    models: tuple[Callable[[], Any], ...] = ()
    enough_negatives: int = 1


def features_of(texts: sp.csr_array | None, points: FloatArray | None) -> Features:
    """Of texts, of the other columns as points, or of both: the points are then further columns.

    A row without words whose other columns are at their means, or missing, has no features.
    """
    if texts is None:
        if points is None:
            raise ValueError("texts or points must be given: there is nothing to learn from")
        return Features(points, trees, (_regression, _trees))
    if points is None:
        return _of_words(texts)
    # Texts have length 1, and the points together one that is mostly shorter.
    beside = sp.csr_array(BESIDE_TEXTS * points / np.sqrt(points.shape[1]))
    beside.eliminate_zeros()
    return _of_words(sp.csr_array(sp.hstack([texts, beside], format="csr")))


def _of_words(X: sp.csr_array) -> Features:
    return Features(X, linear_svm, (_regression_on_texts,), N_STAND_INS)


# Of columns beside texts, relative to these.
BESIDE_TEXTS = 0.2
# So many negatives there are, with unlabelled rows that stand in for the missing ones.
N_STAND_INS = 10


def known_rows(
    is_positive: BoolArray, is_negative: BoolArray, seed: int = 0, *, enough: int = N_STAND_INS
) -> Known:
    """The labelled rows; without `enough` negatives also unlabelled ones, as negatives."""
    rows = np.flatnonzero(is_positive | is_negative)
    n_negative = int(is_negative.sum())
    if n_negative < enough:
        n_missing = N_STAND_INS - n_negative
        free = np.flatnonzero(~(is_positive | is_negative))
        draw = np.random.default_rng(seed)
        rows = np.concatenate([rows, draw.permutation(free)[:n_missing]])
    return Known(rows, is_positive[rows])


def taught_by(
    features: Features, is_positive: BoolArray, is_negative: BoolArray, seed: int, enough: int
) -> Known | None:
    """The known rows with features; others teach nothing. None if they are not of both kinds."""
    known = known_rows(is_positive, is_negative, seed, enough=enough)
    has_features = ~is_blank(features.X)[known.rows]
    known = Known(known.rows[has_features], known.is_positive[has_features])
    of_both_kinds = known.is_positive.any() and not known.is_positive.all()
    return known if of_both_kinds else None


def rank_scores(
    features: Features, is_positive: BoolArray, is_negative: BoolArray, seed: int = 0
) -> FloatArray:
    """From 0 to 1, the higher the more likely: the rank by the learner, of every row.

    As long as no positive with features is known, or nothing else, the order is drawn.
    """
    known = taught_by(features, is_positive, is_negative, seed, features.enough_negatives)
    n_rows = len(is_positive)
    if known is None:
        return np.random.default_rng(seed).permutation(n_rows) / n_rows
    with library_threads(1):
        scores: FloatArray = rankdata(features.learner(features.X, known)) / n_rows
    return scores


def doubts(
    features: Features, is_positive: BoolArray, is_negative: BoolArray, seed: int = 0
) -> FloatArray:
    """From 0 to 1, which is a probability of one half: what an answer would tell the models.

    All known rows weigh the same, so that one half is where the models change their mind.
    Unlabelled rows stand in for negatives only as long as none is known.
    """
    known = taught_by(features, is_positive, is_negative, seed, enough=1)
    if known is None:
        return np.zeros(len(is_positive))
    shares = [
        make().fit(features.X[known.rows], known.is_positive).predict_proba(features.X)[:, 1]
        for make in features.models
    ]
    found: FloatArray = 1.0 - np.abs(2.0 * np.mean(shares, axis=0) - 1.0)
    found[is_blank(features.X)] = 0.0  # their answers would teach nothing
    return found


def is_blank(X: Any) -> BoolArray:
    """Empty rows of a sparse matrix; points of a table always lie somewhere."""
    if is_sparse(X):
        return np.asarray(np.diff(X.indptr) == 0)
    return np.zeros(X.shape[0], dtype=np.bool_)
