"""Support vector machines, exact if that is fast, and the kernel maps they need.

f(x) = sum_j weight_j k(x, z_j) + intercept, with k the Gaussian kernel exp(-gamma d^2) and gamma
one over the number of features, which have variance 1 each; or f(x) = weight x + intercept.

libsvm's time grows at least with the square of the rows. Beyond `MOST_EXACT_ROWS` the kernel is
approximated with a few landmarks (the Nystroem method): f is a sum over these, found with
liblinear's squared hinge loss. The linear machine is liblinear's at every size.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC, LinearSVC

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.kernels.gaussian import GaussianKernel, drawn, rounded_kernel_sums, row_blocks

KERNELS = ("rbf", "linear")
MOST_EXACT_ROWS = 2000
LANDMARKS = 300
# Rows whose kernel is held at once: in a processor's cache.
_BLOCK = 128


@dataclass(frozen=True, eq=False)
class Machine:
    """A fitted function: `landmarks` are the z_j, or None for a linear one.

    Every row is summed by itself and in one order, so that equal rows have equal scores, to the
    bit. A machine that was fitted on a `device` has many landmarks, and its sums are rounded.
    """

    landmarks: Any
    weights: FloatArray
    intercept: float
    gamma: float
    device: str | None = None

    def scores(self, points: Any) -> FloatArray:
        """Return f of each row: above 0 means positive."""
        if self.device is not None and self.landmarks is not None:
            sums = rounded_kernel_sums(points, self._kernel, self.weights[:, None], self.device)
            return np.asarray(sums[:, 0] + self.intercept)
        found = np.empty(points.shape[0])
        kernel = None if self.landmarks is None else GaussianKernel(self.landmarks, self.gamma)
        for block in row_blocks(len(found), _BLOCK):
            rows = points[block] if kernel is None else kernel.of(points[block])
            found[block] = row_sums(rows, self.weights)
        return found + self.intercept

    @cached_property
    def _kernel(self) -> GaussianKernel:
        """The kernel of many landmarks, whose squares take as long as a row; not pickled."""
        return GaussianKernel(self.landmarks, self.gamma, by_products=True)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_kernel"}


@dataclass(frozen=True, eq=False)
class KernelMap:
    """Features whose products are the kernel, exactly so between the landmarks."""

    landmarks: Any
    root: FloatArray
    gamma: float

    def features(self, points: Any) -> FloatArray:
        return np.asarray(GaussianKernel(self.landmarks, self.gamma).of(points) @ self.root)

    def machine(self, weights: FloatArray, intercept: float) -> Machine:
        """Return the machine that has these weights on the features."""
        return Machine(self.landmarks, self.root @ weights, intercept, self.gamma)


def fit_svm(
    points: Any,
    is_positive: BoolArray,
    *,
    positive_cost: float,
    negative_cost: float,
    kernel: str,
    random: np.random.RandomState,
    weights: FloatArray | None = None,
) -> Machine:
    """Return the machine of least squared norm / 2 + sum of cost times hinge loss.

    Each class has a cost, multiplied by the `weights` of the rows, if there are any.
    """
    points = as_float64(points)
    gamma = 1.0 / points.shape[1]
    target = is_positive.astype(np.intp)
    costs = {0: float(negative_cost), 1: float(positive_cost)}
    if kernel == "rbf" and points.shape[0] <= MOST_EXACT_ROWS:
        exact = SVC(gamma=gamma, class_weight=costs).fit(points, target, weights)
        dual = exact.dual_coef_
        dual = dual.toarray() if is_sparse(dual) else dual
        return Machine(exact.support_vectors_, np.ravel(dual), float(exact.intercept_[0]), gamma)
    linear = LinearSVC(dual=False, class_weight=costs)
    if kernel == "linear":
        linear.fit(points, target, weights)
        return Machine(None, linear.coef_[0], float(linear.intercept_[0]), gamma)
    mapped = kernel_map(points, random)
    # Landmarks matter more than a looser tolerance, which takes a fraction of the time.
    linear.set_params(tol=1e-2)
    linear.fit(mapped.features(points), target, weights)
    return mapped.machine(linear.coef_[0], float(linear.intercept_[0]))


def kernel_map(
    points: Any, random: np.random.RandomState, n_landmarks: int = LANDMARKS
) -> KernelMap:
    """Draw landmarks from the rows, or take all rows if there are at most `n_landmarks`."""
    points = as_float64(points)
    gamma = 1.0 / points.shape[1]
    landmarks = points[drawn(points.shape[0], n_landmarks, random)]
    values, vectors = np.linalg.eigh(GaussianKernel(landmarks, gamma).of(landmarks))
    kept = values > 1e-10 * values[-1]  # below is rounding: landmarks that are nearly equal
    return KernelMap(landmarks, vectors[:, kept] / np.sqrt(values[kept]), gamma)


def as_float64(points: Any) -> Any:
    """Return points as libsvm and liblinear take them: C order or CSR, in double precision."""
    if is_sparse(points):
        return sp.csr_array(points, dtype=np.float64)
    return np.ascontiguousarray(points, dtype=np.float64)


def row_sums(rows: Any, weights: FloatArray) -> FloatArray:
    """Return rows @ weights, added in an order that does not depend on the position of a row."""
    if is_sparse(rows):
        return np.asarray(rows.tocsr() @ weights, dtype=np.float64)
    return np.asarray((rows * weights).sum(axis=1), dtype=np.float64)
