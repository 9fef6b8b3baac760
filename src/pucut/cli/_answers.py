"""Tables of answers: identifiers and labels of the input beside what a model says of its rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.cli._reading import InputTable

CLASSES = np.array(["negative", "positive"], dtype=object)


def answer_table(
    table: InputTable,
    ids: Sequence[str],
    further: Sequence[str] = (),
    *,
    is_positive: BoolArray,
    scores: FloatArray,
    probabilities: FloatArray,
) -> Any:
    """Identifiers, or numbers of rows where there are none, and further columns, with answers."""
    names = [*ids, *further]
    answers = table.frame[names].copy()
    if not ids:
        row = "pucut_row" if "row" in names else "row"
        answers.insert(0, row, np.arange(1, table.n_rows + 1))
    columns: dict[str, Any] = {
        "predicted": CLASSES[np.asarray(is_positive).astype(np.intp)],
        "score": rounded(scores),
        "probability": rounded(probabilities),
    }
    for name, values in columns.items():
        answers[f"pucut_{name}" if name in names else name] = values
    return answers


def rounded(values: FloatArray) -> FloatArray:
    """Six significant digits: more would say nothing, and are hard to read."""
    return np.array([float(f"{value:.6g}") for value in values]) + 0.0  # -0.0 becomes 0.0


def fitted_answers(estimator: Any, X: Any) -> tuple[npt.NDArray[np.bool_], FloatArray, FloatArray]:
    """Of the rows of `fit`: whether they are positive, their scores and probabilities."""
    is_positive = np.asarray(estimator.transduction_ == estimator.classes_[1], dtype=np.bool_)
    probabilities = np.asarray(estimator.predict_proba(X)[:, 1], dtype=np.float64)
    return is_positive, np.asarray(estimator.scores_, dtype=np.float64), probabilities
