"""Options of `pucut label`."""

from typing import Any

from pucut.cli.options.shared import add_command, add_model_options, add_table_options

DESCRIPTION = """\
Opens a page on which you label a table, one row after the other.

The page shows the row that is most likely positive, or one that answers another
question; you say yes or no, by key, thumb or mouse, and the ranking learns from both.
It says how many positives are probably left, so that you know when to stop.

Every answer is written at once to a journal beside the table (TABLE.labels.jsonl), and
the next start goes on from there. The table itself is never changed; --out writes a
new one when the page is ended. The page is served to this machine alone, under an
address that nobody else knows. Ctrl-C ends the program.

examples:
  pucut label genes.csv --label-column known
  pucut label records.csv --label-column relevant --text-column title --text-column abstract
  pucut label genes.csv --label-column known --out labelled.csv
"""


def add_parser(commands: Any) -> None:
    parser = add_command(commands, "label", "label a table on a page, row by row", DESCRIPTION)
    add_table_options(parser)
    group = parser.add_argument_group("page")
    group.add_argument(
        "--journal", metavar="FILE", help="where answers are kept (default: TABLE.labels.jsonl)"
    )
    group.add_argument(
        "--who", metavar="NAME", help="your name in the journal (default: your login)"
    )
    group.add_argument("--port", type=int, default=0, help="of the address (default: a free one)")
    group.add_argument(
        "--no-browser", action="store_true", help="print the address, and open no browser"
    )
    group.add_argument(
        "--out", metavar="FILE", help="the table with the answers, written when the page is ended"
    )
    add_model_options(parser)
