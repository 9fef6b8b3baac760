"""`pucut rank`: which unlabelled rows to look at next."""

import argparse
from typing import Any

import numpy as np

from pucut.cli import _predictions as predictions
from pucut.cli._commands import AS_LABEL
from pucut.cli._ending import UnknownShareError, UserError
from pucut.cli._learning import LabelledTable, fit, no_use_of, read_labelled
from pucut.cli._output import check_output_options, deliver
from pucut.cli._voice import Voice
from pucut.cli.label import learned_from
from pucut.labelling import ranking


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    if arguments.top is not None and arguments.top < 1:
        raise UserError(f"--top must be 1 or more, found {arguments.top}")
    if arguments.method == AS_LABEL and arguments.prior != "auto":
        why = ", which needs no share of positives"
        raise no_use_of("--prior", arguments.prior, AS_LABEL, why)
    if arguments.method == AS_LABEL and arguments.device is not None:
        raise no_use_of("--device", arguments.device, AS_LABEL)
    check_output_options(arguments, [arguments.table])
    labelled = read_labelled(arguments, voice)
    by = _by_labels if arguments.method == AS_LABEL else _by_method
    ranked, prior = by(arguments, labelled, voice)
    place = "rank" if "rank" not in ranked.columns else "pucut_rank"
    ranked = ranked.iloc[: arguments.top]
    ranked.insert(0, place, np.arange(1, len(ranked) + 1))
    summary = {
        **labelled.summary(arguments),
        "method": arguments.method,
        "prior": prior,
        "first": arguments.first,
        # JSON has no NaN: what is missing is null.
        "ranking": ranked.astype(object).where(ranked.notna(), None).to_dict(orient="records"),
    }
    deliver(arguments, ranked, summary, voice)
    return 0


def _by_method(
    arguments: argparse.Namespace, labelled: LabelledTable, voice: Voice
) -> tuple[Any, float | None]:
    """Return the unlabelled rows in the order of a method's scores, and the prior it used."""
    try:
        estimator = fit(arguments, labelled, voice)
    except UnknownShareError as error:
        raise UserError(f"{error}; --method {AS_LABEL} ranks without it") from error
    found = predictions.fitted_predictions(estimator, labelled.X, labelled.y)
    order = np.argsort(found.ranks)[: np.count_nonzero(labelled.y.is_unlabelled)]
    if arguments.first == "negative":
        order = order[::-1]
    ranked = predictions.prediction_table(labelled.table, labelled.encoded.ids, [], found)
    ranked = predictions.with_caution(ranked.iloc[order], estimator)
    del ranked["rank" if "pucut_rank" not in ranked.columns else "pucut_rank"]
    return ranked, estimator.prior_


def _by_labels(
    arguments: argparse.Namespace, labelled: LabelledTable, voice: Voice
) -> tuple[Any, float | None]:
    """Return the unlabelled rows as `pucut label` ranks them; rows without words come last."""
    features, seed = learned_from(labelled), arguments.seed
    known = labelled.y.is_labelled, labelled.y.is_negative
    if ranking.training_rows(features, *known, seed) is None:
        raise UserError(
            f"--method {AS_LABEL} cannot rank: no known positive, or nothing else, has any words"
        )
    scores = ranking.rank_scores(features, *known, seed)
    calibration = ranking.calibrated(features, *known, seed)
    if calibration is None:
        voice.note(
            f"no probabilities: they need {ranking.LEAST_OF_EACH_KIND} known positives and "
            f"{ranking.LEAST_OF_EACH_KIND} known negatives"
        )
        probabilities = np.full(len(scores), np.nan)
    else:
        probabilities = calibration.probabilities(scores)
    blank = ranking.is_blank(features.X)
    rows = np.flatnonzero(labelled.y.is_unlabelled)
    if blank[rows].any():
        voice.note(
            f"{np.count_nonzero(blank[rows])} rows have no words or numbers to go by: they come "
            "last, without a score"
        )
    sign = -1.0 if arguments.first == "positive" else 1.0
    order = rows[np.lexsort((sign * scores[rows], blank[rows]))]
    scores, probabilities = (np.where(blank, np.nan, found) for found in (scores, probabilities))
    ids = labelled.encoded.ids
    ranked = predictions.identified(labelled.table, ids, [])
    for name, values in (("probability", probabilities), ("score", scores)):
        ranked[f"pucut_{name}" if name in ids else name] = predictions.rounded(values)
    return ranked.iloc[order], None
