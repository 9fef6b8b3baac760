"""Options that hold lists of names or numbers."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from pucut.cli import UserError


def add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="folder of what is finished (default: %(default)s)",
    )


def add_names(
    parser: argparse.ArgumentParser,
    option: str,
    allowed: Sequence[str],
    noun: str,
    default: str | None = None,
) -> None:
    parser.add_argument(
        option,
        default=",".join(allowed) if default is None else default,
        metavar="A,B",
        help=f"{noun}, some of {', '.join(allowed)} (default: {default or 'all'})",
    )


def names(option: str, text: str, allowed: Sequence[str]) -> list[str]:
    found = list(dict.fromkeys(text.split(",")))
    unknown = [name for name in found if name not in allowed]
    if unknown:
        raise UserError(
            f"{option} must be names out of {', '.join(allowed)}, separated by commas, found "
            f"{', '.join(map(repr, unknown))}"
        )
    return found


def numbers(option: str, text: str, allowed: range) -> list[int]:
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        try:
            found += range(int(first), int(last if dash else first) + 1)
        except ValueError:
            found.append(-1)
    if not found or not set(found) <= set(allowed):
        raise UserError(
            f"{option} must be numbers from {allowed[0]} to {allowed[-1]}, like 0,1 or "
            f"{allowed[0]}-{allowed[-1]}, found {text!r}"
        )
    return list(dict.fromkeys(found))


def at_least_one(option: str, number: int) -> int:
    if number < 1:
        raise UserError(f"{option} must be a whole number from 1 on, found {number}")
    return number
