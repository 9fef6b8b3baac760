"""Base of the two cut classifiers: the cost of a fit is known before it starts."""

import numbers
from abc import abstractmethod
from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, Self

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from sklearn.utils._param_validation import Interval

from pucut._support.constraints import COUNT, N_JOBS, POSITIVE
from pucut._support.devices import DEVICE_CONSTRAINTS, usable_card
from pucut._support.memory import available_memory, checked_memory_limit
from pucut.data.containers import size_of_table
from pucut.graphs.neighbors.index import EXACT_OR_LEFT_OPEN
from pucut.methods._base import PUClassifier
from pucut.methods.plan import FitEstimate, Plan, check_fits, prior_stage
from pucut.methods.steps import CallbackSupportMixin

# The searches for neighbours with known memory needs.
OWN_SEARCHES = ("auto", "exact", "approximate")
# Fits that need less are started without checking what the machine has.
ALWAYS_TRIED = 1 << 30


class SizedClassifier(CallbackSupportMixin, PUClassifier):
    """Base of classifiers whose fit has a plan (`_plan`), which this class prices.

    Parameters
    ----------
    verbose : int, default=0
        1 prints the estimate of time and memory, each step of `fit`, and a table of their times.
        Callbacks of scikit-learn, such as its progress bar, receive the steps, if the installed
        version has them.

    Attributes
    ----------
    feature_importances_ : float array of shape (n_features,)
        The weights of the columns of X, scaled to sum to 1; those of a column's categories are
        added up. `pandas.Series(model.feature_importances_, model.feature_names_in_)` names them.
    step_seconds_ : dict
        Where the time of `fit` went.
    """

    _: KW_ONLY
    n_neighbors: Annotated[Any, COUNT, "array-like", None] = None
    sigma: Annotated[float | None, POSITIVE, None] = None
    n_estimators: Annotated[int, COUNT] = 100
    n_jobs: Annotated[int | None, N_JOBS] = None
    device: Annotated[str | None, DEVICE_CONSTRAINTS] = None
    memory_limit: Annotated[Any, numbers.Real, str, None] = None
    verbose: Annotated[int, Interval(numbers.Integral, 0, None, closed="left"), "boolean"] = 0

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the labelled and the unlabelled rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Or a table or dataset of pyarrow, or the path of a Parquet file or of a folder of such
            files, which are then read in the order of their names. Memory-mapped arrays are read
            by blocks.
        y : array-like of shape (n_samples,)
            Two values, one for labelled positives (the larger number, a word such as "yes", or
            `pos_label`) and the other for unlabelled rows; missing values mean unlabelled too. With
            `neg_label` known negatives, and everything else is unlabelled.
        """
        raise NotImplementedError

    @abstractmethod
    def _plan(
        self, n_rows: int, n_features: int, value_bytes: int, n_labelled: int | None = None
    ) -> Plan:
        """Plan a fit to a table of this size; without `n_labelled` there are many labels."""

    def estimate(self, X: Any, n_labelled: int | None = None) -> FitEstimate:
        """Estimate the time and memory that `fit` on X would take, by stage; X is not read.

        Parameters
        ----------
        X : array, data frame, path or table of pyarrow as for `fit`, or a pair (n_rows, n_features)
            A pair stands for values in double precision.
        n_labelled : int, optional
            Labelled rows. With few of them `PUCutClassifier` repeats more of its work to judge it;
            by default they are taken to be many.
        """
        (n_rows, n_features), value_bytes = size_of_table(X)
        needed = self._price(self._plan(n_rows, n_features, value_bytes, n_labelled))
        if not isinstance(self.prior, str):
            return needed
        first = prior_stage(n_rows, n_features, value_bytes)
        return replace(needed, stages=(first, *needed.stages))

    def _price(self, plan: Plan) -> FitEstimate:
        return plan.price(checked_memory_limit(self.memory_limit))

    def _sizes(self) -> dict[str, Any]:
        """The parameters that every plan has in common."""
        by_gpu = isinstance(self.neighbors, str) and self.neighbors in EXACT_OR_LEFT_OPEN
        return {
            "n_threads": self._n_threads(),
            "n_estimators": self.n_estimators,
            # Nothing is said here if there is no GPU.
            "search_on_gpu": by_gpu and usable_card(self.device) is not None,
        }

    def _room_for(self, needed: FitEstimate) -> int | None:
        """Return the memory available to `fit`; None if the fit is too small to be checked."""
        limit = checked_memory_limit(self.memory_limit)
        if limit is None and needed.bytes > ALWAYS_TRIED:
            return available_memory()
        return limit

    def _search_bytes(self, X: Any, n_labelled: int, is_known: bool = True) -> int | None:
        """Refuse a fit that needs too much; return the bytes that the search may hold.

        Only dense tables and the searches of this package have known needs.
        """
        limit = checked_memory_limit(self.memory_limit)
        is_own_search = isinstance(self.neighbors, str) and self.neighbors in OWN_SEARCHES
        if sp.issparse(X) or not is_own_search or not is_known:
            return None
        needed = self.estimate(X, n_labelled)
        if self.verbose:
            print(needed, flush=True)
        room = self._room_for(needed)
        if room is not None:
            check_fits(needed, room, is_given=limit is not None)
        return None if limit is None else needed.search_bytes

    def _numbers_of_neighbors(self, n_samples: int) -> list[int] | None:
        """Return the numbers supplied, ascending and at most all other samples, or None."""
        if self.n_neighbors is None:
            return None
        ks = np.unique(np.atleast_1d(self.n_neighbors))
        if ks.ndim != 1 or ks.dtype.kind not in "iu" or not len(ks) or ks[0] < 1:
            raise ValueError(
                "n_neighbors must be a whole number of at least 1, or several, found "
                f"{self.n_neighbors!r}"
            )
        return sorted({min(int(k), n_samples - 1) for k in ks})

    def _n_threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))
