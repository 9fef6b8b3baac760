"""`pucut apply`: a saved model on new rows."""

import argparse
from pathlib import Path

import sklearn

from pucut.cli._answers import answer_table, new_answers
from pucut.cli._delivery import check_output_options, deliver
from pucut.cli._errors import UserError
from pucut.cli._features import feature_frame
from pucut.cli._plan import Feature, column_dicts
from pucut.cli._problem import duplicate_notes, read_table
from pucut.cli._reading import InputTable, listing
from pucut.cli._voice import Voice
from pucut.model_files import ModelFileError, SavedModel, load_model


def run(arguments: argparse.Namespace) -> int:
    voice = Voice(arguments.quiet)
    check_output_options(arguments, [arguments.model, arguments.table])
    saved = _read_model(arguments.model, voice)
    table = read_table(arguments)
    features = [Feature.from_dict(plain) for plain in saved.about["features"]]
    ids = _ids(arguments, table, saved)
    _match(table, features, saved, ids, voice)
    X, notes = feature_frame(table, features, arguments.decimal)
    for note in (*table.notes, *notes, *duplicate_notes(table, ids)):
        voice.note(note)
    found = new_answers(saved.estimator, X)
    answers = answer_table(table, ids, [], found)
    n_positive = int(found.is_positive.sum())
    voice.note(f"{n_positive} of {table.n_rows} rows are predicted positive")
    summary = {
        "model": arguments.model,
        "table": table.name,
        "n_rows": table.n_rows,
        "n_predicted_positive": n_positive,
        "id_columns": list(ids),
        "features": column_dicts(features, X),
        "notes": [*table.notes, *notes],
    }
    deliver(arguments, answers, summary, voice)
    return 0


def _read_model(path: str, voice: Voice) -> SavedModel:
    try:
        saved = load_model(Path(path).read_bytes(), path)
    except OSError as error:
        raise UserError(f"the model {path!r} cannot be read: {error.strerror}") from error
    except ModelFileError as error:
        raise UserError(str(error)) from error
    written = saved.versions.get("scikit-learn")
    if written != sklearn.__version__:
        voice.note(
            f"warning: {path} was written with scikit-learn {written}, and this is "
            f"{sklearn.__version__}: answers may differ"
        )
    return saved


def _ids(arguments: argparse.Namespace, table: InputTable, saved: SavedModel) -> tuple[str, ...]:
    given = [table.column(name, "--id-column") for name in arguments.id_column]
    known = [name for name in saved.about["ids"] if name in table.frame.columns]
    return tuple(dict.fromkeys([*given, *known]))


def _match(
    table: InputTable,
    features: list[Feature],
    saved: SavedModel,
    ids: tuple[str, ...],
    voice: Voice,
) -> None:
    """Refuses a table without one of the features; names columns that the model does not know."""
    present = [str(name) for name in table.frame.columns]
    needed = [feature.name for feature in features]
    missing = [name for name in needed if name not in present]
    if missing:
        raise UserError(
            f"{table.name} lacks {listing(missing)}, which the model needs; it has "
            f"{listing(present)}"
        )
    known = {*needed, *ids, saved.about["label_column"]}
    further = [name for name in present if name not in known]
    if further:
        voice.note(f"{listing(further, 20)}: not used, the model does not know them")
