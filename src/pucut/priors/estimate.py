"""estimate_prior: from a table and PU labels to the share of positives.

Every method estimates the share of positives among the unlabelled rows, from what the labelled and
the unlabelled rows look like. It assumes that the labelled positives were drawn from the positives
at random. Together with the labelled rows, that share gives the prior among all rows.
"""

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, check_random_state

from pucut._checks import BoolArray, FloatArray
from pucut.cross_fitting import checked_classifier, cross_fit
from pucut.priors import ensemble
from pucut.priors._features import is_sparse, numeric_features, readable_table
from pucut.priors.best_bin import best_bin
from pucut.priors.dedpul import dedpul
from pucut.priors.elkan_noto import elkan_noto
from pucut.priors.km2 import km2
from pucut.priors.tice import tice
from pucut.pu_labels import PULabels, checked_pu_labels

# More rows make the prior no more certain than other things do: with 20 000, half of them labelled
# or not, chance moves the share by less than 0.01.
MAX_ROWS = 20_000
# Kernel methods need the square of this in memory, and its square in time several hundred times.
MAX_ROWS_KERNEL = 400

# The interval is meant to hold the true prior nine times out of ten. Resampling scores leaves out
# that other rows would have given other classifiers; on synthetic tables the distances from the
# estimate had to be larger by this much.
CONFIDENCE = 0.9
_WIDENING = 1.25
# Above this share of negatives that score like positives, there may be no region without negatives.
OVERLAP = 0.25
_N_REPEATS = 20
_N_HALVES = 4


@dataclass(frozen=True)
class PriorEstimate:
    """The estimated share of positives; `print` it for a text.

    Attributes
    ----------
    prior : float
        Share of positives among all samples given, labelled ones included. At least the labelled
        share, and below 1.
    prior_unlabelled : float
        Share of positives among the unlabelled samples.
    interval : (float, float)
        Where the prior among all samples lies. That of "auto" is meant to be right nine times out
        of ten; those of the other methods say what chance may change, not how far a method is
        off. Where only an upper bound can be known it begins at the labelled share.
    method : str
    is_upper_bound : bool
        Whether the classes overlap so much that the data bound the prior from above only.
    n_labelled, n_unlabelled : int
    diagnostics : dict of str to float
        Numbers of the method, among them `rows_used` and `labelled_used`, and for methods on scores
        `negatives_passing`: what share of the negatives pass a threshold that 90 % of the
        positives pass. `is_upper_bound` means that this is more than 25 %.
    """

    prior: float
    prior_unlabelled: float
    interval: tuple[float, float]
    method: str
    is_upper_bound: bool
    n_labelled: int
    n_unlabelled: int
    diagnostics: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        n_samples = self.n_labelled + self.n_unlabelled
        low, high = self.interval
        n_hidden = round(self.prior_unlabelled * self.n_unlabelled)
        hidden = f"{n_hidden} of the {self.n_unlabelled} unlabelled ones"
        amount = "At most about" if self.is_upper_bound else "About"
        text = (
            f"{amount} {_percent(self.prior)} of the {n_samples} samples are positive (method "
            f"{self.method!r}): the {self.n_labelled} labelled ones and {amount.lower()} {hidden} "
            f"({_percent(self.prior_unlabelled)}). "
        )
        if not self.is_upper_bound:
            return text + (
                "The share among all samples is likely between "
                f"{_percent(low)} and {_percent(high)}."
            )
        return text + (
            "Only an upper bound can be known, since the classes overlap: a score that "
            f"{_percent(ensemble.PASSING)} of the positives reach is reached by about "
            f"{_percent(self.diagnostics['negatives_passing'])} of the negatives too, so some of "
            "the samples that look most positive may be negatives, and the share lower. Any share "
            f"between {_percent(low)} (the labelled ones alone) and {_percent(high)} fits the "
            "data. If you know the share from elsewhere, pass it as the prior; features that tell "
            "the classes apart better, or more labelled positives, would narrow it down."
        )


@dataclass(frozen=True)
class _Share:
    """What a method says of the unlabelled rows: share of positives, its range, its numbers."""

    value: float
    low: float
    high: float
    diagnostics: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class _Sample:
    """The rows a method works on."""

    X: Any
    is_labelled: BoolArray
    scores: FloatArray | None
    classifier: Any
    n_folds: int
    random: np.random.RandomState

    def can_hold_out(self) -> bool:
        """Whether there is a row of each kind to hold out and another to learn from.

        If not, scores say nothing: all are taken to be equal, which leaves every prior possible.
        """
        n_labelled = int(self.is_labelled.sum())
        return min(n_labelled, len(self.is_labelled) - n_labelled) >= 2

    def out_of_fold_scores(self) -> FloatArray:
        if self.scores is not None:
            return self.scores
        if not self.can_hold_out():
            return np.zeros(len(self.is_labelled))
        X = self.X if self.classifier is not None else readable_table(self.X)
        return cross_fit(
            checked_classifier(self.classifier, X, "classifier"),
            X,
            self.is_labelled,
            n_folds=self.n_folds,
            random_state=self.random,
        ).scores

    def split_scores(self) -> tuple[FloatArray, FloatArray]:
        scores = self.out_of_fold_scores()
        return scores[self.is_labelled], scores[~self.is_labelled]


