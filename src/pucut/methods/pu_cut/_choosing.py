"""The chooser from points to a mixture: worlds, scores, spaces, cuts, and the weights of all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from pucut._support.checks import FloatArray, is_sparse
from pucut._support.threads import in_threads, library_threads
from pucut.data.labels import PULabels
from pucut.data.repeats import groups_for_folds
from pucut.graphs.spaces import WeightedSpace, common_scale
from pucut.kernels.gradients import directions_of_change
from pucut.methods.pu_cut._cuts import ChosenCuts, ScoreCut, choose_cuts
from pucut.methods.pu_cut._given import needs_labels
from pucut.methods.pu_cut._mixed_score import mix_scores
from pucut.methods.pu_cut._mixing import Candidate
from pucut.methods.pu_cut._scores import (
    LINEAR,
    MOST_LINEAR_COLUMNS,
    BaseScore,
    NewRows,
    TreeScore,
    UnfinishedScore,
    kernel_name,
    kernel_score,
    learner_score,
    linear_score,
    near_in,
    neighbor_name,
    neighbor_score,
    tree_kinds,
    tree_score,
)
from pucut.methods.pu_cut._screening import screen_spaces
from pucut.methods.pu_cut._spaces import (
    Embedding,
    PossibleSpace,
    SpaceOfWorlds,
    embedding_of,
    space_of_worlds,
)
from pucut.methods.pu_cut._worlds import Worlds, hidden_worlds, n_hidden_worlds
from pucut.scores.cross_fitting import with_random_state
from pucut.trees.feature_weights import (
    FOREST_WEIGHTS,
    checked_feature_weights,
    weights_of_importances,
)
from pucut.trees.forest import Forest

# How features are weighted, its name, and the number of neighbours of its graph.
SPACES = (
    ("pu_trees_squared", "importance squared", 5),
    (None, "all features alike", 10),
    ("common_scale", "common scale", 10),
    ("directions", "directions of change", 10),
)
# Directions are learned where there are this many labels for each column, and no more columns than
# that; with fewer labels they are noise, with more columns they cost more than they gain.
LABELS_A_DIRECTION, MOST_DIRECTIONS = 10, 100
# Those of the graph of an embedding.
EMBEDDING_NEIGHBORS = 10
# Neighbours whose labels make a score.
SCORE_NEIGHBORS = 15
# Tried only if it is asked for.
_IMPORTANCE = ("pu_trees", "importance", 5)

Step = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Cuts and scores with their weights, the spaces they lie in, and the trees for features.

    `feature_weights` are those of the space of the name `weights_of`, the first one, whether it was
    worth its neighbours or not.
    """

    chosen: ChosenCuts
    spaces_of_worlds: tuple[SpaceOfWorlds, ...]
    forest: Forest | None  # None where only answers are wanted
    feature_weights: FloatArray
    weights_of: str

    def scores(self, table: Any, points: Any) -> FloatArray:
        """Scores of new rows, given as a table and as points."""
        points_in = {one.name: one.points_of(table, points) for one in self.spaces_of_worlds}
        near = {
            one.name: near_in(one.final, one.final.near(points_in[one.name]))
            for one in self.spaces_of_worlds
        }
        return self.chosen.of(NewRows(table, points, points_in, near))

    def for_answers(self) -> "Mixture":
        """Without what is known of the training rows and is not asked for to score new ones."""
        spaces = tuple(one.for_answers() for one in self.spaces_of_worlds)
        by_name = {one.name: one.final for one in spaces}
        chosen = self.chosen.for_answers(by_name)
        return replace(self, chosen=chosen, spaces_of_worlds=spaces, forest=None)

    @property
    def spaces(self) -> tuple[WeightedSpace, ...]:
        """The spaces in which it answers."""
        return tuple(one.final for one in self.spaces_of_worlds)

    @property
    def cuts(self) -> tuple[ScoreCut, ...]:
        """The cuts that have weight."""
        return self.chosen.cuts

    @property
    def cut_weights(self) -> FloatArray:
        """The weight of each of them; the rest belongs to the mixed score by itself."""
        return self.chosen.weights[1:]


@dataclass(frozen=True, eq=False)
class Input:
    """What the chooser sees.

    Attributes
    ----------
    table : table as given to `fit`
        For learners and embeddings that users give.
    points : array or CSR matrix
        Its rows, encoded and standardised.
    scale : float array of shape (n_features,)
        The standard deviations that the points were divided by.
    has_categories : bool
        Whether some columns were categories, which have no scale.
    """

    table: Any
    points: Any
    scale: FloatArray
    has_categories: bool


