"""The command `pucut`: one module of this folder for each subcommand.

A subcommand's module has `add_parser(commands)`, which adds its parser and sets the default `run`,
a function of the parsed arguments that returns the exit code.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from types import ModuleType

from pucut.cli._errors import INTERRUPTED, USER_ERROR, UserError

COMMANDS: tuple[ModuleType, ...] = ()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="pucut", description="Learning from positive and unlabelled data."
    )
    parser.add_argument("--version", action="version", version=f"pucut {version('pucut')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except UserError as error:
        print(f"pucut: {error}", file=sys.stderr)
        return USER_ERROR
    except KeyboardInterrupt:
        print("pucut: interrupted", file=sys.stderr)
        return INTERRUPTED
