"""The label column of a table: which rows are known positives and which known negatives."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray
from pucut.data.label_words import in_one_spelling, meaning_of, number_of, positive_of, word_of
from pucut.data.labels import PULabels
from pucut.tables.cells import Cells
from pucut.tables.errors import TableError, listing
from pucut.tables.numerals import MISSING
from pucut.tables.reading import InputTable


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """The labels of the rows, the values that mark them, and a sentence about them.

    `known` is what `fit` takes as y.
    """

    known: PULabels
    positives: tuple[str, ...]
    negatives: tuple[str, ...]
    note: str


def read_labels(
    table: InputTable,
    column: str,
    *,
    positive: Sequence[str] = (),
    negative: Sequence[str] = (),
    unlabelled: Sequence[str] = (),
) -> LabelColumn:
    """Read a column of labels and empty cells, or raise an error that says what is wrong with it.

    The meaning of values that are not named here follows from their words: yes, no, unknown ... If
    words do not say it, that is an error which shows the options.
    """
    where = f"{table.name}, column {column!r}"
    values = _label_values(table, column)
    is_present = values != ""
    distinct = sorted(set(values[is_present]), key=_in_order)
    if not distinct:
        raise TableError(f"{where} is empty: known positives must be marked in it")
    named = (positive, negative, unlabelled)
    positives, negatives = _meanings(distinct, named, where, has_empty=not is_present.all())
    is_labelled, is_negative = np.isin(values, positives), np.isin(values, negatives)
    if is_labelled.all():
        raise TableError(
            f"{where} holds {listing(positives, 5)} in every row: rows that are not known to be "
            "positive must hold another value, or be empty"
        )
    if (is_labelled | is_negative).all():
        raise TableError(
            f"{where} holds a known class in every row: rows of which nothing is known must hold "
            "another value, or be empty"
        )
    known = PULabels(is_labelled, np.array([False, True]), is_negative)
    rest = [repr(value) for value in distinct if value not in (*positives, *negatives)]
    shown = rest if len(rest) <= 5 else [*rest[:5], f"{len(rest) - 5} others"]
    others = ", ".join([*shown, *([] if is_present.all() else ["empty"])])
    of_negatives = f" and {known.n_negative} known negatives ({' or '.join(negatives)})"
    note = (
        f"{known.n_labelled} of {len(values)} rows are known positives "
        f"({column} is {' or '.join(positives)}){of_negatives if negatives else ''}; the others "
        f"({others}) count as unlabelled"
    )
    return LabelColumn(known, tuple(positives), tuple(negatives), note)


def read_truth(table: InputTable, column: str, labels: LabelColumn) -> BoolArray:
    """Return which rows are positive, from a column of true classes without empty cells."""
    values = _label_values(table, column)
    where = f"{table.name}, column {column!r}"
    empty = np.flatnonzero(values == "")
    if len(empty):
        why = "true classes must be known for every row"
        raise TableError(f"{where} is empty in {table.place(int(empty[0]))}: {why}")
    distinct = sorted(set(values), key=_in_order)
    if len(distinct) != 2:
        raise TableError(f"{where} must hold two classes, found {listing(distinct, 5)}")
    same = [value for value in distinct if value in labels.positives]
    return np.asarray(values == (same[0] if same else _positive(distinct, where)), dtype=np.bool_)


def _label_values(table: InputTable, column: str) -> Any:
    """Return texts: 1, 1.0 and 01 are "1", missing values are empty, words have one spelling."""
    cells = Cells(table, column).as_texts()
    values = np.array([*map(_normalised, cells.texts), ""], dtype=object)[cells.codes]
    values[values != ""] = in_one_spelling(values[values != ""])
    return values


def _normalised(text: str) -> str:
    stripped = text.strip()
    if stripped in MISSING:
        return ""
    number = number_of(stripped)
    if number is None:
        return stripped
    return str(int(number)) if number.is_integer() else str(number)


def _in_order(text: str) -> tuple[bool, float, str]:
    number = number_of(text)
    return (number is None, 0.0 if number is None else number, text)


def _meanings(
    distinct: list[str], named: Sequence[Sequence[str]], where: str, *, has_empty: bool
) -> tuple[list[str], list[str]]:
    """Return the values that mean positive and negative; empty cells mean unlabelled.

    `named` has the values that options name as positive, negative and unlabelled.
    """
    options = ("--positive", "--negative", "--unlabelled")
    positive, negative, unlabelled = (
        _values_named(option, given, distinct, where)
        for option, given in zip(options, named, strict=True)
    )
    twice = {*positive} & {*negative} | {*positive} & {*unlabelled} | {*negative} & {*unlabelled}
    if twice:
        which = "--positive, --negative and --unlabelled"
        raise TableError(f"{min(twice)!r} is named by two of {which}")
    rest = [value for value in distinct if value not in (*positive, *negative, *unlabelled)]
    open_to = [v for v in rest if meaning_of(v) != "unlabelled" and v != "-1"]
    has_others = has_empty or len(open_to) < len(rest) or bool(unlabelled)
    if positive:
        for value, one in product(rest, positive):
            if one.casefold() == value.casefold():
                raise TableError(
                    f"{where} holds {one!r} and {value!r}: say --positive {value} too if it means "
                    f"the same, or --unlabelled {value}"
                )
    else:
        positive = [_open_positive(open_to, negative, distinct, where, has_empty=has_empty)]
        open_to = [value for value in open_to if value not in positive]
    words = [value for value in open_to if meaning_of(value) == "negative"]
    strangers = [value for value in open_to if value not in (*words, *positive)]
    if has_others or strangers:
        negative += words
    is_unclear = not named[0] or all(number_of(value) is not None for value in strangers)
    if has_others and len(strangers) == 1 and not named[1] and is_unclear:
        stranger = strangers[0]
        raise TableError(
            f"{where} holds {stranger!r} beside {listing(positive, 5)} and rows that are "
            f"unlabelled: say --negative {stranger} if it marks known negatives, or --unlabelled "
            f"{stranger} if it does not"
        )
    return positive, negative


def _values_named(option: str, given: Iterable[str], distinct: list[str], where: str) -> list[str]:
    found = []
    for text in given:
        wanted = word_of(_normalised(text))
        same = [value for value in distinct if word_of(value) == wanted]
        if not same:
            shown = listing(distinct, 5)
            raise TableError(f"{option} {text!r} is not in {where}: it holds {shown}")
        found += same
    return list(dict.fromkeys(found))


def _open_positive(
    open_to: list[str], negative: list[str], distinct: list[str], where: str, *, has_empty: bool
) -> str:
    """Return the value that marks positives where no option names one."""
    candidates = open_to
    meanings = [meaning_of(value) for value in open_to]
    if negative and len(open_to) > 1:
        candidates = [v for v in open_to if meaning_of(v) == "positive"] or open_to
    elif len(open_to) > 2 and {*meanings} != {"negative", "positive"}:
        raise TableError(
            f"{where} holds {len(distinct)} values ({listing(distinct, 5)}), and must hold two, or "
            "one and empty cells; --positive VALUE names that of the known positives and "
            "--negative VALUE that of known negatives, all others then count as unlabelled"
        )
    if all(meaning_of(value) == "negative" or value == "0" for value in candidates):
        only = f"{listing(distinct, 5)}{' and empty cells' if has_empty else ''}"
        raise TableError(f"{where} holds no known positives, only {only}")
    return _positive(candidates, where)


def _positive(values: list[str], where: str) -> str:
    """Return the value that marks positives, by its word or as the largest number."""
    try:
        found = positive_of(values)
    except ValueError as error:
        options = " ".join(f"--positive {value}" for value in values)
        raise TableError(f"{where} {error}; {options} would name them all") from None
    if found is None:
        raise TableError(
            f"{where} holds {listing(values, 5)}: say which marks the known positives, "
            + " or ".join(f"--positive {value!r}" for value in values[:2])
        )
    return found
