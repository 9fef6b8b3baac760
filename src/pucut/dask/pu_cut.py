"""The classifier that chooses for itself, with rows that stay on the workers of a Dask cluster."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import _fit_context

from pucut._support.checks import FloatArray
from pucut.dask.engine import delayed
from pucut.dask.estimator import ForCollections, without
from pucut.dask.place import WeightedSpaceOnWorkers, lists_of, place_of
from pucut.dask.search import Found
from pucut.dask.standardising import encoded_part, encoded_partitions
from pucut.graphs.spaces import WeightedSpace
from pucut.methods import PUCutClassifier
from pucut.methods.steps import FitSteps, with_callbacks
from pucut.trees.feature_weights import weighted


@without("device", "memory_limit")
class DaskPUCutClassifier(ForCollections, PUCutClassifier):
    """`PUCutClassifier` for Dask arrays and DataFrames.

    Encoding, trees, regressions and the search for neighbours run on the workers of the current
    Dask client, and no process needs to hold all rows. Scores and lists of neighbours come to the
    process that calls `fit`, which mixes them and solves the cuts. If neighbours are exact, the
    results are those of `PUCutClassifier` for rows in the order in which it works
    (`row_order_`), to the bit, but for the rounds of large tables, which are left out here.

    Parameters
    ----------
    neighbors : {"auto", "exact", "approximate", "torch"}, default="auto"
        "auto": exactly if that is fast on the cluster, otherwise approximately.
    learners, embeddings : None
        They would need all rows in one process.
    prior, feature_weights, n_neighbors, sigma, n_estimators, pos_label, neg_label, random_state, \
verbose
        As in `PUCutClassifier`.
    n_jobs : int, optional
        Number of threads in the process that calls `fit`; results do not depend on it.

    Attributes
    ----------
    As in `PUCutClassifier`; `row_order_` is that of the collection.

    Notes
    -----
    `predict`, `predict_proba` and `decision_function` of a Dask collection are Dask arrays. A
    model whose points are on the workers cannot be pickled; `gather` brings them here.
    """

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Learns scores and finds neighbours on the workers, cuts, compares and mixes here.

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
            if getattr(self, name) is not None:
                raise ValueError(
                    f"{name} must be None on Dask, found {getattr(self, name)!r}: they would need "
                    "all rows in one process. Fit PUCutClassifier to a sample of the rows, and let "
                    "pucut.dask.predict(model, X) answer"
                )
        table, labels = self._read(X, y)
        n_rows = table.shape[0]
        options = self._options(n_rows)
        steps = FitSteps(self, n_steps=8, verbose=int(self.verbose))
        with steps.step("prior"):
            self._encoding = self._learn_columns_and_prior(table, labels)
        with steps.step("encoding"):
            place = place_of(encoded_partitions(table, self._encoding), self._n_threads())
        return self._choose(place, None, labels, np.arange(n_rows), options, steps)

    def _spaces(self) -> Iterable[WeightedSpace]:
        return self._mixture.spaces

    def _set_spaces(self, spaces: Mapping[str, WeightedSpace]) -> None:
        self._mixture = self._mixture.in_spaces(spaces)
        if hasattr(self, "mixture_"):
            self.mixture_ = self._mixture

    def _score_task(self, spaces: Mapping[str, WeightedSpaceOnWorkers]) -> Any:
        mixture, encoding = self._mixture, delayed(self._encoding)
        alone = {name: space.without_points() for name, space in spaces.items()}
        small = delayed(mixture.for_answers().in_spaces(alone))
        encode, place, score = delayed(encoded_part), delayed(point_in_space), delayed(scores_of)

        def scores(part: Any) -> Any:
            points = encode(part, encoding)
            found = {
                name: space.nearest(place(small, name, points), n_asked)
                for name, space in spaces.items()
                if (n_asked := mixture.n_needed(space))
            }
            return score(small, points, found)

        return scores


def point_in_space(mixture: Any, name: str, points: Any) -> Any:
    """New rows as weighted points of a space."""
    one = next(one for one in mixture.searched if one.name == name)
    return weighted(one.transform.of(None, points), one.final.weights)


def scores_of(mixture: Any, points: Any, found: Mapping[str, Found]) -> FloatArray:
    if not len(points):
        return np.empty(0)
    made = {transform.key: transform.of(None, points) for transform in mixture.transforms}
    lists = {name: lists_of(each) for name, each in found.items()}
    scores: FloatArray = mixture.scores_near(None, made, lists)
    return scores
