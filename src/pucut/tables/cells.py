"""One column of a table, read once: its different texts and where they stand."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.tables.errors import TableError, listing
from pucut.tables.numerals import MISSING, STRAY_SHARE, NumberCell, split_cell
from pucut.tables.reading import InputTable

# A text of these signs that Python reads as a number is written with a decimal point.
_PLAIN_SIGNS = frozenset("0123456789.+-eE")
_NOTHING = frozenset(("", *MISSING))

Numbers = tuple[float, ...]


class Cells:
    """The cells of a column: stripped texts, or values of a type.

    `texts` are the different texts in the order in which they appear, and `codes` the place of each
    cell among them, -1 for missing ones. Texts that mean nothing are missing. `typed` is the column
    itself if it does not hold texts, but numbers or dates of a typed file. `lost` gathers notes on
    cells that could not be read.
    """

    def __init__(self, table: InputTable, name: str) -> None:
        self._table, self.name, self.n_rows = table, name, table.n_rows
        self.where = f"{table.name}, column {name!r}"
        self.lost: list[str] = []
        self._take(table.frame[name])

    def _take(self, column: Any, *, as_texts: bool = False) -> None:
        import pandas as pd

        if as_texts or isinstance(column.dtype, pd.CategoricalDtype) or _holds_objects(column):
            column = column.map(str, na_action="ignore").astype(pd.StringDtype("pyarrow"))
        self.typed = None if isinstance(column.dtype, pd.StringDtype) else column
        self.texts: list[str] = []
        self.codes: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
        if self.typed is None:
            self.codes, texts = column.array.factorize()
            self.texts = [text.strip() for text in texts.tolist()]
            if len({*self.texts} - _NOTHING) < len(self.texts):
                places = dict.fromkeys(_NOTHING, -1)
                new = [places.setdefault(text, len(places) - len(_NOTHING)) for text in self.texts]
                self.codes = np.array([*new, -1])[self.codes]
                self.texts = list(places)[len(_NOTHING) :]

    def as_texts(self) -> Self:
        """Read the cells by their texts, whatever their type."""
        if self.typed is not None:
            self._take(self.typed, as_texts=True)
        return self

    @property
    def is_missing(self) -> BoolArray:
        return np.asarray(self.codes < 0 if self.typed is None else self.typed.isna(), np.bool_)

    @cached_property
    def n_present(self) -> int:
        return int(np.count_nonzero(~self.is_missing))

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of cells with each text."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))
        return dict(zip(self.texts, counts.tolist(), strict=True))

    @cached_property
    def number_cells(self) -> dict[str, NumberCell]:
        """The parts of each text that may be a number."""
        return {text: cell for text in self.texts if (cell := split_cell(text)) is not None}

    @cached_property
    def plain_numbers(self) -> FloatArray | None:
        """The numbers if all texts are numbers with a decimal point; else None."""
        if not self.texts or not _PLAIN_SIGNS.issuperset("".join(self.texts)):
            return None
        try:
            return np.array([*map(float, self.texts), np.nan])[self.codes]
        except ValueError:
            return None

    def in_rows(self) -> list[str | None]:
        """Return the text of each row."""
        texts = [*self.texts, None]
        return [texts[code] for code in self.codes.tolist()]

    def read_each(
        self,
        read: Callable[[str], Numbers | None],
        nothing: Numbers,
        wanted: str,
        is_told: bool,
    ) -> FloatArray:
        """Return the numbers that `read` makes of each cell; `nothing` where it makes none.

        It is an error if more than a tenth of the cells cannot be read, unless the user named the
        kind of the column.
        """
        found = [read(text) for text in self.texts]
        lost = [text for text, values in zip(self.texts, found, strict=True) if values is None]
        if lost:
            n_lost = sum(self.counts[text] for text in lost)
            is_lost = np.array([*(values is None for values in found), False])[self.codes]
            place, examples = self._place(is_lost), listing(lost, 3)
            if n_lost > STRAY_SHARE * self.n_present and not is_told:
                raise TableError(f"{self.where} must hold {wanted}, found {examples} ({place})")
            self.lost.append(
                f"{self.name!r}: {n_lost} cells are not {wanted} and count as missing: "
                f"{examples}, first in {place}"
            )
        numbers: FloatArray = np.array([*(each or nothing for each in found), nothing])[self.codes]
        return numbers

    def finite(self, values: FloatArray) -> FloatArray:
        """Return the values, none of which may be infinite."""
        if np.isinf(values).any():
            raise TableError(
                f"{self._table.name}, {self._place(np.isinf(values))}, column {self.name!r}: the "
                "number is infinite; leave the cell empty if it is not known"
            )
        return values

    @property
    def kind(self) -> str:
        """The kind of typed cells, "number", "date" or ""; "text" for texts."""
        if self.typed is None:
            return "text"
        import pandas as pd

        dtype = self.typed.dtype
        if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
            return "number" if dtype.kind != "c" else ""
        return "date" if pd.api.types.is_datetime64_any_dtype(dtype) else ""

    def refused_as(self, kind: str) -> TableError:
        """Return the error for cells that the user took for this kind."""
        if kind == "text":
            return TableError(f"--text-column: the texts of {self.where} have nothing in common")
        option = f"--{kind}-column: {self.where}"
        if self.typed is not None:
            return TableError(f"{option} is of the type {self.typed.dtype}")
        return TableError(f"{option} holds no {kind}s, but {listing(self.texts, 3)}")

    def must_hold(self, kind: str) -> None:
        """Refuse typed cells of another kind."""
        if self.typed is not None and self.kind != kind:
            raise TableError(f"{self.where} must hold {kind}s, found {self.typed.dtype}")

    def _place(self, is_meant: BoolArray) -> str:
        """Return where the user finds the first of these rows."""
        return self._table.place(int(np.flatnonzero(is_meant)[0]))


def _holds_objects(column: Any) -> bool:
    """Tell whether a column holds dates, decimals or the like; not lists."""
    others = (list, dict, bytes, np.ndarray)
    return column.dtype == object and not any(isinstance(cell, others) for cell in column)
