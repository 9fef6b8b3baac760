"""Spaces of neighbours: how the points of a space are made, and its neighbours in each fold.

A space whose weights or points come from labels is made again in each fold. Otherwise a labelled
row would lie close to a hidden one because of the label that is hidden.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from pucut._support.checks import FloatArray, is_sparse
from pucut.data.coded_categories import COLUMNS_AS_CATEGORIES, CodedCategories
from pucut.data.tables import Table, TableFormat, read_table
from pucut.graphs.spaces import NearRows, WeightedSpace, near_in
from pucut.judging.cross_fitting import with_random_state
from pucut.judging.folds import PUFolds
from pucut.judging.places import Place
from pucut.kernels.gradients import mapped
from pucut.trees.feature_weights import weights_of_importances


class Transform(Protocol):
    """The points of a space, made from a table and from its encoded points."""

    @property
    def key(self) -> str | None:
        """The name under which `NewRows` has these points; None for the encoded points."""

    def of(self, table: Any, points: Any) -> Any:
        """Return the points of new rows."""

    def place(self, points: Place) -> Place:
        """Return the points of the rows of `fit`, where these lie."""


@dataclass(frozen=True, eq=False)
class Identity:
    """The encoded points themselves."""

    key: ClassVar[None] = None

    def of(self, table: Any, points: Any) -> Any:
        return points

    def place(self, points: Place) -> Place:
        return points


@dataclass(frozen=True, eq=False)
class GradientMap:
    """The points times a matrix, which turns them into the directions of gradients."""

    matrix: FloatArray
    key: ClassVar[str] = "gradient space"

    def of(self, table: Any, points: Any) -> Any:
        return mapped(points, self.matrix)

    def place(self, points: Place) -> Place:
        return points.turned(self.matrix)


@dataclass(frozen=True, eq=False)
class AsCategories:
    """Indicators in the place of columns that may be codes."""

    categories: CodedCategories
    key: ClassVar[str] = COLUMNS_AS_CATEGORIES

    def of(self, table: Any, points: Any) -> Any:
        return self.categories.of(points)

    def place(self, points: Place) -> Place:
        return points.coded(self.categories)


@dataclass(frozen=True, eq=False)
class Embedding:
    """A fitted transformer, and the shift and scale that make its points comparable.

    Their mean is moved to 0 and all are divided by one number, so that the variance is 1 on
    average: widths of kernels are made for that. Distances keep their proportions. Sparse points
    are not moved.
    """

    key: str
    transformer: Any
    centre: FloatArray
    scale: float

    def of(self, table: Any, points: Any) -> Any:
        found = _transformed(self.transformer, table)
        return found / self.scale if is_sparse(found) else (found - self.centre) / self.scale

    def place(self, points: Place) -> Place:
        raise TypeError("an embedding needs the table: see `embedded_space`")


IDENTITY = Identity()


@dataclass(frozen=True, eq=False)
class Space:
    """A way to measure distances, whose neighbours have not been searched for.

    It has weights of the features for each fold and for the final fit, and the usual number of
    neighbours in its graph.
    """

    name: str
    weights: tuple[FloatArray, ...]
    n_neighbors: int = 0
    transform: Transform = IDENTITY

    def searched(
        self,
        points: Place | Sequence[Place],
        ks: Sequence[int],
        least_listed: int = 1,
        **search: Any,
    ) -> "SearchedSpace":
        """Find neighbours, once for folds that share points and weights.

        `points` are those of the space, of all folds or of each; `ks` are the numbers of neighbours
        of its graphs. At least `least_listed` neighbours are found.
        """
        places = points if isinstance(points, Sequence) else [points] * len(self.weights)
        spaces: list[WeightedSpace] = []
        for k, (place, weights) in enumerate(zip(places, self.weights, strict=True)):
            if k and place is places[k - 1] and weights is self.weights[k - 1]:
                spaces.append(spaces[-1])
                continue
            listed = min(max(least_listed, *ks), place.shape[0] - 1)
            spaces.append(place.space(self.name, weights, listed, **search))
        return SearchedSpace(tuple(spaces), tuple(ks), self.transform)


@dataclass(frozen=True, eq=False)
class SearchedSpace:
    """A space with its neighbours in each fold, and last those of the final fit."""

    folds: tuple[WeightedSpace, ...]
    n_neighbors: tuple[int, ...]
    transform: Transform = IDENTITY

    @property
    def name(self) -> str:
        return self.final.name

    @property
    def final(self) -> WeightedSpace:
        return self.folds[-1]

    @property
    def depends_on_labels(self) -> bool:
        return any(space is not self.final for space in self.folds)

    def graphs(self, n_neighbors: int) -> tuple[Any, ...]:
        """Return the graph of each fold; folds that share their neighbours share it."""
        made = {space: space.graph(n_neighbors) for space in dict.fromkeys(self.folds)}
        return tuple(made[space] for space in self.folds)

    def final_only(self, final: WeightedSpace | None = None) -> "SearchedSpace":
        """Drop the folds that hide labels, which predictions do not need."""
        return replace(self, folds=(final or self.final,))


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows to score: the table as supplied, points by the key of a transform, not weighted, and
    neighbours by the name of a space.
    """

    table: Any
    points: Mapping[str | None, Any]
    near: Mapping[str, NearRows]
    _tables: dict[str | None, Table] = field(default_factory=dict, repr=False)

    @property
    def n_rows(self) -> int:
        return int(next(iter(self.points.values())).shape[0])

    def columns(self, key: str | None) -> Table:
        """Return the points of a transform as trees read them."""
        if key not in self._tables:
            points = self.points[key]
            self._tables[key] = read_table(points, TableFormat((None,) * points.shape[1]))
        return self._tables[key]

    def in_parts(self, n_parts: int) -> list["NewRows"]:
        """Return the rows in parts of about equal size, without the table."""
        edges = np.linspace(0, self.n_rows, n_parts + 1).astype(int).tolist()
        return [
            NewRows(
                None,
                {name: points[rows] for name, points in self.points.items()},
                {name: near.part(rows) for name, near in self.near.items()},
            )
            for rows in (slice(start, stop) for start, stop in pairwise(edges))
        ]


