"""The weights of features in a distance.

In the paper's notation: rho_h, the weight of feature h, scaled to sum to H, the number of features,
so that distances compare with plain ones, for which all rho_h are 1.
"""

from typing import Any

import numpy as np

from pucut._support.checks import LARGEST, SMALLEST, FloatArray
from pucut.trees.forest import Forest, forest_importances
from pucut.trees.growing import ROWS_OF_A_TREE, TreeOptions

FOREST_WEIGHTS = ("pu_trees", "pu_trees_squared")


# For trees that see a sample. Smaller leaves would add chance to the importances: on a million rows
# these trees gave pure noise less weight than trees grown on all rows with leaves of one row.
_LEAST_LEAF_OF_A_SAMPLE = 5


def options_of_weighing_trees(n_rows: int) -> TreeOptions:
    """Return the paper's trees; with more than `ROWS_OF_A_TREE` rows, each sees a sample."""
    if n_rows <= ROWS_OF_A_TREE:
        return TreeOptions()
    return TreeOptions(max_rows=ROWS_OF_A_TREE, min_samples_leaf=_LEAST_LEAF_OF_A_SAMPLE)


def forest_weights(forest: Forest, *, squared: bool = False) -> FloatArray:
    """Return importances of PU trees, or their squares, scaled to sum to the number of features.

    All are 1 if no feature reduced the risk of the trees.
    """
    return weights_of_importances(forest_importances(forest), squared=squared)


def weights_of_importances(importances: FloatArray, *, squared: bool = False) -> FloatArray:
    return _scaled(importances**2 if squared else importances)


def weights_of_kind(kind: Any, forest: Forest | None, n_features: int) -> FloatArray:
    """Return weights from trees by name (`FOREST_WEIGHTS`), equal ones for None, or those given."""
    if kind is None:
        return np.ones(n_features)
    if isinstance(kind, str) and forest is not None:
        return forest_weights(forest, squared=kind == "pu_trees_squared")
    return checked_feature_weights(kind, n_features)


def checked_feature_weights(
    weights: Any, n_features: int, names: tuple[str, ...] = FOREST_WEIGHTS
) -> FloatArray:
    """Scale given weights to sum to the number of features; `names` are the other choices."""
    array = np.asarray(weights)
    if array.dtype.kind not in "biuf" or array.shape != (n_features,):
        raise ValueError(
            f"feature_weights must be {', '.join(repr(name) for name in names)}, None or "
            f"an array of {n_features} numbers, one per feature, found {weights!r}"
        )
    values = array.astype(np.float64)
    if not np.isfinite(values).all() or (values < 0.0).any() or not values.any():
        raise ValueError(
            "feature_weights must be finite and not negative, with at least one above 0, found "
            f"{values.tolist()}"
        )
    positive = values[values > 0.0]
    if positive.min() < SMALLEST or positive.max() > LARGEST:
        raise ValueError(
            f"feature_weights must be 0 or from {SMALLEST:g} to {LARGEST:g}, found "
            f"{positive.min():g} to {positive.max():g}"
        )
    return _scaled(values)


def weighted(points: Any, weights: FloatArray, *, in_place: bool = False) -> Any:
    """Return points whose plain distances are the weighted ones: columns times sqrt(rho_h).

    If all weights are 1 these are the points themselves, not a copy.
    """
    if (weights == 1.0).all():
        return points
    factors = np.sqrt(weights).astype(points.dtype)
    if hasattr(points, "tocsr"):
        scaled = points.multiply(factors[np.newaxis, :])
        return scaled.tocsr()
    if in_place:
        points *= factors
        return points
    return points * factors


def _scaled(values: FloatArray) -> FloatArray:
    total = float(values.sum())
    if total <= 0.0:
        return np.ones(len(values))
    return values * (len(values) / total)
