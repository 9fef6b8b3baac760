"""Hashes of the rows of a table, the same in any order of the rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.threads import in_threads, parts_of

Hashes = npt.NDArray[np.uint64]

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
_NAN = np.uint64(0x7FF8000000000000)


def row_hashes(
    n_rows: int,
    values: Sequence[npt.NDArray[Any]],
    rows: Sequence[npt.NDArray[np.int32]] = (),
    *,
    first_column: int = 0,
    n_threads: int = 1,
) -> Hashes:
    """Return a number for each row that depends on its values alone.

    It is a sum over the columns, so that hashes of some columns, of which the first has the number
    `first_column`, can be added to those of others. Zeros add nothing: a sparse table, whose values
    stand in `rows`, has the hashes of the dense one.
    """

    def of_columns(columns: range) -> Hashes:
        hashes = np.zeros(n_rows, dtype=np.uint64)
        for j in columns:
            words = _hashes_of_values(values[j], first_column + j)
            if rows:
                hashes[rows[j]] += words
            else:
                hashes += words
        return hashes

    total = np.zeros(n_rows, dtype=np.uint64)
    for hashes in in_threads(of_columns, parts_of(len(values), n_threads), n_threads):
        total += hashes
    return total


def _hashes_of_values(values: npt.NDArray[Any], column: int) -> Hashes:
    bits = values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    words = bits.view(np.uint64).copy()
    words[np.isnan(bits)] = _NAN
    is_zero = words == 0
    words ^= np.uint64((column + 1) * _GOLDEN & _WORD)
    words = _mixed(words)
    words[is_zero] = 0
    return words


def _mixed(words: Hashes) -> Hashes:
    """Every bit of the result depends on every bit (the finaliser of MurmurHash3)."""
    words ^= words >> np.uint64(33)
    words *= np.uint64(0xFF51AFD7ED558CCD)
    words ^= words >> np.uint64(33)
    words *= np.uint64(0xC4CEB9FE1A85EC53)
    words ^= words >> np.uint64(33)
    return words
