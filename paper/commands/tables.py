"""Step `tables`: the paper's tables and figures, ours beside theirs, from finished runs."""

import argparse
from pathlib import Path
from typing import Any

from paper.showing.csv_files import FileProblem
from pucut.cli._errors import UserError


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "tables",
        help="write the paper's tables and figures, ours beside theirs",
        description="Write every table and figure of the paper's experiments from the rows of "
        "finished runs, and a page with all of them. Takes seconds; runs nothing.",
    )
    parser.add_argument(
        "--rows",
        type=Path,
        default=Path("paper/rows"),
        metavar="FOLDER",
        help="finished runs, .csv or .csv.gz (default: %(default)s)",
    )
    parser.add_argument(
        "--published",
        type=Path,
        default=Path("paper/published"),
        metavar="FOLDER",
        help="the paper's numbers (default: %(default)s)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("paper/tables"),
        metavar="FOLDER",
        help="where to write (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    for name in ("rows", "published"):
        folder = getattr(arguments, name)
        if not folder.is_dir():
            raise UserError(
                f"--{name}: {folder} is no folder; run this in a checkout of pucut, or name one"
            )
    try:
        from paper.showing.page import write_all
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise UserError("figures need matplotlib: install pucut[paper]") from None
    try:
        written = write_all(arguments.rows, arguments.published, arguments.out)
    except FileProblem as error:
        raise UserError(str(error)) from None
    print(f"{len(written)} files in {arguments.out}; {arguments.out / 'index.html'} has it all")
    return 0
