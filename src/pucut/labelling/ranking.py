"""Ranking of unlabelled rows by how likely they are positive, and choice of the rows to show.

A learner is trained on the labelled rows, with weights that fix the proportion of the classes
however many rows each has: a linear SVM for texts, extra trees for the columns of a table. If
hardly any negatives are known, some unlabelled rows stand in for them: most of those are negative.

Rows that have no features (texts without words) are not ranked among the others: they are shown
when they promise more than the best of the rest. By the goal of the labelling, these come first:

find     the most likely positives, unlike each other
count    random rows: their share of positives is that of the unlabelled rows
improve  rows that a classifier is least sure of, unlike each other
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, logit
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_sparse
from pucut._support.threads import library_threads

N_TREES = 100
# Weight of columns beside texts, relative to these.
BESIDE_TEXTS = 0.2
# Number of negatives, counting unlabelled rows that stand in for missing ones.
N_STAND_INS = 10
# Known rows of each class that probabilities need; also the number of folds.
LEAST_OF_EACH_KIND = 3
_TREES = ExtraTreesClassifier(N_TREES, random_state=0, n_jobs=1)
_REGRESSION = LogisticRegression(C=0.1, max_iter=1000)
# Rows have length 1, hence the large C. The dual has one unknown for each labelled row, and not one
# for each of a million words.
_REGRESSION_ON_TEXTS = LogisticRegression(
    C=10.0, solver="liblinear", dual=True, max_iter=1000, random_state=0
)
# The best rows promise the share of positives among so many of the last answers.
_RECENT = 200
_LEAST_RECENT = 10
# The rate of all rows weighs as much as so many answers about rows without features.
_PRIOR_ROWS = 3


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


def linear_svm(X: Any, training: TrainingRows) -> FloatArray:
    """Return distances from the plane of a linear SVM with C and ratio of ASReview's model."""
    model = LinearSVC(C=0.11, random_state=0)
    model.fit(X[training.rows], training.is_positive, sample_weight=training.weights(9.8))
    return np.asarray(model.decision_function(X))


def trees(X: Any, training: TrainingRows) -> FloatArray:
    """Return shares of the votes of extra trees; logistic regression breaks ties."""
    data = (X[training.rows], training.is_positive, training.weights(1.0))
    votes = clone(_TREES).fit(*data).predict_proba(X)[:, 1]
    odds = clone(_REGRESSION).fit(*data).decision_function(X)
    return np.asarray(votes + expit(odds) / (2 * N_TREES))  # less than half a vote


@dataclass(frozen=True, eq=False)
class Features:
    """A matrix, one row per row of the table, and the models that suit it."""

    X: Any  # sparse or dense
    learner: Callable[[Any, TrainingRows], FloatArray]  # for `rank_scores`
    models: tuple[Any, ...] = ()  # unfitted scikit-learn classifiers for `uncertainties`
    enough_negatives: int = 1  # with fewer known ones, unlabelled rows stand in for negatives


def features_of(texts: sp.csr_array | None, points: FloatArray | None) -> Features:
    """Make features of texts, of the other columns as points, or of both side by side.

    A row without words whose other columns are at their means, or missing, has no features.
    """
    if texts is None:
        if points is None:
            raise ValueError("texts or points must be given: there is nothing to learn from")
        return Features(points, trees, (_REGRESSION, _TREES))
    if points is not None:
        # Texts have length 1, and the points together one that is mostly shorter.
        beside = sp.csr_array(BESIDE_TEXTS * points / np.sqrt(points.shape[1]))
        beside.eliminate_zeros()
        texts = sp.csr_array(sp.hstack([texts, beside], format="csr"))
    return Features(texts, linear_svm, (_REGRESSION_ON_TEXTS,), N_STAND_INS)


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
    has_both_classes = is_positive[rows].any() and not is_positive[rows].all()
    return TrainingRows(rows, is_positive[rows]) if has_both_classes else None


def rank_scores(
    features: Features, is_positive: BoolArray, is_negative: BoolArray, seed: int = 0
) -> FloatArray:
    """Return each row's rank by the learner, from 0 to 1; a random one if it cannot learn."""
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
    shares = [clone(model).fit(*data).predict_proba(X)[:, 1] for model in features.models]
    uncertain: FloatArray = 1.0 - np.abs(2.0 * np.mean(shares, axis=0) - 1.0)
    uncertain[is_blank(X)] = 0.0  # nothing would be learned from their labels
    return uncertain


