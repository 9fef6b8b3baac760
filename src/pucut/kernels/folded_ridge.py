"""Kernel ridge regression with many landmarks, of one target after the other.

    f(x) = sum_j weight_j k(x, z_j) + intercept,   k the Gaussian kernel exp(-width d^2 / H)

as in `ridge`, but for large tables, where more landmarks tell more. Leave-one-out scores would then
cost more than all the rest, so that each row is scored by the regression without its fold. What
depends on the rows alone is computed once; a further target costs two looks at the kernel.
Landmarks are centres of clusters, which stand for more of the rows than rows drawn at random.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.linalg

from pucut._support.checks import BoolArray, FloatArray
from pucut._support.threads import in_threads
from pucut.data.row_order import IndexArray
from pucut.kernels.gaussian import GaussianKernel, squared_norms
from pucut.kernels.machines import Machine, as_float64
from pucut.kernels.ridge import JITTER, drawn

N_FOLDS = 3
PENALTY = 0.1
# A landmark for so many rows, and at most so many.
ROWS_A_LANDMARK, MOST_LANDMARKS = 16, 4500
# Regressions learn from at most so many rows; all are scored.
MOST_ROWS = 100_000
# Clusters are made of so many rows for each landmark, in so many steps of k-means.
_ROWS_A_CENTRE, _STEPS = 10, 2
# Added to the diagonal of products, for each row: what rounding may lose.
LEAST_OF_A_ROW = 1e-10
# Rows whose kernel is held at once, in parts of so many that threads share.
_ROWS_OF_A_BLOCK, _ROWS_OF_A_PART = 4096, 512
# Columns of the products that a thread computes at a time.
_COLUMNS_OF_A_PART = 512

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class FoldedScores:
    """The scores of the rows by regressions that left out their folds, one line per target.

    `machine` is the mean of the regressions of the last target.
    """

    of_targets: FloatArray
    machine: Machine


class FoldedRidge:
    """Regressions on the same rows, landmarks and width."""

    def __init__(
        self,
        points: Any,
        width: float,
        random: np.random.RandomState,
        groups: IndexArray,
        n_threads: int,
    ) -> None:
        """Rows of a group (`data.repeats`) share a fold. Points are dense."""
        n_rows, n_features = points.shape
        self._points = points.astype(np.float32, copy=False)
        self._n_threads = n_threads
        self._gamma = width / n_features
        self._landmarks = centres(self._points, n_landmarks(n_rows), random, n_threads)
        self._kernel = GaussianKernel(self._landmarks, self._gamma)
        self._fold = random.randint(N_FOLDS, size=int(groups.max()) + 1)[groups]
        learns = np.zeros(n_rows, dtype=np.bool_)
        learns[drawn(n_rows, MOST_ROWS, random)] = True
        self._learning = [np.flatnonzero(learns & (self._fold == fold)) for fold in range(N_FOLDS)]
        products, totals = zip(*map(self._products, self._learning), strict=True)
        self._mean: FloatArray = np.add.reduce(totals) / learns.sum()
        for product, total, rows in zip(products, totals, self._learning, strict=True):
            shift = np.outer(self._mean, total - len(rows) / 2.0 * self._mean)
            product -= shift + shift.T
        penalised = np.add.reduce(products) + self._among()
        least = LEAST_OF_A_ROW * learns.sum()
        self._roots = [_root(penalised - own, least) for own in products]

    def scores(self, targets: BoolArray) -> FoldedScores:
        """Of targets, one line each."""
        target = targets.T.astype(np.float64)
        share = target[np.concatenate(self._learning)].mean(axis=0)
        towards = [self._towards(rows, target[rows] - share) for rows in self._learning]
        total = np.add.reduce(towards)
        weights = [
            scipy.linalg.cho_solve((root, True), total - own)
            for root, own in zip(self._roots, towards, strict=True)
        ]
        found = np.empty_like(target)
        for rows, kernel in self._blocks(np.arange(len(target))):
            kernel -= self._mean.astype(np.float32)
            for fold, of_fold in enumerate(weights):
                own = self._fold[rows] == fold
                found[rows[own]] = share + kernel[own] @ of_fold.astype(np.float32)
        last = np.mean([of_fold[:, -1] for of_fold in weights], axis=0)
        intercept = float(share[-1] - self._mean @ last)
        # By products of matrices, as on a GPU: landmarks are many.
        machine = Machine(as_float64(self._landmarks), last, intercept, self._gamma, "cpu")
        # Beyond these digits the order of summation would show.
        return FoldedScores(np.round(found.T, 6), machine)

    def _among(self) -> FloatArray:
        """The penalty: the kernel of the landmarks."""
        landmarks = as_float64(self._landmarks)
        # One by one, distances of so many landmarks would take longer than a round.
        among = GaussianKernel(landmarks, self._gamma, by_products=True).of(landmarks)
        among[np.diag_indices_from(among)] += JITTER
        return np.asarray(PENALTY * among)

    def _products(self, rows: IndexArray) -> tuple[FloatArray, FloatArray]:
        """The products of the columns of the kernel, upper half, and their sums."""
        m = len(self._landmarks)
        products, total = np.zeros((m, m)), np.zeros(m)
        for _, kernel in self._blocks(rows):
            total += kernel.sum(axis=0, dtype=np.float64)

            def add(first: int, kernel: Floats = kernel) -> None:
                some = slice(first, first + _COLUMNS_OF_A_PART)
                products[: some.stop, some] += kernel[:, : some.stop].T @ kernel[:, some]

            in_threads(add, range(0, m, _COLUMNS_OF_A_PART), self._n_threads)
        return products, total

    def _towards(self, rows: IndexArray, target: FloatArray) -> FloatArray:
        """The products of the centred columns and the targets of some rows."""
        found = np.zeros((len(self._landmarks), target.shape[1]))
        start = 0
        for block, kernel in self._blocks(rows):
            some = target[start : start + len(block)]
            found += kernel.T @ some.astype(np.float32)
            found -= np.outer(self._mean, some.sum(axis=0))
            start += len(block)
        return found

    def _blocks(self, rows: IndexArray) -> Iterator[tuple[IndexArray, Floats]]:
        """Some of the rows, block by block, and their kernel."""
        for start in range(0, len(rows), _ROWS_OF_A_BLOCK):
            block = rows[start : start + _ROWS_OF_A_BLOCK]
            kernel = np.empty((len(block), len(self._landmarks)), dtype=np.float32)

            def fill(first: int, block: IndexArray = block, kernel: Floats = kernel) -> None:
                some = slice(first, first + _ROWS_OF_A_PART)
                kernel[some] = self._kernel.of(self._points[block[some]])

            in_threads(fill, range(0, len(block), _ROWS_OF_A_PART), self._n_threads)
            yield block, kernel


def n_landmarks(n_rows: int) -> int:
    return min(max(n_rows // ROWS_A_LANDMARK, 1), MOST_LANDMARKS)


def matrix_bytes(n_landmarks: int) -> int:
    """Of the products and roots of all folds, and of the kernel of a block of rows."""
    return n_landmarks * (2 * (N_FOLDS + 1) * 8 * n_landmarks + 3 * 4 * _ROWS_OF_A_BLOCK)


def centres(rows: Floats, n_centres: int, random: np.random.RandomState, n_threads: int) -> Floats:
    """Of clusters of some of the rows, by a few steps of k-means; an empty one stays in place."""
    some = rows[drawn(len(rows), _ROWS_A_CENTRE * n_centres, random)]
    found: Floats = some[drawn(len(some), n_centres, random)]
    nearest = np.empty(len(some), dtype=np.intp)
    for _ in range(_STEPS):
        half_squares = squared_norms(found) / 2.0

        def assign(first: int, found: Floats = found, half: FloatArray = half_squares) -> None:
            part = slice(first, first + _ROWS_OF_A_PART)
            nearest[part] = (some[part] @ found.T - half).argmax(axis=1)

        in_threads(assign, range(0, len(some), _ROWS_OF_A_PART), n_threads)
        order = np.argsort(nearest, kind="stable")
        present, starts = np.unique(nearest[order], return_index=True)
        sizes = np.diff(np.append(starts, len(some)))
        found = found.copy()
        found[present] = np.add.reduceat(some[order], starts, axis=0) / sizes[:, None]
    return found


def _root(matrix: FloatArray, least: float) -> FloatArray:
    """The lower Cholesky root of a symmetric matrix of which the upper half is given.

    `least` is added to the diagonal, and ten times as much as long as there is no root: kernels in
    single precision may lose more than the penalty of landmarks that are close.
    """
    diagonal = np.diag_indices_from(matrix)
    while True:
        matrix[diagonal] += least
        try:
            # Transposed it is in the order of Fortran, and the upper half is the lower one.
            return np.asarray(scipy.linalg.cholesky(matrix.T, lower=True))
        except np.linalg.LinAlgError:
            least *= 10.0
