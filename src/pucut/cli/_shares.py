"""How much each column has to say in the answer of a fitted method."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pucut.cli._plan import Feature, columns_of


def column_shares(estimator: Any, features: Sequence[Feature], X: Any) -> dict[str, float] | None:
    """The share of each feature in the weights of all columns; None where a method has none.

    A free text is many columns: their weights are added up.
    """
    weights = getattr(estimator, "feature_importances_", None)
    if weights is None or len(weights) != X.shape[1] or not np.sum(weights) > 0.0:
        return None
    by_column = dict(zip(X.columns, weights, strict=True))
    total = float(np.sum(weights))
    return {
        name: float(sum(by_column[column] for column in columns)) / total
        for name, columns in columns_of(features).items()
    }


def text_notes(estimator: Any, features: Sequence[Feature], X: Any) -> list[str]:
    """A sentence for each free text: how much it counts in the answer."""
    texts = [feature.name for feature in features if feature.kind == "text"]
    shares = column_shares(estimator, features, X) if texts else None
    if shares is None:
        return []
    return [
        f"{name!r}: its texts have {shares[name]:.0%} of the weight of all columns"
        for name in texts
    ]
