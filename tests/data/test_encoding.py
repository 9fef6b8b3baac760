"""Encodings against scikit-learn's scaler and one-hot encoder."""

import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pucut.data.encoding import learn_encoding
from pucut.data.labels import checked_pu_labels
from pucut.data.row_order import order_rows_in_place, row_order
from pucut.data.suspects import suspect_columns
from pucut.data.tables import as_table


@pytest.fixture
def numbers():
    return np.random.default_rng(0).normal(3.0, [1.0, 20.0, 0.01], size=(50, 3))


def test_numbers_are_standardised(numbers):
    encoding, points = learn_encoding(numbers)
    scaler = StandardScaler().fit(numbers)
    np.testing.assert_allclose(points, scaler.transform(numbers), rtol=1e-9, atol=1e-12)
    later = numbers[:7] * 1.3
    np.testing.assert_allclose(encoding.encode(later), scaler.transform(later), atol=1e-9)


def test_float32_stays_float32(numbers):
    assert learn_encoding(numbers.astype(np.float32))[1].dtype == np.float32
    assert learn_encoding(numbers)[1].dtype == np.float64
    assert learn_encoding(np.round(numbers).astype(int))[1].dtype == np.float64


@pytest.mark.parametrize("kind", ["object", "category", "polars"])
def test_categories_become_standardised_indicators(numbers, kind):
    colours = np.array(["red", "green", "blue"])[np.arange(50) % 3]
    columns = {"number": numbers[:, 0], "colour": colours}
    frame = pl.DataFrame(columns) if kind == "polars" else pd.DataFrame(columns)
    if kind == "category":
        frame = frame.astype({"colour": "category"})
    encoding, points = learn_encoding(frame)
    one_hot = OneHotEncoder(sparse_output=False).fit_transform(colours[:, np.newaxis])
    expected = StandardScaler().fit_transform(np.column_stack([numbers[:, 0], one_hot]))
    np.testing.assert_allclose(points, expected, atol=1e-12)
    assert encoding.n_features == 4
    assert encoding.column.tolist() == [0, 1, 1, 1]


def test_missing_values_count_as_the_mean(numbers):
    numbers[::5, 1] = np.nan
    _, points = learn_encoding(numbers)
    expected = np.nan_to_num(StandardScaler().fit_transform(numbers))
    np.testing.assert_allclose(points, expected, atol=1e-12)


def test_missing_and_unseen_categories_count_as_the_mean():
    frame = pd.DataFrame({"a": ["x", "y", None, "x"]})
    encoding, points = learn_encoding(frame)
    assert points[2].tolist() == [0.0, 0.0]
    np.testing.assert_array_equal(encoding.encode(pd.DataFrame({"a": ["z"]})), [[0.0, 0.0]])


def test_constant_columns_become_zero():
    for constant in (7.0, 0.1, 1e300, -1.7e308, 1e-310, 0.0):
        for n_rows in range(2, 40):  # a mean that is rounded would not be the constant for all
            X = np.column_stack([np.arange(n_rows), np.full(n_rows, constant)])
            assert (learn_encoding(X)[1][:, 1] == 0.0).all()
    frame = pd.DataFrame({"n": np.arange(3.0), "only": ["same"] * 3, "none": [np.nan] * 3})
    assert (learn_encoding(frame)[1][:, 1:] == 0.0).all()


def test_sparse_rows_have_the_distances_of_dense_ones(numbers):
    X = np.where(numbers > 3.0, numbers, 0.0)
    encoding, points = learn_encoding(sp.csr_array(X))
    assert sp.issparse(points)
    assert points.format == "csr"
    dense = learn_encoding(X)[1]
    np.testing.assert_allclose(
        euclidean_distances(points.toarray()), euclidean_distances(dense), atol=1e-6
    )
    np.testing.assert_allclose(encoding.encode(sp.csc_array(X)).toarray(), points.toarray())


