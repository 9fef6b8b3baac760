"""Options of `pucut classify`."""

from typing import Any

from pucut.cli.options.shared import (
    add_check_option,
    add_command,
    add_model_options,
    add_output_options,
    add_table_options,
)

DESCRIPTION = """\
Classifies every row of a table in which some positives are known, and perhaps some negatives.

The label column marks the known positives (1, yes, positive ...) and, if there are
any, the known negatives (no, negative ...); other values and empty cells mean
unlabelled.

The output has a line for every row, in the order of the table: identifiers, the label,
the predicted class, the probability of being positive, the rank among the rows that
were not known (1 is the most likely positive), what the row was known as, the least
share of positives with which it would be positive, and a score. Of the rows that were
not known none is negative with a probability above one half, or positive with one
below. Known positives are predicted positive and known negatives negative; their
probability says how positive the other rows make them look.

Columns of numbers, dates, categories and free text are used. What each column was
taken for is reported on stderr, and which are not used, and why. Cells that are empty,
or hold NA, NaN, null or ?, are missing values.

examples:
  pucut classify genes.csv --label-column known --out predictions.csv
  pucut classify genes.xlsx --label-column known --prior 0.2 --report report.html
  cat genes.csv | pucut classify - --label-column known --method pu-extra-trees | head
"""


def add_parser(commands: Any) -> None:
    parser = add_command(commands, "classify", "which rows of a table are positive", DESCRIPTION)
    add_table_options(parser)
    add_model_options(parser)
    add_check_option(parser)
    add_output_options(parser)
    parser.add_argument("--report", metavar="FILE", help="a page (.html) that explains the result")
    parser.add_argument(
        "--save-model",
        metavar="FILE",
        help="the fitted model, for `pucut apply`; it may contain the rows of the table",
    )
