"""The door to tables: what counts as one, and what is left to wrapped classifiers."""

import datetime

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pucut.data.row_order import row_order, table_hashes
from pucut.data.tables import as_table, read_table

NUMBERS = np.arange(12.0).reshape(6, 2)


def frame_with(column):
    return pd.DataFrame({"size": np.arange(4.0), "other": column})


def cells(value):
    """A table of objects, one of which is the value."""
    found = np.arange(4.0).reshape(2, 2).astype(object)
    found[0, 1] = value
    return found


@pytest.mark.parametrize(
    "X",
    [
        NUMBERS,
        NUMBERS.astype(">f8"),
        NUMBERS * (np.finfo(float).max / 11),  # whose sum is infinite
        np.where(NUMBERS == 3, np.nan, NUMBERS),
        NUMBERS.astype(str),
        NUMBERS.astype("M8[D]"),
        NUMBERS.tolist(),
        [("a", 1), ("b", 2)],
        list(NUMBERS),
        cells("text"),
        cells(None),
        cells(1j),
        cells(10**400),
        sp.lil_array(NUMBERS),
        frame_with(["a", None, "b", "b"]),
        frame_with([[1], [2, 3], [4], []]),
        frame_with(pd.array([1, None, 3, 4], dtype="Int64")),
        frame_with(pd.date_range("2024", periods=4)),
        pd.DataFrame(np.zeros((2, 300))),
    ],
    ids=lambda X: type(X).__name__,
)
def test_tables_are_read_leniently(X):
    table, expected = as_table(X), read_table(X, is_lenient=True)
    assert table.n_rows == expected.n_rows
    for column, same in zip(table.values, expected.values, strict=True):
        np.testing.assert_array_equal(column, same)
    assert as_table(table) is table
    assert table_hashes(table) is table_hashes(table, 2)


@pytest.mark.parametrize(
    "X",
    [
        ["one text", "another"],
        [[1, 2], [3]],
        [[1, [2, 3]], [4, 5]],
        [np.zeros((2, 3)), np.zeros((2, 4))],
        [{"a": 1}, {"a": 2}],
        np.arange(3.0),
        np.zeros((3, 2, 2)),
        np.zeros((3, 0)),
        NUMBERS + 1j,
        np.where(NUMBERS == 3, np.inf, NUMBERS),
        cells(-np.inf),
        sp.csr_array(NUMBERS + 1j),
        sp.csr_array(np.where(NUMBERS == 3, np.inf, NUMBERS)),
        sp.coo_array(np.arange(3.0)),
        frame_with([1.0, np.inf, 2.0, 3.0]),
        frame_with(pd.date_range("2024", periods=4, tz="UTC")),
        pd.DataFrame(np.full((2, 300), np.inf)),
        pd.DataFrame(index=range(3)),
    ],
    ids=lambda X: type(X).__name__,
)
def test_what_is_no_table_keeps_its_order(X):
    assert as_table(X) is None
    np.testing.assert_array_equal(
        row_order(X), np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
    )


def test_an_error_while_reading_is_not_hidden(monkeypatch):
    """A look at X alone decides that it is not a table."""

    def failing(*args, **kwargs):
        raise TypeError("a defect")

    monkeypatch.setattr("pucut.data.tables._read", failing)
    with pytest.raises(TypeError, match="a defect"):
        row_order(NUMBERS)


def test_data_frames_of_polars():
    polars = pytest.importorskip("polars")
    days = [datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)] * 2
    assert as_table(polars.DataFrame({"a": ["x", None], "day": days})) is not None
    assert as_table(polars.DataFrame({"a": [1.0, float("inf")]})) is None
