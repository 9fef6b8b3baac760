"""The kinds of columns: how each is recognised, read and described.

A `Feature` is a column that is used, and what was decided about it. Model files keep features, so
that later tables are read in the same way. A new kind is a subclass here, in `KINDS`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np

from pucut.data.columns import MOST_CATEGORIES
from pucut.data.suspects import Suspect
from pucut.tables import dates, numerals
from pucut.tables.cells import Cells
from pucut.tables.errors import TableError, listing
from pucut.tables.texts import TextModel, learn_texts

# Chromosomes are names, most of which happen to be numbers.
CHROMOSOME_NAME = re.compile(r"^(chr|chrom|chromosome)(_?name)?$", re.IGNORECASE)
_CHROMOSOME = re.compile(r"[1-9][0-9]?|X|Y|XY|Z|W|M|MT", re.IGNORECASE)
_SHOWN_CATEGORIES = 4
_SIGN_OF_LIMIT = {"<": -1.0, "": 0.0, ">": 1.0}


@dataclass(frozen=True)
class Feature:
    """A column that is used, and how its cells become numbers or categories.

    If the user named its kind (`is_told`), cells that do not fit are missing, however many.
    """

    name: str
    is_told: bool = field(default=False, kw_only=True)
    kind: ClassVar[str]

    @classmethod
    def find(cls, cells: Cells, decimal: str | None, stated: str | None = None) -> Self | None:
        """Return the feature if the cells are of this kind.

        `stated` is not None if the user named this kind: "", or the order of dates.
        """
        raise NotImplementedError

    def read(self, cells: Cells, decimal: str | None) -> list[Any]:
        """Return the values of each column; `decimal` is this table's sign, if it is another."""
        raise NotImplementedError

    @property
    def further(self) -> tuple[str, ...]:
        """The content of the columns beside the first, in a word or two."""
        return ()

    @property
    def description(self) -> str:
        """The kind of the column, and the way its cells are written."""
        return self.kind

    def details(self, X: Any) -> list[str]:
        """Return what a line about the column says of it."""
        return [self.description]

    def sources(self) -> list[str]:
        """Return the source of each column that the feature becomes, in words."""
        return [self.description]

    def suspicion(self, suspect: Suspect) -> str:
        """Return what labelled rows have in this column, in the words of the file."""
        return suspect.what

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, without those that are as usual."""
        plain: dict[str, Any] = {"name": self.name, "kind": self.kind}
        for name in (*(each.name for each in fields(self)[2:]), "is_told"):
            value = getattr(self, name)
            if value != getattr(type(self), name, None):
                plain[name] = list(value) if isinstance(value, tuple) else value
        return plain


@dataclass(frozen=True)
class NumberFeature(Feature):
    """A column of numbers in the form `numerals`, a name of `NUMERALS`, with a unit such as kDa.

    If it has limits such as <0.5, a further column has -1 for <, 1 for > and else 0.
    """

    numerals: str = "point"
    unit: str = ""
    has_limits: bool = False
    kind = "number"

    @classmethod
    def find(cls, cells: Cells, decimal: str | None, stated: str | None = None) -> Self | None:
        is_told = stated is not None
        if cells.typed is not None:
            return cls(cells.name, is_told=is_told) if cells.kind == "number" else None
        is_named = CHROMOSOME_NAME.search(cells.name) is not None
        is_plain = not is_named and decimal != "," and cells.plain_numbers is not None
        if is_plain and not is_told:
            return cls(cells.name)
        counts, parts = cells.counts, cells.number_cells
        if is_told:  # the cells of the commonest unit
            n_of_unit = numerals.count_units(parts, counts)
            unit = max(n_of_unit, key=n_of_unit.__getitem__, default="")
            parts = {text: cell for text, cell in parts.items() if cell.unit == unit}
            counts = {text: counts[text] for text in parts}
        elif all(map(_CHROMOSOME.fullmatch, cells.texts)) and (
            is_named or not all(map(str.isdecimal, cells.texts))
        ):
            return None
        form = numerals.find_form(parts, counts, decimal, cells.where, cells.name)
        if form is None:
            return None
        written, unit = form
        fitting = (cell for cell in parts.values() if written in cell.forms)
        has_limits = any(cell.limit and cell.unit == unit for cell in fitting)
        return cls(cells.name, written, unit, has_limits, is_told=is_told)

    @property
    def further(self) -> tuple[str, ...]:
        return ("limit",) if self.has_limits else ()

    def read(self, cells: Cells, decimal: str | None) -> list[Any]:
        written = self.numerals
        if decimal is not None and cells.number_cells:
            counts = {(cell.numeral, cell.forms): 1 for cell in cells.number_cells.values()}
            written = next(iter(numerals.best_forms(counts, decimal)), written)
        limits = np.zeros(cells.n_rows)
        if cells.typed is not None:
            cells.must_hold("number")
            values = cells.typed.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
        elif written == "point" and not self.unit and cells.plain_numbers is not None:
            values = cells.plain_numbers
        else:

            def read(text: str) -> tuple[float, float] | None:
                cell = cells.number_cells.get(text)
                if cell is None or cell.unit != self.unit or written not in cell.forms:
                    return None
                return cell.value(written), _SIGN_OF_LIMIT[cell.limit]

            wanted = f"numbers{f' in {self.unit}' if self.unit else ''}"
            found = cells.read_each(read, (np.nan, np.nan), wanted, self.is_told)
            values, limits = found[:, 0], np.nan_to_num(found[:, 1])
        if limits.any() and not self.has_limits:
            cells.lost.append(
                f"{self.name!r}: {np.count_nonzero(limits)} cells are limits such as <0.5, of "
                "which the model knows none: their values are used"
            )
        return [cells.finite(values), *([limits] if self.has_limits else [])]

    @property
    def description(self) -> str:
        unit = f" in {self.unit}" if self.unit else ""
        written = numerals.DESCRIPTIONS[self.numerals]
        return f"number{unit}{f' with {written}' if written else ''}"

    def details(self, X: Any) -> list[str]:
        limits = ["limits such as <0.5 by their value and a further column"] * self.has_limits
        return [self.description, *limits]

    def sources(self) -> list[str]:
        limits = [f"limits of {self.name!r}: \u22121 for <, 1 for >, else 0"] * self.has_limits
        return [self.description, *limits]


@dataclass(frozen=True)
class DateFeature(Feature):
    """A column of dates, in days since 1970; `parts` such as the month have their own columns."""

    order: str = "ymd"
    parts: tuple[str, ...] = ()
    kind = "date"

    @classmethod
    def find(cls, cells: Cells, decimal: str | None, stated: str | None = None) -> Self | None:
        is_told, order = stated is not None, "ymd"
        if cells.typed is None:
            counts = cells.counts
            if is_told:
                orders = [stated] if stated else list(dates.ORDERS)
                counts = {
                    text: count
                    for text, count in counts.items()
                    if any(dates.days_of(text, each) is not None for each in orders)
                }
            order = stated or (counts and dates.find_order(counts, cells.where, cells.name)) or ""
            if not counts or not order:
                return None
            known = [day for text in counts if (day := dates.days_of(text, order)) is not None]
            days = np.array(known)
        elif cells.kind == "date":
            days = dates.days_of_type(cells.typed)
        else:
            return None
        return cls(cells.name, order, dates.parts_worth_having(days), is_told=is_told)

    @property
    def further(self) -> tuple[str, ...]:
        return self.parts

    def read(self, cells: Cells, decimal: str | None) -> list[Any]:
        def read(text: str) -> tuple[float] | None:
            days = dates.days_of(text, self.order)
            return None if days is None else (days,)

        if cells.typed is None:
            wanted = f"dates like {dates.ORDERS[self.order][1]}"
            days = cells.read_each(read, (np.nan,), wanted, self.is_told)[:, 0]
        else:
            cells.must_hold("date")
            days = dates.days_of_type(cells.typed)
        return [days, *(dates.part_of_dates(days, part) for part in self.parts)]

    @property
    def description(self) -> str:
        return f"date with {dates.ORDERS[self.order][0]}"

    def details(self, X: Any) -> list[str]:
        parts = [f"also its {' and '.join(self.parts)}"] if self.parts else []
        return [self.description, *parts]

    def sources(self) -> list[str]:
        return [self.description, *(f"{part} of the date {self.name!r}" for part in self.parts)]

    def suspicion(self, suspect: Suspect) -> str:
        if suspect.limits is None:
            return suspect.what
        import pandas as pd

        low, high = (pd.Timestamp(day, unit="D").date() for day in suspect.limits)
        return f"is between {low} and {high}"


@dataclass(frozen=True)
class CategoryFeature(Feature):
    """A column of names, each of which is a category."""

    categories: tuple[str, ...] = ()
    kind = "category"

    @classmethod
    def find(cls, cells: Cells, decimal: str | None, stated: str | None = None) -> Self:
        categories = tuple(sorted(cells.as_texts().texts))
        if stated is not None and len(categories) > MOST_CATEGORIES:
            found = f"{len(categories)} categories, allowed are {MOST_CATEGORIES}"
            raise TableError(f"--category-column: {cells.where} has {found}")
        return cls(cells.name, categories, is_told=stated is not None)

    def read(self, cells: Cells, decimal: str | None) -> list[Any]:
        import pandas as pd

        places = {text: place for place, text in enumerate(self.categories)}
        codes = [places.get(text, -1) for text in cells.as_texts().texts]
        unknown = [text for text in cells.texts if text not in places]
        if unknown:
            n_unknown = sum(cells.counts[text] for text in unknown)
            cells.lost.append(
                f"{self.name!r}: {n_unknown} cells hold values the model has not seen, and count "
                f"as missing: {listing(unknown, 3)}"
            )
        return [pd.Categorical.from_codes(np.array([*codes, -1])[cells.codes], [*self.categories])]

    def details(self, X: Any) -> list[str]:
        names = [*self.categories[:_SHOWN_CATEGORIES]]
        names += ["..."] * (len(self.categories) > _SHOWN_CATEGORIES)
        return [self.kind, f"{len(self.categories)} values ({', '.join(names)})"]

    def sources(self) -> list[str]:
        n_values = len(self.categories)
        return [f"{n_values} categor{'ies' if n_values != 1 else 'y'}"]


@dataclass(frozen=True)
class FlagFeature(Feature):
    """A column that holds one value or nothing: 1 where the cell holds anything, else 0."""

    categories: tuple[str, ...] = ()
    kind = "flag"

    @classmethod
    def find(cls, cells: Cells, decimal: str | None, stated: str | None = None) -> Self:
        [text] = cells.texts if cells.typed is None else cells.typed.dropna().unique()
        return cls(cells.name, (str(text),))

    def read(self, cells: Cells, decimal: str | None) -> list[Any]:
        return [(~cells.is_missing).astype(np.float64)]

    def details(self, X: Any) -> list[str]:
        n_present = int(np.sum(X[self.name]))
        return [f"{self.categories[0]} in {n_present} rows or empty, used as 1 and 0"]

    def sources(self) -> list[str]:
        return [f"1 where the cell says {self.categories[0]}, 0 where it is empty"]

    def suspicion(self, suspect: Suspect) -> str:
        is_filled = suspect.what == "is 1" or suspect.limits == (1.0, 1.0)
        return "is filled" if is_filled else "is empty"


@dataclass(frozen=True)
class TextFeature(Feature):
    """A column of free text: a column for each direction of `text`."""

    text: TextModel = field(compare=False)
    kind = "text"

    @classmethod
    def find(cls, cells: Cells, decimal: str | None, stated: str | None = None) -> Self | None:
        texts = cells.as_texts().in_rows()
        model = learn_texts([text for text in texts if text is not None])
        return None if model is None else cls(cells.name, model, is_told=stated is not None)

    @property
    def further(self) -> tuple[str, ...]:
        return self.text.names

    def read(self, cells: Cells, decimal: str | None) -> list[Any]:
        return list(self.text.values(cells.as_texts().in_rows()).T)

    def details(self, X: Any) -> list[str]:
        n_terms = len(self.text.words) + len(self.text.letters)
        return [self.kind, f"{n_terms} terms in {len(self.text.names)} directions"]

    def sources(self) -> list[str]:
        n_directions = len(self.text.names)
        text = f"free text: one of {n_directions} directions in the words of {self.name!r}"
        return [text] * n_directions

    suspicion = FlagFeature.suspicion

    def to_dict(self) -> dict[str, Any]:
        plain = super().to_dict()
        del plain["text"]
        return {**plain, "text": self.text.to_dict()}


KINDS: dict[str, type[Feature]] = {
    each.kind: each
    for each in (NumberFeature, CategoryFeature, TextFeature, DateFeature, FlagFeature)
}


def feature_from_dict(plain: Mapping[str, Any]) -> Feature:
    """Return the feature that `to_dict` wrote."""
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()
    }
    if "text" in given:
        given["text"] = TextModel.from_dict(given["text"])
    return KINDS[given.pop("kind")](**given)
