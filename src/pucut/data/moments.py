"""Means and standard deviations of the columns of a table.

Dense tables are read in blocks of rows, three times. No bit depends on the order of the rows, and
none on the number of threads.
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


class Moments:
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


def dense_moments(table: Table, n_threads: int) -> list[Moments]:
    """Block by block, each with all of its columns: a table on disk is read from end to end."""
    of_columns = [
        [Moments() for _ in range(1 if known is None else len(known))]
        for known in table.format.categories
    ]
    moments = [each for several in of_columns for each in several]

    def show(each: Callable[[Moments, npt.NDArray[Any]], None]) -> None:
        def show_columns(rows: slice, columns: range) -> None:
            for j in columns:
                shown = zip(of_columns[j], encoded_column(table, j, rows), strict=True)
                for moment, numbers in shown:
                    each(moment, known_values(numbers))

        for rows in row_blocks(table.n_rows, MOMENT_ROWS):
            in_threads(partial(show_columns, rows), parts_of(len(of_columns), n_threads), n_threads)

    show(Moments.measure)
    for column in moments:
        column.begin()
    show(Moments.add)
    show(Moments.add_square)
    return moments


def sparse_moments(table: Table) -> list[Moments]:
    """Zeros that are not stored are counted."""
    found = []
    for known in map(known_values, table.values):
        moments = Moments(table.n_rows - len(known))
        moments.measure(known)
        moments.begin()
        moments.add(known)
        moments.add_square(known)
        found.append(moments)
    return found


def encoded_columns(table: Table, rows: slice) -> Iterator[npt.NDArray[Any]]:
    """The numbers of each encoded column in these rows."""
    for j in range(len(table.values)):
        yield from encoded_column(table, j, rows)


def encoded_column(table: Table, j: int, rows: slice) -> Iterator[npt.NDArray[Any]]:
    """Of the columns that the encoding makes of one."""
    values, categories = table.values[j][rows], table.format.categories[j]
    if categories is None:
        yield values
        return
    for category in range(len(categories)):
        yield _indicator(values, category)


def row_blocks(n_rows: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def _indicator(codes: npt.NDArray[Any], category: int) -> FloatArray:
    """1 where the row has the category, 0 where it has another, NaN where it has none."""
    return np.where(np.isnan(codes), np.nan, codes == category)


def known_values(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Those that are not missing, one beside the other."""
    values = np.ascontiguousarray(values)
    is_missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(0, dtype=np.bool_)
    return values[~is_missing] if is_missing.any() else values
