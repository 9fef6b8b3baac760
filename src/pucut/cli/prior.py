"""`pucut prior`: how many rows of a table are positive."""

import argparse
from dataclasses import asdict
from typing import Any

from pucut import priors
from pucut.cli._delivery import problem_summary
from pucut.cli._errors import UserError
from pucut.cli._options import add_command, add_table_options, read_problem
from pucut.cli._output import print_json
from pucut.cli._voice import Voice
from pucut.priors import estimate_prior

DESCRIPTION = """\
Estimates the share of positives among all rows of a table, from some known ones.

It assumes that the known positives are like the others: not the easiest, not the
newest. Where the data only bound the share from above, the answer says so.

examples:
  pucut prior genes.csv --label-column known
  pucut prior genes.csv --label-column known --method bbe --json
"""


def add_parser(commands: Any) -> None:
    parser = add_command(commands, "prior", "how many rows of a table are positive", DESCRIPTION)
    add_table_options(parser)
    parser.add_argument(
        "--method",
        choices=priors.METHODS,
        default="auto",
        help="how it is estimated (default: auto, a combination)",
    )
    parser.add_argument("--json", action="store_true", help="the estimate as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    voice = Voice(arguments.quiet)
    problem = read_problem(arguments, voice)
    try:
        estimate = estimate_prior(
            problem.X, problem.y, arguments.method, random_state=arguments.seed
        )
    except (ValueError, TypeError) as error:
        raise UserError(" ".join(str(error).split())) from error
    if arguments.json:
        print_json({**problem_summary(arguments, problem), "prior_estimate": asdict(estimate)})
    else:
        print(estimate, flush=True)
    return 0
