"""Parquet files and Arrow tables, read in batches into one array.

A column of numbers or booleans becomes a column of the array, in single precision if that is
enough for all of them, otherwise in double; nulls become NaN. With other columns (strings,
dictionaries) the table becomes a data frame. Both are newly made, so they may be overwritten.
"""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

NEEDED = "pip install 'pucut[cli]'"
_BATCH_ROWS = 1 << 16


def is_arrow(X: Any) -> bool:
    """Return whether X is a path, which means Parquet, or an Arrow table, batch or dataset."""
    is_of_arrow = type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "schema")
    return is_of_arrow or isinstance(X, (str, os.PathLike))


def open_arrow(X: Any) -> Any:
    """Return X as an Arrow dataset, unread; the files of a folder are in the order of names."""
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds
    except ImportError as error:
        raise ImportError(f"X is a path, which needs pyarrow: {NEEDED}") from error
    if isinstance(X, (str, os.PathLike)):
        if not Path(X).exists():
            raise FileNotFoundError(f"X is {os.fspath(X)!r}, but there is no such file or folder")
        try:
            return ds.dataset(os.fspath(X), format="parquet")
        except pa.ArrowException as error:
            raise ValueError(
                f"X is {os.fspath(X)!r}, which cannot be read as Parquet: "
                f"{' '.join(str(error).split())}"
            ) from error
    if isinstance(X, ds.Dataset):
        return X
    if isinstance(X, (pa.Table, pa.RecordBatch)):
        return ds.dataset(X)
    raise TypeError(
        f"X is a {type(X).__name__}, which can be read only once; allowed are a Table, a "
        "RecordBatch or a Dataset of pyarrow, or the path of a Parquet file or folder"
    )


def column_names(dataset: Any) -> Any:
    """Return an empty table with the names of the columns."""
    twice = [name for name, count in Counter(dataset.schema.names).items() if count > 1]
    if twice:
        raise ValueError(f"X has the column {twice[0]!r} more than once; names must differ")
    return dataset.schema.empty_table()


def read_arrow(dataset: Any) -> Any:
    """Return the rows, as an array if all columns hold numbers, else as a data frame."""
    import pyarrow.types as kinds

    def is_number(kind: Any) -> bool:
        return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind))

    def is_category(kind: Any) -> bool:
        return bool(kinds.is_string(kind) or kinds.is_large_string(kind)) or (
            bool(kinds.is_dictionary(kind)) and is_category(kind.value_type)
        )

    fields = list(dataset.schema)
    for field in fields:
        if not is_number(field.type) and not is_category(field.type):
            raise ValueError(
                f"column {field.name!r} of X has type {field.type}; allowed are numbers, "
                "booleans, strings and dictionaries of strings"
            )
    numbers = [field for field in fields if is_number(field.type)]
    narrow = all(kinds.is_float32(each.type) or kinds.is_float16(each.type) for each in numbers)
    names = [field.name for field in numbers]
    array = _read_numbers(dataset, names, np.float32 if narrow else np.float64)
    if len(numbers) == len(fields):
        return array
    import pandas as pd

    others = [field.name for field in fields if field.name not in names]
    frame = dataset.to_table(columns=others).to_pandas()
    columns = {name: array[:, place] for place, name in enumerate(names)}
    columns |= {name: frame[name] for name in others}
    return pd.DataFrame({field.name: columns[field.name] for field in fields})


def _read_numbers(dataset: Any, names: list[str], dtype: type[np.floating]) -> npt.NDArray[Any]:
    import pyarrow as pa

    array = np.empty((dataset.count_rows(), len(names)), dtype=dtype)
    if not names:
        return array
    # Few batches ahead: what has been read but not yet copied is in memory twice.
    scanner = dataset.scanner(
        columns=names, batch_size=_BATCH_ROWS, batch_readahead=2, fragment_readahead=1
    )
    start = 0
    for batch in scanner.to_batches():
        rows = slice(start, start := start + batch.num_rows)
        for place, column in enumerate(batch.columns):
            values = column.cast(pa.from_numpy_dtype(dtype), safe=False)
            array[rows, place] = values.to_numpy(zero_copy_only=False)
    return array
