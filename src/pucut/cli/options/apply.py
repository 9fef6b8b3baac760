"""Options of `pucut apply`."""

from typing import Any

from pucut.cli.options.shared import add_command, add_output_options, add_reading_options

DESCRIPTION = """\
Applies a model that `pucut classify --save-model` wrote to the rows of another table.

Columns are matched by name; their order does not matter. The score of a row is above 0
where it is predicted positive. Model files run no code when they are read; pickles are
refused.

examples:
  pucut classify genes.csv --label-column known --save-model genes.skops --out first.csv
  pucut apply genes.skops new_genes.csv --out predictions.csv
  cat new_genes.csv | pucut apply genes.skops - | head
"""


def add_parser(commands: Any) -> None:
    parser = add_command(commands, "apply", "a saved model on new rows", DESCRIPTION)
    parser.add_argument("model", help="file that `pucut classify --save-model` wrote")
    parser.add_argument("table", help="file with the same columns; - for CSV on stdin")
    add_reading_options(parser)
    add_output_options(parser)
