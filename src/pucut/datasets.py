"""From true classes to PU labels: which of the positives are labelled."""

import math
import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray


def pu_split(
    is_positive: Any,
    labelled_share: float = 0.6,
    *,
    n_labelled: int | None = None,
    random_state: Any,
) -> BoolArray:
    """Draws the labelled positives: `labelled_share` of the positives, uniformly (SCAR).

    Returns a mask of all rows, True where labelled. Their number is `n_labelled` if given,
    otherwise the share of the positives, rounded down as in the paper's table of datasets, but at
    least 1.
    """
    positive = np.asarray(is_positive)
    if positive.dtype != np.bool_ or positive.ndim != 1:
        raise TypeError(
            "is_positive must be a one-dimensional array of booleans, found "
            f"shape {positive.shape} of dtype {positive.dtype}"
        )
    if not isinstance(labelled_share, numbers.Real) or not 0.0 < labelled_share <= 1.0:
        raise ValueError(f"labelled_share must be in (0, 1], found {labelled_share!r}")
    rows = np.flatnonzero(positive)
    if len(rows) == 0:
        raise ValueError("is_positive holds no positive, so there is none to label")
    if n_labelled is None:
        # 0.29 * 100 is 28.999999999999996: a whole number missed by rounding is still intended.
        n_labelled = max(1, math.floor(float(labelled_share) * len(rows) + 1e-9))
    elif n_labelled not in range(1, len(rows) + 1):
        raise ValueError(
            f"n_labelled must be from 1 to {len(rows)}, the number of positives, found "
            f"{n_labelled!r}"
        )
    labelled = np.zeros(len(positive), dtype=np.bool_)
    labelled[check_random_state(random_state).choice(rows, n_labelled, replace=False)] = True
    return labelled
