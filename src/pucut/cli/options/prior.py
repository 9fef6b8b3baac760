"""Options of `pucut prior`."""

from typing import Any

from pucut.cli.options.shared import add_check_option, add_command, add_table_options

# Of `estimate_prior`, whose module takes long to import.
METHODS = ("auto", "bbe", "clusters", "dedpul", "elkan_noto", "km2", "tice")

DESCRIPTION = """\
Estimates the share of positives among all rows of a table, from some known ones.

It assumes that the known positives are like the others: not the easiest, not the
newest. --check-labels compares them with the other positives found. Where the data
only bound the share from above, the answer says so.

examples:
  pucut prior genes.csv --label-column known
  pucut prior genes.csv --label-column known --method bbe --json
"""


def add_parser(commands: Any) -> None:
    parser = add_command(commands, "prior", "how many rows of a table are positive", DESCRIPTION)
    add_table_options(parser)
    parser.add_argument(
        "--method",
        choices=METHODS,
        default="auto",
        help="how it is estimated (default: auto, a combination)",
    )
    add_check_option(parser)
    parser.add_argument("--json", action="store_true", help="the estimate as JSON")
