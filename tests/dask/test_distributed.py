"""2-HNC on Dask collections: the result of one machine on the same rows, to the last bit."""

import functools
import itertools
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsTransformer
from sklearn.tree import DecisionTreeClassifier

import pucut.dask
from pucut import (
    PUCutClassifier,
    PUExtraTreesClassifier,
    PUThresholdClassifier,
    TwoHNCClassifier,
)
from pucut.dask import DaskTwoHNCClassifier
from pucut.dask.cells import Region, Visitors, neighbors_in_cells, search_region
from pucut.dask.partitions import read_partitions
from pucut.graphs.neighbors import nearest_neighbors
from tests.helpers.given_order import InGivenOrder

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

pytestmark = pytest.mark.slow

SETTINGS = {"prior": 0.4, "n_estimators": 10, "random_state": 0}
METHODS = ("predict", "decision_function", "predict_proba")


@pytest.fixture(autouse=True)
def one_thread():
    """Without a client: Dask's scheduler that runs one task after another."""
    with dask.config.set(scheduler="synchronous"):
        yield


def blobs(n_rows=300, n_features=4, seed=0, dtype=np.float32):
    """Two classes, half of the positives labelled, and some rows that are equal."""
    rng = np.random.default_rng(seed)
    is_positive = rng.random(n_rows) < 0.4
    X = rng.normal(size=(n_rows, n_features)) + 1.5 * is_positive[:, None]
    X[::9] = X[0]
    return X.astype(dtype), is_positive & (rng.random(n_rows) < 0.5)


def assert_same_fit(found, one):
    """Stages, switch values, classes and scores are equal bit for bit."""
    for name in (
        "transduction_",
        "scores_",
        "feature_weights_",
        "feature_importances_",
        "negative_ranking_",
        "likely_negative_",
    ):
        np.testing.assert_array_equal(getattr(found, name), getattr(one, name), err_msg=name)
    for name in ("stage1_", "stage2_"):
        np.testing.assert_array_equal(getattr(found, name).switch, getattr(one, name).switch)
    for name in ("n_neighbors_", "prior_", "neighbor_recall_", "n_unreached_", "threshold_"):
        assert getattr(found, name) == getattr(one, name), name
    assert (found.graph_ != one.graph_).nnz == 0


def assert_same_answers(found, one, X, collection):
    """For plain rows at once, for a collection lazily."""
    for name in METHODS:
        expected = getattr(one, name)(X)
        np.testing.assert_array_equal(getattr(found, name)(X), expected, err_msg=name)
        lazy = getattr(found, name)(collection)
        assert dask.is_dask_collection(lazy)
        computed = lazy.compute()
        assert computed.dtype == expected.dtype
        np.testing.assert_array_equal(computed, expected, err_msg=name)


CHUNKS = {
    "even": ((100, 100, 100), 4),
    "mixed sizes": ((7, 190, 1, 102), 4),
    "empty ones": ((0, 150, 0, 150, 0), 4),
    "along features": ((150, 150), 3),
    "one row each at the ends": ((1, 298, 1), 4),
    "one": ((300,), 4),
}


@functools.cache
def fitted_here(dtype):
    return InGivenOrder(**SETTINGS).fit(*blobs(dtype=dtype))


@pytest.mark.parametrize(
    ("chunks", "dtype"),
    [
        *((name, np.float32) for name in CHUNKS),
        ("mixed sizes", np.float64),
        ("along features", np.float64),
        ("mixed sizes", np.int64),
    ],
)
def test_arrays_in_chunks_of_any_size(chunks, dtype):
    X, y = blobs(dtype=dtype)
    one = fitted_here(dtype)
    collection = da.from_array(X, chunks=CHUNKS[chunks])
    found = DaskTwoHNCClassifier(**SETTINGS).fit(collection, y)
    assert_same_fit(found, one)
    assert_same_answers(found, one, X, collection)


@pytest.mark.parametrize(
    "options",
    [
        {"feature_weights": None},
        {"feature_weights": [1.0, 2.0, 0.0, 1.0]},
        {"feature_weights": "pu_trees_squared", "n_neighbors": [2, 7], "sigma": 0.5},
        {"inductive": "nearest"},
        {"lambda_grid": np.arange(101) / 100},
        {"neighbors": "exact"},
        {"prior": "auto"},
        {"n_neighbors": 1, "feature_weights": None},
    ],
    ids=lambda options: ", ".join(options),
)
def test_options(options):
    X, y = blobs()
    one = InGivenOrder(**SETTINGS | options).fit(X, y)
    collection = da.from_array(X, chunks=(80, 4))
    found = DaskTwoHNCClassifier(**SETTINGS | options).fit(collection, y)
    assert_same_fit(found, one)
    assert_same_answers(found, one, X, collection)


