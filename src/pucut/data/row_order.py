"""An order of rows that depends on what they hold, and not on where they stand.

Learners draw folds and samples by the number of a row, and break ties by it. Each fit therefore
works on its rows in this order: the same table in any other order gives the same answers. Rows are
ordered by a hash of their values; among rows of equal values the labels alternate.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from pucut._support.threads import in_threads, parts_of
from pucut.data.tables import Table, read_table

IndexArray = npt.NDArray[np.intp]

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
_NAN = np.uint64(0x7FF8000000000000)


def row_order(X: Any, labels: npt.ArrayLike | None = None, n_threads: int = 1) -> IndexArray:
    """The rows of X in an order that does not depend on theirs.

    What cannot be read as a table, such as texts for a classifier that takes them, keeps its order.
    """
    hashes = row_hashes(X, n_threads)
    if hashes is None:
        return np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
    if labels is None:
        return np.argsort(hashes, kind="stable")
    return _mixed_labels(hashes, np.asarray(labels))


def row_hashes(X: Any, n_threads: int = 1) -> npt.NDArray[np.uint64] | None:
    """A number for each row that depends on its values alone; None if X is not a table."""
    try:
        table = read_table(X, is_lenient=True)
    except (TypeError, ValueError, AttributeError, OverflowError):
        return None
    return _row_hashes(table, n_threads)


def _mixed_labels(hashes: npt.NDArray[np.uint64], labels: npt.NDArray[Any]) -> IndexArray:
    """By hash; among rows of equal values labels alternate, as often as there are of each.

    Otherwise whatever takes the first of many equal rows would take those of one label.
    """
    order = np.lexsort((labels, hashes))
    of_row, of_label = hashes[order], labels[order]
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = (of_row[1:] != of_row[:-1]) | (of_label[1:] != of_label[:-1])
    first = np.flatnonzero(begins)
    lengths = np.diff(np.append(first, len(order)))
    place = np.arange(len(order)) - np.repeat(first, lengths)
    share = (place + 0.5) / np.repeat(lengths, lengths)
    return order[np.lexsort((of_label, share, of_row))]


def in_order(X: Any, order: IndexArray) -> Any:
    """The rows of a table of any kind, in this order."""
    return _safe_indexing(X, order)


def in_given_order(values: npt.NDArray[Any], order: IndexArray) -> npt.NDArray[Any]:
    """One value per row, from the order of `row_order` back to that of the table."""
    given = np.empty_like(values)
    given[order] = values
    return given


def renumbered_graph(graph: Any, order: IndexArray) -> Any:
    """A graph whose nodes are in the order of `row_order`, with the numbers of the table."""
    place = np.argsort(order)
    return graph[place][:, place]


def given_numbers(mask: npt.NDArray[np.bool_], order: IndexArray) -> IndexArray:
    """The numbers, rising, that rows of a mask in the order of `row_order` have in the table."""
    return np.sort(order[np.flatnonzero(mask)])


def order_rows_in_place(points: Any, order: IndexArray, n_threads: int = 1) -> Any:
    """The points in this order; dense ones in the memory they have, a column at a time."""
    if not isinstance(points, np.ndarray):
        return points[order]

    def put(columns: range) -> None:
        for column in points.T[columns.start : columns.stop]:
            column[:] = column[order]

    in_threads(put, parts_of(points.shape[1], n_threads), n_threads)
    return points


def _row_hashes(table: Table, n_threads: int) -> npt.NDArray[np.uint64]:
    """Sums over the columns, which are the same in any order."""
    parts = parts_of(len(table.values), n_threads)
    hashes = np.zeros(table.n_rows, dtype=np.uint64)
    for found in in_threads(lambda columns: _hashes_of(table, columns), parts, n_threads):
        hashes += found
    return hashes


def _hashes_of(table: Table, columns: range) -> npt.NDArray[np.uint64]:
    """Zeros add nothing, so that a sparse table has the order of the dense one."""
    hashes = np.zeros(table.n_rows, dtype=np.uint64)
    for j in columns:
        values = table.values[j]
        bits = values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
        words = bits.view(np.uint64).copy()
        words[np.isnan(bits)] = _NAN
        is_zero = words == 0
        words ^= np.uint64((j + 1) * _GOLDEN & _WORD)
        words = _mixed(words)
        words[is_zero] = 0
        if table.rows:
            hashes[table.rows[j]] += words
        else:
            hashes += words
    return hashes


def _mixed(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Every bit of the result depends on every bit (the finaliser of MurmurHash3)."""
    words ^= words >> np.uint64(33)
    words *= np.uint64(0xFF51AFD7ED558CCD)
    words ^= words >> np.uint64(33)
    words *= np.uint64(0xC4CEB9FE1A85EC53)
    words ^= words >> np.uint64(33)
    return words
