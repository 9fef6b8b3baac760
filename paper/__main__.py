"""`python -m paper`: runs the paper's experiments and makes its tables."""

import argparse
import sys
from collections.abc import Sequence

from paper.commands import PROGRAM, rows, runs, tables
from pucut.cli import run_command

_EXAMPLES = """\
in the order of the work:
  {0} real --n-jobs 2              hours: what is finished is kept
  {0} synthetic --n-samples 1000   a part of the synthetic datasets
  {0} rows --out rows/runs.csv     one row per finished run
  {0} tables --rows rows           seconds; without --rows, of the committed rows

Needs pucut and, for tables, matplotlib. `{0} STEP --help` lists the options.
Exit codes: 0 done, 1 some runs failed, 2 wrong arguments or files, 130 interrupted.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a step; the exit codes are those of the command `pucut`."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Runs the experiments of the paper, and makes its tables with our numbers.",
        epilog=_EXAMPLES.format(PROGRAM),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = parser.add_subparsers(title="steps", required=True, metavar="STEP")
    for module in (runs, rows, tables):
        module.add_parsers(steps)
    for step in steps.choices.values():
        step.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return run_command(parser, argv)


if __name__ == "__main__":
    sys.exit(main())
