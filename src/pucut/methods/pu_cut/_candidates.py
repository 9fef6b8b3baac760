"""The scorers and spaces of the chooser, and how the columns are encoded for them.

Nothing in numbers such as 1, 2 and 3 says whether their order means something. Where a table may
hold codes (`pucut.data.coded_categories`), learners and spaces are therefore made of both
encodings, columns as they are and columns as categories. The second takes part if it recovers
clearly more hidden rows: on most tables its learners are as good as those of the first or a little
worse, and would only weaken the mixture.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut._support.threads import library_threads
from pucut.data.coded_categories import COLUMNS_AS_CATEGORIES, CodedCategories
from pucut.graphs.spaces import common_scale
from pucut.judging.folds import PUFolds
from pucut.judging.places import Place
from pucut.judging.scorers import (
    LINEAR,
    SCORE_NEIGHBORS,
    Score,
    TreeScore,
    kernel_name,
    pu_trees,
    tree_kinds,
    walk_name,
)
from pucut.judging.spaces import (
    IDENTITY,
    AsCategories,
    GradientMap,
    SearchedSpace,
    Space,
    Transform,
    embedded_space,
    importance_weights,
)
from pucut.judging.weights import Candidate, is_ahead, left_out
from pucut.kernels.gradients import directions_of_change
from pucut.methods.plan import Plan
from pucut.methods.pu_cut._preselection import preselect
from pucut.trees.feature_weights import checked_feature_weights

# The number of neighbours in the graph of an embedding.
EMBEDDING_NEIGHBORS = 10
# With more rows and columns as categories, the neighbours by importance, which differ in every
# fold, would take longer than everything else.
_FEW_CODED_ROWS = 10_000
# Standard errors of the paired difference by which the second encoding has to be ahead, and the
# judges it needs: a single one, or copies of it, have no standard error.
_CLEARLY_MORE, _FEWEST_JUDGES = 1.0, 2


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
    device: str | None
    n_threads: int

    @property
    def search(self) -> dict[str, Any]:
        return {"sigma": self.sigma, "method": self.neighbors}


@dataclass(frozen=True, eq=False)
class Task:
    """The rows of `fit`, the folds of their labels, and how they are learned.

    `table` is the table as supplied, for learners and embeddings; `points` are its rows, encoded
    and divided by `scale`. Where `has_categories`, some columns had no scale. `categories` are the
    columns that may be codes, if they are tried as categories too.
    """

    table: Any
    points: Place
    scale: FloatArray
    has_categories: bool
    categories: CodedCategories | None
    folds: PUFolds
    prior: float
    options: Options
    plan: Plan


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """An encoding of the rows, with the random stream of what learns from it.

    The second encoding starts from the same state as the first, so adding it does not change the
    results of the first.
    """

    points: Place
    transform: Transform
    random: np.random.RandomState

    @property
    def is_plain(self) -> bool:
        return self.transform is IDENTITY

    def name(self, plain: str) -> str:
        """Return the name of a learner or space that is called `plain` in the first encoding."""
        return plain if self.is_plain else name_as_categories(plain)

    def trees(self, task: Task) -> list[TreeScore]:
        return [
            pu_trees(
                self.name(name),
                kind,
                self.points,
                task.folds,
                task.prior,
                transform=self.transform,
                n_trees=task.options.n_trees,
                random=self.random,
                n_threads=task.options.n_threads,
            )
            for name, kind in tree_kinds(self.points.shape[1]).items()
        ]


def name_as_categories(plain: str) -> str:
    return f"{plain}, {COLUMNS_AS_CATEGORIES}"


def encodings_of(task: Task, random: np.random.RandomState) -> list[EncodedRows]:
    """Return the rows as they are and, if codes can be judged, as categories."""
    found = [EncodedRows(task.points, IDENTITY, random)]
    n_judges = int(task.folds.is_positive_judge.sum())
    if task.categories is not None and n_judges >= _FEWEST_JUDGES:
        transform = AsCategories(task.categories)
        found.append(EncodedRows(transform.place(task.points), transform, deepcopy(random)))
    return found


def why_left_out(
    plain: Sequence[Score], coded: Sequence[Score], folds: PUFolds
) -> Candidate | None:
    """Return why the second encoding is left out; None if its best score is clearly ahead."""
    best, best_coded = (
        max((folds.recovered(score.in_folds) for score in scores), key=np.mean)
        for scores in (plain, coded)
    )
    if is_ahead(best_coded, best, _CLEARLY_MORE):
        return None
    why = "its best score does not find clearly more than that of the columns as they are"
    return left_out(COLUMNS_AS_CATEGORIES, best_coded, folds.is_positive_judge, why)


# --- Spaces


@dataclass(frozen=True, eq=False)
class Making:
    """The ingredients of a space: the task, an encoding of its rows, importances by fold."""

    task: Task
    encoded: EncodedRows
    importances: tuple[FloatArray, ...]

    def alike(self, weights: FloatArray, transform: Transform | None = None) -> Space:
        """Return a space with these weights in every fold."""
        of_folds = (weights,) * len(self.task.folds.labels)
        return Space("", of_folds, 0, transform or self.encoded.transform)


@dataclass(frozen=True)
class SpaceKind:
    """A kind of space: its name, the number of neighbours of its graph, and how it is made.

    `make` returns None if a table has no such space. `feature_weights` is the value of that
    parameter that selects this space alone. Where `from_labels`, each fold has weights of its own.
    """

    name: str
    n_neighbors: int
    make: Callable[[Making], Space | None]
    feature_weights: Any = "auto"
    from_labels: bool = False
    needs_gradients: bool = False


def _by_importance(made: Making, *, squared: bool = False) -> Space:
    weights = importance_weights(made.importances, squared=squared)
    return Space("", weights, 0, made.encoded.transform)


def _all_alike(made: Making) -> Space:
    return made.alike(np.ones(made.encoded.points.shape[1]))


def _on_common_scale(made: Making) -> Space | None:
    if made.task.has_categories:
        return None
    scale = common_scale(made.task.scale, made.task.points.varying_columns())
    return None if scale is None else made.alike(scale)


def _along_gradients(made: Making) -> Space | None:
    """Learn the space once, without the hidden labels, so that the folds share its search."""
    points, folds, random = made.encoded.points, made.task.folds, made.encoded.random
    if points.is_sparse:
        return None
    with library_threads(1):
        matrix = directions_of_change(
            points.rows, folds.targets[0], random, folds.groups, made.task.options.device
        )
    return made.alike(np.ones(len(matrix)), GradientMap(matrix))


_squares = partial(_by_importance, squared=True)
SPACES = (
    SpaceKind("importance squared", 5, _squares, "pu_trees_squared", from_labels=True),
    SpaceKind("all features alike", 10, _all_alike, None),
    SpaceKind("common scale", 10, _on_common_scale),
    SpaceKind("directions of change", 10, _along_gradients, needs_gradients=True),
)
# The space of the importances themselves is tried only if it is selected.
_IMPORTANCE = SpaceKind("importance", 5, _by_importance, "pu_trees", from_labels=True)


def spaces_for(feature_weights: Any, *, has_gradients: bool = True) -> Sequence[SpaceKind]:
    """Return the spaces that the parameter selects, or one with given weights."""
    if isinstance(feature_weights, str) and feature_weights == "auto":
        return [kind for kind in SPACES if has_gradients or not kind.needs_gradients]
    if feature_weights is None or isinstance(feature_weights, str):
        kinds = (*SPACES, _IMPORTANCE)
        return [kind for kind in kinds if kind.feature_weights == feature_weights]

    def given(made: Making) -> Space:
        return made.alike(checked_feature_weights(feature_weights, made.encoded.points.shape[1]))

    return [SpaceKind("given weights", SPACES[0].n_neighbors, given)]


def spaces_of_codes(n_rows: int) -> Sequence[SpaceKind]:
    """Return the spaces of columns as categories, which have no scale."""
    return [kind for kind in SPACES[:2] if n_rows < _FEW_CODED_ROWS or not kind.from_labels]


def tries_categories(feature_weights: Any) -> bool:
    """Tell whether columns that may be codes are tried as categories: not if weights are chosen."""
    return isinstance(feature_weights, str) and feature_weights == "auto"


def names_of_spaces(feature_weights: Any) -> list[str]:
    """Return the names of all spaces that there may be."""
    names = [kind.name for kind in spaces_for(feature_weights)]
    if tries_categories(feature_weights):
        names += [name_as_categories(kind.name) for kind in SPACES[:2]]
    return names


def names_of_scores(spaces: Iterable[str], *, has_codes: bool = False) -> list[str]:
    """Return the names of all own learners, given the spaces there may be."""
    in_spaces = [name for space in spaces for name in (kernel_name(space), walk_name(space))]
    by_columns = [*tree_kinds(1), LINEAR]
    return [*by_columns, *(map(name_as_categories, by_columns) if has_codes else ()), *in_spaces]


@dataclass(frozen=True, eq=False)
class FoundSpaces:
    """The searched spaces, the candidates left out, and the first space, searched or not."""

    spaces: tuple[SearchedSpace, ...]
    left_out: tuple[Candidate, ...]
    first: Space


def find_spaces(task: Task, encoded: EncodedRows, trees: TreeScore) -> FoundSpaces:
    """Make the spaces of an encoding and search them; embeddings belong to the first encoding."""
    points, folds, options, random = task.points, task.folds, task.options, encoded.random
    n_rows, made = points.shape[0], Making(task, encoded, trees.importances)
    kinds = spaces_of_codes(n_rows)
    if encoded.is_plain:
        kinds = spaces_for(options.feature_weights, has_gradients=task.plan.has_gradients)
    possible = [
        replace(space, name=encoded.name(kind.name), n_neighbors=kind.n_neighbors)
        for kind in kinds
        if (space := kind.make(made)) is not None
    ]
    dropped: tuple[Candidate, ...] = ()
    kept = possible
    if task.plan.is_large and folds.n_folds and len(possible) > 1:
        kept, dropped = preselect(possible, points, folds, random, options.search)

    def search(space: Space, at: Place | list[Place]) -> SearchedSpace:
        ks = sorted({min(k, n_rows - 1) for k in options.n_neighbors or (space.n_neighbors,)})
        seed = random.randint(np.iinfo(np.int32).max)
        return space.searched(at, ks, SCORE_NEIGHBORS, random_state=seed, **options.search)

    found = []
    for space in kept:
        is_encoded = space.transform is encoded.transform
        found.append(search(space, encoded.points if is_encoded else space.transform.place(points)))
    for name, transformer in options.embeddings.items() if encoded.is_plain else ():
        space, at = embedded_space(
            name, transformer, task.table, points, folds, random, EMBEDDING_NEIGHBORS
        )
        found.append(search(space, at))
    return FoundSpaces(tuple(found), dropped, possible[0])
