"""estimate_prior: from a table and PU labels to the share of positives.

Every method estimates the share of positives among the unlabelled rows. Together with the labelled
rows, that share gives the prior among all rows.
"""

import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray, IndexArray, checked_scores, is_sparse
from pucut._support.threads import library_threads
from pucut.data.labels import PULabels, checked_pu_labels
from pucut.data.row_order import in_order, row_order
from pucut.data.tables import read_once, source_of
from pucut.judging.cross_fitting import checked_classifier
from pucut.priors.best_bin import share_by_best_bin
from pucut.priors.clusters import share_by_clusters
from pucut.priors.dedpul import share_by_dedpul
from pucut.priors.elkan_noto import share_by_elkan_noto
from pucut.priors.ensemble import share_by_ensemble
from pucut.priors.km2 import share_by_km2
from pucut.priors.result import BOUND, FEW_LABELS, NO_SIGNAL, WIDE, PriorEstimate, percentage
from pucut.priors.sample import PriorSample, ShareEstimate
from pucut.priors.tice import share_by_tice

# With this many rows chance moves the share by about 0.01, less than the overlap of most classes.
MAX_ROWS = 20_000
# Known negatives among them, at most.
MAX_NEGATIVES = 5_000
# Above this share of negatives that score like positives, there may be no region without negatives.
OVERLAP = 0.25
LABELLINGS = ("random", "biased")
# An estimate is a guess with fewer labels than this, ...
FEWEST_LABELS = 10
# ... if labelled rows rank above the others by fewer standard errors than this, ...
CLEAR_SIGNAL = 2.0
# ... or if more of the shares among the unlabelled rows than this is plausible.
WIDEST = 0.6


_BY_NAME: Mapping[str, Callable[[PriorSample], ShareEstimate]] = {
    "auto": share_by_ensemble,  # the only one that learns from known negatives
    "bbe": share_by_best_bin,
    "clusters": share_by_clusters,
    "dedpul": share_by_dedpul,
    "elkan_noto": share_by_elkan_noto,
    "km2": share_by_km2,
    "tice": share_by_tice,
}
METHODS = tuple(_BY_NAME)
_WITHOUT_SCORES = ("clusters", "km2", "tice")


