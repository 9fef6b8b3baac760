"""`pucut compare`: every method on one table."""

import argparse

from pucut.cli._ending import UserError
from pucut.cli._learning import read_labelled, refusals
from pucut.cli._output import print_json
from pucut.cli._voice import Voice
from pucut.comparison import compare
from pucut.tables.errors import one_line
from pucut.tables.labels import read_truth


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    hidden = [] if arguments.truth_column is None else [arguments.truth_column]
    labelled = read_labelled(arguments, voice, *hidden)
    truth = None
    if arguments.truth_column is not None:
        column = labelled.table.column(arguments.truth_column, "--truth-column")
        truth = read_truth(labelled.table, column, labelled.labels)
    with refusals(arguments):
        table = compare(
            labelled.X,
            labelled.y,
            arguments.methods,
            arguments.prior,
            truth,
            random_state=arguments.seed,
            callback=voice.note,
        )
    if all(row.error is not None for row in table.rows):
        reasons = dict.fromkeys(f"{row.method}: {row.error}" for row in table.rows)
        raise UserError(f"no method gave a result ({one_line('; '.join(reasons))})")
    if arguments.json:
        print_json({**labelled.summary(arguments), **table.to_dict()})
    else:
        print(table, flush=True)
    return 0
