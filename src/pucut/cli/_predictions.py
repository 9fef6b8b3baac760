"""Tables of predictions: identifiers and labels of the input beside the classes of its rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.isotonic import isotonic_regression

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.labels import PULabels
from pucut.tables.reading import InputTable


@dataclass(frozen=True, eq=False)
class Predictions:
    """The predictions for each row, without contradictions.

    Among the rows whose class was not known none is positive with a probability below one half or
    negative with one above, and of two rows the one that ranks higher is not less probable. `ranks`
    are 1 for the most likely positive, and `from_prior` is the least prior with which the row would
    be positive in this order; both are NaN where the class was known.
    """

    is_positive: BoolArray
    scores: FloatArray
    probabilities: FloatArray
    ranks: FloatArray
    from_prior: FloatArray | None = None


def fitted_predictions(estimator: Any, X: Any, known: PULabels) -> Predictions:
    """Return predictions for the rows of `fit`.

    Their classes and ranks come from `transduction_` and `scores_`, which know all rows, their
    probabilities from `predict_proba`, which looks at each row alone. Where the two disagree on the
    order, rows take the mean of their probabilities.
    """
    is_positive = np.asarray(estimator.transduction_ == estimator.classes_[1], dtype=np.bool_)
    scores = np.asarray(estimator.scores_, dtype=np.float64)
    probabilities = np.array(estimator.predict_proba(X)[:, 1], dtype=np.float64)
    rows = np.flatnonzero(known.is_unlabelled)
    falling = rows[np.lexsort((-probabilities[rows], -scores[rows], ~is_positive[rows]))]
    probabilities[falling] = isotonic_regression(probabilities[falling], increasing=False)
    ranks, from_prior = np.full((2, len(scores)), np.nan)
    ranks[falling] = np.arange(1, len(falling) + 1)
    # Rows of one score become positive together, when half of them would.
    order = np.column_stack([scores[falling], is_positive[falling]])
    begins = np.flatnonzero(np.any(order[1:] != order[:-1], axis=1)) + 1
    size = np.diff([0, *begins, len(falling)])
    middle = np.repeat(np.cumsum(size) - (size - 1) / 2, size)
    from_prior[falling] = (known.n_labelled + middle - 0.5) / known.n_samples
    agreeing = _agreeing(probabilities, is_positive, rows)
    return Predictions(is_positive, scores, agreeing, ranks, from_prior)


def new_predictions(estimator: Any, X: Any) -> Predictions:
    """Return predictions for rows that the model has not seen."""
    is_positive = np.asarray(estimator.predict(X) == estimator.classes_[1], dtype=np.bool_)
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
    probabilities = np.array(estimator.predict_proba(X)[:, 1], dtype=np.float64)
    rows = np.arange(len(scores))
    ranks = np.empty(len(scores))
    ranks[np.lexsort((-probabilities, -scores))] = rows + 1
    return Predictions(is_positive, scores, _agreeing(probabilities, is_positive, rows), ranks)


def _agreeing(probabilities: FloatArray, is_positive: BoolArray, rows: Any) -> FloatArray:
    """Set the probability of rows on the other side of one half than their class to one half.

    The prior says how many rows are positive, and where classes overlap much that can be more or
    fewer than those whose probability is above one half.
    """
    agreeing = probabilities.copy()
    found, is_found = probabilities[rows], is_positive[rows]
    agreeing[rows] = np.where(is_found, np.maximum(found, 0.5), np.minimum(found, 0.5))
    return agreeing


def prediction_table(
    table: InputTable,
    ids: Sequence[str],
    further: Sequence[str],
    predictions: Predictions,
    known: PULabels | None = None,
) -> Any:
    """Return identifiers and further columns of the table beside the predictions."""
    import pandas as pd

    names = [*ids, *further]
    frame = identified(table, ids, further)
    columns: dict[str, Any] = {
        "predicted": np.where(predictions.is_positive, "positive", "negative").astype(object),
        "probability": rounded(predictions.probabilities),
        "rank": pd.array(predictions.ranks, dtype="Int64"),
    }
    if known is not None:
        classes = np.array(["negative", None, "positive"], dtype=object)
        columns["known_as"] = classes[known.signs.astype(np.intp) + 1]
    if predictions.from_prior is not None:
        columns["positive_if_prior_at_least"] = rounded(predictions.from_prior)
    columns["score"] = rounded(predictions.scores)
    for name, values in columns.items():
        frame[f"pucut_{name}" if name in names else name] = values
    return frame


def identified(table: InputTable, ids: Sequence[str], further: Sequence[str]) -> Any:
    """Return the columns of a table that name its rows, or their numbers, and further columns."""
    names = [*ids, *further]
    frame = table.frame[names].copy()
    if not ids:
        row = "pucut_row" if "row" in names else "row"
        frame.insert(0, row, np.arange(1, table.n_rows + 1))
    return frame


def with_caution(predictions: Any, estimator: Any) -> Any:
    """Mark every row if the share of positives was guessed: files are read without notes."""
    estimate = estimator.prior_estimate_
    if estimate is not None and estimate.doubts:
        name = "caution" if "caution" not in predictions.columns else "pucut_caution"
        text = f"share of positives guessed ({', '.join(estimate.doubts)})"
        return predictions.assign(**{name: text})
    return predictions


def rounded(values: FloatArray) -> FloatArray:
    """Round to six significant digits: more would say nothing, and are hard to read."""
    return np.array([float(f"{value:.6g}") for value in values]) + 0.0  # -0.0 becomes 0.0
