"""Numbers, categories and missing values, in every container, become the same columns."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from pucut import (
    HNCClassifier,
    PUCutClassifier,
    PUExtraTreesClassifier,
    RocchioClassifier,
    TwoHNCClassifier,
)
from pucut.data import tables
from pucut.data.row_order import row_hashes, table_hashes
from pucut.data.tables import as_table, read_table
from pucut.trees.forest import forest_apply, forest_scores
from pucut.trees.growing import TreeOptions, grow_forest

SIZES = ["b", "a", None, "c", "a"]
CODES = np.array([1, 0, np.nan, 2, 0], dtype=np.float32)


def assert_columns(table, wanted):
    assert len(table.values) == len(wanted)
    for got, column in zip(table.values, wanted, strict=True):
        np.testing.assert_array_equal(got.astype(float), np.asarray(column, dtype=float))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": [1.0, 2, 3, 4, np.nan], "size": pd.Categorical(SIZES)}),
        pd.DataFrame({"x": [1.0, 2, 3, 4, np.nan], "size": SIZES}),
        pd.DataFrame({"x": [1.0, 2, 3, 4, np.nan], "size": pd.array(SIZES, dtype="string")}),
        pd.DataFrame({"x": pd.array([1, 2, 3, 4, None], dtype="Int64"), "size": SIZES}),
        pl.DataFrame({"x": [1, 2, 3, 4, None], "size": SIZES}),
        pl.DataFrame({"x": [1.0, 2, 3, 4, None], "size": pl.Series(SIZES, dtype=pl.Categorical)}),
        pl.DataFrame(
            {"x": [1.0, 2, 3, 4, None], "size": pl.Series(SIZES, dtype=pl.Enum(["c", "b", "a"]))}
        ),
        np.array([[1, "b"], [2, "a"], [3, None], [4, "c"], [None, "a"]], dtype=object),
    ],
    ids=["category", "strings", "string", "Int64", "polars", "categorical", "enum", "objects"],
)
def test_categories_are_numbered_by_size(frame):
    table = read_table(frame)
    assert_columns(table, [[1, 2, 3, 4, np.nan], CODES])
    assert table.format.categories[0] is None
    assert table.format.categories[1].tolist() == ["a", "b", "c"]
    assert table.format.n_categories.tolist() == [0, 3]


def test_names_may_repeat_and_bytes_may_be_swapped():
    frame = pd.DataFrame(
        np.array([[1.0, 2.0], [np.nan, 4.0]], dtype=np.float32), columns=["x", "x"]
    )
    table = read_table(frame)
    assert_columns(table, [[1, np.nan], [2, 4]])
    assert all(column.dtype == np.float32 for column in table.values)
    assert_columns(read_table(np.array([[1.0], [3.0]], dtype=">f8")), [[1, 3]])


def test_numbers_of_a_category_type_are_categories():
    frame = pd.DataFrame({"x": pd.Categorical([7, 3, 7])})
    table = read_table(frame)
    assert_columns(table, [[1, 0, 1]])
    # Read as rows of that table, plain numbers are its categories too.
    assert_columns(read_table(np.array([[3], [5], [7]]), table.format), [[0, np.nan, 1]])


def test_unseen_categories_are_missing():
    known = read_table(pd.DataFrame({"size": SIZES})).format
    later = pd.DataFrame({"size": pd.Categorical(["c", "d", "b"], categories=["d", "c", "b"])})
    assert_columns(read_table(later, known), [[2, np.nan, 1]])


@pytest.mark.parametrize("chosen", [[1], [-1], ["kind"], [False, True], np.array([1])])
def test_chosen_columns_are_categories(chosen):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "kind": [10, 30, 10]})
    assert_columns(read_table(frame, categorical_features=chosen), [[1, 2, 3], [0, 1, 0]])


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([2], "indices below 2, found 2"),
        (["y"], "names 'y', which is not a column of X"),
        ([True], "mask of length 1, but X has 2 columns"),
        ("kind", "must be 'from_dtype'"),
        (3, "must be 'from_dtype'"),
        ([1.5], "found 1.5"),
    ],
)
def test_chosen_columns_that_are_not_there(chosen, message):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "kind": [10, 30, 10]})
    with pytest.raises(ValueError, match=message):
        read_table(frame, categorical_features=chosen)


def test_too_many_categories():
    names = np.array([f"name {i}" for i in range(256)], dtype=object)[:, None]
    with pytest.raises(ValueError, match="column 0 of X has 256 categories, allowed are 255"):
        read_table(names)
    assert read_table(names[1:]).format.n_categories.tolist() == [255]


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([[1.0, np.inf]], ValueError, "infinity"),
        (pd.DataFrame({"x": [1.0, -np.inf]}), ValueError, "column 'x' of X contains infinity"),
        (sp.csr_array([[1.0, np.inf]]), ValueError, "infinity"),
        (sp.csr_array([[1.0 + 2j]]), ValueError, "dtype complex128"),
        ([[1.0 + 2j]], ValueError, "Complex data not supported"),
        ([1.0, 2.0], ValueError, "two dimensions"),
        (np.empty((0, 3)), ValueError, r"found shape \(0, 3\)"),
        (np.empty((3, 0)), ValueError, r"found shape \(3, 0\)"),
        (sp.csr_array((0, 3)), ValueError, r"found shape \(0, 3\)"),
        (pd.DataFrame({"x": pd.to_datetime(["2020-01-01"])}), ValueError, "holds dates"),
        (np.array([[{"a": 1}]], dtype=object), TypeError, "argument must be .* string.* number"),
    ],
)
def test_refused(X, error, message):
    with pytest.raises(error, match=message):
        read_table(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_read_by_view(dtype, order):
    X = np.ones((10, 3), dtype=dtype, order=order)
    assert all(np.shares_memory(column, X) for column in read_table(X).values)
    frame = pd.DataFrame(X)
    assert all(np.shares_memory(column, frame.to_numpy()) for column in read_table(frame).values)


def test_huge_values_of_both_signs_are_read_in_silence():
    X = np.zeros((12, 2))
    X[[7, 11], 1] = 1e308
    X[10] = -1e308  # added up in the order of numpy, infinity meets minus infinity
    with np.errstate(over="ignore"), pytest.warns(RuntimeWarning, match="invalid value"):
        X.sum()
    assert read_table(X).n_rows == 12
    y = np.arange(12) < 4
    model = PUExtraTreesClassifier(5, prior=0.5, random_state=0).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_forest_on_a_data_frame():
    """The class depends on the category alone, in a way that no ordering of categories shows."""
    random = np.random.default_rng(0)
    n_rows = 600
    kinds = random.choice(list("abcdefgh"), size=n_rows)
    positive = np.isin(kinds, list("aceg"))
    frame = pd.DataFrame({"noise": random.normal(size=n_rows), "kind": kinds})
    frame.loc[::20, "noise"] = np.nan
    is_labelled = positive & (random.random(n_rows) < 0.5)
    options = TreeOptions(max_features=None, min_samples_leaf=10)
    prior = float(positive.mean())
    forest = grow_forest(frame, is_labelled, prior, options, random_state=0)
    scores = forest_scores(forest, frame)
    assert ((scores.vote > 0.5) == positive).mean() > 0.95
    codes = np.column_stack([frame["noise"], np.unique(kinds, return_inverse=True)[1]])
    same = grow_forest(codes, is_labelled, prior, options, categorical_features=[1], random_state=0)
    np.testing.assert_array_equal(same.threshold, forest.threshold)
    np.testing.assert_array_equal(same.masks, forest.masks)
    np.testing.assert_array_equal(forest_apply(same, codes), forest_apply(forest, frame))
    with pytest.raises(ValueError, match="sparse, but the forest was grown on categories"):
        forest_scores(forest, sp.csr_array(codes))


def test_missing_values_can_be_what_tells_the_classes():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 1))
    positive = random.random(400) < 0.5
    X[positive] = np.nan
    is_labelled = positive & (random.random(400) < 0.5)
    forest = grow_forest(X, is_labelled, float(positive.mean()), random_state=0)
    assert ((forest_scores(forest, X).vote > 0.5) == positive).all()


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (pd.date_range("2024-01-01", periods=4, tz="UTC"), "column 'b' of X holds dates"),
        (pd.period_range("2024-01", periods=4, freq="M"), "column 'b' of X holds dates"),
        (pd.Series([datetime.date(2024, 1, 1)] * 4, dtype=object), "column 'b' of X holds dates"),
        ([[1], [2], [3], [4]], r"column 'b' of X: .* real number, found list \[1\] in row 0"),
        (
            pd.Series([1, 2, 10**400, 4], dtype=object),
            r"column 'b' of X: numbers must be at most 1\.8e\+308 in size, "
            r"found int 1000.*\.\.\. in row 2",
        ),
        (
            pd.Series([1, 2, 10**5000, 4], dtype=object),
            r"column 'b' of X: .* in size, found int of 16610 bits in row 2",
        ),
        ([{"a": 1}] * 4, r"column 'b' of X: .* real number, found dict \{'a': 1\} in row 0"),
    ],
    ids=["zone", "period", "date", "list", "huge", "endless", "dict"],
)
def test_cells_that_are_no_values_are_named_by_column(cells, words):
    frame = pd.DataFrame({"a": range(4), "b": cells})
    with pytest.raises((TypeError, ValueError), match=words):
        read_table(frame)


def test_texts_in_a_column_of_numbers_are_named_by_column():
    known = read_table(pd.DataFrame({"a": range(4), "b": range(4)})).format
    later = pd.DataFrame({"a": range(2), "b": [1, "much"]})
    with pytest.raises(
        ValueError, match=r"column 'b' of X: .* be real numbers, found str 'much' in row 1"
    ):
        read_table(later, known)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda X: {"a": X[:, 0]}, r"X is a dict: give pandas.DataFrame\(X\)"),
        (lambda X: pl.DataFrame(X).lazy(), r"X is a LazyFrame.*give X.collect\(\)"),
        (
            lambda X: pytest.importorskip("torch").tensor(X, requires_grad=True),
            r"give X.detach\(\).cpu\(\).numpy\(\)",
        ),
    ],
    ids=["dict", "lazy", "tensor"],
)
def test_containers_that_hold_no_rows_are_refused(make, words):
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(TypeError, match=words):
        RocchioClassifier(prior=0.5).fit(make(X), np.arange(20) < 5)


def test_wide_frames_are_read_as_arrays_are():
    X = np.random.default_rng(0).normal(size=(5, 300)).astype(np.float32)
    X[2, 7] = np.nan
    table, other = read_table(pd.DataFrame(X)), read_table(X)
    for one, two in zip(table.values, other.values, strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one, two)
    with pytest.raises(ValueError, match="infinity"):
        read_table(pd.DataFrame(np.where(np.isnan(X), np.inf, X)))


def lenient_columns():
    """Columns that a lenient reading takes differently."""
    times = pd.Series(pd.date_range("2024", periods=300))
    return {
        "intervals": pd.cut(np.arange(300.0) % 21, [-1, 2, 10, 20]),
        "dates": times,
        "objects": pd.Series([[1]] * 300),
        "names": pd.Series([f"name {i}" for i in range(300)]),
    }


def test_a_table_is_read_again_only_where_leniency_matters():
    for X in (np.ones((3, 2)), pd.DataFrame({"size": SIZES}), sp.csr_array(np.eye(3))):
        table = as_table(X)
        assert read_table(table) is table
    frame = pd.DataFrame({"a": lenient_columns()["intervals"]})
    lenient, strict = as_table(frame), read_table(frame)
    again = read_table(lenient)
    assert lenient.format.categories[0].tolist() != strict.format.categories[0].tolist()
    assert again.format.categories[0].tolist() == strict.format.categories[0].tolist()
    assert_columns(again, strict.values)


@pytest.mark.parametrize("name", ["dates", "objects", "names"])
def test_a_lenient_table_is_refused_where_its_rows_are(name):
    frame = pd.DataFrame({"a": lenient_columns()[name]})
    with pytest.raises((TypeError, ValueError)) as expected:
        read_table(frame)
    with pytest.raises(type(expected.value)) as found:
        read_table(as_table(frame))
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        lambda X: X.tolist(),
        lambda X: X > 1,
        sp.csc_array,
        lambda X: sp.coo_array(X),
        lambda X: pd.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(str)}),
        lambda X: pd.DataFrame(np.tile(X, 100)),
    ],
    ids=["array", "list", "booleans", "csc", "coo", "frame", "wide"],
)
def test_rows_of_a_table_are_those_of_x(make):
    X = np.random.default_rng(0).integers(0, 3, size=(20, 3)).astype(float)
    whole, again = np.random.default_rng(1).permutation(20), [*range(20), 4, 4, 11]
    for rows in (whole, np.array(again)):
        table, expected = as_table(make(X)), as_table(make(X[rows]))
        hashes = table_hashes(table)
        found = table.of_rows(rows)
        assert found.n_rows == expected.n_rows == len(rows)
        for one, two in zip(found.values, expected.values, strict=True):
            assert one.dtype == two.dtype
            np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(table_hashes(found), hashes[rows])
        np.testing.assert_array_equal(
            table_hashes(found), row_hashes(len(rows), expected.values, expected.rows)
        )


@pytest.mark.parametrize(
    "estimator",
    [
        RocchioClassifier(random_state=0),
        PUCutClassifier(n_estimators=5, random_state=0),
        TwoHNCClassifier(random_state=0),
        HNCClassifier(n_estimators=5, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_fit_reads_the_table_once(estimator, monkeypatch):
    """With an estimated prior; points and their samples are other tables."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": random.normal(size=80), "kind": random.choice(list("abc"), 80)})
    y = np.where(frame["x"] > 0.5, 1, 0) * (random.random(80) < 0.8)
    if isinstance(estimator, HNCClassifier):
        y = np.where(np.arange(80) < 40, y, -1)
    read, n_read = tables._read, []

    def counted(X, *arguments, **named):
        n_read.append(isinstance(X, pd.DataFrame))
        return read(X, *arguments, **named)

    monkeypatch.setattr(tables, "_read", counted)
    estimator.fit(frame, y)
    assert sum(n_read) == 1
