"""A forest grown on the workers, equal to the forest of a single machine, and its scores.

Every tree has a seed of its own, so it does not matter where it grows. If there are many rows, each
tree sees a sample, which its seed draws from the row numbers alone: only those rows travel to the
worker that grows it. If there are few, all rows travel to every worker once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray, FloatArray
from pucut.dask.engine import computed, delayed, n_slots
from pucut.dask.partitions import Indices, Partitions, joined
from pucut.data.tables import read_table
from pucut.trees.cross_fitting import (
    CrossFittedForest,
    DealtFolds,
    cross_fitted_scores,
    dealt_folds,
)
from pucut.trees.forest import Forest, ForestScores, forest_scores
from pucut.trees.growing import (
    DrawnRows,
    TreeOptions,
    forest_of_seeds,
    rows_of_trees,
    tree_seeds,
    trees_of_rows,
)

# Bytes of the rows that the trees of one task see.
_MOST_BYTES = 1 << 27

Bits = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class RowLabels:
    """Labels and known negatives as bits, and the fold of each row, if there are folds."""

    n_rows: int
    labelled: Bits
    negative: Bits | None
    row_fold: npt.NDArray[np.int8] | None

    @property
    def is_labelled(self) -> BoolArray:
        return np.unpackbits(self.labelled, count=self.n_rows).view(np.bool_)

    @property
    def is_negative(self) -> BoolArray | None:
        if self.negative is None:
            return None
        return np.unpackbits(self.negative, count=self.n_rows).view(np.bool_)


def forest_on_workers(
    points: Partitions,
    is_labelled: BoolArray,
    prior: float,
    options: TreeOptions,
    *,
    n_trees: int,
    random_state: Any,
    is_negative: BoolArray | None = None,
) -> Forest:
    """Grow the forest of `grow_forest`."""
    seeds = tree_seeds(check_random_state(random_state), n_trees)
    return _forest_of_seeds(points, is_labelled, prior, options, seeds, is_negative)


def cross_fitted_forest_on_workers(
    points: Partitions,
    is_labelled: BoolArray,
    prior: float,
    options: TreeOptions,
    *,
    n_folds: int,
    n_trees: int,
    random_state: Any,
    groups: npt.NDArray[np.intp],
    is_negative: BoolArray | None = None,
) -> CrossFittedForest:
    """Grow and score the forest of `cross_fitted_forest`."""
    random = check_random_state(random_state)
    folds = dealt_folds(groups, is_labelled, n_folds, n_trees, random)
    forest = _forest_of_seeds(points, is_labelled, prior, options, folds.seeds, is_negative, folds)
    task, shared = delayed(cross_fitted_scores), delayed(forest)
    n_dealt = int(folds.tree_fold.max()) + 1
    parts = computed(
        [
            task(shared, part, fold, n_dealt)
            for part, fold in zip(points.parts, points.split(folds.row_fold), strict=True)
        ]
    )
    unseen, by_all = ([part[which] for part in parts] for which in range(2))
    return CrossFittedForest(forest, joined_scores(unseen), joined_scores(by_all))


def leaf_scores_on_workers(points: Partitions, forest: Forest) -> FloatArray:
    """Return the mean score of the leaves of each row over all trees."""
    task, shared = delayed(leaf_scores), delayed(forest)
    return np.concatenate(computed([task(part, shared) for part in points.parts]))


def _forest_of_seeds(
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
    has_negatives = is_negative is not None and bool(is_negative.any())
    labels = delayed(
        RowLabels(
            n_rows,
            np.packbits(is_labelled),
            np.packbits(is_negative) if is_negative is not None and has_negatives else None,
            None if folds is None else folds.row_fold.astype(np.int8),
        )
    )
    tree_fold = np.full(len(seeds), -1, dtype=np.int32) if folds is None else folds.tree_fold
    if options.max_rows is None or n_rows <= options.max_rows:
        rows, grow = delayed(joined_rows)(list(points.parts)), delayed(grow_trees)
        tasks = [
            grow(rows, labels, prior, options, seeds[batch], tree_fold[batch])
            for batch in np.array_split(np.arange(len(seeds)), min(len(seeds), n_slots()))
        ]
        return joined_forests(computed(tasks))
    tasks = []
    for fold in np.unique(tree_fold).tolist():
        same = seeds[tree_fold == fold]
        n_bytes = len(same) * options.max_rows * n_columns * 8
        n_batches = min(len(same), max(n_slots(), -(-n_bytes // _MOST_BYTES)))
        tasks += [
            _trees_of_samples(points, labels, prior, options, batch, fold)
            for batch in np.array_split(same, n_batches)
        ]
    return joined_forests(computed(tasks))


def _trees_of_samples(
    points: Partitions, labels: Any, prior: float, options: TreeOptions, seeds: Indices, fold: int
) -> Any:
    """Return a task: trees of rows that are picked from the partitions."""
    drawn = delayed(draw_rows)(labels, prior, options, seeds, fold)
    numbers, pick = delayed(distinct_rows)(drawn), delayed(pick_rows)
    pieces = [
        pick(part, int(first), numbers)
        for part, first in zip(points.parts, points.starts[:-1], strict=True)
    ]
    return delayed(grow_sampled_trees)(pieces, numbers, drawn, prior, seeds)


def joined_rows(parts: Sequence[Any]) -> Any:
    return joined(parts)


def grow_trees(
    rows: Any,
    labels: RowLabels,
    prior: float,
    options: TreeOptions,
    seeds: Indices,
    tree_fold: npt.NDArray[np.int32],
) -> Forest:
    """Grow some of the trees from all rows."""
    row_fold = None if labels.row_fold is None else labels.row_fold.astype(np.int32)
    return forest_of_seeds(
        read_table(rows),
        labels.is_labelled,
        prior,
        options,
        seeds,
        is_negative=labels.is_negative,
        row_fold=row_fold,
        tree_fold=tree_fold,
    )


def draw_rows(
    labels: RowLabels, prior: float, options: TreeOptions, seeds: Indices, fold: int
) -> DrawnRows:
    """Draw the rows of trees that leave out this fold; -1 leaves nothing out."""
    return rows_of_trees(
        labels.is_labelled,
        prior,
        options,
        seeds,
        is_negative=labels.is_negative,
        is_left_out=None if labels.row_fold is None else labels.row_fold == fold,
    )


def distinct_rows(drawn: DrawnRows) -> npt.NDArray[np.int32]:
    """Return the rows that any of the trees sees, each once, in their order."""
    return np.unique(drawn.rows)


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
    # All trees see the rows of a single line.
    of_lines = np.split(seeds, np.arange(1, len(drawn.rows)))
    return joined_forests(
        [
            trees_of_rows(_in_order(pieces, np.searchsorted(numbers, rows)), drawn, prior, some)
            for rows, some in zip(drawn.rows, of_lines, strict=True)
        ]
    )


def _in_order(pieces: Sequence[npt.NDArray[Any]], places: Indices) -> npt.NDArray[Any]:
    """Return the rows at these places of all pieces, which are not copied together first."""
    found = np.empty((len(places), pieces[0].shape[1]), dtype=pieces[0].dtype)
    first = 0
    for piece in pieces:
        here = np.flatnonzero((places >= first) & (places < first + len(piece)))
        found[here] = piece[places[here] - first]
        first += len(piece)
    return found


def leaf_scores(part: npt.NDArray[Any], forest: Forest) -> FloatArray:
    return forest_scores(forest, part, n_threads=1).leaf


def joined_scores(parts: Sequence[ForestScores]) -> ForestScores:
    return ForestScores(
        np.concatenate([part.vote for part in parts]),
        np.concatenate([part.leaf for part in parts]),
        parts[0].n_trees,
    )


def joined_forests(forests: Sequence[Forest]) -> Forest:
    """Join forests of one table of numbers, tree after tree."""
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
