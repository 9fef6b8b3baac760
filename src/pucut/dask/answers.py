"""Predictions for the rows of Dask collections: Dask arrays, computed on demand."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from pucut._support.checks import FloatArray
from pucut.dask.engine import delayed, is_array, is_collection
from pucut.dask.partitions import empty_piece, rows_in_tasks


def decision_function(model: Any, X: Any) -> Any:
    """`model.decision_function` of the rows of a Dask collection, as a Dask array."""
    return _answer(model, X, "decision_function", np.float64)


def predict(model: Any, X: Any) -> Any:
    """`model.predict` of the rows of a Dask collection, as a Dask array."""
    check_is_fitted(model)
    return _answer(model, X, "predict", model.classes_.dtype)


def predict_proba(model: Any, X: Any) -> Any:
    """`model.predict_proba` of the rows of a Dask collection, as a Dask array."""
    return _answer(model, X, "predict_proba", np.float64, n_columns=2)


def check_columns(estimator: Any, X: Any, *, reset: bool) -> None:
    """Check, or learn, the number and names of the columns of a Dask collection."""
    validate_data(estimator, empty_piece(X), reset=reset, skip_check_array=True)


def lazy_array(X: Any, answer: Callable[[Any], Any], dtype: Any, n_columns: int = 0) -> Any:
    """Return a Dask array of the tasks that `answer` makes of the tasks of rows of X."""
    import dask.array as da

    parts = rows_in_tasks(X)
    # Dask does not know how many rows the partitions of a DataFrame have.
    lengths = list(X.chunks[0]) if is_array(X) else [np.nan] * len(parts)
    columns = (n_columns,) if n_columns else ()
    return da.concatenate(
        [
            da.from_delayed(answer(part), shape=(length, *columns), dtype=dtype)
            for part, length in zip(parts, lengths, strict=True)
        ]
    )


def answers_in_tasks(model: Any, name: str, dtype: Any, n_columns: int = 0) -> Callable[[Any], Any]:
    """Return a function from a task of rows to the task of what a method of a model answers."""
    task, whole = delayed(_answer_of_part), delayed(model)
    return lambda part: task(whole, name, part, dtype, n_columns)


def classes_of(decisions: Any, classes: Any) -> Any:
    """Return the class of each row of a lazy array of scores less the threshold."""
    return decisions.map_blocks(partial(_classes, classes=classes), dtype=classes.dtype)


def probabilities_of(scores: Any, probabilities: Callable[[FloatArray], FloatArray]) -> Any:
    """Return two columns of probabilities for a lazy array of scores."""
    return scores.map_blocks(
        probabilities,
        dtype=np.float64,
        new_axis=1,
        chunks=(scores.chunks[0], (2,)),
        meta=np.empty((0, 2)),
    )


def _answer(model: Any, X: Any, name: str, dtype: Any, n_columns: int = 0) -> Any:
    check_is_fitted(model)
    if not is_collection(X):
        raise TypeError(
            f"X must be a Dask array or DataFrame, found {type(X).__name__}: for it call "
            f"model.{name}(X)"
        )
    check_columns(model, X, reset=False)
    return lazy_array(X, answers_in_tasks(model, name, dtype, n_columns), dtype, n_columns)


def _answer_of_part(model: Any, name: str, part: Any, dtype: Any, n_columns: int) -> Any:
    if len(part):
        return getattr(model, name)(part)
    return np.empty((0, n_columns) if n_columns else 0, dtype=dtype)


def _classes(decisions: FloatArray, classes: Any) -> Any:
    return classes[(decisions > 0.0).astype(np.intp)]
