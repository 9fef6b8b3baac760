"""Kernel ridge regression with many landmarks, of one target after the other.

    f(x) = sum_j weight_j k(x, z_j) + intercept,   k the Gaussian kernel exp(-width d^2 / H)

as in `ridge`, but for large tables, where more landmarks tell more. Leave-one-out scores would then
cost more than all the rest, so that each row is scored by the regression without its fold. The
kernel is computed once and held; the regressions of all folds and targets are found together by
conjugate gradients, and those of a further target start from the ones before. Landmarks are centres
of clusters, which stand for more of the rows than rows drawn at random.

The regression is written once, for arrays of NumPy and of PyTorch. `KernelHere` holds the kernel
and multiplies by it; torch_folded_ridge.py has the same for a device.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut._support.threads import in_threads
from pucut.kernels.centres import moved_centres
from pucut.kernels.conjugate_gradients import preconditioner
from pucut.kernels.gaussian import DIGITS, JITTER, GaussianKernel, drawn, row_blocks, squared_norms
from pucut.kernels.machines import Machine, as_float64

N_FOLDS = 3
LEARNING = 1.0 - 1.0 / N_FOLDS  # the share of the rows that a regression learns from
PENALTY = 0.1
# Rows for each landmark, the most landmarks, and the most bytes of the kernel.
ROWS_A_LANDMARK, MOST_LANDMARKS, MOST_BYTES = 10, 7000, 2e9
# The most rows that regressions learn from; all are scored.
MOST_ROWS = 100_000
# Conjugate gradients end when this share of the right-hand sides is left, or after these steps:
# scores rank rows, and further digits do not change ranks.
TOLERANCE, MOST_STEPS = 0.02, 15
# Rows for each landmark from which clusters are made, and steps of k-means.
_ROWS_A_CENTRE, _STEPS = 5, 1
# Rows, or columns, that a thread takes at a time.
_SIZE_OF_A_PART = 512

Floats = npt.NDArray[np.float32]
NearestOf = Callable[[Floats, Floats], IndexArray]


@dataclass(frozen=True, eq=False)
class FoldedScores:
    """The scores of the rows by regressions that left out their folds, one line per target.

    `machine` is the mean of the regressions of the last target; the regressions of similar targets
    may start from `found`.
    """

    of_targets: FloatArray
    machine: Machine
    found: FloatArray


class FoldedRidge:
    """Regressions on the same rows, landmarks and width.

    With a `device` of PyTorch they are computed there, with more landmarks, until `close`.
    """

    def __init__(
        self,
        points: Any,
        width: float,
        random: np.random.RandomState,
        groups: IndexArray,
        n_threads: int = 1,
        most_landmarks: int = MOST_LANDMARKS,
        device: str | None = None,
    ) -> None:
        """Rows of a group (`data.repeats`) share a fold. Points are dense."""
        n_rows, n_features = points.shape
        points = points.astype(np.float32, copy=False)
        self._gamma, self._device = width / n_features, device
        if device is None:
            m = min(folded_landmarks(n_rows), most_landmarks)
            nearest: NearestOf = partial(nearest_points, n_threads=n_threads)
            held: Callable[..., Any] = partial(KernelHere, n_threads=n_threads)
        else:
            from pucut.kernels import torch_folded_ridge as there  # PyTorch takes seconds to load
            from pucut.kernels.torch_ridge import free_memory

            m = there.landmarks_in_memory(n_rows, free_memory(device))
            nearest = partial(there.nearest_points, gamma=self._gamma, device=device)
            held = partial(there.KernelThere, device=device)
        self._landmarks = cluster_centres(points, m, random, nearest)
        self._fold = random.randint(N_FOLDS, size=int(groups.max()) + 1)[groups]
        self._learning = drawn(n_rows, MOST_ROWS, random)
        self._held = held(points, self._learning, self._landmarks, self._gamma)

    def close(self) -> None:
        """Leave nothing on the device."""
        del self._held
        if self._device is not None:
            from pucut.kernels.torch_ridge import empty_cache

            empty_cache()

    def scores(self, targets: BoolArray, start: FloatArray | None = None) -> FoldedScores:
        """Score the rows for targets, one line each; `start` is `found` for as many other ones."""
        held, n_targets = self._held, len(targets)
        target = targets[:, self._learning].T.astype(np.float64)
        share = held.here(held.there(target).mean(0))
        # A column for each fold and target.
        of_folds = self._fold[self._learning][:, None] != np.arange(N_FOLDS)
        learns = held.there(np.repeat(of_folds, n_targets, axis=1))
        rest = held.single(held.there(np.tile(target - share, N_FOLDS)) * learns)

        def product(weights: Any) -> Any:
            single, shift = held.single(weights), held.single(held.mean @ weights)
            return held.towards(lambda some, kernel: (kernel @ single - shift) * learns[some])

        right = held.towards(lambda some, _: rest[some])
        before = None if start is None else held.there(start)
        weights, found = held.preconditioner.solved(product, right, before, TOLERANCE, MOST_STEPS)
        last = weights[:, n_targets - 1 :: n_targets].mean(1)
        intercept = float(share[-1] - float(held.mean @ last))
        # By products of matrices here too, since landmarks are many.
        machine = Machine(
            as_float64(self._landmarks),
            held.here(last),
            intercept,
            self._gamma,
            self._device or "cpu",
        )
        left_out = np.round(self._left_out(weights, share), DIGITS)
        return FoldedScores(left_out, machine, held.here(found))

    def _left_out(self, weights: Any, share: FloatArray) -> FloatArray:
        """Score all rows by the regressions without their folds, one line per target."""
        held = self._held
        single, shift = held.single(weights), held.single(held.mean @ weights)
        scores = np.empty((len(share), len(self._fold)))

        def score(rows: IndexArray, kernel: Any) -> None:
            of_folds = held.here(kernel @ single - shift).reshape(len(rows), N_FOLDS, len(share))
            scores[:, rows] = (share + of_folds[np.arange(len(rows)), self._fold[rows]]).T

        held.of_all_rows(score)
        return scores


class KernelHere:
    """The kernel of the rows that regressions learn from, held in single precision by NumPy.

    `mean` has the means of its columns.
    """

    def __init__(
        self, points: Floats, learning: IndexArray, landmarks: Floats, gamma: float, n_threads: int
    ) -> None:
        self._points, self._learning, self._n_threads = points, learning, n_threads
        self._kernel = GaussianKernel(landmarks, gamma)
        self._held = np.empty((len(learning), len(landmarks)), dtype=np.float32)
        own = np.empty(len(learning), dtype=np.intp)

        def hold(some: slice) -> FloatArray:
            kernel = self._kernel.of(points[learning[some]])
            self._held[some] = kernel
            own[some] = kernel.argmax(axis=1)
            return np.asarray(kernel.sum(axis=0, dtype=np.float64))

        self.mean = np.add.reduce(self._in_parts(hold, len(own))) / len(own)
        n_near = np.multiply(LEARNING, np.bincount(own, minlength=len(landmarks)), dtype=np.float64)
        among = self._among(as_float64(landmarks))
        self.preconditioner = preconditioner(among, n_near, PENALTY, n_threads)

    def there(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return an array of NumPy as one that the kernel is multiplied by."""
        return values

    here = there  # and back

    def single(self, values: FloatArray) -> Floats:
        return values.astype(np.float32)

    def towards(self, rest_of: Callable[[slice, Floats], Floats]) -> FloatArray:
        """Multiply the centred columns by a matrix, whose rows `rest_of` returns."""

        def multiply(some: slice) -> tuple[Floats, FloatArray]:
            kernel = self._held[some]
            rest = rest_of(some, kernel)
            return rest.T @ kernel, rest.sum(axis=0, dtype=np.float64)

        products, sums = zip(*self._in_parts(multiply, len(self._held)), strict=True)
        total = np.add.reduce(products, dtype=np.float64).T
        return np.asarray(total - np.outer(self.mean, np.add.reduce(sums)))

    def of_all_rows(self, work: Callable[[IndexArray, Any], None]) -> None:
        """Do the work on all rows, those that are not held too, and their kernels."""
        others = np.setdiff1d(np.arange(len(self._points)), self._learning, assume_unique=True)

        def on_others(some: slice) -> None:
            work(others[some], self._kernel.of(self._points[others[some]]))

        self._in_parts(lambda some: work(self._learning[some], self._held[some]), len(self._held))
        self._in_parts(on_others, len(others))

    def _among(self, landmarks: FloatArray) -> FloatArray:
        """Return the kernel of the landmarks, upper half."""
        among = np.zeros((len(landmarks), len(landmarks)))

        def fill(some: slice) -> None:
            # Measuring the distances of all landmarks one by one would take too long.
            kernel = GaussianKernel(landmarks[some], self._kernel.gamma, by_products=True)
            among[: some.stop, some] = kernel.of(landmarks[: some.stop])

        self._in_parts(fill, len(landmarks))
        among[np.diag_indices_from(among)] += JITTER
        return among

    def _in_parts(self, work: Callable[[slice], Any], n: int) -> list[Any]:
        return in_threads(work, row_blocks(n, _SIZE_OF_A_PART), self._n_threads)