def estimate_prior(
    X: Any,
    y: Any,
    method: str = "auto",
    *,
    labelling: str = "random",
    classifier: Any = None,
    pos_label: Any = None,
    neg_label: Any = None,
    n_folds: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
    scores: Any = None,
) -> PriorEstimate:
    """Estimate the share of positives from positive and unlabelled samples.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
        With `classifier`, anything that it accepts. Otherwise numbers and categories; missing
        values are allowed.
    y : array-like of shape (n_samples,)
        Two values, one for labelled positives (the larger number, a word such as "yes", or
        `pos_label`) and the other for unlabelled rows; with `neg_label` known negatives too.
    method : {"auto", "bbe", "clusters", "dedpul", "elkan_noto", "km2", "tice"}
        "auto" has the smallest error of all where classes overlap or labels are few, and elsewhere
        one like that of the best. It is the mean of the plausible shares, given how several
        learners rank the labelled rows among the others and, where labels are few, at which share
        a cut of the graph of neighbours is narrow.
        "clusters", "km2" and "tice" use the features themselves and take no classifier.
    labelling : {"random", "biased"}, default="random"
        How the labelled positives were chosen: at random from all positives, or some kinds of them
        more often than others. "biased" is the method "clusters": it clusters the labelled rows,
        assumes random labels within each cluster, and adds up the shares. Positives of a kind
        without any label are missed.
    classifier : scikit-learn classifier, optional
        Gives the out-of-fold scores of "bbe", "dedpul", "elkan_noto" (default: gradient boosting,
        for sparse X a linear model) and of "auto" (default: trees, kernels and a linear model).
    pos_label : value of y, optional
    neg_label : value of y, optional
        The value that means known negative; all values but these two then mean unlabelled. No
        estimate exceeds what the known negatives leave. "auto" learns from them, as a random draw
        of all negatives; the other methods leave them out.
    n_folds : int
        Folds of the out-of-fold scores, and of "tice".
    n_jobs : int, optional
        Number of threads; results do not depend on it. None is 1 and -1 is all processors.
        Libraries that a method calls, such as gradient boosting, get one thread each.
    random_state : int, RandomState or None
    scores : array-like of shape (n_samples,), optional
        Out-of-sample scores; higher means more like the labelled positives. Used instead of a
        classifier; X is then ignored and may be None.

    If there are more than 20 000 samples, that many are drawn, up to half of them labelled ("km2":
    400 labelled and 400 unlabelled ones); `diagnostics["rows_used"]` says how many.
    """
    method = _checked_method(method, labelling, n_folds, classifier, scores)
    if scores is None:
        source = source_of(X)
        if is_sparse(source) and source.format != "csr":
            X = source = source.tocsr()
        labels = checked_pu_labels(
            y, pos_label=pos_label, neg_label=neg_label, n_samples=_n_rows(source)
        )
        checked_classifier(classifier, source, "classifier")
    else:
        labels = checked_pu_labels(y, pos_label=pos_label, neg_label=neg_label)
        scores = checked_scores(scores, "scores", labels.n_samples)
    if not labels.is_unlabelled.any():
        raise ValueError("y holds a known class in every row: there is nothing to estimate")
    random = check_random_state(random_state)
    # Neither folds nor samples depend on where a row stands.
    table = read_once(X) if scores is None else scores[:, None]
    order = row_order(table, labels.signs)
    rows = _sampled_rows(labels, order, random, with_negatives=method == "auto")
    sample = PriorSample(
        table=None if scores is not None else in_order(table, rows),
        is_labelled=labels.is_labelled[rows],
        is_negative=labels.is_negative[rows],
        scores=None if scores is None else scores[rows],
        classifier=classifier,
        n_folds=int(n_folds),
        random=random,
        n_threads=effective_n_jobs(n_jobs),
    )
    with library_threads(1):
        share = _BY_NAME[method](sample)
    return _prior_estimate(labels, method, share, sample)


