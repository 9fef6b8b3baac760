"""Trees grown on the workers, equal to those of a single machine.

Every tree has a seed of its own, so it does not matter where it grows. If there are many rows, each
tree sees a sample, which its seed draws from the row numbers alone: only those rows travel to the
worker that grows it. If there are few, all rows travel to every worker once.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.dask.engine import computed, delayed, n_slots
from pucut.dask.partitions import Indices, Partitions, concatenated
from pucut.data.tables import read_table
from pucut.trees.cross_fitting import DealtFolds, cross_fitted_scores
from pucut.trees.forest import Forest, ForestScores, forest_scores
from pucut.trees.growing import (
    DrawnRows,
    TreeOptions,
    forest_of_seeds,
    rows_of_trees,
    trees_of_rows,
)

# Bytes of the rows that the trees of one task see.
_MOST_BYTES = 1 << 27


def trees_on_workers(
    points: Partitions,
    is_labelled: BoolArray,
    prior: float,
    options: TreeOptions,
    seeds: Indices,
    is_negative: BoolArray | None,
    folds: DealtFolds | None = None,
) -> Forest:
    """Grow the trees of `forest_of_seeds`; with `folds` each leaves out a fold of the rows."""
    n_rows, n_columns = points.shape
    row_fold = None if folds is None else folds.row_fold
    tree_fold = np.full(len(seeds), -1, dtype=np.int32) if folds is None else folds.tree_fold
    known = delayed(is_labelled), prior, options
    others = {} if is_negative is None else {"is_negative": delayed(is_negative)}
    if options.max_rows is None or n_rows <= options.max_rows:
        rows, grow = delayed(concatenated)(list(points.parts)), delayed(grow_trees)
        if row_fold is not None:
            others["row_fold"] = delayed(row_fold)
        tasks = [
            grow(rows, *known, seeds[batch], tree_fold=tree_fold[batch], **others)
            for batch in np.array_split(np.arange(len(seeds)), min(len(seeds), n_slots()))
        ]
        return joined_forests(computed(tasks))
    draw, grow_sampled, tasks = delayed(rows_of_trees), delayed(grow_sampled_trees), []
    for fold in np.unique(tree_fold):
        if row_fold is not None:
            others["is_left_out"] = delayed(row_fold == fold)
        same = seeds[tree_fold == fold]
        n_bytes = len(same) * options.max_rows * n_columns * 8
        n_batches = min(len(same), max(n_slots(), -(-n_bytes // _MOST_BYTES)))
        for batch in np.array_split(same, n_batches):
            drawn = draw(*known, batch, **others)
            numbers = delayed(np.unique)(drawn.rows)  # each once, in their order
            pieces = points.numbered_tasks(pick_rows, numbers)
            tasks.append(grow_sampled(pieces, numbers, drawn, prior, batch))
    return joined_forests(computed(tasks))


def grow_trees(rows: npt.NDArray[Any], *known: Any, **others: Any) -> Forest:
    """Grow some of the trees from all rows."""
    return forest_of_seeds(read_table(rows), *known, **others)


def pick_rows(
    points: npt.NDArray[Any], first_row: int, numbers: npt.NDArray[np.int32]
) -> npt.NDArray[Any]:
    """Return the points of the numbered rows that are in a partition."""
    start, stop = np.searchsorted(numbers, [first_row, first_row + len(points)])
    return points[numbers[start:stop] - first_row]


def grow_sampled_trees(
    pieces: Sequence[npt.NDArray[Any]],
    numbers: npt.NDArray[np.int32],
    drawn: DrawnRows,
    prior: float,
    seeds: Indices,
) -> Forest:
    """Grow some of the trees from the rows that were picked for them."""
    points = concatenated(pieces)
    # All trees see the rows of a single line.
    of_lines = np.split(seeds, np.arange(1, len(drawn.rows)))
    return joined_forests(
        [
            trees_of_rows(points[np.searchsorted(numbers, rows)], drawn, prior, some)
            for rows, some in zip(drawn.rows, of_lines, strict=True)
        ]
    )


def leaf_scores(part: npt.NDArray[Any], forest: Forest) -> FloatArray:
    return forest_scores(forest, part, n_threads=1).leaf


def scores_in_folds(
    part: npt.NDArray[Any], row_fold: npt.NDArray[np.int32], forest: Forest, n_folds: int
) -> tuple[ForestScores, ForestScores]:
    return cross_fitted_scores(forest, part, row_fold, n_folds)


def joined_scores(parts: Sequence[ForestScores]) -> ForestScores:
    vote, leaf = (np.concatenate([getattr(one, of) for one in parts]) for of in ("vote", "leaf"))
    return replace(parts[0], vote=vote, leaf=leaf)


def joined_forests(forests: Sequence[Forest]) -> Forest:
    """Join forests of one table of numbers, tree after tree."""
    assert not any(len(forest.masks) for forest in forests), "points have no categories"
    starts = np.cumsum([0] + [int(forest.offsets[-1]) for forest in forests])
    offsets = [forest.offsets[:-1] + start for forest, start in zip(forests, starts, strict=False)]
    per_node = ("feature", "threshold", "left", "missing_left", "risk_reduction")
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in forests]) for name in per_node
    }
    joined["offsets"] = np.concatenate([*offsets, starts[-1:]]).astype(np.int64)
    return replace(forests[0], **joined)
