"""Answers for the rows of Dask collections: arrays of Dask, computed when somebody asks."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray
from pucut.dask.engine import delayed, is_array, is_collection
from pucut.dask.partitions import rows_in_tasks


def lazy_scores(X: Any, score: Callable[[Any], Any]) -> Any:
    """An array of a score a row of X; `score` makes a task of scores from a task of rows."""
    import dask.array as da

    parts = rows_in_tasks(X)
    # Dask does not know how many rows the partitions of a DataFrame have.
    lengths = list(X.chunks[0]) if is_array(X) else [np.nan] * len(parts)
    return da.concatenate(
        [
            da.from_delayed(score(part), shape=(length,), dtype=np.float64)
            for part, length in zip(parts, lengths, strict=True)
        ]
    )


def scores_by(score_rows: Callable[[Any], FloatArray]) -> Callable[[Any], Any]:
    """From a task of rows to that of their scores, by a model that is whole in this process."""
    task, model = delayed(scores_of_part), delayed(score_rows)
    return lambda part: task(model, part)


def scores_of_part(score_rows: Callable[[Any], FloatArray], part: Any) -> FloatArray:
    return score_rows(part) if len(part) else np.empty(0)


def classes_of(scores: Any, classes: npt.NDArray[Any]) -> Any:
    """The class of each row from its score less the threshold, lazily for an array of Dask."""
    if is_collection(scores):
        return scores.map_blocks(partial(classes_of, classes=classes), dtype=classes.dtype)
    return classes[(scores > 0.0).astype(np.intp)]


def probabilities_of(scores: Any, probabilities: Callable[[FloatArray], FloatArray]) -> Any:
    """Two columns of probabilities from scores, lazily for an array of Dask."""
    if is_collection(scores):
        return scores.map_blocks(
            probabilities,
            dtype=np.float64,
            new_axis=1,
            chunks=(scores.chunks[0], (2,)),
            meta=np.empty((0, 2)),
        )
    return probabilities(scores)
