"""Cross-fitted PU extra trees: each leaves out a fold of the rows, and scores it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray, IndexArray, checked_count, checked_n_threads
from pucut.data.repeats import groups_for_folds, labelled_groups, possible_folds
from pucut.data.tables import read_table
from pucut.trees.forest import Forest, ForestScores, scores_by_parts
from pucut.trees.growing import (
    Progress,
    TreeOptions,
    checked_tree_labels,
    forest_of_seeds,
    tree_seeds,
)


@dataclass(frozen=True, eq=False)
class CrossFittedForest:
    """Trees that each left out a fold of the rows.

    `scores` are out of sample, by the trees that did not see the row; `by_all` are by all trees.
    """

    forest: Forest
    scores: ForestScores
    by_all: ForestScores


def cross_fitted_forest(
    X: Any,
    is_labelled: npt.ArrayLike,
    prior: float,
    options: TreeOptions | None = None,
    *,
    n_folds: int = 5,
    n_trees: int = 100,
    categorical_features: Any = "from_dtype",
    random_state: Any = None,
    n_threads: int | None = None,
    callback: Progress | None = None,
    groups: IndexArray | None = None,
    is_negative: BoolArray | None = None,
) -> CrossFittedForest:
    """Grow `n_trees` trees per fold, and score the rows of X by those that did not see them.

    Labelled and other rows are dealt to the folds separately, and rows of a group together; by
    default those are the copies in X (`data.repeats`). For the other parameters see `grow_forest`.
    """
    n_trees = checked_count(n_trees, "n_trees")
    n_folds = checked_count(n_folds, "n_folds", least=2)
    n_threads = checked_n_threads(n_threads)
    table = read_table(X, categorical_features=categorical_features)
    labelled = checked_tree_labels(is_labelled, table.n_rows)
    groups = groups_for_folds(table, labelled) if groups is None else groups
    rarest = possible_folds(table.n_rows, groups, labelled)
    if n_folds > rarest:
        raise ValueError(
            f"n_folds must be at most {rarest}, the number of rows of the rarer kind, found "
            f"{n_folds}"
        )
    dealt = dealt_folds(groups, labelled, n_folds, n_trees, check_random_state(random_state))
    forest = forest_of_seeds(
        table,
        labelled,
        prior,
        options or TreeOptions(),
        dealt.seeds,
        row_fold=dealt.row_fold,
        tree_fold=dealt.tree_fold,
        n_threads=n_threads,
        callback=callback,
        is_negative=is_negative,
    )
    scores, by_all = cross_fitted_scores(forest, table, dealt.row_fold, n_folds, n_threads)
    return CrossFittedForest(forest, scores, by_all)


@dataclass(frozen=True, eq=False)
class DealtFolds:
    """The fold of each row, and for each tree the fold that it leaves out and its seed."""

    row_fold: npt.NDArray[np.int32]
    tree_fold: npt.NDArray[np.int32]
    seeds: npt.NDArray[np.int64]


def dealt_folds(
    groups: IndexArray,
    is_labelled: BoolArray,
    n_folds: int,
    n_trees: int,
    random: np.random.RandomState,
) -> DealtFolds:
    """Deal folds, with `n_trees` trees for each; rows of a group go together."""
    has_label = labelled_groups(groups, is_labelled)
    dealt = np.empty(len(has_label), dtype=np.int32)
    for kind in (has_label, ~has_label):
        dealt[kind] = random.permutation(np.arange(int(kind.sum()), dtype=np.int32) % n_folds)
    return DealtFolds(
        dealt[groups],
        np.repeat(np.arange(n_folds, dtype=np.int32), n_trees),
        tree_seeds(random, n_folds * n_trees),
    )


def cross_fitted_scores(
    forest: Forest, X: Any, row_fold: npt.NDArray[np.int32], n_folds: int, n_threads: int = 1
) -> tuple[ForestScores, ForestScores]:
    """Return scores by the trees that left out each row's fold, and by all trees.

    The trees are in the order of the folds, as many for each.
    """
    table = read_table(X, forest.format)
    vote, leaf = np.empty(table.n_rows), np.empty(table.n_rows)
    all_votes, all_leaves = np.zeros(table.n_rows), np.zeros(table.n_rows)
    by_parts = scores_by_parts(forest, table, n_folds, n_threads)
    for fold, scores in enumerate(by_parts):
        unseen = row_fold == fold
        vote[unseen], leaf[unseen] = scores.vote[unseen], scores.leaf[unseen]
        all_votes += scores.vote
        all_leaves += scores.leaf
    return (
        ForestScores(vote, leaf, by_parts[0].n_trees),
        ForestScores(all_votes / n_folds, all_leaves / n_folds, forest.n_trees),
    )
