"""The methods by name: each from a sample of rows to the share of positives and its range."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.data.encoding import finite_columns, is_plain, learn_encoding
from pucut.data.repeats import groups_for_folds, labelled_groups, possible_folds
from pucut.data.row_order import IndexArray
from pucut.judging.cross_fitting import checked_classifier, cross_fit
from pucut.priors import ensemble
from pucut.priors.best_bin import best_bin
from pucut.priors.binormal import Ranks, plausible_share
from pucut.priors.clusters import cluster_scores
from pucut.priors.dedpul import dedpul
from pucut.priors.elkan_noto import elkan_noto
from pucut.priors.km2 import km2
from pucut.priors.narrow_cuts import log_likelihood_of_cuts
from pucut.priors.tice import tice

# Of each kind. Time grows with the square of this, some thousands of times over.
MAX_ROWS_KERNEL = 400
# Ranges should hold the true share nine times out of ten. Resampling scores ignores that other rows
# would have given other classifiers; on synthetic tables, the distances from the estimate had to be
# larger by this factor.
CONFIDENCE = 0.9
_WIDENING = 1.25
_N_REPEATS = 20
# With this many labels, and classes that do not overlap, the best bin counts half in "auto".
_LABELS_FOR_BINS = 60
_N_HALVES = 4


@dataclass(frozen=True)
class Share:
    """A method's result for the unlabelled rows: share of positives, its range, its numbers.

    `bound` is what the share can hardly exceed; None where that is the value itself.
    """

    value: float
    low: float
    high: float
    diagnostics: Mapping[str, float]
    bound: float | None = None


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows a method works on; known negatives only for a method that learns from them."""

    X: Any
    is_labelled: BoolArray
    is_negative: BoolArray
    scores: FloatArray | None
    classifier: Any
    n_folds: int
    random: np.random.RandomState
    n_threads: int = 1

    @cached_property
    def groups(self) -> IndexArray:
        """Copies of a row are a group (`data.repeats`), which folds keep together."""
        return groups_for_folds(self.X, self.is_labelled)

    @cached_property
    def points(self) -> Any:
        """The rows, encoded and standardised."""
        return learn_encoding(self.X)[1]

    @property
    def n_independent(self) -> int:
        """Labelled rows, copies counted once."""
        return self._n_different(self.is_labelled)

    @property
    def n_independent_negatives(self) -> int:
        """Known negatives, copies counted once."""
        return self._n_different(self.is_negative)

    def _n_different(self, rows: BoolArray) -> int:
        if self.scores is not None:
            return int(rows.sum())
        return int(labelled_groups(self.groups, rows).sum())

    def can_hold_out(self) -> bool:
        """Whether there is a row of each kind to hold out and another to learn from.

        If not, scores say nothing: all are taken to be equal, which leaves every prior possible.
        """
        return possible_folds(2, self.groups, self.is_labelled) >= 2

    def out_of_fold_scores(self) -> FloatArray:
        if self.scores is not None:
            return self.scores
        if not self.can_hold_out():
            return np.zeros(len(self.is_labelled))
        is_ready = self.classifier is not None or is_sparse(self.X) or is_plain(self.X)
        X = self.X if is_ready else finite_columns(self.X)
        return cross_fit(
            checked_classifier(self.classifier, X, "classifier"),
            X,
            self.is_labelled,
            n_folds=self.n_folds,
            random_state=self.random,
            groups=self.groups,
            n_threads=self.n_threads,
        ).scores

    def split_scores(self) -> tuple[FloatArray, FloatArray]:
        scores = self.out_of_fold_scores()
        return scores[self.is_labelled], scores[~self.is_labelled]


