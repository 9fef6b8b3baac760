"""The space of the points of 2-HNC if these lie in partitions on the workers.

It answers what `pucut.methods.two_hnc.spaces.PointSpace` answers, with the same bits if neighbours
are exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.inductive import nearness, neighbors_similarity, share_of_similarity
from pucut.dask.engine import computed, delayed
from pucut.dask.partitions import Partitions, take_rows
from pucut.dask.search import Found, distances_to_nearest, found_in_turn, partition_indices
from pucut.dask.standardising import encoded_part
from pucut.data.encoding import Encoding
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.similarity import Gaussian
from pucut.trees.feature_weights import weighted

Similarity = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class PartitionedSpace:
    """Points on the workers; the lists of their neighbours here."""

    encoding: Encoding
    weights: FloatArray
    points: Partitions
    lists: NeighborLists
    kernel: Gaussian

    @property
    def recall(self) -> float:
        return self.lists.recall

    def for_answers(self) -> "PartitionedSpace":
        return self

    def graph(self, n_neighbors: int) -> sp.csr_array:
        lists = self.lists.nearest(n_neighbors)
        return self.kernel.graph(lists)

    def remoteness(self, is_lost: BoolArray, is_labelled: BoolArray) -> FloatArray | None:
        take = delayed(take_rows)
        queries = [
            take(part, np.flatnonzero(mask))
            for part, mask in zip(self.points.parts, self.points.split(is_lost), strict=True)
            if mask.any()
        ]
        found = np.zeros(len(is_lost))
        found[is_lost] = np.concatenate(
            computed(distances_to_nearest(self.points, is_labelled, queries))
        )
        return found

    def similarity(self, X: Any, n_neighbors: int, is_positive: BoolArray) -> Similarity:
        found: Similarity = computed([self._similarity(X, n_neighbors, is_positive)])[0]
        return found

    def distances(self, X: Any, is_positive: BoolArray) -> tuple[FloatArray, FloatArray]:
        to_positive, to_negative = computed(self._distances(X, is_positive))
        return to_positive, to_negative

    def distance_of(self, similarity: FloatArray) -> FloatArray:
        return self.kernel.distances(similarity)

    def scores(
        self, inductive: str, n_neighbors: int, is_positive: BoolArray
    ) -> Callable[[Any], Any]:
        """From a task of new rows to the task of their scores, by one of the paper's rules."""
        if inductive == "nearest":
            return lambda part: delayed(nearness)(*self._distances(part, is_positive))
        share = delayed(share_of)
        return lambda part: share(self._similarity(part, n_neighbors, is_positive))

    def _similarity(self, part: Any, n_neighbors: int, is_positive: BoolArray) -> Any:
        found = found_in_turn(self._encoded(part), self._indices, n_neighbors)
        return delayed(similarity_of)(
            found, np.packbits(is_positive), len(is_positive), self.kernel
        )

    def _distances(self, part: Any, is_positive: BoolArray) -> list[Any]:
        queries = [self._encoded(part)]
        return [
            *distances_to_nearest(self.points, is_positive, queries),
            *distances_to_nearest(self.points, ~is_positive, queries),
        ]

    def _encoded(self, part: Any) -> Any:
        return delayed(weighted_part)(part, self._shared_encoding, self.weights)

    @cached_property
    def _shared_encoding(self) -> Any:
        return delayed(self.encoding)

    @cached_property
    def _indices(self) -> tuple[Any, ...]:
        """Built when the first unseen rows are asked about."""
        return partition_indices(self.points, self.lists.n_neighbors, "auto", 0)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "the points of this model are on the Dask workers and cannot be pickled; call its "
            "method gather() first, which brings them into this process"
        )


def weighted_part(part: Any, encoding: Encoding, weights: FloatArray) -> Any:
    """New rows as points of the space."""
    return weighted(encoded_part(part, encoding), weights, in_place=True)


def similarity_of(
    found: Found, packed: npt.NDArray[np.uint8], n_rows: int, kernel: Gaussian
) -> Similarity:
    is_positive = np.unpackbits(packed, count=n_rows).view(np.bool_)
    return neighbors_similarity(
        found.rows, kernel.similarities(found.squared_distances), is_positive
    )


def share_of(similarity: Similarity) -> FloatArray:
    return share_of_similarity(*similarity)
