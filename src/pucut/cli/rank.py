"""`pucut rank`: which unlabelled rows to look at next."""

import argparse
from typing import Any

import numpy as np

from pucut.cli._answers import answer_table, fitted_answers, identified, rounded, with_caution
from pucut.cli._delivery import check_output_options, deliver, problem_summary
from pucut.cli._errors import UnknownShareError, UserError
from pucut.cli._learned import learned_from
from pucut.cli._problem import Problem, fit, no_use_of, read_problem
from pucut.cli._voice import Voice
from pucut.cli.options.rank import AS_LABEL
from pucut.labelling.probabilities import LEAST_OF_EACH_KIND, calibrated
from pucut.labelling.ranking import is_blank, rank_scores, training_rows


def run(arguments: argparse.Namespace) -> int:
    voice = Voice(arguments.quiet)
    if arguments.top is not None and arguments.top < 1:
        raise UserError(f"--top must be 1 or more, found {arguments.top}")
    if arguments.method == AS_LABEL and arguments.prior != "auto":
        why = ", which needs no share of positives"
        raise no_use_of("--prior", arguments.prior, AS_LABEL, why)
    if arguments.method == AS_LABEL and arguments.device is not None:
        raise no_use_of("--device", arguments.device, AS_LABEL)
    check_output_options(arguments, [arguments.table])
    problem = read_problem(arguments, voice)
    by = _by_labels if arguments.method == AS_LABEL else _by_method
    answers, prior = by(arguments, problem, voice)
    place = "rank" if "rank" not in answers.columns else "pucut_rank"
    answers = answers.iloc[: arguments.top]
    answers.insert(0, place, np.arange(1, len(answers) + 1))
    summary = {
        **problem_summary(arguments, problem),
        "method": arguments.method,
        "prior": prior,
        "first": arguments.first,
        # JSON has no NaN: what is missing is null.
        "ranking": answers.astype(object).where(answers.notna(), None).to_dict(orient="records"),
    }
    deliver(arguments, answers, summary, voice)
    return 0


def _by_method(
    arguments: argparse.Namespace, problem: Problem, voice: Voice
) -> tuple[Any, float | None]:
    """The unlabelled rows in the order of a method's scores, and the prior it used."""
    try:
        estimator = fit(arguments, problem, voice)
    except UnknownShareError as error:
        raise UserError(f"{error}; --method {AS_LABEL} ranks without it") from error
    found = fitted_answers(estimator, problem.X, problem.y)
    order = np.argsort(found.ranks)[: np.count_nonzero(problem.y.is_unlabelled)]
    if arguments.first == "negative":
        order = order[::-1]
    answers = answer_table(problem.table, problem.plan.ids, [], found).iloc[order]
    answers = with_caution(answers, estimator)
    del answers["rank" if "pucut_rank" not in answers.columns else "pucut_rank"]
    return answers, estimator.prior_


def _by_labels(
    arguments: argparse.Namespace, problem: Problem, voice: Voice
) -> tuple[Any, float | None]:
    """The unlabelled rows as `pucut label` ranks them; those without words last."""
    features, seed = learned_from(problem), arguments.seed
    known = problem.y.is_labelled, problem.y.is_negative
    if training_rows(features, *known, seed) is None:
        raise UserError(
            f"--method {AS_LABEL} cannot rank: no known positive, or nothing else, has any words"
        )
    scores = rank_scores(features, *known, seed)
    calibration = calibrated(features, *known, seed)
    if calibration is None:
        voice.note(
            f"no probabilities: they need {LEAST_OF_EACH_KIND} known positives and "
            f"{LEAST_OF_EACH_KIND} known negatives"
        )
        probabilities = np.full(len(scores), np.nan)
    else:
        probabilities = calibration.probabilities(scores)
    blank = is_blank(features.X)
    asked = np.flatnonzero(problem.y.is_unlabelled)
    if blank[asked].any():
        voice.note(
            f"{np.count_nonzero(blank[asked])} rows have no words or numbers to go by: they come "
            "last, without a score"
        )
    sign = -1.0 if arguments.first == "positive" else 1.0
    order = asked[np.lexsort((sign * scores[asked], blank[asked]))]
    scores, probabilities = (np.where(blank, np.nan, found) for found in (scores, probabilities))
    answers = identified(problem.table, problem.plan.ids, [])
    for name, values in (("probability", probabilities), ("score", scores)):
        answers[f"pucut_{name}" if name in problem.plan.ids else name] = rounded(values)
    return answers.iloc[order], None
