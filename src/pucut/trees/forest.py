"""A forest of PU extra trees, and what is asked of one; `pucut.trees.growing` grows it."""

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut import _core
from pucut._support.checks import FloatArray, checked_n_threads
from pucut.data.tables import Table, TableFormat, read_table

_MOST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees as flat arrays, one tree after another; nodes are numbered within their tree.

    Attributes
    ----------
    offsets : int64 array of shape (n_trees + 1,)
        Where the nodes of each tree begin.
    feature : int32 array
        The feature an inner node asks for; -1 in leaves.
    threshold : float64 array
        A number goes left if it is at most this. For a categorical feature, the place in `masks`
        of the first of ceil(n_categories / 64) words of bits, 1 for categories that go left. In a
        leaf the fraction of positives v*, which may exceed 1.
    left : int32 array
        The left child, and the right one stands behind it; -1 in leaves.
    missing_left : uint8 array
        1 where missing values go left.
    masks : uint64 array
    risk_reduction : float64 array of shape (n_trees, n_features)
        The sum over the nodes that ask for the feature.
    format : TableFormat
        How columns are read.
    """

    offsets: npt.NDArray[np.int64]
    feature: npt.NDArray[np.int32]
    threshold: FloatArray
    left: npt.NDArray[np.int32]
    missing_left: npt.NDArray[np.uint8]
    masks: npt.NDArray[np.uint64]
    risk_reduction: FloatArray
    format: TableFormat

    def __post_init__(self) -> None:
        _core.check_forest(self._nodes(), self.format.n_categories)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # From a pickle, a copy or a model file: nothing of it is trusted.
        self.__dict__.update(state)
        self.__post_init__()

    @property
    def n_trees(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_features(self) -> int:
        return self.format.n_columns

    def _nodes(self) -> dict[str, Any]:
        names = ("offsets", "feature", "threshold", "left", "missing_left", "masks")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class ForestScores:
    """The scores of each row: the share of trees that vote positive, and the mean of v*, at most 1.

    `combined` orders rows by votes, and rows with equal votes by their leaves: the mean of the
    leaves has one vote, in addition to those of the trees. Above 1/2 the majority of the trees
    votes positive or, if they are split evenly, their leaves decide.
    """

    vote: FloatArray
    leaf: FloatArray
    n_trees: int

    @property
    def combined(self) -> FloatArray:
        return (np.rint(self.vote * self.n_trees) + self.leaf) / (self.n_trees + 1)


@dataclass(frozen=True, eq=False)
class Proximities:
    """For each row the others that share its leaf most often: (n_rows, k), most often first."""

    indices: npt.NDArray[np.int32]
    share: FloatArray


def forest_scores(forest: Forest, X: Any, *, n_threads: int | None = None) -> ForestScores:
    """The scores of the rows of X."""
    return answers_of(forest, read_table(X, forest.format), n_threads, 0, forest.n_trees)


def forest_apply(forest: Forest, X: Any, *, n_threads: int | None = None) -> npt.NDArray[np.int32]:
    """The leaf of each row in each tree, as the number of a node in its tree: (n_rows, n_trees)."""
    table = read_table(X, forest.format)
    leaves: npt.NDArray[np.int32] = _core.find_leaves(
        forest._nodes(), columns_of(table), checked_n_threads(n_threads)
    )
    return leaves.reshape(table.n_rows, forest.n_trees)


def forest_importances(forest: Forest) -> FloatArray:
    """Risk reduction of each feature, negative ones as 0, scaled to sum 1.

    All zeros if no feature reduced the risk, for example if no tree has a cut.
    """
    total: FloatArray = np.maximum(forest.risk_reduction.sum(axis=0), 0.0)
    whole = float(total.sum())
    return total / whole if whole > 0 else total


def proximity_neighbors(
    forest: Forest, X: Any, k: int, *, n_threads: int | None = None
) -> Proximities:
    """For each row of X the k others that share its leaf in most trees, ties by row number.

    Memory grows with rows times trees, and not with the square of the rows.
    """
    table = read_table(X, forest.format)
    k = checked_count(k, "k")
    if k >= table.n_rows:
        raise ValueError(f"k must be below the number of rows, {table.n_rows}, found {k}")
    leaves = forest_apply(forest, table, n_threads=n_threads)
    found = _core.find_proximities(
        leaves.reshape(-1),
        table.n_rows,
        forest.n_trees,
        int(leaves.max()) + 1,
        k,
        checked_n_threads(n_threads),
    )
    return Proximities(
        found["neighbors"].reshape(-1, k), found["shared"].reshape(-1, k) / forest.n_trees
    )


def answers_of(
    forest: Forest, table: Table, n_threads: int | None, first: int, last: int
) -> ForestScores:
    """What the trees from `first` to below `last` say of each row."""
    found = _core.score_rows(
        forest._nodes(), columns_of(table), first, last, checked_n_threads(n_threads)
    )
    n_trees = last - first
    return ForestScores(found["votes"] / n_trees, found["fractions"] / n_trees, n_trees)


def columns_of(table: Table) -> dict[str, Any]:
    """A table as the native trees take it."""
    return {
        "n_rows": table.n_rows,
        "values": list(table.values),
        "rows": list(table.rows),
        "n_categories": table.format.n_categories,
    }


def checked_count(value: Any, name: str, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number, found {value!r}")
    count = int(value)
    if not least <= count <= _MOST:
        raise ValueError(f"{name} must be from {least} to {_MOST}, found {count}")
    return count
