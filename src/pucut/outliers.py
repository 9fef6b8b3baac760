"""Outliers by nested cuts: the rows that leave the side of the regular ones first.

Every row is pulled to the regular side by its own density, which is the share of rows that are
farther from their neighbours than it is from its own, and by its similarity to rows on that side.
The cuts for all lambda are those of `pucut.cuts.score_cuts` with the regular rows as seeds; the
level of a row is the lambda at which it leaves. The density weighs the same for all rows, as for a
row of median degree: an isolated row is not held by its few connections.
"""

import numbers
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, OutlierMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pucut._support.checks import BoolArray, FloatArray, checked_seeds
from pucut._support.constraints import COUNT_OR_NONE, N_JOBS, POSITIVE, DeclaredParameters
from pucut._support.fitting import FitsWhole
from pucut.cuts.parametric_cut import CutPath
from pucut.cuts.score_cuts import levels_of_new_rows, score_cut
from pucut.data.containers import checked_table, for_any_table
from pucut.data.encoding import learn_encoding
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.neighbors.equal_rows import group_equal_rows
from pucut.graphs.spaces import WeightedSpace, unweighted_space

# Share of the rows, the densest, that replaces the regular rows if none are known.
DENSEST_SHARE = 0.5
# Rows that leave together are ordered by their density, with this small weight.
_TIE_WEIGHT = 1e-9
# Default number of neighbours, capped at the number of other rows.
_NEIGHBORS = 15


@dataclass(frozen=True, eq=False)
class OutlierCuts:
    """The cuts of one table, with the seeds fixed on the regular side, and scores from them."""

    space: WeightedSpace
    path: CutPath
    is_seed: BoolArray
    remoteness: FloatArray  # mean distance of each row to its neighbours
    rising_remoteness: FloatArray
    pull: float  # weight of the density, in the unit of degrees
    score: FloatArray  # the lambda at which a row leaves; seeds are above all others

    def scores_of(self, points: Any) -> FloatArray:
        """Return scores of any rows, each by itself; a row equal to one of the table has its score.

        The level of a new row minimises its own terms of the objective, with all others fixed.
        """
        lists = self.space.near(points)
        density = densities(_mean_distance(lists), self.rising_remoteness)
        weights = self.space.similarities(lists.squared_distances)
        levels = levels_of_new_rows(
            lists.indices,
            weights,
            np.where(self.is_seed, np.inf, self.path.switch),
            density,
            self.pull / weights.sum(axis=1),
        )
        scores: FloatArray = levels + _TIE_WEIGHT * density
        is_known = lists.squared_distances[:, 0] == 0.0
        scores[is_known] = self.score[lists.indices[is_known, 0]]
        return scores


def find_outliers(
    space: WeightedSpace, regular: BoolArray | None, density_weight: float
) -> OutlierCuts:
    """Solve the cuts, with the known regular rows as seeds, or else the densest half."""
    remoteness = _mean_distance(space.lists)
    is_seed = densest(remoteness, DENSEST_SHARE) if regular is None else regular
    rising = np.sort(remoteness)
    density = densities(remoteness, rising)
    graph = space.graph(space.lists.n_neighbors)
    degrees = np.asarray(graph.sum(axis=1), dtype=np.float64).ravel()
    pull = density_weight * float(np.median(degrees))
    path = score_cut(graph, is_seed, density, pull / degrees, n_threads=space.n_threads)
    # No row leaves later than at its density and its degree / pull.
    level = np.where(is_seed, 1.0 + degrees.max() / pull + density, path.switch)
    score = _shared_by_equal_rows(level + _TIE_WEIGHT * density, space.points)
    return OutlierCuts(space, path, is_seed, remoteness, rising, pull, score)


def densities(remoteness: FloatArray, rising: FloatArray) -> FloatArray:
    """Return the share of the `rising` values that are larger; equal ones count half."""
    larger = len(rising) - np.searchsorted(rising, remoteness, side="right")
    not_smaller = len(rising) - np.searchsorted(rising, remoteness, side="left")
    return (larger + not_smaller) / (2.0 * len(rising))


