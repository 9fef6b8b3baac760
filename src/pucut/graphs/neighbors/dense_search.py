"""The exact nearest rows of dense tables, by blocks of matrix products on all threads.

The method is described in native/neighbors/nearest_rows.hpp. The points in single precision take
(features + 2) * 4 bytes per row in addition to the points themselves; if they would exceed a given
limit, they are made again at each visit.

Many points are divided among boxes: they are halved at the median along one of a few directions,
again and again. These are roughly the directions along which they vary most: boxes bound distances
from below for any orthonormal directions. If a table varies along few directions, as after
weighting its columns, most boxes are too far from a query to be searched; if it varies along many,
none is.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.linalg.cython_blas

from pucut import _core
from pucut._support.checks import FloatArray
from pucut._support.threads import in_blocks, library_threads
from pucut.graphs.neighbors.equal_rows import Indices, RowNumbers

# Directions of boxes: more of them cost time and save none, in 20 features as in 784.
_DIRECTIONS, _STEPS, _ROWS_FOR_DIRECTIONS, _ROWS_FOR_WIDTH = 4, 4, 512, 256
# Fewer boxes save less time than it takes to make them.
_ROWS_OF_A_BOX, _FEWEST_BOXES, _MOST_BOXES = 256, 16, 512
# Columns between two checks for an interruption.
_COLUMNS_IN_A_RANGE = 1 << 13
_ENTRIES_AT_ONCE = 1 << 20
_FEATURES_AT_ONCE = 64
_QUERIES_AT_ONCE = 1 << 17
_NO_BOXES = {name: np.empty(0) for name in ("directions", "low", "high")}

_PRODUCTS = {name: scipy.linalg.cython_blas.__pyx_capi__[name] for name in ("sgemm", "dgemm")}


class DenseSearcher:
    """The search among `points`; columns are the points as they are, or reordered.

    `most_bytes` limits what is held of them in single precision; None is no limit.
    """

    recall = 1.0

    def __init__(self, points: Any, n_threads: int, most_bytes: int | None = None) -> None:
        self.points = np.ascontiguousarray(points)
        self._n_threads = n_threads
        self._most_bytes = most_bytes
        self._center = self._means()
        largest = self._largest_norm()
        # A power of two, which changes no digit.
        self._scale = float(2.0 ** -np.ceil(np.log2(largest))) if largest > 0 else 1.0
        self._order: RowNumbers = np.arange(len(points), dtype=np.int32)
        self._range_ends = np.append(
            np.arange(_COLUMNS_IN_A_RANGE, len(points), _COLUMNS_IN_A_RANGE), len(points)
        )
        self._boxes = _NO_BOXES
        self._rounded: dict[str, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_rounded": None}

    def reordered(self, order: RowNumbers, range_ends: npt.NDArray[Any]) -> "DenseSearcher":
        """Return the points as columns in this order, in ranges that can be visited by number."""
        other = DenseSearcher.__new__(DenseSearcher)
        other.__dict__ |= self.__getstate__()
        other._order, other._range_ends = order, range_ends.astype(np.int64)
        other._boxes = _NO_BOXES
        return other

    def in_boxes(self) -> "DenseSearcher":
        """Return the same points as columns in boxes: a box too far from a query is not visited."""
        n_points, n_features = self.points.shape
        n_boxes = min(n_points // _ROWS_OF_A_BOX, _MOST_BOXES)
        if n_features == 0 or n_boxes < _FEWEST_BOXES:
            return self
        step = max(1, n_points // _ROWS_FOR_DIRECTIONS)
        directions = main_directions(self.scaled(self.points[::step]))

        def project(block: slice) -> Any:
            return self.scaled(self.points[block]) @ directions.T

        places = np.concatenate(in_blocks(project, self._row_blocks(), self._n_threads))
        parts = _halves(places, np.arange(n_points), n_boxes)
        order = np.concatenate(parts).astype(np.int32)
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        starts, places = np.append(0, ends[:-1]), places[order]
        other = self.reordered(order, ends)
        other._boxes = {
            "directions": directions.reshape(-1),
            "low": np.minimum.reduceat(places, starts, axis=0).T.reshape(-1),
            "high": np.maximum.reduceat(places, starts, axis=0).T.reshape(-1),
        }
        return other

    def scaled(self, rows: npt.NDArray[Any]) -> FloatArray:
        """Return rows moved to the origin and scaled to at most unit norm."""
        scaled: FloatArray = (rows - self._center) * self._scale
        return scaled

    def nearest(
        self,
        rows: Any,
        k: int,
        numbers: RowNumbers | None = None,
        visited: RowNumbers | None = None,
    ) -> tuple[RowNumbers, FloatArray]:
        """Return the k nearest points of rows, and squared distances.

        `numbers` selects some of the rows. `visited` has the ranges of columns that each query
        visits, nearest first; they have to hold k points. Without it all are visited.
        """
        if numbers is None and rows is self.points:
            return self._nearest_of_points(k)
        if numbers is None:
            numbers = np.arange(len(rows), dtype=np.int32)
        if not len(numbers):
            return np.empty((0, k), dtype=np.int32), np.empty((0, k))
        columns = {
            "points": self.points,
            "order": self._order,
            "center": self._center,
            "scale": self._scale,
            "range_ends": self._range_ends,
            **self._boxes,
        }
        if self._rounded is None:
            self._rounded = self._points_in_single_precision(columns)
        nothing = np.empty(0, dtype=np.int32)
        queries = {
            "rows": np.ascontiguousarray(rows),
            "numbers": numbers,
            "visited": nothing if visited is None else visited.reshape(-1),
        }
        with library_threads(1, "blas"):
            found = _core.nearest_rows(
                columns | self._rounded, queries, _PRODUCTS, k, self._n_threads
            )
        shape = (len(numbers), k)
        return found["indices"].reshape(shape), found["squared_distances"].reshape(shape)

    def _nearest_of_points(self, k: int) -> tuple[RowNumbers, FloatArray]:
        """Search in the order of the columns, so that successive queries visit the same ones."""
        indices = np.empty((len(self.points), k), dtype=np.int32)
        distances = np.empty((len(self.points), k))
        for start in range(0, len(self.points), _QUERIES_AT_ONCE):
            some = self._order[start : start + _QUERIES_AT_ONCE]
            indices[some], distances[some] = self.nearest(self.points, k, some)
        return indices, distances

    def _points_in_single_precision(self, columns: dict[str, Any]) -> dict[str, Any]:
        n_points, n_features = self.points.shape
        n_bytes = n_points * (n_features + 2) * 4
        if self._most_bytes is not None and n_bytes > self._most_bytes:
            return {name: np.empty(0, dtype=np.float32) for name in ("matrix", "gaps")}
        return _core.round_points(columns, self._n_threads)

    def _means(self) -> FloatArray:
        def of_some(first: int) -> Any:
            some = self.points[:, first : first + _FEATURES_AT_ONCE]
            return some.mean(axis=0, dtype=np.float64)

        starts = range(0, self.points.shape[1], _FEATURES_AT_ONCE)
        return np.concatenate([np.empty(0), *in_blocks(of_some, starts, self._n_threads)])

    def _largest_norm(self) -> float:
        def largest(block: slice) -> Any:
            centered = self.points[block] - self._center
            return np.einsum("ij,ij->i", centered, centered).max(initial=0.0)

        found = in_blocks(largest, self._row_blocks(), self._n_threads)
        return float(np.max(found, initial=0.0) ** 0.5)

    def _row_blocks(self) -> list[slice]:
        n_points, n_features = self.points.shape
        step = max(1, _ENTRIES_AT_ONCE // max(1, n_features))
        return [slice(start, start + step) for start in range(0, n_points, step)]


def main_directions(sample: FloatArray) -> FloatArray:
    """Return orthonormal directions of large variance of centred rows, by power iteration."""
    n_features = sample.shape[1]
    start = np.random.default_rng(0).normal(size=(n_features, min(_DIRECTIONS, n_features)))
    directions = np.linalg.qr(start)[0]
    for _ in range(_STEPS):
        directions = np.linalg.qr(sample.T @ (sample @ directions))[0]
    return np.ascontiguousarray(directions.T)


def _halves(places: FloatArray, rows: Indices, n_parts: int) -> list[Indices]:
    if n_parts < 2:
        return [rows]
    own = places[rows]
    # Some of the rows are enough to find the widest direction.
    widest = own[:: max(1, len(own) // _ROWS_FOR_WIDTH)].var(axis=0).argmax()
    below = n_parts // 2
    half = len(rows) * below // n_parts
    rows = rows[np.argpartition(own[:, widest], half)]
    return [*_halves(places, rows[:half], below), *_halves(places, rows[half:], n_parts - below)]
