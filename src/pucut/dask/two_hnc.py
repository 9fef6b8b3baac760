"""2-HNC whose rows stay on the workers of a Dask cluster."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from pucut.dask.answers import lazy_array, scores_by
from pucut.dask.estimator import ForCollections
from pucut.dask.partitions import labels_here
from pucut.dask.space import PartitionedSpace
from pucut.dask.stages import space_on_workers
from pucut.graphs.spaces import WeightedSpace
from pucut.methods import TwoHNCClassifier
from pucut.methods.steps import FitSteps, with_callbacks
from pucut.methods.two_hnc.fitting import FoundSpace, InductiveRule, checked_grid
from pucut.methods.two_hnc.spaces import PointSpace


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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **{
            name: allowed
            for name, allowed in TwoHNCClassifier._parameter_constraints.items()
            if name not in ("similarity", "memory_limit", "device")
        },
        "neighbors": [StrOptions({"auto", "exact", "approximate", "torch"})],
    }

    def __init__(
        self,
        *,
        prior: Any = "auto",
        feature_weights: Any = "pu_trees",
        n_neighbors: Any = None,
        sigma: float | None = None,
        neighbors: str = "auto",
        lambda_grid: Any = None,
        inductive: str = "objective",
        n_estimators: int = 100,
        pos_label: Any = None,
        neg_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            prior=prior,
            feature_weights=feature_weights,
            n_neighbors=n_neighbors,
            sigma=sigma,
            neighbors=neighbors,
            lambda_grid=lambda_grid,
            inductive=inductive,
            n_estimators=n_estimators,
            pos_label=pos_label,
            neg_label=neg_label,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )

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
        table = self._partitioned(X)
        labels = self._read_labels(labels_here(y), table.shape[0])
        grid = checked_grid(self.lambda_grid)
        ks = self._settle_settings(table.shape[0])
        steps = FitSteps(self, n_steps=6, verbose=int(self.verbose))
        with steps.step("prior"):
            self._settle_prior_of_rows(table, labels)
        found = space_on_workers(
            table,
            labels.is_labelled,
            self.prior_,
            feature_weights=self.feature_weights,
            n_neighbors=max(ks),
            sigma=self.sigma_,
            neighbors=self.neighbors,
            n_trees=self.n_estimators,
            random_state=self.random_state,
            step=steps.step,
        )
        weights = found.space.weights
        importances = found.space.encoding.importances(weights)
        space = FoundSpace(found.space, found.forest, weights, importances)
        return self._finish(space, labels, ks, grid, steps)

    def gather(self) -> Self:
        """Brings the points into this process; then the model can be pickled."""
        check_is_fitted(self)
        space = self._rule.space
        if isinstance(space, PartitionedSpace):
            here = WeightedSpace(
                "features",
                space.weights,
                space.points.gathered(),
                True,
                space.lists,
                space.kernel,
                self._n_threads(),
            )
            rule = self._rule
            self._rule = InductiveRule(
                rule.name, PointSpace(space.encoding, here), rule.n_neighbors, rule.is_positive
            )
        return self

    def _lazy_scores(self, X: Any) -> Any:
        rule, space = self._rule, self._rule.space
        score = scores_by(rule.scores)
        if isinstance(space, PartitionedSpace):
            score = space.scores(rule.name, rule.n_neighbors, rule.is_positive)
        return lazy_array(X, score, np.float64)
