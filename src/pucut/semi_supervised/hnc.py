"""HNCClassifier: nested cuts between classes that all have labels."""

import numbers
from dataclasses import KW_ONLY
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pucut._support.checks import FloatArray, IndexArray, SymmetricGraph, checked_graph
from pucut._support.constraints import (
    COUNT,
    N_JOBS,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    DeclaredParameters,
)
from pucut._support.devices import DEVICE_CONSTRAINTS, card_of
from pucut._support.fitting import FitsWhole
from pucut._support.threads import library_threads
from pucut.data.containers import checked_table, for_any_table, with_narrow_indices
from pucut.data.encoding import learn_encoding
from pucut.data.labels import checked_class_labels
from pucut.data.repeats import groups_for_folds
from pucut.data.row_order import in_given_order, order_rows_in_place, renumbered_graph, row_order
from pucut.data.tables import read_once
from pucut.judging.folds import LabelFolds, class_folds
from pucut.judging.mixing import needed_transforms
from pucut.judging.places import PointsHere
from pucut.judging.spaces import AsCategories, NewRows, near_rows
from pucut.semi_supervised._cuts import (
    ALLOWED,
    GAMMAS,
    NO_GRAPH,
    Tradeoff,
    checked_shares,
    class_paths,
    class_probabilities,
    decisions,
    is_of_class,
    judge_gamma,
    levels_of,
    levels_of_new,
)
from pucut.semi_supervised._learning import Learned, LearningOptions, learn_classes

_UNJUDGED_GAMMA = 1.0


