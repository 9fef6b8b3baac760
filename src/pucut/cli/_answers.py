"""Tables of answers: identifiers and labels of the input beside what a model says of its rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.isotonic import isotonic_regression

from pucut._support.checks import BoolArray, FloatArray
from pucut.cli._reading import InputTable
from pucut.data.labels import PULabels

CLASSES = np.array(["negative", "positive"], dtype=object)


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model says of each row, without contradictions.

    Of the rows whose class was not known none is positive with a probability below one half or
    negative with one above, and of two rows the one that ranks higher is not less probable.

    Attributes
    ----------
    is_positive : bool array
    scores : float array
    probabilities : float array
    ranks : float array
        1 for the most likely positive of the rows that were not known, NaN for those that were.
    from_prior : float array, optional
        The least prior with which the row would be positive in this order; NaN where it was known.
    """

    is_positive: BoolArray
    scores: FloatArray
    probabilities: FloatArray
    ranks: FloatArray
    from_prior: FloatArray | None = None


def fitted_answers(estimator: Any, X: Any, known: PULabels) -> Answers:
    """Of the rows of `fit`.

    Their classes and ranks come from `transduction_` and `scores_`, which know all rows, their
    probabilities from `predict_proba`, which looks at each row alone. Where the two disagree on the
    order, rows take the mean of their probabilities.
    """
    is_positive = np.asarray(estimator.transduction_ == estimator.classes_[1], dtype=np.bool_)
    scores = np.asarray(estimator.scores_, dtype=np.float64)
    probabilities = np.array(estimator.predict_proba(X)[:, 1], dtype=np.float64)
    asked = np.flatnonzero(known.is_unlabelled)
    falling = asked[np.lexsort((-probabilities[asked], -scores[asked], ~is_positive[asked]))]
    probabilities[falling] = isotonic_regression(probabilities[falling], increasing=False)
    ranks, from_prior = np.full((2, len(scores)), np.nan)
    ranks[falling] = np.arange(1, len(falling) + 1)
    # Rows of one score become positive together, when half of them would.
    order = np.column_stack([scores[falling], is_positive[falling]])
    begins = np.flatnonzero(np.any(order[1:] != order[:-1], axis=1)) + 1
    size = np.diff([0, *begins, len(falling)])
    middle = np.repeat(np.cumsum(size) - (size - 1) / 2, size)
    from_prior[falling] = (known.n_labelled + middle - 0.5) / known.n_samples
    return Answers(
        is_positive, scores, _agreeing(probabilities, is_positive, asked), ranks, from_prior
    )


def new_answers(estimator: Any, X: Any) -> Answers:
    """Of rows that the model has not seen."""
    is_positive = np.asarray(estimator.predict(X) == estimator.classes_[1], dtype=np.bool_)
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
    probabilities = np.array(estimator.predict_proba(X)[:, 1], dtype=np.float64)
    rows = np.arange(len(scores))
    ranks = np.empty(len(scores))
    ranks[np.lexsort((-probabilities, -scores))] = rows + 1
    return Answers(is_positive, scores, _agreeing(probabilities, is_positive, rows), ranks)


def _agreeing(probabilities: FloatArray, is_positive: BoolArray, asked: Any) -> FloatArray:
    """Rows on the other side of one half than their class are as likely as not.

    The prior says how many rows are positive, and where classes overlap much that can be more or
    fewer than those whose probability is above one half.
    """
    agreeing = probabilities.copy()
    agreeing[asked] = np.where(
        is_positive[asked],
        np.maximum(probabilities[asked], 0.5),
        np.minimum(probabilities[asked], 0.5),
    )
    return agreeing


def answer_table(
    table: InputTable,
    ids: Sequence[str],
    further: Sequence[str],
    answers: Answers,
    known: PULabels | None = None,
) -> Any:
    """Identifiers, or numbers of rows where there are none, and further columns, with answers."""
    import pandas as pd

    names = [*ids, *further]
    frame = identified(table, ids, further)
    columns: dict[str, Any] = {
        "predicted": CLASSES[answers.is_positive.astype(np.intp)],
        "probability": rounded(answers.probabilities),
        "rank": pd.array(answers.ranks, dtype="Int64"),
    }
    if known is not None:
        said = np.array(["negative", None, "positive"], dtype=object)
        columns["known_as"] = said[known.signs.astype(np.intp) + 1]
    if answers.from_prior is not None:
        columns["positive_if_prior_at_least"] = rounded(answers.from_prior)
    columns["score"] = rounded(answers.scores)
    for name, values in columns.items():
        frame[f"pucut_{name}" if name in names else name] = values
    return frame


def identified(table: InputTable, ids: Sequence[str], further: Sequence[str]) -> Any:
    """The columns of the table that an answer begins with."""
    names = [*ids, *further]
    frame = table.frame[names].copy()
    if not ids:
        row = "pucut_row" if "row" in names else "row"
        frame.insert(0, row, np.arange(1, table.n_rows + 1))
    return frame


def with_caution(answers: Any, estimator: Any) -> Any:
    """If the share of positives was guessed, every row says so: files are read without notes."""
    estimate = estimator.prior_estimate_
    if estimate is not None and estimate.doubts:
        name = "caution" if "caution" not in answers.columns else "pucut_caution"
        text = f"share of positives guessed ({', '.join(estimate.doubts)})"
        return answers.assign(**{name: text})
    return answers


def rounded(values: FloatArray) -> FloatArray:
    """Six significant digits: more would say nothing, and are hard to read."""
    return np.array([float(f"{value:.6g}") for value in values]) + 0.0  # -0.0 becomes 0.0
