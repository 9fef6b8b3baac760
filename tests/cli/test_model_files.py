"""Model files: answers to the bit after a round trip, and nothing built that is not trusted."""

import json
import pickle
import subprocess
import sys
import zipfile
from io import BytesIO

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
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
from pucut.model_files import FORMAT, ModelFileError, dump_model, load_model
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


@pytest.mark.parametrize(
    "name", ["Rocchio", "spies", "label propagation", "isolation forest", "PU bagging"]
)
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


def with_format(number, estimator):
    content = {"format": number, "versions": {"pucut": "0.1"}, "about": {}, "estimator": estimator}
    return skops.io.dumps(content)


def test_strangers_are_not_read():
    data = with_format(FORMAT, Elsewhere())
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
    with pytest.raises(ModelFileError, match=r"m\.skops is not a model file of pucut"):
        load_model(archive.getvalue(), "m.skops")
    with pytest.raises(ModelFileError, match=r"m\.skops is not a model file of pucut"):
        load_model(skops.io.dumps([1, 2]), "m.skops")


def test_files_of_other_formats_are_refused_before_their_classes_are_looked_at():
    """A class of an older file may be gone: the reason is the format, and not that class."""
    with pytest.raises(ModelFileError) as refused:
        load_model(with_format(FORMAT - 1, Elsewhere()), "m.skops")
    assert str(refused.value) == (
        f"m.skops was written by an older version of pucut, 0.1: it has format {FORMAT - 1}, and "
        f"this version reads format {FORMAT} only. Fit the model again and save it anew"
    )
    with pytest.raises(
        ModelFileError, match=r"by another version of pucut, 0\.1: it has format 99"
    ):
        load_model(with_format(99, None))


def test_a_model_of_a_sparse_table_is_read_again():
    random = np.random.default_rng(0)
    X = sp.csr_array(random.normal(size=(60, 4)) * (random.random((60, 4)) < 0.5))
    for name in ("Rocchio", "biased SVM", "one-class SVM", "PU bagging"):
        model = METHODS[name]().set_params(prior=0.5, random_state=0).fit(X, np.arange(60) < 20)
        again = load_model(dump_model(model, {})).estimator
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def spoiled(estimator, find, change):
    """The bytes of a model file in which one array was changed after it was checked."""
    change(find(estimator))
    return dump_model(estimator, {})


def fitted_forest(name):
    X, y = features()
    estimator = METHODS[name]().set_params(prior=0.4, random_state=0)
    return estimator.fit(X, y)


@pytest.mark.parametrize(
    ("name", "find", "words"),
    [
        ("PU extra trees", lambda m: m.forest_.left, "the arrays are no forest: child"),
        ("PU extra trees", lambda m: m.forest_.feature, "the arrays are no forest: feature"),
        ("2-HNC", lambda m: m.forest_.left, "the arrays are no forest: child"),
        ("2-HNC", lambda m: m.graph_.indices, "a sparse matrix has column"),
        ("PU bagging", lambda m: m.estimators_[0].tree_.children_left, "a tree with a child"),
        ("PU bagging", lambda m: m.estimators_[0].tree_.feature, "a tree that asks for a column"),
    ],
)
def test_arrays_that_lead_out_of_bounds_are_refused(name, find, words):
    def change(array):
        array[array >= 0] = 1 << 30

    data = spoiled(fitted_forest(name), find, change)
    with pytest.raises(ModelFileError, match=words):
        load_model(data, "m.skops")


def test_boosting_that_leads_out_of_bounds_is_refused():
    X, y = features()
    for field, words in (
        ("left", "a child that does not follow"),
        ("feature_idx", "a column that is not there"),
        ("bitset_idx", "categor"),
    ):
        model = PUThresholdClassifier(prior=0.4, n_folds=2, random_state=0).fit(X, y)
        nodes = model.estimators_[0]._predictors[0][0].nodes
        nodes[field] = 1 << 30
        nodes["is_categorical"] |= field == "bitset_idx"
        if field == "bitset_idx":
            nodes["feature_idx"] = 1
            model.estimators_[0]._bin_mapper.is_categorical_[:] = 1
        with pytest.raises(ModelFileError, match=words):
            load_model(dump_model(model, {}))


def test_a_process_that_has_loaded_nothing_else_reads_a_model(tmp_path):
    X, y = features()
    path = tmp_path / "model.skops"
    path.write_bytes(dump_model(PUExtraTreesClassifier(5, prior=0.5, random_state=0).fit(X, y), {}))
    code = f"""from pathlib import Path
from pucut.model_files import load_model
print(load_model(Path({str(path)!r}).read_bytes()).estimator.prior_)"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stdout == "0.5\n", ended.stderr


def with_changed_members(data, change):
    """The model file with its members, bytes by name, changed."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    changed = BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return changed.getvalue()


def parts_of(schema, loader):
    """The parts of a skops schema that this loader will build."""
    if isinstance(schema, list):
        return [part for each in schema for part in parts_of(each, loader)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("__loader__") == loader else []
    return own + [part for each in schema.values() for part in parts_of(each, loader)]


def test_a_tree_without_a_list_of_nodes_is_refused_before_it_is_built():
    def change(members):
        tree = parts_of(json.loads(members["schema.json"]), "TreeNode")[0]
        saved = BytesIO()
        np.save(saved, np.array(2))  # no dimension at all: its first length is read from nowhere
        members[tree["content"]["content"]["nodes"]["file"]] = saved.getvalue()

    data = with_changed_members(dump_model(fitted_forest("PU bagging"), {}), change)
    with pytest.raises(ModelFileError, match="a tree whose nodes do not match its values"):
        load_model(data)


def test_arguments_of_a_tree_are_those_that_are_built_not_those_that_stand_there():
    def change(members):
        schema = json.loads(members["schema.json"])
        n_classes = parts_of(schema, "TreeNode")[0]["__reduce__"]["args"]["content"][1]
        saved = BytesIO()
        np.save(saved, np.zeros(0, dtype=np.intp))
        members["none.npy"] = saved.getvalue()
        # What comes first with a number stands for all that have it.
        schema["content"]["about"]["content"]["first"] = {**n_classes, "file": "none.npy"}
        members["schema.json"] = json.dumps(schema).encode()

    data = dump_model(fitted_forest("PU bagging"), {"first": None})
    data = with_changed_members(data, change)
    with pytest.raises(ModelFileError, match="a tree whose classes do not match its outputs"):
        load_model(data)


def test_a_seed_sequence_of_any_length_is_not_mixed():
    X, y = features()

    def change(members):
        schema = json.loads(members["schema.json"])
        for generator in parts_of(schema, "RandomGeneratorNode"):
            size = generator["content"]["seed_seq"]["content"]["pool_size"]
            for part in parts_of(schema, "JsonNode"):
                if part["__id__"] == size["__id__"]:
                    part["content"] = str(1 << 30)
        members["schema.json"] = json.dumps(schema).encode()

    model = PUThresholdClassifier(
        HistGradientBoostingClassifier(max_iter=7), prior=0.4, n_folds=2, random_state=0
    ).fit(X, y)
    with pytest.raises(ModelFileError, match="a seed sequence out of its range"):
        load_model(with_changed_members(dump_model(model, {}), change))


def test_a_file_that_claims_too_much_is_not_unpacked(monkeypatch):
    monkeypatch.setattr("pucut.model_files.MOST_BYTES", 1 << 10)
    with pytest.raises(ModelFileError, match="0 GiB unpacked, allowed are 0"):
        load_model(dump_model(PUExtraTreesClassifier(), {}))
