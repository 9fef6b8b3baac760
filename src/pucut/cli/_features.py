"""The values of the columns that are used, read as was decided about each (`Feature`)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut.cli._columns import STRAY_SHARE, Feature, cells_of, kind_of_type
from pucut.cli._errors import UserError
from pucut.cli._numerals import NUMERALS
from pucut.cli._reading import InputTable, listing


def feature_frame(table: InputTable, features: Sequence[Feature]) -> tuple[Any, tuple[str, ...]]:
    """The features as a data frame of floats and categories, and notes on cells that were lost."""
    import pandas as pd

    notes: list[str] = []
    columns: dict[str, Any] = {}
    for feature in features:
        if feature == Feature(feature.name, "number") and feature.name in table.numbers:
            columns[feature.name] = table.numbers[feature.name]
            continue
        cells = cells_of(table.frame[feature.name])
        if feature.kind == "number":
            columns[feature.name] = _numbers(table, feature, cells, notes)
        elif feature.kind == "date":
            columns[feature.name] = _days(table, feature, cells)
        elif feature.kind == "flag":
            columns[feature.name] = cells.notna().to_numpy(dtype=np.float64)
        else:
            columns[feature.name] = _categories(feature, cells, notes)
    return pd.DataFrame(columns), tuple(notes)


def _numbers(table: InputTable, feature: Feature, cells: Any, notes: list[str]) -> FloatArray:
    import pandas as pd

    if not isinstance(cells.dtype, pd.StringDtype):
        if kind_of_type(cells.dtype) != "number":
            raise UserError(
                f"{table.name}, column {feature.name!r} must hold numbers, found {cells.dtype}"
            )
        values = cells.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
        return _finite(table, feature, values)
    is_number = cells.str.fullmatch(NUMERALS[feature.numerals]).fillna(value=False)
    is_stray = (cells.notna() & ~is_number.astype(bool)).to_numpy(dtype=np.bool_)
    if is_stray.any():
        row = int(np.flatnonzero(is_stray)[0])
        examples = listing(list(cells[is_stray].unique()), 3)
        if is_stray.sum() > STRAY_SHARE * int(cells.notna().sum()):
            raise UserError(
                f"{table.name}, column {feature.name!r} must hold numbers, found {examples} "
                f"({table.place(row)})"
            )
        notes.append(
            f"{feature.name!r}: {is_stray.sum()} cells are not numbers and count as missing: "
            f"{examples}, first in {table.place(row)}"
        )
    texts = cells.mask(is_stray)
    if feature.numerals == "comma":
        texts = texts.str.replace(",", ".", regex=False)
    elif feature.numerals == "thousands":
        texts = texts.str.replace(",", "", regex=False)
    values = texts.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
    return _finite(table, feature, values)


def _finite(table: InputTable, feature: Feature, values: FloatArray) -> FloatArray:
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise UserError(
            f"{table.name}, {table.place(row)}, column {feature.name!r}: the number is infinite; "
            "leave the cell empty if it is not known"
        )
    return values


def _days(table: InputTable, feature: Feature, cells: Any) -> FloatArray:
    import pandas as pd

    try:
        moments = pd.to_datetime(cells, format="ISO8601", utc=True)
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{table.name}, column {feature.name!r} must hold dates like 2024-05-31: {error}"
        ) from error
    days = (moments - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return np.asarray(days.to_numpy(dtype=np.float64))


def _categories(feature: Feature, cells: Any, notes: list[str]) -> Any:
    import pandas as pd

    texts = cells if isinstance(cells.dtype, pd.StringDtype) else cells.map(str, "ignore")
    known = list(feature.categories)
    unknown = texts[texts.notna() & ~texts.isin(known)]
    if len(unknown):
        notes.append(
            f"{feature.name!r}: {len(unknown)} cells hold values the model has not seen, and count "
            f"as missing: {listing(list(unknown.unique()), 3)}"
        )
    return pd.Categorical(texts.astype(object), categories=known)
