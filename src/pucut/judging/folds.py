"""Folds of labels: in each, some labels are hidden from everything that learns.

The rows that a fold hides count as unlabelled in it, for learners, graphs and cuts alike, and no
neighbour gives their label away. They are a random draw of the labels, so what a candidate says of
them is what it would say of other unlabelled rows of their class. The final fit comes after the
folds and hides nothing.

The label of a row is a code: -1 if it is unlabelled, otherwise the number of its class. With
positive and unlabelled rows the labelled positives have 1 and the known negatives 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut.data.repeats import numbered
from pucut.judging.losses import rank_among, shares_above, squared_errors

UNLABELLED, NEGATIVE, POSITIVE = -1, 0, 1

# Folds are added until they hide this many labels, which separates candidates well enough.
ENOUGH_HIDDEN = 120

# Each fold hides a fifth of the positives: models of the rest are nearly those of all.
PU_FOLDS = 5
# Where most positives are unlabelled, scores and cuts differ more, and more labels are hidden, if
# three folds hide some.
ENOUGH_OF_FEW_LABELLED, SOME_HIDDEN, USUAL_FOLDS = 600, 30, 3
# With this many labels a single fold hides enough of them to tell what is clearly better.
LABELS_TO_TELL = PU_FOLDS * ENOUGH_HIDDEN
# The share of positives among the unlabelled rows that weighs a known negative is at least this.
_LEAST_SHARE = 0.05

# With several classes each fold hides a fifth of few labels, and a third of many.
CLASS_FOLDS_OF_FEW, CLASS_FOLDS_OF_MANY, MANY_LABELS = 5, 3, 150


@dataclass(frozen=True, eq=False)
class LabelFolds:
    """The label of each row, the fold that hides it, -1 for none, and the group of its copies.

    A fold hides all labels of a group (`data.repeats`) or none.
    """

    codes: IndexArray
    fold: IndexArray
    groups: IndexArray

    @property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    @property
    def n_classes(self) -> int:
        return int(self.codes.max()) + 1

    @cached_property
    def labels(self) -> tuple[IndexArray, ...]:
        """The codes that each fold leaves, and last those of the final fit."""
        left = [np.where(self.fold == k, UNLABELLED, self.codes) for k in range(self.n_folds)]
        return (*left, self.codes)

    @cached_property
    def is_known(self) -> BoolArray:
        return np.asarray(self.codes != UNLABELLED)

    @cached_property
    def is_hidden(self) -> BoolArray:
        """The rows that some fold hides."""
        return np.asarray(self.fold >= 0)

    @cached_property
    def hidden_rows(self) -> tuple[IndexArray, ...]:
        """The rows that each fold hides."""
        return tuple(np.flatnonzero(self.fold == k) for k in range(self.n_folds))

    @cached_property
    def judges(self) -> IndexArray:
        """The hidden rows on which candidates are compared, fold after fold."""
        return np.concatenate([np.empty(0, np.intp), *self.hidden_rows])

    def may_judge(self, k: int) -> BoolArray:
        """The judges that may weigh what is used in a fold.

        Other folds hide them, so that no row judges what it has chosen. A single fold is judged by
        its own rows: it hides many, and the bias is far below the noise. All judge the final fit.
        """
        of_judges = self.fold[self.judges]
        if self.n_folds == 1 or k == self.n_folds:
            return np.ones(len(of_judges), dtype=np.bool_)
        return np.asarray(of_judges != k)

    def losses(self, scores: Sequence[FloatArray]) -> FloatArray:
        """The squared error of each judge, given probabilities of the classes in each fold."""
        errors = [
            squared_errors(of_fold[rows], self.codes[rows])
            for of_fold, rows in zip(scores, self.hidden_rows, strict=False)
        ]
        return np.concatenate([np.empty(0), *errors])


@dataclass(frozen=True, eq=False)
class PUFolds(LabelFolds):
    """Folds of labelled positives and known negatives; `n_positive` rows are taken as positive."""

    n_positive: int

    @cached_property
    def is_labelled(self) -> BoolArray:
        return np.asarray(self.codes == POSITIVE)

    @cached_property
    def is_negative(self) -> BoolArray:
        return np.asarray(self.codes == NEGATIVE)

    @property
    def n_hidden(self) -> int:
        return int(self.is_hidden.sum())

    def of_rows(self, rows: IndexArray) -> "PUFolds":
        """The first fold alone, for some of the rows, drawn at random."""
        codes = self.codes[rows]
        n_labelled, n_negative = (int((codes == code).sum()) for code in (POSITIVE, NEGATIVE))
        n_positive = round(len(rows) / len(self.codes) * self.n_positive)
        n_positive = min(max(n_positive, n_labelled + 1), len(rows) - n_negative)
        fold = np.where(self.fold[rows] == 0, 0, -1)
        return PUFolds(codes, fold, numbered(self.groups[rows]), n_positive)

    @cached_property
    def targets(self) -> npt.NDArray[Any]:
        """The targets of regressions, one line per fold and one for the final fit.

        Without known negatives they say whether a row is labelled. With them they are linear in the
        probability of a positive: 1 for labelled rows, 0 for unlabelled ones.
        """
        positive = np.array([codes == POSITIVE for codes in self.labels])
        if not self.is_negative.any():
            return positive
        negative = np.array([codes == NEGATIVE for codes in self.labels])
        return positive - self.negative_weight * negative

    @cached_property
    def negative_weight(self) -> float:
        """The weight of a known negative, where a labelled positive counts 1 and others 0."""
        n_others = max(int((~self.is_known).sum()), 1)
        share = (self.n_positive - int(self.is_labelled.sum())) / n_others
        share = min(max(share, _LEAST_SHARE), 1.0 - _LEAST_SHARE)
        return share / (1.0 - share)

    @cached_property
    def judges(self) -> IndexArray:
        """One hidden row of each group of copies, fold after fold."""
        hidden = np.flatnonzero(self.is_hidden)
        _, firsts = np.unique(self._copies[hidden], return_index=True)
        rows = hidden[np.sort(firsts)]
        return np.asarray(rows[np.argsort(self.fold[rows], kind="stable")])

    @property
    def is_positive_judge(self) -> BoolArray:
        return ~self.is_negative[self.judges]

    def recovered(self, scores: Sequence[FloatArray]) -> FloatArray:
        """Tell whether each judge is right in the fold that hides it, given the scores there.

        A row is predicted positive if it is among as many rows as the prior says are positive; ties
        count in part, and copies by their mean. That is right for a positive and wrong for a
        negative.
        """
        parts = []
        for of_fold, rows in zip(scores, self.hidden_rows, strict=False):
            queried = ~self.is_known
            queried[rows] = True
            n_left = int(self.is_labelled.sum()) - int(self.is_labelled[rows].sum())
            n_wanted = min(self.n_positive - n_left, int(queried.sum()))
            shares = shares_above(of_fold[rows], of_fold[queried], n_wanted)
            shares = np.where(self.is_negative[rows], 1.0 - shares, shares)
            copies = numbered(self._copies[rows])
            parts.append(np.bincount(copies, weights=shares) / np.bincount(copies))
        return np.concatenate(parts) if parts else np.empty(0)

    def hidden_ranks(self, scores: Sequence[FloatArray]) -> FloatArray:
        """The rank of each known row among the unlabelled ones, in the fold that hides it.

        Rows that are never hidden get the ranks of those of their kind that are, evenly; if none
        is, the highest or, for negatives, the lowest. NaN for the others.
        """
        rank = np.full(len(self.codes), np.nan)
        for k, rows in enumerate(self.hidden_rows):
            rising = np.sort(scores[k][~self.is_known])
            rank[rows] = rank_among(scores[k][rows], rising)
        for kind, usual in ((self.is_labelled, 1.0), (self.is_negative, 0.0)):
            never, hidden = kind & ~self.is_hidden, kind & self.is_hidden
            places = (np.arange(int(never.sum())) + 0.5) / max(int(never.sum()), 1)
            rank[never] = np.quantile(rank[hidden], places) if hidden.any() else usual
        return rank

    @cached_property
    def _copies(self) -> IndexArray:
        """The groups, known negatives apart."""
        return np.asarray(2 * self.groups + self.is_negative)


def n_pu_folds(n_labelled: int, n_positive: int, n_groups: int | None = None) -> int:
    """The number of folds that hide labels; copies of a row, a group, are hidden together."""
    if n_labelled < 2 or n_groups == 1:
        return 0
    # The number of rows that the first 1, 2, 3 ... folds hide together.
    n_hidden = np.cumsum(np.bincount(_dealt(n_labelled)))
    enough = ENOUGH_HIDDEN if 2 * n_labelled > n_positive else ENOUGH_OF_FEW_LABELLED
    usual = min(USUAL_FOLDS, len(n_hidden))
    found = min(int(np.searchsorted(n_hidden, enough)) + 1, usual)
    if n_hidden[usual - 1] < SOME_HIDDEN:
        found = len(n_hidden)
    return min(found, n_labelled if n_groups is None else n_groups)


def pu_folds(
    is_labelled: BoolArray,
    n_positive: int,
    random: np.random.RandomState,
    groups: IndexArray,
    is_negative: BoolArray | None = None,
) -> PUFolds:
    """Hide a fifth of the labels in each fold; a single label cannot be hidden.

    The folds that positives need hide a fifth of the known negatives each.
    """
    codes = np.where(is_labelled, POSITIVE, UNLABELLED)
    if is_negative is not None:
        codes[is_negative] = NEGATIVE
    fold = np.full(len(codes), -1, dtype=np.intp)
    of_labelled = numbered(groups[is_labelled])
    n_groups = int(of_labelled.max()) + 1
    if n_groups > 1:
        n_folds = n_pu_folds(int(is_labelled.sum()), n_positive, n_groups)
        dealt = random.permutation(_dealt(n_groups))
        fold[is_labelled] = np.where(dealt < n_folds, dealt, -1)[of_labelled]
        if is_negative is not None and is_negative.any():
            of_group = np.full(int(groups.max()) + 1, -1, dtype=np.intp)
            negatives = np.unique(groups[is_negative])
            dealt = random.permutation(_dealt(len(negatives)))
            of_group[negatives] = np.where(dealt < n_folds, dealt, -1)
            of_group[groups[is_labelled]] = fold[is_labelled]
            fold[is_negative] = of_group[groups[is_negative]]
    return PUFolds(codes, fold, groups, n_positive)


def class_folds(codes: IndexArray, random: np.random.RandomState, groups: IndexArray) -> LabelFolds:
    """Hide labels of each class in each fold, but never the last one that a class has.

    If no class has two labels, there is only the final fit.
    """
    n_folds = (
        CLASS_FOLDS_OF_FEW if np.count_nonzero(codes >= 0) < MANY_LABELS else CLASS_FOLDS_OF_MANY
    )
    fold = np.full(len(codes), -1, dtype=np.intp)
    first = 0
    for code in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == code)
        copies = numbered(groups[rows])
        drawn = random.permutation(int(copies.max()) + 1)
        if len(drawn) > 1:
            dealt = np.empty(len(drawn), dtype=np.intp)
            dealt[drawn] = (first + np.arange(len(drawn))) % n_folds
            fold[rows] = dealt[copies]
            # The next class goes on where this one ended, which keeps the folds alike in size.
            first += len(drawn)
    return LabelFolds(codes, _enough_folds(fold), groups)


def _enough_folds(fold: IndexArray) -> IndexArray:
    """The first folds that hide enough labels together, without empty ones."""
    used = np.unique(fold[fold >= 0])
    sizes = np.array([np.count_nonzero(fold == k) for k in used])
    kept = used[np.cumsum(sizes) - sizes < ENOUGH_HIDDEN]
    place = np.full(int(fold.max(initial=-1)) + 2, -1, dtype=np.intp)
    place[kept] = np.arange(len(kept))
    return np.asarray(place[fold])


def _dealt(n_labelled: int) -> IndexArray:
    return np.arange(n_labelled) % min(PU_FOLDS, n_labelled)
