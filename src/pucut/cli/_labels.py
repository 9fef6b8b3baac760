"""Which rows of a table are known positives, from its label column."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray
from pucut.cli._errors import UserError
from pucut.cli._numerals import MISSING
from pucut.cli._reading import InputTable, listing

# Of two texts the one that is among the first, or whose other is among the second, is the positive.
POSITIVE_WORDS = frozenset(
    {"positive", "pos", "p", "+", "yes", "y", "true", "t", "known", "labelled", "labeled", "case"}
)
OTHER_WORDS = frozenset(
    {"negative", "neg", "n", "-", "no", "false", "f", "unknown", "unlabelled", "unlabeled", "u"}
    | {"other", "none", "control"}
)


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """Known positives, the value that marks them, and a sentence that says so."""

    is_labelled: BoolArray
    positive: str
    note: str


def read_labels(table: InputTable, column: str, positive: str | None = None) -> LabelColumn:
    """Reads a column of two values, or of one value and empty cells; or says what is wrong.

    `positive` names the value of known positives; all others then count as unlabelled.
    """
    values = _plain_values(table.frame[column])
    is_present = values != ""
    distinct = sorted(set(values[is_present]), key=_in_order)
    where = f"{table.name}, column {column!r}"
    if not distinct:
        raise UserError(f"{where} is empty: known positives must be marked in it")
    chosen = _positive_value(distinct, positive, where, has_empty=not is_present.all())
    is_labelled: BoolArray = np.asarray(values == chosen, dtype=np.bool_)
    n_labelled = int(is_labelled.sum())
    if n_labelled == len(values):
        raise UserError(
            f"{where} holds {chosen!r} in every row: rows that are not known to be positive must "
            "hold another value, or be empty"
        )
    others = [repr(value) for value in distinct if value != chosen]
    shown = others if len(others) <= 5 else [*others[:5], f"{len(others) - 5} others"]
    rest = ", ".join([*shown, *([] if is_present.all() else ["empty"])])
    note = (
        f"{n_labelled} of {len(values)} rows are known positives ({column} is {chosen}); "
        f"the others ({rest}) count as unlabelled"
    )
    return LabelColumn(is_labelled, chosen, note)


def read_truth(table: InputTable, column: str, labels: LabelColumn) -> BoolArray:
    """True classes of all rows: no cell may be empty."""
    values = _plain_values(table.frame[column])
    where = f"{table.name}, column {column!r}"
    empty = np.flatnonzero(values == "")
    if len(empty):
        raise UserError(
            f"{where} is empty in {table.place(int(empty[0]))}: true classes must be known for "
            "every row"
        )
    distinct = sorted(set(values), key=_in_order)
    if len(distinct) != 2:
        raise UserError(f"{where} must hold two classes, found {listing(distinct, 5)}")
    same = labels.positive if labels.positive in distinct else None
    return np.asarray(values == _positive_value(distinct, same, where), dtype=np.bool_)


def _plain_values(column: Any) -> Any:
    """Texts; 1, 1.0 and 01 are all "1", and what means nothing is empty."""
    plain = {text: _plain(text) for text in column.dropna().map(str).unique()}
    texts = column.map(str, na_action="ignore").map(plain, na_action="ignore")
    return texts.astype(object).where(column.notna(), "").to_numpy(dtype=object)


def _plain(text: str) -> str:
    stripped = text.strip()
    if stripped in MISSING:
        return ""
    number = _number(stripped)
    if number is None:
        return stripped
    return str(int(number)) if number.is_integer() else str(number)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _in_order(text: str) -> tuple[bool, float, str]:
    number = _number(text)
    return (number is None, 0.0 if number is None else number, text)


def _positive_value(
    distinct: list[str], given: str | None, where: str, *, has_empty: bool = False
) -> str:
    if given is not None:
        wanted = _plain(given)
        if wanted not in distinct:
            raise UserError(
                f"--positive {given!r} is not in {where}: it holds {listing(distinct, 5)}"
            )
        return wanted
    if len(distinct) > 2:
        raise UserError(
            f"{where} holds {len(distinct)} values ({listing(distinct, 5)}), and must hold two, or "
            "one and empty cells; --positive VALUE names that of the known positives, all others "
            "then count as unlabelled"
        )
    others = [value for value in distinct if _means_other(value)]
    if len(distinct) == 1:
        if others:
            raise UserError(
                f"{where} holds no known positives, only {distinct[0]!r}"
                + (" and empty cells" if has_empty else "")
            )
        return distinct[0]
    positives = [value for value in distinct if value.lower() in POSITIVE_WORDS]
    if len(positives) == 1:
        return positives[0]
    if len(others) == 1:
        return next(value for value in distinct if value not in others)
    if all(_number(value) is not None for value in distinct):
        return distinct[-1]
    raise UserError(
        f"{where} holds {distinct[0]!r} and {distinct[1]!r}: say which marks the known positives, "
        f"--positive {distinct[0]!r} or --positive {distinct[1]!r}"
    )


def _means_other(value: str) -> bool:
    return value.lower() in OTHER_WORDS or value in ("0", "-1")