def is_blank(X: Any) -> BoolArray:
    """Find the empty rows of a sparse matrix; dense rows always have features."""
    if is_sparse(X):
        return np.asarray(np.diff(X.indptr) == 0)
    return np.zeros(X.shape[0], dtype=np.bool_)


@dataclass(frozen=True)
class PlattScaling:
    """Probabilities expit(intercept + slope logit(score)) of rows with these scores."""

    intercept: float
    slope: float

    def probabilities(self, scores: FloatArray) -> FloatArray:
        found: FloatArray = expit(self.intercept + self.slope * _log_odds(scores))
        return found


def calibrated(
    features: Features, is_positive: BoolArray, is_negative: BoolArray, seed: int = 0
) -> PlattScaling | None:
    """Scale scores of labelled rows that were held out when the scores were learned (Platt).

    Rows are chosen for labelling by their scores alone, so the share of positives at a score is the
    same among labelled rows and others. None unless enough of both classes are known.
    """
    rows = np.flatnonzero(is_positive | is_negative)
    truth = is_positive[rows]
    if min(int(truth.sum()), int((~truth).sum())) < LEAST_OF_EACH_KIND:
        return None
    scores = np.empty(len(rows))
    folds = StratifiedKFold(LEAST_OF_EACH_KIND, shuffle=True, random_state=seed)
    for _, held_out in folds.split(rows, truth):
        is_kept = np.ones(len(is_positive), dtype=np.bool_)
        is_kept[rows[held_out]] = False
        found = rank_scores(features, is_positive & is_kept, is_negative & is_kept, seed)
        scores[held_out] = found[rows[held_out]]
    model = LogisticRegression(C=10.0).fit(_log_odds(scores)[:, None], truth)
    slope = float(model.coef_[0, 0])
    if slope <= 0.0:  # useless scores: every row has the same probability
        return PlattScaling(float(logit(truth.mean())), 0.0)
    return PlattScaling(float(model.intercept_[0]), slope)


def _log_odds(scores: FloatArray) -> FloatArray:
    odds: FloatArray = logit(np.clip(scores, 1e-4, 1.0 - 1e-4))
    return odds


def blank_rows_come_first(
    answers: Sequence[tuple[int, bool]], is_blank: BoolArray, n_positive: int
) -> bool:
    """Return whether rows without features now promise more than the best of the others.

    They promise the rate of positives among those of them that were answered, the best of the
    ranked rows that among the last of these, or since the last positive if that is longer ago.
    `answers` are pairs (row, is positive) in order; `n_positive` counts all known positives.
    """
    ranked = [positive for row, positive in answers if not is_blank[row]]
    blank = [positive for row, positive in answers if is_blank[row]]
    if len(ranked) < _LEAST_RECENT:
        return False
    n_since = next((n for n, positive in enumerate(reversed(ranked)) if positive), len(ranked))
    recent = ranked[-max(_RECENT, n_since) :]
    of_the_best = (sum(recent) + 0.5) / (len(recent) + 1)
    expected = _PRIOR_ROWS * n_positive / len(is_blank)
    return (sum(blank) + expected) / (len(blank) + _PRIOR_ROWS) > of_the_best


def most_likely(
    scores: FloatArray, is_free: BoolArray, is_blank: BoolArray, n_rows: int, *, blank_first: bool
) -> IndexArray:
    """Return the free rows with the highest scores; blank ones before or after all others."""
    group = is_blank if blank_first else ~is_blank
    first = highest(scores, is_free & group, n_rows)
    return np.concatenate([first, highest(scores, is_free & ~group, n_rows - len(first))])


def at_random(is_free: BoolArray, n_rows: int, seed: int) -> IndexArray:
    """Draw free rows uniformly."""
    return np.random.default_rng(seed).permutation(np.flatnonzero(is_free))[:n_rows]


def apart_from(
    rows: Iterable[int], scores: FloatArray, similar_to: Callable[[int], FloatArray]
) -> FloatArray:
    """Lower the scores of rows that are similar to these, to 0 for their copies."""
    for row in rows:
        scores = scores * (1.0 - similar_to(row))
    return scores


def highest(scores: FloatArray, is_free: BoolArray, n_rows: int) -> IndexArray:
    """Return the free rows with the highest scores; the first of equal ones comes first."""
    rows = np.flatnonzero(is_free)
    return rows[np.argsort(-scores[rows], kind="stable")[:n_rows]]
