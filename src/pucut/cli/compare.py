"""`pucut compare`: every method on one table."""

import argparse

from pucut.cli._delivery import problem_summary
from pucut.cli._errors import UserError
from pucut.cli._labels import read_truth
from pucut.cli._output import print_json
from pucut.cli._problem import (
    read_problem,
    refusals,
)
from pucut.cli._voice import Voice
from pucut.comparison import compare


def run(arguments: argparse.Namespace) -> int:
    voice = Voice(arguments.quiet)
    hidden = [] if arguments.truth_column is None else [arguments.truth_column]
    problem = read_problem(arguments, voice, *hidden)
    truth = None
    if arguments.truth_column is not None:
        column = problem.table.column(arguments.truth_column, "--truth-column")
        truth = read_truth(problem.table, column, problem.labels)
    with refusals(arguments):
        table = compare(
            problem.X,
            problem.y,
            arguments.methods,
            arguments.prior,
            truth,
            random_state=arguments.seed,
            callback=voice.note,
        )
    if all(row.error is not None for row in table.rows):
        reasons = dict.fromkeys(f"{row.method}: {row.error}" for row in table.rows)
        raise UserError(f"no method gave a result ({' '.join('; '.join(reasons).split())})")
    if arguments.json:
        print_json({**problem_summary(arguments, problem), **table.to_dict()})
    else:
        print(table, flush=True)
    return 0
