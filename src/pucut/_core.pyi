"""Native core of pucut."""

from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


def check_graph(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, int, int]:
    """
    Fault (0 for none), row and place of the first entry that keeps CSR arrays from being a symmetric graph.
    """

def weighted_degrees(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Sums of the rows of a checked graph, without its diagonal."""

def solve_levels(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pull: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], side: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: float, highest: float, relaxation_rounds: int, n_threads: int) -> dict[str, Any]:
    """
    Levels of all nodes, breakpoints and certificate, for arrays that have been checked.
    """
