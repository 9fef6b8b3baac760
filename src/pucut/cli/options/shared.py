"""Options that several commands share."""

import argparse
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

from pucut._support.devices import ALLOWED, DEVICE
from pucut.methods import METHOD_BY_SLUG

DEFAULT_METHOD = "pu-cut"
# What the user can say that a column is.
KINDS = {
    "number": "column of numbers; cells that are none are missing (may be repeated, as all of "
    "these)",
    "category": "column of names, even if they look like numbers",
    "text": "column of free text, used by its words and groups of letters",
    "date": "column of dates; NAME=dmy, NAME=mdy or NAME=ymd says in which order they are written",
}


def add_command(commands: Any, name: str, summary: str, description: str) -> Any:
    """A parser whose description is shown as it is written, with the options every command has."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quiet", action="store_true", help="print only errors on stderr")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser.set_defaults(run=partial(_run, name))
    return parser


def _run(name: str, arguments: argparse.Namespace) -> int:
    """The work of a command, imported when it is asked for."""
    return int(import_module(f"pucut.cli.{name}").run(arguments))


def add_reading_options(parser: Any) -> None:
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--id-column",
        action="append",
        default=[],
        metavar="NAME",
        help="column that names the rows: kept in the output, not used as a feature (may be "
        "repeated)",
    )
    group.add_argument("--sep", metavar="CHAR", help="separator of CSV (default: detected)")
    group.add_argument(
        "--decimal",
        choices=[".", ","],
        help="decimal sign of the numbers in CSV (default: detected, column by column; of "
        "`apply`: that of the table the model was learned from)",
    )
    group.add_argument("--encoding", help="encoding of CSV (default: UTF-8, else cp1252)")
    group.add_argument(
        "--sheet", metavar="NAME", help="sheet of an Excel file (default: the first)"
    )


def add_table_options(parser: Any) -> None:
    """The table with its label column, and how to read it."""
    parser.add_argument(
        "table", help="CSV, TSV, Excel, Parquet or Arrow file, also as .gz; - for CSV on stdin"
    )
    parser.add_argument(
        "--label-column", required=True, metavar="NAME", help="column that marks known positives"
    )
    parser.add_argument(
        "--positive",
        action="append",
        default=[],
        metavar="VALUE",
        help="the label of known positives (default: the larger number, or the one of yes, true, "
        "positive ...; may be repeated)",
    )
    parser.add_argument(
        "--negative",
        action="append",
        default=[],
        metavar="VALUE",
        help="the label of known negatives (default: the one of no, false, negative ..., if other "
        "cells are empty or say unknown; may be repeated)",
    )
    parser.add_argument(
        "--unlabelled",
        action="append",
        default=[],
        metavar="VALUE",
        help="a label of rows of which nothing is known (default: all others, and empty cells; "
        "may be repeated)",
    )
    add_reading_options(parser)
    add_column_options(parser)
    parser.add_argument(
        "--drop-suspects",
        action="store_true",
        help="leave out columns that tell which rows were labelled, such as who confirmed them; "
        "without it they are named and used",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of all random draws (default: 0)")


def add_model_options(parser: Any, *, others: Sequence[str] = (), about: str = "") -> None:
    """`others` are methods of this command alone, and `about` says what they are."""
    group = parser.add_argument_group("method")
    add_prior_option(group)
    names = [*METHOD_BY_SLUG, *others]
    group.add_argument(
        "--method",
        choices=names,
        default=DEFAULT_METHOD,
        metavar="NAME",
        help=f"{', '.join(names)} (default: {DEFAULT_METHOD}, which chooses its settings itself)"
        f"{about}",
    )
    group.add_argument(
        "--n-jobs",
        type=int,
        default=-1,
        metavar="N",
        help="threads, -1 for all processors (default); the answers do not depend on it",
    )
    group.add_argument(
        "--device",
        type=_device,
        metavar="NAME",
        help="where methods that can use a GPU compute: cpu, cuda, cuda:1 ..., or auto for a GPU "
        "if there is one (default: that of the method); needs PyTorch",
    )


def add_prior_option(group: Any) -> None:
    group.add_argument(
        "--prior",
        type=_prior,
        default="auto",
        metavar="SHARE",
        help="share of positives among all rows, known ones included, such as 0.3 or 30%%; auto "
        "(default) estimates it",
    )
    group.add_argument(
        "--accept-upper-bound",
        action="store_true",
        help="go on where the share of positives can only be guessed, or bounded from above; "
        "without it the command stops there",
    )


def _device(text: str) -> str:
    if not DEVICE.fullmatch(text):
        raise argparse.ArgumentTypeError(f"must be {ALLOWED}, found {text!r}")
    return text


def _prior(text: str) -> float | str:
    if text == "auto":
        return text
    try:
        value = float(text.rstrip("%")) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        value = -1.0
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(
            f"must be auto or a number above 0 and below 1, found {text!r}"
        )
    return value


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


def add_check_option(parser: Any) -> None:
    parser.add_argument(
        "--check-labels",
        action="store_true",
        help="compare the known positives with the other positives found, column by column: do "
        "they look like a random draw? Takes seconds, of large tables a minute",
    )


def add_output_options(parser: Any) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--out",
        metavar="FILE",
        help=".csv, .tsv, .xlsx, .parquet, .feather, also .csv.gz; - is stdout, the default in "
        "pipes",
    )
    group.add_argument(
        "--keep-formulas",
        action="store_true",
        help="write texts that begin with = + - @ or a tab to CSV as they are; by default they get "
        "an apostrophe in front, unless they are numbers, because a spreadsheet that opens the "
        "file would run them as formulas",
    )
    group.add_argument("--json", action="store_true", help="a summary as JSON on stdout")
