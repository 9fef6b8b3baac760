"""Options by which the user says what columns are."""

import argparse
from typing import Any

from pucut.cli._dates import ORDERS
from pucut.cli._errors import UserError
from pucut.cli._plan import Feature
from pucut.cli._reading import InputTable

KINDS = {
    "number": "column of numbers; cells that are none are missing (may be repeated, as all of "
    "these)",
    "category": "column of names, even if they look like numbers",
    "text": "column of free text, used by its words and groups of letters",
    "date": "column of dates; NAME=dmy, NAME=mdy or NAME=ymd says in which order they are written",
}


def add_column_options(parser: Any) -> None:
    group = parser.add_argument_group(
        "columns", "pucut decides from the cells what each column is. These options overrule it."
    )
    for kind, text in KINDS.items():
        group.add_argument(
            f"--{kind}-column", action="append", default=[], metavar="NAME", help=text
        )
    group.add_argument(
        "--drop",
        "--ignore-column",
        dest="drop",
        action="append",
        default=[],
        metavar="NAME",
        help="column not to use at all",
    )


def dropped_columns(arguments: argparse.Namespace, table: InputTable) -> list[str]:
    return [table.column(name, "--drop") for name in arguments.drop]


def told_columns(arguments: argparse.Namespace, table: InputTable) -> dict[str, Feature]:
    """What the user said of columns, by their names."""
    told: dict[str, Feature] = {}
    for kind in KINDS:
        for given in getattr(arguments, f"{kind}_column"):
            feature = _told(table, kind, given)
            if feature.name in told:
                raise UserError(f"column {feature.name!r} is named by two options")
            told[feature.name] = feature
    return told


def _told(table: InputTable, kind: str, given: str) -> Feature:
    option = f"--{kind}-column"
    name, _, order = given.rpartition("=")
    if kind == "date" and order in ORDERS and given not in table.frame.columns:
        return Feature(table.column(name, option), kind, order=order)
    return Feature(table.column(given, option), kind, order="")
