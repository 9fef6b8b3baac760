"""PU extra trees: forests that minimise a risk estimated from positive and unlabelled rows.

Wilton, Koay, Ko, Xu and Ye (2022), "Positive-unlabeled learning using random forests via recursive
greedy risk minimization". Symbols of the paper and their names here:

    P, U                     rows with a label; by default all rows
    W_p, W_n                 prior * share of P in a node; share of U in it - W_p
    v* = W_p / (W_p + W_n)   the fraction of positives in a leaf; above 1/2 it votes positive

The risk of a node is 4 (W_p + W_n) v* (1 - v*) for the quadratic loss, and the entropy of v* times
(W_p + W_n), in natural logarithms, for the logistic one. Where v* > 1, which is W_n < 0, risk
"nnpu" is 0 and "upu" follows the formula: a negative number for the quadratic loss, minus
infinity for the logistic. A cut that makes such a node beats every other, but adds nothing to the
importances. Risk "pn" treats the rows without a label as negatives.

Values are compared by small codes, of one or two bytes. If there are more than `ROWS_OF_A_TREE`
rows, each tree of 2-HNC sees a sample of that many, drawn by the seed of the tree.
"""

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from pucut import _core
from pucut._support.checks import BoolArray, checked_count, checked_n_threads
from pucut.data.known_rows import RepeatedRows, with_known_rows
from pucut.data.tables import Table, read_table
from pucut.trees.forest import Forest

RISKS = ("nnpu", "upu", "pn")
LOSSES = ("quadratic", "logistic")

Risk = Literal["nnpu", "upu", "pn"]
Loss = Literal["quadratic", "logistic"]
Progress = Callable[[int, int], object]

# With more rows a tree learns little more.
ROWS_OF_A_TREE = 100_000


@dataclass(frozen=True)
class TreeOptions:
    """The options of a tree.

    Attributes
    ----------
    max_features : int, float, "sqrt" or None
        Features drawn at a node, not counting those that do not vary in it: a number, a share or
        the square root of all (both rounded up), or all.
    max_candidates : int
        Random cuts tried for each feature drawn.
    unlabelled_includes_labelled : bool
        Whether the labelled rows are part of the unlabelled set, as in one sample in which some
        rows were labelled; False for positives collected separately. Irrelevant for risk "pn".
    max_rows : int, optional
        The most rows of a tree: if there are more, each tree sees a sample, with labelled and
        other rows in proportion. None means no limit.
    """

    risk: Risk = "nnpu"
    loss: Loss = "quadratic"
    max_depth: int | None = None
    min_samples_leaf: int = 1
    max_features: int | float | str | None = "sqrt"
    max_candidates: int = 1
    unlabelled_includes_labelled: bool = True
    max_rows: int | None = None

    def __post_init__(self) -> None:
        if self.risk not in RISKS:
            raise ValueError(f"risk must be one of {', '.join(RISKS)}, found {self.risk!r}")
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(LOSSES)}, found {self.loss!r}")
        features_at_a_node(self.max_features, 1)
        if self.max_depth is not None:
            checked_count(self.max_depth, "max_depth")
        checked_count(self.min_samples_leaf, "min_samples_leaf")
        checked_count(self.max_candidates, "max_candidates")
        if self.max_rows is not None:
            checked_count(self.max_rows, "max_rows", least=2)


def grow_forest(
    X: Any,
    is_labelled: npt.ArrayLike,
    prior: float,
    options: TreeOptions | None = None,
    *,
    n_trees: int = 100,
    categorical_features: Any = "from_dtype",
    random_state: Any = None,
    n_threads: int | None = None,
    callback: Progress | None = None,
    is_negative: BoolArray | None = None,
) -> Forest:
    """Grow PU extra trees; the same forest for the same seed and any number of threads.

    Parameters
    ----------
    X : array, data frame, sparse matrix or Table
        See `pucut.data.tables.read_table`. NaN means missing: both sides of a cut are tried for it,
        and if a node saw none, later ones go where more rows went.
    is_labelled : boolean array of shape (n_rows,)
    prior : float
        The fraction of positives in the unlabelled set, which by default is all rows.
    callback : callable, optional
        Called as callback(trees grown, trees in all) now and then, from this thread.
    is_negative : boolean array of shape (n_rows,), optional
        Known negatives: see `data.known_rows`. Risk "pn" has them among its negatives anyway.
    """
    n_trees, n_used = checked_count(n_trees, "n_trees"), checked_n_threads(n_threads)
    table = read_table(X, categorical_features=categorical_features)
    labelled = checked_tree_labels(is_labelled, table.n_rows)
    seeds = tree_seeds(check_random_state(random_state), n_trees)
    return forest_of_seeds(
        table,
        labelled,
        prior,
        options or TreeOptions(),
        seeds,
        n_threads=n_used,
        callback=callback,
        is_negative=is_negative,
    )


def features_at_a_node(max_features: int | float | str | None, n_features: int) -> int:
    """Return the number that `max_features` stands for: "sqrt" and shares are rounded up."""
    if max_features is None:
        return n_features
    if isinstance(max_features, str):
        if max_features == "sqrt":
            return math.isqrt(n_features - 1) + 1
    elif isinstance(max_features, numbers.Integral) and not isinstance(max_features, bool):
        if int(max_features) >= 1:
            return min(int(max_features), n_features)
    elif isinstance(max_features, float) and 0 < max_features <= 1:
        return math.ceil(max_features * n_features)
    raise ValueError(
        "max_features must be 'sqrt', None, a whole number of at least 1 or a share above 0 and at "
        f"most 1, found {max_features!r}"
    )


