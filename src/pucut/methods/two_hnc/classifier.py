"""2-HNC as a scikit-learn classifier; its stages are in `fitting` and `pucut.cuts`."""

from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import validate_data

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut._support.devices import card_of
from pucut.calibration import calibrate
from pucut.data.arrow import is_arrow
from pucut.data.containers import for_any_table
from pucut.data.encoding import Encoding, learn_encoding
from pucut.data.labels import PULabels
from pucut.data.row_order import in_given_order, order_rows_in_place, renumbered_graph, row_order
from pucut.data.tables import read_once
from pucut.graphs.similarity import Gaussian
from pucut.judging.places import Place, PointsHere
from pucut.methods.plan import Plan
from pucut.methods.sized import SizedClassifier
from pucut.methods.steps import FitSteps, Step, with_callbacks
from pucut.methods.two_hnc.fitting import (
    CutSettings,
    InductiveRule,
    checked_grid,
    cut_and_choose,
    paper_settings,
    precomputed_space,
    threshold_and_scores,
)
from pucut.methods.two_hnc.spaces import GraphSpace, PointSpace, forest_space
from pucut.trees.feature_weights import FOREST_WEIGHTS, options_of_weighing_trees, weights_of_kind
from pucut.trees.forest import Forest


class TwoHNCClassifier(SizedClassifier):
    """2-HNC: positive-unlabelled classification by two families of nested minimum cuts.

    Hochbaum and Nitayanont, as published. Rows are the nodes of a graph of nearest neighbours.
    Stage 1 cuts it for every tradeoff lambda, with the labelled rows fixed on the positive side;
    the order in which the others leave that side ranks them, and the first to leave are taken as
    negatives. Stage 2 cuts it again with both kinds of rows fixed. Known negatives are fixed on the
    negative side in both stages, and fewer others are taken as negatives. The partition of either
    stage whose share of positives is closest to the prior is the result.

    `PUCutClassifier` goes further on the same cuts, and chooses its settings itself.

    Parameters
    ----------
    feature_weights : {"pu_trees", "pu_trees_squared"}, array of shape (n_features,) or None, \
default="pu_trees"
        How much each feature counts in a distance: its importance in PU Extra Trees, the square of
        it, given weights, or all the same (None). An array has a weight for each encoded feature
        (see Notes).
    n_neighbors : int or list of int, optional
        By default 5, 10 and 15 for fewer than 10 000 samples, else 5. If there are several, the
        largest with a partition within 2 % of the prior is used, else the one that comes closest.
        At most the number of other samples.
    sigma : float, optional
        Width of the kernel exp(-d^2 / (2 sigma^2 H)), with H the number of features. By default
        0.75 for fewer than 10 000 samples, else 0.25.
    similarity : {"gaussian", "forest", "precomputed"}, default="gaussian"
        "gaussian": the kernel of weighted distances. "forest": the share of PU trees in which two
        rows meet in one leaf. "precomputed": X is the symmetric matrix of the similarities of all
        rows, preferably sparse; `predict` then takes similarities to the training rows.
    neighbors : {"auto", "exact", "approximate", "torch", "precomputed"} or transformer, \
default="auto"
        How neighbours are found. "auto": exactly if that is fast, else approximately, with the
        recall in `neighbor_recall_`. "torch": exactly, by PyTorch, on a GPU if there is one. A
        scikit-learn transformer such as KNeighborsTransformer works on the weighted features.
        "precomputed": X is a sparse graph of distances, as in scikit-learn's NearestNeighbors;
        there are no features then, and H counts as 1.
    lambda_grid : array of float, optional
        Values of lambda to which the partitions are limited, ascending; np.arange(501) / 1000 is
        the paper's. By default all partitions, which are found exactly.
    inductive : {"objective", "nearest"}, default="objective"
        How `predict` answers: by the side that changes the objective least, or the nearer side.
    n_estimators : int, default=100
        Number of PU trees, if any are needed.
    device : {"cpu", "auto", "cuda"} or "cuda:" with a number, optional
        Where neighbours of dense tables are found; None is "cpu". "cuda": on a GPU, by PyTorch,
        if `neighbors` is "auto" or "exact"; "auto": there, if there is one. Without one "cuda"
        warns and uses the processors. A GPU finds them exactly. Nothing stays on it after `fit`,
        and the model answers on any machine.
    memory_limit : int or str, optional
        Bytes that `fit` may take besides X, as a number or as a text such as "8GB"; None is what
        the machine has. Less memory makes the search for neighbours slower and changes no result.
        A fit that needs more is refused before it starts, with the need of each stage; see
        `estimate`.
    random_state : int, RandomState instance or None, default=None
        For the trees, for approximate neighbours and for the estimate of the prior.

    Attributes
    ----------
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the chosen partition, the cut itself.
    scores_ : float array of shape (n_samples,)
        How far in lambda the row is from changing side; positive or 0 on the positive side.
    negative_ranking_ : int array
        The unlabelled rows by stage 1, most likely negative first.
    likely_negative_ : int array
        The first of these, which stage 2 took as negatives.
    stage1_, stage2_ : CutPath
        All minimum cuts of both stages; their nodes are the training rows.
    partition_ : Partition
        The chosen one: its stage, lambda and levels.
    positive_fraction_ : float
        Its share of positives.
    n_neighbors_ : int
        The number of neighbours that was chosen.
    sigma_ : float
        The width of the kernel.
    feature_weights_ : float array of shape (n_encoded_features,)
        They sum to the number of features. If X is precomputed, these and the importances are None.
    forest_ : Forest or None
        The PU trees, if any were needed.
    graph_ : CSR array of shape (n_samples, n_samples)
        Similarities of neighbours.
    neighbor_recall_ : float
        Share of the true nearest neighbours that were found; 1 if the search was exact.
    n_unreached_ : int
        Rows in components of the graph without any label. The cut says nothing about these; they
        come first in the ranking, the farthest from the labelled rows at its start, so that the
        prior decides how many of them are positive.

    Notes
    -----
    Columns of numbers are standardised. Columns of strings and of category types become one
    feature per value, standardised too. Missing values count as the mean.

    `predict` on the training rows applies the inductive rule; `transduction_` is the cut.

    `pucut.dask.DaskTwoHNCClassifier` does the same on the workers of a Dask cluster.
    """

    _: KW_ONLY
    feature_weights: Annotated[Any, StrOptions(set(FOREST_WEIGHTS)), "array-like", None] = (
        "pu_trees"
    )
    similarity: Annotated[str, StrOptions({"gaussian", "forest", "precomputed"})] = "gaussian"
    neighbors: Annotated[
        Any,
        StrOptions({"auto", "exact", "approximate", "torch", "precomputed"}),
        HasMethods(["fit_transform"]),
    ] = "auto"
    lambda_grid: Annotated[Any, "array-like", None] = None
    inductive: Annotated[str, StrOptions({"objective", "nearest"})] = "objective"

    _uses_negatives: ClassVar[bool] = True
    _answers_rest_on: ClassVar[tuple[str, ...] | None] = ("_rule", "_was_pairwise")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._is_pairwise()
        return tags if self._is_pairwise() else for_any_table(tags)

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        is_from_file = is_arrow(X)  # what was read here has no other owner: its memory is reused
        self._was_pairwise = self._is_pairwise()
        X = self._checked(X, reset=True)
        labels = self._read_labels(y, X.shape[0])
        search_bytes = self._search_bytes(X, labels.n_labelled, self.similarity == "gaussian")
        card = card_of(self.device)
        settings = self._settings(X.shape[0])
        steps = FitSteps(self, n_steps=6, verbose=int(self.verbose))
        with steps.step("prior"):
            if self._was_pairwise and isinstance(self.prior, str):
                raise ValueError(
                    "prior is 'auto', which needs features, but X is precomputed: give a number"
                )
            rows = read_once(X)
            self._settle_prior(rows, labels)
        if self._was_pairwise:
            self.forest_: Forest | None = None
            self.feature_weights_: FloatArray | None = None
            self.feature_importances_: FloatArray | None = None
            space = precomputed_space(X, self.similarity, settings, steps.step)
            return self._cut(space, labels, None, settings, steps)
        with steps.step("encoding"):
            n_threads = self._n_threads()
            order = row_order(rows, labels.signs, n_threads)
            encoding, points = learn_encoding(rows, in_place=is_from_file, n_threads=n_threads)
            points = order_rows_in_place(points, order, n_threads)
            labels = labels.in_order(order)
        place = PointsHere(points, n_threads, search_bytes, card)
        space = self._find_space(place, encoding, labels.is_labelled, settings, steps.step)
        return self._cut(space, labels, order, settings, steps)

    def _find_space(
        self,
        place: Place,
        encoding: Encoding,
        is_labelled: BoolArray,
        settings: CutSettings,
        step: Step,
    ) -> GraphSpace:
        """Weigh the features and find the neighbours of which the graphs of all k are made.

        The space takes the memory of the points, which the place loses.
        """
        forest = None
        if isinstance(self.feature_weights, str) or self.similarity == "forest":
            with step("trees"):
                forest = place.forest(
                    is_labelled,
                    self.prior_,
                    options_of_weighing_trees(place.shape[0]),
                    n_trees=self.n_estimators,
                    random_state=self.random_state,
                )
        weights = weights_of_kind(self.feature_weights, forest, encoding.n_features)
        self.forest_, self.feature_weights_ = forest, weights
        self.feature_importances_ = encoding.importances(weights)
        most = max(settings.n_neighbors)
        with step("neighbours"):
            if forest is not None and self.similarity == "forest" and isinstance(place, PointsHere):
                return forest_space(encoding, forest, place.points, most, place.n_threads)
            points = place.space(
                "features",
                weights,
                most,
                kernel=Gaussian.of_width(settings.sigma, len(weights)),
                in_place=True,
                method=self.neighbors,
                random_state=self.random_state,
            )
        return PointSpace(encoding, points)

    def _settings(self, n_rows: int) -> CutSettings:
        """Return the parameters of the cuts, or the paper's where they are not set."""
        usual = paper_settings(n_rows)
        ks = self._numbers_of_neighbors(n_rows)
        return CutSettings(
            tuple(ks or sorted({min(k, n_rows - 1) for k in usual.n_neighbors})),
            usual.sigma if self.sigma is None else float(self.sigma),
            checked_grid(self.lambda_grid),
        )

    def _cut(
        self,
        space: GraphSpace,
        labels: PULabels,
        order: IndexArray | None,
        settings: CutSettings,
        steps: FitSteps,
    ) -> Self:
        """Cut, choose, and set the answers for the training rows and for others."""
        with steps.step("cuts"):
            chosen = cut_and_choose(space, labels, self.prior_, settings, self._n_threads())
        with steps.step("answers"):
            stages, partition = chosen.stages, chosen.partition
            self.n_neighbors_, self.sigma_ = chosen.n_neighbors, settings.sigma
            self.graph_ = chosen.graph
            self.neighbor_recall_ = space.recall
            self.stage1_, self.stage2_ = stages.ranking.path, stages.path
            self.negative_ranking_ = stages.ranking.order
            self.likely_negative_ = stages.likely_negative
            self.n_unreached_ = int(np.count_nonzero(~stages.ranking.is_reached))
            self.partition_ = partition
            self.positive_fraction_ = partition.positive_fraction
            self.transduction_ = labels.encode(partition.is_positive)
            self.scores_ = partition.level - partition.cut
            self._rule = InductiveRule(
                self.inductive, space, chosen.n_neighbors, partition.is_positive
            )
            self.threshold_, scores = threshold_and_scores(self._rule, chosen)
            self._calibration = calibrate(scores, labels, self.prior_, half_at=self.threshold_)
            if order is not None:
                self._set_in_given_order(order)
        steps.finish()
        self.step_seconds_ = steps.seconds
        return self

    def _set_in_given_order(self, order: IndexArray) -> None:
        super()._set_in_given_order(order)
        self.graph_ = renumbered_graph(self.graph_, order)
        self.stage1_, self.stage2_ = self.stage1_.renumbered(order), self.stage2_.renumbered(order)
        self.negative_ranking_ = order[self.negative_ranking_]
        self.likely_negative_ = order[self.likely_negative_]
        level = in_given_order(self.partition_.level, order)
        self.partition_ = replace(self.partition_, level=level)

    def _plan(
        self, n_rows: int, n_features: int, value_bytes: int, n_labelled: int | None = None
    ) -> Plan:
        most = max(self._settings(n_rows).n_neighbors)
        return Plan(
            "2-HNC",
            n_rows,
            n_features,
            value_bytes,
            listed=most,
            graph_neighbors=most,
            **self._sizes(),
        )

    def _score_rows(self, X: Any) -> Any:
        return self._rule.scores(self._checked(X, reset=False))

    def _is_pairwise(self) -> bool:
        return self.similarity == "precomputed" or (
            isinstance(self.neighbors, str) and self.neighbors == "precomputed"
        )

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """X with the number and names of its columns checked."""
        if not self._was_pairwise:
            return self._checked_table(X, reset=reset)
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)
        if reset and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"X must be square, since it is precomputed, found {X.shape[0]} x {X.shape[1]}"
            )
        return X
