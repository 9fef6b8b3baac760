"""PUCutClassifier: chooses for itself. What it does is in the other files of this folder."""

import math
from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils._param_validation import HasMethods, StrOptions

from pucut._support.checks import FloatArray, IndexArray
from pucut._support.devices import card_of, usable_card
from pucut._support.memory import readable_bytes
from pucut.calibration import calibrate
from pucut.data.arrow import is_arrow
from pucut.data.coded_categories import COLUMNS_AS_CATEGORIES, CodedCategories
from pucut.data.containers import for_any_table
from pucut.data.encoding import learn_encoding
from pucut.data.labels import PULabels
from pucut.data.row_order import order_rows_in_place, row_order
from pucut.data.tables import read_once
from pucut.judging.folds import pu_folds
from pucut.judging.places import Place, PointsHere
from pucut.judging.thresholds import positives_by_prior, threshold_for_share
from pucut.judging.weights import Candidate
from pucut.methods.plan import Plan
from pucut.methods.pu_cut._candidates import (
    Options,
    Task,
    names_of_scores,
    names_of_spaces,
    tries_categories,
)
from pucut.methods.pu_cut._choosing import Mixture, find_mixture, n_positive_rows
from pucut.methods.pu_cut._plan import plan_of_fit
from pucut.methods.pu_cut._self_training import SELF_TRAINED
from pucut.methods.pu_cut._supplied import checked_embeddings, checked_learners
from pucut.methods.sized import SizedClassifier
from pucut.methods.steps import FitSteps, with_callbacks
from pucut.trees.feature_weights import FOREST_WEIGHTS


