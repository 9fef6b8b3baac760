"""2-HNC whose rows stay on the workers of a Dask cluster."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

from sklearn.base import _fit_context

from pucut._support.checks import FloatArray
from pucut.cuts.inductive import nearness, share_of_similarity
from pucut.dask.engine import delayed
from pucut.dask.estimator import ForCollections, without
from pucut.dask.place import PointsOnWorkers, WeightedSpaceOnWorkers, lists_of
from pucut.dask.search import Found
from pucut.dask.standardising import encoded_part, encoded_partitions
from pucut.graphs.spaces import WeightedSpace
from pucut.methods import TwoHNCClassifier
from pucut.methods.steps import FitSteps, with_callbacks
from pucut.methods.two_hnc.fitting import InductiveRule, checked_grid
from pucut.trees.feature_weights import weighted


@without("similarity", "device", "memory_limit")
class DaskTwoHNCClassifier(ForCollections, TwoHNCClassifier):
    """`TwoHNCClassifier` for Dask arrays and DataFrames.

    Encoding, trees and the search for neighbours run on the workers of the current Dask client, and
    no process needs to hold all rows. Lists of neighbours come to the process that calls `fit`,
    which solves the cuts. If neighbours are exact, the results are those of `TwoHNCClassifier`,
    except where rows are tied: here ties go by row number, there by what the rows hold.

    Parameters
    ----------
    neighbors : {"auto", "exact", "approximate", "torch"}, default="auto"
        "auto": exactly if that is fast on the cluster, otherwise approximately.
    prior, feature_weights, n_neighbors, sigma, lambda_grid, inductive, n_estimators, pos_label, \
neg_label, n_jobs, random_state, verbose
        As in `TwoHNCClassifier`.

    Attributes
    ----------
    As in `TwoHNCClassifier`.

    Notes
    -----
    `predict`, `predict_proba` and `decision_function` of a Dask collection are Dask arrays. A
    model whose points are on the workers cannot be pickled; `gather` brings them here.
    """

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Builds the graph on the workers, solves both families of cuts here, and chooses.

        Parameters
        ----------
        X : Dask array or Dask DataFrame of shape (n_samples, n_features)
            Or rows in this process, as an array or a data frame; they are sent to the workers.
        y : array-like, Dask array or Dask Series of shape (n_samples,)
            Two values, one for labelled positives (the larger number, a word such as "yes", or
            `pos_label`) and the other for unlabelled rows; missing values mean unlabelled too. With
            `neg_label` known negatives, and everything else is unlabelled.
        """
        self._was_pairwise = False
        table, labels = self._read(X, y)
        grid = checked_grid(self.lambda_grid)
        ks = self._choose_settings(table.shape[0])
        steps = FitSteps(self, n_steps=6, verbose=int(self.verbose))
        with steps.step("prior"):
            encoding = self._learn_columns_and_prior(table, labels)
        with steps.step("encoding"):
            place = PointsOnWorkers(encoded_partitions(table, encoding), self._n_threads())
        return self._learn(place, encoding, labels, None, ks, grid, steps)

    def _spaces(self) -> Iterable[WeightedSpace]:
        space: Any = self._rule.space
        return [space.space]

    def _set_spaces(self, spaces: Mapping[str, WeightedSpace]) -> None:
        (space,) = spaces.values()
        self._rule = self._rule.in_space(space)

    def _score_task(self, spaces: Mapping[str, WeightedSpaceOnWorkers]) -> Any:
        (space,) = spaces.values()
        rule, place = self._rule, delayed(points_in_space)
        small = delayed(rule.in_space(space.without_points()))

        def of_distances(part: Any) -> Any:
            queries = place(small, part)
            return delayed(nearness)(*space.nearest_distances(queries, rule.is_positive))

        def of_neighbors(part: Any) -> Any:
            found = space.nearest(place(small, part), rule.n_neighbors)
            return delayed(scores_of_neighbors)(small, found)

        return of_distances if rule.name == "nearest" else of_neighbors


def points_in_space(rule: InductiveRule, part: Any) -> Any:
    """Return new rows as weighted points of the space."""
    space: Any = rule.space
    return weighted(encoded_part(part, space.encoding), space.space.weights, in_place=True)


def scores_of_neighbors(rule: InductiveRule, found: Found) -> FloatArray:
    space: Any = rule.space
    return share_of_similarity(*space.similarity_of_neighbors(lists_of(found), rule.is_positive))
