"""A map of the rows: the two directions in which they differ most."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA

from pucut._support.checks import FloatArray

# What lies beyond these quantiles is drawn on the edge: one outlier would leave the rest a dot.
FRAME = (0.005, 0.995)
MOST_DRAWN = 5000


@dataclass(frozen=True, eq=False)
class Plane:
    """The map.

    Attributes
    ----------
    place : array of shape (n_samples, 2)
        From 0 to 65535, within the frame; the second counts upwards.
    ratio : float
        Width of the frame by its height.
    explained : float
        Share of the variance of the points that the two directions hold.
    n_beyond : int
        Rows that lie beyond the frame, drawn on its edge.
    drawn : int array
        The rows that are drawn, all or a random sample, ascending.
    """

    place: npt.NDArray[np.uint16]
    ratio: float
    explained: float
    n_beyond: int
    drawn: npt.NDArray[np.int32]


def plane_of(points: Any, random_state: int) -> Plane:
    """Principal components of the points, dense or sparse."""
    n_rows = points.shape[0]
    flat, explained = _principal(points, random_state)
    low, high = np.quantile(flat, FRAME, axis=0)
    size = np.where(high > low, high - low, 1.0)
    inside = np.clip((flat - low) / size, 0.0, 1.0)
    n_beyond = int(np.count_nonzero(((flat < low) | (flat > high)).any(axis=1)))
    drawn = np.arange(n_rows)
    if n_rows > MOST_DRAWN:
        random = np.random.default_rng(random_state)
        drawn = np.sort(random.choice(n_rows, MOST_DRAWN, replace=False))
    return Plane(
        np.round(inside * 65535).astype(np.uint16),
        float(np.clip(size[0] / size[1], 1.0, 2.0)),
        explained,
        n_beyond,
        drawn.astype(np.int32),
    )


def _principal(points: Any, random_state: int) -> tuple[FloatArray, float]:
    n_rows, n_columns = points.shape
    n_components = min(2, n_rows, n_columns)
    solver = "auto"
    if hasattr(points, "tocsr"):
        # The solver for sparse points wants fewer components than there are columns.
        if min(n_rows, n_columns) > 2:
            solver = "arpack"
        else:
            points = points.toarray()
    model = PCA(n_components, svd_solver=solver, random_state=random_state)
    with np.errstate(invalid="ignore", divide="ignore"):  # rows that are all the same
        found = model.fit_transform(points)
        explained = float(np.nan_to_num(model.explained_variance_ratio_).sum())
    flat = np.zeros((n_rows, 2))
    flat[:, :n_components] = found
    return flat, explained