def _auto(sample: Sample) -> Share:
    reads_points = sample.classifier is None and sample.scores is None and sample.can_hold_out()
    if reads_points:
        members = ensemble.learner_scores(
            sample.points,
            sample.is_labelled,
            sample.groups,
            n_folds=sample.n_folds,
            random=sample.random,
            is_negative=sample.is_negative,
            n_threads=sample.n_threads,
        )
    else:
        members = {"given": sample.out_of_fold_scores()}
    is_labelled, is_unlabelled = sample.is_labelled, ~(sample.is_labelled | sample.is_negative)
    scores = ensemble.combined_ranks(members, is_labelled, is_unlabelled)
    labelled, unlabelled = scores[is_labelled], scores[is_unlabelled]
    n_independent, n_negative = sample.n_independent, sample.n_independent_negatives
    ranks = Ranks(ensemble.ranks_among(labelled, unlabelled), n_independent)
    negatives = ensemble.ranks_among(scores[sample.is_negative], unlabelled)
    bins = ensemble.resampled_best_bins(labelled, unlabelled, random=sample.random)
    found = plausible_share(
        ranks,
        len(unlabelled),
        Ranks(negatives, n_negative) if n_negative else None,
        _of_cuts(sample) if reads_points else None,
    )
    passing = ensemble.negatives_passing(labelled, unlabelled, found.mean)
    # With many labels, and classes apart, the best bin is close to the share itself. The more
    # negatives are known, the less a bound adds.
    trust = n_independent / (n_independent + _LABELS_FOR_BINS) * max(0.0, 1.0 - 2.0 * passing)
    trust *= n_independent / (n_independent + n_negative)
    value = found.mean + trust * (float(bins.mean()) - found.mean)
    return Share(
        value,
        min(found.low, value),
        max(found.high, value),
        {
            **{
                f"ranking_{name}": _ranking(each[is_labelled], each[is_unlabelled])
                for name, each in members.items()
            },
            "ranking_combined": float(ranks.values.mean()),
            "share_plausible": found.mean,
            "share_best_bin": float(bins.mean()),
            "negatives_passing": ensemble.negatives_passing(labelled, unlabelled, value),
            "negatives_used": float(n_negative),
        },
        bound=float(bins.mean()),
    )


def _of_cuts(sample: Sample) -> FloatArray:
    """What cuts say of each share, from one of each group of copies, known negatives left out."""
    first = np.unique(sample.groups, return_index=True)[1]
    rows = np.sort(first[~sample.is_negative[first]])
    return log_likelihood_of_cuts(
        sample.points[rows],
        sample.is_labelled[rows],
        random=sample.random,
        n_threads=sample.n_threads,
    )


def _bbe(sample: Sample) -> Share:
    labelled, unlabelled = sample.split_scores()
    found = best_bin(labelled, unlabelled)
    shares = ensemble.resampled_best_bins(labelled, unlabelled, random=sample.random)
    low, high = _widened_range(shares, found.share)
    return Share(
        found.share,
        low,
        high,
        {
            "threshold": found.threshold,
            "labelled_above": found.labelled_above,
            "unlabelled_above": found.unlabelled_above,
            "share_upper_bound": found.upper_bound,
            "negatives_passing": ensemble.negatives_passing(labelled, unlabelled, found.share),
        },
    )


def _dedpul(sample: Sample) -> Share:
    labelled, unlabelled = sample.split_scores()
    share = dedpul(labelled, unlabelled)
    repeats = np.array(
        [
            dedpul(_resampled(labelled, sample.random), _resampled(unlabelled, sample.random))
            for _ in range(_N_REPEATS)
        ]
    )
    low, high = _widened_range(repeats, share)
    passing = ensemble.negatives_passing(labelled, unlabelled, share)
    return Share(share, low, high, {"negatives_passing": passing})


def _elkan_noto(sample: Sample) -> Share:
    labelled, unlabelled = sample.split_scores()
    both = np.concatenate([labelled, unlabelled])
    if both.min() < 0.0 or both.max() > 1.0:
        raise ValueError(
            "method 'elkan_noto' needs probabilities from 0 to 1, found scores from "
            f"{both.min():.3g} to {both.max():.3g}; use a classifier with predict_proba, or "
            "another method"
        )
    n_unlabelled = len(unlabelled)
    shares = np.array(
        [elkan_noto(_resampled(labelled, sample.random), n_unlabelled) for _ in range(_N_REPEATS)]
    )
    share = elkan_noto(labelled, n_unlabelled)
    low, high = _widened_range(shares, share)
    return Share(share, low, high, {"label_frequency": float(labelled.mean())})


def _tice(sample: Sample) -> Share:
    found = tice(
        finite_columns(sample.X),
        sample.is_labelled,
        n_folds=sample.n_folds,
        random_state=sample.random,
    )
    n_labelled = int(sample.is_labelled.sum())
    n_unlabelled = len(sample.is_labelled) - n_labelled

    def share(label_frequency: float) -> float:
        return (n_labelled / max(label_frequency, 1e-12) - n_labelled) / n_unlabelled

    of_folds = [share(frequency) for frequency in found.of_folds]
    return Share(share(found.value), min(of_folds), max(of_folds), {"label_frequency": found.value})


