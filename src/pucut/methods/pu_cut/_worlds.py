"""Worlds: what can be known while some of the labels are hidden from everything.

In each world a fold of the labelled rows counts as unlabelled, for learners, graphs and cuts alike.
Its hidden rows are positives drawn at random, as the positives among the unlabelled rows are, and
nothing has been told of them, not by a neighbour either. So the share of them that a score finds
is what it finds of those. The last world hides nothing, and answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.repeats import numbered
from pucut.data.row_order import IndexArray
from pucut.methods.pu_cut._mixing import rank_among, shares_found

# Each world hides a fifth of the labels: what is learned from the rest is nearly what all teach.
HIDDEN_FOLDS = 5
# Worlds are added until they hide many rows; three do if they hide some.
MANY_HIDDEN, SOME_HIDDEN, USUAL_WORLDS = 120, 30, 3


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
    """

    is_labelled: BoolArray
    fold: npt.NDArray[np.intp]
    n_positive: int
    groups: IndexArray

    @property
    def n_hidden_worlds(self) -> int:
        return int(self.fold.max()) + 1

    @cached_property
    def labels(self) -> tuple[BoolArray, ...]:
        """The labels of each world, those of the last one complete."""
        hidden = [self.is_labelled & (self.fold != k) for k in range(self.n_hidden_worlds)]
        return (*hidden, self.is_labelled)

    @cached_property
    def is_hidden(self) -> BoolArray:
        """The rows that some world hides."""
        return self.fold >= 0

    @property
    def n_hidden(self) -> int:
        return int(self.is_hidden.sum())

    def found(self, scores: Sequence[FloatArray]) -> FloatArray:
        """Whether each hidden row is found in its world, given the scores of each; ties in part.

        A row is found if it is among as many rows as the prior says are positive. One number per
        hidden row, fold by fold; copies are one row, and count by their mean.
        """
        parts = []
        for world in range(self.n_hidden_worlds):
            is_hidden = self.fold == world
            asked = ~self.is_labelled | is_hidden
            wanted = min(self.n_positive - int((~asked).sum()), int(asked.sum()))
            shares = shares_found(scores[world][asked], is_hidden[asked], wanted)
            copies = numbered(self.groups[is_hidden])
            parts.append(np.bincount(copies, weights=shares) / np.bincount(copies))
        return np.concatenate(parts) if parts else np.empty(0)

    def judging(self, world: int) -> BoolArray:
        """Which of the hidden rows, in the order of `found`, may judge what is used in a world.

        Those that other worlds hide, so that nothing in a world has been chosen by the rows that it
        hides. A single world, which then hides many rows, has to do with them: what that adds is
        far below the noise. The complete world is judged by all.
        """
        hidden = np.flatnonzero(self.is_hidden)
        _, firsts = np.unique(self.groups[hidden], return_index=True)
        order = np.sort(self.fold[hidden[firsts]], kind="stable")
        if world == self.n_hidden_worlds or self.n_hidden_worlds == 1:
            return np.ones(len(order), dtype=np.bool_)
        return np.asarray(order != world)

    def hidden_ranks(self, scores: Sequence[FloatArray]) -> FloatArray:
        """The rank of each labelled row among the unlabelled ones, in the world that hid it.

        Labelled rows that were never hidden get the ranks of those that were, evenly; if none was,
        the highest. NaN for the others.
        """
        rank = np.full(len(self.is_labelled), np.nan)
        for world in range(self.n_hidden_worlds):
            is_hidden = self.fold == world
            rising = np.sort(scores[world][~self.is_labelled])
            rank[is_hidden] = rank_among(scores[world][is_hidden], rising)
        never = self.is_labelled & ~self.is_hidden
        n_never = int(never.sum())
        if n_never:
            places = (np.arange(n_never) + 0.5) / n_never
            rank[never] = np.quantile(rank[self.is_hidden], places) if self.n_hidden else 1.0
        return rank


def hidden_worlds(
    is_labelled: BoolArray, n_positive: int, random: np.random.RandomState, groups: IndexArray
) -> Worlds:
    """Worlds that hide a fifth of the labels each; a single one cannot be hidden.

    Labels of a group are hidden together.
    """
    fold = np.full(len(is_labelled), -1, dtype=np.intp)
    of_labelled = numbered(groups[is_labelled])
    n_groups = int(of_labelled.max()) + 1
    if n_groups > 1:
        drawn = random.permutation(_folds(n_groups))
        n_worlds = min(n_hidden_worlds(int(is_labelled.sum())), n_groups)
        fold[is_labelled] = np.where(drawn < n_worlds, drawn, -1)[of_labelled]
    return Worlds(is_labelled, fold, n_positive, groups)


def n_hidden_worlds(n_labelled: int) -> int:
    """How many worlds hide labels if there are so many."""
    if n_labelled < 2:
        return 0
    # The rows that the first 1, 2, 3 ... worlds hide together.
    n_hidden = np.cumsum(np.bincount(_folds(n_labelled)))
    many = int(np.searchsorted(n_hidden, MANY_HIDDEN)) + 1
    usual = min(USUAL_WORLDS, len(n_hidden))
    if n_hidden[usual - 1] < SOME_HIDDEN:
        return len(n_hidden)
    return min(many, usual)


def _folds(n_labelled: int) -> npt.NDArray[np.intp]:
    return np.arange(n_labelled) % min(HIDDEN_FOLDS, n_labelled)