@pytest.mark.parametrize("n_labelled", [1, 40, 180, 299])
def test_trees_that_see_a_sample_of_the_rows(monkeypatch, n_labelled):
    """Only drawn rows leave the partitions, and they are those that one machine draws."""
    monkeypatch.setattr("pucut.trees.feature_weights.ROWS_OF_A_TREE", 100)
    monkeypatch.setattr("pucut.dask.trees.grow_trees", None)
    X, _ = blobs()
    y = np.random.default_rng(0).permutation(300) < n_labelled
    options = SETTINGS | {"prior": max(0.4, (n_labelled + 0.5) / 300), "n_neighbors": 5}
    one = InGivenOrder(**options).fit(X, y)
    found = DaskTwoHNCClassifier(**options).fit(da.from_array(X, chunks=((7, 190, 1, 102), 4)), y)
    for name in ("offsets", "feature", "threshold", "left", "missing_left", "risk_reduction"):
        np.testing.assert_array_equal(getattr(found.forest_, name), getattr(one.forest_, name))
    assert_same_fit(found, one)


def test_rows_that_no_label_reaches():
    X, y = blobs()
    X[200:] += 1000.0
    y[200:] = False
    options = SETTINGS | {"n_neighbors": 3, "prior": 0.6}
    one = InGivenOrder(**options).fit(X, y)
    assert one.n_unreached_ > 0
    found = DaskTwoHNCClassifier(**options).fit(da.from_array(X, chunks=(90, 4)), y)
    assert_same_fit(found, one)


@pytest.mark.parametrize("n_rows", [2, 3, 5])
def test_fewer_rows_than_neighbours(n_rows):
    X, _ = blobs(n_rows)
    y = np.arange(n_rows) == 0
    options = SETTINGS | {"prior": 0.5}
    one = InGivenOrder(**options).fit(X, y)
    found = DaskTwoHNCClassifier(**options).fit(da.from_array(X, chunks=(1, 4)), y)
    assert_same_fit(found, one)


def test_a_partition_without_positives():
    X, y = blobs()
    y[100:200] = False
    one = InGivenOrder(**SETTINGS).fit(X, y)
    assert_same_fit(DaskTwoHNCClassifier(**SETTINGS).fit(da.from_array(X, chunks=(100, 4)), y), one)


def test_missing_values_in_one_partition():
    X, y = blobs()
    X[110:130, 1] = np.nan
    X[150:, 2] = np.nan
    one = InGivenOrder(**SETTINGS).fit(X, y)
    collection = da.from_array(X, chunks=(100, 4))
    found = DaskTwoHNCClassifier(**SETTINGS).fit(collection, y)
    assert_same_fit(found, one)
    assert_same_answers(found, one, X, collection)


def test_infinity_is_refused():
    X, y = blobs()
    X[250, 1] = np.inf
    with pytest.raises(ValueError, match="X contains infinity"):
        DaskTwoHNCClassifier(**SETTINGS).fit(da.from_array(X, chunks=(100, 4)), y)


def test_unknown_chunk_sizes():
    X, y = blobs()
    collection = da.from_array(X, chunks=(100, 4))
    part = collection[da.from_array(np.arange(300) % 3 > 0, chunks=100)]
    assert np.isnan(part.shape[0])
    rows = np.flatnonzero(np.arange(300) % 3 > 0)
    one = InGivenOrder(**SETTINGS).fit(X[rows], y[rows])
    found = DaskTwoHNCClassifier(**SETTINGS).fit(part, y[rows])
    assert_same_fit(found, one)
    assert_same_answers(found, one, X[rows], part)


