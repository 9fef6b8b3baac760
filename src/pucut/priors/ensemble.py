"""The default way: scores of several learners combined, and what their ranks make plausible.

Trees of three kinds, kernel regression and a linear one tell labelled from unlabelled rows, each
row by what has not seen it. To these learners known negatives are rows like the unlabelled ones, so
that they score as unlabelled negatives do; two more regressions tell labelled rows from known
negatives. The ranks of all are mixed by how well they rank labelled rows. From the ranks of the
labelled rows and the known negatives in the mixture the binormal model (`binormal`) finds the
plausible shares, of which narrow cuts (`narrow_cuts`) make some likelier; the best bin
(`best_bin`), averaged over resamples, bounds them from above. docs/design/tried.md compares this
with other ways.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.data.repeats import numbered, possible_folds
from pucut.data.row_order import IndexArray
from pucut.judging.scorers import MOST_LINEAR_COLUMNS
from pucut.judging.weights import rank_weights
from pucut.kernels.ridge import Ridge, fit_kernel_ridge, fit_linear_ridge
from pucut.priors.best_bin import FAILURE, confidence_margin, score_curve
from pucut.trees.cross_fitting import cross_fitted_forest
from pucut.trees.growing import ROWS_OF_A_TREE, TreeOptions

N_RESAMPLES = 100
# Trees of each kind.
_N_TREES = 75
# More features than this would make greedy trees slow.
_MOST_FEATURES_AT_A_NODE = 12
# What PU trees take for the prior, which is not known yet.
_GUESS = 0.5
# Known rows of each class that the regressions of known rows alone need.
_FEWEST_KNOWN = 5
# Resampled shares above a threshold are computed at no more thresholds than this.
_MAX_THRESHOLDS = 400
# The share of positives that must pass a threshold when the overlap is measured.
PASSING = 0.9


def learner_scores(
    points: Any,
    is_labelled: BoolArray,
    groups: IndexArray,
    *,
    n_folds: int,
    random: np.random.RandomState,
    is_negative: BoolArray,
    n_threads: int = 1,
) -> dict[str, FloatArray]:
    """Out-of-sample scores of all rows, by learner; nothing is given the prior."""
    n_features = points.shape[1]
    n_folds = possible_folds(n_folds, groups, is_labelled)
    share = float(is_labelled.mean())
    kinds = {
        "PU trees": TreeOptions(min_samples_leaf=5, max_rows=ROWS_OF_A_TREE),
        "greedy trees": TreeOptions(
            risk="pn",
            min_samples_leaf=5,
            max_candidates=8,
            max_features=min(math.ceil(n_features / 2), _MOST_FEATURES_AT_A_NODE),
            max_rows=ROWS_OF_A_TREE,
        ),
        "large leaves": TreeOptions(
            risk="pn", min_samples_leaf=15, max_candidates=4, max_rows=ROWS_OF_A_TREE
        ),
    }
    found = {
        name: cross_fitted_forest(
            points,
            is_labelled,
            max(_GUESS, (1.0 + share) / 2.0),
            options,
            n_folds=n_folds,
            n_trees=math.ceil(_N_TREES / n_folds),
            random_state=random,
            n_threads=n_threads,
            groups=groups,
        ).scores.leaf
        for name, options in kinds.items()
    }
    target = is_labelled[None, :]
    found["kernel"] = fit_kernel_ridge(points, target, random, groups=groups).left_out[0]
    if not is_sparse(points) and n_features <= MOST_LINEAR_COLUMNS:
        found["linear"] = fit_linear_ridge(points, target, groups=groups).left_out[0]
    if min(int(is_labelled.sum()), int(is_negative.sum())) >= _FEWEST_KNOWN:
        found.update(_scores_by_known_rows(points, is_labelled, is_negative, groups, random))
    return found


def _scores_by_known_rows(
    points: Any,
    is_labelled: BoolArray,
    is_negative: BoolArray,
    groups: IndexArray,
    random: np.random.RandomState,
) -> dict[str, FloatArray]:
    """Of regressions that see labelled rows and known negatives alone, each without the row."""
    rows = np.flatnonzero(is_labelled | is_negative)
    of_known = numbered(groups[rows])
    known, targets = points[rows], is_labelled[rows][None, :]

    def scores(ridge: Ridge) -> FloatArray:
        # Rounded as those of the rows that are left out.
        found: FloatArray = np.round(ridge.machine.scores(points), 6)
        found[rows] = ridge.left_out[0]
        return found

    found = {"kernel, known rows": scores(fit_kernel_ridge(known, targets, random, of_known))}
    if not is_sparse(points) and points.shape[1] <= MOST_LINEAR_COLUMNS:
        found["linear, known rows"] = scores(fit_linear_ridge(known, targets, of_known))
    return found


def ranks_among(known: FloatArray, unlabelled: FloatArray) -> FloatArray:
    """The share of the unlabelled rows that each known row is above, by rising score.

    Known rows that are tied with unlabelled ones are spread evenly over these.
    """
    unlabelled, known = np.sort(unlabelled), np.sort(known)
    below = np.searchsorted(unlabelled, known, side="left")
    not_above = np.searchsorted(unlabelled, known, side="right")
    first = np.searchsorted(known, known, side="left")
    n_tied = np.searchsorted(known, known, side="right") - first
    place = (np.arange(len(known)) - first + 0.5) / n_tied
    return np.asarray((below + place * (not_above - below)) / len(unlabelled))


def combined_ranks(
    members: Mapping[str, FloatArray], is_labelled: BoolArray, is_unlabelled: BoolArray
) -> FloatArray:
    """Return the mean ranks of the rows, members weighted by how high they rank the labelled ones.

    Where no member does better than chance, all rows are equal.
    """
    weights = rank_weights(
        np.array([ranks_among(each[is_labelled], each[is_unlabelled]) for each in members.values()])
    )
    if weights is None:
        return np.zeros(len(is_labelled))
    ranks = [rankdata(scores) for scores in members.values()]
    combined: FloatArray = np.average(ranks, axis=0, weights=weights)
    return combined


def resampled_best_bins(
    labelled: FloatArray,
    unlabelled: FloatArray,
    *,
    random: np.random.RandomState,
    n_resamples: int = N_RESAMPLES,
    failure: float = FAILURE,
) -> FloatArray:
    """The share that `best_bin` finds, in resamples with replacement of both samples."""
    thresholds = np.unique(labelled)
    if len(thresholds) > _MAX_THRESHOLDS:
        # Neighbouring thresholds hardly differ, so only counts between a few of them are drawn.
        thresholds = thresholds[np.linspace(0, len(thresholds) - 1, _MAX_THRESHOLDS).astype(int)]
    labelled_above = _resampled_above(labelled, thresholds, n_resamples, random)
    unlabelled_above = _resampled_above(unlabelled, thresholds, n_resamples, random)
    margin = confidence_margin(len(labelled), len(unlabelled), failure)
    reached = labelled_above > 0.0
    safe = np.where(reached, labelled_above, 1.0)
    bounds = np.where(reached, (unlabelled_above + margin) / safe, np.inf)
    best = np.argmin(bounds, axis=1)[:, np.newaxis]
    ratios = np.take_along_axis(unlabelled_above, best, 1) / np.take_along_axis(safe, best, 1)
    shares: FloatArray = np.minimum(ratios[:, 0], 1.0)
    return shares


def negatives_passing(labelled: FloatArray, unlabelled: FloatArray, share: float) -> float:
    """Share of the negatives above the threshold that 90 % of the positives pass."""
    if share >= 1.0:
        return 1.0
    curve = score_curve(labelled, unlabelled)
    above = curve.unlabelled_at(PASSING)
    return float(np.clip((above - share * PASSING) / (1.0 - share), 0.0, 1.0))


def _resampled_above(
    scores: FloatArray, thresholds: FloatArray, n_resamples: int, random: np.random.RandomState
) -> FloatArray:
    """Share of the scores at or above each threshold, highest threshold first, by resample."""
    counts = np.bincount(
        np.searchsorted(thresholds, scores, side="right"), minlength=len(thresholds) + 1
    )
    drawn = random.multinomial(len(scores), counts[::-1] / len(scores), size=n_resamples)
    above: FloatArray = np.cumsum(drawn, axis=1)[:, :-1] / len(scores)
    return above
