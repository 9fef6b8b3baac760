"""A map of the rows: the two directions in which they differ most."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA

from pucut._support.checks import FloatArray
from pucut._support.html import Html, element
from pucut.report.markup import filled
from pucut.report.values import count, grouped, sentence

# Points beyond these quantiles are drawn on the edge: one outlier would leave the rest a dot.
FRAME = (0.005, 0.995)
MOST_DRAWN = 5000


@dataclass(frozen=True, eq=False)
class Plane:
    """The map: places within a frame, its shape, and the rows that are drawn."""

    place: npt.NDArray[np.uint16]  # of shape (n_samples, 2), within the frame; the second upwards
    ratio: float  # width of the frame by its height
    explained: float  # share of the variance of the points that both directions hold
    n_beyond: int  # rows beyond the frame, drawn on its edge
    drawn: npt.NDArray[np.int32]  # all rows or a random sample, ascending


def plane_of(points: Any, random_state: int) -> Plane:
    """Place points, dense or sparse, by their principal components."""
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
    place = np.round(inside * 65535).astype(np.uint16)
    ratio = float(np.clip(size[0] / size[1], 1.0, 2.0))
    return Plane(place, ratio, explained, n_beyond, drawn.astype(np.int32))


def _principal(points: Any, random_state: int) -> tuple[FloatArray, float]:
    n_rows, n_columns = points.shape
    n_components = min(2, n_rows, n_columns)
    is_sparse = hasattr(points, "tocsr")
    if is_sparse and n_components == min(n_rows, n_columns):  # more than its solver can find
        points, is_sparse = points.toarray(), False
    solver = "arpack" if is_sparse else "auto"
    model = PCA(n_components, svd_solver=solver, random_state=random_state)
    with np.errstate(invalid="ignore", divide="ignore"):  # rows that are all the same
        found = model.fit_transform(points)
        explained = float(np.nan_to_num(model.explained_variance_ratio_).sum())
    flat = np.zeros((n_rows, 2))
    flat[:, :n_components] = found
    return flat, explained


def map_figure(summary: dict[str, Any], name: str, title: str, *, turning: bool = False) -> Html:
    """Make the figure of the map; `turning` adds to its legend the rows that a slider changes."""
    ring = element("circle", class_="swatch-changed", cx=8, cy=8, r=6)
    cross = element("path", class_="swatch-known-negative", d="M4 4 12 12M4 12 12 4")
    has_negatives = summary["data"]["n_negative"] > 0
    return filled(
        "map.html",
        name=name,
        title=title,
        refused=_legend(cross, "known negative") if has_negatives else None,
        turning=_legend(ring, "changes side here") if turning else None,
        caption=_caption(summary),
    )


def _legend(shape: Html, text: str) -> Html:
    return element("li", element("svg", shape, viewBox="0 0 16 16", aria_hidden="true"), text)


def _caption(summary: dict[str, Any]) -> str:
    plane, data = summary["plane"], summary["data"]
    n_drawn, n_samples = plane["n_drawn"], grouped(data["n_samples"])
    drawn = f"{grouped(n_drawn)} of {n_samples} drawn, picked at random"
    if n_drawn == data["n_samples"]:
        drawn = f"All {n_samples} rows are drawn"
    points = "similarities" if data["is_pairwise"] else "columns"
    if summary["weights"]:
        points = "weighted columns"
    text = sentence("map", drawn=drawn, points=points, explained=plane["explained"])
    if plane["n_beyond"]:
        text += f" {count(plane['n_beyond'], 'outlier is', 'outliers are')} moved to the edge."
    return text
