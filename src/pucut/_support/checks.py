"""Checks and conversions of arguments; checked arrays are trusted afterwards.

Every error names the argument, the value and its place, and the allowed values.
"""

import numbers
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pucut import _core

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IndexArray = npt.NDArray[np.intp]

MAX_NODES = np.iinfo(np.int32).max
# Numbers whose squares and quotients must stay numbers.
SMALLEST, LARGEST = 1e-100, 1e100


@dataclass(frozen=True, eq=False)
class SymmetricGraph:
    """A checked graph in canonical CSR form: rows sorted, no duplicates, weights >= 0.

    Weights are in single or double precision. Sums that every cut needs are cached.
    """

    offsets: npt.NDArray[np.int64]
    neighbors: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]
    matrix: Any  # before conversion

    @property
    def n_nodes(self) -> int:
        return len(self.offsets) - 1

    # Three ways to add up the same rows, which differ in their last bits, as the cuts would.

    @cached_property
    def degrees(self) -> FloatArray:
        """Weighted degrees: sums of the weights of a node's edges, without self-loops."""
        return _core.weighted_degrees(self.offsets, self.neighbors, self.weights)

    @cached_property
    def sums_in_order(self) -> FloatArray:
        """Sums of rows from left to right, in double precision."""
        sums: FloatArray = self.matrix @ np.ones(self.n_nodes)
        return sums

    @cached_property
    def row_sums(self) -> FloatArray:
        """Sums of rows as scipy makes them, in the precision of the weights."""
        return np.asarray(self.matrix.sum(axis=1), dtype=np.float64).ravel()

    def reached_from(self, seeds: BoolArray) -> BoolArray:
        """Return whether each node is connected to a seed."""
        reached = _core.reached_from(self.offsets, self.neighbors, seeds.view(np.uint8))
        return reached.view(np.bool_)


def checked_graph(graph: Any) -> SymmetricGraph:
    """Check a graph and convert it for the native code, without changing the caller's arrays."""
    if isinstance(graph, SymmetricGraph):
        return graph
    matrix = graph
    if not is_sparse(graph) or graph.format != "csr":
        found = f"{graph.format.upper()} format" if is_sparse(graph) else type(graph).__name__
        raise TypeError(
            f"graph must be a scipy sparse matrix or array in CSR format, found {found}; "
            "call .tocsr() on a sparse one, or scipy.sparse.csr_array(...) on a dense one"
        )
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        shape = " x ".join(str(length) for length in graph.shape)
        raise ValueError(f"graph must be square, one row and one column per node, found {shape}")
    if graph.dtype.kind not in "biuf":
        raise TypeError(f"graph must have real weights, found dtype {graph.dtype}")
    check_places(graph, "graph")
    if graph.shape[0] > MAX_NODES:
        raise ValueError(f"graph may have at most {MAX_NODES} nodes, found {graph.shape[0]}")
    if not graph.has_canonical_format:
        graph = graph.copy()
        graph.sum_duplicates()
    checked = SymmetricGraph(
        np.ascontiguousarray(graph.indptr, dtype=np.int64),
        np.ascontiguousarray(graph.indices, dtype=np.int32),
        np.ascontiguousarray(
            graph.data, dtype=np.float32 if graph.dtype == np.float32 else np.float64
        ),
        matrix,
    )
    check = _core.check_graph(checked.offsets, checked.neighbors, checked.weights)
    if check["fault"] != "none":
        _raise_graph_fault(checked, **check)
    return checked


