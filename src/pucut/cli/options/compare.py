"""Options of `pucut compare`."""

import argparse
from typing import Any

from pucut.cli.options.shared import add_command, add_prior_option, add_table_options
from pucut.methods import METHOD_BY_SLUG

DESCRIPTION = """\
Fits every method to a table and shows which finds most of the known positives that
were hidden from it.

Every method is fitted five times, once while its memory is measured, which is slow:
start with a few methods on a large table. With the true classes of all rows
(--truth-column), accuracy on the unlabelled rows is shown too; the methods never see
them. Methods that give no result are listed with the reason; if none gives one, the
exit code is 2.

examples:
  pucut compare genes.csv --label-column known
  pucut compare genes.csv --label-column known --methods pu-cut,2-hnc,rocchio
  pucut compare test.csv --label-column known --truth-column class --json
"""


def add_parser(commands: Any) -> None:
    parser = add_command(commands, "compare", "every method on one table", DESCRIPTION)
    add_table_options(parser)
    add_prior_option(parser)
    parser.add_argument(
        "--methods",
        type=_methods,
        metavar="NAME,...",
        help=f"some of {', '.join(METHOD_BY_SLUG)} (default: all)",
    )
    parser.add_argument(
        "--truth-column",
        metavar="NAME",
        help="column of the true classes, used for the evaluation only",
    )
    parser.add_argument("--json", action="store_true", help="the table as JSON")


def _methods(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in METHOD_BY_SLUG]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"must name some of {', '.join(METHOD_BY_SLUG)}, found {', '.join(unknown) or text!r}"
        )
    return [METHOD_BY_SLUG[name] for name in names]