def table():
    X, y = blobs()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame["kind"] = np.where(frame["a"] > 0.5, "x", np.where(frame["b"] > 1.0, "y", "z"))
    frame["late"] = pd.Categorical(np.arange(300) // 120)  # each partition lacks some
    frame["count"] = pd.array(np.arange(300) % 7, dtype="Int64")
    frame.loc[50, "count"] = pd.NA
    frame.loc[60, "kind"] = None
    return frame, y


@pytest.mark.parametrize("drop", [[], ["kind", "late", "count"]], ids=["mixed", "numbers"])
def test_data_frames(drop):
    frame, y = table()
    collection = dd.from_pandas(frame.drop(columns=drop), npartitions=3)
    whole = collection.compute()
    one = InGivenOrder(**SETTINGS).fit(whole, y)
    found = DaskTwoHNCClassifier(**SETTINGS).fit(
        collection, dd.from_pandas(pd.Series(y), npartitions=5)
    )
    assert_same_fit(found, one)
    assert found.feature_names_in_.tolist() == list(collection.columns)
    assert_same_answers(found, one, whole, collection)


def test_data_frames_with_empty_partitions():
    frame, y = table()
    ends = [0, 0, 120, 120, 300, 300]
    pieces = [frame.iloc[first:last] for first, last in itertools.pairwise(ends)]
    collection = dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=frame.iloc[:0])
    whole = collection.compute()
    one = InGivenOrder(**SETTINGS).fit(whole, y)
    found = DaskTwoHNCClassifier(**SETTINGS).fit(collection, y)
    assert_same_fit(found, one)
    assert_same_answers(found, one, whole, collection)


@pytest.mark.parametrize("kind", ["array", "list", "series", "dask array", "dask series"])
def test_labels_of_any_kind(kind):
    X, y = blobs()
    given = {
        "array": y,
        "list": y.tolist(),
        "series": pd.Series(y, index=np.arange(300)[::-1]),
        "dask array": da.from_array(y, chunks=70),
        "dask series": dd.from_pandas(pd.Series(y), npartitions=7),
    }[kind]
    one = InGivenOrder(**SETTINGS).fit(X, y)
    found = DaskTwoHNCClassifier(**SETTINGS).fit(da.from_array(X, chunks=(100, 4)), given)
    assert_same_fit(found, one)


@pytest.mark.parametrize("kind", ["array", "frame", "polars", "list"])
def test_plain_rows(kind):
    X, y = blobs(dtype=np.float64)
    given = X
    if kind == "frame":
        given, y = table()
    elif kind == "polars":
        given = pytest.importorskip("polars").from_pandas(table()[0].drop(columns="late"))
    elif kind == "list":
        given = X.tolist()
    one = InGivenOrder(**SETTINGS).fit(given, y)
    found = DaskTwoHNCClassifier(**SETTINGS).fit(given, y)
    assert_same_fit(found, one)
    np.testing.assert_array_equal(found.predict_proba(given), one.predict_proba(given))


def test_the_prior_is_estimated_from_the_same_rows(monkeypatch):
    """A sample is drawn from large tables, and only that comes from the workers."""
    X, y = blobs(900)
    monkeypatch.setattr("pucut.priors.estimate.MAX_ROWS", 500)
    monkeypatch.setattr("pucut.dask.estimator.MAX_ROWS", 500)
    # On workers rows have no order but their own.
    monkeypatch.setattr("pucut.priors.estimate.row_order", lambda X, labels: np.arange(len(labels)))
    options = SETTINGS | {"prior": "auto"}
    one = InGivenOrder(**options).fit(X, y)
    monkeypatch.setattr("pucut.dask.partitions.Partitions.gathered", None)
    found = DaskTwoHNCClassifier(**options).fit(da.from_array(X, chunks=(200, 4)), y)
    assert found.prior_estimate_.diagnostics["rows_used"] == 500
    assert found.prior_estimate_ == one.prior_estimate_
    assert_same_fit(found, one)


