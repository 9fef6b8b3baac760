"""`pucut prior`: how many rows of a table are positive."""

import argparse
from dataclasses import asdict
from typing import Any

from pucut.cli._ending import user_errors
from pucut.cli._learning import LabelledTable, read_labelled
from pucut.cli._output import print_json
from pucut.cli._voice import Voice
from pucut.priors import LabellingCheck, check_labelling, estimate_prior

ADVICE = (
    "Ask how the known positives came to be known, and leave out columns that only tell that "
    "(--drop NAME). pucut prior --method clusters estimates the share for such labels; "
    "pucut classify --prior SHARE takes one that is known from elsewhere."
)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    labelled = read_labelled(arguments, voice)
    with user_errors("", ValueError, TypeError):
        estimate = estimate_prior(
            labelled.X, labelled.y, arguments.method, n_jobs=-1, random_state=arguments.seed
        )
    check = checked_labelling(arguments, labelled, "auto")
    if check is not None:
        voice.note(note_on_labels(check))
    if arguments.json:
        summary = labelled.summary(arguments)
        found = {"prior_estimate": asdict(estimate), "labelling": labelling_summary(check)}
        print_json({**summary, **found})
    else:
        print(estimate, flush=True)
    return 0


def checked_labelling(
    arguments: argparse.Namespace, labelled: LabelledTable, prior: Any
) -> LabellingCheck | None:
    """Check whether known positives look like a random draw, if `--check-labels` asks for it."""
    if not arguments.check_labels:
        return None
    with user_errors("--check-labels: ", ValueError, TypeError):
        return check_labelling(labelled.X, labelled.y, prior=prior, random_state=arguments.seed)


def note_on_labels(check: LabellingCheck) -> str:
    """Return the finding of the check, its meaning, and what to do."""
    is_alarm = check.is_random_draw is False
    parts = ("warning:" if is_alarm else "", check.finding, check.meaning, ADVICE)
    return " ".join(part for part in (parts if is_alarm else parts[:-1]) if part)


def labelling_summary(check: LabellingCheck | None) -> dict[str, Any] | None:
    """Return the check for `--json`; None if there was none."""
    if check is None:
        return None
    own = {"is_random_draw": check.is_random_draw, "columns": list(check.columns)}
    return {**own, **asdict(check)}