def tree_seeds(random: np.random.RandomState, n_trees: int) -> npt.NDArray[np.int64]:
    """Draw a seed for each tree."""
    return random.randint(np.iinfo(np.int64).max, size=n_trees, dtype=np.int64)


def forest_of_seeds(
    table: Table,
    is_labelled: BoolArray,
    prior: float,
    options: TreeOptions,
    seeds: npt.NDArray[np.int64],
    *,
    n_draws_made: int = 0,
    n_threads: int = 1,
    callback: Progress | None = None,
    is_negative: BoolArray | None = None,
    row_fold: npt.NDArray[np.int32] | None = None,
    tree_fold: npt.NDArray[np.int32] | None = None,
) -> Forest:
    """Grow a tree for each seed, of all rows but those of the fold that it leaves out, if any.

    `n_draws_made` is for rows that were drawn elsewhere; see `DrawnRows`. For the rest see
    `grow_forest`.
    """
    if not 0.0 < prior < 1.0:
        raise ValueError(f"prior must be above 0 and below 1, found {prior!r}")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be callable or None, found {callback!r}")
    n_columns = len(table.values)
    row_fold = np.zeros(table.n_rows, dtype=np.int32) if row_fold is None else row_fold
    tree_fold = np.full(len(seeds), -1, dtype=np.int32) if tree_fold is None else tree_fold
    known, options = _repeated(is_labelled, is_negative, prior, options)
    if known is not None:
        table, is_labelled = table.of_rows(known.rows), known.is_labelled
        row_fold = row_fold[known.rows]
    sampling = {
        "labelled": is_labelled.view(np.uint8),
        "row_fold": row_fold,
        "tree_fold": tree_fold,
        "tree_seed": seeds.astype(np.uint64),
    }
    more = {
        "prior": float(prior),
        "unlabelled_includes_labelled": bool(options.unlabelled_includes_labelled),
        "max_depth": options.max_depth or 0,
        "max_features": features_at_a_node(options.max_features, n_columns),
        "max_rows": options.max_rows or 0,
        "n_draws_made": n_draws_made,
    }
    grown: dict[str, Any] = _core.grow_forest(
        table.compiled, sampling, vars(options) | more, n_threads, callback
    )
    reduction = grown.pop("risk_reduction").reshape(len(seeds), n_columns)
    return Forest(**grown, risk_reduction=reduction, format=table.format)


def _repeated(
    is_labelled: BoolArray, is_negative: BoolArray | None, prior: float, options: TreeOptions
) -> tuple[RepeatedRows | None, TreeOptions]:
    """Return the repeated rows, if there are known negatives that are not negatives anyway.

    With the options that come with them a leaf holds as large a part of the rows as before.
    """
    if is_negative is None or not is_negative.any() or options.risk == "pn":
        return None, options
    includes_labelled = options.unlabelled_includes_labelled
    known = with_known_rows(is_labelled, is_negative, prior, includes_labelled=includes_labelled)
    least = round(options.min_samples_leaf * known.growth)
    return known, replace(options, min_samples_leaf=least)


def checked_tree_labels(is_labelled: npt.ArrayLike, n_rows: int) -> BoolArray:
    labelled = np.ascontiguousarray(is_labelled)
    if labelled.dtype != np.bool_ or labelled.shape != (n_rows,):
        raise TypeError(
            f"is_labelled must hold a boolean for each of {n_rows} rows, found shape "
            f"{labelled.shape} of dtype {labelled.dtype}"
        )
    if labelled.all() or not labelled.any():
        raise ValueError(
            f"both labelled and other rows are needed, found {int(labelled.sum())} labelled of "
            f"{n_rows}"
        )
    return labelled


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """The rows that each tree sees, so that it can be grown where only those are.

    Labelled rows come first: (n_trees, number of rows). `n_draws_made` counts the numbers that the
    seed of a tree has given for them, and `options` fit a tree that sees no other rows.
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
    """Return the rows that trees with these seeds see, known ones repeated as `grow_forest` does.

    `is_left_out` masks the fold that these trees leave out. If they see all other rows, `rows`
    has a single line for all trees.
    """
    rows = np.arange(len(is_labelled), dtype=np.int32)
    known, options = _repeated(is_labelled, is_negative, prior, options)
    if known is not None:
        rows, is_labelled = known.rows.astype(np.int32), known.is_labelled
    if is_left_out is not None:
        kept = ~is_left_out[rows]
        rows, is_labelled = rows[kept], is_labelled[kept]
    max_rows, options = options.max_rows, replace(options, max_rows=None)
    if max_rows is None or len(rows) <= max_rows:
        in_order = rows[np.argsort(~is_labelled, kind="stable")]
        return DrawnRows(in_order[None], int(is_labelled.sum()), 0, options)
    drawn: npt.NDArray[np.int32] = _core.rows_of_trees(
        is_labelled.view(np.uint8), seeds.astype(np.uint64), max_rows
    ).reshape(len(seeds), max_rows)
    n_labelled = int(is_labelled[drawn[0]].sum())
    # If all rows of a kind are used, nothing is drawn.
    wanted = np.array([n_labelled, max_rows - n_labelled])
    there = np.array([is_labelled.sum(), len(is_labelled) - is_labelled.sum()])
    return DrawnRows(rows[drawn], n_labelled, int(wanted[wanted < there].sum()), options)


def trees_of_rows(X: Any, drawn: DrawnRows, prior: float, seeds: npt.NDArray[np.int64]) -> Forest:
    """Grow the trees that `grow_forest` grows from these seeds, given only the rows they see."""
    table = read_table(X)
    return forest_of_seeds(
        table,
        np.arange(table.n_rows) < drawn.n_labelled,
        prior,
        drawn.options,
        seeds,
        n_draws_made=drawn.n_draws_made,
    )
