"""The two classifiers whose rows stay on the workers of a Dask cluster."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY
from typing import Annotated, Any, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from pucut._support.checks import FloatArray
from pucut.cuts.inductive import nearness, share_of_similarity
from pucut.dask.engine import delayed
from pucut.dask.estimator import ForCollections
from pucut.dask.partitions import Partitions
from pucut.dask.place import PointsOnWorkers, WeightedSpaceOnWorkers, lists_of
from pucut.dask.search import Found
from pucut.dask.standardising import encoded_part, encoded_partitions
from pucut.data.labels import PULabels
from pucut.graphs.spaces import WeightedSpace
from pucut.methods import PUCutClassifier, TwoHNCClassifier
from pucut.methods.steps import FitSteps
from pucut.methods.two_hnc.fitting import InductiveRule
from pucut.trees.feature_weights import weighted


class DaskPUCutClassifier(ForCollections, PUCutClassifier, without=("device", "memory_limit")):
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
    n_jobs : int, optional
        Number of threads in the process that calls `fit`; results do not depend on it.

    Attributes
    ----------
    row_order_ : int array of shape (n_samples,)
        The order of the collection.

    Notes
    -----
    `predict`, `predict_proba` and `decision_function` of a Dask collection are Dask arrays. A
    model whose points are on the workers cannot be pickled; `gather` brings them here.
    """

    _: KW_ONLY
    neighbors: Annotated[Any, StrOptions({"auto", "exact", "approximate", "torch"})] = "auto"

    def _fit_table(self, table: Partitions, labels: PULabels) -> Self:
        options = self._options(table.shape[0])
        steps = FitSteps(self, n_steps=8, verbose=int(self.verbose))
        with steps.step("prior"):
            self._encoding = self._learn_columns_and_prior(table, labels)
        with steps.step("encoding"):
            points = encoded_partitions(table, self._encoding).starting_with_blocks()
        place, order = PointsOnWorkers(points, self._n_threads()), np.arange(table.shape[0])
        return self._choose(place, None, labels, order, options, steps)

    def _spaces(self) -> Iterable[WeightedSpace]:
        return self._mixture.spaces

    def _set_spaces(self, spaces: Mapping[str, WeightedSpace]) -> None:
        self._mixture = self._mixture.in_spaces(spaces)
        if hasattr(self, "mixture_"):
            self.mixture_ = self._mixture

    def _score_task(self, spaces: Mapping[str, WeightedSpaceOnWorkers]) -> Callable[[Any], Any]:
        mixture, encoding = self._mixture, delayed(self._encoding)
        alone = {name: space.gathered(None).for_answers() for name, space in spaces.items()}
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


class DaskTwoHNCClassifier(
    ForCollections, TwoHNCClassifier, without=("similarity", "device", "memory_limit")
):
    """`TwoHNCClassifier` for Dask arrays and DataFrames.

    Encoding, trees and the search for neighbours run on the workers of the current Dask client, and
    no process needs to hold all rows. Lists of neighbours come to the process that calls `fit`,
    which solves the cuts. If neighbours are exact, the results are those of `TwoHNCClassifier`,
    except where rows are tied: here ties go by row number, there by what the rows hold.

    Parameters
    ----------
    neighbors : {"auto", "exact", "approximate", "torch"}, default="auto"
        "auto": exactly if that is fast on the cluster, otherwise approximately.

    Notes
    -----
    `predict`, `predict_proba` and `decision_function` of a Dask collection are Dask arrays. A
    model whose points are on the workers cannot be pickled; `gather` brings them here.
    """

    _: KW_ONLY
    neighbors: Annotated[Any, StrOptions({"auto", "exact", "approximate", "torch"})] = "auto"

    def _fit_table(self, table: Partitions, labels: PULabels) -> Self:
        self._was_pairwise = False
        settings = self._settings(table.shape[0])
        steps = FitSteps(self, n_steps=6, verbose=int(self.verbose))
        with steps.step("prior"):
            encoding = self._learn_columns_and_prior(table, labels)
        with steps.step("encoding"):
            place = PointsOnWorkers(encoded_partitions(table, encoding), self._n_threads())
        space = self._find_space(place, encoding, labels.is_labelled, settings, steps.step)
        return self._cut(space, labels, None, settings, steps)

    def _spaces(self) -> Iterable[WeightedSpace]:
        space: Any = self._rule.space
        return [space.space]

    def _set_spaces(self, spaces: Mapping[str, WeightedSpace]) -> None:
        (space,) = spaces.values()
        self._rule = self._rule.in_space(space)

    def _score_task(self, spaces: Mapping[str, WeightedSpaceOnWorkers]) -> Callable[[Any], Any]:
        (space,) = spaces.values()
        rule, place = self._rule, delayed(points_in_space)
        small = delayed(rule.in_space(space.gathered(None).for_answers()))

        def scores(part: Any) -> Any:
            points = place(small, part)
            if rule.name == "nearest":
                return delayed(nearness)(*space.nearest_distances(points, rule.is_positive))
            return delayed(scores_of_neighbors)(small, space.nearest(points, rule.n_neighbors))

        return scores


def point_in_space(mixture: Any, name: str, points: Any) -> Any:
    """Return new rows as weighted points of a space of a mixture."""
    one = next(one for one in mixture.searched if one.name == name)
    return weighted(one.transform.of(None, points), one.final.weights)


def scores_of(mixture: Any, points: Any, found: Mapping[str, Found]) -> FloatArray:
    if not len(points):
        return np.empty(0)
    made = {transform.key: transform.of(None, points) for transform in mixture.transforms}
    lists = {name: lists_of(each) for name, each in found.items()}
    scores: FloatArray = mixture.scores_near(None, made, lists)
    return scores


def points_in_space(rule: InductiveRule, part: Any) -> Any:
    """Return new rows as weighted points of the space of a rule."""
    space: Any = rule.space
    return weighted(encoded_part(part, space.encoding), space.space.weights, in_place=True)


def scores_of_neighbors(rule: InductiveRule, found: Found) -> FloatArray:
    space: Any = rule.space
    return share_of_similarity(*space.similarity_of_neighbors(lists_of(found), rule.is_positive))
