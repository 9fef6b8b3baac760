"""The exact nearest rows by PyTorch, on a GPU where there is one; bit for bit those of the CPU.

As in blocks.py: products in single precision give lower bounds of the squared distances. The
candidates with the smallest lower bounds are measured exactly, in the order of additions that
distances.py fixes. If a row's last neighbour is not nearer than every lower bound left over, all
rows that may be as near are measured too.

This file needs numpy and torch only, so that it can be tried on a machine without the package.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

LANES = 64  # of distances.py
_MARGIN = 8
# Columns are first compared by the smallest of a group, which is much cheaper than sorting them.
_GROUP = 32
_LEAST_COLUMNS_FOR_GROUPS = 1 << 14
_MEMORY = {"cuda": 1 << 31, "cpu": 1 << 25}  # bytes of a block of products


def nearest_rows(
    points: npt.NDArray[Any], queries: npt.NDArray[Any], k: int, device: str | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The k nearest points of each query by distance and row number, and squared distances."""
    precision = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")  # the bounds are those of IEEE arithmetic
    try:
        with torch.no_grad():
            where = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
            return _Search(points, where).nearest(queries, k)
    finally:
        torch.set_float32_matmul_precision(precision)


class _Search:
    def __init__(self, points: npt.NDArray[Any], device: torch.device) -> None:
        self._device = device
        self._memory = _MEMORY.get(device.type, _MEMORY["cuda"])
        self._points = _moved(points, device)
        self._n_points, self._n_features = points.shape
        # The bounds of blocks.py, where they are explained.
        self._slack = 2.1 * (self._n_features + 24) * 2.0**-24
        self._center = self._points.mean(dim=0, dtype=torch.float64)
        largest = max(
            float((part.double() - self._center).square().sum(dim=1).max())
            for part in self._points.split(self._rows_at_once())
        )
        self._scale = float(2.0 ** -np.ceil(np.log2(largest) / 2)) if largest > 0 else 1.0
        self._columns, norms = self._rounded(self._points)
        # Columns that are not there fill up the last of the groups.
        n_groups = -(-self._n_points // _GROUP)
        self._has_groups = self._n_points >= _LEAST_COLUMNS_FOR_GROUPS
        n_missing = n_groups * _GROUP - self._n_points if self._has_groups else 0
        self._columns = torch.nn.functional.pad(self._columns, (0, 0, 0, n_missing))
        self._lowered = (norms * (1 - self._slack)).to(torch.float32)
        self._lowered = torch.nn.functional.pad(self._lowered, (0, n_missing), value=torch.inf)

    def nearest(
        self, queries: npt.NDArray[Any], k: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        indices = np.empty((len(queries), k), dtype=np.int64)
        distances = np.empty((len(queries), k))
        step = max(1, self._memory // (4 * len(self._columns)))
        for start in range(0, len(queries), step):
            block = slice(start, start + step)
            found = self._nearest_in_block(_moved(queries[block], self._device), k)
            indices[block], distances[block] = (part.cpu().numpy() for part in found)
        return indices, distances

    def _nearest_in_block(self, queries: Any, k: int) -> tuple[Any, Any]:
        rounded, norms = self._rounded(queries)
        lower = torch.addmm(self._lowered, rounded * -2, self._columns.T)
        n_candidates = min(self._n_points, k + _MARGIN)
        bounds, candidates = self._smallest(lower, n_candidates)
        candidates, _ = candidates.sort(dim=1)
        query = torch.arange(len(queries), device=self._device).repeat_interleave(n_candidates)
        exact = self._distances(queries, query, candidates.reshape(-1)).view(candidates.shape)
        exact, order = exact.sort(dim=1, stable=True)  # among equals the smaller row stays first
        distances, indices = exact[:, :k], candidates.gather(1, order)[:, :k]
        # In the units of the bounds, less what is the query's own.
        farthest = distances[:, -1] * self._scale**2 - norms * (1 - self._slack)
        farthest += 1e3 * torch.finfo(torch.float32).tiny  # room for underflow
        is_unsure = farthest >= bounds.amax(dim=1)
        if n_candidates < self._n_points and bool(is_unsure.any()):
            unsure = is_unsure.nonzero()[:, 0]
            distances, indices = distances.contiguous(), indices.contiguous()
            for part in self._parts(lower, unsure, farthest):
                may_be_near = lower[part].double() <= farthest[part, None]
                found = self._ranked(queries[part], may_be_near.nonzero(), k)
                indices[part], distances[part] = found
        return indices, distances

    def _smallest(self, lower: Any, n: int) -> tuple[Any, Any]:
        """The n smallest of each row and their columns, in any order."""
        if not self._has_groups:
            values, columns = lower.topk(n, dim=1, largest=False, sorted=False)
            return values, columns
        # Group g are the columns g, g + n_groups, ...: the n smallest columns are in the n groups
        # with the smallest minima.
        n_groups = lower.shape[1] // _GROUP
        minima = lower.view(len(lower), _GROUP, n_groups).amin(dim=1)
        groups = minima.topk(min(n, n_groups), dim=1, largest=False, sorted=False).indices
        steps = torch.arange(0, lower.shape[1], n_groups, device=self._device)
        columns = (groups[:, :, None] + steps).flatten(start_dim=1)
        values, places = lower.gather(1, columns).topk(n, dim=1, largest=False, sorted=False)
        return values, columns.gather(1, places)

    def _parts(self, lower: Any, rows: Any, farthest: Any) -> list[Any]:
        """The rows in parts with so few candidates that these fit into memory."""
        counts = torch.cat(
            [
                (lower[part].double() <= farthest[part, None]).sum(dim=1)
                for part in rows.split(max(1, self._memory // (16 * lower.shape[1])))
            ]
        )
        # Both the pairs and a mask in double precision are held at once.
        size = torch.maximum(counts * 64, torch.full_like(counts, 16 * lower.shape[1]))
        part_of = (size.cumsum(dim=0) // self._memory).cpu().numpy()
        return list(rows.split(np.unique(part_of, return_counts=True)[1].tolist()))

    def _ranked(self, queries: Any, pairs: Any, k: int) -> tuple[Any, Any]:
        """The k nearest of pairs (query, column), which are sorted."""
        query, column = pairs[:, 0], pairs[:, 1]
        exact = self._distances(queries, query, column)
        order = exact.argsort(stable=True)
        order = order[query[order].argsort(stable=True)]
        counts = query.bincount(minlength=len(queries))
        first = counts.cumsum(dim=0) - counts
        kept = order[first[:, None] + torch.arange(k, device=self._device)]
        return column[kept], exact[kept]

    def _distances(self, queries: Any, query: Any, column: Any) -> Any:
        """Squared distances of pairs, every addition as in distances.py."""
        step = self._rows_at_once()
        parts = [
            _sum_of_lanes(queries[query[block]].double() - self._points[column[block]].double())
            for block in (slice(start, start + step) for start in range(0, len(query), step))
        ]
        return torch.cat(parts)

    def _rows_at_once(self) -> int:
        return max(1, self._memory // (32 * max(1, int(self._n_features))))

    def _rounded(self, rows: Any) -> tuple[Any, Any]:
        """Rows moved to the origin, scaled and rounded to single precision; squared norms."""
        values = torch.empty(rows.shape, dtype=torch.float32, device=self._device)
        norms = torch.empty(len(rows), dtype=torch.float64, device=self._device)
        step = self._rows_at_once()
        for start in range(0, len(rows), step):
            block = slice(start, start + step)
            values[block] = ((rows[block].double() - self._center) * self._scale).float()
            norms[block] = values[block].double().square().sum(dim=1)
        return values, norms


def _moved(rows: npt.NDArray[Any], device: torch.device) -> Any:
    rows = np.require(rows, requirements=["C", "W"])  # torch warns of arrays it may not write to
    return torch.from_numpy(rows).to(device)


def _sum_of_lanes(differences: Any) -> Any:
    squares = differences * differences
    lanes = squares[:, :LANES]
    for start in range(LANES, squares.shape[1], LANES):
        more = squares[:, start : start + LANES]
        lanes[:, : more.shape[1]] += more
    half = LANES // 2
    while half:
        upper = lanes[:, half:]
        if upper.shape[1]:
            lanes[:, : upper.shape[1]] += upper
            lanes = lanes[:, :half]
        half //= 2
    return lanes[:, 0] if lanes.shape[1] else lanes.new_zeros(len(lanes))
