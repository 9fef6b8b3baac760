"""The chooser on Dask collections: the result of one machine on the same rows, to the last bit."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsTransformer
from sklearn.tree import DecisionTreeClassifier

from pucut import PUCutClassifier
from pucut.dask import DaskPUCutClassifier
from pucut.dask.partitions import read_partitions
from pucut.dask.place import PointsOnWorkers
from pucut.data.labels import checked_pu_labels
from pucut.data.row_order import row_order
from pucut.judging.places import PointsHere
from pucut.trees.growing import TreeOptions

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

pytestmark = pytest.mark.slow

SETTINGS = {"prior": 0.4, "n_estimators": 5, "neighbors": "exact", "random_state": 0}
METHODS = ("predict", "decision_function", "predict_proba")
FOREST = ("offsets", "feature", "threshold", "left", "missing_left", "risk_reduction")


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Dask's scheduler that runs one task after another; blocks of rows that small tables have."""
    monkeypatch.setattr("pucut.kernels.gaussian.ROWS_OF_A_BLOCK", 64)
    with dask.config.set(scheduler="synchronous"):
        yield


def blobs(n_rows, n_features, labelled, dtype=np.float32):
    """Two classes, a share of the positives labelled, and rows that are equal."""
    rng = np.random.default_rng(0)
    is_positive = rng.random(n_rows) < 0.4
    X = rng.normal(size=(n_rows, n_features)) + 0.9 * is_positive[:, None]
    X[:: n_rows // 20] = X[0]
    return X.astype(dtype), is_positive, is_positive & (rng.random(n_rows) < labelled)


def fitted_here(X, y, **options):
    """One machine's model, and the rows in the order in which it works."""
    order = row_order(X, checked_pu_labels(y, **options).signs)
    X, y = X.iloc[order].reset_index(drop=True) if hasattr(X, "iloc") else X[order], y[order]
    one = PUCutClassifier(**SETTINGS | options).fit(X, y)
    np.testing.assert_array_equal(one.row_order_, np.arange(len(X)))
    return one, X, y


def assert_same_fit(found, one):
    for name in (
        "transduction_",
        "scores_",
        "feature_weights_",
        "feature_importances_",
        "negative_ranking_",
        "row_order_",
    ):
        np.testing.assert_array_equal(getattr(found, name), getattr(one, name), err_msg=name)
    for name in ("threshold_", "prior_", "neighbor_recall_", "positive_fraction_"):
        assert getattr(found, name) == getattr(one, name), name
    assert list(map(repr, found.selection_)) == list(map(repr, one.selection_))
    for cut, same in zip(found.mixture_.cuts, one.mixture_.cuts, strict=True):
        np.testing.assert_array_equal(cut.level, same.level)


def assert_same_answers(found, one, X, collection, methods=METHODS):
    """For plain rows at once, for a collection lazily."""
    for name in methods:
        expected = getattr(one, name)(X)
        np.testing.assert_array_equal(getattr(found, name)(X), expected, err_msg=name)
        lazy = getattr(found, name)(collection)
        assert dask.is_dask_collection(lazy)
        assert lazy.dtype == expected.dtype
        np.testing.assert_array_equal(lazy.compute(), expected, err_msg=name)


def test_few_labels():
    """Several worlds, each with a space of its own; then the model comes here."""
    X, _, y = blobs(300, 4, 0.4, np.float64)
    one, X, y = fitted_here(X, y)
    collection = da.from_array(X, chunks=((7, 190, 0, 1, 102), 3))
    found = DaskPUCutClassifier(**SETTINGS).fit(collection, da.from_array(y, chunks=70))
    assert_same_fit(found, one)
    assert_same_answers(found, one, X, collection)
    assert_same_answers(found.compact(), one, X, collection, METHODS[2:])
    with pytest.raises(TypeError, match=r"call its method gather\(\) first"):
        pickle.dumps(found)
    copied = pickle.loads(pickle.dumps(found.gather()))
    assert copied.gather() is copied
    assert_same_answers(copied, one, X, collection, METHODS[2:])


def test_many_labels(monkeypatch):
    """One world, every space, spaces compared on a sample, trees that see a sample, negatives."""
    monkeypatch.setattr("pucut.judging.scorers.ROWS_OF_A_TREE", 700)
    monkeypatch.setattr("pucut.methods.pu_cut._preselection.ROWS_SEARCHED", 800)
    monkeypatch.setattr("pucut.methods.pu_cut._plan.FEWEST_ROWS", 1000)
    X, is_positive, y = blobs(1700, 10, 0.95)
    X *= np.where(np.arange(10) < 5, 1.0, 3.0)
    is_negative = ~is_positive & (np.random.default_rng(1).random(1700) < 0.1)
    y = np.where(is_negative, "no", np.where(y, "yes", "unknown"))
    names = {"pos_label": "yes", "neg_label": "no"}
    one, X, y = fitted_here(X, y, **names)
    kinds = {space.name for space in one.mixture_.spaces}
    kinds |= {each.name.removeprefix("neighbours, ") for each in one.selection_}
    assert kinds > {"importance squared", "common scale", "directions of change"}
    collection = da.from_array(X, chunks=(500, 10))
    monkeypatch.setattr("pucut.dask.trees.grow_trees", None)  # no worker sees all rows
    found = DaskPUCutClassifier(**SETTINGS | names).fit(collection, y)
    assert_same_fit(found, one)
    assert_same_answers(found, one, X[:200], collection[:200], METHODS[2:])


def codes(n_rows, labelled):
    """Columns of few values whose order means nothing, and one that is a number."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 9, size=(n_rows, 6))
    effects = rng.normal(size=(6, 9))
    is_positive = effects[np.arange(6), codes].sum(axis=1) > 0.5
    X = np.column_stack([codes, rng.normal(size=n_rows)])
    return X, is_positive & (rng.random(n_rows) < labelled)


def test_columns_that_may_be_codes():
    """Their values are counted by partition: some of these hold no row of a value, or one row."""
    X, y = codes(400, 0.6)
    one, X, y = fitted_here(X, y)
    assert sum("as categories" in space.name for space in one.mixture_.spaces) == 2
    X_there = da.from_array(X, chunks=((7, 290, 0, 1, 102), 7))
    found = DaskPUCutClassifier(**SETTINGS).fit(X_there, y)
    assert_same_fit(found, one)
    assert_same_answers(found, one, X, X_there)
    assert_same_answers(found.compact(), one, X, X_there, METHODS[2:])
    assert_same_answers(found.gather(), one, X, X_there, METHODS[2:])


def test_columns_that_may_be_codes_in_a_large_table(monkeypatch):
    """Spaces of each view are compared on a sample of the rows."""
    monkeypatch.setattr("pucut.methods.pu_cut._preselection.ROWS_SEARCHED", 1200)
    monkeypatch.setattr("pucut.methods.pu_cut._plan.FEWEST_ROWS", 1500)
    X, y = codes(2200, 0.8)
    one, X, y = fitted_here(X, y)
    assert any("as categories" in space.name for space in one.mixture_.spaces)
    found = DaskPUCutClassifier(**SETTINGS).fit(da.from_array(X, chunks=(500, 7)), y)
    assert_same_fit(found, one)
    assert_same_answers(found, one, X[:200], da.from_array(X[:200], chunks=50), METHODS[2:])


def test_data_frames():
    X, _, y = blobs(300, 4, 0.5)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = np.where(frame["a"] > 0.5, "x", np.where(frame["b"] > 1.0, "y", "z"))
    one, frame, y = fitted_here(frame, y)
    collection = dd.from_pandas(frame, npartitions=3)
    found = DaskPUCutClassifier(**SETTINGS).fit(collection, y)
    assert found.feature_names_in_.tolist() == list(frame.columns)
    assert_same_fit(found, one)
    assert_same_answers(found, one, frame, collection, METHODS[2:])


@pytest.mark.parametrize("max_rows", [None, 330, 100])
@pytest.mark.parametrize("has_negatives", [False, True])
def test_trees_that_leave_out_a_fold(max_rows, has_negatives):
    """They see all rows, all that they do not leave out (which are fewer than 330), or a sample."""
    X, is_positive, is_labelled = blobs(400, 4, 0.5)
    options = TreeOptions(min_samples_leaf=5, max_rows=max_rows)
    growing = {"n_folds": 5, "n_trees": 2, "groups": np.arange(400) // 2, "random_state": 3}
    growing["is_negative"] = ~is_positive & (np.arange(400) % 7 == 0) & has_negatives
    parts = read_partitions(da.from_array(X, chunks=(130, 4))).starting_with_blocks()
    places = PointsHere(X), PointsOnWorkers(parts)
    one, found = (p.cross_fitted_forest(is_labelled, 0.4, options, **growing) for p in places)
    for name in FOREST:
        np.testing.assert_array_equal(getattr(found.forest, name), getattr(one.forest, name))
    for name in ("vote", "leaf"):
        for scores in ("scores", "by_all"):
            np.testing.assert_array_equal(
                getattr(getattr(found, scores), name), getattr(getattr(one, scores), name)
            )


def test_parts_begin_with_blocks():
    X = np.arange(1000.0).reshape(500, 2)
    for lengths in ((500,), (64, 436), (1, 498, 1), (10,) * 50, (300, 200)):
        parts = read_partitions(da.from_array(X, chunks=(lengths, 2))).starting_with_blocks()
        assert not (parts.starts[:-1] % 64).any()
        assert len(parts.parts) <= len(lengths)
        pieces = dask.compute(*parts.parts)
        assert [len(piece) for piece in pieces] == parts.lengths.tolist()
        np.testing.assert_array_equal(np.concatenate(pieces), X)


def test_what_is_refused():
    X, _, y = blobs(300, 4, 0.5)
    rows = da.from_array(X, chunks=(100, 4))
    for options, said in (
        ({"learners": [DecisionTreeClassifier()]}, "learners must be None on Dask, found"),
        ({"embeddings": [PCA(2)]}, "embeddings must be None on Dask, found"),
        ({"neighbors": KNeighborsTransformer()}, "'neighbors' parameter .* must be a str among"),
    ):
        with pytest.raises(ValueError, match=said):
            DaskPUCutClassifier(**SETTINGS | options).fit(rows, y)
    with pytest.raises(TypeError, match="memory_limit"):
        DaskPUCutClassifier(memory_limit="1GB")
