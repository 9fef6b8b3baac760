"""Scores of rows in every world, from learners of several kinds.

Trees see a row before they score it, as an unlabelled one, and hidden rows are seen in the same
way: with all rows to learn from they are better than trees that leave some out. All other learners
score each row without having seen it (a regression on the other rows, the labels of others, models
of other folds). New rows are nobody's training rows, so they are ranked among out-of-sample scores.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut.data.coded_categories import CodedCategories
from pucut.data.repeats import possible_folds
from pucut.data.tables import Table, TableFormat, read_table
from pucut.graphs.spaces import NearRows, WeightedSpace
from pucut.judging.cross_fitting import cross_fit, mean_scores
from pucut.judging.places import Place
from pucut.kernels.machines import Machine
from pucut.kernels.ridge import OF_MANY, Ridge, fit_kernel_ridge, fit_linear_ridge
from pucut.methods.pu_cut._spaces import SpaceOfWorlds
from pucut.methods.pu_cut._worlds import Worlds
from pucut.trees.feature_weights import weighted
from pucut.trees.forest import Forest, forest_importances, forest_scores
from pucut.trees.growing import ROWS_OF_A_TREE, TreeOptions

# Trees leave out one fold each, for the scores that new rows are ranked among.
TREE_FOLDS = 5
# Of the trees asked for, those that answer, and those of each world that hides labels.
TREES_THAT_ANSWER, TREES_OF_A_WORLD = 0.6, 0.2
# Folds of learners that are given.
LEARNER_FOLDS = 3
LINEAR = "linear"
# More columns than this would make the linear regression slow.
MOST_LINEAR_COLUMNS = 2000


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows to score: as a table and as points, and by space their points there and neighbours."""

    table: Any
    points: Any
    points_in: Mapping[str, Any]
    near: Mapping[str, NearRows]

    def in_parts(self, n_parts: int) -> list["NewRows"]:
        """The rows in parts of about equal size, without the table."""
        edges = np.linspace(0, self.points.shape[0], n_parts + 1).astype(int).tolist()
        return [
            NewRows(
                None,
                self.points[rows],
                {name: points[rows] for name, points in self.points_in.items()},
                {name: near.part(rows) for name, near in self.near.items()},
            )
            for rows in (slice(start, stop) for start, stop in pairwise(edges))
        ]

    @cached_property
    def columns(self) -> Table:
        """The points as trees read them."""
        return read_table(self.points, TableFormat((None,) * self.points.shape[1]))


@dataclass(frozen=True, eq=False)
class OfCategories:
    """Scores new rows by `of`, which learned from indicators in the place of codes."""

    categories: CodedCategories
    of: Callable[[NewRows], FloatArray]

    def __call__(self, rows: NewRows) -> FloatArray:
        return self.of(replace(rows, points=self.categories.of(rows.points)))


@dataclass(frozen=True, eq=False)
class BaseScore:
    """A learner.

    Attributes
    ----------
    name : str
    of_worlds : sequence of float arrays of shape (n_samples,)
        Scores of the training rows in each world, the complete one last.
    reference : float array of shape (n_samples,)
        Scores of the training rows by what has not seen them.
    of : callable
        The scores of `NewRows`.
    """

    name: str
    of_worlds: Sequence[FloatArray]
    reference: FloatArray
    of: Callable[[NewRows], FloatArray]

    def for_answers(self) -> "BaseScore":
        """Without the scores of the training rows."""
        return BaseScore(self.name, (), np.empty(0), self.of)

    def finish(self) -> "BaseScore":
        return self


@dataclass(frozen=True, eq=False)
class UnfinishedScore:
    """A learner that has not seen all labels yet, and need not if it turns out to have no weight.

    Attributes
    ----------
    name : str
    of_worlds : sequence of float arrays of shape (n_samples,)
        Scores of the training rows in each world that hides labels.
    finish : callable
        Learns in the complete world too.
    """

    name: str
    of_worlds: Sequence[FloatArray]
    finish: Callable[[], BaseScore]


@dataclass(frozen=True, eq=False)
class TreeScore:
    """The share of positives in the leaves of PU trees, and how they weigh the features.

    `importances` are those of the features in each world, and `forest` has those of the last. Where
    one world hides enough labels to judge, its importances are the last world's too, so that both
    share what is made from them: its trees have four fifths of the labels, which are many.
    """

    score: BaseScore | UnfinishedScore
    forest: Forest
    importances: tuple[FloatArray, ...]


def tree_kinds(n_features: int) -> dict[str, TreeOptions]:
    """Trees of four kinds, from nearly random to nearly greedy; none is best for all tables."""
    # Many features would make the greedy ones slow.
    half = min(math.ceil(n_features / 2), math.ceil(2.5 * math.sqrt(n_features)))
    return {
        "trees, random cuts": _sampled(min_samples_leaf=5),
        "trees, better cuts": _sampled(min_samples_leaf=5, max_candidates=8),
        "trees, many features": _sampled(min_samples_leaf=5, max_candidates=8, max_features=half),
        "trees, large leaves": _sampled(min_samples_leaf=30, max_candidates=3),
    }


def _sampled(**options: Any) -> TreeOptions:
    return TreeOptions(max_rows=ROWS_OF_A_TREE, **options)


@dataclass(frozen=True, eq=False)
class _OfForest:
    forest: Forest
    n_threads: int

    def __call__(self, rows: NewRows) -> FloatArray:
        return forest_scores(self.forest, rows.columns, n_threads=self.n_threads).leaf


