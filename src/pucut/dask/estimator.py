"""The part that the classifiers on Dask have in common."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, Self, TypeVar

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from pucut.dask.answers import (
    answers_in_tasks,
    check_columns,
    classes_of,
    lazy_array,
    probabilities_of,
)
from pucut.dask.engine import is_collection
from pucut.dask.partitions import Partitions, labels_here, read_partitions
from pucut.dask.place import WeightedSpaceOnWorkers
from pucut.dask.standardising import learn_all_columns
from pucut.data.encoding import Encoding
from pucut.data.labels import PULabels
from pucut.data.repeats import numbered, repeats, warn_of_copies
from pucut.data.suspects import warn_of_suspects
from pucut.graphs.spaces import WeightedSpace
from pucut.priors.estimate import MAX_ROWS

Class = TypeVar("Class", bound=type[Any])


def without(*names: str) -> Callable[[Class], Class]:
    """Take parameters away from the constructor that a decorated class inherits.

    They have their defaults, as attributes of the class. Neighbours are found on the workers.
    """

    def with_fewer(cls: Class) -> Class:
        parent: Any = cls.__init__
        signature = inspect.signature(parent)
        for name in names:
            setattr(cls, name, signature.parameters[name].default)
        kept = [each for each in signature.parameters.values() if each.name not in names]
        signature = signature.replace(parameters=kept)

        @wraps(parent)
        def init(self: Any, **parameters: Any) -> None:
            unknown = [name for name in parameters if name not in signature.parameters]
            if unknown:
                called = f"{cls.__name__}.__init__()"
                raise TypeError(f"{called} got an unexpected keyword argument {unknown[0]!r}")
            parent(self, **parameters)

        init.__qualname__ = f"{cls.__name__}.__init__"
        init.__signature__ = signature  # type: ignore[attr-defined]  # read by inspect
        cls.__init__ = init
        cls._parameter_constraints = {
            name: allowed
            for name, allowed in cls._parameter_constraints.items()
            if name in signature.parameters
        } | {"neighbors": [StrOptions({"auto", "exact", "approximate", "torch"})]}
        return cls

    return with_fewer


class ForCollections:
    """Base that stands before the classifier of one machine, which answers rows of this process."""

    def _spaces(self) -> Iterable[WeightedSpace]:
        """The spaces in which new rows are scored."""
        raise NotImplementedError

    def _set_spaces(self, spaces: Mapping[str, WeightedSpace]) -> None:
        """Puts spaces in the place of those of the same names."""
        raise NotImplementedError

    def _score_task(self, spaces: Mapping[str, WeightedSpaceOnWorkers]) -> Any:
        """The function from a task of new rows to the task of their scores."""
        raise NotImplementedError

    def decision_function(self: Any, X: Any) -> Any:
        """Score of each row less the threshold, lazily for a Dask collection."""
        check_is_fitted(self)
        if not is_collection(X):
            return super().decision_function(X)  # type: ignore[misc]  # the class of one machine, which comes after this one
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
        return probabilities_of(self._lazy_scores(X), self._calibration.probabilities)

    def gather(self) -> Self:
        """Brings the points into this process; then the model can be pickled."""
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

    def _lazy_scores(self: Any, X: Any) -> Any:
        check_columns(self, X, reset=False)
        spaces = self._spaces_on_workers()
        if spaces:
            return lazy_array(X, self._score_task(spaces), np.float64)
        score = answers_in_tasks(self.compact(), "_score_rows", np.float64)
        return lazy_array(X, score, np.float64)

    def _spaces_on_workers(self) -> dict[str, WeightedSpaceOnWorkers]:
        return {
            space.name: space
            for space in self._spaces()
            if isinstance(space, WeightedSpaceOnWorkers)
        }

    def _read(self: Any, X: Any, y: Any) -> tuple[Partitions, PULabels]:
        """Returns X in partitions on the workers, its columns checked, and the labels here."""
        if is_collection(X):
            check_columns(self, X, reset=True)
            table = read_partitions(X)
        else:
            table = read_partitions(self._checked_table(X, reset=True))
        return table, self._read_labels(labels_here(y), table.shape[0])

    def _learn_columns_and_prior(self: Any, table: Partitions, labels: PULabels) -> Encoding:
        """Returns the encoding, warns as on one machine, and sets the prior.

        The estimate draws rows from larger tables; only these come from the workers.
        """
        learned = learn_all_columns(table, labels)
        warn_of_copies(repeats(numbered(learned.hashes), labels.is_labelled))
        warn_of_suspects(learned.suspects)
        is_gathered = isinstance(self.prior, str) and table.shape[0] <= MAX_ROWS
        self._set_prior(table.gathered() if is_gathered else table, labels)
        return learned.encoding
