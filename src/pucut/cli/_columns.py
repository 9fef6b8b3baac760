"""What each column is: an identifier, a feature of some kind, or of no use.

What was decided about the features (`Feature`) is kept in model files, so that later tables are
read in the same way.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pucut.cli._dates import parts_worth_having
from pucut.cli._errors import UserError
from pucut.cli._kinds import (
    CHROMOSOME_NAME,
    as_told,
    cells_of,
    days_of_type,
    found_in_texts,
    kind_of_type,
    text_feature,
)
from pucut.cli._numerals import WITH_COMMA
from pucut.cli._plan import ColumnPlan, Feature
from pucut.cli._reading import InputTable, listing
from pucut.cli._texts import WORDS_OF_A_TEXT, words_per_text
from pucut.data.tables import MOST_CATEGORIES

# As many distinct texts are categories in a table however small.
FEW_TEXTS = 10

_ID_NAME = re.compile(r"(^|[ _.\-])(id|ids|uuid)$|[a-z]I[dD]$|^row_name$", re.ASCII)
_MAY_BE_THOUSANDS = r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+"


def plan_columns(
    table: InputTable,
    *,
    taken: Iterable[str],
    ids: Sequence[str] = (),
    ignored: Sequence[str] = (),
    told: Mapping[str, Feature] | None = None,
    decimal: str | None = None,
) -> ColumnPlan:
    """Decides on every column that is neither `taken` nor given as an identifier or ignored.

    `told` has the columns whose kind the user gave.
    """
    told = told or {}
    settled = {*taken, *ids, *ignored}
    found_ids: list[str] = []
    features: list[Feature] = []
    useless: dict[str, list[str]] = {}
    for name in map(str, table.frame.columns):
        if name in settled:
            continue
        if name in table.numbers and _is_plainly_number(name, told, decimal):
            features.append(Feature(name, "number"))
            continue
        cells = cells_of(table.frame[name])
        decision = _decide(table, name, cells, told.get(name), decimal)
        if isinstance(decision, Feature):
            features.append(decision)
        elif decision == "id":
            found_ids.append(name)
        else:
            useless.setdefault(decision, []).append(name)
    notes = [f"{listing(names, 20)}: not used, {why}" for why, names in useless.items()]
    if found_ids:
        many = "s" * (len(found_ids) > 1)
        said = f"{listing(found_ids)}: taken as identifier{many}, not as feature{many}"
        notes.insert(0, said)
    if not features:
        raise UserError(
            f"{table.name} has no column that can be used as a feature"
            + (f" ({'; '.join(notes)})" if notes else "")
        )
    if decimal is None:
        _ask_for_thousands(table, features)
    return ColumnPlan((*ids, *found_ids), tuple(features), tuple(notes))


def _is_plainly_number(name: str, told: Mapping[str, Feature], decimal: str | None) -> bool:
    is_name = _ID_NAME.search(name) or CHROMOSOME_NAME.search(name)
    return decimal != "," and name not in told and not is_name


def _decide(
    table: InputTable, name: str, cells: Any, told: Feature | None, decimal: str | None
) -> Feature | str:
    """A feature, "id", or why the column is of no use."""
    import pandas as pd

    present = cells.dropna()
    if len(present) == 0:
        return "without any value"
    is_text = isinstance(cells.dtype, pd.StringDtype)
    if told is not None:
        return as_told(table, told, present, is_text, decimal)
    if is_text:
        found = found_in_texts(table, name, present, decimal)
    else:
        found = Feature(name, kind_of_type(cells.dtype))
        if found.kind == "date":
            found = Feature(name, "date", parts=parts_worth_having(days_of_type(present)))
    if found.kind == "":
        return "neither numbers nor texts nor dates"
    if _ID_NAME.search(name) and (found.kind == "category" or _are_whole(present, found)):
        return "id"
    n_distinct = int(present.nunique())
    if n_distinct == 1:
        if len(present) == len(cells):
            return "constant"
        return Feature(name, "flag", categories=(str(present.iloc[0]),))
    if found.kind != "category":
        return found
    if n_distinct == len(present) and words_per_text(present) < WORDS_OF_A_TEXT:
        return "id"
    if n_distinct > min(MOST_CATEGORIES, max(FEW_TEXTS, len(cells) // 4)):
        return text_feature(name, present) or "texts that have nothing in common"
    return Feature(name, "category", categories=tuple(sorted(present.unique())))


def _are_whole(present: Any, found: Feature) -> bool:
    import pandas as pd

    if isinstance(present.dtype, pd.StringDtype):
        return found.kind == "number" and bool(present.str.fullmatch("[0-9]+").all())
    return bool(pd.api.types.is_integer_dtype(present.dtype))


def _ask_for_thousands(table: InputTable, features: Iterable[Feature]) -> None:
    """Where other columns have decimal commas, a column of 1.234 and 2.500 may mean thousands."""
    import pandas as pd

    comma = next((feature for feature in features if feature.numerals in WITH_COMMA), None)
    if comma is None:
        return
    for feature in features:
        if feature.kind != "number" or feature.numerals != "point":
            continue
        values = table.numbers.get(feature.name)
        if values is not None and not _three_decimals(values):
            continue
        cells = cells_of(table.frame[feature.name])
        if not isinstance(cells.dtype, pd.StringDtype):
            continue
        with_point = cells.dropna()[cells.dropna().str.contains(".", regex=False)]
        if len(with_point) and with_point.str.fullmatch(_MAY_BE_THOUSANDS).all():
            raise UserError(
                f"{table.name}, column {feature.name!r}: {with_point.iloc[0]!r} may be a decimal "
                f"point or a separator of thousands, as {comma.name!r} has decimal commas: use "
                "--decimal ',' or --decimal '.'"
            )


def _three_decimals(values: Any) -> bool:
    thousandfold = 1000.0 * values[~np.isnan(values)]
    return bool((np.abs(thousandfold - np.round(thousandfold)) < 1e-6).all())
