"""Which rows a tree sees, so that it can be grown where only those are."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray
from pucut.data.tables import read_table
from pucut.trees.forest import Forest
from pucut.trees.growing import (
    TreeOptions,
    drawn_rows,
    forest_of_seeds,
    repeated_rows,
    with_larger_leaves,
)


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """The rows that each tree sees, labelled ones first: (n_trees, number of rows).

    `n_draws_made` counts the numbers that the seed of a tree has given for them, and `options` are
    those of a tree that sees them and no others.
    """

    rows: npt.NDArray[np.int32]
    n_labelled: int
    n_draws_made: int
    options: TreeOptions


def rows_of_trees(
    is_labelled: BoolArray,
    prior: float,
    options: TreeOptions,
    seeds: npt.NDArray[np.int64],
    *,
    is_negative: BoolArray | None = None,
    is_left_out: BoolArray | None = None,
) -> DrawnRows:
    """The rows that trees with these seeds see, known ones repeated as `grow_forest` does.

    `is_left_out` are those of the fold that these trees leave out. If they see all others, `rows`
    has a single line for all trees.
    """
    rows = np.arange(len(is_labelled), dtype=np.int32)
    known = repeated_rows(is_labelled, is_negative, prior, options)
    if known is not None:
        rows, is_labelled = known.rows.astype(np.int32), known.is_labelled
        options = with_larger_leaves(options, known)
    if is_left_out is not None:
        kept = ~is_left_out[rows]
        rows, is_labelled = rows[kept], is_labelled[kept]
    max_rows, options = options.max_rows, replace(options, max_rows=None)
    if max_rows is None or len(rows) <= max_rows:
        in_order = rows[np.argsort(~is_labelled, kind="stable")]
        return DrawnRows(in_order[None], int(is_labelled.sum()), 0, options)
    drawn = drawn_rows(is_labelled, seeds, max_rows)
    n_labelled = int(is_labelled[drawn[0]].sum())
    # If all rows of a kind are used, nothing is drawn.
    wanted = np.array([n_labelled, max_rows - n_labelled])
    there = np.array([is_labelled.sum(), len(is_labelled) - is_labelled.sum()])
    return DrawnRows(rows[drawn], n_labelled, int(wanted[wanted < there].sum()), options)


def trees_of_rows(X: Any, drawn: DrawnRows, prior: float, seeds: npt.NDArray[np.int64]) -> Forest:
    """The trees that `grow_forest` grows from these seeds, given the rows that they see alone."""
    table = read_table(X)
    return forest_of_seeds(
        table,
        np.arange(table.n_rows) < drawn.n_labelled,
        prior,
        drawn.options,
        seeds,
        n_draws_made=drawn.n_draws_made,
    )
