"""Options of `pucut rank`."""

from typing import Any

from pucut.cli.options.shared import (
    add_command,
    add_model_options,
    add_output_options,
    add_table_options,
)

AS_LABEL = "label"

DESCRIPTION = """\
Ranks the unlabelled rows of a table, for the next round of labelling.

The most likely positives come first, or the most likely negatives. Rows are in the
order of their score, and of their probability where scores are equal.

--method label is the ranking of `pucut label`, for few labels and for texts. It learns
from known positives and negatives alone and needs no share of positives, so it says of
no row which class it is, and gives probabilities only where three rows of each kind
are known. Rows without words come last, unranked.

examples:
  pucut rank genes.csv --label-column known --top 20
  pucut rank genes.csv --label-column known --first negative --out negatives.csv
  pucut rank genes.csv --label-column known --method pu-extra-trees | head -n 50
  pucut rank records.csv --label-column relevant --method label --top 50
"""


def add_parser(commands: Any) -> None:
    parser = add_command(commands, "rank", "which unlabelled rows to look at next", DESCRIPTION)
    add_table_options(parser)
    parser.add_argument(
        "--first",
        choices=["positive", "negative"],
        default="positive",
        help="which of them come first (default: positive)",
    )
    parser.add_argument("--top", type=int, metavar="N", help="only the first N (default: all)")
    add_model_options(parser, others=[AS_LABEL], about=f"; {AS_LABEL} ranks as `pucut label` does")
    add_output_options(parser)
