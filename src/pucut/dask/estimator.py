"""Lazy predictions for Dask collections, and the base of the classifiers on Dask."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted, validate_data

from pucut.dask.engine import delayed, is_array, is_collection
from pucut.dask.partitions import (
    Partitions,
    empty_piece,
    labels_here,
    read_partitions,
    rows_in_tasks,
)
from pucut.dask.place import WeightedSpaceOnWorkers
from pucut.dask.standardising import learn_all_columns
from pucut.data.encoding import Encoding
from pucut.data.labels import PULabels
from pucut.data.repeats import numbered, repeats, warn_of_copies
from pucut.data.suspects import warn_of_suspects
from pucut.graphs.spaces import WeightedSpace
from pucut.methods.sized import SizedClassifier
from pucut.methods.steps import with_callbacks
from pucut.priors.estimate import MAX_ROWS


def decision_function(model: Any, X: Any) -> Any:
    """`model.decision_function` of the rows of a Dask collection, as a Dask array."""
    return _of_collection(model, X, "decision_function", np.float64)


def predict(model: Any, X: Any) -> Any:
    """`model.predict` of the rows of a Dask collection, as a Dask array."""
    check_is_fitted(model)
    return _of_collection(model, X, "predict", model.classes_.dtype)


def predict_proba(model: Any, X: Any) -> Any:
    """`model.predict_proba` of the rows of a Dask collection, as a Dask array."""
    return _of_collection(model, X, "predict_proba", np.float64, 2)


# Stands before the class of one machine, which scores rows of this process. It has no docstring, so
# that parameters and attributes are documented by that class.
class ForCollections(SizedClassifier):
    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Learn scores and find neighbours on the workers, and solve the cuts in this process.

        Parameters
        ----------
        X : Dask array or Dask DataFrame of shape (n_samples, n_features)
            Or rows in this process, as an array or a data frame; they are sent to the workers.
        y : array-like, Dask array or Dask Series of shape (n_samples,)
            Two values, one for labelled positives (the larger number, a word such as "yes", or
            `pos_label`) and the other for unlabelled rows; missing values mean unlabelled too. With
            `neg_label` known negatives, and everything else is unlabelled.
        """
        for name in ("learners", "embeddings"):
            if (given := getattr(self, name, None)) is not None:
                raise ValueError(
                    f"{name} must be None on Dask, found {given!r}: they would need all rows in "
                    "one process. Fit PUCutClassifier to a sample of the rows, and let "
                    "pucut.dask.predict(model, X) answer"
                )
        if is_collection(X):
            _check_columns(self, X, reset=True)
        else:
            X = self._checked_table(X, reset=True)
        table = read_partitions(X)
        return self._fit_table(table, self._read_labels(labels_here(y), table.shape[0]))

    def _fit_table(self, table: Partitions, labels: PULabels) -> Self:
        raise NotImplementedError

    def _spaces(self) -> Iterable[WeightedSpace]:
        """Return the spaces in which new rows are scored."""
        raise NotImplementedError

    def _set_spaces(self, spaces: Mapping[str, WeightedSpace]) -> None:
        """Put spaces in the place of those of the same names."""
        raise NotImplementedError

    def _score_task(self, spaces: Mapping[str, WeightedSpaceOnWorkers]) -> Callable[[Any], Any]:
        """Return the function from a task of new rows to the task of their scores."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> Any:
        """Return the score of each row less the threshold, lazily for a Dask collection."""
        if not is_collection(X):
            return super().decision_function(X)
        return self._lazy_scores(X) - self.threshold_

    def predict(self, X: Any) -> Any:
        """Return the class of each row, in the two values of `y`, lazily for a Dask collection."""
        if not is_collection(X):
            return super().predict(X)
        is_positive = (self.decision_function(X) > 0.0).astype(np.intp)
        return is_positive.map_blocks(self.classes_.take, dtype=self.classes_.dtype)

    def predict_proba(self, X: Any) -> Any:
        """Return probabilities of the two classes, lazily for a Dask collection."""
        if not is_collection(X):
            return super().predict_proba(X)
        scores = self._lazy_scores(X)
        return scores.map_blocks(
            self._calibration.probabilities,
            dtype=np.float64,
            new_axis=1,
            chunks=(scores.chunks[0], (2,)),
            meta=np.empty((0, 2)),
        )

    def gather(self) -> Self:
        """Bring the points into this process; then the model can be pickled."""
        check_is_fitted(self)
        here: dict[int, Any] = {}  # spaces share points
        spaces = {}
        for name, space in self._spaces_on_workers().items():
            if id(space.points) not in here:
                here[id(space.points)] = space.points.gathered()
            spaces[name] = space.gathered(here[id(space.points)])
        if spaces:
            self._set_spaces(spaces)
        return self

    def _lazy_scores(self, X: Any) -> Any:
        check_is_fitted(self)
        if spaces := self._spaces_on_workers():
            return _lazy_array(self, X, self._score_task(spaces), np.float64)
        return _answered(self.compact(), X, "_score_rows", np.float64)

    def _spaces_on_workers(self) -> dict[str, WeightedSpaceOnWorkers]:
        spaces = self._spaces()
        return {each.name: each for each in spaces if isinstance(each, WeightedSpaceOnWorkers)}

    def _learn_columns_and_prior(self, table: Partitions, labels: PULabels) -> Encoding:
        """Return the encoding, warn as on one machine, and set the prior.

        The estimate draws rows from larger tables; only these come from the workers.
        """
        learned = learn_all_columns(table, labels)
        warn_of_copies(repeats(numbered(learned.hashes), labels.is_labelled))
        warn_of_suspects(learned.suspects)
        is_gathered = isinstance(self.prior, str) and table.shape[0] <= MAX_ROWS
        self._set_prior(table.gathered() if is_gathered else table, labels)
        return learned.encoding


def _of_collection(model: Any, X: Any, name: str, dtype: Any, n_columns: int = 0) -> Any:
    check_is_fitted(model)
    if not is_collection(X):
        raise TypeError(
            f"X must be a Dask array or DataFrame, found {type(X).__name__}: for it call "
            f"model.{name}(X)"
        )
    return _answered(model, X, name, dtype, n_columns)


def _answered(model: Any, X: Any, name: str, dtype: Any, n_columns: int = 0) -> Any:
    """Return what a method of a model says of the rows of a collection."""
    task, whole = delayed(_of_part), delayed(model)
    return _lazy_array(
        model, X, lambda part: task(part, whole, name, dtype, n_columns), dtype, n_columns
    )


def _lazy_array(
    model: Any, X: Any, answer: Callable[[Any], Any], dtype: Any, n_columns: int = 0
) -> Any:
    """Return a Dask array of the tasks that `answer` makes of the tasks of rows of X."""
    import dask.array as da

    _check_columns(model, X, reset=False)
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


def _of_part(part: Any, model: Any, name: str, dtype: Any, n_columns: int) -> Any:
    if len(part):
        return getattr(model, name)(part)
    return np.empty((0, n_columns) if n_columns else 0, dtype=dtype)


def _check_columns(estimator: Any, X: Any, *, reset: bool) -> None:
    """Check, or learn, the number and names of the columns of a Dask collection."""
    validate_data(estimator, empty_piece(X), reset=reset, skip_check_array=True)
