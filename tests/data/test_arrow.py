"""Arrow tables and Parquet files against the arrays and data frames they were made from."""

import sys

import numpy as np
import pandas as pd
import pytest

from pucut.data.arrow import is_arrow, open_arrow, read_arrow

pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")


def table_of(array):
    return pa.table({f"x{j}": array[:, j] for j in range(array.shape[1])})


@pytest.fixture
def numbers():
    array = np.random.default_rng(0).normal(size=(500, 3))
    array[::9, 1] = np.nan
    return array


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_as_they_were(numbers, dtype, tmp_path, monkeypatch):
    monkeypatch.setattr("pucut.data.arrow._BATCH_ROWS", 64)
    array = numbers.astype(dtype)
    table = table_of(array)
    pq.write_table(table, tmp_path / "one.parquet", row_group_size=100)
    folder = tmp_path / "many"
    folder.mkdir()
    for number, start in enumerate(range(0, 500, 200)):
        pq.write_table(table.slice(start, 200), folder / f"part{number}.parquet")
    given = [
        table,
        pa.Table.from_batches(table.to_batches(max_chunksize=33)),
        table.to_batches()[0],
        ds.dataset(folder, format="parquet"),
        folder,
        str(folder),
        tmp_path / "one.parquet",
    ]
    for X in given:
        assert is_arrow(X)
        found = read_arrow(open_arrow(X))
        assert found.dtype == dtype
        assert found.flags.writeable
        np.testing.assert_array_equal(found, array)


def test_nulls_whole_numbers_and_booleans():
    table = pa.table(
        {
            "a": pa.array([1, None, 3], pa.int16()),
            "b": pa.array([True, False, None]),
            "c": pa.array([0.5, None, 2.0], pa.float32()),
        }
    )
    found = read_arrow(open_arrow(table))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [[1, 1, 0.5], [np.nan, 0, np.nan], [3, np.nan, 2]])


@pytest.mark.parametrize("is_dictionary", [False, True])
def test_texts_make_a_data_frame(is_dictionary):
    texts = pa.array(["x", "y", None, "x"])
    table = pa.table(
        {"n": [1.0, 2.0, None, 4.0], "t": texts.dictionary_encode() if is_dictionary else texts}
    )
    found = read_arrow(open_arrow(table))
    assert list(found.columns) == ["n", "t"]
    np.testing.assert_array_equal(found["n"], [1.0, 2.0, np.nan, 4.0])
    assert found["t"].isna().tolist() == [False, False, True, False]
    assert found["t"][0] == "x"


def test_what_cannot_be_read_is_refused_by_name(tmp_path):
    (tmp_path / "text.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(FileNotFoundError, match=r"X is '.*none\.parquet'"):
        open_arrow(tmp_path / "none.parquet")
    with pytest.raises(ValueError, match=r"text\.parquet', which cannot be read as Parquet"):
        open_arrow(str(tmp_path / "text.parquet"))
    table = pa.table({"a": [1.0], "when": pa.array([0], pa.timestamp("us"))})
    with pytest.raises(ValueError, match=r"column 'when' of X has type timestamp\[us\]"):
        read_arrow(open_arrow(table))
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    with pytest.raises(TypeError, match="RecordBatchReader, which can be read only once"):
        open_arrow(reader)


def test_other_tables_are_not_taken_for_arrow(numbers):
    for X in (numbers, numbers.tolist(), pd.DataFrame(numbers), pd.Series([1]), None):
        assert not is_arrow(X)


def test_without_pyarrow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pucut\[cli\]"):
        open_arrow("table.parquet")
