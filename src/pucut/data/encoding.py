"""From a table to points whose distances mean something.

Columns of numbers are standardised over all rows: mean 0, standard deviation 1. Categories become
one column per value, 1 where the row has it, standardised like any other. Constant columns become
0, and missing values too, which is the mean. Sparse tables are scaled but not centred, which does
not change distances. Learners that need finite numbers, but no scaling, call `finite_columns`.

Dense tables are read in blocks of rows, three times for the moments and once for the points, so a
table on disk (a memory map) is read sequentially; the points are the only copy of its size.
"""

from dataclasses import dataclass
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import check_array

from pucut._support.checks import FloatArray, is_sparse
from pucut._support.threads import in_threads
from pucut.data.columns import Categories
from pucut.data.moments import column_moments, encoded_column, row_blocks
from pucut.data.tables import Table, TableFormat, is_frame, read_table

# For `finite_columns`: categories beyond this many have no column of their own and share one.
_MOST_INDICATORS = 30
# Sparse tables with at most this many cells are made dense; larger ones would not fit in memory.
MAX_DENSE_CELLS = 20_000_000
# The most that points may deviate, by the bytes of a coordinate: squares, which distances need,
# must not leave the range of numbers, and doubles not that of single precision, in which networks
# and scikit-learn's trees read them.
_MOST_DEVIATIONS = {4: 1e15, 8: 1e37}
# Numbers encoded at a time: they stay in a processor's cache.
_POINT_CELLS = 1 << 16