def folded_landmarks(n_rows: int) -> int:
    """Return the number of landmarks."""
    of_bytes = int(MOST_BYTES) // (4 * min(n_rows, MOST_ROWS))
    return min(max(n_rows // ROWS_A_LANDMARK, 1), MOST_LANDMARKS, of_bytes)


def matrix_bytes(n_rows: int) -> int:
    """Return the bytes of the kernel that is held, and of the roots while they are made."""
    m = folded_landmarks(n_rows)
    return m * (4 * min(n_rows, MOST_ROWS) + 3 * 8 * m)


def cluster_centres(
    rows: Floats, n_centres: int, random: np.random.RandomState, nearest: NearestOf
) -> Floats:
    """Return centres of clusters of some of the rows, by k-means.

    `nearest` returns for each row the number of the nearest of some points.
    """
    some = rows[drawn(len(rows), _ROWS_A_CENTRE * n_centres, random)]
    found: Floats = some[drawn(len(some), n_centres, random)]
    for _ in range(_STEPS):
        found = moved_centres(found, some, nearest(some, found))
    return found


def nearest_points(rows: Floats, points: Floats, n_threads: int) -> IndexArray:
    """Return for each row the number of the nearest point."""
    half_squares = squared_norms(points) / 2.0

    def nearest(part: slice) -> Any:
        return (rows[part] @ points.T - half_squares).argmax(axis=1)

    return np.concatenate(in_threads(nearest, row_blocks(len(rows), _SIZE_OF_A_PART), n_threads))