def near_rows(space: WeightedSpace, points: Any, n_neighbors: int | None = None) -> NearRows:
    """Return the rows of a space that are nearest to new points, which are not weighted."""
    return near_in(space, space.near(points, n_neighbors))


def importance_weights(
    importances: Sequence[FloatArray], *, squared: bool = False
) -> tuple[FloatArray, ...]:
    """Return the weights of the features in each fold; folds that share importances share them."""
    made: dict[int, FloatArray] = {}
    for each in importances:
        made.setdefault(id(each), weights_of_importances(each, squared=squared))
    return tuple(made[id(each)] for each in importances)


def embedded_space(
    name: str,
    transformer: Any,
    table: Any,
    place: Place,
    folds: PUFolds,
    random: np.random.RandomState,
    n_neighbors: int,
) -> tuple[Space, list[Place]]:
    """Return the space that a transformer makes, and its points in each fold.

    A transformer that needs labels is fitted in every fold, to the labels of that fold; others are
    fitted once.
    """
    places: list[Place] = []
    targets = [labels == 1 for labels in folds.labels] if needs_labels(transformer) else [None]
    for labels in targets:
        y = () if labels is None else (labels.astype(np.intp),)
        fitted = with_random_state(clone(transformer), random).fit(table, *y)
        embedding = embedding_of(f"embedding, {name}", fitted, table)
        places.append(place.here(embedding.of(table, None)))
    if len(places) == 1:
        places *= len(folds.labels)
    ones = np.ones(places[-1].shape[1])
    return Space(name, (ones,) * len(places), n_neighbors, embedding), places


def needs_labels(embedding: Any) -> bool:
    """Tell whether a transformer, or a part of it such as a step of a pipeline, needs y."""
    parts = [embedding, *embedding.get_params(deep=True).values()]
    return any(
        part.__sklearn_tags__().target_tags.required
        for part in parts
        if hasattr(part, "__sklearn_tags__") and not isinstance(part, type)
    )


def embedding_of(key: str, transformer: Any, table: Any) -> Embedding:
    """Return the embedding of a transformer that was fitted to the rows of this table."""
    points = _transformed(transformer, table)
    n_rows, n_features = points.shape
    if is_sparse(points):
        centre, mean = np.zeros(n_features), np.asarray(points.sum(axis=0)).ravel() / n_rows
        total = float(points.multiply(points).sum()) / n_rows - float(mean @ mean)
    else:
        centre, total = points.mean(axis=0), float(points.var(axis=0).sum())
    return Embedding(key, transformer, centre, math.sqrt(total / n_features) or 1.0)


def _transformed(transformer: Any, table: Any) -> Any:
    """Return the output of an embedding, as an array or CSR matrix of finite numbers."""
    found = transformer.transform(table)
    if is_sparse(found):
        points = found.tocsr().astype(np.float64)
    else:
        points = np.ascontiguousarray(found, dtype=np.float64)
    n_rows = _num_samples(table)
    values = points.data if is_sparse(points) else points
    if points.ndim != 2 or points.shape[0] != n_rows or not np.isfinite(values).all():
        raise ValueError(
            f"embeddings must transform {n_rows} rows to an array of as many rows of finite "
            f"numbers, {type(transformer).__name__} returned an array of shape {points.shape}"
            + ("" if np.isfinite(values).all() else " with values that are not finite")
        )
    return points