def check_places(matrix: Any, name: str) -> None:
    """Refuse a sparse matrix with places outside it, where SciPy would use foreign memory."""
    if matrix.format == "coo":
        # `coords` came with SciPy 1.13, and with it arrays of other than two dimensions.
        coords = matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)
        if any(len(places) != len(matrix.data) for places in coords):
            raise ValueError(
                f"{name} has {len(matrix.data)} values, but rows and columns for "
                f"{' and '.join(str(len(places)) for places in coords)}"
            )
        for places, length in zip(coords, matrix.shape, strict=True):
            _check_numbers(places, length, name)
        return
    if matrix.format not in ("csr", "csc", "bsr"):
        return
    block = matrix.data.shape[1:] if matrix.format == "bsr" else (1, 1)
    if matrix.data.ndim != (3 if matrix.format == "bsr" else 1):
        raise ValueError(f"{name} has values of shape {matrix.data.shape}")
    lengths = [length // size for length, size in zip(matrix.shape, block, strict=True)]
    n_major, n_minor = lengths[::-1] if matrix.format == "csc" else lengths
    offsets, entries = matrix.indptr, matrix.indices
    for array, what in ((offsets, "indptr"), (entries, "indices")):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(
                f"{name} has a broken {what}: it must be a list of whole numbers, found shape "
                f"{array.shape} of dtype {array.dtype}"
            )
    if len(entries) != len(matrix.data):
        found = f"{len(matrix.data)} values and {len(entries)} indices"
        raise ValueError(f"{name} has {found}, as many of both are needed")
    if len(offsets) != n_major + 1:
        raise ValueError(
            f"{name} has a broken indptr: it must have {n_major + 1} numbers, found {len(offsets)}"
        )
    falls = offsets[1:] < offsets[:-1]
    if offsets[0] != 0 or offsets[-1] > len(entries) or falls.any():  # SciPy may have room to spare
        row = 0 if offsets[0] != 0 else int(np.argmax(falls)) if falls.any() else n_major
        raise ValueError(
            f"{name} has a broken indptr at row {row}: it must rise from 0 to nnz, {len(entries)}"
        )
    _check_numbers(entries[: offsets[-1]], n_minor, name, offsets)


def _check_numbers(
    entries: npt.NDArray[Any], length: int, name: str, offsets: npt.NDArray[Any] | None = None
) -> None:
    if not len(entries) or (entries.min() >= 0 and entries.max() < length):
        return
    place = int(np.argmax((entries < 0) | (entries >= length)))
    row = "" if offsets is None else f" in row {int(np.searchsorted(offsets, place, 'right')) - 1}"
    raise ValueError(f"{name} has column {entries[place]}{row}, allowed are 0 to {length - 1}")


def _raise_graph_fault(graph: SymmetricGraph, fault: str, row: int, place: int) -> NoReturn:
    if fault == "offsets":
        raise ValueError(f"graph has a broken indptr at row {row}: it must rise from 0 to nnz")
    column, weight = int(graph.neighbors[place]), float(graph.weights[place])
    where = f"graph[{row}, {column}]"
    if fault == "neighbor_order":
        raise ValueError(f"graph has unsorted columns in row {row} at column {column}")
    if fault == "negative_weight":
        raise ValueError(f"{where} is {weight!r}: weights must not be negative")
    if fault == "not_finite_weight":
        raise ValueError(f"{where} is {weight!r}: weights must be finite")
    in_row = slice(graph.offsets[column], graph.offsets[column + 1])
    mirror = graph.weights[in_row][graph.neighbors[in_row] == row]
    raise ValueError(
        f"graph is not symmetric: {where} is {weight!r} but graph[{column}, {row}] is "
        f"{float(mirror[0]) if len(mirror) else 0.0!r}; "
        "graph.maximum(graph.T) is symmetric, if that is what you mean"
    )


def checked_values(values: Any, n_nodes: int, name: str) -> FloatArray:
    """Check that there is one finite number per node."""
    array = _real_numbers(values, name)
    if array.shape != (n_nodes,):
        raise ValueError(
            f"{name} must have shape ({n_nodes},), one number per node, found {array.shape}"
        )
    return _finite(array, name, "node")


def _real_numbers(values: Any, name: str) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be an array of real numbers, found dtype {array.dtype}")
    return array


def _finite(array: npt.NDArray[Any], name: str, kind_of_place: str) -> FloatArray:
    array = np.ascontiguousarray(array, dtype=np.float64)
    finite = np.isfinite(array)
    if not finite.all():
        place = int(np.argmin(finite))
        raise ValueError(f"{name} must be finite, found {array[place]} at {kind_of_place} {place}")
    return array


def is_missing(value: Any) -> bool:
    """Return whether a cell is None, NaN, NaT or pandas.NA."""
    # NaN and NaT differ from themselves; pandas.NA refuses to be compared.
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True


# scipy's own declaration narrows the type to a class without methods.
is_sparse: Callable[[Any], bool] = sp.issparse


def diagonal_array(values: FloatArray) -> sp.dia_array:
    """Make a diagonal matrix, as `diags_array` does from SciPy 1.12 on."""
    return sp.dia_array((values[None, :], [0]), shape=(len(values), len(values)))


def checked_scores(scores: Any, name: str, n_samples: int | None = None) -> FloatArray:
    """Check that there is one finite number per row, and `n_samples` of them if that is known."""
    array = _real_numbers(scores, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one number per row, found shape {array.shape}")
    if n_samples is not None and len(array) != n_samples:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: y has {n_samples} "
            f"labels, {name} has {len(array)} rows"
        )
    return _finite(array, name, "row")


def checked_pair(pair: Any, n_nodes: int, name: str) -> tuple[FloatArray, FloatArray]:
    """Check a capacity that is linear in lambda: (base, slope)."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(f"{name} must be a pair of arrays (base, slope), found {_describe(pair)}")
    base = checked_values(pair[0], n_nodes, f"{name} base")
    return base, checked_values(pair[1], n_nodes, f"{name} slope")


def checked_range(lambda_range: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in lambda_range)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"lambda_range must be a pair of numbers, found {_describe(lambda_range)}"
        ) from error
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise ValueError(
            f"lambda_range must be finite with its lower end first, found ({low}, {high})"
        )
    return low, high


def checked_seeds(seeds: Any, n_nodes: int, name: str) -> BoolArray:
    """Convert a boolean mask or integer indices of nodes to a mask."""
    mask = np.zeros(n_nodes, dtype=np.bool_)
    if seeds is None:
        return mask
    array = np.asarray(seeds)
    if array.ndim != 1:
        found = _describe(seeds)
        raise TypeError(f"{name} must be a one-dimensional mask or list of nodes, found {found}")
    if array.dtype.kind == "b":
        if len(array) != n_nodes:
            found = f"a mask of length {len(array)}"
            raise ValueError(f"{name} is {found}, but the graph has {n_nodes} nodes")
        return array.astype(np.bool_)
    if len(array) == 0:
        return mask
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold booleans or integers, found dtype {array.dtype}")
    outside = array[(array < 0) | (array >= n_nodes)]
    if len(outside):
        raise ValueError(f"{name} must hold nodes from 0 to {n_nodes - 1}, found {outside[0]}")
    mask[array] = True
    return mask


def checked_n_threads(n_threads: Any) -> int:
    """Check a number of threads; None is the number of processors this process may use."""
    if n_threads is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if isinstance(n_threads, bool) or not isinstance(n_threads, numbers.Integral):
        raise TypeError(f"n_threads must be a whole number or None, found {n_threads!r}")
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, found {n_threads}")
    return int(n_threads)


def checked_count(
    value: Any, name: str, least: int = 1, most: int = MAX_NODES, where: str = ""
) -> int:
    """Return a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number, found {value!r}")
    count = int(value)
    if not least <= count <= most:
        raise ValueError(f"{name} must be from {least} to {most}{where}, found {count}")
    return count


def check_disjoint(first: BoolArray, second: BoolArray, names: tuple[str, str]) -> None:
    both = first & second
    if both.any():
        raise ValueError(
            f"{names[0]} and {names[1]} must not share a node, found node {int(np.argmax(both))} "
            "in both"
        )


def _describe(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"{type(value).__name__} of shape {shape}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of length {len(value)}"
    return repr(value)