@pytest.mark.parametrize(
    "model",
    [
        TwoHNCClassifier(**SETTINGS),
        PUCutClassifier(**SETTINGS),
        PUExtraTreesClassifier(**SETTINGS),
        PUThresholdClassifier(DecisionTreeClassifier(max_depth=3), prior=0.4),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_model_of_one_machine_answers_collections(model):
    X, y = blobs()
    y = np.where(y, "yes", "no")
    frame = pd.DataFrame(X, columns=list("abcd"))
    for given, collection in (
        (X, da.from_array(X, chunks=((0, 120, 180), 2))),
        (frame, dd.from_pandas(frame, npartitions=3)),
    ):
        one = clone(model).fit(given, y)
        for name in METHODS:
            expected, lazy = getattr(one, name)(given), getattr(pucut.dask, name)(one, collection)
            assert dask.is_dask_collection(lazy)
            assert lazy.dtype == expected.dtype
            np.testing.assert_array_equal(lazy.compute(), expected, err_msg=name)
            with pytest.raises(TypeError, match=rf"call model\.{name}\(X\)"):
                getattr(pucut.dask, name)(one, given)
            with pytest.raises(NotFittedError):
                getattr(pucut.dask, name)(clone(model), collection)


@pytest.mark.parametrize("method", [TwoHNCClassifier, PUCutClassifier, PUExtraTreesClassifier])
@pytest.mark.parametrize("kind", ["Array", "DataFrame"])
def test_estimators_of_one_machine_refuse_collections_by_name(method, kind):
    X, y = blobs()
    collection = da.from_array(X, chunks=(100, 4))
    if kind == "DataFrame":
        collection = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=3)
    said = rf"X is a Dask {kind}, and {method.__name__} needs .*pucut\.dask\.DaskPUCutClassifier"
    model = method(**SETTINGS)
    with pytest.raises(TypeError, match=said):
        model.fit(collection, y)
    model.fit(X, y)
    for name in METHODS:
        with pytest.raises(TypeError, match=said):
            getattr(model, name)(collection)


def test_a_model_is_pickled_after_its_points_were_gathered():
    X, y = blobs()
    one = InGivenOrder(**SETTINGS).fit(X, y)
    collection = da.from_array(X, chunks=(100, 4))
    found = DaskTwoHNCClassifier(**SETTINGS).fit(collection, y)
    assert_same_answers(found.compact(), one, X, collection)
    assert_same_answers(found.compact().gather(), one, X, collection)
    with pytest.raises(TypeError, match=r"call its method gather\(\) first"):
        pickle.dumps(found)
    copied = pickle.loads(pickle.dumps(found.gather()))
    np.testing.assert_array_equal(copied.predict_proba(X), one.predict_proba(X))
    assert copied.gather() is copied


def refused(X, y=None, match="", error=ValueError, **options):
    labels = blobs()[1] if y is None else y
    with pytest.raises(error, match=match):
        DaskTwoHNCClassifier(**SETTINGS | options).fit(X, labels)


def test_what_is_refused():
    X, y = blobs()
    rows = da.from_array(X, chunks=(100, 4))
    refused(rows, y[:-1], "X has 300 rows, y has 299 labels")
    refused(rows, da.from_array(y[:-1], chunks=10), "X has 300 rows, y has 299 labels")
    refused(rows, np.zeros(300), "y holds only one class")
    refused(rows[:, 0], None, "must have two dimensions")
    refused(rows.reshape(300, 2, 2), None, "must have two dimensions")
    refused(rows[:0], y[:0], "X must have at least one row")
    refused(rows[:, :0], None, r"one column, found shape \(300, 0\)")
    refused(rows.astype(np.complex64), None, "Complex data not supported")
    refused(rows[:, rows[0] > -9.0], None, "known number of columns")
    refused(rows.map_blocks(sp.csr_array), None, "Dask array of NumPy arrays", TypeError)
    refused(sp.csr_array(X), None, "X must be dense", TypeError)
    for neighbors in ("precomputed", "dask", KNeighborsTransformer()):
        refused(rows, None, "'neighbors' parameter .* must be a str among", neighbors=neighbors)
    bag = pytest.importorskip("dask.bag").from_sequence([1, 2])
    refused(bag, None, "found a Dask Bag", TypeError)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=2)
    refused(frame["a"], None, "found a Dask Series", TypeError)


@pytest.mark.parametrize("name", ["preset", "similarity", "memory_limit"])
def test_parameters_that_workers_cannot_keep_are_not_there(name):
    """X is never a matrix of similarities here, and no machine's memory is the limit."""
    assert name not in DaskTwoHNCClassifier().get_params()
    with pytest.raises(TypeError, match=name):
        DaskTwoHNCClassifier(**{name: None})


def test_partitions_that_differ_in_width_are_refused():
    pieces = [np.zeros((5, 3)), np.zeros((5, 2))]
    rows = da.concatenate(
        [da.from_delayed(dask.delayed(piece), (5, 3), np.float64) for piece in pieces]
    )
    refused(rows, np.arange(10) > 5, r"3 columns in every partition, found shape \(5, 2\) in .* 1")


