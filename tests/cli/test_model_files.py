"""Model files: answers to the bit after a round trip, and nothing built that is not trusted."""

import json
import pickle
import zipfile
from io import BytesIO

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from pucut import (
    PUCutClassifier,
    PUExtraTreesClassifier,
    PUThresholdClassifier,
    TwoHNCClassifier,
)
from pucut.methods import METHODS
from pucut.model_files import ModelFileError, dump_model, load_model
from tests.helpers.cli_tables import gene_table


def features(seed=0):
    table, _ = gene_table(seed)
    X = table[["size", "<script>", "depth"]].astype({"size": float})
    return X.assign(**{"<script>": pd.Categorical(X["<script>"])}), table["known"].notna()


def numbers_alone():
    columns = make_column_transformer(("passthrough", ["size", "depth"]))
    return make_pipeline(columns, SimpleImputer(), PCA(2))


def check_round_trip(estimator):
    X, y = features()
    new, _ = features(1)
    estimator.fit(X, y)
    saved = load_model(dump_model(estimator, {"note": ["ä", 1, None]}))
    assert saved.about == {"note": ["ä", 1, None]}
    assert set(saved.versions) == {"pucut", "scikit-learn"}
    for rows in (X, new):
        for method in ("predict", "predict_proba", "decision_function"):
            expected = getattr(estimator, method)(rows)
            np.testing.assert_array_equal(getattr(saved.estimator, method)(rows), expected)
    np.testing.assert_array_equal(saved.estimator.transduction_, estimator.transduction_)
    np.testing.assert_array_equal(saved.estimator.scores_, estimator.scores_)
    assert saved.estimator.prior_ == estimator.prior_
    assert getattr(saved.estimator, "selection_", ()) == getattr(estimator, "selection_", ())
    assert repr(saved.estimator) == repr(estimator)


@pytest.mark.parametrize(
    "estimator",
    [
        PUCutClassifier(n_estimators=20, random_state=0),
        PUCutClassifier(prior=0.4, feature_weights=None, random_state=0),
        PUCutClassifier(
            prior=0.4,
            learners=[HistGradientBoostingClassifier(max_iter=5)],
            embeddings={"numbers": numbers_alone()},
            random_state=0,
        ),
        TwoHNCClassifier(prior=0.4, random_state=0),
        TwoHNCClassifier(prior=0.4, inductive="nearest", random_state=0),
        TwoHNCClassifier(similarity="forest", prior=0.4, random_state=0),
        PUExtraTreesClassifier(prior=0.4, random_state=0),
        PUThresholdClassifier(prior=0.4, n_folds=2, random_state=0),
    ],
    ids=[
        "pucut",
        "pucut in one space",
        "pucut with what was given",
        "2-HNC",
        "2-HNC, nearest side",
        "2-HNC of leaves",
        "PU extra trees",
        "boosting",
    ],
)
def test_answers_are_the_same_to_the_bit(estimator):
    check_round_trip(estimator)


@pytest.mark.parametrize("name", ["Rocchio", "spies", "label propagation", "isolation forest"])
def test_other_methods(name):
    estimator = METHODS[name]().set_params(prior=0.4, random_state=0)
    if name == "isolation forest":
        estimator.set_params(estimator__n_estimators=10)
    check_round_trip(estimator)


class Elsewhere:
    """Not a class of pucut's."""


@pytest.mark.parametrize("stranger", [Elsewhere(), print])
def test_strangers_are_not_written(stranger):
    estimator = PUExtraTreesClassifier(callback=stranger)
    with pytest.raises(ModelFileError, match="PUExtraTreesClassifier cannot be written"):
        dump_model(estimator, {})


def test_strangers_are_not_read():
    data = skops.io.dumps({"format": 1, "versions": {}, "about": {}, "estimator": Elsewhere()})
    with pytest.raises(ModelFileError, match=r"names .*Elsewhere, which no model file of pucut"):
        load_model(data)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("builtins", "eval"),
        ("pucut.cli", "main"),
        ("pucut.__main__", "main"),
        ("pucut.model_files", "load_model"),
        ("pucut.metrics", "np"),
        ("pucut.no_such_module", "Thing"),
    ],
)
def test_functions_are_not_read(module, name):
    """A file may name what it likes: here each function is named in the place of a class."""
    written = zipfile.ZipFile(BytesIO(dump_model(PUExtraTreesClassifier(), {})))
    schema = json.loads(written.read("schema.json"))
    text = json.dumps(schema)
    assert text.count('"PUExtraTreesClassifier"') == 1
    text = text.replace('"PUExtraTreesClassifier"', json.dumps(name))
    text = text.replace('"pucut.methods.extra_trees"', json.dumps(module))
    changed = BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        archive.writestr("schema.json", text)
    with pytest.raises(ModelFileError, match=rf"it names {module}\.{name}, which"):
        load_model(changed.getvalue())


class Trap:
    """Unpickling it would end the test."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was read",))


def test_pickles_are_refused_by_content_and_by_name():
    packed = BytesIO()
    joblib.dump(Trap(), packed)
    for data in (pickle.dumps(Trap()), packed.getvalue()):
        with pytest.raises(ModelFileError, match="is a pickle or joblib file"):
            load_model(data, "model.skops")
    for name in ("model.pkl", "MODEL.JOBLIB"):
        with pytest.raises(ModelFileError, match=f"{name} is a pickle or joblib file"):
            load_model(b"", name)


def test_other_files_are_refused():
    for data in (b"", b"a,b\n1,2\n"):
        with pytest.raises(ModelFileError, match="is not a model file: it is not a zip"):
            load_model(data, "m.skops")
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("readme.txt", "nothing")
    with pytest.raises(ModelFileError, match=r"m\.skops is not a model file"):
        load_model(archive.getvalue(), "m.skops")
    with pytest.raises(ModelFileError, match=r"m\.skops is not a model file of pucut"):
        load_model(skops.io.dumps([1, 2]), "m.skops")
    other = skops.io.dumps({"format": 99, "versions": {}, "about": {}, "estimator": None})
    with pytest.raises(ModelFileError, match="has the format 99"):
        load_model(other, "m.skops")
