"""Scorers of positive and unlabelled rows, and the protocol of all scorers.

Each scorer learns in every fold of labels, and scores the rows there and new rows. It is a function
that learns in a place (`places`) or a space (`spaces`) and returns a `Score`.

Trees see an unlabelled row before they score it, and hidden rows are seen in the same way: with all
rows to learn from they are better than trees that leave some out. All other scorers are out of
sample: a row is scored by a regression on the other rows, by the labels of others, or by models of
the other folds. New rows are in no model's training set, so they are ranked among out-of-sample
scores.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut.data.repeats import possible_folds
from pucut.graphs.spaces import near_in
from pucut.graphs.walks import rows_met, to_meet_one
from pucut.judging.cross_fitting import cross_fit, mean_scores
from pucut.judging.folds import PUFolds
from pucut.judging.places import Place
from pucut.judging.spaces import IDENTITY, NewRows, SearchedSpace, Transform
from pucut.kernels.machines import Machine
from pucut.kernels.ridge import OF_MANY, Ridge, fit_kernel_ridge, fit_linear_ridge
from pucut.trees.feature_weights import weighted
from pucut.trees.forest import Forest, forest_importances, forest_scores
from pucut.trees.growing import ROWS_OF_A_TREE, TreeOptions

LINEAR = "linear"
# Trees leave out one of these folds each, for the scores that new rows are ranked among.
TREE_FOLDS = 5
# The shares of the trees wanted that predict, and that are grown in each fold of labels.
FINAL_TREES, TREES_OF_A_FOLD = 0.6, 0.2
# Folds of supplied learners.
LEARNER_FOLDS = 3
# The linear regression would be slow with more columns.
MOST_LINEAR_COLUMNS = 2000
# Neighbours in the graph of walks, and neighbours whose labels make a score.
WALK_NEIGHBORS, SCORE_NEIGHBORS = 10, 15


class Predictor:
    """The fitted model of a scorer, called with new rows.

    It reads the points that `transform` makes, and `n_neighbors` neighbours in `space`.
    """

    transform: Transform | None = None
    space: str | None = None
    n_neighbors: int = 0
    threads_may_share: bool = True  # parts of the rows

    def __call__(self, rows: NewRows) -> FloatArray:
        raise NotImplementedError  # each predictor scores in a way of its own


@dataclass(frozen=True, eq=False)
class FinalFit:
    """The result of learning from all labels.

    `scores` are those of the training rows, `reference` those by models that have not seen them.
    """

    scores: FloatArray
    reference: FloatArray
    predictor: Predictor

    def for_answers(self) -> "FinalFit":
        return FinalFit(np.empty(0), np.empty(0), self.predictor)


@dataclass(frozen=True, eq=False)
class Score:
    """The scores of a learner in each fold that hides labels, and its final fit.

    A `final` that is a function is called only if the score turns out to have weight.
    """

    name: str
    in_folds: Sequence[FloatArray]
    final: FinalFit | Callable[[], FinalFit]

    def fitted(self) -> FinalFit:
        return self.final if isinstance(self.final, FinalFit) else self.final()


@dataclass(frozen=True, eq=False)
class TreeScore:
    """A score of trees, the importances of the features in each fold, and the last PU forest."""

    score: Score
    importances: tuple[FloatArray, ...]
    forest: Forest | None = None


def score_of(name: str, scores: Sequence[FloatArray], predictor: Predictor) -> Score:
    """Return a score whose final fit is out of sample; the scores of that come last."""
    return Score(name, tuple(scores[:-1]), FinalFit(scores[-1], scores[-1], predictor))


@dataclass(frozen=True, eq=False)
class ForestPredictor(Predictor):
    forest: Forest
    n_threads: int
    transform: Transform = IDENTITY

    def __call__(self, rows: NewRows) -> FloatArray:
        columns = rows.columns(self.transform.key)
        return forest_scores(self.forest, columns, n_threads=self.n_threads).leaf


@dataclass(frozen=True, eq=False)
class RidgePredictor(Predictor):
    """A regression in a space with these weights of the features."""

    machine: Machine
    weights: FloatArray
    transform: Transform = IDENTITY

    @property
    def threads_may_share(self) -> bool:  # type: ignore[override]  # a device has one queue
        return self.machine.device in (None, "cpu")

    def __call__(self, rows: NewRows) -> FloatArray:
        points = rows.points[self.transform.key].astype(np.float64)
        return self.machine.scores(weighted(points, self.weights))


@dataclass(frozen=True, eq=False)
class NearPredictor(Predictor):
    """The mean of a target over the training rows nearest in a space, by similarity."""

    target: FloatArray
    space: str = ""
    n_neighbors: int = 0

    def __call__(self, rows: NewRows) -> FloatArray:
        return rows.near[self.space].nearest(self.n_neighbors).mean_of(self.target)


@dataclass(frozen=True, eq=False)
class LearnerPredictor(Predictor):
    """Supplied classifiers, which may not allow threads to share them."""

    models: tuple[Any, ...]
    threads_may_share = False

    def __call__(self, rows: NewRows) -> FloatArray:
        return mean_scores(self.models, rows.table)


def tree_kinds(n_features: int) -> dict[str, TreeOptions]:
    """Return four kinds of trees, from nearly random to nearly greedy; none is best everywhere."""
    # Many features would make the greedy ones slow.
    half = min(math.ceil(n_features / 2), math.ceil(2.5 * math.sqrt(n_features)))
    kind = partial(TreeOptions, max_rows=ROWS_OF_A_TREE)
    return {
        "trees, random cuts": kind(min_samples_leaf=5),
        "trees, better cuts": kind(min_samples_leaf=5, max_candidates=8),
        "trees, many features": kind(min_samples_leaf=5, max_candidates=8, max_features=half),
        "trees, large leaves": kind(min_samples_leaf=30, max_candidates=3),
    }


def pu_trees(
    name: str,
    options: TreeOptions,
    points: Place,
    folds: PUFolds,
    prior: float,
    *,
    transform: Transform,
    n_trees: int,
    random: np.random.RandomState,
    n_threads: int,
) -> TreeScore:
    """Score by the share of positives in the leaves of PU trees.

    Where one fold hides enough labels to judge, its importances serve the final fit too, so that
    both share what is made from them: its trees have four fifths of the labels, which are many.
    """

    def grow(codes: Any, n_trees: int, random: Any) -> Forest:
        growing = {"n_trees": n_trees, "random_state": random, "is_negative": codes == 0}
        return points.forest(codes == 1, prior, options, **growing)

    def learn_from_all(random: Any) -> tuple[Forest, FinalFit]:
        n_left_out = possible_folds(TREE_FOLDS, folds.groups, folds.is_labelled)
        if n_left_out < 2:  # one labelled row cannot be left out, nor one other
            forest = grow(folds.codes, n_trees, random)
            scores = unseen = points.leaf_scores(forest)
        else:
            found = points.cross_fitted_forest(
                folds.is_labelled,
                prior,
                options,
                n_folds=n_left_out,
                n_trees=math.ceil(FINAL_TREES * n_trees / n_left_out),
                groups=folds.groups,
                random_state=random,
                is_negative=folds.is_negative,
            )
            forest, scores, unseen = found.forest, found.by_all.leaf, found.scores.leaf
        return forest, FinalFit(scores, unseen, ForestPredictor(forest, n_threads, transform))

    forests, in_folds = [], []
    for codes in folds.labels[:-1]:
        forests.append(grow(codes, math.ceil(TREES_OF_A_FOLD * n_trees), random))
        in_folds.append(points.leaf_scores(forests[-1]))
    if len(forests) == 1:
        seed = int(random.randint(np.iinfo(np.int32).max))
        score = Score(name, in_folds, lambda: learn_from_all(seed)[1])
        return TreeScore(score, (forest_importances(forests[0]),) * 2, forests[0])
    forest, final = learn_from_all(random)
    importances = tuple(forest_importances(each) for each in (*forests, forest))
    return TreeScore(Score(name, in_folds, final), importances, forest)


def linear_score(
    name: str, points: Place, transform: Transform, folds: PUFolds, device: str | None = None
) -> Score:
    """Score by a linear regression of the labels, out of sample."""
    ridge = fit_linear_ridge(points.rows, folds.targets, folds.groups, device)
    predictor = RidgePredictor(ridge.machine, np.ones(points.shape[1]), transform)
    return score_of(name, tuple(ridge.left_out), predictor)


def kernel_name(space: str) -> str:
    return f"kernel, {space}"


def kernel_score(
    space: SearchedSpace, folds: PUFolds, seed: int, device: str | None = None, n_threads: int = 1
) -> Score:
    """Score by a kernel regression of the labels, out of sample.

    One regression serves all folds, unless the space depends on the labels.
    """
    random = np.random.RandomState(seed)

    def fit(of_fold: Any, targets: Any) -> Ridge:
        points, groups = of_fold.weighted_points, folds.groups
        return fit_kernel_ridge(points, targets, random, groups, device, n_threads, OF_MANY)

    scores: list[FloatArray] = []
    if space.depends_on_labels:
        for of_fold, target in zip(space.folds, folds.targets, strict=True):
            ridge = fit(of_fold, target[None, :])
            scores.append(ridge.left_out[0])
    else:
        ridge = fit(space.final, folds.targets)
        scores = list(ridge.left_out)
    predictor = RidgePredictor(ridge.machine, space.final.weights, space.transform)
    return score_of(kernel_name(space.name), scores, predictor)


def neighbor_name(space: str) -> str:
    return f"neighbours, {space}"


def neighbor_score(space: SearchedSpace, folds: PUFolds) -> Score:
    """Score by the share of a row's similarity to its neighbours that goes to labelled ones.

    The share that goes to known negatives is subtracted, by their weight. The label of a row itself
    has no part, so that its score is out of sample.
    """
    targets = folds.targets.astype(np.float64)
    shares = [
        near_in(of_fold, of_fold.lists).mean_of(target)
        for of_fold, target in zip(space.folds, targets, strict=True)
    ]
    predictor = NearPredictor(targets[-1], space.name, space.final.lists.n_neighbors)
    return score_of(neighbor_name(space.name), shares, predictor)


def walk_name(space: str) -> str:
    return f"walks, {space}"


def walk_score(space: SearchedSpace, folds: PUFolds) -> Score:
    """Score by the labelled rows that a random walk from a row meets, less known negatives.

    An unlabelled row adds nothing to its own score, which is therefore out of sample. A walk from a
    new row starts at its neighbours.
    """
    n_neighbors = min(WALK_NEIGHBORS, space.final.lists.n_neighbors)
    met: list[FloatArray] = []
    for graph, codes, target in zip(
        space.graphs(n_neighbors), folds.labels, folds.targets, strict=True
    ):
        goes_on = to_meet_one(int((codes == 1).sum()) / folds.n_positive)
        met.append(rows_met(graph, target, goes_on))
    predictor = NearPredictor(goes_on * met[-1], space.name, n_neighbors)
    return score_of(walk_name(space.name), met, predictor)


def learner_score(
    name: str, classifier: Any, table: Any, folds: PUFolds, random: np.random.RandomState
) -> Score:
    """Score by a classifier of labelled against unlabelled rows, out of sample in every fold."""
    fit = partial(cross_fit, n_folds=LEARNER_FOLDS, random_state=random, groups=folds.groups)
    fits = [fit(classifier, table, codes == 1) for codes in folds.labels]
    return score_of(name, [fit.scores for fit in fits], LearnerPredictor(fits[-1].models))
