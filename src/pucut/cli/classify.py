"""`pucut classify`: which rows of a table are positive."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pucut._support.memory import readable_bytes
from pucut.cli._ending import user_errors
from pucut.cli._learning import LabelledTable, fit, read_labelled
from pucut.cli._output import check_output_options, deliver
from pucut.cli._predictions import Predictions, fitted_predictions, prediction_table, with_caution
from pucut.cli._voice import Voice
from pucut.cli.prior import checked_labelling, labelling_summary, note_on_labels
from pucut.model_files import ModelFileError, check_available, dump_model
from pucut.priors import LabellingCheck


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    check_output_options(arguments, [arguments.table])
    if arguments.save_model is not None:
        with user_errors("--save-model: ", ModelFileError):
            check_available()
    labelled = read_labelled(arguments, voice)
    estimator = fit(arguments, labelled, voice)
    found = fitted_predictions(estimator, labelled.X, labelled.y)
    check = checked_labelling(arguments, labelled, arguments.prior)
    files: dict[str, bytes] = {}
    if arguments.report is not None:
        page = report_page(arguments, labelled, estimator, found, check)
        files[arguments.report] = page.encode()
    if arguments.save_model is not None:
        model = files[arguments.save_model] = model_bytes(labelled, estimator)
        voice.note(f"the model file takes {readable_bytes(len(model))}")
    estimate = estimator.prior_estimate_
    given = f"The share of positives was given: {estimator.prior_:.4g}."
    voice.note(given if estimate is None else str(estimate))
    if check is not None:
        voice.note(note_on_labels(check))
    n_positive, n_known = int(found.is_positive.sum()), labelled.y.n_labelled
    voice.note(
        f"{n_positive} of {labelled.table.n_rows} rows are predicted positive: the {n_known} known "
        f"ones and {n_positive - n_known} others"
    )
    summary = {
        **labelled.summary(arguments),
        "method": arguments.method,
        "prior": estimator.prior_,
        "prior_estimate": None if estimate is None else asdict(estimate),
        "labelling": labelling_summary(check),
        "n_predicted_positive": n_positive,
    }
    if hasattr(estimator, "n_unreached_"):  # only 2-HNC has it
        summary["n_unreached"] = estimator.n_unreached_
    predictions = with_caution(labelled_predictions(labelled, found), estimator)
    deliver(arguments, predictions, summary, voice, files)
    return 0


def labelled_predictions(labelled: LabelledTable, found: Predictions) -> Any:
    """Return the table of predictions, with the labels of the input."""
    columns = [labelled.label_column]
    return prediction_table(labelled.table, labelled.encoded.ids, columns, found, labelled.y)


def report_page(
    arguments: argparse.Namespace,
    labelled: LabelledTable,
    estimator: Any,
    predictions: Predictions,
    check: LabellingCheck | None = None,
) -> str:
    from pucut import report

    encoded = labelled.encoded
    ids = labelled.table.frame[list(encoded.ids)].astype(str)
    sources = {
        column: report.ColumnSource(
            feature.name, feature.kind, text, feature.kind == "date" and column == feature.name
        )
        for feature in encoded.features
        for column, text in zip(encoded.columns[feature.name], feature.sources(), strict=True)
    }
    summary = report.summarise(
        estimator,
        labelled.X,
        labelled.y,
        ids=[" ".join(row) for row in ids.to_numpy()] if encoded.ids else None,
        feature_names=list(labelled.X.columns),
        sources=sources,
        source=Path(labelled.table.name).name,
        label_name=labelled.label_column,
        positive=" or ".join(labelled.labels.positives),
        probabilities=predictions.probabilities,
        ranks=predictions.ranks,
        notes=[note for note in encoded.notes if ": not used" in note],
        labelling=check,
        random_state=arguments.seed,
    )
    return str(report.render(summary))


def model_bytes(labelled: LabelledTable, estimator: Any) -> bytes:
    about = {
        "features": [feature.to_dict() for feature in labelled.encoded.features],
        "ids": list(labelled.encoded.ids),
        "label_column": labelled.label_column,
    }
    with user_errors("--save-model: ", ModelFileError):
        return dump_model(estimator.compact(), about)
