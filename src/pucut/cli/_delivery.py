"""How the commands that fit or apply a model hand over their answers."""

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from pucut.cli._errors import UserError
from pucut.cli._output import (
    STDOUT,
    check_ending,
    check_outputs,
    is_delimited,
    print_json,
    print_table,
    table_bytes,
    without_formulas,
    write_files,
)
from pucut.cli._plan import column_dicts
from pucut.cli._problem import Problem
from pucut.cli._requests import raise_lost_request
from pucut.cli._voice import Voice, printable
from pucut.model_files import PICKLE_ENDINGS

_ROWS_ON_A_TERMINAL = 10


def check_output_options(arguments: argparse.Namespace, inputs: list[str]) -> None:
    """Before any work: outputs that could not be written, or would mix."""
    if arguments.json and arguments.out == STDOUT:
        raise UserError("--json and --out - would mix on stdout: name a file with --out")
    model = getattr(arguments, "save_model", None)
    if model is not None and model.lower().endswith(PICKLE_ENDINGS):
        raise UserError(
            f"--save-model {model!r}: models are not written as pickles; call it .skops"
        )
    options = {"--out": "out", "--report": "report", "--save-model": "save_model"}
    outputs = {option: getattr(arguments, name, None) for option, name in options.items()}
    check_outputs(outputs, inputs)
    check_ending("--out", arguments.out)


def deliver(
    arguments: argparse.Namespace,
    answers: Any,
    summary: Mapping[str, Any],
    voice: Voice,
    other_files: Mapping[str, bytes] | None = None,
) -> None:
    """Writes the answers and other files; on stdout the summary, the answers or their beginning."""
    files = dict(other_files or {})
    delimited = answers
    if not arguments.keep_formulas and is_delimited(arguments.out or STDOUT):
        delimited, n_changed = without_formulas(answers)
        if n_changed and not arguments.json:
            voice.note(
                f"{n_changed} texts that spreadsheets would run as formulas begin with ' in the "
                "answers; --keep-formulas writes them as they are"
            )
    if arguments.out is not None and arguments.out != STDOUT:
        files = {arguments.out: table_bytes(delimited, arguments.out), **files}
    raise_lost_request()
    write_files(files)
    for path in files:
        voice.note(f"written: {path}")
    if arguments.json:
        print_json(summary)
    elif arguments.out == STDOUT or (arguments.out is None and not sys.stdout.isatty()):
        print_table(delimited)
    elif arguments.out is None:
        print(printable(answers.head(_ROWS_ON_A_TERMINAL).to_string(index=False)), flush=True)
        if len(answers) > _ROWS_ON_A_TERMINAL:
            voice.note(f"... and {len(answers) - _ROWS_ON_A_TERMINAL} more: --out FILE writes all")


def problem_summary(arguments: argparse.Namespace, problem: Problem) -> dict[str, Any]:
    """What every command says of the table it read."""
    return {
        "table": problem.table.name,
        "n_rows": problem.table.n_rows,
        "n_known_positives": problem.y.n_labelled,
        "n_known_negatives": problem.y.n_negative,
        "n_repeated_rows": problem.repeats.n_repeated,
        "repeated_rows_are_copies": problem.repeats.are_copies,
        "suspects": {suspect.column: str(suspect) for suspect in problem.suspects},
        "suspects_are_dropped": bool(problem.suspects) and arguments.drop_suspects,
        "label_column": problem.label_column,
        "positive": list(problem.labels.positives),
        "negative": list(problem.labels.negatives),
        "id_columns": list(problem.plan.ids),
        "features": column_dicts(problem.plan.features, problem.X),
        "notes": [*problem.table.notes, *problem.plan.notes],
        "seed": arguments.seed,
    }
