"""The command `pucut`.

Each subcommand has its options in `commands.toml` and a module of its name, whose function `run`
returns the exit code. That module is imported when it runs, so that help texts are quick.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from pucut.cli import _ending as ending
from pucut.cli._commands import COMMANDS, add_command
from pucut.cli._ending import UserError
from pucut.cli._voice import Voice, printable
from pucut.tables.errors import TableError, one_line

__all__ = ["COMMANDS", "UserError", "main", "run_command"]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="pucut", description="Learning from positive and unlabelled data."
    )
    parser.add_argument("--version", action="version", version=f"pucut {version('pucut')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name in COMMANDS:
        add_command(commands, name)
    return run_command(parser, argv)


def run_command(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> int:
    """Parse, run what the arguments name, and turn every way to end into an exit code."""
    arguments = parser.parse_args(argv)
    is_debugged = getattr(arguments, "debug", False)
    try:
        with (
            ending.answering_requests_to_end(),
            Voice(getattr(arguments, "quiet", False)).sentences_for_warnings(),
        ):
            code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except (UserError, TableError) as error:
        if is_debugged:
            raise
        code, message = ending.USER_ERROR, printable(str(error))
    except KeyboardInterrupt:
        code, message = ending.INTERRUPTED, "interrupted"
    except ending.Terminated:
        code, message = ending.TERMINATED, "terminated"
    except BrokenPipeError:
        # Python flushes stdout once more when it ends, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ending.BROKEN_PIPE
    except Exception as error:  # our fault, not the user's: one line, and how to see the rest
        if is_debugged:
            raise
        text = printable(one_line(f"{type(error).__name__}: {error}"))
        code, message = ending.FAILURE, f"failed: {text} (run with --debug for the traceback)"
    print(f"{parser.prog}: {message}", file=sys.stderr)
    return code
