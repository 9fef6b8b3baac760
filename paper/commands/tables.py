"""Step `tables`: the paper's tables and figures, ours beside theirs, from finished runs."""

import argparse
from pathlib import Path
from typing import Any

from paper import FOLDER
from paper.csv_files import FileProblem
from pucut.cli import UserError


def add_parsers(steps: Any) -> None:
    parser = steps.add_parser(
        "tables",
        help="write the paper's tables and figures, ours beside theirs",
        description="Write every table and figure of the paper's experiments from the rows of "
        "finished runs, and a page with all of them. Takes seconds; runs nothing.",
    )
    _add_folder(parser, "rows", "finished runs, .csv or .csv.gz")
    _add_folder(parser, "published", "the paper's numbers")
    _add_folder(parser, "tables", "where to write", option="--out")
    parser.set_defaults(run=run)


def _add_folder(
    parser: argparse.ArgumentParser, name: str, what: str, option: str | None = None
) -> None:
    parser.add_argument(
        option or f"--{name}",
        type=Path,
        default=FOLDER / name,
        metavar="FOLDER",
        help=f"{what} (default: {name}/ beside this program)",
    )


def run(arguments: argparse.Namespace) -> int:
    for name in ("rows", "published"):
        folder = getattr(arguments, name)
        if not folder.is_dir():
            raise UserError(f"--{name} is {str(folder)!r}, which is not a folder")
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
    print(f"{len(written)} files in {arguments.out}; {arguments.out / 'index.html'} shows them all")
    return 0
