"""Hashes of rows, and an order of rows that depends on what they hold, not on where they stand.

Learners draw folds and samples by the number of a row, and break ties by it. Each fit therefore
works on its rows in this order: the same table in any other order gives the same answers. Rows are
ordered by a hash of their values; among rows of equal values the labels alternate.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from pucut._support.checks import IndexArray as IndexArray
from pucut._support.threads import in_threads, parts_of
from pucut.data.tables import Table, as_table, source_of

Hashes = npt.NDArray[np.uint64]

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
_NAN = np.uint64(0x7FF8000000000000)


def row_order(X: Any, labels: npt.ArrayLike | None = None, n_threads: int = 1) -> IndexArray:
    """Return the rows of X in an order that does not depend on theirs.

    Rows that are no table (`as_table`), such as texts, keep their order.
    """
    table = as_table(X)
    if table is None:
        return np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
    hashes = table_hashes(table, n_threads)
    if labels is None:
        return np.argsort(hashes, kind="stable")
    # The labels of equal rows alternate, in proportion to their numbers: otherwise whatever takes
    # the first of many equal rows would take those of one label.
    of_label = np.asarray(labels)
    order = np.lexsort((of_label, hashes))
    of_row, of_label = hashes[order], of_label[order]
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = (of_row[1:] != of_row[:-1]) | (of_label[1:] != of_label[:-1])
    first = np.flatnonzero(begins)
    lengths = np.diff(np.append(first, len(order)))
    place = np.arange(len(order)) - np.repeat(first, lengths)
    share = (place + 0.5) / np.repeat(lengths, lengths)
    return order[np.lexsort((of_label, share, of_row))]


def in_order(X: Any, order: IndexArray) -> Any:
    """Return rows of anything in this order; a table stays one if all of its rows are wanted."""
    if isinstance(X, Table) and len(order) == X.n_rows:
        return X.of_rows(order)
    return _safe_indexing(source_of(X), order)


def in_given_order(values: npt.NDArray[Any], order: IndexArray) -> npt.NDArray[Any]:
    """Return one value per row, from the order of `row_order` back to that of the table."""
    given = np.empty_like(values)
    given[order] = values
    return given


def renumbered_graph(graph: Any, order: IndexArray) -> Any:
    """Return a graph whose nodes are in the order of `row_order` with the numbers of the table."""
    place = np.argsort(order)
    return graph[place][:, place]


def given_numbers(mask: npt.NDArray[np.bool_], order: IndexArray) -> IndexArray:
    """Return the rising numbers in the table of rows masked in the order of `row_order`."""
    return np.sort(order[np.flatnonzero(mask)])


def order_rows_in_place(points: Any, order: IndexArray, n_threads: int = 1) -> Any:
    """Put points into this order; dense ones in the memory they have, a column at a time."""
    if not isinstance(points, np.ndarray):
        return points[order]

    def put(columns: range) -> None:
        for column in points.T[columns.start : columns.stop]:
            column[:] = column[order]

    in_threads(put, parts_of(points.shape[1], n_threads), n_threads)
    return points


def table_hashes(table: Table, n_threads: int = 1) -> Hashes:
    """Return `row_hashes` of a table, computed once."""
    if "hashes" not in table.kept:
        found = row_hashes(table.n_rows, table.values, table.rows, n_threads=n_threads)
        table.kept["hashes"] = found
    return table.kept["hashes"]


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
    # The finaliser of MurmurHash3: every bit of the result depends on every bit.
    words ^= words >> np.uint64(33)
    words *= np.uint64(0xFF51AFD7ED558CCD)
    words ^= words >> np.uint64(33)
    words *= np.uint64(0xC4CEB9FE1A85EC53)
    words ^= words >> np.uint64(33)
    words[is_zero] = 0
    return words
