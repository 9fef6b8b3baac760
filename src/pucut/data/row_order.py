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
from pucut.data.containers import as_table

IndexArray = npt.NDArray[np.intp]


def row_order(X: Any, labels: npt.ArrayLike | None = None, n_threads: int = 1) -> IndexArray:
    """Return the rows of X in an order that does not depend on theirs.

    Rows that are no table (`as_table`), such as texts, keep their order.
    """
    table = as_table(X)
    if table is None:
        return np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
    hashes = table.hashes(n_threads)
    if labels is None:
        return np.argsort(hashes, kind="stable")
    return _mixed_labels(hashes, np.asarray(labels))


def _mixed_labels(hashes: npt.NDArray[np.uint64], labels: npt.NDArray[Any]) -> IndexArray:
    """Sort by hash and let the labels of equal rows alternate, in proportion to their numbers.

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
    """Return the rows of a table of any kind in this order."""
    return _safe_indexing(X, order)


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
