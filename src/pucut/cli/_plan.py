"""What was decided about the columns of a table, and how it is said."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from pucut.cli._dates import ORDERS
from pucut.cli._numerals import EXAMPLES

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
    kind : {"number", "category", "date", "flag"}
        "date": days since 1970. "flag": 1 where the cell holds anything, else 0.
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values, without those that are as usual."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if name in ("name", "kind") or value != getattr(Feature, name)
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        lists = {name: tuple(value) for name, value in plain.items() if isinstance(value, list)}
        return cls(**{**plain, **lists})


@dataclass(frozen=True)
class ColumnPlan:
    """Which columns are identifiers and which are features, and what the user should know of it."""

    ids: tuple[str, ...]
    features: tuple[Feature, ...]
    notes: tuple[str, ...]


def column_lines(features: Sequence[Feature], X: Any) -> list[str]:
    """A line for each column that is used; the first of them where there are very many."""
    shown = features if len(features) <= _MOST_LINES else features[: _MOST_LINES - 1]
    n_used = f"{len(features)} column{'s' * (len(features) > 1)}"
    lines = [f"{n_used} used:", *(f"  {_line(feature, X)}" for feature in shown)]
    rest = Counter(feature.kind for feature in features[len(shown) :])
    if rest:
        kinds = [f"{n} {_PLURALS[kind] if n > 1 else kind}" for kind, n in rest.most_common()]
        lines.append(f"  and {', '.join(kinds)} more; --json lists them all")
    return lines


def column_dicts(features: Sequence[Feature], X: Any) -> dict[str, dict[str, Any]]:
    """The same for scripts: what was decided about each column, and how many gaps it has."""
    n_missing = dict(zip(X.columns, X.isna().to_numpy().sum(axis=0).tolist(), strict=True))
    found = {}
    for feature in features:
        plain = feature.to_dict()
        del plain["name"]
        found[feature.name] = {**plain, "n_missing": n_missing.get(feature.name, 0)}
    return found


def _line(feature: Feature, X: Any) -> str:
    said = [feature.kind]
    if feature.kind == "number":
        said[0] += f" in {feature.unit}" if feature.unit else ""
        if feature.numerals in EXAMPLES:
            said[0] += f" with {EXAMPLES[feature.numerals]}"
        if feature.has_limits:
            said.append("limits such as <0.5 by their value and a further column")
    elif feature.kind == "date":
        said[0] += f" with {ORDERS[feature.order]}"
        if feature.parts:
            said.append(f"also its {' and '.join(feature.parts)}")
    elif feature.kind == "category":
        names = [*feature.categories[:_SHOWN_CATEGORIES]]
        names += ["..."] * (len(feature.categories) > _SHOWN_CATEGORIES)
        said.append(f"{len(feature.categories)} values ({', '.join(names)})")
    elif feature.kind == "flag":
        n_present = int(np.sum(X[feature.name]))
        said = [f"{feature.categories[0]} in {n_present} rows or empty, used as 1 and 0"]
    n_missing = int(X[feature.name].isna().sum()) if feature.name in X else 0
    if n_missing:
        said.append(f"{n_missing} gap{'s' * (n_missing > 1)}")
    return f"{feature.name}: {', '.join(said)}"
