"""Which rows of a table are known positives and known negatives, from its label column."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray
from pucut.cli._errors import UserError
from pucut.cli._numerals import MISSING
from pucut.cli._reading import InputTable, listing
from pucut.data.label_words import in_one_spelling, meaning_of, number_of, positive_of, word_of
from pucut.data.labels import PULabels

_CLASSES = np.array([False, True])


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """What is known of the rows, the values that say so, and a sentence about it."""

    known: PULabels
    positives: tuple[str, ...]
    negatives: tuple[str, ...]
    note: str

    @property
    def is_labelled(self) -> BoolArray:
        return self.known.is_labelled


@dataclass(frozen=True)
class NamedLabels:
    """The values that options name."""

    positive: Sequence[str] = ()
    negative: Sequence[str] = ()
    unlabelled: Sequence[str] = ()


def read_labels(table: InputTable, column: str, named: NamedLabels | None = None) -> LabelColumn:
    """Reads a column of labels and empty cells, or says what is wrong with it.

    What options do not name, its word says: yes, no, unknown ... If words do not say it, that is
    an error which shows the options.
    """
    where = f"{table.name}, column {column!r}"
    values = _plain_values(table.frame[column])
    is_present = values != ""
    distinct = sorted(set(values[is_present]), key=_in_order)
    if not distinct:
        raise UserError(f"{where} is empty: known positives must be marked in it")
    found = _meanings(distinct, named or NamedLabels(), where, has_empty=not is_present.all())
    is_labelled = np.isin(values, found.positive)
    is_negative = np.isin(values, found.negative)
    if is_labelled.all():
        raise UserError(
            f"{where} holds {listing(found.positive, 5)} in every row: rows that are not known to "
            "be positive must hold another value, or be empty"
        )
    if (is_labelled | is_negative).all():
        raise UserError(
            f"{where} holds a known class in every row: rows of which nothing is known must hold "
            "another value, or be empty"
        )
    known = PULabels(is_labelled, _CLASSES, is_negative)
    rest = [repr(value) for value in distinct if value not in (*found.positive, *found.negative)]
    shown = rest if len(rest) <= 5 else [*rest[:5], f"{len(rest) - 5} others"]
    others = ", ".join([*shown, *([] if is_present.all() else ["empty"])])
    negatives = (
        f" and {known.n_negative} known negatives ({' or '.join(found.negative)})"
        if found.negative
        else ""
    )
    note = (
        f"{known.n_labelled} of {len(values)} rows are known positives "
        f"({column} is {' or '.join(found.positive)}){negatives}; the others ({others}) count as "
        "unlabelled"
    )
    return LabelColumn(known, tuple(found.positive), tuple(found.negative), note)


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
    same = [value for value in distinct if value in labels.positives]
    return np.asarray(values == (same[0] if same else _positive(distinct, where)), dtype=np.bool_)


def _plain_values(column: Any) -> Any:
    """Texts; 1, 1.0 and 01 are all "1", what means nothing is empty, words have one spelling."""
    plain = {text: _plain(text) for text in column.dropna().map(str).unique()}
    texts = column.map(str, na_action="ignore").map(plain, na_action="ignore")
    values = np.array(texts.astype(object).where(column.notna(), ""), dtype=object)
    values[values != ""] = in_one_spelling(values[values != ""])
    return values


def _plain(text: str) -> str:
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
    distinct: list[str], named: NamedLabels, where: str, *, has_empty: bool
) -> NamedLabels:
    """Which of the values mean what; empty cells mean unlabelled."""
    positive = _values_named("--positive", named.positive, distinct, where)
    negative = _values_named("--negative", named.negative, distinct, where)
    unlabelled = _values_named("--unlabelled", named.unlabelled, distinct, where)
    twice = {*positive} & {*negative} | {*positive} & {*unlabelled} | {*negative} & {*unlabelled}
    if twice:
        raise UserError(
            f"{sorted(twice)[0]!r} is named by two of --positive, --negative and --unlabelled"
        )
    rest = [value for value in distinct if value not in (*positive, *negative, *unlabelled)]
    open_to = [value for value in rest if not _means_unlabelled(value)]
    has_others = has_empty or len(open_to) < len(rest) or bool(unlabelled)
    if positive:
        _refuse_look_alikes(positive, rest, where)
    else:
        candidates = open_to
        if negative and len(open_to) > 1:
            candidates = [v for v in open_to if meaning_of(v) == "positive"] or open_to
        elif len(open_to) > 2 and not _says_all(open_to):
            raise UserError(_which_is_which(distinct, where))
        if all(meaning_of(value) == "negative" or value == "0" for value in candidates):
            empty = " and empty cells" if has_empty else ""
            raise UserError(f"{where} holds no known positives, only {listing(distinct, 5)}{empty}")
        positive = [_positive(candidates, where)]
        open_to = [value for value in open_to if value not in positive]
    words = [value for value in open_to if meaning_of(value) == "negative"]
    strangers = [value for value in open_to if value not in (*words, *positive)]
    if has_others or strangers:
        negative += words
    is_asked = not named.positive or all(number_of(value) is not None for value in strangers)
    if has_others and len(strangers) == 1 and not named.negative and is_asked:
        stranger = strangers[0]
        raise UserError(
            f"{where} holds {stranger!r} beside {listing(positive, 5)} and rows that are "
            f"unlabelled: say --negative {stranger} if it marks known negatives, or --unlabelled "
            f"{stranger} if it does not"
        )
    return NamedLabels(positive, negative)


def _values_named(option: str, given: Iterable[str], distinct: list[str], where: str) -> list[str]:
    found = []
    for text in given:
        wanted = word_of(_plain(text))
        same = [value for value in distinct if word_of(value) == wanted]
        if not same:
            raise UserError(f"{option} {text!r} is not in {where}: it holds {listing(distinct, 5)}")
        found += same
    return list(dict.fromkeys(found))


def _refuse_look_alikes(positive: list[str], rest: list[str], where: str) -> None:
    """A value that differs in its capitals alone would be thrown away."""
    for value in rest:
        same = [one for one in positive if one.casefold() == value.casefold()]
        if same:
            raise UserError(
                f"{where} holds {same[0]!r} and {value!r}: say --positive {value} too if it means "
                f"the same, or --unlabelled {value}"
            )


def _says_all(values: list[str]) -> bool:
    """Whether there is one word for positives, and the others mean negative."""
    return sorted({meaning_of(value) or "" for value in values}) == ["negative", "positive"]


def _which_is_which(distinct: list[str], where: str) -> str:
    return (
        f"{where} holds {len(distinct)} values ({listing(distinct, 5)}), and must hold two, or "
        "one and empty cells; --positive VALUE names that of the known positives and --negative "
        "VALUE that of known negatives, all others then count as unlabelled"
    )


def _positive(values: list[str], where: str) -> str:
    """The value that marks positives, by its word or as the largest number."""
    try:
        found = positive_of(values)
    except ValueError as error:
        options = " ".join(f"--positive {value}" for value in values)
        raise UserError(f"{where} {error}; {options} would name them all") from None
    if found is None:
        raise UserError(
            f"{where} holds {listing(values, 5)}: say which marks the known positives, "
            + " or ".join(f"--positive {value!r}" for value in values[:2])
        )
    return found


def _means_unlabelled(value: str) -> bool:
    return meaning_of(value) == "unlabelled" or value == "-1"
