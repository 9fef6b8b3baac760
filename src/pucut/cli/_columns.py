"""What each column is: an identifier, a feature of some kind, or of no use.

What was decided about the features (`Feature`) is kept in model files, so that later tables are
read in the same way.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pucut.cli._errors import UserError
from pucut.cli._numerals import MISSING, NUMERALS
from pucut.cli._reading import InputTable, listing
from pucut.data.tables import MOST_CATEGORIES

# A column of numbers may hold this share of other texts ("n.d."), which then count as missing.
STRAY_SHARE = 0.1
# As many distinct texts are categories in a table however small.
FEW_TEXTS = 10

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?Z?)?"
_ID_NAME = re.compile(r"(^|[ _.\-])(id|ids|uuid)$|[a-z]I[dD]$|^row_name$", re.ASCII)


@dataclass(frozen=True)
class Feature:
    """A column that is used, and how its cells become values.

    Attributes
    ----------
    name : str
    kind : {"number", "category", "date", "flag"}
        "date": days since 1970. "flag": 1 where the cell holds anything, else 0.
    numerals : {"point", "comma", "thousands"}
        How texts write numbers: 1.5, 1,5 or 1,234.5.
    categories : tuple of str
    """

    name: str
    kind: str
    numerals: str = "point"
    categories: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "categories": list(self.categories)}

    @staticmethod
    def from_dict(plain: dict[str, Any]) -> "Feature":
        return Feature(**{**plain, "categories": tuple(plain["categories"])})


@dataclass(frozen=True)
class ColumnPlan:
    """Which columns are identifiers and which are features, and what the user should know of it."""

    ids: tuple[str, ...]
    features: tuple[Feature, ...]
    notes: tuple[str, ...]


def plan_columns(
    table: InputTable,
    *,
    taken: Iterable[str],
    ids: Sequence[str] = (),
    ignored: Sequence[str] = (),
    decimal: str | None = None,
) -> ColumnPlan:
    """Decides on every column that is neither `taken` nor given as an identifier or ignored."""
    settled = {*taken, *ids, *ignored}
    found_ids: list[str] = []
    features: list[Feature] = []
    useless: dict[str, list[str]] = {}
    notes: list[str] = []
    for name in map(str, table.frame.columns):
        if name in settled:
            continue
        if name in table.numbers and decimal != "," and not _ID_NAME.search(name):
            features.append(Feature(name, "number"))
            continue
        cells = cells_of(table.frame[name])
        decision = _decide(table, name, cells, decimal, notes)
        if isinstance(decision, Feature):
            features.append(decision)
        elif decision == "id":
            found_ids.append(name)
        else:
            useless.setdefault(decision, []).append(name)
    if found_ids:
        notes.insert(
            0,
            f"{listing(found_ids)}: taken as identifier{'s' * (len(found_ids) > 1)}, not as "
            f"feature{'s' * (len(found_ids) > 1)}",
        )
    notes += [f"{listing(names, 20)}: not used, {why}" for why, names in useless.items()]
    if not features:
        raise UserError(
            f"{table.name} has no column that can be used as a feature"
            + (f" ({'; '.join(notes)})" if notes else "")
        )
    return ColumnPlan((*ids, *found_ids), tuple(features), tuple(notes))


def cells_of(column: Any) -> Any:
    """Texts stripped, with those that mean nothing missing; other types as they are."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype) or _holds_objects(column):
        column = column.map(str, na_action="ignore").astype(pd.StringDtype("pyarrow"))
    if not isinstance(column.dtype, pd.StringDtype):
        return column
    stripped = column.str.strip()
    return stripped.mask(stripped.isin(["", *MISSING]))


def _holds_objects(column: Any) -> bool:
    """Whether it holds dates, decimals or the like, which are read by their texts; not lists."""
    return (
        column.dtype == object
        and not column.map(lambda cell: isinstance(cell, (list, dict, bytes, np.ndarray))).any()
    )


def _decide(
    table: InputTable, name: str, cells: Any, decimal: str | None, notes: list[str]
) -> Feature | str:
    """A feature, "id", or why the column is of no use."""
    import pandas as pd

    present = cells.dropna()
    if len(present) == 0:
        return "without any value"
    is_text = isinstance(cells.dtype, pd.StringDtype)
    kind, numerals = _kind_of_texts(table, name, present, decimal) if is_text else ("", "point")
    if not is_text:
        kind = kind_of_type(cells.dtype)
    if kind == "":
        return "neither numbers nor texts nor dates"
    n_distinct = int(present.nunique())
    if _ID_NAME.search(name) and (kind == "category" or _are_whole(present, kind, numerals)):
        return "id"
    if n_distinct == 1:
        return "constant" if len(present) == len(cells) else _flag(name, present, notes)
    if kind == "number":
        if numerals != "point":
            example = next(text for text in present if "," in text)
            meaning = "a decimal comma" if numerals == "comma" else "commas between thousands"
            notes.append(f"{name!r}: numbers with {meaning}, such as {example}")
        return Feature(name, "number", numerals)
    if kind == "date":
        notes.append(f"{name!r}: dates, used as days since 1970-01-01")
        return Feature(name, "date")
    if n_distinct == len(present):
        return "id"
    if n_distinct > min(MOST_CATEGORIES, max(FEW_TEXTS, len(cells) // 4)):
        return f"free text ({n_distinct} different texts in {len(cells)} rows)"
    return Feature(name, "category", categories=tuple(sorted(present.unique())))


def _flag(name: str, present: Any, notes: list[str]) -> Feature:
    notes.append(f"{name!r}: {present.iloc[0]!s} or empty, used as 1 and 0")
    return Feature(name, "flag")


def kind_of_type(dtype: Any) -> str:
    import pandas as pd

    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        return "number" if dtype.kind != "c" else ""
    return "date" if pd.api.types.is_datetime64_any_dtype(dtype) else ""


def _kind_of_texts(
    table: InputTable, name: str, present: Any, decimal: str | None
) -> tuple[str, str]:
    shares = {
        numerals: float(present.str.fullmatch(pattern).mean())
        for numerals, pattern in NUMERALS.items()
        if numerals in _ALLOWED[decimal]
    }
    best = max(shares, key=lambda numerals: shares[numerals])
    if shares[best] >= 1.0 - STRAY_SHARE:
        also = [numerals for numerals in shares if shares[numerals] == shares[best]]
        if also == ["comma", "thousands"]:
            example = next(text for text in present if "," in text)
            raise UserError(
                f"{table.name}, column {name!r}: {example!r} may be a decimal comma or a "
                "separator of thousands: use --decimal ',' or --decimal '.'"
            )
        return "number", best
    if present.str.fullmatch(_DATE).all():
        return "date", "point"
    return "category", "point"


_ALLOWED = {
    None: ("point", "comma", "thousands"),
    ".": ("point", "thousands"),
    ",": ("comma",),
}


def _are_whole(present: Any, kind: str, numerals: str) -> bool:
    import pandas as pd

    if isinstance(present.dtype, pd.StringDtype):
        return kind == "number" and numerals == "point" and present.str.fullmatch("[0-9]+").all()
    return bool(pd.api.types.is_integer_dtype(present.dtype))
