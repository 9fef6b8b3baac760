"""Worlds: what can be known while some of the labels are hidden from everything.

In each world a fold of the labelled rows counts as unlabelled, for learners, graphs and cuts alike.
Its hidden rows are positives drawn at random, as the positives among the unlabelled rows are, and
nothing has been told of them, not by a neighbour either. So the share of them that a score finds
is what it finds of those. Known negatives are hidden in the same way, and one that is found among
the positives counts against a score. The last world hides nothing, and answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.repeats import numbered
from pucut.data.row_order import IndexArray
from pucut.methods.pu_cut._mixing import rank_among, shares_found

# Each world hides a fifth of the labels: what is learned from the rest is nearly what all teach.
HIDDEN_FOLDS = 5
# Worlds are added until they hide enough rows, more where most positives are unlabelled: there
# scores and cuts differ more. Three worlds do if they hide some.
ENOUGH_HIDDEN, ENOUGH_OF_FEW_LABELLED, SOME_HIDDEN, USUAL_WORLDS = 120, 600, 30, 3
# With so many labels a single world hides enough rows to tell what is clearly better.
LABELS_TO_TELL = HIDDEN_FOLDS * ENOUGH_HIDDEN
# Of positives among the unlabelled rows, for what a known negative counts beside a positive.
_LEAST_SHARE = 0.05


@dataclass(frozen=True, eq=False)
class Worlds:
    """Which labels are known in each world.

    Attributes
    ----------
    is_labelled : bool array of shape (n_samples,)
    fold : int array of shape (n_samples,)
        The world that hides the row; -1 for those that none hides.
    n_positive : int
        Positives among all rows.
    groups : int array of shape (n_samples,)
        Copies of a row are a group (`data.repeats`): a world hides all of its labels or none.
    is_negative : bool array of shape (n_samples,)
        Known negatives; by default there are none.
    """

    is_labelled: BoolArray
    fold: npt.NDArray[np.intp]
    n_positive: int
    groups: IndexArray
    is_negative: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))

    def __post_init__(self) -> None:
        if len(self.is_negative) != len(self.is_labelled):
            object.__setattr__(self, "is_negative", np.zeros_like(self.is_labelled))

    @property
    def n_hidden_worlds(self) -> int:
        return int(self.fold.max()) + 1

    @cached_property
    def labels(self) -> tuple[BoolArray, ...]:
        """The labels of each world, those of the last one complete."""
        hidden = [self.is_labelled & (self.fold != k) for k in range(self.n_hidden_worlds)]
        return (*hidden, self.is_labelled)

    @cached_property
    def negatives(self) -> tuple[BoolArray, ...]:
        """The known negatives of each world."""
        hidden = [self.is_negative & (self.fold != k) for k in range(self.n_hidden_worlds)]
        return (*hidden, self.is_negative)

    def hiding_first(self) -> "Worlds":
        """The first of the worlds that hide labels, and the complete one."""
        return replace(self, fold=np.where(self.fold == 0, 0, -1))

    def of_rows(self, rows: IndexArray) -> "Worlds":
        """Those of some of the rows, drawn at random."""
        share = len(rows) / len(self.is_labelled)
        labelled, negative = self.is_labelled[rows], self.is_negative[rows]
        least, most = int(labelled.sum()) + 1, len(rows) - int(negative.sum())
        n_positive = min(max(round(share * self.n_positive), least), most)
        return Worlds(labelled, self.fold[rows], n_positive, numbered(self.groups[rows]), negative)

    @cached_property
    def is_known(self) -> BoolArray:
        return self.is_labelled | self.is_negative

    @cached_property
    def targets(self) -> npt.NDArray[Any]:
        """What regressions learn in each world, one line per world.

        Whether a row is labelled, or with known negatives a number for each of the three kinds:
        like the probability of a positive, 1, 0 and for the unlabelled rows what is between them,
        less the latter and divided by 1 less the latter.
        """
        labels = np.array(self.labels)
        if not self.is_negative.any():
            return labels
        return labels - self.negative_weight * np.array(self.negatives)

    @cached_property
    def negative_weight(self) -> float:
        """What a known negative counts where a labelled positive counts 1 and the others 0."""
        n_others = max(int((~self.is_known).sum()), 1)
        share = (self.n_positive - int(self.is_labelled.sum())) / n_others
        share = min(max(share, _LEAST_SHARE), 1.0 - _LEAST_SHARE)
        return share / (1.0 - share)

    @cached_property
    def is_hidden(self) -> BoolArray:
        """The rows that some world hides."""
        return self.fold >= 0

    @property
    def n_hidden(self) -> int:
        return int(self.is_hidden.sum())

    def found(self, scores: Sequence[FloatArray]) -> FloatArray:
        """Whether each hidden row is right in its world, given the scores of each; ties in part.

        A row is found if it is among as many rows as the prior says are positive, which is right
        for a positive and wrong for a negative. One number per hidden row, fold by fold; copies are
        one row, and count by their mean.
        """
        parts = []
        for world in range(self.n_hidden_worlds):
            is_hidden = self.fold == world
            asked = ~self.is_known | is_hidden
            n_known = int((self.is_labelled & ~is_hidden).sum())
            wanted = min(self.n_positive - n_known, int(asked.sum()))
            shares = shares_found(scores[world][asked], is_hidden[asked], wanted)
            shares = np.where(self.is_negative[is_hidden], 1.0 - shares, shares)
            copies = numbered(self._copies[is_hidden])
            parts.append(np.bincount(copies, weights=shares) / np.bincount(copies))
        return np.concatenate(parts) if parts else np.empty(0)

    @cached_property
    def _copies(self) -> IndexArray:
        """The groups, those of known negatives apart."""
        return 2 * self.groups + self.is_negative

    @cached_property
    def _judges(self) -> IndexArray:
        """The first row of each that is judged, in the order of `found`."""
        hidden = np.flatnonzero(self.is_hidden)
        _, firsts = np.unique(self._copies[hidden], return_index=True)
        rows = hidden[np.sort(firsts)]
        return rows[np.argsort(self.fold[rows], kind="stable")]

    @property
    def is_hidden_positive(self) -> BoolArray:
        """Which of those that are judged, in the order of `found`, are positives."""
        return ~self.is_negative[self._judges]

    def judging(self, world: int) -> BoolArray:
        """Which of the hidden rows, in the order of `found`, may judge what is used in a world.

        Those that other worlds hide, so that nothing in a world has been chosen by the rows that it
        hides. A single world, which then hides many rows, has to do with them: what that adds is
        far below the noise. The complete world is judged by all.
        """
        order = self.fold[self._judges]
        if world == self.n_hidden_worlds or self.n_hidden_worlds == 1:
            return np.ones(len(order), dtype=np.bool_)
        return np.asarray(order != world)

    def hidden_ranks(self, scores: Sequence[FloatArray]) -> FloatArray:
        """The rank of each known row among the unlabelled ones, in the world that hid it.

        Rows that were never hidden get the ranks of those of their kind that were, evenly; if none
        was, the highest or, for negatives, the lowest. NaN for the others.
        """
        rank = np.full(len(self.is_labelled), np.nan)
        for world in range(self.n_hidden_worlds):
            is_hidden = self.fold == world
            rising = np.sort(scores[world][~self.is_known])
            rank[is_hidden] = rank_among(scores[world][is_hidden], rising)
        for kind, usual in ((self.is_labelled, 1.0), (self.is_negative, 0.0)):
            never, hidden = kind & ~self.is_hidden, kind & self.is_hidden
            places = (np.arange(int(never.sum())) + 0.5) / max(int(never.sum()), 1)
            rank[never] = np.quantile(rank[hidden], places) if hidden.any() else usual
        return rank


def hidden_worlds(
    is_labelled: BoolArray,
    n_positive: int,
    random: np.random.RandomState,
    groups: IndexArray,
    is_negative: BoolArray | None = None,
) -> Worlds:
    """Worlds that hide a fifth of the labels each; a single one cannot be hidden.

    Labels of a group are hidden together. As many worlds as the positives need hide known
    negatives, a fifth of them each.
    """
    is_negative = np.zeros_like(is_labelled) if is_negative is None else is_negative
    fold = np.full(len(is_labelled), -1, dtype=np.intp)
    of_labelled = numbered(groups[is_labelled])
    n_groups = int(of_labelled.max()) + 1
    if n_groups > 1:
        drawn = random.permutation(_folds(n_groups))
        n_worlds = min(n_hidden_worlds(int(is_labelled.sum()), n_positive), n_groups)
        fold[is_labelled] = np.where(drawn < n_worlds, drawn, -1)[of_labelled]
        if is_negative.any():
            of_group = np.full(int(groups.max()) + 1, -1, dtype=np.intp)
            negatives = np.unique(groups[is_negative])
            drawn = random.permutation(_folds(len(negatives)))
            of_group[negatives] = np.where(drawn < n_worlds, drawn, -1)
            of_group[groups[is_labelled]] = fold[is_labelled]
            fold[is_negative] = of_group[groups[is_negative]]
    return Worlds(is_labelled, fold, n_positive, groups, is_negative)


def n_hidden_worlds(n_labelled: int, n_positive: int) -> int:
    """How many worlds hide labels if so many of the positives are labelled."""
    if n_labelled < 2:
        return 0
    # The rows that the first 1, 2, 3 ... worlds hide together.
    n_hidden = np.cumsum(np.bincount(_folds(n_labelled)))
    enough = ENOUGH_HIDDEN if 2 * n_labelled > n_positive else ENOUGH_OF_FEW_LABELLED
    usual = min(USUAL_WORLDS, len(n_hidden))
    if n_hidden[usual - 1] < SOME_HIDDEN:
        return len(n_hidden)
    return min(int(np.searchsorted(n_hidden, enough)) + 1, usual)


def _folds(n_labelled: int) -> npt.NDArray[np.intp]:
    return np.arange(n_labelled) % min(HIDDEN_FOLDS, n_labelled)
