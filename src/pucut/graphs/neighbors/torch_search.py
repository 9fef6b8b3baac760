"""The exact nearest rows by PyTorch, on a GPU where there is one; bit for bit those of the CPU.

As in native/neighbors/nearest_rows.hpp, products in low precision give lower bounds of the squared
distances. The candidates with the smallest lower bounds are measured exactly, in the order of
additions that distances.py fixes. If a row's last neighbour is not nearer than every lower bound
left over, the row is searched again in a higher precision, and in the end all points that may be as
near are measured.

Points stay in the memory of the host, or in a file that is mapped there. They come to the device
in blocks, the next one during the search in the one before it. Every query keeps its nearest points
so far, and a later block concerns a query only if some lower bound is below the last of them. If
one block holds all points, it is moved once.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from pucut.graphs.neighbors.distances import sum_in_lanes
from pucut.kernels.torch_ridge import moved

_MARGIN = 8
# Columns are first compared by the smallest of a group, which is much cheaper than sorting them.
_GROUP = 32
_LEAST_COLUMNS_FOR_GROUPS = 1 << 14
_MOST_PRODUCTS = {"cuda": 1 << 32, "cpu": 1 << 25}  # bytes of a block of products
_LIMIT_ELSEWHERE = 1 << 30  # bytes, on devices that do not say what is free
# Products of fewer queries than this with a block of points would mostly read the points.
_QUERIES_FOR_A_BLOCK = 256
_BYTES_OF_A_CANDIDATE = 1024  # the numbers of its group, and what sorting them takes
_LARGEST_SINGLE_NORM = 1e15  # larger norms have no square in single precision


@dataclass(frozen=True)
class _Precision:
    """A way to multiply: torch's name of it, and by how much factors and sums are rounded.

    With factors rounded by a relative f at most, a product x.y is off by at most
    (2 f + f^2) |x| |y|, so that |x|^2 + |y|^2 - 2 x.y is off by at most (2 f + f^2) times
    (|x|^2 + |y|^2). The rest is the bound of native/neighbors/points.cpp; both with 5 % for terms
    of second order.
    """

    name: str
    factors: float
    sums: float

    def slack(self, n_features: int) -> float:
        return 2.1 * (self.factors + (n_features + 24) * self.sums)


# TF32 keeps ten digits after the first one; whether the others are rounded or cut off, the error is
# below one unit of the last. Products of such factors are exact in single precision. Tensor cores
# align several of them before they add, and cut off where IEEE arithmetic rounds (measured by Fasi,
# Higham, Mikaitis and Pranesh, 2021; no vendor states it): four times the rounding of IEEE sums.
_TF32 = _Precision("high", 2.0**-10, 2.0**-22)
_SINGLE = _Precision("highest", 0.0, 2.0**-24)
_PRECISIONS = {"cuda": (_TF32, _SINGLE)}


@dataclass(frozen=True, eq=False)
class _Block:
    """Points on the device: as they are, and rounded."""

    start: int
    points: Any
    columns: Any  # with zeros for features, and rows at the end, that are not there
    lowered: list[Any]  # squared norms less the slack, by precision; infinite for no point


@dataclass(frozen=True, eq=False)
class _Queries:
    """Queries on the device, as they are and rounded, and their nearest points so far."""

    rows: Any
    factors: Any  # of products: rounded, times -2
    norms: Any
    indices: Any
    distances: Any
    limits: Any  # k points are known to be this near


def nearest_rows(
    points: npt.NDArray[Any],
    queries: npt.NDArray[Any],
    k: int,
    device: str | None = None,
    memory_limit: int | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the k nearest points of each query by distance and row number, and their distances.

    Distances are squared. At most `memory_limit` bytes are in use on the device at a time; None
    stands for half of what is free on a GPU, and 1 GiB elsewhere. k points and one query are held
    however low the limit is, and PyTorch may keep more than is in use. The result does not depend
    on it.
    """
    where = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    if memory_limit is None:
        is_gpu = where.type == "cuda"
        memory_limit = torch.cuda.mem_get_info(where)[0] // 2 if is_gpu else _LIMIT_ELSEWHERE
    if memory_limit < 1:
        raise ValueError(f"memory_limit must be at least 1 (byte), found {memory_limit}")
    precision = torch.get_float32_matmul_precision()
    try:
        with torch.no_grad():
            return _Search(points, k, where, memory_limit).nearest(queries)
    finally:
        torch.set_float32_matmul_precision(precision)


