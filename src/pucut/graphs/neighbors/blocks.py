"""Blocks of rows shared by threads, and their matrix products."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import is_sparse
from pucut._support.threads import in_threads, library_threads


def in_blocks(work: Callable[[Any], None], blocks: Iterable[Any], n_threads: int) -> None:
    """Do the work on every block, on threads; each matrix product then gets one thread."""
    with library_threads(1, "blas"):
        in_threads(work, blocks, n_threads)


def products(queries: Any, points: Any) -> npt.NDArray[Any]:
    """Return the products of all pairs of rows, which are finite and of moderate size."""
    # Products of a few rows may compute in lanes that are thrown away, and these may set the flag
    # of an invalid operation.
    with np.errstate(invalid="ignore"):
        product: npt.NDArray[Any] = queries @ points.T
    # Declared dense, which it is unless both factors are sparse.
    return product.toarray() if is_sparse(product) else product  # type: ignore[attr-defined]