class PUCutClassifier(SizedClassifier):
    """Positive-unlabelled classification that chooses for itself; start here.

    Scores of PU trees, of regressions with kernels and without, and of random walks among
    neighbours pull every row towards a side, as the labelled rows do. Minimum cuts for every
    tradeoff lambda then smooth the scores along a graph of neighbours. Some labels are hidden from
    all of this, and it is done again: scores, and cuts in several graphs with several strengths of
    the pull, are mixed by how many of the hidden positives they find. No negative label is needed,
    and there is nothing to tune. Known negatives (`neg_label`) pull to the other side, teach all
    learners, and are hidden and judged in the same way.

    The cuts are those of 2-HNC (`TwoHNCClassifier`) with a data term; the scores, the comparison
    and the mixture are not in that paper.

    Parameters
    ----------
    feature_weights : {"auto", "pu_trees", "pu_trees_squared"}, array of shape (n_features,) or \
None, default="auto"
        How much each feature counts in a distance: its importance in PU Extra Trees, the square of
        it, given weights, or all the same (None). "auto" makes a space with the squares, one in
        which all standardised features count the same and, where the columns are numbers that seem
        to share a unit, such as pixels or counts, one with their own scale. If most columns have
        few values, it tries them as categories too. An array has a weight for each encoded feature
        (see Notes).
    n_neighbors : int or list of int, optional
        By default 5 in a space with importances or given weights, else 10. Several are compared. At
        most the number of other samples.
    sigma : float, optional
        Width of the kernel exp(-d^2 / (2 sigma^2 H)), with H the number of features. By default
        from the median distance to the seventh neighbour.
    neighbors : {"auto", "exact", "approximate", "torch"} or transformer, default="auto"
        How neighbours are found. "auto": exactly if that is fast, else approximately, with the
        recall in `neighbor_recall_`. "torch": exactly, by PyTorch, on a GPU if there is one. A
        scikit-learn transformer such as KNeighborsTransformer works on the weighted features.
    n_estimators : int, default=100
        PU trees of each kind: three in five of them answer, if the kind has weight, and one in
        five for each time that labels are hidden.
    learners : list or dict by name of classifiers, optional
        Classifiers of scikit-learn's kind that give further scores, with `predict_proba` or
        `decision_function`. They see X as it was given, learn labelled against unlabelled rows in
        three folds, and are judged and mixed like the others.
    embeddings : list or dict by name of transformers, optional
        Transformers of scikit-learn's kind whose output is a further space of neighbours, judged
        and mixed like the others. They see X as it was given. One that needs y, by its tags, is
        given 1 for labelled rows and 0 for others, and is fitted again whenever labels are hidden.
    device : {"cpu", "auto", "cuda"} or "cuda:" with a number, optional
        Where neighbours and regressions of dense tables are computed; None is "cpu". "cuda": on
        a GPU, by PyTorch; "auto": there, if there is one. Without one "cuda" warns and uses the
        processors. A GPU finds neighbours exactly, and regresses on ten times as many rows or
        more. Nothing stays on it after `fit`, and the model answers on any machine.
    memory_limit : int or str, optional
        Bytes that `fit` may take besides X, as a number or as a text such as "8GB"; None is what
        the machine has. Less memory makes the search for neighbours slower and changes no result,
        save that columns of few values are not tried as categories where that would need more; then
        `selection_` says so. A fit that needs more is refused before it starts, with the need of
        each stage; see `estimate`, which does not count these categories.
    random_state : int, RandomState instance or None, default=None
        For the trees, the labels that are hidden, kernels, approximate neighbours, the estimate of
        the prior, and learners and embeddings without a seed of their own.

    Attributes
    ----------
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the labelled ones are positive, and as many of the best others
        as the prior says.
    scores_ : float array of shape (n_samples,)
        The rank of each row in the mixture, from 0 to 1, less the rank at which the sides meet:
        above 0 on the positive side.
    selection_ : tuple of Candidate
        Every score and every cut that was tried, the hidden positives it found, its weight, and
        why; with 20 000 rows or more, spaces that were not worth trying come first. The last one is
        the mixture that answers. Its `hidden_recall` estimates the share of the unlabelled
        positives that `transduction_` has right, and its `standard_error` tells how well. Each
        prints as a line of a table.
    mixture_ : Mixture
        What answers: `cuts` with their `cut_weights`, `spaces`, `forest`. Its rows are those of
        `fit` in the order of `row_order_`.
    negative_ranking_ : int array
        The unlabelled rows by `scores_`, most likely negative first.
    positive_fraction_ : float
        The share of positives in `transduction_`.
    row_order_ : int array of shape (n_samples,)
        An order of the rows that depends on what they hold and not on where they stand: the same
        table in any order gives the same answers.
    feature_weights_ : float array of shape (n_encoded_features,)
        They sum to the number of features: by default from the squares of the importances in PU
        trees.
    forest_ : Forest
        The PU trees from which weights of features come. If labels are hidden only once, as with
        600 labels or more, they are those that have not seen the hidden ones.
    neighbor_recall_ : float
        Share of the true nearest neighbours that were found, the smallest of all spaces; 1 if the
        search was exact.

    Notes
    -----
    Columns of numbers are standardised. Columns of strings and of category types become one
    feature per value, standardised too. Missing values count as the mean.
    """

    _: KW_ONLY
    feature_weights: Annotated[Any, StrOptions({"auto", *FOREST_WEIGHTS}), "array-like", None] = (
        "auto"
    )
    neighbors: Annotated[
        Any, StrOptions({"auto", "exact", "approximate", "torch"}), HasMethods(["fit_transform"])
    ] = "auto"
    learners: Annotated[Any, list, tuple, dict, None] = None
    embeddings: Annotated[Any, list, tuple, dict, None] = None

    _uses_negatives: ClassVar[bool] = True
    _answers_rest_on: ClassVar[tuple[str, ...] | None] = ("_encoding", "_mixture")

    def __sklearn_tags__(self) -> Any:
        return for_any_table(super().__sklearn_tags__())

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        is_from_file = is_arrow(X)  # what was read here has no other owner: its memory is reused
        X = self._checked_table(X, reset=True)
        labels = self._read_labels(y, X.shape[0])
        options = self._options(X.shape[0])
        search_bytes = self._search_bytes(X, labels.n_labelled)
        n_rows, n_columns = X.shape
        plan = self._plan(n_rows, n_columns, 8, labels.n_labelled)
        steps = FitSteps(self, n_steps=8 + plan.is_large, verbose=int(self.verbose))
        with steps.step("prior"):
            rows = read_once(X)
            self._settle_prior(rows, labels)
        with steps.step("encoding"):
            is_needed = bool(options.learners or options.embeddings)
            n_threads, in_place = self._n_threads(), is_from_file and not is_needed
            order = row_order(rows, labels.signs, n_threads)
            self._encoding, points = learn_encoding(rows, in_place=in_place, n_threads=n_threads)
            points = order_rows_in_place(points, order, n_threads)
            labels = labels.in_order(order)
            table = _safe_indexing(X, order) if is_needed else None
        place = PointsHere(points, self._n_threads(), search_bytes, options.device)
        return self._choose(place, table, labels, order, options, steps)

    def _categories_that_fit(
        self, points: Place, labels: PULabels
    ) -> tuple[CodedCategories | None, tuple[Candidate, ...]]:
        """Return the columns that may be codes; None, and why, if memory does not allow them."""
        found = points.categories() if tries_categories(self.feature_weights) else None
        if found is None or not isinstance(points, PointsHere):
            return found, ()  # nobody knows what workers have
        plan = self._plan(*points.shape, points.points.itemsize, labels.n_labelled, has_codes=True)
        needed = self._price(replace(plan, n_features=plan.n_features + found.n_indicators))
        room = self._room_for(needed)
        if room is None or needed.bytes <= room:
            return found, ()
        why = f"not tried: with them, fit would need about {readable_bytes(needed.bytes)}"
        nothing = Candidate(COLUMNS_AS_CATEGORIES, "score", math.nan, math.nan, 0.0, why)
        return None, (nothing,)

    def _options(self, n_rows: int) -> Options:
        spaces = names_of_spaces(self.feature_weights)
        embeddings = checked_embeddings(self.embeddings, spaces)
        return Options(
            feature_weights=self.feature_weights,
            n_neighbors=self._numbers_of_neighbors(n_rows),
            sigma=None if self.sigma is None else float(self.sigma),
            neighbors=self.neighbors,
            n_trees=self.n_estimators,
            learners=checked_learners(
                self.learners,
                [*names_of_scores([*spaces, *embeddings], has_codes=True), SELF_TRAINED],
            ),
            embeddings=embeddings,
            device=card_of(self.device),
            n_threads=self._n_threads(),
        )

    def _choose(
        self,
        points: Place,
        table: Any,
        labels: PULabels,
        order: IndexArray,
        options: Options,
        steps: FitSteps,
    ) -> Self:
        """Find the mixture for the points of an encoded table, whose rows have this order."""
        scale, has_categories = self._encoding.scale, self._encoding.format.has_categories
        codes, left_out = self._categories_that_fit(points, labels)
        random, is_labelled = check_random_state(self.random_state), labels.is_labelled
        groups, n_positive = points.groups(is_labelled), n_positive_rows(labels, self.prior_)
        folds = pu_folds(is_labelled, n_positive, random, groups, labels.is_negative)
        plan = self._plan(
            *points.shape,
            8,
            labels.n_labelled,
            n_positive=n_positive,
            n_groups=len(np.unique(groups[is_labelled])),
        )
        task = Task(table, points, scale, has_categories, codes, folds, self.prior_, options, plan)
        self.mixture_ = find_mixture(task, left_out, random, steps.step)
        with steps.step("answers"):
            self._settle_mixture(self.mixture_, labels)
            self._set_in_given_order(order)
        steps.finish()
        self.step_seconds_ = steps.seconds
        return self

    def _plan(
        self,
        n_rows: int,
        n_features: int,
        value_bytes: int,
        n_labelled: int | None = None,
        *,
        n_positive: int | None = None,
        **known: Any,
    ) -> Plan:
        if n_positive is None:
            # More positives may mean more folds, and with an unknown prior they may be all rows.
            share = 1.0 if isinstance(self.prior, str) else float(self.prior)
            n_positive = round(share * n_rows)
        return plan_of_fit(
            n_rows,
            n_features,
            value_bytes,
            n_labelled=n_labelled,
            n_positive=n_positive,
            feature_weights=self.feature_weights,
            n_neighbors=self._numbers_of_neighbors(n_rows),
            embeddings=tuple(checked_embeddings(self.embeddings).values()),
            kernels_on_gpu=usable_card(self.device) is not None,
            **self._sizes(),
            **known,
        )

    def _settle_mixture(self, mixture: Mixture, labels: PULabels) -> None:
        chosen = mixture.chosen
        self._mixture = mixture  # what `compact` keeps of it says nothing of the rows of `fit`
        self.selection_ = chosen.candidates
        self.forest_ = mixture.forest
        self.feature_weights_: FloatArray = mixture.feature_weights
        self.feature_importances_ = self._encoding.importances(self.feature_weights_)
        self.neighbor_recall_ = min(space.lists.recall for space in mixture.spaces)
        is_positive = positives_by_prior(chosen.scores, labels, self.prior_)
        self.positive_fraction_ = float(is_positive.mean())
        self.transduction_ = labels.encode(is_positive)
        others = np.flatnonzero(labels.is_unlabelled)
        share = (self.positive_fraction_ * labels.n_samples - labels.n_labelled) / len(others)
        self.scores_ = chosen.scores - threshold_for_share(chosen.scores[others], share)
        self.negative_ranking_ = others[np.argsort(chosen.scores[others], kind="stable")]
        self.threshold_ = threshold_for_share(chosen.left_out, self.prior_)
        self._calibration = calibrate(chosen.left_out, labels, self.prior_, half_at=self.threshold_)

    def _set_in_given_order(self, order: IndexArray) -> None:
        super()._set_in_given_order(order)
        self.negative_ranking_ = order[self.negative_ranking_]
        self.row_order_ = order

    def _score_rows(self, X: Any) -> FloatArray:
        X = self._checked_table(X, reset=False)
        return self._mixture.scores(X, self._encoding.encode(X))
