"""From a table to points whose distances mean something.

Columns of numbers are standardised over all rows: mean 0, standard deviation 1. Categories (texts,
objects and category types of data frames) become one column per value, 1 where the row has it,
standardised like any other. Constant columns become 0. Missing values become 0 too, which is the
mean. Sparse tables are scaled but not centred, which does not change distances.

Learners that need finite numbers, but no scaling, get them from `finite_columns`.

Dense tables are read in blocks of rows, three times for the moments and once for the points, so a
table on disk (a memory map) is read sequentially; the points are the only copy of its size.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import check_array

from pucut._support.checks import FloatArray, is_sparse
from pucut.data.tables import Table, TableFormat, read_table

# Sums are taken over blocks of this many rows, and the sums of blocks added in order.
MOMENT_ROWS = 1 << 17
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
        """The points of new rows, dense or CSR as the table was."""
        table = read_table(X, self.format)
        return self._encode(table)

    def _encode(self, table: Table, into: npt.NDArray[Any] | None = None) -> Any:
        if self.is_sparse:
            most = _MOST_DEVIATIONS[self.dtype.itemsize]
            for place, (numbers, scale) in enumerate(zip(table.values, self.scale, strict=True)):
                largest = float(np.abs(_known(numbers)).max(initial=0))
                if not largest / scale <= most:
                    with np.errstate(over="ignore"):
                        self._check_deviations(table, numbers / scale, numbers, place, most)
            return _scaled_rows(table, self.scale, self.dtype)
        points = into
        if points is None:
            points = np.empty((table.n_rows, self.n_features), dtype=self.dtype)
        most = _MOST_DEVIATIONS[self.dtype.itemsize]
        for rows in _blocks(table.n_rows, max(1, _POINT_CELLS // max(1, self.n_features))):
            block = np.empty((rows.stop - rows.start, self.n_features))
            for place, numbers in enumerate(_encoded_columns(table, rows)):
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
        return points

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


def learn_encoding(X: Any, *, in_place: bool = False) -> tuple[Encoding, Any]:
    """Learns the encoding of a table, and returns it with the points of its rows.

    With `in_place` the points overwrite X if it is an array of their type and shape; the caller
    must not need X any more.
    """
    table = read_table(X)
    is_sparse = bool(table.rows)
    moments = _sparse_moments(table) if is_sparse else _dense_moments(table)
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
    return encoding, encoding._encode(table, X if is_replaced else None)


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


class _Sum:
    """A sum whose every bit is the same in any order, of numbers below 1 in size.

    Numbers are taken apart into multiples of two steps, so coarse that each part adds up without
    rounding; what is finer than both is left out, which is less than rounding would take.
    """

    def __init__(self, n_numbers: int) -> None:
        bits = 52 - int(n_numbers).bit_length()
        self._steps = (2.0**-bits, 2.0 ** (-2 * bits))
        self._parts = [0.0, 0.0]

    def add(self, numbers: FloatArray) -> None:
        for place, step in enumerate(self._steps):
            # Next to a number of this size there is no room for anything finer than the step.
            shift = 1.5 * 2.0**52 * step
            part = (numbers + shift) - shift
            self._parts[place] += float(part.sum())
            numbers = numbers - part

    @property
    def value(self) -> float:
        return self._parts[0] + self._parts[1]


class _Moments:
    """Of the numbers of one column, which are shown three times, in blocks.

    Numbers are scaled by a power of two, which costs no digit, so that neither their sum nor their
    squares leave the range of doubles.
    """

    def __init__(self, n_zeros: int = 0) -> None:
        self._n_zeros = n_zeros
        self._n_known = n_zeros
        self._least, self._most = (0.0, 0.0) if n_zeros else (math.inf, -math.inf)

    def measure(self, numbers: npt.NDArray[Any]) -> None:
        self._n_known += len(numbers)
        if len(numbers):
            self._least = min(self._least, float(numbers.min()))
            self._most = max(self._most, float(numbers.max()))

    def begin(self) -> None:
        """To be called when all have been measured."""
        largest = max(abs(self._least), abs(self._most)) if self._n_known else 0.0
        self._exponent = math.frexp(largest)[1] + 1
        self._total, self._squares = _Sum(self._n_known), _Sum(self._n_known)

    def add(self, numbers: npt.NDArray[Any]) -> None:
        self._total.add(self._scaled(numbers))

    def add_square(self, numbers: npt.NDArray[Any]) -> None:
        self._squares.add(np.square(self._scaled(numbers) - self._scaled_mean))

    @property
    def mean(self) -> float:
        """Of equal numbers that number itself, with no rounding."""
        if self._least == self._most:
            return self._least
        return math.ldexp(self._scaled_mean, self._exponent)

    @property
    def scale(self) -> float:
        """The standard deviation.

        A column that is constant up to rounding has none. It takes 1, or its own size if that is
        more, so that the rounding of large numbers does not pass for a difference.
        """
        mean = self._scaled_mean
        squares = self._squares.value + self._n_zeros * mean**2
        deviation = math.sqrt(squares / max(self._n_known, 1))
        if deviation > 1e-12 * abs(mean):
            return math.ldexp(deviation, self._exponent)
        return max(1.0, abs(self.mean))

    @property
    def _scaled_mean(self) -> float:
        return self._total.value / max(self._n_known, 1)

    def _scaled(self, numbers: npt.NDArray[Any]) -> FloatArray:
        return np.ldexp(numbers.astype(np.float64), -self._exponent)


def _dense_moments(table: Table) -> list[_Moments]:
    """Block by block, each with all of its columns: a table on disk is read from end to end."""
    n_columns = sum(1 if known is None else len(known) for known in table.format.categories)
    moments = [_Moments() for _ in range(n_columns)]

    def show(each: Callable[[_Moments, npt.NDArray[Any]], None]) -> None:
        for rows in _blocks(table.n_rows, MOMENT_ROWS):
            for column, numbers in zip(moments, _encoded_columns(table, rows), strict=True):
                each(column, _known(numbers))

    show(_Moments.measure)
    for column in moments:
        column.begin()
    show(_Moments.add)
    show(_Moments.add_square)
    return moments


def _sparse_moments(table: Table) -> list[_Moments]:
    """Zeros that are not stored are counted."""
    found = []
    for known in map(_known, table.values):
        moments = _Moments(table.n_rows - len(known))
        moments.measure(known)
        moments.begin()
        moments.add(known)
        moments.add_square(known)
        found.append(moments)
    return found


def _encoded_columns(table: Table, rows: slice) -> Iterator[npt.NDArray[Any]]:
    """The numbers of each encoded column in these rows."""
    for values, categories in zip(table.values, table.format.categories, strict=True):
        if categories is None:
            yield values[rows]
            continue
        for category in range(len(categories)):
            yield _indicator(values[rows], category)


def _blocks(n_rows: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def _indicator(codes: npt.NDArray[Any], category: int) -> FloatArray:
    """1 where the row has the category, 0 where it has another, NaN where it has none."""
    return np.where(np.isnan(codes), np.nan, codes == category)


def _known(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    is_missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(1, dtype=np.bool_)
    return values[~is_missing] if is_missing.any() else values


def _scaled_rows(table: Table, scale: FloatArray, dtype: np.dtype[Any]) -> sp.csr_array:
    lengths = [len(values) for values in table.values]
    data = np.concatenate(
        [np.nan_to_num(values / by) for values, by in zip(table.values, scale, strict=True)]
    )
    rows = np.concatenate(table.rows)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    shape = (table.n_rows, len(lengths))
    return sp.csc_array((data.astype(dtype), rows, ends), shape=shape).tocsr()
