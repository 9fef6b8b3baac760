"""Worlds: what can be known while some of the labels are hidden from everything.

In each world a fold of the labelled rows counts as unlabelled, for learners, graphs and cuts alike.
What a candidate then says of these rows is what it would say of unlabelled ones, so it judges the
candidate. The last world hides nothing, and answers.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray
from pucut.data.repeats import numbered

Codes = npt.NDArray[np.intp]

# Of few labels a fifth is hidden at a time, so that nearly all of them teach; of many a third.
FOLDS_OF_FEW, FOLDS_OF_MANY, MANY_LABELS = 5, 3, 150
# So many hidden labels separate candidates well enough: no further worlds are made.
ENOUGH_HIDDEN = 120


@dataclass(frozen=True, eq=False)
class ClassWorlds:
    """The code of each row, -1 if it has no label, and the rows that each world hides."""

    codes: Codes
    folds: tuple[Codes, ...]

    @cached_property
    def labels(self) -> tuple[Codes, ...]:
        """The codes of each world, those of the last one complete."""
        return (*(self._without(fold) for fold in self.folds), self.codes)

    @cached_property
    def hidden_codes(self) -> Codes:
        """Of the hidden rows, world after world."""
        return np.concatenate([self.codes[:0], *(self.codes[fold] for fold in self.folds)])

    def judging(self, world: int) -> BoolArray:
        """Which of the hidden rows may judge what is used in a world.

        Those that other worlds hide; the complete world is judged by all, and so is a single world,
        which then hides many rows.
        """
        origin = np.repeat(np.arange(len(self.folds)), [len(fold) for fold in self.folds])
        if world == len(self.folds) or len(self.folds) == 1:
            return np.ones(len(origin), dtype=np.bool_)
        return np.asarray(origin != world)

    def _without(self, fold: Codes) -> Codes:
        kept = self.codes.copy()
        kept[fold] = -1
        return kept


def class_worlds(codes: Codes, random: np.random.RandomState, groups: Codes) -> ClassWorlds:
    """Worlds that hide labels of each class, but never the last one that it has.

    If no class has two labels, there is only the complete world. Copies of a row, which `groups`
    numbers (`data.repeats`), are hidden together.
    """
    n_folds = FOLDS_OF_FEW if np.count_nonzero(codes >= 0) < MANY_LABELS else FOLDS_OF_MANY
    folds: list[list[Codes]] = [[] for _ in range(n_folds)]
    first = 0
    for code in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == code)
        copies = numbered(groups[rows])
        drawn = random.permutation(len(np.unique(copies)))
        if len(drawn) > 1:
            for place in range(n_folds):
                hidden = rows[np.isin(copies, drawn[place::n_folds])]
                folds[(first + place) % n_folds].append(hidden)
            # The next class goes on where this one ended, which keeps the folds alike in size.
            first += len(drawn)
    joined = [np.sort(np.concatenate(fold)) for fold in folds if fold]
    filled = [fold for fold in joined if len(fold)]
    before = np.cumsum([0, *map(len, filled)])
    enough = [fold for fold, n in zip(filled, before, strict=False) if n < ENOUGH_HIDDEN]
    return ClassWorlds(codes, tuple(enough))
