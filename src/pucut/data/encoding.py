"""From a table to points whose distances mean something.

Columns of numbers are standardised over all rows: mean 0, standard deviation 1. Categories (texts,
objects and category types of data frames) become one column per value, 1 where the row has it,
standardised like any other. Constant columns become 0. Missing values become 0 too, which is the
mean. Sparse tables are scaled but not centred, which does not change distances.

Learners that need finite numbers, but no scaling, get them from `finite_columns`.

Dense tables are read in blocks of rows, three times for the moments and once for the points, so a
table on disk (a memory map) is read sequentially; the points are the only copy of its size.
"""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import check_array

from pucut._support.checks import FloatArray, is_sparse
from pucut._support.threads import in_threads
from pucut.data.moments import (
    dense_moments,
    encoded_columns,
    known_values,
    row_blocks,
    sparse_moments,
)
from pucut.data.tables import Table, TableFormat, read_table

# For `finite_columns`: categories beyond this many have no column of their own and share one.
_MOST_INDICATORS = 30
# Sparse tables with at most this many cells are made dense; larger ones would not fit in memory.
MAX_DENSE_CELLS = 20_000_000
# Of points from the mean, by the bytes of a coordinate: squares, which distances need, must not
# leave the range of numbers, and doubles not that of single precision, in which networks and
# scikit-learn's trees read them.
_MOST_DEVIATIONS = {4: 1e15, 8: 1e37}
# Numbers encoded at a time: they stay in a processor's cache.
_POINT_CELLS = 1 << 16


@dataclass(frozen=True, eq=False)
class Encoding:
    """What is learned from a table, to encode later rows in the same way.

    Attributes
    ----------
    format : TableFormat
    mean, scale : float arrays of shape (n_features,)
        Of the encoded columns; `scale` is 1 for constant ones, or their size if that is more.
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
        """The points of new rows, dense or CSR as the table was, whichever X is."""
        if is_sparse(X) and not self.is_sparse:
            X = X.toarray()
        elif self.is_sparse and not is_sparse(X):
            X = sp.csr_array(np.asarray(X))
        return self._encode(read_table(X, self.format))

    def _encode(
        self, table: Table, into: npt.NDArray[Any] | None = None, n_threads: int = 1
    ) -> Any:
        if self.is_sparse:
            most = _MOST_DEVIATIONS[self.dtype.itemsize]
            for place, (numbers, scale) in enumerate(zip(table.values, self.scale, strict=True)):
                largest = float(np.abs(known_values(numbers)).max(initial=0))
                if not largest / scale <= most:
                    with np.errstate(over="ignore"):
                        self._check_deviations(table, numbers / scale, numbers, place, most)
            return _scaled_rows(table, self.scale, self.dtype)
        points = into
        if points is None:
            points = np.empty((table.n_rows, self.n_features), dtype=self.dtype)
        blocks = row_blocks(table.n_rows, max(1, _POINT_CELLS // max(1, self.n_features)))
        in_threads(lambda rows: self._encode_rows(table, rows, points), blocks, n_threads)
        return points

    def _encode_rows(self, table: Table, rows: slice, points: npt.NDArray[Any]) -> None:
        most = _MOST_DEVIATIONS[self.dtype.itemsize]
        block = np.empty((rows.stop - rows.start, self.n_features))
        if table.array is not None:
            block[...] = table.array[rows]
        else:
            for place, numbers in enumerate(encoded_columns(table, rows)):
                block[:, place] = numbers
        is_missing = np.isnan(block)
        with np.errstate(over="ignore"):
            scaled = (block - self.mean) / self.scale
        largest = np.abs(scaled).max(axis=0, initial=0.0, where=~is_missing)
        for place in np.flatnonzero(~(largest <= most)).tolist():
            # Halves: the difference of two huge numbers may leave the range of doubles.
            numbers, mean, scale = block[:, place], self.mean[place], self.scale[place]
            scaled[:, place] = (0.5 * numbers - 0.5 * mean) / (0.5 * scale)
            self._check_deviations(table, scaled[:, place], numbers, place, most)
        scaled[is_missing] = 0.0
        points[rows] = scaled

    def importances(self, weights: FloatArray) -> FloatArray:
        """How much each column of the table counts: weights of the encoded columns, summed by the
        column they come from, and scaled to sum to 1.
        """
        n_columns = self.format.n_columns
        totals = np.bincount(self.column, weights=weights, minlength=n_columns)
        found: FloatArray = totals / totals.sum()
        return found

    def _check_deviations(
        self, table: Table, column: FloatArray, numbers: npt.NDArray[Any], place: int, most: float
    ) -> None:
        far = np.abs(column) > most  # false for missing values
        if far.any():
            raise ValueError(
                f"{table.place(self.column[place])} holds {numbers[np.argmax(far)]:g}, which is "
                f"more than {most:g} standard deviations of {self.scale[place]:g} away from the "
                f"mean {self.mean[place]:g} of the rows of fit"
            )


def learn_encoding(X: Any, *, in_place: bool = False, n_threads: int = 1) -> tuple[Encoding, Any]:
    """Learns the encoding of a table, and returns it with the points of its rows.

    With `in_place` the points overwrite X if it is an array of their type and shape; the caller
    must not need X any more. The number of threads changes no bit.
    """
    table = read_table(X)
    is_sparse = bool(table.rows)
    moments = sparse_moments(table) if is_sparse else dense_moments(table, n_threads)
    origin = [
        j
        for j, categories in enumerate(table.format.categories)
        for _ in range(1 if categories is None else len(categories))
    ]
    narrow = all(values.dtype.kind == "f" and values.dtype.itemsize <= 4 for values in table.values)
    encoding = Encoding(
        table.format,
        np.zeros(len(origin)) if is_sparse else np.array([each.mean for each in moments]),
        np.array([each.scale for each in moments]),
        np.array(origin, dtype=np.int32),
        is_sparse,
        np.dtype(np.float32 if narrow else np.float64),
    )
    is_replaced = (
        in_place
        and isinstance(X, np.ndarray)
        and X.dtype == encoding.dtype
        and X.shape == (table.n_rows, encoding.n_features)
        and all(categories is None for categories in table.format.categories)
    )
    return encoding, encoding._encode(table, X if is_replaced else None, n_threads)


def finite_columns(X: Any) -> npt.NDArray[Any]:
    """Columns of finite numbers, for learners that take nothing else.

    A category becomes one column of 0 and 1 for each value (the rarest share one), and so does a
    missing category. A missing number becomes the median of its column, next to a column that says
    it was missing. A dense array of finite numbers is returned as it is.
    """
    if is_sparse(X):
        n_cells = X.shape[0] * X.shape[1]
        if n_cells > MAX_DENSE_CELLS:
            raise ValueError(
                f"X is sparse with {X.shape[0]} x {X.shape[1]} cells, but this method needs it "
                f"dense, with at most {MAX_DENSE_CELLS} cells; reduce its columns first, as with "
                "sklearn.decomposition.TruncatedSVD, or use a method that works on scores"
            )
        X = X.toarray()
    if is_plain(X):
        X = check_array(
            X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", input_name="X"
        )
        if np.isfinite(X).all():
            return np.asarray(X)
    table = read_table(X, is_lenient=True)
    columns = zip(table.values, table.format.categories, strict=True)
    parts = [part for values, categories in columns for part in _finite(values, categories)]
    return np.column_stack(parts)


def is_plain(X: Any) -> bool:
    """Whether X is an array of numbers, and neither a data frame nor an array of objects."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        return False
    array = X if hasattr(X, "dtype") else np.asarray(X)
    return not (getattr(array, "ndim", 0) == 2 and array.dtype.kind in "OUS")


