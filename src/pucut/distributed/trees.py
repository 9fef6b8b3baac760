"""A forest whose trees are grown on the workers, and is the forest of a single machine.

Every tree has a seed of its own, so that it does not matter where it grows. It needs the columns of
all rows; these are joined once, and each worker fetches them once.
"""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from pucut._checks import BoolArray
from pucut.distributed.engine import computed, delayed, n_slots
from pucut.distributed.partitions import Partitions, joined
from pucut.pu_trees import Forest, grow_forest


def grow_forest_on_workers(
    points: Partitions,
    is_labelled: BoolArray,
    prior: float,
    *,
    n_trees: int,
    random_state: Any,
) -> Forest:
    """What `grow_forest` gives for the points of all partitions together."""
    random = check_random_state(random_state)
    join, grow = delayed(joined_rows), delayed(grow_trees)
    rows, labels = join(list(points.parts)), delayed(np.packbits(is_labelled))
    n_batches = min(n_trees, n_slots())
    ends = np.linspace(0, n_trees, n_batches + 1).astype(int)
    batches = []
    for size in np.diff(ends).tolist():
        batches.append(grow(rows, labels, prior, size, copy.deepcopy(random)))
        _skip_seeds(random, size)
    return joined_forests(computed(batches))


def joined_rows(parts: Sequence[Any]) -> Any:
    return joined(parts)


def grow_trees(
    rows: Any, packed: npt.NDArray[np.uint8], prior: float, n_trees: int, random: Any
) -> Forest:
    """Some of the trees: `random` stands where the seed of the first of them comes next."""
    is_labelled = np.unpackbits(packed, count=len(rows)).view(np.bool_)
    return grow_forest(
        rows,
        is_labelled,
        prior,
        n_trees=n_trees,
        random_state=copy.deepcopy(random),  # a task may run twice
        n_threads=1,
    )


def _skip_seeds(random: np.random.RandomState, n_trees: int) -> None:
    """Draws what `grow_forest` draws for as many trees."""
    random.randint(np.iinfo(np.int64).max, size=n_trees, dtype=np.int64)


def joined_forests(forests: Sequence[Forest]) -> Forest:
    """Forests of one table of numbers as one, tree after tree."""
    assert not any(len(forest.masks) for forest in forests), "points have no categories"
    starts = np.cumsum([0] + [int(forest.offsets[-1]) for forest in forests])
    offsets = [
        forest.offsets[:-1] + start for forest, start in zip(forests, starts[:-1], strict=True)
    ]

    def side_by_side(name: str) -> Any:
        return np.concatenate([getattr(forest, name) for forest in forests])

    return Forest(
        np.concatenate([*offsets, starts[-1:]]).astype(np.int64),
        side_by_side("feature"),
        side_by_side("threshold"),
        side_by_side("left"),
        side_by_side("missing_left"),
        forests[0].masks,
        side_by_side("risk_reduction"),
        forests[0].format,
    )
