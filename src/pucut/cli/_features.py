"""The values of the columns that are used, read as was decided about each (`Feature`)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.cli._dates import days_of, part_of_dates
from pucut.cli._errors import UserError
from pucut.cli._kinds import cells_of, days_of_type, kind_of_type
from pucut.cli._numerals import (
    NUMERALS,
    STRAY_SHARE,
    best_numerals,
    is_numeral,
    split_cell,
    to_number,
)
from pucut.cli._plan import Feature, columns_of
from pucut.cli._reading import InputTable, listing
from pucut.cli._texts import text_values

_SIGN_OF_LIMIT = {"<": -1.0, "": 0.0, ">": 1.0}


def feature_frame(
    table: InputTable, features: Sequence[Feature], decimal: str | None = None
) -> tuple[Any, tuple[str, ...]]:
    """The features as a data frame of floats and categories, and notes on cells that were lost.

    `decimal` is the decimal sign of this table, where it need not be that of the features.
    """
    import pandas as pd

    notes: list[str] = []
    columns: dict[str, Any] = {}
    names = columns_of(features)
    for feature in features:
        is_plain = feature == Feature(feature.name, "number") and decimal != ","
        if is_plain and feature.name in table.numbers:
            columns[feature.name] = table.numbers[feature.name]
            continue
        cells = cells_of(table.frame[feature.name])
        values: list[Any]
        if feature.kind == "number":
            numbers, limits = _numbers(table, feature, cells, decimal, notes)
            values = [numbers, limits] if feature.has_limits else [numbers]
        elif feature.kind == "date":
            days = _days(table, feature, cells, notes)
            values = [days, *(part_of_dates(days, part) for part in feature.parts)]
        elif feature.kind == "flag":
            values = [cells.notna().to_numpy(dtype=np.float64)]
        elif feature.text is not None:
            values = list(text_values(feature.text, _texts(cells)).T)
        else:
            values = [_categories(feature, cells, notes)]
        columns.update(zip(names[feature.name], values, strict=True))
    return pd.DataFrame(columns), tuple(notes)


def _texts(cells: Any) -> Any:
    import pandas as pd

    return cells if isinstance(cells.dtype, pd.StringDtype) else cells.map(str, "ignore")


def _numbers(
    table: InputTable, feature: Feature, cells: Any, decimal: str | None, notes: list[str]
) -> tuple[FloatArray, FloatArray]:
    """The numbers, and -1, 0 or 1 for limits."""
    import pandas as pd

    if not isinstance(cells.dtype, pd.StringDtype):
        if kind_of_type(cells.dtype) != "number":
            raise UserError(
                f"{table.name}, column {feature.name!r} must hold numbers, found {cells.dtype}"
            )
        values = cells.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
        return _finite(table, feature, values), np.zeros(len(values))
    if decimal is not None:
        feature = _with_decimal(feature, cells, decimal)
    if feature.unit == "" and feature.numerals == "point":
        is_plain = cells.str.fullmatch(NUMERALS["point"]).fillna(value=True)
        if is_plain.all():
            values = cells.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
            return _finite(table, feature, values), np.zeros(len(values))

    def read(text: str) -> tuple[float, float] | None:
        cell = split_cell(text)
        if cell is None or cell.unit != feature.unit:
            return None
        if not is_numeral(cell.numeral, feature.numerals):
            return None
        return to_number(cell.numeral, feature.numerals), _SIGN_OF_LIMIT[cell.limit]

    unit = f" in {feature.unit}" if feature.unit else ""
    found = _read_each(table, feature, cells, read, 2, f"numbers{unit}", notes)
    values, limits = found[:, 0], np.nan_to_num(found[:, 1])
    if limits.any() and not feature.has_limits:
        notes.append(
            f"{feature.name!r}: {np.count_nonzero(limits)} cells are limits such as <0.5, of which "
            "the model knows none: their values are used"
        )
    return _finite(table, feature, values), limits


def _with_decimal(feature: Feature, cells: Any, decimal: str) -> Feature:
    """The feature as this table writes its numbers."""
    parts = {text: split_cell(text) for text in cells.dropna().unique()}
    counts = {cell.numeral: 1 for cell in parts.values() if cell is not None}
    numerals = best_numerals(counts, decimal) if counts else None
    return feature if numerals is None else replace(feature, numerals=numerals)


def _days(table: InputTable, feature: Feature, cells: Any, notes: list[str]) -> FloatArray:
    if kind_of_type(cells.dtype) == "date":
        return np.asarray(days_of_type(cells))
    if kind_of_type(cells.dtype) == "number":
        raise UserError(
            f"{table.name}, column {feature.name!r} must hold dates, found {cells.dtype}"
        )

    def read(text: str) -> tuple[float] | None:
        days = days_of(text, feature.order)
        return None if days is None else (days,)

    example = {"ymd": "2024-05-31", "dmy": "31.05.2024", "mdy": "05/31/2024", "name": "31 May 2024"}
    wanted = f"dates like {example[feature.order]}"
    return _read_each(table, feature, cells, read, 1, wanted, notes)[:, 0]


def _read_each(
    table: InputTable,
    feature: Feature,
    cells: Any,
    read: Callable[[str], tuple[float, ...] | None],
    width: int,
    wanted: str,
    notes: list[str],
) -> FloatArray:
    """The `width` numbers that `read` makes of each cell; NaN for the few that it cannot read."""
    import pandas as pd

    codes, texts = pd.factorize(cells)
    found = [read(text) for text in texts]
    rows = np.full((len(found) + 1, width), np.nan)  # the last is that of missing cells
    for place, values in enumerate(found):
        if values is not None:
            rows[place] = values
    is_lost = np.array([values is None for values in found] + [False])
    _say_what_is_lost(table, feature, cells, is_lost[codes], wanted, notes)
    found_rows: FloatArray = rows[codes]
    return found_rows


def _say_what_is_lost(
    table: InputTable,
    feature: Feature,
    cells: Any,
    is_lost: BoolArray,
    wanted: str,
    notes: list[str],
) -> None:
    if not is_lost.any():
        return
    row = int(np.flatnonzero(is_lost)[0])
    examples = listing(list(cells[is_lost].unique()), 3)
    if is_lost.sum() > STRAY_SHARE * int(cells.notna().sum()) and not feature.is_told:
        raise UserError(
            f"{table.name}, column {feature.name!r} must hold {wanted}, found {examples} "
            f"({table.place(row)})"
        )
    notes.append(
        f"{feature.name!r}: {is_lost.sum()} cells are not {wanted} and count as missing: "
        f"{examples}, first in {table.place(row)}"
    )


def _finite(table: InputTable, feature: Feature, values: FloatArray) -> FloatArray:
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise UserError(
            f"{table.name}, {table.place(row)}, column {feature.name!r}: the number is infinite; "
            "leave the cell empty if it is not known"
        )
    return values


def _categories(feature: Feature, cells: Any, notes: list[str]) -> Any:
    import pandas as pd

    texts = _texts(cells)
    known = list(feature.categories)
    unknown = texts[texts.notna() & ~texts.isin(known)]
    if len(unknown):
        notes.append(
            f"{feature.name!r}: {len(unknown)} cells hold values the model has not seen, and count "
            f"as missing: {listing(list(unknown.unique()), 3)}"
        )
    return pd.Categorical(texts.astype(object), categories=known)
