"""PU Extra Trees as a scikit-learn classifier; the trees themselves are in pucut.trees."""

import numbers
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pucut._support.checks import FloatArray, IndexArray
from pucut._support.constraints import COUNT, COUNT_OR_NONE, N_JOBS, THRESHOLD_CONSTRAINTS
from pucut.data.containers import for_any_table
from pucut.data.labels import PULabels
from pucut.data.repeats import groups_for_folds, possible_folds
from pucut.data.tables import Table, read_table
from pucut.methods._base import FOLDS, PUClassifier, share_of_rest
from pucut.trees.cross_fitting import cross_fitted_forest
from pucut.trees.forest import (
    ForestScores,
    Proximities,
    forest_apply,
    forest_importances,
    forest_scores,
    proximity_neighbors,
)
from pucut.trees.growing import LOSSES, RISKS, Loss, Risk, TreeOptions, grow_forest


class PUExtraTreesClassifier(PUClassifier):
    """Extremely randomised trees that minimise a risk estimated from positive and unlabelled rows.

    PU Extra Trees of Wilton, Koay, Ko, Xu and Ye (NeurIPS 2022). At each node a few features are
    drawn, for each a few random cuts, and the cut that lowers the risk most is used. Known
    negatives enter the risk as in Sakai, du Plessis, Niu and Sugiyama (ICML 2017).

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    risk : {"nnpu", "upu", "pn"}, default="nnpu"
        The non-negative or the unbiased estimate of the risk, or that of labelled against
        unlabelled rows, taken as negatives, with the classes weighted by the prior.
    loss : {"quadratic", "logistic"}, default="quadratic"
        With "upu" the logistic loss is unbounded below: a cut that makes such a node beats all
        others and is not counted in the importances.
    max_depth : int, optional
        By default nodes are cut until no cut lowers the risk or no feature varies.
    min_samples_leaf : int, default=1
        The fewest rows in a leaf.
    max_features : "sqrt", int, float or None, default="sqrt"
        Features drawn at a node, not counting those that do not vary in it. The square root and a
        share of all (float) are rounded up; None draws all.
    max_candidates : int, default=1
        Random cuts tried for each feature drawn.
    ranking : {"vote", "leaf"}, default="vote"
        The score of a row: the share of trees whose leaf says positive, ties in the order of the
        leaves (the mean of the leaves counts as the vote of one more tree); or the mean, over the
        trees, of the fraction of positives in the row's leaf.
    threshold : {"prior", "half"}, default="prior"
        `predict` says positive above the score that the prior's share of the training rows exceeds
        (scored by trees that did not see them, see `cross_fit`); or, as the method's authors do,
        above 1/2.
    cross_fit : {"threshold", "scores"} or None, default="threshold"
        Trees know the labels of the rows they were grown on, so in-sample scores say little about
        other rows. "threshold" grows as many trees again, each without a fifth of the rows; their
        out-of-sample scores are `scores_`, which give the threshold at the prior and the
        probabilities. "scores" grows `n_estimators` for each fifth, and `transduction_` comes from
        them too; that helps if `threshold` is "half". None grows no further trees, which is enough
        if only `transduction_` is wanted. See docs/design/tried.md.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        Columns of strings and of the category types of pandas and polars are categorical; a list
        names further ones, as a mask, indices, or names of columns. A cut sends a random subset of
        the categories left. At most 255 categories per column.
    callback : callable, optional
        Called as callback(trees grown, trees in all) now and then while growing.

    Attributes
    ----------
    forest_ : Forest
        The trees, as flat arrays.
    feature_importances_ : float array of shape (n_features,)
        How much the cuts on each feature lowered the risk, negative sums as 0, scaled to sum to 1;
        all zeros if no cut lowered the risk.
    scores_ : float array of shape (n_samples,)
        Scores of the training rows, from 0 to 1, by trees that did not see them, unless `cross_fit`
        is None.
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the labelled rows are positive, and as many of the best others
        as bring the share of positives to the prior, or those above 1/2; by `forest_`, or by
        `scores_` if `cross_fit` is "scores".

    Notes
    -----
    Missing values (NaN) are allowed: both sides of a cut are tried for them. Categories not seen
    by `fit` count as missing. Sparse matrices are read column by column, one byte per cell.

    There is no `sample_weight`: the risk depends on shares of rows.

    `proximity_neighbors` needs the training rows, which are kept by reference, not copied, and
    left out when the estimator is pickled.
    """

    n_estimators: Annotated[int, COUNT] = 100
    _: KW_ONLY
    risk: Annotated[Risk, StrOptions(set(RISKS))] = "nnpu"
    loss: Annotated[Loss, StrOptions(set(LOSSES))] = "quadratic"
    max_depth: Annotated[int | None, COUNT_OR_NONE] = None
    min_samples_leaf: Annotated[int, COUNT] = 1
    max_features: Annotated[
        Any, COUNT, Interval(numbers.Real, 0.0, 1.0, closed="right"), StrOptions({"sqrt"}), None
    ] = "sqrt"
    max_candidates: Annotated[int, COUNT] = 1
    unlabelled_includes_labelled: Annotated[bool, "boolean"] = True
    ranking: Annotated[str, StrOptions({"vote", "leaf"})] = "vote"
    threshold: Annotated[str, THRESHOLD_CONSTRAINTS] = "prior"
    cross_fit: Annotated[str | None, StrOptions({"threshold", "scores"}), None] = "threshold"
    categorical_features: Annotated[Any, "array-like", StrOptions({"from_dtype"}), None] = (
        "from_dtype"
    )
    n_jobs: Annotated[int | None, N_JOBS] = None
    callback: Annotated[Any, callable, None] = None

    _uses_negatives: ClassVar[bool] = True
    _answers_rest_on: ClassVar[tuple[str, ...] | None] = ("forest_", "_fit_ranking", "_fit_n_jobs")

    def __sklearn_tags__(self) -> Any:
        return for_any_table(super().__sklearn_tags__())

    def _checked_table(self, X: Any, *, reset: bool) -> Any:
        X = super()._checked_table(X, reset=reset)
        if reset:
            self._fit_table: Table | None = read_table(
                X, categorical_features=self.categorical_features
            )
        return X

    def _fit_rows(self, rows: Any, labels: PULabels, order: IndexArray) -> None:
        assert self._fit_table is not None
        table = self._fit_table.of_rows(order)
        # Predictions do not read the parameters, which may be set for a next fit.
        self._fit_ranking, self._fit_n_jobs = self.ranking, self.n_jobs
        self._settle_prior(rows, labels)
        prior = self.prior_
        if not (self.unlabelled_includes_labelled or self.risk == "pn"):
            prior = share_of_rest(prior, labels.is_labelled, 0.5)
        growing = {
            "X": table,
            "is_labelled": labels.is_labelled,
            "is_negative": labels.is_negative,
            "prior": prior,
            "options": TreeOptions(
                risk=self.risk,
                loss=self.loss,
                max_depth=self.max_depth,
                min_samples_leaf=self.min_samples_leaf,
                max_features=self.max_features,
                max_candidates=self.max_candidates,
                unlabelled_includes_labelled=self.unlabelled_includes_labelled,
            ),
            "random_state": self.random_state,
            "n_threads": self._n_threads(),
            "callback": self.callback,
        }
        # Before the forest is grown, so that both need not be in memory together.
        unseen = self._unseen_scores(labels, growing)
        self.forest_ = grow_forest(**growing, n_trees=self.n_estimators)
        self.feature_importances_ = forest_importances(self.forest_)
        own = self._ranked(forest_scores(self.forest_, table, n_threads=self._n_threads()))
        self._settle_answers(
            own if unseen is None else unseen,
            labels,
            half=0.5 if self.threshold == "half" else None,
            seen=own if self.cross_fit == "threshold" else None,
        )

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the number of the leaf of each row in each tree, (n_samples, n_estimators)."""
        check_is_fitted(self)
        X = self._checked_table(X, reset=False)
        return forest_apply(self.forest_, X, n_threads=self._n_threads())

    def proximity_neighbors(self, k: int) -> Proximities:
        """Return, for each row of `fit`, the k others that share its leaf in most trees.

        Each comes with its share of the trees; ties are in the order of the rows. Memory grows with
        rows times trees.
        """
        check_is_fitted(self)
        if self._fit_table is None:
            raise ValueError(
                "proximity_neighbors needs the rows of fit, which are not kept when an estimator "
                "is pickled; fit again, or use proximity_neighbors(forest_, X, k) of "
                "pucut.trees.forest"
            )
        return proximity_neighbors(self.forest_, self._fit_table, k, n_threads=self._n_threads())

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {**state, "_fit_table": None} if "_fit_table" in state else state

    def _score_rows(self, X: Any) -> FloatArray:
        X = self._checked_table(X, reset=False)
        return self._ranked(forest_scores(self.forest_, X, n_threads=self._n_threads()))

    def _ranked(self, scores: ForestScores) -> FloatArray:
        return scores.combined if self._fit_ranking == "vote" else scores.leaf

    def _n_threads(self) -> int:
        return int(effective_n_jobs(self._fit_n_jobs))

    def _unseen_scores(self, labels: PULabels, growing: dict[str, Any]) -> FloatArray | None:
        """Return scores of the training rows by trees that did not see them.

        None if they are not wanted, or if no row of a kind can be left out.
        """
        groups = groups_for_folds(growing["X"], labels.is_labelled)
        n_folds = possible_folds(FOLDS, groups, labels.is_labelled)
        if self.cross_fit is None or n_folds < 2:
            return None
        n_trees = (
            self.n_estimators if self.cross_fit == "scores" else -(-self.n_estimators // FOLDS)
        )
        found = cross_fitted_forest(**growing, n_folds=n_folds, n_trees=n_trees, groups=groups)
        return self._ranked(found.scores)