def tree_score(
    name: str,
    options: TreeOptions,
    points: Place,
    worlds: Worlds,
    prior: float,
    *,
    n_trees: int,
    random: np.random.RandomState,
    n_threads: int,
) -> TreeScore:
    def complete(random: Any) -> tuple[BaseScore, Forest]:
        learned = _all_labels(points, worlds, prior, options, n_trees, random)
        of = _OfForest(learned.forest, n_threads)
        score = BaseScore(name, (*of_worlds, learned.by_all), learned.unseen, of)
        return score, learned.forest

    of_worlds, weighing = [], []
    for labels, negatives in zip(worlds.labels[:-1], worlds.negatives, strict=False):
        forest = points.forest(
            labels,
            prior,
            options,
            n_trees=math.ceil(TREES_OF_A_WORLD * n_trees),
            random_state=random,
            is_negative=negatives,
        )
        of_worlds.append(points.leaf_scores(forest))
        weighing.append(forest)
    if len(weighing) == 1:
        seed = int(random.randint(np.iinfo(np.int32).max))
        unfinished = UnfinishedScore(name, of_worlds, lambda: complete(seed)[0])
        return TreeScore(unfinished, forest, (forest_importances(forest),) * 2)
    score, forest = complete(random)
    importances = tuple(forest_importances(each) for each in (*weighing, forest))
    return TreeScore(score, forest, importances)


def _all_labels(
    points: Place, worlds: Worlds, prior: float, options: TreeOptions, n_trees: int, random: Any
) -> "_LeafScores":
    """Of trees with all labels, each of which leaves out a fold of the rows if it can."""
    growing: dict[str, Any] = {"random_state": random, "is_negative": worlds.is_negative}
    labels = worlds.is_labelled
    n_folds = possible_folds(TREE_FOLDS, worlds.groups, labels)
    if n_folds < 2:  # one labelled row cannot be left out, nor one other
        forest = points.forest(labels, prior, options, n_trees=n_trees, **growing)
        scores = points.leaf_scores(forest)
        return _LeafScores(forest, scores, scores)
    found = points.cross_fitted_forest(
        labels,
        prior,
        options,
        n_folds=n_folds,
        n_trees=math.ceil(TREES_THAT_ANSWER * n_trees / n_folds),
        groups=worlds.groups,
        **growing,
    )
    return _LeafScores(found.forest, found.scores.leaf, found.by_all.leaf)


@dataclass(frozen=True, eq=False)
class _LeafScores:
    """Trees, and the scores of each row by those that did not see it, and by all of them."""

    forest: Forest
    unseen: FloatArray
    by_all: FloatArray


@dataclass(frozen=True, eq=False)
class OfRidge:
    """`space` names where the points are, None for those of the table; `weights` are theirs."""

    machine: Machine
    space: str | None
    weights: FloatArray

    def __call__(self, rows: NewRows) -> FloatArray:
        points = rows.points if self.space is None else rows.points_in[self.space]
        return self.machine.scores(weighted(points.astype(np.float64), self.weights))


def kernel_name(space: str) -> str:
    return f"kernel, {space}"


def linear_score(points: Place, worlds: Worlds, device: str | None = None) -> BaseScore:
    ridge = fit_linear_ridge(points.rows, worlds.targets, worlds.groups, device)
    of = OfRidge(ridge.machine, None, np.ones(points.shape[1]))
    return BaseScore(LINEAR, tuple(ridge.left_out), ridge.left_out[-1], of)


def kernel_score(
    space: SpaceOfWorlds, worlds: Worlds, seed: int, device: str | None = None, n_threads: int = 1
) -> BaseScore:
    """One regression for all worlds, or one each if the space depends on the labels."""
    random = np.random.RandomState(seed)
    targets = worlds.targets

    def fit(of_world: WeightedSpace, targets: Any) -> Ridge:
        points, groups = of_world.weighted_points, worlds.groups
        return fit_kernel_ridge(points, targets, random, groups, device, n_threads, OF_MANY)

    if space.knows_labels:
        of_worlds = []
        for of_world, target in zip(space.spaces, targets, strict=True):
            ridge = fit(of_world, target[None, :])
            of_worlds.append(ridge.left_out[0])
    else:
        ridge = fit(space.final, targets)
        of_worlds = list(ridge.left_out)
    of = OfRidge(ridge.machine, space.name, space.final.weights)
    return BaseScore(kernel_name(space.name), of_worlds, of_worlds[-1], of)


@dataclass(frozen=True, eq=False)
class _OfModels:
    models: tuple[Any, ...]

    def __call__(self, rows: NewRows) -> FloatArray:
        return mean_scores(self.models, rows.table)


def threads_may_share(score: BaseScore) -> bool:
    """Not a learner that was given, of which nobody knows it, nor what is on a device."""
    of = score.of.of if isinstance(score.of, OfCategories) else score.of
    on_device = isinstance(of, OfRidge) and of.machine.device not in (None, "cpu")
    return not on_device and not isinstance(of, _OfModels)


def learner_score(
    name: str, classifier: Any, table: Any, worlds: Worlds, random: np.random.RandomState
) -> BaseScore:
    """A classifier of labelled against unlabelled rows, out of fold in every world."""
    fits = [
        cross_fit(
            classifier,
            table,
            labels,
            n_folds=LEARNER_FOLDS,
            random_state=random,
            groups=worlds.groups,
        )
        for labels in worlds.labels
    ]
    of_worlds = [fit.scores for fit in fits]
    return BaseScore(name, of_worlds, of_worlds[-1], _OfModels(fits[-1].models))
