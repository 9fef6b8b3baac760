"""The methods by name: each maps a `PriorSample` to a `ShareEstimate`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing

from pucut._support.checks import FloatArray
from pucut.data.encoding import finite_columns
from pucut.priors import ensemble
from pucut.priors.best_bin import best_bin
from pucut.priors.binormal import Ranks, plausible_share
from pucut.priors.clusters import cluster_scores
from pucut.priors.dedpul import dedpul
from pucut.priors.elkan_noto import elkan_noto
from pucut.priors.km2 import km2
from pucut.priors.narrow_cuts import log_likelihood_of_cuts
from pucut.priors.sample import CONFIDENCE, PriorSample, ShareEstimate
from pucut.priors.tice import tice

# Rows of each kind for "km2". Time grows with the square of this, some thousands of times over.
MAX_ROWS_KERNEL = 400
_N_REPEATS = 20
# With this many labels, and classes that do not overlap, the best bin weighs half in "auto".
_LABELS_FOR_BINS = 60
_N_HALVES = 4


def _auto(sample: PriorSample) -> ShareEstimate:
    """Combine learners into one ranking, and find the shares that its ranks make plausible."""
    reads_points = sample.classifier is None and sample.scores is None and sample.can_hold_out()
    members = _members(sample) if reads_points else {"given": sample.out_of_fold_scores()}
    is_labelled, is_unlabelled = sample.is_labelled, ~(sample.is_labelled | sample.is_negative)
    scores = ensemble.combined_ranks(members, is_labelled, is_unlabelled)
    labelled, unlabelled = scores[is_labelled], scores[is_unlabelled]
    n_independent = sample.n_independent(is_labelled)
    n_negative = sample.n_independent(sample.is_negative)
    ranks = Ranks(ensemble.ranks_among(labelled, unlabelled), n_independent)
    negatives = Ranks(ensemble.ranks_among(scores[sample.is_negative], unlabelled), n_negative)
    best_bins = ensemble.resampled_best_bins(labelled, unlabelled, random=sample.random)
    bound = float(best_bins.mean())
    plausible = plausible_share(
        ranks,
        len(unlabelled),
        negatives if n_negative else None,
        _log_likelihood_of_cuts(sample) if reads_points else None,
    )
    passing = ensemble.negatives_passing(labelled, unlabelled, plausible.mean)
    # With many labels, and classes apart, the best bin is close to the share itself. The more
    # negatives are known, the less a bound adds.
    trust = n_independent / (n_independent + _LABELS_FOR_BINS) * max(0.0, 1.0 - 2.0 * passing)
    trust *= n_independent / (n_independent + n_negative)
    value = plausible.mean + trust * (bound - plausible.mean)
    rankings = {  # areas under the curve
        f"ranking_{name}": float(
            ensemble.ranks_among(member[is_labelled], member[is_unlabelled]).mean()
        )
        for name, member in members.items()
    }
    diagnostics = {
        **rankings,
        "ranking_combined": float(ranks.values.mean()),
        "share_plausible": plausible.mean,
        "share_best_bin": bound,
        "negatives_passing": ensemble.negatives_passing(labelled, unlabelled, value),
        "negatives_used": float(n_negative),
    }
    low, high = min(plausible.low, value), max(plausible.high, value)
    return ShareEstimate(value, low, high, diagnostics, bound)


def _members(sample: PriorSample) -> dict[str, FloatArray]:
    return ensemble.learner_scores(
        sample.points,
        sample.is_labelled,
        sample.groups,
        n_folds=sample.n_folds,
        random=sample.random,
        is_negative=sample.is_negative,
        n_threads=sample.n_threads,
    )


def _log_likelihood_of_cuts(sample: PriorSample) -> FloatArray:
    """Compare cuts among one row of each group of copies, without known negatives."""
    first = np.unique(sample.groups, return_index=True)[1]
    rows = np.sort(first[~sample.is_negative[first]])
    return log_likelihood_of_cuts(
        sample.points[rows],
        sample.is_labelled[rows],
        random=sample.random,
        n_threads=sample.n_threads,
    )


def _bbe(sample: PriorSample) -> ShareEstimate:
    labelled, unlabelled = sample.split_scores()
    best = best_bin(labelled, unlabelled)
    diagnostics = {
        "threshold": best.threshold,
        "labelled_above": best.labelled_above,
        "unlabelled_above": best.unlabelled_above,
        "share_upper_bound": best.upper_bound,
        "negatives_passing": ensemble.negatives_passing(labelled, unlabelled, best.share),
    }
    resampled = ensemble.resampled_best_bins(labelled, unlabelled, random=sample.random)
    return ShareEstimate.with_resamples(best.share, resampled, diagnostics)


def _dedpul(sample: PriorSample) -> ShareEstimate:
    labelled, unlabelled = sample.split_scores()
    share = dedpul(labelled, unlabelled)
    resampled = _repeated(lambda: dedpul(*_resampled(sample, labelled, unlabelled)))
    passing = ensemble.negatives_passing(labelled, unlabelled, share)
    return ShareEstimate.with_resamples(share, resampled, {"negatives_passing": passing})


def _elkan_noto(sample: PriorSample) -> ShareEstimate:
    labelled, unlabelled = sample.split_scores()
    both = np.concatenate([labelled, unlabelled])
    if both.min() < 0.0 or both.max() > 1.0:
        raise ValueError(
            "method 'elkan_noto' needs probabilities from 0 to 1, found scores from "
            f"{both.min():.3g} to {both.max():.3g}; use a classifier with predict_proba, or "
            "another method"
        )
    n_unlabelled = len(unlabelled)
    resampled = _repeated(lambda: elkan_noto(_resampled(sample, labelled)[0], n_unlabelled))
    share = elkan_noto(labelled, n_unlabelled)
    diagnostics = {"label_frequency": float(labelled.mean())}
    return ShareEstimate.with_resamples(share, resampled, diagnostics)


def _tice(sample: PriorSample) -> ShareEstimate:
    frequency = tice(
        finite_columns(sample.X),
        sample.is_labelled,
        n_folds=sample.n_folds,
        random_state=sample.random,
    )
    n_labelled = int(sample.is_labelled.sum())
    n_unlabelled = len(sample.is_labelled) - n_labelled
    share, *of_folds = (
        (n_labelled / max(each, 1e-12) - n_labelled) / n_unlabelled
        for each in (frequency.value, *frequency.of_folds)
    )
    diagnostics = {"label_frequency": frequency.value}
    return ShareEstimate(share, min(of_folds), max(of_folds), diagnostics)


def _km2(sample: PriorSample) -> ShareEstimate:
    random = sample.random
    labelled_rows, unlabelled_rows = (
        _at_most(np.flatnonzero(of_kind), MAX_ROWS_KERNEL, random)
        for of_kind in (sample.is_labelled, ~sample.is_labelled)
    )
    rows = np.concatenate([labelled_rows, unlabelled_rows])
    table = StandardScaler().fit_transform(finite_columns(_safe_indexing(sample.X, rows)))
    both = np.split(table, [len(labelled_rows)])
    share = km2(*both)
    halves = [
        km2(*(_at_most(each, (len(each) + 1) // 2, random) for each in both))
        for _ in range(_N_HALVES)
    ]
    # The variance of halves is twice that of the whole.
    spread = float(np.std(halves, ddof=1) / np.sqrt(2.0) * norm.ppf((1.0 + CONFIDENCE) / 2.0))
    diagnostics = {"labelled_used": float(len(labelled_rows)), "rows_used": float(len(rows))}
    return ShareEstimate(share, share - spread, share + spread, diagnostics)


def _clusters(sample: PriorSample) -> ShareEstimate:
    if not sample.can_hold_out():
        return ShareEstimate(1.0, 1.0, 1.0, {"negatives_passing": 1.0})
    # A copy may be in the bag of a tree where the row itself is not: one of each is enough.
    rows = np.unique(sample.groups, return_index=True)[1]
    is_labelled = sample.is_labelled[rows]
    scores = cluster_scores(_safe_indexing(sample.X, rows), is_labelled, random=sample.random)
    pairs = [scores.split(number) for number in range(len(scores.sizes))]
    shares = [dedpul(*pair) for pair in pairs]
    resampled = _repeated(lambda: sum(dedpul(*_resampled(sample, *pair)) for pair in pairs))
    share = min(sum(shares), 1.0)
    of_any = scores.of_any
    passing = ensemble.negatives_passing(of_any[is_labelled], of_any[~is_labelled], share)
    diagnostics = {"negatives_passing": passing}
    for number, (size, of_cluster) in enumerate(zip(scores.sizes, shares, strict=True), start=1):
        diagnostics[f"labelled_of_cluster_{number}"] = float(size)
        diagnostics[f"share_of_cluster_{number}"] = float(of_cluster)
    return ShareEstimate.with_resamples(share, resampled, diagnostics)


@dataclass(frozen=True)
class PriorMethod:
    """A method, and whether it uses scores, or features alone, and known negatives."""

    estimate: Callable[[PriorSample], ShareEstimate]
    uses_scores: bool = True
    uses_negatives: bool = False


BY_NAME: Mapping[str, PriorMethod] = {
    "auto": PriorMethod(_auto, uses_negatives=True),
    "bbe": PriorMethod(_bbe),
    "clusters": PriorMethod(_clusters, uses_scores=False),
    "dedpul": PriorMethod(_dedpul),
    "elkan_noto": PriorMethod(_elkan_noto),
    "km2": PriorMethod(_km2, uses_scores=False),
    "tice": PriorMethod(_tice, uses_scores=False),
}
METHODS = tuple(BY_NAME)


def _repeated(estimate: Callable[[], float]) -> FloatArray:
    return np.array([estimate() for _ in range(_N_REPEATS)])


def _resampled(sample: PriorSample, *scores: FloatArray) -> list[FloatArray]:
    """Draw from each with replacement."""
    return [each[sample.random.randint(len(each), size=len(each))] for each in scores]


def _at_most(
    table: npt.NDArray[Any], n_rows: int, random: np.random.RandomState
) -> npt.NDArray[Any]:
    if len(table) <= n_rows:
        return table
    return table[random.choice(len(table), n_rows, replace=False)]
