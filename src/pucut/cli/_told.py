"""What the user said of columns, by options."""

import argparse

from pucut.cli._dates import ORDERS
from pucut.cli._errors import UserError
from pucut.cli._plan import Feature
from pucut.cli._reading import InputTable
from pucut.cli.options.shared import KINDS


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
