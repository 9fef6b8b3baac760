"""Tree induction for label frequency estimation (TIcE).

Bekker, Davis: Estimating the class prior in positive and unlabeled data through decision tree
induction, AAAI 2018. In a subset of the rows that holds only positives, the share of labelled rows
is the label frequency; in any other it is less. So the largest share over subsets, less what
chance may add, bounds the label frequency from below. A decision tree looks for such subsets on
one part of the rows, and the other rows measure their share.

In the paper         here
c                    `label_frequency`, P(labelled | positive)
T, L                 rows of a subset, and labelled rows of it
δ                    `failure`
k folds, M splits    `n_folds`, `MAX_SPLITS`
max-bepp, k = 5      `_SMOOTHING`: a split is as good as the best L / (T + 5) of its parts
"""

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut.data.encoding import finite_columns
from pucut.data.repeats import groups_for_folds
from pucut.priors.sample import PriorSample, ShareEstimate

MAX_SPLITS = 500
MIN_ROWS = 10
_SMOOTHING = 5
# A node's range of a feature is cut into this many parts of the same width.
_N_PARTS = 4
_N_ROUNDS = 2


@dataclass(frozen=True)
class LabelFrequency:
    """Label frequency: `value`, the mean over the folds, and `of_folds`, the bound of each."""

    value: float
    of_folds: tuple[float, ...]


def tice(
    X: npt.NDArray[Any], is_labelled: BoolArray, *, n_folds: int = 5, random_state: Any = None
) -> LabelFrequency:
    """Bound the share of positives that are labelled from below; X holds finite numbers."""
    random = check_random_state(random_state)
    groups = groups_for_folds(X, is_labelled)
    n_groups = int(groups.max()) + 1
    n_folds = max(2, min(n_folds, n_groups))
    fold = (random.permutation(n_groups) % n_folds)[groups]
    label_frequency = 0.5
    of_folds: list[float] = []
    for _ in range(_N_ROUNDS):
        of_folds = [
            _bound_of_fold(X, is_labelled, fold == number, label_frequency)
            for number in range(n_folds)
        ]
        label_frequency = float(np.clip(np.mean(of_folds), 0.0, 1.0))
    return LabelFrequency(label_frequency, tuple(of_folds))


def failure_probability(n_rows: int) -> float:
    """Return the paper's failure probability, smaller the more rows there are."""
    return max(0.025, 1.0 / (1.0 + 0.004 * n_rows))


def lower_bound(n_labelled: int, n_rows: int, *, label_frequency: float, failure: float) -> float:
    """Bound the label frequency by a subset's labelled share less chance (one-sided Chebyshev)."""
    if n_rows < MIN_ROWS:
        return 0.0
    variance = label_frequency * (1.0 - label_frequency) / n_rows
    return n_labelled / n_rows - float(np.sqrt(variance * (1.0 - failure) / failure))


def _bound_of_fold(
    X: npt.NDArray[Any], is_labelled: BoolArray, builds_tree: BoolArray, label_frequency: float
) -> float:
    """Return the largest lower bound in any node of a tree that is grown best node first."""
    tree_rows, other_rows = np.flatnonzero(builds_tree), np.flatnonzero(~builds_tree)
    failure = failure_probability(len(other_rows))
    best = float(is_labelled[other_rows].mean())
    # Most labelled node first; the running number orders equal ones by their creation.
    queue: list[tuple[float, int, IndexArray, IndexArray]] = [(0.0, 0, tree_rows, other_rows)]
    n_nodes = 1
    for _ in range(MAX_SPLITS):
        if not queue:
            break
        _, _, tree_rows, other_rows = heapq.heappop(queue)
        for part, other_part in _split(X, is_labelled, tree_rows, other_rows):
            counts = int(is_labelled[other_part].sum()), len(other_part)
            bound = lower_bound(*counts, label_frequency=label_frequency, failure=failure)
            best = max(best, bound)
            if len(part) >= MIN_ROWS and len(other_part) >= MIN_ROWS:
                promise = float(is_labelled[part].sum()) / (len(part) + _SMOOTHING)
                heapq.heappush(queue, (-promise, n_nodes, part, other_part))
                n_nodes += 1
    return best


def _split(
    X: npt.NDArray[Any], is_labelled: BoolArray, tree_rows: IndexArray, other_rows: IndexArray
) -> list[tuple[IndexArray, IndexArray]]:
    """Split a node by the feature with the best part; return no parts if no feature varies."""
    values = X[tree_rows].astype(np.float64)
    low, high = values.min(axis=0, initial=np.inf), values.max(axis=0, initial=-np.inf)
    varies = np.flatnonzero(high > low)
    if len(tree_rows) == 0 or len(varies) == 0:
        return []
    parts = _part_numbers(values[:, varies], low[varies], high[varies])
    places = parts + np.arange(len(varies)) * _N_PARTS
    n_rows, n_labelled = (
        np.bincount(each.ravel(), minlength=len(varies) * _N_PARTS).reshape(-1, _N_PARTS)
        for each in (places, places[is_labelled[tree_rows]])
    )
    best = int(np.argmax((n_labelled / (n_rows + _SMOOTHING)).max(axis=1)))
    feature = varies[best]
    others = _part_numbers(X[other_rows, feature].astype(np.float64), low[feature], high[feature])
    return [(tree_rows[parts[:, best] == i], other_rows[others == i]) for i in range(_N_PARTS)]


def _part_numbers(values: FloatArray, low: Any, high: Any) -> IndexArray:
    scaled = (values - low) / (high - low) * _N_PARTS
    return np.asarray(np.clip(np.floor(scaled), 0, _N_PARTS - 1), dtype=np.intp)


def share_by_tice(sample: PriorSample) -> ShareEstimate:
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
