"""Columns that know which rows were labelled, rather than which are positive.

Labelled rows are positives drawn at random, and hidden positives hold the same values as often. A
value that only labelled rows have was therefore made by the labelling: who confirmed the row, when,
under which running number. A model takes it for the mark of positives, and finds no others. The
only other cause is that nearly all positives are labelled.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Literal

import numpy as np

from pucut._support.checks import BoolArray
from pucut._support.threads import in_threads, parts_of
from pucut.data.columns import Categories, Column
from pucut.data.labels import PULabels
from pucut.data.tables import Table
from pucut.exceptions import SuspectColumnWarning

# A value belongs to labelled rows alone if at most so many other rows have it, for each of them.
# Half of the positives labelled would give one other row, nine in ten a ninth of a row.
FEWEST_OTHERS = 0.05
# The share of the labelled rows that must have it. A cell is filled or not; of values and ranges
# there are many, and some of them are rare by chance.
COMMON = {"filled": 0.2, "empty": 0.2, "value": 0.5, "range": 0.5}
# With fewer labelled rows that have it anything may be chance.
FEWEST_LABELLED = 5
# Ranges of numbers leave out this share of the labelled rows at either end.
_TAIL = 0.025
# Numbers with at most so many different values may be categories.
_FEW_VALUES = 50
# Values that are named.
_SHOWN = 3

# The cell is filled or empty, has a value (or one of several), or is within a range, as running
# numbers and dates of labelling are.
Kind = Literal["filled", "empty", "value", "range"]


@dataclass(frozen=True)
class Suspect:
    """A column, and a property of its labelled rows that hardly any other row has."""

    column: str
    kind: Kind
    what: str  # the property in words: "is filled"
    n_labelled: int  # labelled rows that have it
    n_others: int
    of_labelled: int  # all labelled rows
    of_others: int
    limits: tuple[float, float] | None = None  # of a range

    def __str__(self) -> str:
        return (
            f"{self.column!r} {self.what} in {self.n_labelled} of {self.of_labelled} labelled rows "
            f"and in {self.n_others} of {self.of_others} others"
        )


def suspect_columns(
    table: Table, labels: PULabels, names: Sequence[str] | None = None, n_threads: int = 1
) -> tuple[Suspect, ...]:
    """Return the columns of a table that know the labels.

    Columns have these names, or those of the table, or their numbers. Known negatives are left out:
    they were labelled too.
    """
    if labels.n_labelled < FEWEST_LABELLED:
        return ()
    own = range(table.format.n_columns) if table.names is None else table.names
    named = list(own if names is None else names)
    is_labelled, is_other = labels.is_labelled, labels.is_unlabelled
    n_labelled, n_others = _count(is_labelled), _count(is_other)

    def among(columns: range) -> list[Suspect]:
        found: list[Suspect] = []
        for j in columns:
            made = partial(Suspect, str(named[j]), of_labelled=n_labelled, of_others=n_others)
            signs = _signs(made, table, j, is_labelled, is_other)
            found += islice(filter(_is_of_labelled_alone, signs), 1)
        return found

    found = in_threads(among, parts_of(len(named), n_threads), n_threads)
    return tuple(suspect for part in found for suspect in part)


def _is_of_labelled_alone(sign: Suspect) -> bool:
    # A sign that nearly all rows have says nothing, and many others have it.
    return (
        sign.n_labelled >= max(COMMON[sign.kind] * sign.of_labelled, FEWEST_LABELLED)
        and sign.n_others <= FEWEST_OTHERS * sign.n_labelled
    )


def in_words(suspects: Sequence[Suspect]) -> str:
    """Return a sentence on suspects and what they mean."""
    return (
        f"{'; '.join(map(str, suspects))}. That tells which rows were labelled, not which are "
        "positive: hidden positives would have it as often as labelled ones. With such a column "
        "hardly any other row is found."
    )


def warn_of_suspects(suspects: Sequence[Suspect]) -> None:
    """Warn of columns that know which rows were labelled, if there are any."""
    if suspects:
        columns = ", ".join(repr(suspect.column) for suspect in suspects)
        warnings.warn(
            f"{in_words(suspects)} Leave out {columns}, unless nearly all positives are labelled; "
            "then ignore pucut.exceptions.SuspectColumnWarning.",
            SuspectColumnWarning,
            stacklevel=4,
        )


def _signs(
    made: Callable[..., Suspect], table: Table, j: int, is_labelled: BoolArray, is_other: BoolArray
) -> Iterator[Suspect]:
    """Yield what may be true of the labelled rows alone, filled in by `made`."""
    values, categories = table.values[j], table.format.categories[j]
    if table.rows:  # sparse: zeros are as good as empty
        rows = table.rows[j]
        yield made("filled", "is not 0", _count(is_labelled[rows]), _count(is_other[rows]))
        return
    if values.dtype.kind == "f":
        is_missing = np.isnan(values)
        if is_missing.any():
            n_empty, n_other = _count(is_missing & is_labelled), _count(is_missing & is_other)
            n_filled = _count(is_labelled) - n_empty
            yield made("filled", "is filled", n_filled, _count(is_other) - n_other)
            yield made("empty", "is empty", n_empty, n_other)
            is_labelled, is_other = is_labelled & ~is_missing, is_other & ~is_missing
    rising = np.sort(values[is_labelled])
    if not len(rising):
        return
    others = values[is_other]
    yield from _of_values(made, rising, others, categories)
    if categories is None:
        left_out = int(_TAIL * len(rising))
        low, high = rising[left_out], rising[len(rising) - 1 - left_out]
        n_inside = [_count((each >= low) & (each <= high)) for each in (rising, others)]
        text = f"is between {low:.6g} and {high:.6g}"
        yield made("range", text, *n_inside, limits=(float(low), float(high)))


def _of_values(
    made: Callable[..., Suspect], rising: Column, others: Column, categories: Categories | None
) -> Iterator[Suspect]:
    """Yield the values that several labelled rows have and hardly any other, taken together."""
    known = rising[np.concatenate([[True], rising[1:] != rising[:-1]])]
    if categories is None and len(known) > _FEW_VALUES:
        return
    n_labelled = np.bincount(np.searchsorted(known, rising), minlength=len(known))
    place = np.minimum(np.searchsorted(known, others), len(known) - 1)
    n_others = np.bincount(place[known[place] == others], minlength=len(known))
    own = (n_labelled >= FEWEST_LABELLED) & (n_others <= FEWEST_OTHERS * n_labelled)
    if own.any():
        shown = [
            f"{value:.6g}" if categories is None else repr(str(categories[int(value)]))
            for value in known[own][:_SHOWN]
        ]
        text = f"is {' or '.join(shown)}{', ...' if _count(own) > _SHOWN else ''}"
        yield made("value", text, int(n_labelled[own].sum()), int(n_others[own].sum()))


def _count(mask: BoolArray) -> int:
    return int(np.count_nonzero(mask))
