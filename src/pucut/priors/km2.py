"""Distance to the mixtures in a kernel space, by the slope of the distance (KM2).

Ramaswamy, Scott, Tewari: Mixture proportion estimation via kernel embedding of distributions, ICML
2016. With F the unlabelled and H the labelled sample, λF + (1 - λ)H is a distribution as long as
λ is at most 1 / (1 - share of positives); beyond that it is negative somewhere, and its distance to
all distributions grows. The share is read off the λ at which that distance begins to rise.

In the paper            here
λ                       `stretch`
κ                       `share` = 1 - 1 / stretch, of positives among the unlabelled
d(λ)                    distance to the nearest mixture of the given points
ν                       the slope that counts as rising
w in the simplex Δ      `weights`
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing

from pucut._support.checks import FloatArray
from pucut.data.encoding import finite_columns
from pucut.priors.sample import CONFIDENCE, PriorSample, ShareEstimate

# The slope counts as rising at this share of the way from its start to its limit.
SLOPE_WEIGHT = 0.2
MAX_SHARE = 0.98
_WIDTHS = np.logspace(-1.0, 1.0, 5)
_FIRST_STEP = 0.05
_SHARE_TOLERANCE = 4e-3
_QP_TOLERANCE = 1e-6
_QP_STEPS = 600
_QP_CHECK_EVERY = 10
_POWER_STEPS = 20
# Rows of each kind. Time grows with the square of this, some thousands of times over.
_MAX_ROWS = 400
_N_HALVES = 4


def km2(labelled: npt.NDArray[Any], unlabelled: npt.NDArray[Any]) -> float:
    """Estimate the share of positives among the unlabelled; tables hold scaled, finite numbers."""
    points = np.vstack([unlabelled, labelled])
    is_unlabelled = np.arange(len(points)) < len(unlabelled)
    mixture = is_unlabelled / len(unlabelled)
    component = ~is_unlabelled / len(labelled)
    kernel, gap = _kernel(points, mixture - component)
    if gap < 1e-9:
        return 1.0  # the two samples cannot be told apart

    def nearest(stretch: float, start: FloatArray) -> tuple[FloatArray, float, float]:
        """Return the weights of the nearest mixture, its distance, and the distance's slope."""
        target = stretch * mixture + (1.0 - stretch) * component
        weights = nearest_in_simplex(kernel, target, start)
        residual = kernel @ (target - weights)
        distance = float(np.sqrt(max(float((target - weights) @ residual), 0.0)))
        # The weights are optimal, so only the target's own move changes the distance.
        return weights, distance, float((mixture - component) @ residual) / max(distance, 1e-12)

    _, distance, _ = nearest(1.0 + _FIRST_STEP, mixture)
    rising = (1.0 - SLOPE_WEIGHT) * distance / _FIRST_STEP + SLOPE_WEIGHT * gap
    low, high = 0.0, MAX_SHARE
    weights = mixture
    while high - low > _SHARE_TOLERANCE:
        middle = (low + high) / 2.0
        weights, _, slope = nearest(1.0 / (1.0 - middle), weights)
        low, high = (low, middle) if slope >= rising else (middle, high)
    return (low + high) / 2.0


def nearest_in_simplex(kernel: FloatArray, target: FloatArray, start: FloatArray) -> FloatArray:
    """Minimise (w - target)' kernel (w - target) over weights w >= 0 with sum 1."""
    # Projected gradients with Nesterov's momentum, dropped whenever it points uphill, until the
    # duality gap, the most that the best vertex could gain, is small.
    step = 1.0 / _largest_eigenvalue(kernel)
    tolerance = _QP_TOLERANCE * float(kernel.diagonal().max())
    weights, ahead, momentum = start, start, 1.0
    for number in range(_QP_STEPS):
        if number % _QP_CHECK_EVERY == 0:
            gradient = kernel @ (weights - target)
            if gradient @ weights - gradient.min() <= tolerance:
                break
        following = project_to_simplex(ahead - step * (kernel @ (ahead - target)))
        if (ahead - following) @ (following - weights) > 0.0:
            ahead, momentum = following, 1.0
        else:
            next_momentum = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
            ahead = following + (momentum - 1.0) / next_momentum * (following - weights)
            momentum = next_momentum
        weights = following
    return weights


def _largest_eigenvalue(kernel: FloatArray) -> float:
    """Bound it tightly from above; neither the entries nor its eigenvector are negative."""
    vector = np.full(len(kernel), len(kernel) ** -0.5)
    for _ in range(_POWER_STEPS):
        product = kernel @ vector
        value = float(np.linalg.norm(product))
        vector = product / value
    return min(1.05 * value, float(kernel.sum(axis=1).max()))


def project_to_simplex(values: FloatArray) -> FloatArray:
    """Return the nearest point with entries >= 0 and sum 1."""
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(values) + 1)
    n_positive = int(np.flatnonzero(falling > excess)[-1]) + 1
    return np.asarray(np.maximum(values - excess[n_positive - 1], 0.0))


def _kernel(points: npt.NDArray[Any], difference: FloatArray) -> tuple[FloatArray, float]:
    """Return the Gaussian kernel that separates the two samples best, and their distance."""
    squares: FloatArray = pairwise_distances(points.astype(np.float64), metric="sqeuclidean")
    median = float(np.median(squares))
    if median <= 0.0:
        median = float(squares.max())
    if median <= 0.0:
        return np.ones_like(squares), 0.0
    best_kernel, best_gap = np.ones_like(squares), 0.0
    for width in _WIDTHS:
        kernel = np.exp(-squares / (2.0 * width**2 * median))
        gap = float(np.sqrt(max(float(difference @ kernel @ difference), 0.0)))
        if gap > best_gap:
            best_kernel, best_gap = kernel, gap
    return best_kernel, best_gap


def share_by_km2(sample: PriorSample) -> ShareEstimate:
    random = sample.random
    labelled_rows, unlabelled_rows = (
        _at_most(np.flatnonzero(of_kind), _MAX_ROWS, random)
        for of_kind in (sample.is_labelled, ~sample.is_labelled)
    )
    rows = np.concatenate([labelled_rows, unlabelled_rows])
    table = StandardScaler().fit_transform(finite_columns(_safe_indexing(sample.X, rows)))
    both = np.split(table, [len(labelled_rows)])
    share = km2(*both)
    halves = [
        km2(*(_at_most(each, (len(each) + 1) // 2, random) for each in both))
        for _ in range(_N_HALVES)
    ]
    # The variance of halves is twice that of the whole.
    spread = float(np.std(halves, ddof=1) / np.sqrt(2.0) * norm.ppf((1.0 + CONFIDENCE) / 2.0))
    diagnostics = {"labelled_used": float(len(labelled_rows)), "rows_used": float(len(rows))}
    return ShareEstimate(share, share - spread, share + spread, diagnostics)


def _at_most(
    table: npt.NDArray[Any], n_rows: int, random: np.random.RandomState
) -> npt.NDArray[Any]:
    if len(table) <= n_rows:
        return table
    return table[random.choice(len(table), n_rows, replace=False)]