def _checked_method(method: str, labelling: str, n_folds: Any, classifier: Any, scores: Any) -> str:
    """Check the parameters and return the method, which biased labelling decides."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, found {method!r}")
    if labelling not in LABELLINGS:
        raise ValueError(f"labelling must be one of {', '.join(LABELLINGS)}, found {labelling!r}")
    if labelling == "biased" and method not in ("auto", "clusters"):
        raise ValueError(
            f"method must be 'auto' or 'clusters' where labelling is 'biased', found "
            f"{method!r}, which takes labels for a random draw"
        )
    method = "clusters" if labelling == "biased" else method
    if isinstance(n_folds, bool) or not isinstance(n_folds, numbers.Integral) or n_folds < 2:
        raise ValueError(f"n_folds must be a whole number of at least 2, found {n_folds!r}")
    if method in _WITHOUT_SCORES and (classifier is not None or scores is not None):
        name = "classifier" if classifier is not None else "scores"
        raise ValueError(
            f"{name} must be None for method {method!r}, which looks at the features themselves"
        )
    if classifier is not None and scores is not None:
        raise ValueError("classifier and scores are given: one of them must be None")
    return method


def _sampled_rows(
    labels: PULabels, order: IndexArray, random: np.random.RandomState, *, with_negatives: bool
) -> IndexArray:
    """Choose all rows or a sample of them, in order; known negatives come last."""
    negatives = order[labels.is_negative[order]] if with_negatives else order[:0]
    if len(negatives) > MAX_NEGATIVES:
        negatives = negatives[np.sort(random.choice(len(negatives), MAX_NEGATIVES, replace=False))]
    others, n_rows = order[~labels.is_negative[order]], MAX_ROWS - len(negatives)
    if len(others) > n_rows:
        is_labelled: BoolArray = labels.is_labelled[others]
        labelled, unlabelled = np.flatnonzero(is_labelled), np.flatnonzero(~is_labelled)
        # Labelled rows carry more information: they are kept, up to half of the sample.
        n_labelled = min(len(labelled), max(n_rows // 2, n_rows - len(unlabelled)))
        drawn = random.choice(labelled, n_labelled, replace=False)
        drawn = np.append(drawn, random.choice(unlabelled, n_rows - n_labelled, replace=False))
        others = others[np.sort(drawn)]
    return np.append(others, negatives)


def _prior_estimate(
    labels: PULabels, method: str, share: ShareEstimate, sample: PriorSample
) -> PriorEstimate:
    """Turn a share of the unlabelled rows into the prior among all rows."""
    n_labelled, n_samples = labels.n_labelled, labels.n_samples
    n_unlabelled = n_samples - n_labelled - labels.n_negative
    # Less than half a negative cannot be told from none, and a prior must be below 1.
    largest = 1.0 - 0.5 / n_unlabelled

    def inside(share_of_unlabelled: float) -> float:
        return min(max(share_of_unlabelled, 0.0), largest)

    def of_all(share_of_unlabelled: float) -> float:
        return (n_labelled + inside(share_of_unlabelled) * n_unlabelled) / n_samples

    prior = of_all(share.value)
    n_independent = sample.n_independent(sample.is_labelled)
    # Where both classes are known, overlap makes the share uncertain, but does not hide it.
    is_upper_bound = (
        share.diagnostics.get("negatives_passing", 0.0) > OVERLAP
        and share.diagnostics.get("negatives_used", 0.0) < FEWEST_LABELS
    )
    # A value that is the bound itself does not limit the share from below.
    is_open = is_upper_bound and share.bound is None
    low = labels.labelled_share if is_open else min(of_all(share.low), prior)
    high = max(of_all(share.high), prior)
    return PriorEstimate(
        prior=prior,
        prior_unlabelled=inside(share.value),
        interval=(low, high),
        method=method,
        is_upper_bound=is_upper_bound,
        upper_bound=prior if share.bound is None else max(of_all(share.bound), prior),
        n_labelled=n_labelled,
        n_unlabelled=n_unlabelled,
        n_negative=labels.n_negative,
        diagnostics={
            "rows_used": float(len(sample.is_labelled)),
            "labelled_used": float(sample.is_labelled.sum()),
            "labelled_independent": float(n_independent),
            **share.diagnostics,
        },
        doubts=_doubts(
            n_independent,
            share.diagnostics.get("ranking_combined"),
            None if is_open else (high - low) * n_samples / n_unlabelled,
        ),
    )


def _doubts(n_labels: int, ranking: float | None, width: float | None) -> dict[str, str]:
    """List the reasons why an estimate is a guess.

    `ranking` is None where nothing was ranked, and the `width` of the interval, as a share of the
    unlabelled rows, where the estimate is a bound.
    """
    doubts = {}
    if n_labels < FEWEST_LABELS:
        rows = "1 labelled row" if n_labels == 1 else f"{n_labels} different labelled rows"
        doubts[FEW_LABELS] = f"it rests on {rows}, and {FEWEST_LABELS} or more are needed"
    # The standard error of the mean of so many ranks, which are uniform by chance.
    if ranking is not None and ranking - 0.5 < CLEAR_SIGNAL * math.sqrt(1.0 / (12.0 * n_labels)):
        doubts[NO_SIGNAL] = (
            "the columns do not clearly tell labelled rows from others (a labelled row scores "
            f"higher than another in {percentage(ranking)} of all pairs; by chance it would be "
            "50 %)"
        )
    if width is None:
        doubts[BOUND] = "the classes overlap, so that the data only bound the share from above"
    elif width > WIDEST:
        doubts[WIDE] = f"more than {percentage(WIDEST)} of all possible shares fit the data"
    return doubts


def _n_rows(X: Any) -> int:
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2:
        return int(shape[0])
    if shape is None and hasattr(X, "__len__") and not isinstance(X, (str, bytes)):
        return len(X)
    raise ValueError(
        "X must be a table, one row per sample, found "
        + (f"shape {shape}" if shape is not None else type(X).__name__)
    )
