"""Kernel regressions by conjugate gradients, with a preconditioner made of the landmarks.

The weights w of a kernel regression with landmarks solve (G'G + penalty K) w = G'y, with G the
kernel of rows and landmarks and K that of the landmarks. G'G costs a product for each row and each
pair of landmarks. Conjugate gradients need only G'(G w), a few times if the system is first
brought near the identity. If every row stood where its nearest landmark stands, G'G would be K D K,
with D the number of rows of each landmark: with upper roots T'T = K and A'A = T D T' + penalty I,
the system of v = A T w is then the identity (Rudi, Carratino and Rosasco, "FALKON", NIPS 2017).

Arrays are of NumPy or of PyTorch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from pucut._support.checks import FloatArray
from pucut._support.threads import in_threads
from pucut.kernels.gaussian import row_blocks

# Added to the diagonal of a matrix without a root, and ten times as much until there is one.
LEAST_OF_ITS_MEAN = 1e-12
# Columns of a product that a thread computes at a time.
_COLUMNS_OF_A_PART = 512
_TINY = 1e-300

Product = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Preconditioner:
    """The roots T and A of a system whose rows stand where the landmarks stand.

    `solve` solves the upper triangular system of a root, or the transposed one.
    """

    outer: Any
    inner: Any
    penalty: float
    solve: Callable[..., Any]

    def solved(
        self, product: Product, right: Any, start: Any, tolerance: float, most_steps: int
    ) -> tuple[Any, Any]:
        """Return the solution w, and v = A T w, from which similar systems may start.

        `product` is G'G times some weights, `right` is G'y: a column for each system.
        """
        outer, inner, solve = self.outer, self.inner, self.solve

        def of_system(v: Any) -> Any:
            half = solve(inner, v)
            image = solve(outer, product(solve(outer, half)), transposed=True)
            return solve(inner, image + self.penalty * half, transposed=True)

        right = solve(inner, solve(outer, right, transposed=True), transposed=True)
        found = conjugate_gradients(of_system, right, start, tolerance, most_steps)
        return solve(outer, solve(inner, found)), found


def preconditioner(
    kernel: FloatArray, n_rows: FloatArray, penalty: float, n_threads: int
) -> Preconditioner:
    """Make the roots from the kernel of the landmarks and the rows near each of them.

    The upper half of the kernel is enough; it may be changed.
    """
    outer = upper_root(kernel)
    del kernel  # as large as each of the others
    inner = upper_square(outer * np.sqrt(n_rows), n_threads)
    inner[np.diag_indices_from(inner)] += penalty
    return Preconditioner(outer, upper_root(inner), penalty, solve)


def conjugate_gradients(
    product: Product, right: Any, start: Any, tolerance: float, most_steps: int
) -> Any:
    """Return x such that product(x) is `right`, a column for each system; all share the product.

    A column is done when its residual is small beside `right`, or after `most_steps`; it does not
    depend on the other columns.
    """
    found = 0.0 * right if start is None else start
    rest = direction = right if start is None else right - product(start)
    size = (rest * rest).sum(0)
    small_enough = tolerance**2 * (right * right).sum(0)
    for _ in range(most_steps):
        is_open = size > small_enough
        if not is_open.any():
            break
        image = product(direction)
        step = is_open * size / ((direction * image).sum(0) + _TINY)
        found = found + step * direction
        rest = rest - step * image
        before, size = size, (rest * rest).sum(0)
        direction = rest + size / (before + _TINY) * direction
    return found


def upper_root(matrix: FloatArray) -> FloatArray:
    """Return the upper Cholesky root of a symmetric matrix whose upper half is given.

    If rounding has left it without a root, the least is added to its diagonal that gives it one.
    """
    diagonal = np.diag_indices_from(matrix)
    added = LEAST_OF_ITS_MEAN * float(np.trace(matrix)) / len(matrix)
    while True:
        try:
            # Transposed it is in the order of Fortran, and the upper half is the lower one.
            return np.asarray(scipy.linalg.cholesky(matrix.T, lower=True).T)
        except np.linalg.LinAlgError:
            matrix[diagonal] += added
            added *= 10.0


def upper_square(root: FloatArray, n_threads: int) -> FloatArray:
    """Return the upper half of R R', for an upper triangular R."""
    square = np.zeros_like(root)

    def multiply(some: slice) -> None:
        # Left of its diagonal the root is 0.
        square[: some.stop, some] = root[: some.stop, some.start :] @ root[some, some.start :].T

    in_threads(multiply, row_blocks(len(square), _COLUMNS_OF_A_PART), n_threads)
    return square


def solve(root: FloatArray, right: FloatArray, *, transposed: bool = False) -> FloatArray:
    """Solve the system of an upper triangular root, or the transposed one."""
    kind: Any = "T" if transposed else "N"
    return np.asarray(scipy.linalg.solve_triangular(root, right, trans=kind, check_finite=False))
