"""Outliers as a scikit-learn detector; the cuts are functions of `pucut.outliers._cuts`."""

import numbers
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, OutlierMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pucut._support.checks import FloatArray, checked_seeds
from pucut._support.fitting import FitsWhole
from pucut.data.containers import checked_table, for_any_table
from pucut.data.encoding import learn_encoding
from pucut.graphs.spaces import weighted_space
from pucut.outliers._cuts import far_share, find_outliers

# The number of neighbours, if a table has as many other rows.
_NEIGHBORS = 15


class CutOutlierDetector(FitsWhole, OutlierMixin, BaseEstimator):
    """The rows that leave the side of the regular ones first, as cuts grow through the graph.

    Rows are the nodes of a graph of nearest neighbours. Some are fixed on the regular side: those
    that are known to be regular, or, if none are, the densest half of all. For every tradeoff
    lambda the minimum cut divides the graph into regular rows and others; the regular side shrinks
    as lambda grows. A row leaves early if it lies in a sparse region, and if little connects it
    with those that stay, so that a small group of similar outliers leaves together.

    Parameters
    ----------
    n_neighbors : int, optional
        Neighbours in the graph and for the density. By default 15, or all other rows if there are
        fewer. A group of outliers with fewer members than this is seen as sparse.
    density_weight : float, default=2.0
        How much the density of a row itself counts relative to its neighbours. Towards infinity
        rows are ordered only by their mean distance to their neighbours.
    contamination : float from 0 to 0.5 or "auto", default="auto"
        The share of outliers among the training rows, which decides where `predict` draws the line.
        "auto": the rows whose mean distance to their neighbours lies beyond Tukey's upper fence
        (in logarithms, the third quartile plus 1.5 times the interquartile range), which may be
        none.
    neighbors : {"auto", "exact", "approximate", "torch"}, default="auto"
        How neighbours are found. "auto": exactly if that is fast, otherwise approximately.
    n_jobs : int, optional
        Number of threads; results do not depend on it. None is 1 and -1 is all processors.
    random_state : int, RandomState instance or None, default=None
        For approximate neighbours.

    Attributes
    ----------
    score_samples_ : float array of shape (n_samples,)
        Scores of the training rows, low for outliers.
    offset_ : float
        `decision_function` is `score_samples` less this.
    is_seed_ : bool array of shape (n_samples,)
        The rows that were fixed on the regular side.
    path_ : CutPath
        All minimum cuts; its nodes are the training rows.
    contamination_ : float
        The share of outliers that the line was drawn for.
    n_neighbors_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (`n_features_in_`,)
        If X has names for all columns.

    Notes
    -----
    Columns of numbers are standardised. Columns of strings and of category types become one
    feature per value, standardised too. Missing values count as the mean.

    A score is the lambda at which the row leaves; rows that leave together are ordered by their
    density. An unseen row is scored by itself, with all others fixed: where its own terms of the
    objective are least. A row equal to a training row has the score of that row.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_neighbors": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "density_weight": [Interval(numbers.Real, 0.0, None, closed="neither")],
        "contamination": [StrOptions({"auto"}), Interval(numbers.Real, 0.0, 0.5, closed="right")],
        "neighbors": [StrOptions({"auto", "exact", "approximate", "torch"})],
        "n_jobs": [numbers.Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_neighbors: int | None = None,
        density_weight: float = 2.0,
        contamination: Any = "auto",
        neighbors: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.density_weight = density_weight
        self.contamination = contamination
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        return for_any_table(super().__sklearn_tags__())

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, regular: Any = None) -> Self:
        """Builds the graph and solves the cuts.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        y : ignored
            Here for scikit-learn's interface.
        regular : bool array of shape (n_samples,) or list of row numbers, optional
            The rows known to be regular. By default the densest half stands in for them.
        """
        X = checked_table(self, X, reset=True)
        n_samples = X.shape[0]
        if n_samples < 2:
            raise ValueError(
                f"Found array with {n_samples} sample(s) while a minimum of 2 is required"
            )
        seeds = None if regular is None else checked_seeds(regular, n_samples, "regular")
        if seeds is not None and not seeds.any():
            raise ValueError("regular names no row; leave it out if no row is known")
        n_neighbors = self._settled_n_neighbors(n_samples)
        self._encoding, points = learn_encoding(X)
        space = weighted_space(
            "plain",
            points,
            np.ones(points.shape[1]),
            n_neighbors,
            method=self.neighbors,
            n_threads=int(effective_n_jobs(self.n_jobs)),
            random_state=self.random_state,
        )
        self._cuts = find_outliers(space, seeds, float(self.density_weight))
        self.n_neighbors_ = n_neighbors
        self.is_seed_ = self._cuts.is_seed
        self.path_ = self._cuts.path
        self.score_samples_ = self._cuts.score
        is_auto = isinstance(self.contamination, str)
        self.contamination_ = (
            min(far_share(self._cuts.remoteness), 0.5) if is_auto else float(self.contamination)
        )
        self.offset_ = float(np.percentile(self.score_samples_, 100.0 * self.contamination_))
        return self

    def score_samples(self, X: Any) -> FloatArray:
        """The score of each row, lower for outliers."""
        check_is_fitted(self)
        return self._cuts.scores_of(self._encoding.encode(checked_table(self, X, reset=False)))

    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row less `offset_`: below 0 for outliers."""
        scores: FloatArray = self.score_samples(X) - self.offset_
        return scores

    def predict(self, X: Any) -> npt.NDArray[np.int_]:
        """1 for regular rows and -1 for outliers."""
        return np.where(self.decision_function(X) < 0.0, -1, 1)

    def _settled_n_neighbors(self, n_samples: int) -> int:
        if self.n_neighbors is None:
            return min(_NEIGHBORS, n_samples - 1)
        if self.n_neighbors >= n_samples:
            raise ValueError(
                f"n_neighbors must be at most {n_samples - 1}, the number of other samples, found "
                f"{self.n_neighbors}"
            )
        return int(self.n_neighbors)
