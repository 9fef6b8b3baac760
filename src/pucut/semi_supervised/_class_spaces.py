"""The spaces in which rows of several classes may be near each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut.data.coded_categories import (
    COLUMNS_AS_CATEGORIES,
    CodedCategories,
    coded_categories,
)
from pucut.data.encoding import Encoding
from pucut.graphs.spaces import WeightedSpace, common_scale, varying_columns, weighted_space
from pucut.trees.feature_weights import (
    checked_feature_weights,
    weighted,
    weights_of_importances,
)

ALIKE, COMMON, CATEGORIES = "all features alike", "common scale", COLUMNS_AS_CATEGORIES
BY_TREES, GIVEN = "importance to trees", "given weights"
# From this many rows on, neighbours of dense rows are approximate: 99 % of them are enough. The
# importance to trees is a candidate below it only: its neighbours differ in every world.
APPROXIMATE_FROM = 10_000


@dataclass(frozen=True, eq=False)
class ClassSpace:
    """A way to measure distances: weights of the features in each world, the complete one last.

    With `categories`, columns that they code are indicators of their values, all alike.
    """

    name: str
    weights: tuple[FloatArray, ...]
    categories: CodedCategories | None = None

    def of(self, points: Any) -> Any:
        """The points of rows, not weighted."""
        return points if self.categories is None else self.categories.of(points)

    def weighted(self, placed: Any, world: int = -1) -> Any:
        """Of points that `of` returned."""
        return placed if self.categories is not None else weighted(placed, self.weights[world])


def class_spaces(
    feature_weights: Any,
    encoding: Encoding,
    points: Any,
    importances: Sequence[FloatArray],
) -> list[ClassSpace]:
    """Those that the parameter selects; `importances` are those of trees in each world."""
    n_worlds, n_features = len(importances), points.shape[1]
    ones = np.ones(n_features)
    alike = ClassSpace(ALIKE, (ones,) * n_worlds)
    if feature_weights is None:
        return [alike]
    if not isinstance(feature_weights, str):
        given = checked_feature_weights(feature_weights, n_features, ("auto", "trees"))
        return [ClassSpace(GIVEN, (given,) * n_worlds)]
    by_trees = ClassSpace(BY_TREES, tuple(map(weights_of_importances, importances)))
    if feature_weights == "trees":
        return [by_trees]
    found = [alike]
    has_categories = any(known is not None for known in encoding.format.categories)
    scale = None if has_categories else common_scale(encoding.scale, varying_columns(points))
    if scale is not None:
        found.append(ClassSpace(COMMON, (scale,) * n_worlds))
    if points.shape[0] < APPROXIMATE_FROM:
        found.append(by_trees)
    coded = coded_categories(points)
    if coded is not None:
        found.append(ClassSpace(CATEGORIES, (ones,) * n_worlds, coded))
    return found


def neighbors_in_worlds(
    space: ClassSpace,
    placed: Any,
    n_neighbors: int,
    seed: int,
    *,
    device: str | None = None,
    **search: Any,
) -> list[WeightedSpace]:
    """The neighbours in each world, found once for all that weigh the features alike."""
    is_large = placed.shape[0] >= APPROXIMATE_FROM and isinstance(placed, np.ndarray)
    found: list[WeightedSpace] = []
    for world, weights in enumerate(space.weights):
        if world and weights is space.weights[world - 1]:
            found.append(found[-1])
            continue
        in_space = np.ones(placed.shape[1]) if space.categories is not None else weights
        found.append(
            weighted_space(
                space.name,
                placed,
                in_space,
                min(n_neighbors, placed.shape[0] - 1),
                method="approximate" if is_large and device is None else "auto",
                random_state=seed,
                device=device,
                **search,
            )
        )
    return found
