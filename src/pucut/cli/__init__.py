"""The command `pucut`: for each subcommand a module of this folder, with `run(arguments)`, which
returns the exit code, and one of `options`, with `add_parser(commands)`.

A subcommand's own module is imported when it runs, so that help texts are quick.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version

from pucut.cli._errors import (
    BROKEN_PIPE,
    FAILURE,
    INTERRUPTED,
    TERMINATED,
    USER_ERROR,
    Terminated,
    UserError,
)
from pucut.cli._requests import answering_requests_to_end
from pucut.cli._voice import Voice, printable

COMMANDS = ("classify", "rank", "label", "prior", "compare", "apply", "demo")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="pucut", description="Learning from positive and unlabelled data."
    )
    parser.add_argument("--version", action="version", version=f"pucut {version('pucut')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name in COMMANDS:
        import_module(f"pucut.cli.options.{name}").add_parser(commands)
    return run_command(parser, argv)


def run_command(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> int:
    """Parses, runs what the arguments name, and turns every way to end into an exit code."""
    arguments = parser.parse_args(argv)
    program = parser.prog
    is_debugged = getattr(arguments, "debug", False)
    try:
        with (
            answering_requests_to_end(),
            Voice(getattr(arguments, "quiet", False)).sentences_for_warnings(),
        ):
            code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except UserError as error:
        if is_debugged:
            raise
        print(printable(f"{program}: {error}"), file=sys.stderr)
        return USER_ERROR
    except KeyboardInterrupt:
        print(f"{program}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Terminated:
        print(f"{program}: terminated", file=sys.stderr)
        return TERMINATED
    except BrokenPipeError:
        # Python flushes stdout once more when it ends, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:  # our fault, not the user's: one line, and how to see the rest
        if is_debugged:
            raise
        text = " ".join(f"{type(error).__name__}: {error}".split())
        text = printable(text)
        print(f"{program}: failed: {text} (run with --debug for the traceback)", file=sys.stderr)
        return FAILURE