def _km2(sample: Sample) -> Share:
    labelled_rows, unlabelled_rows = (
        _at_most(np.flatnonzero(of_kind), MAX_ROWS_KERNEL, sample.random)
        for of_kind in (sample.is_labelled, ~sample.is_labelled)
    )
    rows = np.concatenate([labelled_rows, unlabelled_rows])
    table = StandardScaler().fit_transform(finite_columns(_safe_indexing(sample.X, rows)))
    labelled, unlabelled = np.split(table, [len(labelled_rows)])
    share = km2(labelled, unlabelled)
    halves = [
        km2(_half(labelled, sample.random), _half(unlabelled, sample.random))
        for _ in range(_N_HALVES)
    ]
    # The variance of halves is twice that of the whole.
    spread = float(np.std(halves, ddof=1) / np.sqrt(2.0) * norm.ppf((1.0 + CONFIDENCE) / 2.0))
    return Share(
        share,
        share - spread,
        share + spread,
        {
            "labelled_used": float(len(labelled)),
            "rows_used": float(len(labelled) + len(unlabelled)),
        },
    )


def _clusters(sample: Sample) -> Share:
    if not sample.can_hold_out():
        return Share(1.0, 1.0, 1.0, {"negatives_passing": 1.0})
    # A copy may be in the bag of a tree where the row itself is not: one of each is enough.
    rows = np.unique(sample.groups, return_index=True)[1]
    is_labelled = sample.is_labelled[rows]
    found = cluster_scores(_safe_indexing(sample.X, rows), is_labelled, random=sample.random)
    split = [found.split(number) for number in range(len(found.sizes))]
    shares = [dedpul(labelled, unlabelled) for labelled, unlabelled in split]
    repeats = np.array(
        [
            sum(dedpul(*(_resampled(each, sample.random) for each in pair)) for pair in split)
            for _ in range(_N_REPEATS)
        ]
    )
    share = min(sum(shares), 1.0)
    low, high = _widened_range(repeats, share)
    of_any = found.of_any
    passing = ensemble.negatives_passing(of_any[is_labelled], of_any[~is_labelled], share)
    return Share(
        share,
        low,
        high,
        {
            "negatives_passing": passing,
            **{
                f"{name}_of_cluster_{number + 1}": float(value)
                for number, pair in enumerate(zip(found.sizes, shares, strict=True))
                for name, value in zip(("labelled", "share"), pair, strict=True)
            },
        },
    )


BY_NAME: Mapping[str, Callable[[Sample], Share]] = {
    "auto": _auto,
    "bbe": _bbe,
    "clusters": _clusters,
    "dedpul": _dedpul,
    "elkan_noto": _elkan_noto,
    "km2": _km2,
    "tice": _tice,
}
METHODS = tuple(BY_NAME)
WITHOUT_SCORES = ("clusters", "km2", "tice")
# Those that learn from known negatives.
WITH_NEGATIVES = ("auto",)


def _ranking(labelled: FloatArray, unlabelled: FloatArray) -> float:
    """Area under the curve, ties counted half."""
    return float(ensemble.ranks_among(labelled, unlabelled).mean())


def _widened_range(shares: FloatArray, value: float) -> tuple[float, float]:
    low, high = np.quantile(shares, [(1.0 - CONFIDENCE) / 2.0, (1.0 + CONFIDENCE) / 2.0])
    return (
        float(value + min(low - value, 0.0) * _WIDENING),
        float(value + max(high - value, 0.0) * _WIDENING),
    )


def _resampled(values: FloatArray, random: np.random.RandomState) -> FloatArray:
    return values[random.randint(len(values), size=len(values))]


def _at_most(
    table: npt.NDArray[Any], n_rows: int, random: np.random.RandomState
) -> npt.NDArray[Any]:
    if len(table) <= n_rows:
        return table
    return table[random.choice(len(table), n_rows, replace=False)]


def _half(table: npt.NDArray[Any], random: np.random.RandomState) -> npt.NDArray[Any]:
    return _at_most(table, (len(table) + 1) // 2, random)
