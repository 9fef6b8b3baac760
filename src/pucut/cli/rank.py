"""`pucut rank`: which unlabelled rows to look at next."""

import argparse
from typing import Any

import numpy as np

from pucut.cli._answers import answer_table, fitted_answers, with_caution
from pucut.cli._delivery import add_output_options, check_output_options, deliver, problem_summary
from pucut.cli._errors import UserError
from pucut.cli._options import add_command, add_model_options, add_table_options, fit, read_problem
from pucut.cli._voice import Voice

DESCRIPTION = """\
Ranks the unlabelled rows of a table, for the next round of labelling.

The most likely positives come first, or the most likely negatives. Rows are in the
order of their score, and of their probability where scores are equal.

examples:
  pucut rank genes.csv --label-column known --top 20
  pucut rank genes.csv --label-column known --first negative --out negatives.csv
  pucut rank genes.csv --label-column known --method pu-extra-trees | head -n 50
"""


def add_parser(commands: Any) -> None:
    parser = add_command(commands, "rank", "which unlabelled rows to look at next", DESCRIPTION)
    add_table_options(parser)
    parser.add_argument(
        "--first",
        choices=["positive", "negative"],
        default="positive",
        help="which of them come first (default: positive)",
    )
    parser.add_argument("--top", type=int, metavar="N", help="only the first N (default: all)")
    add_model_options(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    voice = Voice(arguments.quiet)
    if arguments.top is not None and arguments.top < 1:
        raise UserError(f"--top must be 1 or more, found {arguments.top}")
    check_output_options(arguments, [arguments.table])
    problem = read_problem(arguments, voice)
    estimator = fit(arguments, problem, voice)
    found = fitted_answers(estimator, problem.X, problem.y)
    order = np.argsort(found.ranks)[: np.count_nonzero(problem.y.is_unlabelled)]
    if arguments.first == "negative":
        order = order[::-1]
    order = order[: arguments.top]
    answers = answer_table(problem.table, problem.plan.ids, [], found).iloc[order]
    answers = with_caution(answers, estimator)
    place = "rank" if "pucut_rank" not in answers.columns else "pucut_rank"
    del answers[place]
    answers.insert(0, place, np.arange(1, len(order) + 1))
    summary = {
        **problem_summary(arguments, problem),
        "method": arguments.method,
        "prior": estimator.prior_,
        "first": arguments.first,
        "ranking": answers.to_dict(orient="records"),
    }
    deliver(arguments, answers, summary, voice)
    return 0
