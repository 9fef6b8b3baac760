"""The cut classifiers on what is too large for arrays, in small: files, limits, samples."""

from dataclasses import fields

import numpy as np
import pytest
from sklearn.datasets import make_classification

from pucut import PUCutClassifier, TwoHNCClassifier
from pucut.methods import PUExtraTreesClassifier

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def problem():
    X, y = make_classification(700, 6, n_informative=4, random_state=0)
    is_positive = y == 1
    is_labelled = is_positive & (np.random.default_rng(0).random(700) < 0.5)
    return X, is_labelled, float(is_positive.mean())


BOTH = pytest.mark.parametrize("method", [TwoHNCClassifier, PUCutClassifier])


def fitted(X, y, prior, method=TwoHNCClassifier, **options):
    options = {"n_estimators": 20, "random_state": 0, **options}
    return method(prior=prior, **options).fit(X, y)


def assert_same_fit(one, other):
    """To the last bit, down to the cuts."""
    np.testing.assert_array_equal(one.transduction_, other.transduction_)
    np.testing.assert_array_equal(one.scores_, other.scores_)
    np.testing.assert_array_equal(one.feature_weights_, other.feature_weights_)
    if isinstance(one, TwoHNCClassifier):
        np.testing.assert_array_equal(one.stage1_.switch, other.stage1_.switch)
        np.testing.assert_array_equal(one.stage2_.switch, other.stage2_.switch)
        assert (one.graph_ != other.graph_).nnz == 0
        return
    assert one.selection_ == other.selection_
    for first, second in zip(one.mixture_.cuts, other.mixture_.cuts, strict=True):
        np.testing.assert_array_equal(first.level, second.level)
        assert first.name == second.name
        k = first.n_neighbors
        assert (first.space.graph(k) != second.space.graph(k)).nnz == 0


@BOTH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_memory_map_is_as_good_as_an_array(problem, method, dtype, tmp_path):
    X, y, prior = problem
    X = X.astype(dtype)
    X[::11, 2] = np.nan
    file = tmp_path / "X.npy"
    np.save(file, X)
    mapped = np.load(file, mmap_mode="r")
    one, other = (fitted(each, y, prior, method=method) for each in (X, mapped))
    assert_same_fit(one, other)
    np.testing.assert_array_equal(one.predict_proba(X[:20]), other.predict_proba(mapped[:20]))


@BOTH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parquet_is_as_good_as_an_array(problem, method, dtype, tmp_path):
    X, y, prior = problem
    X = X.astype(dtype)
    table = pa.table({f"x{j}": X[:, j] for j in range(6)})
    pq.write_table(table, tmp_path / "X.parquet", row_group_size=100)
    array = fitted(X, y, prior, method=method)
    for given in (tmp_path / "X.parquet", table):
        read = fitted(given, y, prior, method=method)
        assert_same_fit(read, array)
        assert read.feature_names_in_.tolist() == [f"x{j}" for j in range(6)]
        np.testing.assert_array_equal(read.predict_proba(given), array.predict_proba(X))
    np.testing.assert_array_equal(table["x0"].to_numpy(), X[:, 0])  # nothing of the user's changed


def test_parquet_with_texts_is_as_good_as_a_data_frame(problem, tmp_path):
    X, y, prior = problem
    table = pa.table(
        {"a": X[:, 0], "b": X[:, 1], "c": pa.array(np.array(["u", "v", "w"])[np.arange(700) % 3])}
    )
    pq.write_table(table, tmp_path / "X.parquet")
    assert_same_fit(fitted(tmp_path / "X.parquet", y, prior), fitted(table.to_pandas(), y, prior))


def test_columns_of_later_tables_are_checked(problem):
    X, y, prior = problem
    table = pa.table({f"x{j}": X[:, j] for j in range(6)})
    model = fitted(table, y, prior)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.rename_columns([f"z{j}" for j in range(6)]))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fitted(table.slice(0, 600), y, prior)


def test_other_estimators_read_tables_of_arrow_too(problem):
    X, y, prior = problem
    table = pa.table({f"x{j}": X[:, j] for j in range(6)})
    one, other = (
        PUExtraTreesClassifier(prior=prior, n_estimators=10, random_state=0).fit(each, y)
        for each in (X, table)
    )
    np.testing.assert_array_equal(one.scores_, other.scores_)


@pytest.mark.parametrize("neighbors", ["exact", "approximate"])
@BOTH
def test_a_small_memory_limit_changes_nothing(problem, method, neighbors, monkeypatch):
    X, y, prior = problem
    free = fitted(X, y, prior, method=method, neighbors=neighbors)
    monkeypatch.setattr("pucut.methods.plan.SMALLEST_SEARCH_BYTES", 1000)
    model = method(n_estimators=20, neighbors=neighbors, memory_limit=1)
    needed = model.estimate(X, n_labelled=int(np.sum(y)))
    assert needed.search_bytes == 1000
    tight = fitted(X, y, prior, method=method, neighbors=neighbors, memory_limit=needed.bytes)
    assert_same_fit(tight, free)
    np.testing.assert_array_equal(tight.predict_proba(X[:9]), free.predict_proba(X[:9]))


def test_trees_of_many_rows_see_a_sample(problem, monkeypatch):
    X, y, prior = problem
    whole = fitted(X, y, prior)
    monkeypatch.setattr("pucut.trees.feature_weights.ROWS_OF_A_TREE", 150)
    one, other = (fitted(X, y, prior, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert_same_fit(one, other)
    for field in fields(one.forest_):
        if field.name != "format":
            first, second = (getattr(each.forest_, field.name) for each in (one, other))
            np.testing.assert_array_equal(first, second)
    assert len(one.forest_.feature) < len(whole.forest_.feature) / 4
    # The importances tell the same features from the rest.
    assert np.corrcoef(one.feature_weights_, whole.feature_weights_)[0, 1] > 0.5
    assert (fitted(X, y, prior, random_state=1).feature_weights_ != one.feature_weights_).any()


def test_a_large_graph_of_single_precision_gives_the_same_classes(problem, monkeypatch):
    X, y, prior = problem
    wide = fitted(X, y, prior)
    monkeypatch.setattr("pucut.graphs.similarity.NARROW_FROM", 100)
    narrow = fitted(X, y, prior)
    assert narrow.graph_.dtype == np.float32
    np.testing.assert_allclose(narrow.stage1_.switch, wide.stage1_.switch, atol=1e-5)
    assert (narrow.transduction_ == wide.transduction_).mean() > 0.99
    chooser = fitted(X, y, prior, PUCutClassifier)
    assert all(space.graph(5).dtype == np.float32 for space in chooser.mixture_.spaces)