class _Search:
    def __init__(
        self, points: npt.NDArray[Any], k: int, device: torch.device, memory_limit: int
    ) -> None:
        self._k, self._device = k, device
        self._n_points, self._n_features = points.shape
        self._precisions = _PRECISIONS.get(device.type, (_SINGLE,))
        self._slacks = [precision.slack(self._n_features) for precision in self._precisions]
        # Three eighths for products, one for what is made of them, two for points, one for
        # queries and their neighbours; the rest is for libraries and gaps.
        most = _MOST_PRODUCTS.get(device.type, 1 << 32)
        self._products = min(most, memory_limit * 3 // 8)
        self._spare = min(most, memory_limit // 8)
        self._query_memory = memory_limit // 8
        self._width = -(-self._n_features // 4) * 4  # tensor cores want whole lots of 16 bytes
        of_a_point = self._n_features * points.itemsize + 4 * (self._width + 4)
        n_columns = min(
            memory_limit // 4 // (2 * of_a_point), self._products // (4 * _QUERIES_FOR_A_BLOCK)
        )
        self._loader = _Loader(points, max(k, n_columns), device)
        self._center, self._scale = self._center_and_scale()
        self._only_block = next(self._blocks()) if self._loader.is_all_at_once else None

    def nearest(
        self, queries: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        indices = np.empty((len(queries), self._k), dtype=np.int64)
        distances = np.empty((len(queries), self._k))
        of_a_query = self._n_features * queries.itemsize + 4 * self._width + 16 * (self._k + 1)
        step = max(1, self._query_memory // of_a_query)
        for start in range(0, len(queries), step):
            part = slice(start, start + step)
            found = self._prepared(moved(queries[part], self._device))
            self._search(found)
            indices[part] = found.indices.cpu().numpy()
            distances[part] = found.distances.cpu().numpy()
        return indices, distances

    def _prepared(self, queries: Any) -> _Queries:
        factors, norms = self._rounded(queries)
        indices = torch.full((len(queries), self._k), -1, device=self._device)
        distances = torch.full_like(indices, torch.inf, dtype=torch.float64)
        limits = distances[:, -1].clone()
        return _Queries(queries, factors.mul_(-2), norms, indices, distances, limits)

    def _search(self, queries: _Queries) -> None:
        of_candidates = _BYTES_OF_A_CANDIDATE * (self._k + _MARGIN)
        for block in [self._only_block] if self._only_block else self._blocks():
            rows: Any = torch.arange(len(queries.rows), device=self._device)
            for level in range(len(self._precisions)):
                is_unsure = torch.zeros(len(queries.rows), dtype=torch.bool, device=self._device)
                for some in rows.split(max(1, self._spare // of_candidates)):
                    self._visit(block, queries, some, level, is_unsure)
                rows = is_unsure.nonzero()[:, 0]
                if not len(rows):
                    break
            else:  # too many points at nearly one distance for any precision
                for some in rows.split(self._rows_of_products(block)):
                    self._measure_all_near(block, queries, some)

    def _visit(
        self, block: _Block, queries: _Queries, rows: Any, level: int, is_unsure: Any
    ) -> None:
        """Put the nearest points of a block among the nearest so far of these queries.

        Queries for which the precision is too low are marked and left as they are.
        """
        chunks = rows.split(self._rows_of_products(block))
        found = [self._candidates(block, queries, chunk, level) for chunk in chunks]
        rows, bounds, candidates = (torch.cat(parts) for parts in zip(*found, strict=True))
        candidates, _ = candidates.sort(dim=1)
        query = rows.repeat_interleave(candidates.shape[1])
        exact = self._distances(queries.rows, query, block.points, candidates.reshape(-1))
        exact, order = exact.view(candidates.shape).sort(dim=1, stable=True)  # ties: smaller row
        distances, indices = exact[:, : self._k], candidates.gather(1, order)[:, : self._k]
        if candidates.shape[1] < len(block.points):
            limits = torch.minimum(queries.limits[rows], distances[:, -1])
            may_miss_some = self._as_bounds(limits, queries.norms[rows], level) >= bounds
            queries.limits[rows] = limits
            is_unsure[rows] = may_miss_some
            sure = (~may_miss_some).nonzero()[:, 0]
            rows, indices, distances = rows[sure], indices[sure], distances[sure]
        _keep_nearest(queries, rows, block.start, indices, distances)

    def _candidates(
        self, block: _Block, queries: _Queries, rows: Any, level: int
    ) -> tuple[Any, Any, Any]:
        """Return the columns with the smallest lower bounds, and the largest of these bounds.

        Queries without a point that may be within their limits are left out.
        """
        pyramid = _pyramid(self._lower(block, queries, rows, level))
        places = torch.arange(len(rows), device=self._device)
        if block.start:  # before, there are no limits
            limits = self._as_bounds(queries.limits[rows], queries.norms[rows], level)
            places = (pyramid[-1].amin(dim=1) <= limits).nonzero()[:, 0]
        n_candidates = min(len(block.points), self._k + _MARGIN)
        bounds, candidates = _smallest(pyramid, places, n_candidates)
        return rows[places], bounds.amax(dim=1), candidates

    def _measure_all_near(self, block: _Block, queries: _Queries, rows: Any) -> None:
        """Measure all points of a block that may be within the limits of these queries."""
        lower = self._lower(block, queries, rows, -1)[:, : len(block.points)]
        farthest = self._as_bounds(queries.limits[rows], queries.norms[rows], -1)
        for part in self._parts(lower, farthest):
            pairs = (lower[part].double() <= farthest[part, None]).nonzero()
            if len(pairs):
                found = self._ranked(queries.rows[rows[part]], block.points, pairs)
                _keep_nearest(queries, rows[part], block.start, *found)

    def _lower(self, block: _Block, queries: _Queries, rows: Any, level: int) -> Any:
        torch.set_float32_matmul_precision(self._precisions[level].name)
        return torch.addmm(block.lowered[level], queries.factors[rows], block.columns.T)

    def _rows_of_products(self, block: _Block) -> int:
        return max(1, self._products // (4 * len(block.columns)))

    def _as_bounds(self, distances: Any, norms: Any, level: int) -> Any:
        """Return distances in the units of the lower bounds, less the query's own part."""
        bounds = distances * self._scale**2 - norms * (1 - self._slacks[level])
        return bounds + 1e3 * torch.finfo(torch.float32).tiny  # room for underflow

    def _parts(self, lower: Any, farthest: Any) -> list[slice]:
        """Divide rows into parts whose candidates fit into memory."""
        memory, of_a_mask = max(1, self._spare // 2), 16 * lower.shape[1]
        step = max(1, memory // of_a_mask)
        counts = [
            (some.double() <= limits[:, None]).sum(dim=1)
            for some, limits in zip(lower.split(step), farthest.split(step), strict=True)
        ]
        # Both the pairs and a mask in double precision are held at once.
        size = (torch.cat(counts) * 64).clamp(min=of_a_mask)
        part_of = (size.cumsum(dim=0) // memory).cpu().numpy()
        edges = [0, *(np.flatnonzero(np.diff(part_of)) + 1).tolist(), len(lower)]
        return [slice(start, stop) for start, stop in pairwise(edges)]

    def _ranked(self, queries: Any, points: Any, pairs: Any) -> tuple[Any, Any]:
        """Return the k nearest of sorted pairs (query, column), filled up with infinity."""
        query, column = pairs[:, 0], pairs[:, 1]
        exact = self._distances(queries, query, points, column)
        order = exact.argsort(stable=True)
        order = order[query[order].argsort(stable=True)]
        counts = query.bincount(minlength=len(queries))[:, None]
        place = torch.arange(min(self._k, len(points)), device=self._device)
        first = counts.cumsum(dim=0) - counts
        kept = order[(first + place).clamp(max=len(order) - 1)]
        return column[kept], exact[kept].masked_fill(place >= counts, torch.inf)

    def _distances(self, queries: Any, query: Any, points: Any, column: Any) -> Any:
        """Return squared distances of pairs, with the additions of distances.py."""
        parts = [query[:0].double()]
        for some in self._slices(len(query)):
            difference = queries[query[some]].double() - points[column[some]].double()
            parts.append(sum_in_lanes(difference.square_()))
        return torch.cat(parts)

    def _slices(self, n_rows: int) -> list[slice]:
        """Divide rows so that memory has room for several copies of a part in double precision."""
        step = max(1, self._spare // (64 * max(1, int(self._n_features))))
        return [slice(start, start + step) for start in range(0, n_rows, step)]

    def _center_and_scale(self) -> tuple[Any, float]:
        """Return the mean, and a power of two that scales all points to norms of at most 1."""
        total: Any = 0.0
        low: Any = torch.tensor(torch.inf, dtype=torch.float64, device=self._device)
        high = -low
        for _, points in self._loader.blocks():
            total = total + points.sum(dim=0, dtype=torch.float64)
            low = torch.minimum(low, points.amin(dim=0).double())
            high = torch.maximum(high, points.amax(dim=0).double())
        center = total / self._n_points
        largest = float(torch.maximum(high - center, center - low).square().sum())
        return center, float(2.0 ** -np.ceil(np.log2(largest) / 2)) if largest > 0 else 1.0

    def _blocks(self) -> Iterator[_Block]:
        for start, points in self._loader.blocks():
            columns, norms = self._rounded(points)
            # Empty columns fill up the last of the groups, and of groups of groups.
            is_long, pad = len(points) >= _LEAST_COLUMNS_FOR_GROUPS, torch.nn.functional.pad
            n_missing = -len(points) % _GROUP**2 if is_long else 0
            lowered = [
                pad((norms * (1 - slack)).float(), (0, n_missing), value=np.inf)
                for slack in self._slacks
            ]
            yield _Block(start, points, pad(columns, (0, 0, 0, n_missing)), lowered)

    def _rounded(self, rows: Any) -> tuple[Any, Any]:
        """Return rows moved to the origin, scaled and rounded, and their squared norms.

        Rows too far away for single precision become zeros, with a norm that makes every point a
        candidate.
        """
        values = torch.zeros((len(rows), self._width), dtype=torch.float32, device=self._device)
        norms = torch.empty(len(rows), dtype=torch.float64, device=self._device)
        for block in self._slices(len(rows)):
            scaled = (rows[block].double() - self._center) * self._scale
            is_far = scaled.square().sum(dim=1) > _LARGEST_SINGLE_NORM**2
            values[block, : self._n_features] = scaled.masked_fill_(is_far[:, None], 0).float()
            norms[block] = values[block].double().square().sum(dim=1)
            norms[block].masked_fill_(is_far, -torch.inf)
        return values, norms


class _Loader:
    """Points that come to the device in blocks, each while the one before it is in use."""

    def __init__(self, points: npt.NDArray[Any], n_rows: int, device: torch.device) -> None:
        self._points, self._n_rows, self._device = points, n_rows, device
        self.is_all_at_once = n_rows >= len(points)
        self._kept = moved(points, device) if self.is_all_at_once else None
        self._has_buffers = device.type == "cuda" and not self.is_all_at_once
        if self._has_buffers:
            # Copies can overlap with the search only from pinned memory.
            dtype = torch.from_numpy(np.empty(0, points.dtype)).dtype
            shape = (n_rows, points.shape[1])
            self._pinned = torch.empty(shape, dtype=dtype, pin_memory=True)
            self._buffers = [torch.empty(shape, dtype=dtype, device=device) for _ in range(2)]
            self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Yield each block's first row number and points, valid until the next but one."""
        if self._kept is not None:
            yield 0, self._kept
            return
        starts = range(0, len(self._points), self._n_rows)
        with ThreadPoolExecutor(1) as thread:
            following = thread.submit(self._load, 0, self._use_so_far())
            for number, start in enumerate(starts):
                points = following.result()
                if number + 1 < len(starts):
                    # Its buffer is that of the last block, all use of which is in line by now.
                    following = thread.submit(self._load, number + 1, self._use_so_far())
                yield start, points

    def _use_so_far(self) -> Any:
        return torch.cuda.current_stream(self._device).record_event() if self._has_buffers else None

    def _load(self, number: int, use_so_far: Any) -> Any:
        start = number * self._n_rows
        rows = self._points[start : start + self._n_rows]
        if not self._has_buffers:
            return moved(rows, self._device)
        np.copyto(self._pinned.numpy()[: len(rows)], rows)
        points = self._buffers[number % 2][: len(rows)]
        with torch.cuda.stream(self._stream):
            self._stream.wait_event(use_so_far)
            points.copy_(self._pinned[: len(rows)], non_blocking=True)
        self._stream.synchronize()
        return points


def _pyramid(values: Any) -> list[Any]:
    """Return rows, the minima of groups of their columns, minima of groups of these, and so on.

    Group g of n_groups holds the columns g, g + n_groups, ...
    """
    levels = [values]
    while levels[-1].shape[1] >= _LEAST_COLUMNS_FOR_GROUPS and levels[-1].shape[1] % _GROUP == 0:
        levels.append(levels[-1].view(len(values), _GROUP, -1).amin(dim=1))
    return levels


def _smallest(pyramid: list[Any], rows: Any, n: int) -> tuple[Any, Any]:
    """Return the n smallest numbers of each of these rows and their columns, in any order.

    They are in the n groups with the smallest minima.
    """
    top = pyramid[-1]
    values, columns = top[rows].topk(min(n, top.shape[1]), dim=1, largest=False, sorted=False)
    for level in reversed(pyramid[:-1]):
        steps = torch.arange(0, level.shape[1], level.shape[1] // _GROUP, device=level.device)
        columns = (columns[:, :, None] + steps).flatten(start_dim=1)
        values = level[rows[:, None], columns]
        values, places = values.topk(min(n, values.shape[1]), dim=1, largest=False, sorted=False)
        columns = columns.gather(1, places)
    return values, columns


def _keep_nearest(queries: _Queries, rows: Any, start: int, columns: Any, distances: Any) -> None:
    """Keep the nearest of those so far and those of a block; among equals, the earlier ones."""
    indices = columns + start
    if start:
        k = queries.indices.shape[1]
        distances = torch.cat([queries.distances[rows], distances], dim=1)
        distances, order = distances.sort(dim=1, stable=True)
        indices = torch.cat([queries.indices[rows], indices], dim=1).gather(1, order)[:, :k]
        distances = distances[:, :k]
    queries.indices[rows], queries.distances[rows] = indices, distances
    queries.limits[rows] = distances[:, -1]
