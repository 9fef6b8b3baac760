"""Options that several commands share."""

import argparse
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

from pucut._support.devices import ALLOWED, DEVICE
from pucut.methods import METHOD_BY_SLUG

DEFAULT_METHOD = "pu-cut"
# The kinds of columns that the user can name.
KIND_OPTIONS = {
    "number": "read this column as numbers; other cells count as missing (may be repeated, as all "
    "of these)",
    "category": "column of names, even if they look like numbers",
    "text": "column of free text, used by its words and groups of letters",
    "date": "column of dates; NAME=dmy, NAME=mdy or NAME=ymd says in which order they are written",
}


def add_command(commands: Any, name: str, summary: str, description: str) -> Any:
    """Add a parser with the options of every command; its description is shown as written."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_flag(parser, "--quiet", "print only errors on stderr")
    add_flag(parser, "--debug", "show the traceback of an error")
    parser.set_defaults(run=partial(_run, name))
    return parser


def _run(name: str, arguments: argparse.Namespace) -> int:
    """Run a command, whose module is imported only now."""
    return int(import_module(f"pucut.cli.{name}").run(arguments))


def add_flag(group: Any, name: str, about: str) -> None:
    group.add_argument(name, action="store_true", help=about)


def add_list(group: Any, names: Sequence[str], metavar: str, about: str) -> None:
    """Add an option that may be repeated; its values are a list."""
    group.add_argument(*names, action="append", default=[], metavar=metavar, help=about)


def add_reading_options(parser: Any) -> None:
    group = parser.add_argument_group("reading")
    about = (
        "column that names the rows: kept in the output, not used as a feature (may be repeated)"
    )
    add_list(group, ["--id-column"], "NAME", about)
    group.add_argument("--sep", metavar="CHAR", help="separator of CSV (default: detected)")
    about = (
        "decimal sign of the numbers in CSV (default: detected, column by column; of `apply`: that "
        "of the table the model was learned from)"
    )
    group.add_argument("--decimal", choices=[".", ","], help=about)
    group.add_argument("--encoding", help="encoding of CSV (default: UTF-8, else cp1252)")
    about = "sheet of an Excel file (default: the first)"
    group.add_argument("--sheet", metavar="NAME", help=about)


def add_table_options(parser: Any) -> None:
    """Add the table with its label column, and how to read it."""
    about = "CSV, TSV, Excel, Parquet or Arrow file, also as .gz; - for CSV on stdin"
    parser.add_argument("table", help=about)
    about = "column that marks known positives"
    parser.add_argument("--label-column", required=True, metavar="NAME", help=about)
    values = {
        "--positive": "the label of known positives (default: the larger number, or the one of "
        "yes, true, positive ...; may be repeated)",
        "--negative": "the label of known negatives (default: the one of no, false, negative ..., "
        "if other cells are empty or say unknown; may be repeated)",
        "--unlabelled": "a label of rows of which nothing is known (default: all others, and empty "
        "cells; may be repeated)",
    }
    for option, about in values.items():
        add_list(parser, [option], "VALUE", about)
    add_reading_options(parser)
    group = parser.add_argument_group(
        "columns", "pucut decides from the cells what each column is. These options overrule it."
    )
    for kind, about in KIND_OPTIONS.items():
        add_list(group, [f"--{kind}-column"], "NAME", about)
    add_list(group, ["--drop", "--ignore-column"], "NAME", "column not to use at all")
    about = (
        "leave out columns that tell which rows were labelled, such as who confirmed them; without "
        "it they are named and used"
    )
    add_flag(parser, "--drop-suspects", about)
    add_seed_option(parser)


def add_seed_option(parser: Any) -> None:
    parser.add_argument("--seed", type=int, default=0, help="seed of all random draws (default: 0)")


def add_model_options(parser: Any, *, others: Sequence[str] = (), about: str = "") -> None:
    """Add the method and its options.

    `others` are methods of this command alone, and `about` explains them.
    """
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
    about = "threads, -1 for all processors (default); the answers do not depend on it"
    group.add_argument("--n-jobs", type=int, default=-1, metavar="N", help=about)
    about = (
        "where methods that can use a GPU compute: cpu, cuda, cuda:1 ..., or auto for a GPU if "
        "there is one (default: that of the method); needs PyTorch"
    )
    group.add_argument("--device", type=_device, metavar="NAME", help=about)


def add_prior_option(group: Any) -> None:
    about = (
        "share of positives among all rows, known ones included, such as 0.3 or 30%%; auto "
        "(default) estimates it"
    )
    group.add_argument("--prior", type=_prior, default="auto", metavar="SHARE", help=about)
    about = (
        "go on where the share of positives can only be guessed, or bounded from above; without it "
        "the command stops there"
    )
    add_flag(group, "--accept-upper-bound", about)


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


def add_check_option(parser: Any) -> None:
    about = (
        "compare the known positives with the other positives found, column by column: do they "
        "look like a random draw? Takes seconds, of large tables a minute"
    )
    add_flag(parser, "--check-labels", about)


def add_output_options(parser: Any) -> None:
    group = parser.add_argument_group("output")
    about = ".csv, .tsv, .xlsx, .parquet, .feather, also .csv.gz; - is stdout, the default in pipes"
    group.add_argument("--out", metavar="FILE", help=about)
    about = (
        "write texts that begin with = + - @ or a tab to CSV as they are; by default they get an "
        "apostrophe in front, unless they are numbers, because a spreadsheet that opens the file "
        "would run them as formulas"
    )
    add_flag(group, "--keep-formulas", about)
    add_flag(group, "--json", "a summary as JSON on stdout")
