"""`pucut prior`: how many rows of a table are positive."""

import argparse
from dataclasses import asdict

from pucut.cli._delivery import problem_summary
from pucut.cli._errors import UserError
from pucut.cli._labelling import checked_labelling, labelling_summary, note_on_labels
from pucut.cli._output import print_json
from pucut.cli._problem import read_problem
from pucut.cli._voice import Voice
from pucut.priors import estimate_prior


def run(arguments: argparse.Namespace) -> int:
    voice = Voice(arguments.quiet)
    problem = read_problem(arguments, voice)
    try:
        estimate = estimate_prior(
            problem.X, problem.y, arguments.method, n_jobs=-1, random_state=arguments.seed
        )
    except (ValueError, TypeError) as error:
        raise UserError(" ".join(str(error).split())) from error
    check = checked_labelling(arguments, problem, "auto")
    if check is not None:
        voice.note(note_on_labels(check))
    if arguments.json:
        print_json(
            {
                **problem_summary(arguments, problem),
                "prior_estimate": asdict(estimate),
                "labelling": labelling_summary(check),
            }
        )
    else:
        print(estimate, flush=True)
    return 0