def test_a_column_of_too_many_categories_is_named():
    frame = pd.DataFrame({"a": np.arange(300.0), "b": [f"v{i}" for i in range(300)]})
    refused(dd.from_pandas(frame, npartitions=2), None, "column 'b' of X has 300 categories")


def test_other_columns_than_those_of_fit_are_refused():
    X, y = blobs()
    frame = pd.DataFrame(X, columns=list("abcd"))
    found = DaskTwoHNCClassifier(**SETTINGS).fit(dd.from_pandas(frame, npartitions=2), y)
    with pytest.raises(ValueError, match="feature names should match"):
        found.predict(dd.from_pandas(frame[["b", "a", "c", "d"]], npartitions=2))
    with pytest.raises(ValueError, match="feature names should match"):
        found.predict(dd.from_pandas(frame[list("abc")], npartitions=2))
    found = DaskTwoHNCClassifier(**SETTINGS).fit(da.from_array(X, chunks=(100, 4)), y)
    with pytest.raises(ValueError, match="3 features"):
        found.predict(da.from_array(X[:, :3], chunks=(100, 3)))


def test_without_dask_its_extra_is_named(monkeypatch):
    X, y = blobs()
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"install 'pucut\[dask\]'"):
        DaskTwoHNCClassifier(**SETTINGS).fit(X, y)


def test_approximate_neighbours_with_the_recall_they_have(monkeypatch):
    """The measured recall is near the true one, distances are true, and nothing is listed twice."""
    monkeypatch.setattr("pucut.dask.cells._ROWS_PER_CELL", 150)
    X, _ = blobs(2000)
    points = read_partitions(da.from_array(X, chunks=((700, 1, 599, 700), 4)))
    found = neighbors_in_cells(points, 8, seed=0)
    exact = nearest_neighbors(X, 8, "exact")
    is_found = (exact.indices[:, :, None] == found.indices[:, None, :]).any(axis=2)
    assert 0.95 < is_found.mean() < 1.0  # pruned, but little was lost
    assert abs(found.recall - is_found.mean()) < 0.02
    apart = X[:, None].astype(np.float64) - X[found.indices]
    np.testing.assert_allclose(found.squared_distances, (apart**2).sum(axis=2), rtol=1e-12)
    own = np.arange(len(X))[:, None]
    assert all(len(set(row)) == 9 for row in np.hstack([own, found.indices]).tolist())
    # A region of its own for every cell, and visitors from one region at a time.
    monkeypatch.setattr("pucut.dask.cells._BYTES_PER_REGION", 1)
    monkeypatch.setattr("pucut.dask.cells._BYTES_OF_VISITORS", 1)
    again = neighbors_in_cells(points, 8, seed=0)
    np.testing.assert_array_equal(again.indices, found.indices)
    np.testing.assert_array_equal(again.squared_distances, found.squared_distances)


def test_a_region_without_rows_finds_nothing():
    """Centres come from a sample, so that no row of the table may be nearest to some."""
    points = np.zeros((3, 2))
    asked = np.array([[0, 1]] * 3, dtype=np.int16)
    nobody = Region(asked[:0, 0], np.empty(0, dtype=np.int32), points[:0])
    visitors = [Visitors(np.arange(3), asked, points)]
    ((_, found),) = search_region(nobody, visitors, k=2, seed=0)
    assert np.isinf(found.squared_distances).all()


def test_cells_with_fewer_rows_than_neighbours(monkeypatch):
    monkeypatch.setattr("pucut.dask.cells._ROWS_PER_CELL", 3)
    X, y = blobs(60)
    found = DaskTwoHNCClassifier(**SETTINGS, neighbors="approximate", n_neighbors=10).fit(
        da.from_array(X, chunks=(20, 4)), y
    )
    assert np.isfinite(found.graph_.data).all()
    assert 0.5 < found.neighbor_recall_ <= 1.0


def test_one_cell_is_exact():
    X, y = blobs()
    options = SETTINGS | {"neighbors": "approximate"}
    one = InGivenOrder(**SETTINGS).fit(X, y)
    found = DaskTwoHNCClassifier(**options).fit(da.from_array(X, chunks=(100, 4)), y)
    assert_same_fit(found, one)
