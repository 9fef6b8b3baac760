"""`--check-labels`: whether the known positives look like a random draw of the positives found."""

import argparse
from dataclasses import asdict
from typing import Any

from pucut.cli._errors import UserError
from pucut.cli._problem import Problem
from pucut.priors import LabellingCheck, check_labelling

ADVICE = (
    "Ask how the known positives came to be known, and leave out columns that only tell that "
    "(--drop NAME). pucut prior --method clusters estimates the share for such labels; "
    "pucut classify --prior SHARE takes one that is known from elsewhere."
)


def checked_labelling(
    arguments: argparse.Namespace, problem: Problem, prior: Any
) -> LabellingCheck | None:
    """The check, if it was asked for; the prior is "auto" unless the user gave it."""
    if not arguments.check_labels:
        return None
    try:
        return check_labelling(problem.X, problem.y, prior=prior, random_state=arguments.seed)
    except (ValueError, TypeError) as error:
        raise UserError(f"--check-labels: {' '.join(str(error).split())}") from error


def note_on_labels(check: LabellingCheck) -> str:
    """What was found, what it means, and what to do."""
    is_alarm = check.is_random_draw is False
    parts = ("warning:" if is_alarm else "", check.finding, check.meaning, ADVICE)
    return " ".join(part for part in (parts if is_alarm else parts[:-1]) if part)


def labelling_summary(check: LabellingCheck | None) -> dict[str, Any] | None:
    """For `--json`; None if it was not asked for."""
    if check is None:
        return None
    return {
        "is_random_draw": check.is_random_draw,
        "columns": list(check.columns),
        **asdict(check),
    }
