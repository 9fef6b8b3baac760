"""The learning of `HNCClassifier`: scores and a graph in every fold of labels, for the cuts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray, is_sparse
from pucut._support.threads import in_threads, library_threads
from pucut.data.coded_categories import COLUMNS_AS_CATEGORIES
from pucut.data.encoding import Encoding
from pucut.graphs.spaces import common_scale
from pucut.judging.class_scorers import class_regression, class_trees, class_walks, logistic_score
from pucut.judging.folds import LabelFolds
from pucut.judging.mixing import ProbabilityMixture, mix_probabilities
from pucut.judging.places import PointsHere
from pucut.judging.scorers import LINEAR, Score, kernel_name
from pucut.judging.spaces import (
    IDENTITY,
    AsCategories,
    SearchedSpace,
    Space,
    Transform,
    importance_weights,
)
from pucut.trees.feature_weights import checked_feature_weights

ALIKE, COMMON, CATEGORIES = "all features alike", "common scale", COLUMNS_AS_CATEGORIES
BY_TREES, GIVEN = "importance to trees", "given weights"
# From this many rows on, neighbours of dense rows are approximate: 99 % of them are enough. The
# importance to trees is a candidate below it only, since its neighbours differ in every fold.
APPROXIMATE_FROM = 10_000


@dataclass(frozen=True, eq=False)
class LearningOptions:
    """The parameters of `HNCClassifier` that say what is learned."""

    has_scores: bool
    feature_weights: Any
    n_neighbors: int
    sigma: float | None
    n_trees: int


@dataclass(frozen=True, eq=False)
class Learned:
    """The results of learning; without a mixture everything is left to the graph.

    `pulls` are the scores of the rows, from -1 to 1, in each fold and in the final fit, and
    `graphs` are those of the neighbours in the space.
    """

    mixture: ProbabilityMixture | None
    score_weights: dict[str, float] | None
    pulls: tuple[FloatArray, ...]
    space: SearchedSpace
    graphs: tuple[Any, ...]


def learn_classes(
    encoding: Encoding,
    place: PointsHere,
    folds: LabelFolds,
    options: LearningOptions,
    random: np.random.RandomState,
) -> Learned:
    """Learn scores, and find the graph of neighbours in the space whose kernel is best."""
    points, n_threads, weights = place.points, place.n_threads, options.feature_weights
    scores: list[Score] = []
    importances: Sequence[FloatArray] = [np.empty(0)] * len(folds.labels)
    if options.has_scores or isinstance(weights, str):
        trees = class_trees(points, folds, options.n_trees, random, n_threads)
        scores, importances = [trees.score], trees.importances
    spaces = class_spaces(weights, encoding, place, importances)
    if options.has_scores or len(spaces) > 1:
        scores += _regressions(place, spaces, folds, random)
    logistic = logistic_score(points, folds) if options.has_scores else None
    scores += [] if logistic is None else [logistic]
    space = _search(best_space(scores, spaces, folds), place, options, random)
    graphs = space.graphs(space.n_neighbors[0])
    if not options.has_scores:
        nothing = np.zeros((place.shape[0], folds.n_classes))
        return Learned(None, None, (nothing,) * len(folds.labels), space, graphs)
    mixed = mix_probabilities([*scores, class_walks(space, graphs, folds, n_threads)], folds)
    pulls = tuple(2.0 * found - 1.0 for found in mixed.in_folds)
    return Learned(mixed.mixture, mixed.weights, pulls, space, graphs)


def class_spaces(
    feature_weights: Any, encoding: Encoding, place: PointsHere, importances: Sequence[FloatArray]
) -> list[Space]:
    """Return the spaces that the parameter selects; `importances` are those of trees by fold."""
    n_rows, n_features = place.shape

    def alike(name: str, weights: FloatArray, transform: Transform = IDENTITY) -> Space:
        return Space(name, (weights,) * len(importances), transform=transform)

    if feature_weights is None:
        return [alike(ALIKE, np.ones(n_features))]
    if not isinstance(feature_weights, str):
        given = checked_feature_weights(feature_weights, n_features, ("auto", "trees"))
        return [alike(GIVEN, given)]
    by_trees = Space(BY_TREES, importance_weights(importances))
    if feature_weights == "trees":
        return [by_trees]
    found = [alike(ALIKE, np.ones(n_features))]
    scale = None
    if not encoding.format.has_categories:
        scale = common_scale(encoding.scale, place.varying_columns())
    if scale is not None:
        found.append(alike(COMMON, scale))
    if n_rows < APPROXIMATE_FROM:
        found.append(by_trees)
    coded = place.categories()
    if coded is not None:
        found.append(alike(CATEGORIES, np.ones(coded.n_columns), AsCategories(coded)))
    return found


def best_space(scores: Sequence[Score], spaces: Sequence[Space], folds: LabelFolds) -> Space:
    """Return the space whose kernel is best on hidden labels; without any, the first."""
    if len(spaces) == 1 or not folds.n_folds:
        return spaces[0]
    by_name = {score.name: score for score in scores}
    kernels = [by_name[kernel_name(space.name)] for space in spaces]
    losses = np.array([folds.losses(kernel.in_folds) for kernel in kernels])
    return spaces[int(np.argmin(losses.mean(axis=1)))]


def _search(
    space: Space, place: PointsHere, options: LearningOptions, random: np.random.RandomState
) -> SearchedSpace:
    is_large = place.shape[0] >= APPROXIMATE_FROM and not is_sparse(place.points)
    return space.searched(
        space.transform.place(place),
        (min(options.n_neighbors, place.shape[0] - 1),),
        sigma=options.sigma,
        method="approximate" if is_large and place.device is None else "auto",
        random_state=random.randint(np.iinfo(np.int32).max),
    )


def _regressions(
    place: PointsHere, spaces: Sequence[Space], folds: LabelFolds, random: np.random.RandomState
) -> list[Score]:
    """Return a kernel regression in each space, and linear ones of columns in both encodings."""
    seed, device = random.randint(np.iinfo(np.int32).max), place.device
    plain = Space(LINEAR, (np.ones(place.shape[1]),) * len(folds.labels))
    jobs = [(LINEAR, plain, place.points, True)]
    for space in spaces:
        points = space.transform.of(None, place.points)
        jobs.append((kernel_name(space.name), space, points, False))
        if space.name == CATEGORIES:
            jobs.append((f"{LINEAR}, {space.name}", space, points, True))

    def regress(job: tuple[str, Space, Any, bool]) -> Score:
        name, space, points, is_linear = job
        return class_regression(
            name, space, points, folds, seed, is_linear=is_linear, device=device
        )

    with library_threads(1):
        # A GPU does one after the other, with its whole memory.
        return in_threads(regress, jobs, place.n_threads if device is None else 1)