def densest(remoteness: FloatArray, share: float) -> BoolArray:
    """Return the rows nearest to their neighbours, at least one; ties by row number."""
    chosen = np.zeros(len(remoteness), dtype=np.bool_)
    n_chosen = max(1, int(share * len(remoteness)))
    chosen[np.argsort(remoteness, kind="stable")[:n_chosen]] = True
    return chosen


def far_share(remoteness: FloatArray) -> float:
    """Return the share of rows whose log remoteness is beyond Tukey's upper fence."""
    positive = remoteness > 0.0
    if not positive.any():
        return 0.0
    # Rows with that many copies count as near as the nearest that have fewer.
    logs = np.log(np.where(positive, remoteness, remoteness[positive].min()))
    lower, upper = np.quantile(logs, (0.25, 0.75))
    return float(np.mean(logs > upper + 1.5 * (upper - lower)))


def _mean_distance(lists: NeighborLists) -> FloatArray:
    return np.asarray(np.sqrt(lists.squared_distances).mean(axis=1))


def _shared_by_equal_rows(scores: FloatArray, points: Any) -> FloatArray:
    """Give equal rows the highest score among them."""
    groups = group_equal_rows(points)
    highest = np.full(groups.n_groups, -np.inf)
    np.maximum.at(highest, groups.group_of, scores)
    return np.asarray(highest[groups.group_of])


class CutOutlierDetector(FitsWhole, DeclaredParameters, OutlierMixin, BaseEstimator):
    """Outliers: the rows that leave the side of the regular ones first, along nested cuts.

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
        Weight of a row's own density relative to its neighbours. Towards infinity rows are ordered
        only by their mean distance to their neighbours.
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

    _: KW_ONLY
    n_neighbors: Annotated[int | None, COUNT_OR_NONE] = None
    density_weight: Annotated[float, POSITIVE] = 2.0
    contamination: Annotated[
        Any, StrOptions({"auto"}), Interval(numbers.Real, 0.0, 0.5, closed="right")
    ] = "auto"
    neighbors: Annotated[str, StrOptions({"auto", "exact", "approximate", "torch"})] = "auto"
    n_jobs: Annotated[int | None, N_JOBS] = None
    random_state: Annotated[Any, "random_state"] = None

    def __sklearn_tags__(self) -> Any:
        return for_any_table(super().__sklearn_tags__())

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, regular: Any = None) -> Self:
        """Build the graph and solve the cuts.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        y : ignored
            Required by scikit-learn's interface.
        regular : bool array of shape (n_samples,) or list of row numbers, optional
            The rows known to be regular. By default the densest half takes their place.
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
        self._encoding, points = learn_encoding(X)
        space = unweighted_space(
            points,
            self.n_neighbors,
            _NEIGHBORS,
            method=self.neighbors,
            n_threads=int(effective_n_jobs(self.n_jobs)),
            random_state=self.random_state,
        )
        self.n_neighbors_ = space.lists.n_neighbors
        self._cuts = find_outliers(space, seeds, float(self.density_weight))
        self.is_seed_ = self._cuts.is_seed
        self.path_ = self._cuts.path
        self.score_samples_ = self._cuts.score
        if isinstance(self.contamination, str):
            self.contamination_ = min(far_share(self._cuts.remoteness), 0.5)
        else:
            self.contamination_ = float(self.contamination)
        self.offset_ = float(np.percentile(self.score_samples_, 100.0 * self.contamination_))
        return self

    def score_samples(self, X: Any) -> FloatArray:
        """Return the score of each row, lower for outliers."""
        check_is_fitted(self)
        return self._cuts.scores_of(self._encoding.encode(checked_table(self, X, reset=False)))

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score of each row less `offset_`: below 0 for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> npt.NDArray[np.int_]:
        """Return 1 for regular rows and -1 for outliers."""
        return np.where(self.decision_function(X) < 0.0, -1, 1)
