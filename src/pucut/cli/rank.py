"""`pucut rank`: which unlabelled rows to look at next."""

import argparse

import numpy as np

from pucut.cli._answers import answer_table, fitted_answers, with_caution
from pucut.cli._delivery import check_output_options, deliver, problem_summary
from pucut.cli._errors import UserError
from pucut.cli._problem import fit, read_problem
from pucut.cli._voice import Voice


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
