"""Nearest rows: exact, approximate, on a GPU, or from a graph of distances; ties by row number."""

from pucut.graphs.neighbors.index import NeighborIndex, nearest_neighbors, nearest_to
from pucut.graphs.neighbors.lists import NeighborLists

__all__ = ["NeighborIndex", "NeighborLists", "nearest_neighbors", "nearest_to"]
