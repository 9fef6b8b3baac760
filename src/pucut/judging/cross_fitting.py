"""Scores of positives against unlabelled, each row by a model that has not seen it.

A flexible model fitted to "labelled or not" memorises the rows: an unlabelled positive it has seen
gets the score of a negative. Anything derived from scores (a prior, a threshold, a probability)
therefore needs out-of-fold scores.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from pucut._support.checks import BoolArray, FloatArray, IndexArray
from pucut._support.threads import library_threads
from pucut.data.repeats import groups_for_folds, labelled_groups, possible_folds

# Fewer are scored before a thread has started.
_ROWS_FOR_THREADS = 5000


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Models fitted on all folds but one, and the scores each gives the fold it has not seen.

    Higher `scores` mean more like the labelled positives; `fold` is the model that scored a row.
    """

    scores: FloatArray
    fold: npt.NDArray[np.intp]
    models: tuple[Any, ...]


def cross_fit(
    classifier: Any,
    X: Any,
    is_labelled: BoolArray,
    *,
    n_folds: int = 5,
    random_state: Any = None,
    groups: IndexArray | None = None,
    n_threads: int = 1,
) -> CrossFit:
    """Fits clones of `classifier` to tell labelled from unlabelled rows, fold by fold.

    Every fold holds its share of the labelled rows, so there are at most as many folds as labelled
    rows (and as unlabelled ones). A single labelled row cannot be left out: then there is one
    model, and its scores are in-sample. Rows of a group stay together; by default those are the
    copies in X (`data.repeats`). Threads share the folds; results do not depend on their number.
    """
    random = check_random_state(random_state)
    groups = groups_for_folds(X, is_labelled) if groups is None else groups
    folds = list(stratified_folds(is_labelled, n_folds, random, groups))
    # Seeds are drawn fold by fold, whichever is fitted first.
    models = [with_random_state(clone(classifier), random) for _ in folds]

    def fit(model: Any, train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]) -> FloatArray:
        with library_threads(1), _quiet_sums():
            model.fit(_safe_indexing(X, train), is_labelled[train].astype(np.intp))
            return positive_scores(model, _safe_indexing(X, test))

    found = _in_threads(fit, zip(models, *zip(*folds, strict=True), strict=True), n_threads)
    fold, scores = np.zeros(len(is_labelled), dtype=np.intp), np.empty(len(is_labelled))
    for number, ((_, test), of_fold) in enumerate(zip(folds, found, strict=True)):
        fold[test], scores[test] = number, of_fold
    return CrossFit(scores, fold, tuple(models))


def default_classifier(X: Any) -> Any:
    """Gradient boosting, which takes categories and missing values; for sparse X a linear model."""
    if sp.issparse(X):
        return make_pipeline(MaxAbsScaler(), LogisticRegression(max_iter=1000))
    return HistGradientBoostingClassifier()


def checked_classifier(classifier: Any, X: Any, name: str = "estimator") -> Any:
    """The classifier to be cloned; None stands for the default."""
    if classifier is None:
        return default_classifier(X)
    # is_classifier itself fails on classes and on objects that are not estimators.
    is_instance = hasattr(classifier, "fit") and not isinstance(classifier, type)
    if not is_instance or not is_classifier(classifier):
        raise TypeError(
            f"{name} must be a scikit-learn classifier (an instance) or None, found {classifier!r}"
        )
    if not hasattr(classifier, "predict_proba") and not hasattr(classifier, "decision_function"):
        raise TypeError(
            f"{name} must have predict_proba or decision_function, {classifier!r} has neither"
        )
    return classifier


def positive_scores(model: Any, X: Any) -> FloatArray:
    """Probability of being labelled, or the decision function if there is no predict_proba."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64)
    return np.asarray(model.decision_function(X), dtype=np.float64)


def mean_scores(models: Sequence[Any], X: Any, n_threads: int = 1) -> FloatArray:
    """Scores of new rows: the mean over the models."""

    def score(model: Any) -> FloatArray:
        with library_threads(1), _quiet_sums():
            return positive_scores(model, X)

    n_threads = n_threads if _num_samples(X) >= _ROWS_FOR_THREADS else 1
    return np.asarray(np.mean(_in_threads(score, [(each,) for each in models], n_threads), axis=0))


def _in_threads(
    work: Callable[..., FloatArray], jobs: Iterable[tuple[Any, ...]], n_threads: int
) -> list[FloatArray]:
    """The results in the order of the jobs; scikit-learn's settings and warnings reach them."""
    if n_threads == 1:
        return [work(*job) for job in jobs]
    parallel = Parallel(n_jobs=n_threads, require="sharedmem")
    return list(parallel(delayed(work)(*job) for job in jobs))


def _quiet_sums() -> Any:
    """To find infinity scikit-learn adds everything up: huge values of both signs are allowed."""
    return np.errstate(invalid="ignore")


def stratified_folds(
    is_labelled: BoolArray, n_folds: int, random: np.random.RandomState, groups: IndexArray
) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Rows to fit and rows to score, fold by fold; all rows for both if none can be left out.

    Groups with a labelled row, and those without, are dealt to the folds separately.
    """
    n_folds = possible_folds(n_folds, groups, is_labelled)
    rows = np.arange(len(is_labelled))
    if n_folds < 2:
        yield rows, rows
        return
    has_label = labelled_groups(groups, is_labelled)
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random)
    for _, left_out in splitter.split(np.zeros((len(has_label), 1)), has_label):
        is_left_out = np.isin(groups, left_out)
        yield rows[~is_left_out], rows[is_left_out]


def with_random_state(model: Any, random: np.random.RandomState) -> Any:
    """Gives every random component a seed of its own, unless the user has fixed one."""
    seeds = {
        name: random.randint(np.iinfo(np.int32).max)
        for name, value in sorted(model.get_params(deep=True).items())
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    }
    return model.set_params(**seeds)