@dataclass(frozen=True, eq=False)
class Encoding:
    """The encoding that was learned from a table, for later rows too."""

    format: TableFormat
    mean: FloatArray  # one for each encoded column, as are `scale` and `column`
    scale: FloatArray  # 1 for constant columns, or their size if that is more
    column: npt.NDArray[np.int32]  # the column of the table that it comes from
    is_sparse: bool
    dtype: np.dtype[Any]  # float32 if all of the table fits into it, else float64

    @property
    def n_features(self) -> int:
        return len(self.mean)

    def encode(self, X: Any) -> Any:
        """Return the points of new rows, dense or CSR as the table was, whichever X is."""
        if is_sparse(X) and not self.is_sparse:
            X = X.toarray()
        elif self.is_sparse and not is_sparse(X):
            X = sp.csr_array(np.asarray(X))
        return self._encode(read_table(X, self.format))

    def _encode(
        self, table: Table, into: npt.NDArray[Any] | None = None, n_threads: int = 1
    ) -> Any:
        shape = (table.n_rows, self.n_features)
        if self.is_sparse:
            parts = []
            for place, (numbers, scale) in enumerate(zip(table.values, self.scale, strict=True)):
                with np.errstate(over="ignore"):
                    scaled = numbers / scale
                self._check_deviations(table, scaled, numbers, place)
                parts.append(np.nan_to_num(scaled))
            ends = np.cumsum([0, *map(len, parts)])
            data = np.concatenate(parts).astype(self.dtype)
            return sp.csc_array((data, np.concatenate(table.rows), ends), shape=shape).tocsr()
        points = np.empty(shape, dtype=self.dtype) if into is None else into
        blocks = row_blocks(table.n_rows, max(1, _POINT_CELLS // max(1, self.n_features)))
        in_threads(lambda rows: self._encode_rows(table, rows, points), blocks, n_threads)
        return points

    def _encode_rows(self, table: Table, rows: slice, points: npt.NDArray[Any]) -> None:
        most = _MOST_DEVIATIONS[self.dtype.itemsize]
        block = np.empty((rows.stop - rows.start, self.n_features))
        if table.array is not None:
            block[...] = table.array[rows]
        else:
            columns = (encoded_column(table, j, rows) for j in range(len(table.values)))
            for place, numbers in enumerate(chain.from_iterable(columns)):
                block[:, place] = numbers
        is_missing = np.isnan(block)
        with np.errstate(over="ignore"):
            scaled = (block - self.mean) / self.scale
        largest = np.abs(scaled).max(axis=0, initial=0.0, where=~is_missing)
        for place in np.flatnonzero(~(largest <= most)).tolist():
            # Halves: the difference of two huge numbers may leave the range of doubles.
            numbers, mean, scale = block[:, place], self.mean[place], self.scale[place]
            scaled[:, place] = (0.5 * numbers - 0.5 * mean) / (0.5 * scale)
            self._check_deviations(table, scaled[:, place], numbers, place)
        scaled[is_missing] = 0.0
        points[rows] = scaled

    def importances(self, weights: FloatArray) -> FloatArray:
        """Return weights of the table's columns from those of the encoded ones; their sum is 1."""
        totals = np.bincount(self.column, weights=weights, minlength=self.format.n_columns)
        return np.asarray(totals / totals.sum())

    def _check_deviations(
        self, table: Table, column: FloatArray, numbers: npt.NDArray[Any], place: int
    ) -> None:
        most = _MOST_DEVIATIONS[self.dtype.itemsize]
        far = np.abs(column) > most  # false for missing values
        if far.any():
            raise ValueError(
                f"{table.place(self.column[place])} holds {numbers[np.argmax(far)]:g}, which is "
                f"more than {most:g} standard deviations of {self.scale[place]:g} away from the "
                f"mean {self.mean[place]:g} of the rows of fit"
            )


def learn_encoding(X: Any, *, in_place: bool = False, n_threads: int = 1) -> tuple[Encoding, Any]:
    """Learn the encoding of a table, and return it with the points of its rows.

    With `in_place` the points overwrite X if it is an array of their type and shape; the caller
    must not need X any more. The number of threads changes no bit.
    """
    table = read_table(X)
    is_sparse = bool(table.rows)
    moments = column_moments(table, n_threads)
    widths = [1 if known is None else len(known) for known in table.format.categories]
    origin = np.repeat(np.arange(len(widths), dtype=np.int32), widths)
    narrow = all(values.dtype.kind == "f" and values.dtype.itemsize <= 4 for values in table.values)
    encoding = Encoding(
        table.format,
        np.zeros(len(origin)) if is_sparse else np.array([each.mean for each in moments]),
        np.array([each.scale for each in moments]),
        origin,
        is_sparse,
        np.dtype(np.float32 if narrow else np.float64),
    )
    is_replaced = in_place and table.array is not None and table.array is table.source
    into = table.array if is_replaced and table.source.dtype == encoding.dtype else None
    return encoding, encoding._encode(table, into, n_threads)


def finite_columns(X: Any) -> npt.NDArray[Any]:
    """Return columns of finite numbers, for learners that take nothing else.

    A category becomes one column of 0 and 1 for each value (the rarest share one), and so does a
    missing category. A missing number becomes the median of its column, next to a column that says
    it was missing. A dense array of finite numbers is returned as it is.
    """
    if is_sparse(X):
        check_dense_size(X.shape, "this method", ", or use a method that works on scores")
        X = X.toarray()
    if is_plain(X):
        X = check_array(
            X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", input_name="X"
        )
        if np.isfinite(X).all():
            return np.asarray(X)
    table = read_table(X, is_lenient=True)
    columns = zip(table.values, table.format.categories, strict=True)
    return np.column_stack([part for column in columns for part in _finite(*column)])


def check_dense_size(shape: tuple[int, int], user: str, other_way: str = "") -> None:
    """Refuse a sparse table that would be too large when made dense."""
    if shape[0] * shape[1] > MAX_DENSE_CELLS:
        raise ValueError(
            f"X is sparse with {shape[0]} x {shape[1]} cells, but {user} needs it dense, with at "
            f"most {MAX_DENSE_CELLS} cells; reduce its columns first, as with "
            f"sklearn.decomposition.TruncatedSVD{other_way}"
        )


def is_plain(X: Any) -> bool:
    """Return whether X is an array of numbers, and neither a data frame nor one of objects."""
    if is_frame(X):
        return False
    array = X if hasattr(X, "dtype") else np.asarray(X)
    return not (getattr(array, "ndim", 0) == 2 and array.dtype.kind in "OUS")


def _finite(values: npt.NDArray[Any], categories: Categories | None) -> list[FloatArray]:
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


def _indicators(codes: npt.NDArray[Any], categories: Categories) -> list[FloatArray]:
    """Return a column for each name, the missing ones first; values of one name are one."""
    names = np.array([f"={category}" for category in categories] + [""])
    present = names[np.where(np.isnan(codes), len(categories), codes).astype(np.intp)]
    values, codes, counts = np.unique(present, return_inverse=True, return_counts=True)
    if len(values) > _MOST_INDICATORS:
        place = np.argsort(np.argsort(-counts, kind="stable"))  # by frequency
        codes = np.minimum(place, _MOST_INDICATORS)[codes]
    return [(codes == code).astype(np.float64) for code in range(int(codes.max()) + 1)]