class HNCClassifier(FitsWhole, DeclaredParameters, ClassifierMixin, BaseEstimator):
    """Semi-supervised classification by nested cuts: some rows of every class are labelled.

    A graph joins similar rows, labelled or not. A minimum cut separates the labelled rows of one
    class from those of the others, and the rows cut off with them get their class. Lambda weighs
    the size of the two sides, as in Hochbaum's Normalised Cut (`pucut.cuts.hnc`), and one solve
    gives the cuts for every lambda. Each row is also pulled by what trees and regressions learn
    from the labelled rows, and by the labels that random walks on the graph meet. More than two
    classes are cut one against the rest on one graph. How distances are measured, which learners
    count and how much the graph does, is decided by labels that are hidden from everything.

    Parameters
    ----------
    problem : {"both", "minus", "plus"}, default="both"
        HNC- rewards similarity inside the complement, HNC+ inside the class, each with a lambda
        from 0 to 1. They are the two halves of one path: "both" allows all of it, with lambda from
        -1 to 1, HNC- above 0 and HNC+ below.
    lam : float, "prior" or "cv", default=0.0
        Where the path is cut. 0 is the plain minimum cut; "prior" is where the share of a class is
        nearest to its prior (rows of one level stay together); "cv" hides labels and uses the
        lambdas that put them on the right side. In HNC+ a larger lambda makes the class larger, in
        HNC- smaller; with two classes, the class is the second.
    alpha, beta : float, optional
        The two tradeoffs of HNC+-, for the similarity inside the class and inside the complement,
        instead of lambda; only with problem "both".
    prior : array of n_classes shares, or the share of the second of two classes, optional
        For lam "prior": the share of each class among all rows. By default its share among labels.
    scores : {"auto"} or None, default="auto"
        "auto" pulls each row by the predictions of learners; None leaves everything to the graph,
        and the cuts are those of `hnc_minus` and `hnc_plus`.
    gamma : float or "cv", default="cv"
        How much the scores count relative to the graph; "cv" is the geometric mean of 0.3, 3 and 30
        (no graph), each weighted by its squared error on hidden labels, relative to the noise.
        Without scores there is no gamma.
    n_neighbors : int, default=5
        Of each row in the graph; at most the number of other samples.
    sigma : float, optional
        Width of the kernel exp(-d^2 / (2 sigma^2 H)) of similarities, H being the number of
        features. By default the scale of the distances to the seventh neighbour, or to the last if
        there are fewer.
    feature_weights : "auto", "trees", array of shape (n_features,) or None, default="auto"
        How much each encoded feature counts in distances: all equally (None), by its importance to
        trees grown on the labelled rows ("trees") or as given. "auto" compares the first two with
        columns on their own scale, where their scales are alike, and with columns taken as
        categories, where most have few values; it uses the space whose kernel regression has the
        least squared error on hidden labels. With 10 000 rows or more it leaves out the trees.
    n_estimators : int, default=40
        Number of trees, those that leave out hidden labels included.
    n_jobs : int, optional
        Number of threads; results do not depend on it. None is 1 and -1 is all processors.
    device : {"cpu", "auto", "cuda"} or "cuda:" with a number, optional
        Where neighbours and kernel regressions of dense tables are computed; None is "cpu".
        "cuda": on a GPU, by PyTorch; "auto": there, if there is one. Without one "cuda" warns and
        uses the processors. A GPU finds neighbours exactly, and regresses on ten times as many
        labels. Nothing stays on it after `fit`, and the model answers on any machine.
    random_state : int, RandomState instance or None, default=None
        For trees, for the labels that are hidden and for approximate neighbours.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    transduction_ : array of shape (n_samples,)
        Classes of the training rows; labelled rows keep theirs.
    label_distributions_ : float array of shape (n_samples, n_classes)
        Probabilities of the training rows, 1 for the label of a labelled row.
    scores_ : float array of shape (n_samples,) or (n_samples, n_classes)
        Levels, from -1 to 1: the lambda up to which the row is on the side of the class.
    paths_ : list of CutPath
        One for the second of two classes, otherwise one per class.
    lam_ : float array, one per path
        HNC- above 0, HNC+ below.
    gamma_ : float
        1 without scores.
    graph_ : CSR array of shape (n_samples, n_samples)
    space_ : str
        How distances are measured: "all features alike", "common scale", "importance to trees",
        "columns as categories" or "given weights".
    feature_weights_ : float array
        Of the encoded features in that space; all 1 if columns are taken as categories.
    feature_importances_ : float array of shape (n_features,)
        The weights of the columns of X, scaled to sum to 1; those of a column's categories are
        added up. `pandas.Series(model.feature_importances_, model.feature_names_in_)` names them.
    score_weights_ : dict of str to float, or None
        The weight of each learner in the scores; 0 if it was left out.

    Notes
    -----
    -1 in y means unlabelled, and so do missing values (None, NaN), which are the way to mark
    unlabelled rows among strings. There may be no unlabelled rows; then only `predict` is of use. A
    y with only -1 and 1 is taken as two classes, because labels of one class would not be enough.

    A class with a single label is never hidden; if no class has two, the learners have equal
    weights and gamma is 1. A component of the graph that no label reaches is classified by its
    scores; without scores its level is 0, and it gets the class on that side of `lam_`, or the
    first class if `lam_` is 0 too. Rows whose level is exactly lambda are not in the class.

    `predict` gives a new row the level that is best with all others fixed, independently of other
    new rows; on training rows it can differ from `transduction_`, which knows their labels.
    Probabilities are piecewise linear in the level, from 0 through 1/2 at lambda to 1, and scaled
    to sum to 1.

    From 10 000 rows on the neighbours of dense rows are searched approximately, unless by a GPU.

    Memory is linear in the edges and in rows times classes. There is no `sample_weight`.
    """

    _: KW_ONLY
    problem: Annotated[str, StrOptions(set(ALLOWED))] = "both"
    lam: Annotated[
        Any, Interval(numbers.Real, -1.0, 1.0, closed="both"), StrOptions({"prior", "cv"})
    ] = 0.0
    alpha: Annotated[float | None, NOT_NEGATIVE, None] = None
    beta: Annotated[float | None, NOT_NEGATIVE, None] = None
    prior: Annotated[Any, "array-like", SHARE, None] = None
    scores: Annotated[str | None, StrOptions({"auto"}), None] = "auto"
    gamma: Annotated[Any, POSITIVE, StrOptions({"cv"})] = "cv"
    n_neighbors: Annotated[int, COUNT] = 5
    sigma: Annotated[float | None, POSITIVE, None] = None
    feature_weights: Annotated[Any, "array-like", StrOptions({"auto", "trees"}), None] = "auto"
    n_estimators: Annotated[int, COUNT] = 40
    n_jobs: Annotated[int | None, N_JOBS] = None
    device: Annotated[str | None, DEVICE_CONSTRAINTS] = None
    random_state: Annotated[Any, "random_state"] = None

    def __sklearn_tags__(self) -> Any:
        return for_any_table(super().__sklearn_tags__())

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from the labelled and the unlabelled rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes; -1 and missing values mean unlabelled.
        """
        X = checked_table(self, X, reset=True)
        labels = checked_class_labels(y, n_samples=X.shape[0])
        tradeoff = Tradeoff(self.problem, self.lam, self.alpha, self.beta)
        self._check_parameters(tradeoff)
        self.classes_ = labels.classes
        shares = (
            labels.shares if self.prior is None else checked_shares(self.prior, len(self.classes_))
        )
        random = check_random_state(self.random_state)
        n_threads = int(effective_n_jobs(self.n_jobs))
        rows = read_once(X)
        order = row_order(rows, labels.codes, n_threads)
        self._encoding, points = learn_encoding(rows, n_threads=n_threads)
        points = with_narrow_indices(order_rows_in_place(points, order, n_threads))

        codes, n_classes = labels.codes[order], len(labels.classes)
        folds = class_folds(codes, random, groups_for_folds(points, codes >= 0, n_threads))
        options = LearningOptions(
            self.scores is not None,
            self.feature_weights,
            self.n_neighbors,
            self.sigma,
            self.n_estimators,
        )
        place = PointsHere(points, n_threads, device=card_of(self.device))
        learned = learn_classes(self._encoding, place, folds, options, random)
        self._space, self._mixture = learned.space.final_only(), learned.mixture
        self.score_weights_, self.space_ = learned.score_weights, learned.space.name
        is_coded = isinstance(learned.space.transform, AsCategories)
        self.feature_weights_ = np.ones(place.shape[1]) if is_coded else learned.space.final.weights
        self.feature_importances_ = self._encoding.importances(self.feature_weights_)
        self.graph_ = learned.graphs[-1]
        graph = checked_graph(self.graph_)
        hidden = self._choose_gamma(learned, graph, folds, n_threads)
        self._paths = class_paths(graph, codes, learned.pulls[-1], self.gamma_, n_threads)
        levels = levels_of(self._paths)
        truth = is_of_class(codes[folds.judges], n_classes)
        self.lam_ = tradeoff.lambdas(levels, hidden, truth, shares)

        decided = decisions(levels, self.lam_)
        known = np.flatnonzero(codes >= 0)
        self.scores_ = levels[:, 0] if n_classes == 2 else levels
        answers = _classes_of(decided)
        answers[known] = codes[known]
        self.transduction_ = self.classes_[answers]
        self.label_distributions_ = class_probabilities(decided)
        self.label_distributions_[known] = np.eye(n_classes)[codes[known]]
        for name in ("scores_", "transduction_", "label_distributions_"):
            setattr(self, name, in_given_order(getattr(self, name), order))
        self.graph_ = renumbered_graph(self.graph_, order)
        self.paths_ = [path.renumbered(order) for path in self._paths]
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """From -1 to 1 for each row: above 0 means the second of two classes.

        With more than two classes, one column per class; the largest wins.
        """
        check_is_fitted(self)
        decided = self._decided(X)
        return decided[:, 0] if len(self.classes_) == 2 else decided

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of each row."""
        check_is_fitted(self)
        return self.classes_[_classes_of(self._decided(X))]

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes."""
        check_is_fitted(self)
        return class_probabilities(self._decided(X))

    def _decided(self, X: Any) -> FloatArray:
        points = with_narrow_indices(self._encoding.encode(checked_table(self, X, reset=False)))
        space, parts = self._space, () if self._mixture is None else self._mixture.parts
        needed = needed_transforms(parts, [space])
        made = {transform.key: transform.of(None, points) for transform in needed}
        near = near_rows(space.final, made[space.transform.key])
        pulls = np.zeros((points.shape[0], len(self.classes_)))
        if self._mixture is not None:
            with library_threads(1):
                pulls = 2.0 * self._mixture(NewRows(None, made, {space.name: near})) - 1.0
        levels = levels_of_new(near.indices, near.similar, self._paths, pulls, self.gamma_)
        return decisions(levels, self.lam_)

    def _check_parameters(self, tradeoff: Tradeoff) -> None:
        """Checks that the constraints cannot express."""
        tradeoff.check()
        if self.prior is not None and self.lam != "prior":
            raise ValueError(f"prior is used with lam='prior' only, found lam={self.lam!r}")
        if self.scores is None and not isinstance(self.gamma, str):
            raise ValueError(f"gamma weighs scores, found gamma={self.gamma!r} with scores=None")

    def _choose_gamma(
        self, learned: Learned, graph: SymmetricGraph, folds: LabelFolds, n_threads: int
    ) -> FloatArray | None:
        """Set gamma, and return the levels of hidden rows, if they are known."""
        chosen = self.scores is not None and isinstance(self.gamma, str)
        given = _UNJUDGED_GAMMA if isinstance(self.gamma, str) else float(self.gamma)
        self.gamma_ = given if self.scores is not None else 1.0
        if not folds.n_folds or not (chosen or self.lam == "cv"):
            return None
        final = learned.graphs[-1]
        graphs = [graph if each is final else checked_graph(each) for each in learned.graphs]
        gammas = (*GAMMAS, NO_GRAPH) if chosen else (self.gamma_,)
        self.gamma_, hidden = judge_gamma(graphs, folds, learned.pulls, gammas, n_threads)
        return hidden


def _classes_of(decided: FloatArray) -> IndexArray:
    if decided.shape[1] == 1:
        return np.asarray(decided[:, 0] > 0.0, dtype=np.intp)
    return np.asarray(np.argmax(decided, axis=1))