def estimate_prior(
    X: Any,
    y: Any,
    method: str = "auto",
    *,
    classifier: Any = None,
    pos_label: Any = None,
    n_folds: int = 5,
    random_state: Any = None,
    scores: Any = None,
) -> PriorEstimate:
    """Estimates the share of positives from positive and unlabelled samples.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
        With `classifier`, whatever that takes. Otherwise numbers and categories, missing values
        allowed.
    y : array-like of shape (n_samples,)
        Two values: the larger, or `pos_label`, marks labelled positives.
    method : {"auto", "bbe", "dedpul", "elkan_noto", "km2", "tice"}
        "auto" has the smallest error in the benchmark: best bins of several classifiers' scores.
        "km2" and "tice" look at the features themselves and take no classifier.
    classifier : scikit-learn classifier, optional
        Gives the out-of-fold scores of "bbe", "dedpul", "elkan_noto" (default: gradient boosting,
        for sparse X a linear model) and of "auto" (default: three classifiers combined).
    pos_label : value of y, optional
    n_folds : int
        Folds of the out-of-fold scores, and of "tice".
    random_state : int, RandomState or None
    scores : array-like of shape (n_samples,), optional
        Higher means more like the labelled positives, each given by a model that has not seen its
        row. Used instead of a classifier; X is not looked at then and may be None.

    Of more than 20 000 samples a part is drawn that holds as large a share of labelled ones ("km2":
    of more than 400 labelled or unlabelled ones); `diagnostics["rows_used"]` says how many.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, found {method!r}")
    if isinstance(n_folds, bool) or not isinstance(n_folds, numbers.Integral) or n_folds < 2:
        raise ValueError(f"n_folds must be a whole number of at least 2, found {n_folds!r}")
    if method in _WITHOUT_SCORES and (classifier is not None or scores is not None):
        given = "classifier" if classifier is not None else "scores"
        raise ValueError(
            f"{given} must be None for method {method!r}, which looks at the features themselves"
        )
    if classifier is not None and scores is not None:
        raise ValueError("classifier and scores are given: one of them must be None")
    if scores is None:
        X = X.tocsr() if is_sparse(X) else X
        labels = checked_pu_labels(y, pos_label=pos_label, n_samples=_n_rows(X))
        checked_classifier(classifier, X, "classifier")
    else:
        labels = checked_pu_labels(y, pos_label=pos_label)
        scores = _checked_scores(scores, labels.n_samples)
    random = check_random_state(random_state)
    rows = _drawn_rows(labels.is_labelled, MAX_ROWS, random)
    sample = _Sample(
        X=X if scores is not None or len(rows) == labels.n_samples else _safe_indexing(X, rows),
        is_labelled=labels.is_labelled[rows],
        scores=None if scores is None else scores[rows],
        classifier=classifier,
        n_folds=int(n_folds),
        random=random,
    )
    return _estimate(labels, method, _METHODS[method](sample), sample)


def _estimate(labels: PULabels, method: str, share: _Share, sample: _Sample) -> PriorEstimate:
    n_labelled, n_samples = labels.n_labelled, labels.n_samples
    n_unlabelled = n_samples - n_labelled
    # Less than half a negative cannot be told from none, and a prior of 1 is no prior.
    largest = 1.0 - 0.5 / n_unlabelled

    def inside(share_of_unlabelled: float) -> float:
        return min(max(share_of_unlabelled, 0.0), largest)

    def of_all(share_of_unlabelled: float) -> float:
        return (n_labelled + inside(share_of_unlabelled) * n_unlabelled) / n_samples

    prior = of_all(share.value)
    passing = share.diagnostics.get("negatives_passing", 0.0)
    is_upper_bound = passing > OVERLAP
    low = labels.labelled_share if is_upper_bound else min(of_all(share.low), prior)
    used = {
        "rows_used": float(len(sample.is_labelled)),
        "labelled_used": float(sample.is_labelled.sum()),
    }
    return PriorEstimate(
        prior=prior,
        prior_unlabelled=inside(share.value),
        interval=(low, max(of_all(share.high), prior)),
        method=method,
        is_upper_bound=is_upper_bound,
        n_labelled=n_labelled,
        n_unlabelled=n_unlabelled,
        diagnostics={**used, **share.diagnostics},
    )


def _auto(sample: _Sample) -> _Share:
    if sample.classifier is None and sample.scores is None and sample.can_hold_out():
        scores = ensemble.ensemble_scores(
            sample.X, sample.is_labelled, n_folds=sample.n_folds, random=sample.random
        )
    else:
        scores = {"given": sample.out_of_fold_scores()}
    parts = {
        name: ensemble.resampled_share(values, sample.is_labelled, sample.random)
        for name, values in scores.items()
    }
    value = ensemble.combined_share(parts)
    best = max(parts, key=lambda name: parts[name].ranking)
    labelled, unlabelled = scores[best][sample.is_labelled], scores[best][~sample.is_labelled]
    low, high = _widened_range(np.concatenate([part.shares for part in parts.values()]), value)
    return _Share(
        value,
        low,
        high,
        {
            **{f"share_{name}": part.mean for name, part in parts.items()},
            **{f"ranking_{name}": part.ranking for name, part in parts.items()},
            "negatives_passing": ensemble.negatives_passing(labelled, unlabelled, value),
        },
    )


def _bbe(sample: _Sample) -> _Share:
    labelled, unlabelled = sample.split_scores()
    found = best_bin(labelled, unlabelled)
    shares = ensemble.resampled_best_bins(labelled, unlabelled, random=sample.random)
    low, high = _widened_range(shares, found.share)
    return _Share(
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


def _dedpul(sample: _Sample) -> _Share:
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
    return _Share(share, low, high, {"negatives_passing": passing})


def _elkan_noto(sample: _Sample) -> _Share:
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
    return _Share(share, low, high, {"label_frequency": float(labelled.mean())})


def _tice(sample: _Sample) -> _Share:
    found = tice(
        numeric_features(sample.X),
        sample.is_labelled,
        n_folds=sample.n_folds,
        random_state=sample.random,
    )
    n_labelled = int(sample.is_labelled.sum())
    n_unlabelled = len(sample.is_labelled) - n_labelled

    def share(label_frequency: float) -> float:
        return (n_labelled / max(label_frequency, 1e-12) - n_labelled) / n_unlabelled

    of_folds = [share(frequency) for frequency in found.of_folds]
    return _Share(
        share(found.value), min(of_folds), max(of_folds), {"label_frequency": found.value}
    )


def _km2(sample: _Sample) -> _Share:
    table = StandardScaler().fit_transform(numeric_features(sample.X))
    labelled = _at_most(table[sample.is_labelled], MAX_ROWS_KERNEL, sample.random)
    unlabelled = _at_most(table[~sample.is_labelled], MAX_ROWS_KERNEL, sample.random)
    share = km2(labelled, unlabelled)
    halves = [
        km2(_half(labelled, sample.random), _half(unlabelled, sample.random))
        for _ in range(_N_HALVES)
    ]
    # Halves vary by a variance twice as large as the whole does.
    spread = float(np.std(halves, ddof=1) / np.sqrt(2.0) * norm.ppf((1.0 + CONFIDENCE) / 2.0))
    return _Share(
        share,
        share - spread,
        share + spread,
        {
            "labelled_used": float(len(labelled)),
            "rows_used": float(len(labelled) + len(unlabelled)),
        },
    )


_METHODS: Mapping[str, Callable[[_Sample], _Share]] = {
    "auto": _auto,
    "bbe": _bbe,
    "dedpul": _dedpul,
    "elkan_noto": _elkan_noto,
    "km2": _km2,
    "tice": _tice,
}
METHODS = tuple(_METHODS)
_WITHOUT_SCORES = ("km2", "tice")


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


def _drawn_rows(
    is_labelled: BoolArray, n_rows: int, random: np.random.RandomState
) -> npt.NDArray[np.intp]:
    """Rows to work on, in their order: all, or a part with the same share of labelled ones."""
    n_samples = len(is_labelled)
    if n_samples <= n_rows:
        return np.arange(n_samples)
    labelled, unlabelled = np.flatnonzero(is_labelled), np.flatnonzero(~is_labelled)
    n_labelled = round(n_rows * len(labelled) / n_samples)
    n_labelled = min(max(n_labelled, 1), n_rows - 1)
    drawn = np.concatenate(
        [
            random.choice(labelled, n_labelled, replace=False),
            random.choice(unlabelled, n_rows - n_labelled, replace=False),
        ]
    )
    return np.sort(drawn)


def _n_rows(X: Any) -> int:
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2:
        return int(shape[0])
    if shape is None and hasattr(X, "__len__") and not isinstance(X, (str, bytes)):
        return len(X)
    raise ValueError(
        "X must be a table, one row a sample, found "
        + (f"shape {shape}" if shape is not None else type(X).__name__)
    )


def _checked_scores(scores: Any, n_samples: int) -> FloatArray:
    array = np.asarray(scores, dtype=np.float64)
    if array.shape != (n_samples,):
        raise ValueError(
            f"scores must have shape ({n_samples},), one for each label, found {array.shape}"
        )
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"scores must be finite, found {array[row]} in row {row}")
    return array


def _percent(share: float) -> str:
    """Whole percents, with a digit more near 0 and 100, where it matters."""
    percent = 100.0 * share
    return f"{percent:.0f} %" if 5.0 <= percent <= 95.0 else f"{percent:.1f} %"
