"""What the cells of a column are, from all of them; asks where that is not clear."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pucut.cli._dates import ORDERS, UnclearOrder, days_of, find_order, parts_worth_having
from pucut.cli._errors import UserError
from pucut.cli._numerals import (
    MISSING,
    NUMERALS,
    DecimalOrThousands,
    MixedUnits,
    NumberForm,
    find_form,
    is_numeral,
    split_cell,
)
from pucut.cli._plan import Feature
from pucut.cli._reading import InputTable, listing
from pucut.cli._texts import learn_texts
from pucut.data.tables import MOST_CATEGORIES

# Chromosomes are names, most of which happen to be numbers.
CHROMOSOME_NAME = re.compile(r"^(chr|chrom|chromosome)(_?name)?$", re.IGNORECASE)
_CHROMOSOME = re.compile(r"[1-9][0-9]?|X|Y|XY|Z|W|M|MT", re.IGNORECASE)


def cells_of(column: Any) -> Any:
    """Texts stripped, with those that mean nothing missing; other types as they are."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype) or _holds_objects(column):
        column = column.map(str, na_action="ignore").astype(pd.StringDtype("pyarrow"))
    if not isinstance(column.dtype, pd.StringDtype):
        return column
    stripped = column.str.strip()
    return stripped.mask(stripped.isin(["", *MISSING]))


def kind_of_type(dtype: Any) -> str:
    import pandas as pd

    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        return "number" if dtype.kind != "c" else ""
    return "date" if pd.api.types.is_datetime64_any_dtype(dtype) else ""


def days_of_type(cells: Any) -> Any:
    """Days since 1970 of a column of pandas' own dates."""
    import pandas as pd

    moments = pd.to_datetime(cells, utc=True)
    days = (moments - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return days.to_numpy(dtype=np.float64)


def _holds_objects(column: Any) -> bool:
    """Whether it holds dates, decimals or the like, which are read by their texts; not lists."""
    return (
        column.dtype == object
        and not column.map(lambda cell: isinstance(cell, (list, dict, bytes, np.ndarray))).any()
    )


def found_in_texts(table: InputTable, name: str, present: Any, decimal: str | None) -> Feature:
    """What texts are, from all of them; asks where that is not clear."""
    is_named = CHROMOSOME_NAME.search(name) is not None
    if not is_named and decimal != "," and present.str.fullmatch(NUMERALS["point"]).all():
        return Feature(name, "number")
    counts = _counts(present)
    if all(_CHROMOSOME.fullmatch(text) for text in counts) and (
        is_named or not all(text.isdecimal() for text in counts)
    ):
        return Feature(name, "category")
    form = _form(table, name, counts, decimal)
    if form is not None:
        return Feature(name, "number", form.numerals, form.unit, _any_limit(counts, form))
    order = _order(table, name, counts)
    return Feature(name, "category") if order is None else _date(name, counts, order)


def as_told(
    table: InputTable, told: Feature, present: Any, is_text: bool, decimal: str | None
) -> Feature:
    """The column as the user said, with what else has to be known of it."""
    name, kind = told.name, told.kind
    where = f"{table.name}, column {name!r}"
    if kind == "category":
        categories = tuple(sorted(present.map(str).unique()))
        if len(categories) > MOST_CATEGORIES:
            raise UserError(
                f"--category-column: {where} has {len(categories)} categories, allowed are "
                f"{MOST_CATEGORIES}"
            )
        return Feature(name, kind, categories=categories, is_told=True)
    if kind == "text":
        text = text_feature(name, present.map(str), is_told=True)
        if text is None:
            raise UserError(f"--text-column: the texts of {where} have nothing in common")
        return text
    if not is_text:
        found = kind_of_type(present.dtype)
        if found != kind:
            raise UserError(f"--{kind}-column: {where} is of the type {present.dtype}")
        parts = parts_worth_having(days_of_type(present)) if kind == "date" else ()
        return Feature(name, kind, parts=parts, is_told=True)
    counts = _counts(present)
    if kind == "number":
        form = _form(table, name, _number_like(counts), decimal)
        if form is not None:
            limits = _any_limit(counts, form)
            return Feature(name, kind, form.numerals, form.unit, limits, is_told=True)
    else:
        orders = [told.order] if told.order else list(ORDERS)
        dates = {
            text: count
            for text, count in counts.items()
            if any(days_of(text, order) is not None for order in orders)
        }
        order = told.order or _order(table, name, dates)
        if dates and order:
            return _date(name, dates, order, is_told=True)
    raise UserError(f"--{kind}-column: {where} holds no {kind}s, but {listing(list(counts), 3)}")


def text_feature(name: str, present: Any, *, is_told: bool = False) -> Feature | None:
    """None if there is nothing to learn from the texts."""
    model = learn_texts(present.astype(object).tolist())
    return None if model is None else Feature(name, "text", is_told=is_told, text=model)


def _counts(present: Any) -> dict[str, int]:
    return dict(present.value_counts(sort=False).items())


def _form(
    table: InputTable, name: str, counts: Mapping[str, int], decimal: str | None
) -> NumberForm | None:
    where = f"{table.name}, column {name!r}"
    try:
        return find_form(counts, decimal) if counts else None
    except DecimalOrThousands as unclear:
        example = next(text for text in counts if "," in text)
        raise UserError(
            f"{where}: {example!r} may be a decimal comma or a separator of thousands: use "
            "--decimal ',' or --decimal '.'"
        ) from unclear
    except MixedUnits as mixed:
        units = [repr(unit) if unit else "no unit" for unit in mixed.units[:5]]
        raise UserError(
            f"{where} holds numbers with different units ({', '.join(units)}): write them in one "
            f"unit, or use --category-column {name!r} or --drop {name!r}"
        ) from mixed


def _order(table: InputTable, name: str, counts: Mapping[str, int]) -> str | None:
    try:
        return find_order(counts)
    except UnclearOrder as unclear:
        example = min(counts, key=lambda text: days_of(text, "dmy") is None)
        raise UserError(
            f"{table.name}, column {name!r} holds dates such as {example!r}, and {unclear}: use "
            f"--date-column '{name}=dmy' if the day comes first, mdy if the month does, or "
            f"--drop {name!r}"
        ) from unclear


def _number_like(counts: Mapping[str, int]) -> dict[str, int]:
    """The cells that could be numbers of the commonest unit."""
    cells = {text: cell for text in counts if (cell := split_cell(text)) is not None}
    n_of_unit: dict[str, int] = {}
    for text, cell in cells.items():
        n_of_unit[cell.unit] = n_of_unit.get(cell.unit, 0) + counts[text]
    unit = max(n_of_unit, key=lambda unit: n_of_unit[unit], default="")
    return {text: counts[text] for text, cell in cells.items() if cell.unit == unit}


def _any_limit(counts: Mapping[str, int], form: NumberForm) -> bool:
    cells = [cell for text in counts if (cell := split_cell(text)) is not None and cell.limit]
    return any(cell.unit == form.unit and is_numeral(cell.numeral, form.numerals) for cell in cells)


def _date(name: str, texts: Iterable[str], order: str, *, is_told: bool = False) -> Feature:
    days = [found for text in texts if (found := days_of(text, order)) is not None]
    parts = parts_worth_having(np.array(days))
    return Feature(name, "date", order=order, parts=parts, is_told=is_told)
