"""`pucut apply`: a saved model on new rows."""

import argparse
from pathlib import Path

import sklearn

from pucut.cli._ending import user_errors
from pucut.cli._learning import duplicate_notes, read_input
from pucut.cli._output import check_output_options, deliver
from pucut.cli._predictions import new_predictions, prediction_table
from pucut.cli._voice import Voice
from pucut.model_files import ModelFileError, SavedModel, load_model
from pucut.tables.columns import check_present, encode_table
from pucut.tables.errors import listing
from pucut.tables.kinds import feature_from_dict


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    check_output_options(arguments, [arguments.model, arguments.table])
    saved = _read_model(arguments.model, voice)
    table = read_input(arguments)
    features = [feature_from_dict(plain) for plain in saved.about["features"]]
    present = [str(name) for name in table.frame.columns]
    given = [table.column(name, "--id-column") for name in arguments.id_column]
    known = [name for name in saved.about["ids"] if name in present]
    ids = list(dict.fromkeys([*given, *known]))
    check_present(table, features)
    used = {*(feature.name for feature in features), *ids, saved.about["label_column"]}
    further = [name for name in present if name not in used]
    if further:
        voice.note(f"{listing(further, 20)}: not used, the model does not know them")
    encoded = encode_table(table, features, ids, arguments.decimal)
    voice.note(*table.notes, *encoded.lost, *duplicate_notes(table, ids))
    found = new_predictions(saved.estimator, encoded.X)
    n_positive = int(found.is_positive.sum())
    voice.note(f"{n_positive} of {table.n_rows} rows are predicted positive")
    summary = {
        "model": arguments.model,
        "table": table.name,
        "n_rows": table.n_rows,
        "n_predicted_positive": n_positive,
        "id_columns": ids,
        "features": encoded.account(),
        "notes": [*table.notes, *encoded.lost],
    }
    deliver(arguments, prediction_table(table, ids, [], found), summary, voice)
    return 0


def _read_model(path: str, voice: Voice) -> SavedModel:
    with user_errors(f"the model {path!r} cannot be read: ", OSError):
        data = Path(path).read_bytes()
    with user_errors("", ModelFileError):
        saved = load_model(data, path)
    written = saved.versions.get("scikit-learn")
    if written != sklearn.__version__:
        voice.note(
            f"warning: {path} was written with scikit-learn {written}, and this is "
            f"{sklearn.__version__}: answers may differ"
        )
    return saved
