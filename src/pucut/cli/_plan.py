"""What was decided about the columns of a table, and how it is said."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np

from pucut.cli._dates import ORDERS
from pucut.cli._numerals import EXAMPLES
from pucut.cli._texts import TextModel

# Lines about columns in a table of very many.
_MOST_LINES = 30
_SHOWN_CATEGORIES = 4
_PLURALS = {
    "number": "numbers",
    "category": "categories",
    "date": "dates",
    "flag": "flags",
    "text": "texts",
}


@dataclass(frozen=True)
class Feature:
    """A column that is used, and how its cells become values.

    Attributes
    ----------
    name : str
    kind : {"number", "category", "date", "flag", "text"}
        "date": days since 1970. "flag": 1 where the cell holds anything, else 0. "text": a column
        for each direction of `text`.
    numerals : str
        How texts write numbers: a name of `NUMERALS`.
    unit : str
        What stands beside every number, such as % or kDa.
    has_limits : bool
        Whether cells such as <0.5 occur: a further column then has -1 for <, 1 for > and else 0.
    order : str
        How texts write dates: a name of `ORDERS`.
    parts : tuple of str
        Of dates, such as the month: a further column each.
    categories : tuple of str
        Of a flag, the one text that was found.
    is_told : bool
        Whether the user said what it is. Cells that do not fit are then missing, however many.
    text : TextModel, optional
        What was learned of free text.
    """

    name: str
    kind: str
    numerals: str = "point"
    unit: str = ""
    has_limits: bool = False
    order: str = "ymd"
    parts: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    is_told: bool = False
    text: TextModel | None = field(default=None, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, without those that are as usual."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        plain = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if name in ("name", "kind") or value != getattr(Feature, name)
        }
        return plain if self.text is None else {**plain, "text": self.text.to_dict()}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        lists = {name: tuple(value) for name, value in plain.items() if isinstance(value, list)}
        text = TextModel.from_dict(plain["text"]) if "text" in plain else None
        return cls(**{**plain, **lists, "text": text})


@dataclass(frozen=True)
class ColumnPlan:
    """Which columns are identifiers and which are features, and what the user should know of it."""

    ids: tuple[str, ...]
    features: tuple[Feature, ...]
    notes: tuple[str, ...]


def columns_of(features: Sequence[Feature]) -> dict[str, tuple[str, ...]]:
    """The names of the columns of numbers or categories that each feature becomes."""
    taken = {feature.name for feature in features}
    found = {}
    for feature in features:
        further = list(feature.parts)
        if feature.has_limits:
            further.append("limit")
        if feature.text is not None:
            further.extend(feature.text.names)
        columns = [] if feature.text is not None else [feature.name]
        for what in further:
            name = f"{feature.name} ({what})"
            while name in taken:
                name += "'"
            taken.add(name)
            columns.append(name)
        found[feature.name] = tuple(columns)
    return found


def column_lines(features: Sequence[Feature], X: Any) -> list[str]:
    """A line for each column that is used; the first of them where there are very many."""
    shown = features if len(features) <= _MOST_LINES else features[: _MOST_LINES - 1]
    columns = columns_of(features)
    n_used = f"{len(features)} column{'s' * (len(features) > 1)}"
    lines = [
        f"{n_used} used:",
        *(f"  {_line(feature, X, columns[feature.name][0])}" for feature in shown),
    ]
    rest = Counter(feature.kind for feature in features[len(shown) :])
    if rest:
        kinds = [f"{n} {_PLURALS[kind] if n > 1 else kind}" for kind, n in rest.most_common()]
        lines.append(f"  and {', '.join(kinds)} more; --json lists them all")
    return lines


def column_dicts(features: Sequence[Feature], X: Any) -> dict[str, dict[str, Any]]:
    """The same for scripts: what was decided about each column, and how many gaps it has."""
    n_missing = dict(zip(X.columns, X.isna().to_numpy().sum(axis=0).tolist(), strict=True))
    columns = columns_of(features)
    found = {}
    for feature in features:
        plain = feature.to_dict()
        del plain["name"]
        if feature.text is not None:
            plain["text"] = {"directions": list(feature.text.names)}
        found[feature.name] = {**plain, "n_missing": n_missing[columns[feature.name][0]]}
    return found


def in_words(feature: Feature) -> str:
    """What a column is, and how its cells are written."""
    if feature.kind == "date":
        return f"date with {ORDERS[feature.order]}"
    unit = f" in {feature.unit}" if feature.unit else ""
    numerals = EXAMPLES.get(feature.numerals) if feature.kind == "number" else None
    return f"{feature.kind}{unit}{f' with {numerals}' if numerals else ''}"


def _line(feature: Feature, X: Any, column: str) -> str:
    said = [in_words(feature)]
    if feature.kind == "number":
        if feature.has_limits:
            said.append("limits such as <0.5 by their value and a further column")
    elif feature.kind == "date":
        if feature.parts:
            said.append(f"also its {' and '.join(feature.parts)}")
    elif feature.kind == "category":
        names = [*feature.categories[:_SHOWN_CATEGORIES]]
        names += ["..."] * (len(feature.categories) > _SHOWN_CATEGORIES)
        said.append(f"{len(feature.categories)} values ({', '.join(names)})")
    elif feature.kind == "flag":
        n_present = int(np.sum(X[feature.name]))
        said = [f"{feature.categories[0]} in {n_present} rows or empty, used as 1 and 0"]
    elif feature.text is not None:
        n_terms = len(feature.text.words) + len(feature.text.letters)
        said.append(f"{n_terms} terms in {len(feature.text.names)} directions")
    n_missing = int(X[column].isna().sum())
    if n_missing:
        said.append(f"{n_missing} gap{'s' * (n_missing > 1)}")
    return f"{feature.name}: {', '.join(said)}"
