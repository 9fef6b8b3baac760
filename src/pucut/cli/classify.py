"""`pucut classify`: which rows of a table are positive."""

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from pucut._support.memory import readable_bytes
from pucut.cli._answers import Answers, answer_table, fitted_answers, with_caution
from pucut.cli._delivery import check_output_options, deliver, problem_summary
from pucut.cli._errors import UserError
from pucut.cli._labelling import checked_labelling, labelling_summary, note_on_labels
from pucut.cli._problem import (
    Problem,
    fit,
    read_problem,
)
from pucut.cli._voice import Voice
from pucut.model_files import ModelFileError, check_available, dump_model
from pucut.priors import LabellingCheck

T = TypeVar("T")


def run(arguments: argparse.Namespace) -> int:
    voice = Voice(arguments.quiet)
    check_output_options(arguments, [arguments.table])
    if arguments.save_model is not None:
        _user_error(check_available)
    problem = read_problem(arguments, voice)
    estimator = fit(arguments, problem, voice)
    found = fitted_answers(estimator, problem.X, problem.y)
    is_positive = found.is_positive
    answers = answer_table(
        problem.table, problem.plan.ids, [problem.label_column], found, problem.y
    )
    answers = with_caution(answers, estimator)
    check = checked_labelling(arguments, problem, arguments.prior)
    files: dict[str, bytes] = {}
    if arguments.report is not None:
        files[arguments.report] = report_page(arguments, problem, estimator, found, check).encode()
    if arguments.save_model is not None:
        model = files[arguments.save_model] = model_bytes(problem, estimator)
        voice.note(f"the model file takes {readable_bytes(len(model))}")
    n_found = int(is_positive.sum() - problem.y.n_labelled)
    voice.note(prior_text(estimator))
    if check is not None:
        voice.note(note_on_labels(check))
    voice.note(
        f"{int(is_positive.sum())} of {len(is_positive)} rows are predicted positive: the "
        f"{problem.y.n_labelled} known ones and {n_found} others"
    )
    estimate = estimator.prior_estimate_
    summary = {
        **problem_summary(arguments, problem),
        "method": arguments.method,
        "prior": estimator.prior_,
        "prior_estimate": None if estimate is None else asdict(estimate),
        "labelling": labelling_summary(check),
        "n_predicted_positive": int(is_positive.sum()),
    }
    if hasattr(estimator, "n_unreached_"):  # of 2-HNC alone
        summary["n_unreached"] = estimator.n_unreached_
    deliver(arguments, answers, summary, voice, files)
    return 0


def prior_text(estimator: Any) -> str:
    if estimator.prior_estimate_ is not None:
        return str(estimator.prior_estimate_)
    return f"The share of positives was given: {estimator.prior_:.4g}."


def report_page(
    arguments: argparse.Namespace,
    problem: Problem,
    estimator: Any,
    answers: Answers,
    check: LabellingCheck | None = None,
) -> str:
    from pucut import report
    from pucut.cli._sources import column_sources

    ids = problem.table.frame[list(problem.plan.ids)].astype(str)
    summary = report.summarise(
        estimator,
        problem.X,
        problem.y,
        ids=[" ".join(row) for row in ids.to_numpy()] if problem.plan.ids else None,
        feature_names=list(problem.X.columns),
        sources=column_sources(problem.plan.features),
        source=Path(problem.table.name).name,
        label_name=problem.label_column,
        positive=" or ".join(problem.labels.positives),
        probabilities=answers.probabilities,
        ranks=answers.ranks,
        notes=[note for note in problem.plan.notes if ": not used" in note],
        labelling=check,
        random_state=arguments.seed,
    )
    return str(report.render(summary))


def model_bytes(problem: Problem, estimator: Any) -> bytes:
    about = {
        "features": [feature.to_dict() for feature in problem.plan.features],
        "ids": list(problem.plan.ids),
        "label_column": problem.label_column,
    }
    return _user_error(lambda: dump_model(estimator.compact(), about))


def _user_error(action: Callable[[], T]) -> T:
    try:
        return action()
    except ModelFileError as error:
        raise UserError(f"--save-model: {error}") from error
