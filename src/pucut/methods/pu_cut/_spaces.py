"""The spaces in which neighbours are found, in every world.

A space whose weights or points come from labels is made again in each world that hides some:
otherwise labelled rows would lie close to hidden ones because of the label that is hidden.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray, is_sparse
from pucut.graphs.spaces import WeightedSpace, weighted_space

# A table has a common scale if its columns are alike enough: as many of them as this share of all,
# and at least so many, would have the same variance in sum and in squares; and not so alike that
# it makes no difference.
_LEAST_ALIKE, _LEAST_COLUMNS, _MOST_ALIKE = 0.1, 5.0, 0.9


@dataclass(frozen=True, eq=False)
class SpaceOfWorlds:
    """A space in each world, the complete one last; `embedding` makes the points of its rows.

    Without an embedding they are those of the table.
    """

    spaces: tuple[WeightedSpace, ...]
    n_neighbors: tuple[int, ...]
    embedding: Any = None

    @property
    def name(self) -> str:
        return self.spaces[-1].name

    @property
    def final(self) -> WeightedSpace:
        return self.spaces[-1]

    @property
    def knows_labels(self) -> bool:
        return any(space is not self.final for space in self.spaces)

    def for_answers(self) -> "SpaceOfWorlds":
        """Without the worlds that hide labels: they have judged, and are not needed any more."""
        return replace(self, spaces=(self.final,))

    def points_of(self, table: Any, points: Any) -> Any:
        """Points of new rows, without the weights."""
        return points if self.embedding is None else as_points(self.embedding.transform(table))


def space_of_worlds(
    name: str,
    points_of_worlds: Sequence[Any],
    weights_of_worlds: Sequence[FloatArray],
    ks: Sequence[int],
    least_listed: int,
    *,
    embedding: Any = None,
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
        spaces.append(
            weighted_space(name, points, weights, min(max(least_listed, *ks), most), **search)
        )
    return SpaceOfWorlds(tuple(spaces), tuple(ks), embedding)


def common_scale(scale: FloatArray, points: Any) -> FloatArray | None:
    """Weights that undo the standardisation; None if the columns have no scale in common.

    Parameters
    ----------
    scale : float array of shape (n_features,)
        The standard deviations that columns were divided by.
    points : array or CSR matrix
        Tells which columns are constant: their scale means nothing.
    """
    varies = np.diff(points.tocsc().indptr) > 0 if is_sparse(points) else np.ptp(points, axis=0) > 0
    variance = np.where(varies, np.square(scale), 0.0)
    n_columns = int(np.count_nonzero(variance))
    if n_columns == 0:
        return None
    alike = float(variance.sum() ** 2 / np.square(variance).sum())
    if alike < max(_LEAST_ALIKE * n_columns, _LEAST_COLUMNS) or alike > _MOST_ALIKE * n_columns:
        return None
    return np.asarray(variance * (len(variance) / variance.sum()))


def as_points(embedded: Any) -> Any:
    """What an embedding returned, as an array or CSR matrix of numbers."""
    if is_sparse(embedded):
        return embedded.tocsr()
    return np.ascontiguousarray(embedded, dtype=np.float64)
