"""Native core of pucut."""

from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


@overload
def check_graph(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict[str, Any]: ...

@overload
def check_graph(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict[str, Any]:
    """
    Fault (or none), row and place of the first entry that keeps CSR arrays from being a symmetric graph.
    """

@overload
def weighted_degrees(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

@overload
def weighted_degrees(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Sums of the rows of a checked graph, without its diagonal."""

@overload
def symmetric_graph(listed: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> dict[str, Any]: ...

@overload
def symmetric_graph(listed: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> dict[str, Any]:
    """Offsets, neighbours and weights of the graph of lists of neighbours."""

@overload
def solve_levels(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pull: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], side: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: dict[str, Any]) -> dict[str, Any]: ...

@overload
def solve_levels(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], pull: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], side: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: dict[str, Any]) -> dict[str, Any]:
    """
    Levels of all nodes, breakpoints and certificate, for arrays that have been checked; options: lowest, highest, relaxation_rounds, n_threads.
    """

def reached_from(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """1 for the nodes of a checked graph that are connected to a seed."""

def round_points(columns: dict[str, Any], n_threads: int) -> dict[str, Any]:
    """
    Points in their order in single precision, and the gaps of their bounds. Columns are points, order, center, scale.
    """

def nearest_rows(columns: dict[str, Any], queries: dict[str, Any], products: dict[str, Any], k: int, n_threads: int) -> dict[str, Any]:
    """
    The k nearest points of each query. Columns also are matrix, gaps (empty, or from round_points), range_ends; queries rows, numbers, visited; products sgemm and dgemm of scipy.linalg.cython_blas.
    """

def grow_forest(table: dict[str, Any], sampling: dict[str, Any], options: dict[str, Any], n_threads: int, callback: object | None) -> dict[str, Any]:
    """
    The nodes of all trees and the risk reduction of each feature in each tree. A table is n_rows, values, rows, n_categories; a sampling labelled, row_fold, tree_fold, tree_seed.
    """

def rows_of_trees(labelled: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tree_seed: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_rows: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    The rows each tree would see of more than max_rows, labelled ones first.
    """

def check_forest(forest: dict[str, Any], n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """
    Raises if the arrays are no forest for columns with so many categories each.
    """

def score_rows(forest: dict[str, Any], table: dict[str, Any], first: int, last: int, n_threads: int) -> dict[str, Any]:
    """Votes and sums of the leaves' fractions over some of the trees."""

def find_leaves(forest: dict[str, Any], table: dict[str, Any], n_threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The leaf of each row in each tree, row after row."""

def find_proximities(leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, n_trees: int, n_leaves: int, n_neighbors: int, n_threads: int) -> dict[str, Any]:
    """The rows that share a leaf most often with each row, and how often."""
