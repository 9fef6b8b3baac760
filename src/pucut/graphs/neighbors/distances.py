"""The squared distance that every search for neighbours uses, to the last bit.

The squared distance of two rows is the sum of the squared differences of their features, in double
precision and in one fixed order: feature h goes to lane h mod LANES, each lane is summed in the
order of the features, and then the upper half of the lanes is added to the lower until one lane is
left. Only single additions are used, so the bits depend neither on the number of rows at hand nor
on how a library sums, d(i, j) == d(j, i), and dense, sparse and GPU code give the same.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray, is_sparse

LANES = 64
# Numbers in a block of differences, which stays in a processor's cache.
_BLOCK_ENTRIES = 1 << 16

Positions = npt.NDArray[np.integer]


def paired_squared_distances(
    first: Any, first_rows: Positions, second: Any, second_rows: Positions
) -> FloatArray:
    """Return squared distances of first[first_rows[p]] and second[second_rows[p]] for every p."""
    result = np.empty(len(first_rows))
    width = LANES if is_sparse(first) else max(1, first.shape[1])
    step = max(1, _BLOCK_ENTRIES // width)
    for start in range(0, len(result), step):
        block = slice(start, start + step)
        left, right = first[first_rows[block]], second[second_rows[block]]
        if is_sparse(left):
            squares = _sparse_lanes(left, right)
        else:
            squares = np.subtract(left, right, dtype=np.float64)
            squares *= squares
        result[block] = sum_in_lanes(squares)
    return result


def sum_in_lanes(squares: Any) -> Any:
    """Return the sums of the rows in the fixed order, from an array of NumPy or of PyTorch.

    The array is overwritten. Lanes that do not exist count as zero, which changes no sum.
    """
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
    return lanes[:, 0] if lanes.shape[1] else lanes.sum(1)


def _sparse_lanes(left: Any, right: Any) -> FloatArray:
    difference = left.astype(np.float64) - right.astype(np.float64)
    difference.sort_indices()
    n_rows = difference.shape[0]
    row = np.repeat(np.arange(n_rows), np.diff(difference.indptr))
    # bincount adds one by one, in the order of its input.
    sums = np.bincount(
        row * LANES + difference.indices % LANES,
        weights=np.square(difference.data),
        minlength=n_rows * LANES,
    )
    return np.asarray(sums, dtype=np.float64).reshape(n_rows, LANES)


def products(queries: Any, points: Any) -> npt.NDArray[Any]:
    """Return the products of all pairs of rows, which are finite and of moderate size."""
    # Products of a few rows may compute in lanes that are thrown away, and these may set the flag
    # of an invalid operation.
    with np.errstate(invalid="ignore"):
        product: npt.NDArray[Any] = queries @ points.T
    # Declared dense, which it is unless both factors are sparse.
    return product.toarray() if is_sparse(product) else product  # type: ignore[attr-defined]  # sparse