def _finite(
    values: npt.NDArray[Any], categories: npt.NDArray[np.object_] | None
) -> list[FloatArray]:
    if categories is not None and not all(isinstance(each, Real) for each in categories):
        return _indicators(values, categories)
    column = values.astype(np.float64)
    missing = np.isnan(column)
    if categories is not None:  # numbers that a data frame calls categories
        known = np.append(categories.astype(np.float64), np.nan)
        column = known[np.where(missing, len(categories), column).astype(np.intp)]
    if not missing.any():
        return [column]
    median = float(np.median(column[~missing])) if not missing.all() else 0.0
    return [np.where(missing, median, column), missing.astype(np.float64)]


def _indicators(codes: npt.NDArray[Any], categories: npt.NDArray[np.object_]) -> list[FloatArray]:
    """The missing ones first, then by name; values of one name are one category."""
    names = np.array([f"={category}" for category in categories] + [""])
    present = names[np.where(np.isnan(codes), len(categories), codes).astype(np.intp)]
    values, codes, counts = np.unique(present, return_inverse=True, return_counts=True)
    if len(values) > _MOST_INDICATORS:
        by_count = np.argsort(-counts, kind="stable")
        place = np.empty(len(values), dtype=np.intp)
        place[by_count] = np.arange(len(values))
        codes = np.minimum(place, _MOST_INDICATORS)[codes]
    return [(codes == code).astype(np.float64) for code in range(int(codes.max()) + 1)]


def _scaled_rows(table: Table, scale: FloatArray, dtype: np.dtype[Any]) -> sp.csr_array:
    lengths = [len(values) for values in table.values]
    data = np.concatenate(
        [np.nan_to_num(values / by) for values, by in zip(table.values, scale, strict=True)]
    )
    rows = np.concatenate(table.rows)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    shape = (table.n_rows, len(lengths))
    return sp.csc_array((data.astype(dtype), rows, ends), shape=shape).tocsr()
