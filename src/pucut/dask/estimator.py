"""What the classifiers on Dask have in common: they read collections, and answer them lazily."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from pucut.dask.answers import check_columns, classes_of, probabilities_of
from pucut.dask.engine import is_collection
from pucut.dask.partitions import Partitions, read_partitions
from pucut.data.labels import PULabels
from pucut.priors.estimate import MAX_ROWS


class ForCollections:
    """Stands before the classifier of one machine, which answers rows of this process.

    A subclass writes `_lazy_scores`: the scores of a collection, as a Dask array.
    """

    def _lazy_scores(self, X: Any) -> Any:
        raise NotImplementedError  # each classifier scores in a way of its own

    def decision_function(self: Any, X: Any) -> Any:
        """Score of each row less the threshold, lazily for a Dask collection."""
        check_is_fitted(self)
        if not is_collection(X):
            return super().decision_function(X)  # type: ignore[misc]  # the class of one machine, which comes after this one
        check_columns(self, X, reset=False)
        return self._lazy_scores(X) - self.threshold_

    def predict(self: Any, X: Any) -> Any:
        """The class of each row, in the two values of `y`, lazily for a Dask collection."""
        check_is_fitted(self)
        if not is_collection(X):
            return super().predict(X)  # type: ignore[misc]  # the class of one machine, which comes after this one
        return classes_of(self.decision_function(X), self.classes_)

    def predict_proba(self: Any, X: Any) -> Any:
        """Probabilities of the two classes, lazily for a Dask collection."""
        check_is_fitted(self)
        if not is_collection(X):
            return super().predict_proba(X)  # type: ignore[misc]  # the class of one machine, which comes after this one
        check_columns(self, X, reset=False)
        return probabilities_of(self._lazy_scores(X), self._calibration.probabilities)

    def _partitioned(self: Any, X: Any) -> Partitions:
        """X in partitions on the workers, with the number and names of its columns checked."""
        if is_collection(X):
            check_columns(self, X, reset=True)
            return read_partitions(X)
        return read_partitions(self._checked_table(X, reset=True))

    def _settle_prior_of_rows(self: Any, table: Partitions, labels: PULabels) -> None:
        """The estimate draws rows from larger tables; those are all that come from the workers."""
        is_small = table.shape[0] <= MAX_ROWS
        self._settle_prior(table.gathered() if is_small else table, labels)
