"""A forest grown on the workers, equal to the forest of a single machine.

Every tree has a seed of its own, so it does not matter where it grows. If there are many rows, each
tree sees a sample, which its seed draws from the row numbers alone: only those rows travel to the
worker that grows it. If there are few, all rows travel to every worker once.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray
from pucut.dask.engine import computed, delayed, n_slots
from pucut.dask.partitions import Indices, Partitions, joined
from pucut.trees.feature_weights import options_of_weighing_trees
from pucut.trees.forest import Forest
from pucut.trees.growing import (
    DrawnRows,
    TreeOptions,
    forest_of_seeds,
    rows_of_trees,
    tree_of_rows,
    tree_seeds,
)

# Of the rows that the trees of one task see.
_MOST_BYTES = 1 << 27


def grow_forest_on_workers(
    points: Partitions,
    is_labelled: BoolArray,
    prior: float,
    *,
    n_trees: int,
    random_state: Any,
) -> Forest:
    """What `grow_forest` gives for the points of all partitions together."""
    seeds = tree_seeds(check_random_state(random_state), n_trees)
    n_rows, n_columns = points.shape
    options = options_of_weighing_trees(n_rows)
    labels = delayed(np.packbits(is_labelled))
    if options.max_rows is None:
        rows, grow = delayed(joined_rows)(list(points.parts)), delayed(grow_trees)
        tasks = [
            grow(rows, labels, prior, options, batch)
            for batch in np.array_split(seeds, min(n_trees, n_slots()))
        ]
    else:
        n_bytes = n_trees * options.max_rows * n_columns * 8
        n_batches = min(n_trees, max(n_slots(), -(-n_bytes // _MOST_BYTES)))
        tasks = [
            _trees_of_samples(points, labels, prior, options, batch)
            for batch in np.array_split(seeds, n_batches)
        ]
    return joined_forests(computed(tasks))


def _trees_of_samples(
    points: Partitions, labels: Any, prior: float, options: TreeOptions, seeds: Indices
) -> Any:
    """A task: trees of rows that are picked from the partitions."""
    drawn = delayed(draw_rows)(labels, points.shape[0], seeds, options.max_rows)
    numbers, pick = delayed(distinct_rows)(drawn), delayed(pick_rows)
    pieces = [
        pick(part, int(first), numbers)
        for part, first in zip(points.parts, points.starts[:-1], strict=True)
    ]
    return delayed(grow_sampled_trees)(pieces, numbers, drawn, prior, options, seeds)


def joined_rows(parts: Sequence[Any]) -> Any:
    return joined(parts)


def grow_trees(
    rows: Any,
    packed: npt.NDArray[np.uint8],
    prior: float,
    options: TreeOptions,
    seeds: Indices,
) -> Forest:
    """Some of the trees, of all rows."""
    is_labelled = np.unpackbits(packed, count=len(rows)).view(np.bool_)
    return forest_of_seeds(rows, is_labelled, prior, options, seeds)


def draw_rows(
    packed: npt.NDArray[np.uint8], n_rows: int, seeds: Indices, max_rows: int
) -> DrawnRows:
    return rows_of_trees(np.unpackbits(packed, count=n_rows).view(np.bool_), seeds, max_rows)


def distinct_rows(drawn: DrawnRows) -> npt.NDArray[np.int32]:
    """The rows that any of the trees sees, each once, in their order."""
    return np.unique(drawn.rows)


def pick_rows(
    points: npt.NDArray[Any], first_row: int, numbers: npt.NDArray[np.int32]
) -> npt.NDArray[Any]:
    """Those of the rows that are in a partition."""
    start, stop = np.searchsorted(numbers, [first_row, first_row + len(points)])
    return points[numbers[start:stop] - first_row]


def grow_sampled_trees(
    pieces: Sequence[npt.NDArray[Any]],
    numbers: npt.NDArray[np.int32],
    drawn: DrawnRows,
    prior: float,
    options: TreeOptions,
    seeds: Indices,
) -> Forest:
    """Some of the trees, from the rows that were picked for them."""
    picked = np.concatenate(pieces)
    return joined_forests(
        [
            tree_of_rows(picked[np.searchsorted(numbers, rows)], drawn, prior, options, int(seed))
            for rows, seed in zip(drawn.rows, seeds, strict=True)
        ]
    )


def joined_forests(forests: Sequence[Forest]) -> Forest:
    """Forests of one table of numbers as one, tree after tree."""
    assert not any(len(forest.masks) for forest in forests), "points have no categories"
    starts = np.cumsum([0] + [int(forest.offsets[-1]) for forest in forests])
    offsets = [
        forest.offsets[:-1] + start for forest, start in zip(forests, starts[:-1], strict=True)
    ]

    def one_after_another(name: str) -> Any:
        return np.concatenate([getattr(forest, name) for forest in forests])

    return Forest(
        np.concatenate([*offsets, starts[-1:]]).astype(np.int64),
        one_after_another("feature"),
        one_after_another("threshold"),
        one_after_another("left"),
        one_after_another("missing_left"),
        forests[0].masks,
        one_after_another("risk_reduction"),
        forests[0].format,
    )
