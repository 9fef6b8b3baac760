"""Kernel ridge regression with many landmarks, of one target after the other.

    f(x) = sum_j weight_j k(x, z_j) + intercept,   k the Gaussian kernel exp(-width d^2 / H)

as in `ridge`, but for large tables, where more landmarks tell more. Leave-one-out scores would then
cost more than all the rest, so that each row is scored by the regression without its fold. The
kernel is computed once and held; the regressions of all folds and targets are found together by
conjugate gradients, and those of a further target start from the ones before. Landmarks are centres
of clusters, which stand for more of the rows than rows drawn at random.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut._support.threads import in_threads
from pucut.data.row_order import IndexArray
from pucut.kernels.conjugate_gradients import Preconditioner
from pucut.kernels.gaussian import GaussianKernel, squared_norms
from pucut.kernels.machines import Machine, as_float64
from pucut.kernels.ridge import JITTER, drawn

N_FOLDS = 3
LEARNING = 1.0 - 1.0 / N_FOLDS  # the share of the rows that a regression learns from
PENALTY = 0.1
# A landmark for so many rows; at most so many, and a kernel of at most so many bytes.
ROWS_A_LANDMARK, MOST_LANDMARKS, MOST_BYTES = 10, 7000, 2e9
# Regressions learn from at most so many rows; all are scored.
MOST_ROWS = 100_000
# Gradients end when this share of the right-hand sides is missing, or after so many steps: scores
# rank rows, and further digits do not change ranks.
TOLERANCE, MOST_STEPS = 0.02, 15
# Clusters are made of so many rows for each landmark, in so many steps of k-means.
_ROWS_A_CENTRE, _STEPS = 5, 1
# Rows, or columns, that a thread takes at a time.
_SIZE_OF_A_PART = 512

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class FoldedScores:
    """The scores of the rows by regressions that left out their folds, one line per target.

    `machine` is the mean of the regressions of the last target; `found` is what the regressions of
    similar targets may start from.
    """

    of_targets: FloatArray
    machine: Machine
    found: FloatArray


class FoldedRidge:
    """Regressions on the same rows, landmarks and width."""

    def __init__(
        self,
        points: Any,
        width: float,
        random: np.random.RandomState,
        groups: IndexArray,
        n_threads: int,
        most_landmarks: int = MOST_LANDMARKS,
    ) -> None:
        """Rows of a group (`data.repeats`) share a fold. Points are dense."""
        n_rows, n_features = points.shape
        self._points = points.astype(np.float32, copy=False)
        self._n_threads = n_threads
        self._gamma = width / n_features
        nearest = partial(nearest_points, n_threads=n_threads)
        m = min(n_landmarks(n_rows), most_landmarks)
        self._landmarks = centres(self._points, m, random, nearest)
        self._kernel = GaussianKernel(self._landmarks, self._gamma)
        self._fold = random.randint(N_FOLDS, size=int(groups.max()) + 1)[groups]
        self._learning = drawn(n_rows, MOST_ROWS, random)
        self._held = np.empty((len(self._learning), m), dtype=np.float32)
        own = np.empty(len(self._learning), dtype=np.intp)

        def fill(some: slice) -> FloatArray:
            kernel = self._kernel.of(self._points[self._learning[some]])
            self._held[some] = kernel
            own[some] = kernel.argmax(axis=1)
            return np.asarray(kernel.sum(axis=0, dtype=np.float64))

        totals = in_threads(fill, _parts(len(own)), n_threads)
        self._mean: FloatArray = np.add.reduce(totals) / len(own)
        n_near = np.multiply(LEARNING, np.bincount(own, minlength=m), dtype=np.float64)
        self._preconditioner = Preconditioner(self._among(), n_near, PENALTY, n_threads)

    def scores(self, targets: BoolArray, start: FloatArray | None = None) -> FoldedScores:
        """Of targets, one line each; `start` is what was found for as many other ones."""
        target = targets[:, self._learning].T.astype(np.float64)
        share = target.mean(axis=0)
        # A column for each fold and target.
        learns = self._fold[self._learning][:, None] != np.arange(N_FOLDS)
        learns = np.repeat(learns, len(targets), axis=1)
        rest = np.where(learns, np.tile(target - share, N_FOLDS), 0.0).astype(np.float32)

        def product(weights: FloatArray) -> FloatArray:
            single, shift = self._single(weights)
            return self._towards(lambda some, kernel: (kernel @ single - shift) * learns[some])

        right = self._towards(lambda some, _: rest[some])
        weights, found = self._preconditioner.solved(product, right, start, TOLERANCE, MOST_STEPS)
        last = np.mean(weights[:, len(targets) - 1 :: len(targets)], axis=1)
        intercept = float(share[-1] - self._mean @ last)
        # By products of matrices, as on a GPU: landmarks are many.
        machine = Machine(as_float64(self._landmarks), last, intercept, self._gamma, "cpu")
        # Beyond these digits the order of summation would show.
        return FoldedScores(np.round(self._left_out(weights, share), 6), machine, found)

    def _left_out(self, weights: FloatArray, share: FloatArray) -> FloatArray:
        """The scores of all rows by the regressions without their folds, one line per target."""
        single, shift = self._single(weights)
        scores = np.empty((len(share), len(self._points)))

        def score(rows: IndexArray, kernel: Floats) -> None:
            of_folds = (kernel @ single - shift).reshape(len(rows), N_FOLDS, len(share))
            scores[:, rows] = (share + of_folds[np.arange(len(rows)), self._fold[rows]]).T

        def score_held(some: slice) -> None:
            score(self._learning[some], self._held[some])

        def score_others(some: slice) -> None:
            kernel: Any = self._kernel.of(self._points[others[some]])
            score(others[some], kernel)

        others = np.setdiff1d(np.arange(len(self._points)), self._learning, assume_unique=True)
        in_threads(score_held, _parts(len(self._learning)), self._n_threads)
        in_threads(score_others, _parts(len(others)), self._n_threads)
        return scores

    def _towards(self, rest_of: Callable[[slice, Floats], Floats]) -> FloatArray:
        """The products of the centred columns of the kernel and what `rest_of` says of rows."""

        def multiply(some: slice) -> tuple[Floats, FloatArray]:
            kernel = self._held[some]
            rest = rest_of(some, kernel)
            return rest.T @ kernel, rest.sum(axis=0, dtype=np.float64)

        parts = in_threads(multiply, _parts(len(self._held)), self._n_threads)
        products, sums = zip(*parts, strict=True)
        total = np.add.reduce(products, dtype=np.float64).T
        return np.asarray(total - np.outer(self._mean, np.add.reduce(sums)))

    def _single(self, weights: FloatArray) -> tuple[Floats, Floats]:
        """Weights, and what they make of the means of the columns, as the kernel is held."""
        return weights.astype(np.float32), (self._mean @ weights).astype(np.float32)

    def _among(self) -> FloatArray:
        """The kernel of the landmarks, upper half."""
        landmarks = as_float64(self._landmarks)
        among = np.zeros((len(landmarks), len(landmarks)))

        def fill(some: slice) -> None:
            # One by one, distances of so many landmarks would take longer than a round.
            kernel = GaussianKernel(landmarks[some], self._gamma, by_products=True)
            among[: some.stop, some] = kernel.of(landmarks[: some.stop])

        in_threads(fill, _parts(len(landmarks)), self._n_threads)
        among[np.diag_indices_from(among)] += JITTER
        return among


def _parts(n: int) -> list[slice]:
    return [slice(first, first + _SIZE_OF_A_PART) for first in range(0, n, _SIZE_OF_A_PART)]


def n_landmarks(n_rows: int) -> int:
    of_bytes = int(MOST_BYTES) // (4 * min(n_rows, MOST_ROWS))
    return min(max(n_rows // ROWS_A_LANDMARK, 1), MOST_LANDMARKS, of_bytes)


def matrix_bytes(n_rows: int) -> int:
    """Of the kernel that is held, and of the roots of the landmarks while they are made."""
    m = n_landmarks(n_rows)
    return m * (4 * min(n_rows, MOST_ROWS) + 3 * 8 * m)


def centres(
    rows: Floats,
    n_centres: int,
    random: np.random.RandomState,
    nearest: Callable[[Floats, Floats], IndexArray],
) -> Floats:
    """Of clusters of some of the rows, by k-means; an empty one stays in place.

    `nearest` says for each row which of some points is nearest.
    """
    some = rows[drawn(len(rows), _ROWS_A_CENTRE * n_centres, random)]
    found: Floats = some[drawn(len(some), n_centres, random)]
    for _ in range(_STEPS):
        of_rows = nearest(some, found)
        order = np.argsort(of_rows, kind="stable")
        present, starts = np.unique(of_rows[order], return_index=True)
        sizes = np.diff(np.append(starts, len(some)))
        found = found.copy()
        found[present] = np.add.reduceat(some[order], starts, axis=0) / sizes[:, None]
    return found


def nearest_points(rows: Floats, points: Floats, n_threads: int) -> IndexArray:
    half_squares = squared_norms(points) / 2.0
    nearest = np.empty(len(rows), dtype=np.intp)

    def assign(part: slice) -> None:
        nearest[part] = (rows[part] @ points.T - half_squares).argmax(axis=1)

    in_threads(assign, _parts(len(rows)), n_threads)
    return nearest
