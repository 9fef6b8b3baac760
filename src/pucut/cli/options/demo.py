"""Options of `pucut demo`."""

from typing import Any

from pucut.cli.options.shared import add_command

DESCRIPTION = """\
Which digits are odd, if 60 % of the odd ones are known and nothing else?

Fits pucut to the 1797 handwritten digits of scikit-learn, and prints its accuracy on
the unknown ones beside that of 2-HNC and of two other methods.

examples:
  pucut demo
  pucut demo --out predictions.csv
"""


def add_parser(commands: Any) -> None:
    parser = add_command(commands, "demo", "handwritten digits: which are odd?", DESCRIPTION)
    parser.add_argument("--out", metavar="FILE", help="CSV with the predictions of all rows")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random draws (default: 0)")
