"""Which spaces there are for a table, in every world, and their neighbours."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from pucut._support.checks import FloatArray
from pucut._support.threads import library_threads
from pucut.data.coded_categories import CodedCategories
from pucut.graphs.spaces import common_scale
from pucut.judging.cross_fitting import with_random_state
from pucut.judging.places import Place
from pucut.kernels.gradients import directions_of_change
from pucut.methods.pu_cut._given import needs_labels
from pucut.methods.pu_cut._mixing import Candidate
from pucut.methods.pu_cut._near_scores import SCORE_NEIGHBORS, walk_name
from pucut.methods.pu_cut._scores import LINEAR, TreeScore, kernel_name, tree_kinds
from pucut.methods.pu_cut._screening import screen_spaces
from pucut.methods.pu_cut._spaces import (
    Embedding,
    PossibleSpace,
    SpaceOfWorlds,
    embedding_of,
    space_of_worlds,
)
from pucut.methods.pu_cut._views import View, name_as_categories
from pucut.methods.pu_cut._worlds import Worlds
from pucut.trees.feature_weights import (
    FOREST_WEIGHTS,
    checked_feature_weights,
    weights_of_importances,
)

# How features are weighted, its name, and the number of neighbours of its graph.
SPACES = (
    ("pu_trees_squared", "importance squared", 5),
    (None, "all features alike", 10),
    ("common_scale", "common scale", 10),
    ("directions", "directions of change", 10),
)
# Those of columns as categories, which have no scale. The first differs in every world, and with so
# many rows and columns its neighbours would take longer than everything else.
_OF_CODES, _FEW_ENOUGH = SPACES[:2], 10_000
# Directions are learned from at least so many labels for each column, and for at most so many
# columns: from fewer labels they are noise, and for more columns they cost more than they gain.
LABELS_A_DIRECTION, MOST_DIRECTIONS = 10, 100
# Those of the graph of an embedding.
EMBEDDING_NEIGHBORS = 10
# Tried only if it is asked for.
_IMPORTANCE = ("pu_trees", "importance", 5)


@dataclass(frozen=True, eq=False)
class Input:
    """What the chooser sees.

    Attributes
    ----------
    table : table as given to `fit`
        For learners and embeddings that users give.
    points : Place
        Its rows, encoded and standardised, wherever they lie.
    scale : float array of shape (n_features,)
        The standard deviations that the points were divided by.
    has_categories : bool
        Whether some columns were categories, which have no scale.
    categories : CodedCategories or None
        The columns that may be codes, if they are tried as categories too.
    left_out : tuple of Candidate
        What was decided not to be tried.
    """

    table: Any
    points: Place
    scale: FloatArray
    has_categories: bool
    categories: CodedCategories | None = None
    left_out: tuple[Candidate, ...] = ()


@dataclass(frozen=True, eq=False)
class Options:
    """The parameters of `PUCutClassifier` that choose what is tried, and where.

    `device` is a GPU that was found, or None.
    """

    feature_weights: Any
    n_neighbors: Sequence[int] | None
    sigma: float | None
    neighbors: Any
    n_trees: int
    learners: Mapping[str, Any]
    embeddings: Mapping[str, Any]
    device: str | None = None


@dataclass(frozen=True, eq=False)
class FoundSpaces:
    """Those with neighbours, what is said of others, and the weights of features in the first."""

    spaces: tuple[SpaceOfWorlds, ...]
    left_out: tuple[Candidate, ...]
    feature_weights: FloatArray
    weights_of: str


def find_spaces(
    rows: Input,
    view: View,
    worlds: Worlds,
    trees: TreeScore,
    options: Options,
    random: np.random.RandomState,
    search: Mapping[str, Any],
) -> FoundSpaces:
    """Those of a view, with embeddings if it is that of the table as it is.

    `trees` have learned from its points.
    """
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

    def possible_space(kind: Any, name: str, usual: int) -> PossibleSpace | None:
        device = options.device
        name = view.name(name)
        return _possible_space(kind, name, usual, rows, view, worlds, trees, random, device)

    is_plain = view.categories is None
    possible = [
        space
        for kind, name, usual in (
            spaces_for(options.feature_weights) if is_plain else spaces_of_codes(n_rows)
        )
        if (space := possible_space(kind, name, usual)) is not None
    ]
    screened = screen_spaces(possible, view.points, worlds, random, search)
    for space, is_tried in zip(possible, screened.is_tried, strict=True):
        if is_tried:
            points = [space.points_from(view.points)] * n_worlds
            made_by = {"turned": space.turned, "categories": view.categories}
            find(space.name, points, space.weights, space.usual, **made_by)
    for name, transformer in options.embeddings.items() if is_plain else ():
        embedded, embedding = _embedded(transformer, rows, worlds, random)
        ones = np.ones(embedded[-1].shape[1])
        find(name, embedded, [ones] * n_worlds, EMBEDDING_NEIGHBORS, embedding=embedding)
    first = possible[0]
    return FoundSpaces(tuple(found), screened.left_out, first.weights[-1], first.name)


def _possible_space(
    kind: Any,
    name: str,
    usual: int,
    rows: Input,
    view: View,
    worlds: Worlds,
    trees: TreeScore,
    random: np.random.RandomState,
    device: str | None,
) -> PossibleSpace | None:
    """None if there is no such space for the table."""
    n_worlds = len(worlds.labels)
    turned = None
    if is_turned(kind):
        turned = _turned(view.points, worlds, random, device)
        weights = None if turned is None else [np.ones(len(turned))] * n_worlds
    else:
        weights = _weights_of_worlds(kind, rows, view.points.shape[1], trees, n_worlds)
    return None if weights is None else PossibleSpace(name, usual, weights, turned)


def _turned(
    points: Place, worlds: Worlds, random: np.random.RandomState, device: str | None = None
) -> FloatArray | None:
    """What turns points into the directions along which the labels change; None without them.

    Learned once, without the labels that are hidden, so that both worlds share a search, a graph
    and a kernel.
    """
    n_labelled, n_worlds = int(worlds.is_labelled.sum()), worlds.n_hidden_worlds
    if points.is_sparse or not have_directions(points.shape[1], n_labelled, n_worlds):
        return None
    with library_threads(1):
        target, groups = worlds.targets[0], worlds.groups
        return directions_of_change(points.rows, target, random, groups, device)


def have_directions(n_columns: int, n_labelled: int, n_hidden_worlds: int) -> bool:
    """Whether that space is made: if a single world hides labels."""
    enough = LABELS_A_DIRECTION * n_columns
    return 2 <= n_columns <= MOST_DIRECTIONS and n_labelled >= enough and n_hidden_worlds == 1


def _weights_of_worlds(
    kind: Any, rows: Input, n_features: int, trees: TreeScore, n_worlds: int
) -> list[FloatArray] | None:
    """Weights of the features in each world; None if there is no such space for the table."""
    if isinstance(kind, str) and kind == "common_scale":
        if rows.has_categories:
            return None
        scale = common_scale(rows.scale, rows.points.varying_columns())
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
    transformer: Any, rows: Input, worlds: Worlds, random: np.random.RandomState
) -> tuple[list[Place], Embedding]:
    """The points of each world, and the embedding of the last.

    A transformer that needs labels is fitted in every world, to the labels of that world; others
    once.
    """
    n_worlds, table, here = len(worlds.labels), rows.table, rows.points.here
    if not needs_labels(transformer):
        fitted = with_random_state(clone(transformer), random).fit(table)
        embedding = embedding_of(fitted, table)
        return [here(embedding.points_of(table))] * n_worlds, embedding
    points: list[Place] = []
    for labels in worlds.labels:
        fitted = with_random_state(clone(transformer), random).fit(table, labels.astype(np.intp))
        embedding = embedding_of(fitted, table)
        points.append(here(embedding.points_of(table)))
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


def spaces_of_codes(n_rows: int) -> Sequence[tuple[Any, str, int]]:
    """Of columns as categories."""
    return [space for space in _OF_CODES if n_rows < _FEW_ENOUGH or not is_from_trees(space[0])]


def tries_categories(feature_weights: Any) -> bool:
    """Whether columns that may be codes are tried as categories: not if weights are chosen."""
    return isinstance(feature_weights, str) and feature_weights == "auto"


def names_of_spaces(feature_weights: Any) -> list[str]:
    """Of all that may be there."""
    names = [name for _, name, _ in spaces_for(feature_weights)]
    if tries_categories(feature_weights):
        names += [name_as_categories(name) for _, name, _ in _OF_CODES]
    return names


def names_of_scores(spaces: Iterable[str], *, has_codes: bool = False) -> list[str]:
    """Of all learners of its own, if there are these spaces, and columns that may be codes."""
    in_spaces = [name for space in spaces for name in (kernel_name(space), walk_name(space))]
    by_columns = [*tree_kinds(1), LINEAR]
    return [*by_columns, *(map(name_as_categories, by_columns) if has_codes else ()), *in_spaces]
