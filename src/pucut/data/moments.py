"""Means and standard deviations of the columns of a table.

No bit depends on the order of the rows or on the number of threads.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray
from pucut._support.threads import in_threads, parts_of
from pucut.data.tables import Table

# Sums are taken over blocks of this many rows, and the sums of blocks added in order.
MOMENT_ROWS = 1 << 17


class Moments:
    """The mean and standard deviation of one column, whose numbers are shown three times.

    Numbers are scaled by a power of two, which costs no digit, so that neither their sum nor their
    squares leave the range of doubles.
    """

    def __init__(self, n_zeros: int = 0) -> None:
        self._n_zeros = n_zeros
        self._n_known = n_zeros
        self._least, self._most = (0.0, 0.0) if n_zeros else (math.inf, -math.inf)
        self._total, self._squares = np.zeros(2), np.zeros(2)

    def measure(self, numbers: npt.NDArray[Any]) -> None:
        self._n_known += len(numbers)
        if len(numbers):
            self._least = min(self._least, float(numbers.min()))
            self._most = max(self._most, float(numbers.max()))

    def add(self, numbers: npt.NDArray[Any]) -> None:
        """Add numbers to the mean, when all have been measured."""
        self._total += _exact_sums(self._scaled(numbers), self._n_known)

    def add_square(self, numbers: npt.NDArray[Any]) -> None:
        """Add numbers to the deviation, when all have been added to the mean."""
        squares = np.square(self._scaled(numbers) - self._scaled_mean)
        self._squares += _exact_sums(squares, self._n_known)

    @property
    def mean(self) -> float:
        """The mean; that of equal numbers is the number itself, without rounding."""
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
        squares = float(self._squares.sum()) + self._n_zeros * mean**2
        deviation = math.sqrt(squares / max(self._n_known, 1))
        if deviation > 1e-12 * abs(mean):
            return math.ldexp(deviation, self._exponent)
        return max(1.0, abs(self.mean))

    @property
    def _exponent(self) -> int:
        largest = max(abs(self._least), abs(self._most)) if self._n_known else 0.0
        return math.frexp(largest)[1] + 1

    @property
    def _scaled_mean(self) -> float:
        return float(self._total.sum()) / max(self._n_known, 1)

    def _scaled(self, numbers: npt.NDArray[Any]) -> FloatArray:
        return np.ldexp(numbers.astype(np.float64), -self._exponent)


def _exact_sums(numbers: FloatArray, n_numbers: int) -> FloatArray:
    """Return two sums, of `n_numbers` or fewer below 1 in size, whose bits depend on no order.

    Numbers are taken apart into multiples of two steps, so coarse that each part adds up without
    rounding; what is finer than both is left out, which is less than rounding would take.
    """
    bits = 52 - int(n_numbers).bit_length()
    sums = np.empty(2)
    for place, step in enumerate((2.0**-bits, 2.0 ** (-2 * bits))):
        # Next to a number of this size there is no room for anything finer than the step.
        shift = 1.5 * 2.0**52 * step
        part = (numbers + shift) - shift
        sums[place] = part.sum()
        numbers = numbers - part
    return sums


def column_moments(table: Table, n_threads: int) -> list[Moments]:
    """Return the moments of the encoded columns.

    Each block is read with all of its columns: a table on disk is read from end to end. Zeros that
    a sparse table does not store are counted.
    """
    blocks = [slice(None)] if table.rows else list(row_blocks(table.n_rows, MOMENT_ROWS))
    n_stored = [len(known_values(each)) if table.rows else table.n_rows for each in table.values]
    of_columns = [
        [Moments(table.n_rows - stored) for _ in range(1 if known is None else len(known))]
        for stored, known in zip(n_stored, table.format.categories, strict=True)
    ]

    def show_columns(
        each: Callable[[Moments, npt.NDArray[Any]], None], rows: slice, columns: range
    ) -> None:
        for j in columns:
            for moments, numbers in zip(of_columns[j], encoded_column(table, j, rows), strict=True):
                each(moments, known_values(numbers))

    for each in (Moments.measure, Moments.add, Moments.add_square):
        for rows in blocks:
            parts = parts_of(len(of_columns), n_threads)
            in_threads(partial(show_columns, each, rows), parts, n_threads)
    return [moments for several in of_columns for moments in several]


def encoded_column(table: Table, j: int, rows: slice) -> Iterator[npt.NDArray[Any]]:
    """Yield the numbers, in these rows, of the columns that the encoding makes of one.

    A category is 1 where the row has it, 0 where it has another, and NaN where it has none.
    """
    values, categories = table.values[j][rows], table.format.categories[j]
    if categories is None:
        yield values
        return
    for category in range(len(categories)):
        yield np.where(np.isnan(values), np.nan, values == category)


def row_blocks(n_rows: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def known_values(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the values that are not missing, one beside the other."""
    values = np.ascontiguousarray(values)
    is_missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(0, dtype=np.bool_)
    return values[~is_missing] if is_missing.any() else values
