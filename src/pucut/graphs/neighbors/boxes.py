"""Points divided among boxes, so that an exact search can leave out what is too far away.

The points are halved at the median along one of a few directions, again and again. The directions
are those along which they vary most, roughly: boxes bound distances from below for any directions
that are orthonormal. Where a table varies along few directions, as after weighting its columns,
most boxes are too far from a query to be looked into; where it varies along many, none is.
"""

from dataclasses import dataclass

import numpy as np

from pucut._support.checks import FloatArray
from pucut.graphs.neighbors.equal_rows import Indices, RowNumbers

# More of them cost time and save none, in 20 features as in 784.
_DIRECTIONS = 4
_STEPS = 4
_ROWS_FOR_WIDTH = 256
_ROWS_OF_A_BOX = 256
# Fewer than these save less than it takes to make them.
_FEWEST_BOXES, _MOST_BOXES = 16, 512


@dataclass(frozen=True, eq=False)
class Boxes:
    """The order that puts rows of a box together, where each box ends, and what bounds it.

    Attributes
    ----------
    directions : float array of shape (n_directions, n_features)
    low, high : float arrays of shape (n_directions, n_boxes)
    """

    order: RowNumbers
    ends: Indices
    directions: FloatArray
    low: FloatArray
    high: FloatArray


def main_directions(sample: FloatArray) -> FloatArray:
    """Orthonormal directions along which centred rows vary most, by steps of power iteration."""
    n_features = sample.shape[1]
    start = np.random.default_rng(0).normal(size=(n_features, min(_DIRECTIONS, n_features)))
    directions = np.linalg.qr(start)[0]
    for _ in range(_STEPS):
        directions = np.linalg.qr(sample.T @ (sample @ directions))[0]
    return np.ascontiguousarray(directions.T)


def are_worth_it(n_rows: int, n_features: int) -> bool:
    return n_features > 0 and n_rows // _ROWS_OF_A_BOX >= _FEWEST_BOXES


def divide(places: FloatArray, directions: FloatArray) -> Boxes:
    """Boxes of points that have these coordinates along the directions."""
    n_rows = len(places)
    n_boxes = min(n_rows // _ROWS_OF_A_BOX, _MOST_BOXES)
    parts = _halves(places, np.arange(n_rows), n_boxes)
    order = np.concatenate(parts).astype(np.int32)
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    starts, sorted_places = np.append(0, ends[:-1]), places[order]
    return Boxes(
        order,
        ends,
        directions,
        np.ascontiguousarray(np.minimum.reduceat(sorted_places, starts, axis=0).T),
        np.ascontiguousarray(np.maximum.reduceat(sorted_places, starts, axis=0).T),
    )


def _halves(places: FloatArray, rows: Indices, n_parts: int) -> list[Indices]:
    if n_parts < 2:
        return [rows]
    own = places[rows]
    # Which one is widest can be seen from some of the rows.
    widest = own[:: max(1, len(own) // _ROWS_FOR_WIDTH)].var(axis=0).argmax()
    below = n_parts // 2
    half = len(rows) * below // n_parts
    rows = rows[np.argpartition(own[:, widest], half)]
    return [*_halves(places, rows[:half], below), *_halves(places, rows[half:], n_parts - below)]
