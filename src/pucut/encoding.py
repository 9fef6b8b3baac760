"""From a table to points whose distances mean something.

Columns of numbers are standardised over all rows: mean 0, standard deviation 1. Categories (texts,
objects and category types of data frames) become one column for each value, 1 where the row has
it, standardised like any other. Constant columns become 0. Missing values become 0 too, which is
the mean. Sparse tables are scaled but not centred, which distances do not feel.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pucut._checks import FloatArray
from pucut.tables import Table, TableFormat, read_table


@dataclass(frozen=True, eq=False)
class Encoding:
    """What is learned of a table, to encode later rows alike.

    Attributes
    ----------
    format : TableFormat
    mean, scale : float arrays of shape (n_features,)
        Of the encoded columns; `scale` is 1 for constant ones.
    column : int array of shape (n_features,)
        The column of the table each encoded column comes from.
    is_sparse : bool
    dtype : numpy dtype
        float32 if all of the table fits into it, else float64.
    """

    format: TableFormat
    mean: FloatArray
    scale: FloatArray
    column: npt.NDArray[np.int32]
    is_sparse: bool
    dtype: np.dtype[Any]

    @property
    def n_features(self) -> int:
        return len(self.mean)

    def encode(self, X: Any) -> Any:
        """The points of new rows, dense or CSR as the table was."""
        table = read_table(X, self.format)
        return self._encode(table)

    def _encode(self, table: Table) -> Any:
        if self.is_sparse:
            return _scaled_rows(table, self.scale, self.dtype)
        points = np.empty((table.n_rows, self.n_features), dtype=self.dtype)
        place = 0
        for values, categories in zip(table.values, table.format.categories, strict=True):
            n_columns = 1 if categories is None else len(categories)
            for indicator in range(n_columns):
                numbers = values if categories is None else _indicator(values, indicator)
                column = (numbers - self.mean[place]) / self.scale[place]
                points[:, place] = np.where(np.isnan(column), 0.0, column)
                place += 1
        return points


def learn_encoding(X: Any) -> tuple[Encoding, Any]:
    """Learns the encoding of a table, and returns it with the points of its rows."""
    table = read_table(X)
    is_sparse = bool(table.rows)
    means, scales, origin = [], [], []
    for j, (values, categories) in enumerate(
        zip(table.values, table.format.categories, strict=True)
    ):
        for indicator in range(1 if categories is None else len(categories)):
            numbers = values if categories is None else _indicator(values, indicator)
            mean, deviation = _moments(numbers, table.n_rows if is_sparse else None)
            means.append(mean)
            scales.append(deviation if deviation > 0.0 else 1.0)
            origin.append(j)
    narrow = all(values.dtype.kind == "f" and values.dtype.itemsize <= 4 for values in table.values)
    encoding = Encoding(
        table.format,
        np.zeros(len(means)) if is_sparse else np.array(means),
        np.array(scales),
        np.array(origin, dtype=np.int32),
        is_sparse,
        np.dtype(np.float32 if narrow else np.float64),
    )
    return encoding, encoding._encode(table)


def _indicator(codes: npt.NDArray[Any], category: int) -> FloatArray:
    """1 where the row has the category, 0 where it has another, NaN where it has none."""
    return np.where(np.isnan(codes), np.nan, codes == category)


def _moments(values: npt.NDArray[Any], n_rows: int | None) -> tuple[float, float]:
    """Mean and standard deviation of what is not missing; `n_rows` counts in absent zeros."""
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    n_known = len(known) if n_rows is None else n_rows
    if n_known == 0:
        return 0.0, 0.0
    mean = float(known.sum(dtype=np.float64)) / n_known
    squares = float(np.square(known - mean, dtype=np.float64).sum())
    if n_rows is not None:
        squares += (n_rows - len(known)) * mean**2
    deviation = float(np.sqrt(squares / n_known))
    # A column that is constant but for rounding has no scale of its own.
    return mean, deviation if deviation > 1e-12 * abs(mean) else 0.0


def _scaled_rows(table: Table, scale: FloatArray, dtype: np.dtype[Any]) -> sp.csr_array:
    lengths = [len(values) for values in table.values]
    data = np.concatenate(
        [np.nan_to_num(values / by) for values, by in zip(table.values, scale, strict=True)]
    )
    rows = np.concatenate(table.rows)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    shape = (table.n_rows, len(lengths))
    return sp.csc_array((data.astype(dtype), rows, ends), shape=shape).tocsr()
