"""Folds for positive and unlabelled rows, and hiding positives to see which a method finds.

Folds with `make_pu_scorer` (`pucut.metrics`) serve methods that predict unseen rows. Methods that
only classify their training rows (transductive ones) cannot be tested on other rows; for them
some labelled rows are given to `fit` as unlabelled, and those that come out positive are counted.

Copies of a row are never separated (`data.repeats`): a model that has seen one knows the others.
"""

import math
import numbers
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random import RandomState
from sklearn.base import clone
from sklearn.model_selection import BaseCrossValidator, StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from pucut._support.checks import FloatArray, IndexArray
from pucut._support.constraints import DeclaredParameters
from pucut.data.labels import PULabels, checked_prior, checked_pu_labels
from pucut.data.repeats import (
    equal_rows,
    groups_of_equal_rows,
    labelled_groups,
    numbered,
    repeats,
    warn_of_copies,
)
from pucut.metrics import hidden_positive_recall

__all__ = ["HiddenPositives", "HiddenPositivesSplit", "PUStratifiedKFold", "hidden_positive_scores"]


class _PUSplitter(DeclaredParameters, BaseCrossValidator):
    """Base of the splitters: the number of splits, the labels and the groups of the rows."""

    n_splits: int = 5
    _: KW_ONLY
    random_state: Any = None
    pos_label: Any = None
    neg_label: Any = None

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return _checked_n_splits(self.n_splits)

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Yield the rows to train on and those to test on.

        Rows of one of the `groups` stay together; by default groups are the copies of a row in X.
        """
        labels, group = self._labels_and_groups(y, X, groups)
        for left_out in self._groups_to_test(labels, group):
            in_test = np.isin(group, left_out)
            yield np.flatnonzero(~in_test), np.flatnonzero(in_test)

    @abstractmethod
    def _groups_to_test(self, labels: PULabels, group: IndexArray) -> Iterator[IndexArray]:
        """Yield the groups to test on, split by split."""

    def _labels_and_groups(self, y: Any, X: Any, groups: Any) -> tuple[PULabels, IndexArray]:
        """Return the labels, and the group of each row: by default its copies in X, if passed."""
        n_rows = None if X is None else _num_samples(X)
        labels = checked_pu_labels(
            y, pos_label=self.pos_label, neg_label=self.neg_label, n_samples=n_rows
        )
        if groups is not None:
            values = np.asarray(groups)
            if values.shape != (labels.n_samples,):
                raise ValueError(
                    f"groups must have one value for each of the {labels.n_samples} rows, found "
                    f"shape {values.shape}"
                )
            return labels, numbered(values)
        if X is None:
            return labels, np.arange(labels.n_samples)
        equal = equal_rows(X)
        warn_of_copies(repeats(equal, labels.is_labelled))
        return labels, groups_of_equal_rows(equal, labels.is_labelled)


class PUStratifiedKFold(_PUSplitter):
    """Folds that each hold their share of the labelled rows, so that the prior holds in each.

    Like scikit-learn's StratifiedKFold, but reads PU labels of any encoding, missing values
    included, and says what is wrong when there are too few. Copies of a row in X, label included,
    are kept in one fold, and a `RepeatedRowsWarning` says so if they are many.

    Parameters
    ----------
    n_splits : int
        At most the number of labelled rows, and at most that of unlabelled ones, copies counted
        once.
    shuffle : bool
        Whether to shuffle the rows first; otherwise folds follow the order of the rows.
    random_state : int, RandomState or None
        For `shuffle`.
    pos_label : value of y, optional
        The value that means labelled positive, if it is not what `y` itself says.
    neg_label : value of y, optional
        The value that means known negative; all values but these two then mean unlabelled.
    """

    _: KW_ONLY
    shuffle: bool = False

    def _groups_to_test(self, labels: PULabels, group: IndexArray) -> Iterator[IndexArray]:
        n_splits = _checked_n_splits(self.n_splits)
        has_label = labelled_groups(group, labels.is_labelled)
        has_negative = labelled_groups(group, labels.is_negative) & ~has_label
        n_known, n_negative = int(has_label.sum()), int(has_negative.sum())
        _check_enough(n_known, "labelled", n_splits)
        _check_enough(len(has_label) - n_known - n_negative, "unlabelled", n_splits)
        # Fewer known negatives than folds are dealt as the unlabelled rows are.
        kinds = has_label.astype(np.intp) - (has_negative if n_negative >= n_splits else 0)
        folds = StratifiedKFold(n_splits, shuffle=self.shuffle, random_state=self.random_state)
        yield from (left_out for _, left_out in folds.split(np.zeros((len(kinds), 1)), kinds))


@dataclass(frozen=True, eq=False)
class HiddenPositives:
    """Labels in which some positives were made unlabelled, and which ones.

    Attributes
    ----------
    y : array of shape (n_samples,)
        To be given to `fit`.
    is_hidden : bool array of shape (n_samples,)
        The positives that are unlabelled in `y`.
    """

    y: npt.NDArray[Any]
    is_hidden: npt.NDArray[np.bool_]


class HiddenPositivesSplit(_PUSplitter):
    """Hides a share of the labelled positives among the unlabelled rows.

    Two ways to use it. `hide(y, X)` yields labels in which the hidden rows are unlabelled, all rows
    kept: a method is fitted to X and these labels and asked for the same rows, as transductive
    methods have to be (`hidden_positive_scores` does so). As `cv=` of scikit-learn it cannot
    change labels, only leave rows out: `split` tests on the hidden positives and on the same share
    of the unlabelled rows, drawn at random, so that the prior is the same in both parts; it trains
    on the rest. Copies of a row in X, label included, are hidden or left out together, and a
    `RepeatedRowsWarning` says so if they are many.

    Parameters
    ----------
    n_splits : int
        How often to hide.
    hidden_share : float, optional
        Share of the labelled rows, copies counted once, that is hidden, at least one and at most
        all but one. By default 1 / n_splits, and every labelled row is hidden exactly once.
        Otherwise every split is an independent draw.
    random_state : int, RandomState or None
    pos_label, neg_label
        As in `PUStratifiedKFold`.
    """

    n_splits: int = 3
    _: KW_ONLY
    hidden_share: float | None = None

    def hide(self, y: Any, X: Any = None, groups: Any = None) -> Iterator[HiddenPositives]:
        """Yield, for each split, the labels to fit to and which positives they hide.

        Labelled rows of one of the `groups` are hidden together; by default groups are the copies
        of a row in X. Without X all rows count as different.
        """
        labels, group = self._labels_and_groups(y, X, groups)
        random = check_random_state(self.random_state)
        has_label = labelled_groups(group, labels.is_labelled)
        for hidden in self._draws(np.flatnonzero(has_label), "labelled", random):
            is_hidden = labels.is_labelled & np.isin(group, hidden)
            yield HiddenPositives(labels.hiding(is_hidden).as_values(), is_hidden)

    def _groups_to_test(self, labels: PULabels, group: IndexArray) -> Iterator[IndexArray]:
        random = check_random_state(self.random_state)
        has_label = labelled_groups(group, labels.is_labelled)
        of_labelled = self._draws(np.flatnonzero(has_label), "labelled", random)
        of_unlabelled = self._draws(np.flatnonzero(~has_label), "unlabelled", random)
        yield from map(np.append, of_labelled, of_unlabelled)

    def _draws(self, rows: IndexArray, kind: str, random: RandomState) -> Iterator[IndexArray]:
        """Yield disjoint parts of the rows, or independent draws of a given share."""
        n_splits = _checked_n_splits(self.n_splits)
        if self.hidden_share is None:
            _check_enough(len(rows), kind, n_splits)
            yield from np.array_split(random.permutation(rows), n_splits)
            return
        share = _checked_share(self.hidden_share)
        if len(rows) < 2:
            raise ValueError(
                f"y has only {len(rows)} {kind} row (copies count once): two are needed, one to "
                "hide and one to keep"
            )
        n_drawn = min(max(1, math.floor(share * len(rows) + 0.5)), len(rows) - 1)
        for _ in range(n_splits):
            yield random.choice(rows, n_drawn, replace=False)


def hidden_positive_scores(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    prior: float,
    cv: HiddenPositivesSplit | None = None,
    score: Callable[[Any, Any], Any] | None = None,
) -> FloatArray:
    """Score an estimator by the hidden positives among the share `prior` it ranks highest.

    For every split a clone is fitted to all rows, with some labelled ones hidden among the
    unlabelled, and ranks the same rows; the score is `hidden_positive_recall` of the hidden ones.
    With the predicted share fixed, this orders models as their accuracy on the training rows does.
    Differences below the standard error, sqrt(recall (1 - recall) / n_labelled), mean nothing.

    The fits run through joblib, one after the other unless `joblib.parallel_config` says
    otherwise: `parallel_config("dask")` moves them to the workers of the current Dask client.

    Parameters
    ----------
    estimator : estimator
        Cloned, not changed.
    X, y
        As for `fit`; y may hold PU labels of any encoding.
    prior : float
        Fraction of positives among all samples.
    cv : HiddenPositivesSplit, optional
        By default three splits that hide a third each, always the same.
    score : callable(fitted estimator, X), optional
        One number per row, higher for more likely positive. By default the attribute `scores_` of
        the fitted estimator, if it has one number per training row; otherwise its
        `decision_function`, otherwise the last column of `predict_proba`.

    Returns
    -------
    float array of shape (n_splits,)
    """
    if cv is None:
        cv = HiddenPositivesSplit(random_state=0)
    if not isinstance(cv, HiddenPositivesSplit):
        raise TypeError(f"cv must be a HiddenPositivesSplit or None, found {cv!r}")
    labels = checked_pu_labels(y, pos_label=cv.pos_label, neg_label=cv.neg_label)
    checked_prior(prior, labels)
    recall = delayed(_recall_of)
    recalls = Parallel()(recall(estimator, X, hiding, prior, score) for hiding in cv.hide(y, X))
    return np.array(list(recalls))


def _recall_of(
    estimator: Any,
    X: Any,
    hiding: HiddenPositives,
    prior: float,
    score: Callable[[Any, Any], Any] | None,
) -> float:
    fitted = clone(estimator).fit(X, hiding.y)
    scores = _default_score(fitted, X, len(hiding.y)) if score is None else score(fitted, X)
    return hidden_positive_recall(hiding.is_hidden, scores, prior=prior)


def _default_score(fitted: Any, X: Any, n_samples: int) -> Any:
    of_fit = getattr(fitted, "scores_", None)
    if of_fit is not None and np.shape(of_fit) == (n_samples,):
        return of_fit
    if hasattr(fitted, "decision_function"):
        return fitted.decision_function(X)
    if hasattr(fitted, "predict_proba"):
        return fitted.predict_proba(X)[:, -1]
    raise TypeError(
        f"{fitted!r} has neither scores_ nor decision_function nor predict_proba: give score="
    )


def _checked_n_splits(n_splits: Any) -> int:
    if isinstance(n_splits, bool) or not isinstance(n_splits, numbers.Integral):
        raise TypeError(f"n_splits must be a whole number, found {n_splits!r}")
    if n_splits < 2:
        raise ValueError(f"n_splits must be at least 2, found {n_splits}")
    return int(n_splits)


def _checked_share(share: Any) -> float:
    is_number = isinstance(share, numbers.Real) and not isinstance(share, bool)
    if not is_number or not 0.0 < float(share) < 1.0:
        raise ValueError(f"hidden_share must be above 0 and below 1, found {share!r}")
    return float(share)


def _check_enough(n_rows: int, kind: str, n_splits: int) -> None:
    if n_rows < n_splits:
        raise ValueError(
            f"n_splits is {n_splits}, but y has only {n_rows} {kind} rows (copies of a row count "
            "once): every fold needs one. Use fewer folds"
        )
