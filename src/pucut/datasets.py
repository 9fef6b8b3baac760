"""PU labels drawn from true classes: some of the positives are labelled."""

import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.data.tables import chosen_columns, read_table


def pu_split(
    is_positive: Any,
    labelled_share: float = 0.6,
    *,
    n_labelled: int | None = None,
    random_state: Any,
) -> BoolArray:
    """Draw the labelled positives: `labelled_share` of the positives, uniformly (SCAR).

    Returns a mask of all rows, True where labelled. Their number is `n_labelled` if given,
    otherwise the share of the positives, rounded down, but at least 1.
    """
    rows, n_labelled = _rows_to_label(is_positive, labelled_share, n_labelled)
    labelled = np.zeros(len(is_positive), dtype=np.bool_)
    labelled[check_random_state(random_state).choice(rows, n_labelled, replace=False)] = True
    return labelled


@dataclass(frozen=True, eq=False)
class BiasedLabels:
    """Labels that were not drawn at random.

    Attributes
    ----------
    is_labelled : bool array of shape (n_samples,)
    propensity : float array of shape (n_samples,)
        The chance that the row is labelled if it is positive. Negatives have one too, though none
        is labelled.
    """

    is_labelled: BoolArray
    propensity: FloatArray


def biased_labels(
    X: Any,
    is_positive: Any,
    columns: Any,
    strength: float = 1.0,
    labelled_share: float = 0.6,
    *,
    n_labelled: int | None = None,
    random_state: Any,
) -> BiasedLabels:
    """Draw labelled positives by a propensity that some columns decide, to try the effect of bias.

    The log odds are `strength` times the mean of the columns, each standardised, plus a constant
    for which the propensities of the positives add up to the number of labels. Each positive is
    labelled with just this chance, and the number is exact.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The columns that are chosen must hold numbers; a missing one counts as the mean.
    is_positive : bool array of shape (n_samples,)
    columns : list of indices or names, or a mask
        The columns on which the propensity depends.
    strength : float, default=1.0
        Log odds of a label per standard deviation, among the positives, of the mean of the columns.
        0 draws at random, as `pu_split` does; with 2, a positive two standard deviations above the
        mean has odds e^8 = 2981 times those of one as far below it. Negative: small values first.
    labelled_share, n_labelled, random_state
        As for `pu_split`.
    """
    if isinstance(strength, bool) or not isinstance(strength, numbers.Real):
        raise TypeError(f"strength must be a number, found {strength!r}")
    if not math.isfinite(strength):
        raise ValueError(f"strength must be finite, found {strength!r}")
    rows, n_labelled = _rows_to_label(is_positive, labelled_share, n_labelled)
    X = X if hasattr(X, "shape") else np.asarray(X)
    if X.shape[0] != len(is_positive):
        raise ValueError(
            f"is_positive must have a value for each of the {X.shape[0]} rows of X, found "
            f"{len(is_positive)}"
        )
    values = float(strength) * _standardised_mean(X, columns, rows)
    propensity = np.ones(len(values))
    if n_labelled < len(rows):
        of_positives, share = values[rows], n_labelled / len(rows)
        middle = math.log(share) - math.log1p(-share)
        shift = brentq(
            lambda constant: float(expit(of_positives + constant).mean()) - share,
            middle - float(of_positives.max()) - 1.0,
            middle - float(of_positives.min()) + 1.0,
            xtol=1e-12,
        )
        propensity = np.asarray(expit(values + shift))
    labelled = np.zeros(len(values), dtype=np.bool_)
    # Rows in random order stand side by side, each as wide as its propensity; every whole step from
    # a random start labels the row it falls on.
    random = check_random_state(random_state)
    order = random.permutation(rows)
    ends = np.cumsum(propensity[order])
    steps = random.uniform() + np.arange(n_labelled)
    places = np.searchsorted(ends * (n_labelled / ends[-1]), steps, side="right")
    labelled[order[places]] = True
    return BiasedLabels(labelled, propensity)


def _standardised_mean(X: Any, columns: Any, rows: Any) -> FloatArray:
    """Standardise the mean of the columns, each standardised, over these rows."""
    if is_sparse(X):
        raise TypeError("X must be dense, found a sparse matrix")
    table = read_table(X)
    names = getattr(X, "columns", None)
    places = np.flatnonzero(chosen_columns(columns, table.format.n_columns, names, "columns"))
    if len(places) == 0:
        raise ValueError("columns names none: the propensity needs at least one")
    total = np.zeros(table.n_rows)
    for place in places:
        if table.format.categories[place] is not None:
            raise ValueError(f"columns names column {place}, which holds categories, not numbers")
        total += _standardised(np.asarray(table.values[place], dtype=np.float64), rows)
    return _standardised(total, rows)


def _standardised(values: FloatArray, rows: Any) -> FloatArray:
    known = values[rows][~np.isnan(values[rows])]
    if len(known) == 0 or known.std() <= 1e-12 * np.abs(known).max():
        return np.zeros(len(values))
    return np.asarray(np.nan_to_num((values - known.mean()) / known.std()))


def _rows_to_label(
    is_positive: Any, labelled_share: float, n_labelled: int | None
) -> tuple[Any, int]:
    """Return the positives, and the number of them to label."""
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
    return rows, int(n_labelled)
