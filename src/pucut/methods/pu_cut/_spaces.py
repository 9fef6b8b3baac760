"""The spaces in which neighbours are found, in every world.

A space whose weights or points come from labels is made again in each world that hides some:
otherwise labelled rows would lie close to hidden ones because of the label that is hidden.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from pucut._support.checks import FloatArray, is_sparse
from pucut.data.coded_categories import CodedCategories
from pucut.graphs.spaces import WeightedSpace
from pucut.judging.places import Place
from pucut.kernels.gradients import mapped


@dataclass(frozen=True, eq=False)
class PossibleSpace:
    """A space whose neighbours have not been found yet.

    `usual` is the number of neighbours of its graph, `weights` are those of the columns in each
    world, and `turned` is a matrix that makes its points from those of the table.
    """

    name: str
    usual: int
    weights: Sequence[FloatArray]
    turned: FloatArray | None

    def points_from(self, points: Place) -> Place:
        return points if self.turned is None else points.turned(self.turned)


@dataclass(frozen=True, eq=False)
class SpaceOfWorlds:
    """A space in each world, the complete one last.

    The points of its rows are made by `embedding` from the table, or by the matrix `turned` or
    `categories` from the points of the table; without any they are those.
    """

    spaces: tuple[WeightedSpace, ...]
    n_neighbors: tuple[int, ...]
    embedding: "Embedding | None" = None
    turned: FloatArray | None = None
    categories: CodedCategories | None = None

    @property
    def name(self) -> str:
        return self.spaces[-1].name

    @property
    def final(self) -> WeightedSpace:
        return self.spaces[-1]

    @property
    def knows_labels(self) -> bool:
        return any(space is not self.final for space in self.spaces)

    def without_worlds(self) -> "SpaceOfWorlds":
        """Without the worlds that hide labels: they have judged, and are not needed any more."""
        return replace(self, spaces=(self.final,))

    def points_of(self, table: Any, points: Any) -> Any:
        """Points of new rows, without the weights."""
        if self.turned is not None:
            return mapped(points, self.turned)
        if self.categories is not None:
            return self.categories.of(points)
        return points if self.embedding is None else self.embedding.points_of(table)


def space_of_worlds(
    name: str,
    points_of_worlds: Sequence[Place],
    weights_of_worlds: Sequence[FloatArray],
    ks: Sequence[int],
    least_listed: int,
    *,
    embedding: "Embedding | None" = None,
    turned: FloatArray | None = None,
    categories: CodedCategories | None = None,
    **search: Any,
) -> SpaceOfWorlds:
    """Finds neighbours, once for worlds that share points and weights.

    `ks` are the numbers of neighbours of its graphs; at least `least_listed` are found.
    """
    spaces: list[WeightedSpace] = []
    for place, (points, weights) in enumerate(
        zip(points_of_worlds, weights_of_worlds, strict=True)
    ):
        is_shared = place > 0 and (
            points is points_of_worlds[place - 1] and weights is weights_of_worlds[place - 1]
        )
        if is_shared:
            spaces.append(spaces[-1])
            continue
        most = points.shape[0] - 1
        spaces.append(points.space(name, weights, min(max(least_listed, *ks), most), **search))
    return SpaceOfWorlds(tuple(spaces), tuple(ks), embedding, turned, categories)


@dataclass(frozen=True, eq=False)
class Embedding:
    """A fitted transformer, and what makes its points comparable with standardised columns.

    Their mean is moved to 0 and all are divided by one number, so that the variance is 1 on
    average: widths of kernels are made for that. Distances keep their proportions. Sparse points
    are not moved.
    """

    transformer: Any
    centre: FloatArray
    scale: float

    def points_of(self, table: Any) -> Any:
        points = _transformed(self.transformer, table)
        return points / self.scale if is_sparse(points) else (points - self.centre) / self.scale


def embedding_of(transformer: Any, table: Any) -> Embedding:
    """For a transformer that was fitted to the rows of this table."""
    points = _transformed(transformer, table)
    n_rows, n_features = points.shape
    centre = np.zeros(n_features) if is_sparse(points) else points.mean(axis=0)
    if is_sparse(points):
        mean = np.asarray(points.sum(axis=0)).ravel() / n_rows
        total = float(points.multiply(points).sum()) / n_rows - float(mean @ mean)
    else:
        total = float(points.var(axis=0).sum())
    return Embedding(transformer, centre, math.sqrt(total / n_features) or 1.0)


def _transformed(transformer: Any, table: Any) -> Any:
    """What an embedding returned, as an array or CSR matrix of numbers."""
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
