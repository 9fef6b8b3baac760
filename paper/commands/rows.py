"""Step `rows`: one line of CSV for each finished run."""

import argparse
import sys
from pathlib import Path
from typing import Any

from paper.commands import INCOMPLETE, PROGRAM
from paper.commands.options import add_results
from paper.row_files import write_rows
from paper.running.collect import collect
from pucut.cli import UserError


def add_parsers(steps: Any) -> None:
    parser = steps.add_parser(
        "rows",
        help="write one line of CSV for each finished run",
        description="Compute the metrics of all finished runs and write them as CSV, one row per "
        "run. The step `tables` reads a folder of such files.",
    )
    add_results(parser)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="the CSV file; packed if its name ends in .gz",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if not arguments.results.is_dir():
        raise UserError(f"--results is {str(arguments.results)!r}, which is not a folder")
    found = collect(arguments.results)
    for broken in found.broken:
        print(f"{PROGRAM}: left out a file that is not whole: {broken}", file=sys.stderr)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write_rows(arguments.out, found.rows)
    print(f"{len(found.rows)} rows in {arguments.out}")
    return INCOMPLETE if found.broken else 0