def test_new_rows_may_be_sparse_where_those_of_fit_were_not(numbers):
    """And the other way round; zeros are where they were."""
    table = np.where(np.abs(numbers) < 0.7, 0.0, numbers)
    for of_fit, new in ((table, sp.csr_array(table)), (sp.csr_array(table), table)):
        encoding, points = learn_encoding(of_fit)
        found = encoding.encode(new)
        assert sp.issparse(found) == sp.issparse(of_fit)
        expected, dense = (
            each.toarray() if sp.issparse(each) else each for each in (points, found)
        )
        np.testing.assert_array_equal(dense, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_by_blocks_as_in_one_piece(dtype, monkeypatch):
    X = (np.random.default_rng(1).normal(size=(1000, 4)) * 50).astype(dtype)
    if dtype != np.int64:
        X[::7, 2] = np.nan
        X[:300, 3] = np.nan  # whole blocks without a value
    whole, points = learn_encoding(X)
    monkeypatch.setattr("pucut.data.encoding._POINT_CELLS", 4 * 37)
    np.testing.assert_array_equal(learn_encoding(X)[1], points)
    monkeypatch.setattr("pucut.data.moments.MOMENT_ROWS", 64)
    blocked, close = learn_encoding(X)
    np.testing.assert_allclose(blocked.mean, whole.mean, rtol=1e-13)
    np.testing.assert_allclose(blocked.scale, whole.scale, rtol=1e-13)
    np.testing.assert_allclose(close, points, rtol=1e-6, atol=1e-6)
    assert close.dtype == points.dtype


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_change_no_bit(n_threads):
    """Of points and moments, of the order of the rows, and of what is said of columns."""
    random = np.random.default_rng(2)
    X = pd.DataFrame(random.normal(size=(3000, 7)).round(1)).mask(random.random((3000, 7)) < 0.1)
    X["kind"] = random.choice(["red", "green", "blue"], 3000)
    X["told"] = np.where(y := random.random(3000) < 0.3, 1.0, np.nan)
    labels = checked_pu_labels(y)
    wanted, points = learn_encoding(X)
    found, same = learn_encoding(X, n_threads=n_threads)
    np.testing.assert_array_equal(same, points)
    np.testing.assert_array_equal(found.mean, wanted.mean)
    np.testing.assert_array_equal(found.scale, wanted.scale)
    order = row_order(X)
    np.testing.assert_array_equal(row_order(X, n_threads=n_threads), order)
    np.testing.assert_array_equal(order_rows_in_place(same, order, n_threads), points[order])
    table = as_table(X)
    suspects = suspect_columns(table, labels)
    assert [each.column for each in suspects] == ["told"]
    assert suspect_columns(table, labels, n_threads=n_threads) == suspects


def test_points_take_the_place_of_an_array_only_if_told_to(numbers):
    given = numbers.copy()
    _, points = learn_encoding(given)
    np.testing.assert_array_equal(given, numbers)
    _, replaced = learn_encoding(given, in_place=True)
    assert replaced is given
    np.testing.assert_array_equal(replaced, points)
    whole_numbers = np.arange(12).reshape(6, 2)
    assert learn_encoding(whole_numbers, in_place=True)[1] is not whole_numbers


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("size", [1.0, 1e6, 1e200, 1.7e308])
def test_rounding_is_no_difference_between_rows(convert, size):
    noise = 1e-13 * np.random.default_rng(0).normal(size=(50, 1))
    _, points = learn_encoding(convert(size * (1.0 - np.abs(noise))))
    dense = points.toarray() if sp.issparse(points) else points
    assert np.ptp(dense) < 1e-12
    assert np.abs(dense).max() <= 1.0 + 1e-12


@pytest.mark.parametrize(
    ("convert", "name"),
    [
        (np.asarray, "1"),
        (sp.csr_array, "1"),
        (lambda X: pd.DataFrame(X, columns=["age", "mass", "dose"]), "'mass'"),
        (lambda X: pd.DataFrame(X[:, [0, 1, *[2] * 300]]).rename(columns={1: "mass"}), "'mass'"),
    ],
    ids=["dense", "sparse", "frame", "wide frame"],
)
def test_points_far_beyond_the_fit_are_refused_by_column(convert, name):
    X = np.random.default_rng(0).random((20, 3))
    encoding, _ = learn_encoding(convert(X))
    new = X.copy()
    new[5, 1] = 1e36
    assert np.isfinite(encoding.encode(convert(new)).astype(np.float32).sum())
    for far in (1e38, -1e160, 1e300):
        new[5, 1] = far
        words = f"column {name} of X holds {far:g}, which is more than 1e+37 standard deviations of"
        with pytest.raises(ValueError, match=re.escape(words)):
            encoding.encode(convert(new))


def test_the_whole_range_of_doubles_is_standardised():
    X = np.array([[-1.7e308], [1.7e308], [0.0], [np.nan], [1.7e308]])
    _, points = learn_encoding(X)
    wanted = (X / 1e308 - np.nanmean(X / 1e308)) / np.nanstd(X / 1e308)
    np.testing.assert_allclose(points, np.nan_to_num(wanted), rtol=1e-12)


def test_moments_are_the_same_bits_in_any_order():
    random = np.random.default_rng(0)
    X = random.normal(size=(999, 1)) * 10.0 ** random.integers(-9, 9, size=(999, 1))
    encoding, _ = learn_encoding(X)
    np.testing.assert_allclose(encoding.mean, [math.fsum(X[:, 0]) / 999], rtol=1e-14)
    np.testing.assert_allclose(encoding.scale, X.std(axis=0), rtol=1e-14)
    for _ in range(20):
        other, _ = learn_encoding(random.permutation(X))
        assert other.mean.tobytes() == encoding.mean.tobytes()
        assert other.scale.tobytes() == encoding.scale.tobytes()


def test_importances_are_the_weights_of_each_column_added_up():
    frame = pd.DataFrame({"size": [1.0, 2, 3], "kind": ["a", "b", "c"], "age": [5.0, 1, 2]})
    encoding, _ = learn_encoding(frame)
    weights = np.array([4.0, 1.0, 2.0, 0.5, 0.5])
    found = pd.Series(encoding.importances(weights), frame.columns)
    assert found.to_dict() == {"size": 0.5, "kind": 0.4375, "age": 0.0625}