@dataclass(frozen=True, eq=False)
class Options:
    """The parameters of `PUCutClassifier` that choose what is tried."""

    feature_weights: Any
    n_neighbors: Sequence[int] | None
    sigma: float | None
    neighbors: Any
    n_trees: int
    learners: Mapping[str, Any]
    embeddings: Mapping[str, Any]


def find_mixture(
    rows: Input,
    labels: PULabels,
    prior: float,
    options: Options,
    *,
    random_state: Any,
    n_threads: int,
    step: Step,
    most_bytes: int | None = None,
) -> Mixture:
    """Learns scores, finds neighbours, cuts and judges.

    For `most_bytes` see `nearest_neighbors`.
    """
    random = check_random_state(random_state)
    points = rows.points
    n_rows, n_features = points.shape
    least, most = labels.n_labelled + 1, n_rows - labels.n_negative
    groups = groups_for_folds(points, labels.is_labelled)
    worlds = hidden_worlds(
        labels.is_labelled,
        min(max(round(prior * n_rows), least), most),
        random,
        groups,
        labels.is_negative,
    )
    with step("trees"):
        trees = [
            tree_score(
                name,
                kind,
                points,
                worlds,
                prior,
                n_trees=options.n_trees,
                random=random,
                n_threads=n_threads,
            )
            for name, kind in tree_kinds(n_features).items()
        ]
    with step("neighbours"):
        search = {
            "sigma": options.sigma,
            "method": options.neighbors,
            "n_threads": n_threads,
            "most_bytes": most_bytes,
        }
        found = _find_spaces(rows, worlds, trees[0], options, random, search)
        spaces = found.spaces
    parts: list[BaseScore | UnfinishedScore] = [each.score for each in trees]
    parts += [neighbor_score(space, worlds) for space in spaces]
    with step("kernels"), library_threads(1):
        # One thread each: threads of linear algebra wait for each other more than they work.
        seeds = random.randint(np.iinfo(np.int32).max, size=len(spaces))
        jobs: list[Callable[[], BaseScore]] = [
            partial(kernel_score, space, worlds, int(seed))
            for space, seed in zip(spaces, seeds, strict=True)
        ]
        if not is_sparse(points) and n_features <= MOST_LINEAR_COLUMNS:
            jobs.append(partial(linear_score, points, worlds))
        parts += in_threads(lambda job: job(), jobs, n_threads)
        parts += [
            learner_score(name, learner, rows.table, worlds, random)
            for name, learner in options.learners.items()
        ]
    with step("trees"):
        # Those that have weight learn from all labels.
        mixed = mix_scores(parts, worlds)
    with step("cuts"):
        chosen = choose_cuts(mixed, spaces, worlds, n_threads=n_threads)
    # What has judged is not needed any more.
    chosen = replace(
        chosen,
        mixed=chosen.mixed.for_answers(),
        candidates=(*found.left_out, *chosen.candidates),
    )
    alone = tuple(space.without_worlds() for space in spaces)
    return Mixture(chosen, alone, trees[0].forest, found.feature_weights, found.weights_of)


@dataclass(frozen=True, eq=False)
class _Spaces:
    """Those with neighbours, what is said of others, and the weights of features in the first."""

    spaces: tuple[SpaceOfWorlds, ...]
    left_out: tuple[Candidate, ...]
    feature_weights: FloatArray
    weights_of: str


def _find_spaces(
    rows: Input,
    worlds: Worlds,
    trees: TreeScore,
    options: Options,
    random: np.random.RandomState,
    search: Mapping[str, Any],
) -> _Spaces:
    n_rows, n_worlds = rows.points.shape[0], len(worlds.labels)
    found: list[SpaceOfWorlds] = []

    def find(name: str, points: Any, weights: Any, usual: int, **made_by: Any) -> None:
        ks = sorted({min(k, n_rows - 1) for k in options.n_neighbors or (usual,)})
        seed = random.randint(np.iinfo(np.int32).max)
        found.append(
            space_of_worlds(
                name,
                points,
                weights,
                ks,
                SCORE_NEIGHBORS,
                random_state=seed,
                **made_by,
                **search,
            )
        )

    possible = [
        space
        for kind, name, usual in spaces_for(options.feature_weights)
        if (space := _possible_space(kind, name, usual, rows, worlds, trees, random)) is not None
    ]
    screened = screen_spaces(possible, rows.points, worlds, SCORE_NEIGHBORS, random, search)
    for space, is_tried in zip(possible, screened.is_tried, strict=True):
        if is_tried:
            points = [space.points_from(rows.points)] * n_worlds
            find(space.name, points, space.weights, space.usual, turned=space.turned)
    for name, transformer in options.embeddings.items():
        embedded, embedding = _embedded(transformer, rows.table, worlds, random)
        ones = np.ones(embedded[-1].shape[1])
        find(name, embedded, [ones] * n_worlds, EMBEDDING_NEIGHBORS, embedding=embedding)
    first = possible[0]
    return _Spaces(tuple(found), screened.left_out, first.weights[-1], first.name)


