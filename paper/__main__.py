"""`python -m paper`: runs the paper's experiments and makes its tables."""

import argparse
import sys
from collections.abc import Sequence

from paper.commands import runs, tables
from pucut.cli import run_command


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a step; the exit codes are those of the command `pucut`."""
    parser = argparse.ArgumentParser(
        prog="python -m paper",
        description="Runs the experiments of the paper. What is finished is kept in a folder and "
        "not run again, also after the command was stopped or killed.",
    )
    steps = parser.add_subparsers(title="steps", required=True, metavar="STEP")
    runs.add_parsers(steps)
    tables.add_parser(steps)
    return run_command(parser, argv)


if __name__ == "__main__":
    sys.exit(main())
