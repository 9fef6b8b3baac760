"""A forest of PU extra trees and its predictions; `pucut.trees.growing` grows it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut import _core
from pucut._support.checks import FloatArray, checked_count, checked_n_threads
from pucut.data.tables import Table, TableFormat, read_table


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees as flat arrays, one tree after another; nodes are numbered within their tree.

    Attributes
    ----------
    offsets : int64 array of shape (n_trees + 1,)
        The first node of each tree.
    feature : int32 array
        The feature that an inner node tests; -1 in leaves.
    threshold : float64 array
        A number goes left if it is at most this. For a categorical feature, the place in `masks`
        of the first of ceil(n_categories / 64) words of bits, 1 for categories that go left. In a
        leaf the fraction of positives v*, which may exceed 1.
    left : int32 array
        The left child, which the right one follows; -1 in leaves.
    missing_left : uint8 array
        1 where missing values go left.
    masks : uint64 array
    risk_reduction : float64 array of shape (n_trees, n_features)
        The sum over the nodes that test the feature.
    format : TableFormat
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
        return len(self.format.categories)

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
    """Return the scores of the rows of X."""
    n_used = checked_n_threads(n_threads)
    return scores_by_parts(forest, read_table(X, forest.format), 1, n_used)[0]


def forest_apply(forest: Forest, X: Any, *, n_threads: int | None = None) -> npt.NDArray[np.int32]:
    """Return the number of each row's leaf among the nodes of each tree: (n_rows, n_trees)."""
    table = read_table(X, forest.format)
    leaves: npt.NDArray[np.int32] = _core.find_leaves(
        forest._nodes(), table.compiled, checked_n_threads(n_threads)
    )
    return leaves.reshape(table.n_rows, forest.n_trees)


def forest_importances(forest: Forest) -> FloatArray:
    """Return the risk reduction of each feature, negative ones as 0, scaled to sum 1.

    All are zero if no feature reduced the risk, for example if no tree has a cut.
    """
    total: FloatArray = np.maximum(forest.risk_reduction.sum(axis=0), 0.0)
    whole = float(total.sum())
    return total / whole if whole > 0 else total


def proximity_neighbors(
    forest: Forest, X: Any, k: int, *, n_threads: int | None = None
) -> Proximities:
    """Return for each row of X the k others that share its leaf most often, ties by row number.

    Memory grows with rows times trees, and not with the square of the rows.
    """
    table = read_table(X, forest.format)
    k, n_rows, n_trees = checked_count(k, "k"), table.n_rows, forest.n_trees
    if k >= n_rows:
        raise ValueError(f"k must be below the number of rows, {n_rows}, found {k}")
    leaves = forest_apply(forest, table, n_threads=n_threads)
    n_leaves, n_used = int(leaves.max()) + 1, checked_n_threads(n_threads)
    found = _core.find_proximities(leaves.reshape(-1), n_rows, n_trees, n_leaves, k, n_used)
    return Proximities(found["neighbors"].reshape(-1, k), found["shared"].reshape(-1, k) / n_trees)


def scores_by_parts(
    forest: Forest, table: Table, n_parts: int, n_threads: int
) -> list[ForestScores]:
    """Return the scores of each row by each part of the trees, which are of one size."""
    scores = []
    nodes, columns, n_trees = forest._nodes(), table.compiled, forest.n_trees // n_parts
    for part in range(n_parts):
        first = part * n_trees
        found = _core.score_rows(nodes, columns, first, first + n_trees, n_threads)
        votes, leaves = found["votes"] / n_trees, found["fractions"] / n_trees
        scores.append(ForestScores(votes, leaves, n_trees))
    return scores
