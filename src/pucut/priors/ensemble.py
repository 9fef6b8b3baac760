"""The default way: best bins of two scores, each averaged over resamples.

Three classifiers of different kinds (boosting, a linear one, randomised trees) tell labelled from
unlabelled rows, each row out of fold or out of bag. The best bin is looked for in resamples of two
scores: that of boosting, and the weighted mean of the ranks of all three. The best bin jumps with
small changes in the data; its mean over resamples does not, and their spread is the interval.
docs/design/tried.md compares this with other ways.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.data.encoding import MAX_DENSE_CELLS, finite_columns
from pucut.priors.best_bin import FAILURE, confidence_margin, score_curve
from pucut.scores.cross_fitting import cross_fit

N_RESAMPLES = 100
# If a table has more columns than this, boosting and the linear model see principal components
# instead: both take time for every column, boosting more of it.
_WIDE_FOR_BOOSTING = 128
_WIDE_FOR_LINEAR = 1000
_N_COMPONENTS = 50
# Trees of boosting and of the forest; half as many if there is little to learn from.
_N_MEMBERS = 100
_FEW_ROWS = 400
# Resampled shares above a threshold are computed at no more thresholds than this.
_MAX_THRESHOLDS = 400
# The share of positives that must pass a threshold when the overlap is measured.
PASSING = 0.9


@dataclass(frozen=True, eq=False)
class ResampledShare:
    """Share of positives among the unlabelled, in each resample of the scores.

    Attributes
    ----------
    mean : float
    shares : float array of shape (n_resamples,)
    ranking : float
        How well the scores rank labelled above unlabelled rows: area under the curve.
    negatives_passing : float
        Share of the negatives that pass a threshold which 90 % of the positives pass, if the mean
        is right. If it is large, the classes overlap.
    """

    mean: float
    shares: FloatArray
    ranking: float
    negatives_passing: float


def ensemble_scores(
    X: Any, is_labelled: BoolArray, *, n_folds: int, random: np.random.RandomState
) -> dict[str, FloatArray]:
    """Out-of-sample scores of boosting and of three classifiers combined."""
    table, components = _tables(X, random)
    n_columns = table.shape[1]
    for_boosting = table if n_columns <= _WIDE_FOR_BOOSTING else components
    for_linear = table if n_columns <= _WIDE_FOR_LINEAR else components
    n_members = _N_MEMBERS if len(is_labelled) >= _FEW_ROWS else _N_MEMBERS // 2
    boosting = HistGradientBoostingClassifier(
        max_iter=n_members,
        max_leaf_nodes=8,
        early_stopping=False,
        min_samples_leaf=int(np.clip(len(is_labelled) // 20, 2, 20)),
    )
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=50, tol=1e-2))
    with warnings.catch_warnings():
        # Stopping early is intended: it regularises, and a ranking needs no exact coefficients.
        warnings.simplefilter("ignore", ConvergenceWarning)
        members = [
            cross_fit(
                boosting, for_boosting, is_labelled, n_folds=n_folds, random_state=random
            ).scores,
            cross_fit(linear, for_linear, is_labelled, n_folds=n_folds, random_state=random).scores,
            _out_of_bag_scores(table, is_labelled, n_members, random),
        ]
    return {"boosting": members[0], "combined": combined_ranks(members, is_labelled)}


def combined_ranks(members: list[FloatArray], is_labelled: BoolArray) -> FloatArray:
    """Mean ranks, each member weighted by how much better than chance it ranks."""
    ranks = [rankdata(scores) for scores in members]
    weights = [max(ranking(scores, is_labelled) - 0.5, 1e-6) for scores in members]
    combined: FloatArray = np.average(ranks, axis=0, weights=weights)
    return combined


def ranking(scores: FloatArray, is_labelled: BoolArray) -> float:
    """Area under the curve of labelled against unlabelled rows, ties counted half."""
    n_labelled = int(is_labelled.sum())
    rank_sum = float(rankdata(scores)[is_labelled].sum()) - n_labelled * (n_labelled + 1) / 2
    return rank_sum / (n_labelled * (len(scores) - n_labelled))


def resampled_share(
    scores: FloatArray, is_labelled: BoolArray, random: np.random.RandomState
) -> ResampledShare:
    labelled, unlabelled = scores[is_labelled], scores[~is_labelled]
    shares = resampled_best_bins(labelled, unlabelled, random=random)
    mean = float(shares.mean())
    return ResampledShare(
        mean,
        shares,
        ranking(scores, is_labelled),
        negatives_passing(labelled, unlabelled, mean),
    )


def combined_share(parts: Mapping[str, ResampledShare]) -> float:
    """Mean of the parts, each weighted by how much better than chance its scores rank."""
    weights = [max(part.ranking - 0.5, 1e-6) for part in parts.values()]
    return float(np.average([part.mean for part in parts.values()], weights=weights))


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


def _tables(
    X: Any, random: np.random.RandomState
) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
    """The table as numbers and, if it is wide, its principal components."""
    seed = random.randint(np.iinfo(np.int32).max)
    if is_sparse(X) and X.shape[0] * X.shape[1] > MAX_DENSE_CELLS:
        return TruncatedSVD(_N_COMPONENTS, random_state=seed).fit_transform(X), None
    table = finite_columns(X)
    if table.shape[1] <= _WIDE_FOR_BOOSTING:
        return table, None
    n_components = min(_N_COMPONENTS, len(table))
    components = PCA(n_components, svd_solver="randomized", random_state=seed)
    return table, components.fit_transform(StandardScaler().fit_transform(table))


def _out_of_bag_scores(
    table: Any, is_labelled: BoolArray, n_trees: int, random: np.random.RandomState
) -> FloatArray:
    forest = ExtraTreesClassifier(
        n_trees, min_samples_leaf=5, bootstrap=True, oob_score=True, random_state=random
    )
    forest.fit(table, is_labelled.astype(np.intp))
    scores: FloatArray = forest.oob_decision_function_[:, 1]
    return scores