def _possible_space(
    kind: Any,
    name: str,
    usual: int,
    rows: Input,
    worlds: Worlds,
    trees: TreeScore,
    random: np.random.RandomState,
) -> PossibleSpace | None:
    """None if there is no such space for the table."""
    n_worlds = len(worlds.labels)
    turned = None
    if is_turned(kind):
        turned = _turned(rows.points, worlds, random)
        weights = None if turned is None else [np.ones(len(turned))] * n_worlds
    else:
        weights = _weights_of_worlds(kind, rows, trees, n_worlds)
    return None if weights is None else PossibleSpace(name, usual, weights, turned)


def _turned(points: Any, worlds: Worlds, random: np.random.RandomState) -> FloatArray | None:
    """What turns points into the directions along which the labels change; None without them.

    Learned once, without the labels that are hidden, so that both worlds share a search, a graph
    and a kernel.
    """
    n_labelled = int(worlds.is_labelled.sum())
    if is_sparse(points) or not have_directions(points.shape[1], n_labelled):
        return None
    with library_threads(1):
        return directions_of_change(points, worlds.targets[0], random, worlds.groups)


def have_directions(n_columns: int, n_labelled: int | None) -> bool:
    """Whether that space is made: if one world is enough to judge; None stands for many labels."""
    if not 2 <= n_columns <= MOST_DIRECTIONS:
        return False
    return n_labelled is None or (
        n_hidden_worlds(n_labelled) == 1 and n_labelled >= LABELS_A_DIRECTION * n_columns
    )


def _weights_of_worlds(
    kind: Any, rows: Input, trees: TreeScore, n_worlds: int
) -> list[FloatArray] | None:
    """Weights of the features in each world; None if there is no such space for the table."""
    n_features = rows.points.shape[1]
    if isinstance(kind, str) and kind == "common_scale":
        scale = None if rows.has_categories else common_scale(rows.scale, rows.points)
        return None if scale is None else [scale] * n_worlds
    if is_from_trees(kind):
        is_squared = kind == "pu_trees_squared"
        made: dict[int, FloatArray] = {}  # worlds that share importances share a space
        for each in trees.importances:
            made.setdefault(id(each), weights_of_importances(each, squared=is_squared))
        return [made[id(each)] for each in trees.importances]
    fixed = np.ones(n_features) if kind is None else checked_feature_weights(kind, n_features)
    return [fixed] * n_worlds


def _embedded(
    transformer: Any, table: Any, worlds: Worlds, random: np.random.RandomState
) -> tuple[list[Any], Embedding]:
    """The points of each world, and the embedding of the last.

    A transformer that needs labels is fitted in every world, to the labels of that world; others
    once.
    """
    n_worlds = len(worlds.labels)
    if not needs_labels(transformer):
        fitted = with_random_state(clone(transformer), random).fit(table)
        embedding = embedding_of(fitted, table)
        return [embedding.points_of(table)] * n_worlds, embedding
    points = []
    for labels in worlds.labels:
        fitted = with_random_state(clone(transformer), random).fit(table, labels.astype(np.intp))
        embedding = embedding_of(fitted, table)
        points.append(embedding.points_of(table))
    return points, embedding


def spaces_for(feature_weights: Any) -> Sequence[tuple[Any, str, int]]:
    """Those of `SPACES` that the parameter selects, or one with given weights."""
    if isinstance(feature_weights, str) and feature_weights == "auto":
        return SPACES
    if feature_weights is None or isinstance(feature_weights, str):
        return [space for space in (*SPACES, _IMPORTANCE) if space[0] == feature_weights]
    return [(feature_weights, "given weights", SPACES[0][2])]


def is_from_trees(kind: Any) -> bool:
    """Whether weights of this kind come from trees, and so from labels."""
    return isinstance(kind, str) and kind in FOREST_WEIGHTS


def is_turned(kind: Any) -> bool:
    """Whether the points of such a space are those of the table, turned."""
    return isinstance(kind, str) and kind == "directions"


def names_of_spaces(feature_weights: Any) -> list[str]:
    return [name for _, name, _ in spaces_for(feature_weights)]


def names_of_scores(spaces: Iterable[str]) -> list[str]:
    """Of all learners of its own, if there are these spaces."""
    in_spaces = [name for space in spaces for name in (kernel_name(space), neighbor_name(space))]
    return [*tree_kinds(1), LINEAR, *in_spaces]
