"""estimate_prior: from a table and PU labels to the share of positives.

Every method estimates the share of positives among the unlabelled rows, from what the labelled and
the unlabelled rows look like. It assumes that the labelled positives were drawn from the positives
at random; "clusters", that they were so within a kind of positives. "auto" learns from known
negatives too, and takes them for a random draw of the negatives. Together with the labelled rows,
that share gives the prior among all rows.
"""

import math
import numbers
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from sklearn.utils import _safe_indexing, check_random_state

from pucut._support.checks import BoolArray, checked_scores, is_sparse
from pucut._support.threads import library_threads
from pucut.data.labels import PULabels, checked_pu_labels
from pucut.data.row_order import row_order
from pucut.judging.cross_fitting import checked_classifier
from pucut.priors.methods import (
    BY_NAME,
    METHODS,
    WITH_NEGATIVES,
    WITHOUT_SCORES,
    Sample,
    Share,
)
from pucut.priors.result import BOUND, FEW_LABELS, NO_SIGNAL, WIDE, PriorEstimate, percent

# With this many rows chance moves the share by about 0.01, less than the overlap of most classes
# does; more rows would take time and change little.
MAX_ROWS = 20_000
# Of them as many may be known negatives.
MAX_NEGATIVES = 5_000
# Above this share of negatives that score like positives, there may be no region without negatives.
OVERLAP = 0.25
LABELLINGS = ("random", "biased")
# An estimate is no answer with fewer labels than this, ...
FEWEST_LABELS = 10
# ... if labelled rows rank above the others by fewer standard errors than this, ...
CLEAR_SIGNAL = 2.0
# ... or if more of the shares among the unlabelled rows than this is plausible.
WIDEST = 0.6


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
    """Estimates the share of positives from positive and unlabelled samples.

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
        one like that of the best: the mean of what is plausible, given how several learners rank
        the labelled rows among the others and, where labels are few, at which share a cut of the
        graph of neighbours is narrow.
        "clusters", "km2" and "tice" look at the features themselves and take no classifier.
    labelling : {"random", "biased"}, default="random"
        How the labelled positives were chosen: at random from all positives, or some kinds of them
        more often than others. "biased" is the method "clusters": it puts the labelled rows into
        clusters, takes labels for random within each, and adds up the shares. Positives of a kind
        without any label are not counted.
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
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, found {method!r}")
    if labelling not in LABELLINGS:
        raise ValueError(f"labelling must be one of {', '.join(LABELLINGS)}, found {labelling!r}")
    if labelling == "biased":
        if method not in ("auto", "clusters"):
            raise ValueError(
                f"method must be 'auto' or 'clusters' where labelling is 'biased', found "
                f"{method!r}, which takes labels for a random draw"
            )
        method = "clusters"
    if isinstance(n_folds, bool) or not isinstance(n_folds, numbers.Integral) or n_folds < 2:
        raise ValueError(f"n_folds must be a whole number of at least 2, found {n_folds!r}")
    if method in WITHOUT_SCORES and (classifier is not None or scores is not None):
        given = "classifier" if classifier is not None else "scores"
        raise ValueError(
            f"{given} must be None for method {method!r}, which looks at the features themselves"
        )
    if classifier is not None and scores is not None:
        raise ValueError("classifier and scores are given: one of them must be None")
    if scores is None:
        X = X.tocsr() if is_sparse(X) else X
        labels = checked_pu_labels(
            y, pos_label=pos_label, neg_label=neg_label, n_samples=_n_rows(X)
        )
        checked_classifier(classifier, X, "classifier")
    else:
        labels = checked_pu_labels(y, pos_label=pos_label, neg_label=neg_label)
        scores = checked_scores(scores, "scores", labels.n_samples)
    if not labels.is_unlabelled.any():
        raise ValueError("y holds a known class in every row: there is nothing to estimate")
    random = check_random_state(random_state)
    # Neither folds nor samples depend on where a row stands.
    order = row_order(X if scores is None else scores[:, None], labels.signs)
    negatives = order[labels.is_negative[order]] if method in WITH_NEGATIVES else order[:0]
    if len(negatives) > MAX_NEGATIVES:
        chosen = random.choice(len(negatives), MAX_NEGATIVES, replace=False)
        negatives = negatives[np.sort(chosen)]
    order = order[~labels.is_negative[order]]
    drawn = _drawn_rows(labels.is_labelled[order], MAX_ROWS - len(negatives), random)
    rows = np.append(order[drawn], negatives)
    sample = Sample(
        X=X if scores is not None else _safe_indexing(X, rows),
        is_labelled=labels.is_labelled[rows],
        is_negative=labels.is_negative[rows],
        scores=None if scores is None else scores[rows],
        classifier=classifier,
        n_folds=int(n_folds),
        random=random,
        n_threads=effective_n_jobs(n_jobs),
    )
    with library_threads(1):
        share = BY_NAME[method](sample)
    return _estimate(labels, method, share, sample)


def _estimate(labels: PULabels, method: str, share: Share, sample: Sample) -> PriorEstimate:
    n_labelled, n_samples = labels.n_labelled, labels.n_samples
    n_unlabelled = n_samples - n_labelled - labels.n_negative
    # Less than half a negative cannot be told from none, and a prior must be below 1.
    largest = 1.0 - 0.5 / n_unlabelled

    def inside(share_of_unlabelled: float) -> float:
        return min(max(share_of_unlabelled, 0.0), largest)

    def of_all(share_of_unlabelled: float) -> float:
        return (n_labelled + inside(share_of_unlabelled) * n_unlabelled) / n_samples

    prior = of_all(share.value)
    passing = share.diagnostics.get("negatives_passing", 0.0)
    # Where both classes are known, overlap makes the share uncertain, but does not hide it.
    n_negative = share.diagnostics.get("negatives_used", 0.0)
    is_upper_bound = passing > OVERLAP and n_negative < FEWEST_LABELS
    # A value that is the bound itself says nothing of how far below it the share may be.
    is_open = is_upper_bound and share.bound is None
    low = labels.labelled_share if is_open else min(of_all(share.low), prior)
    interval = (low, max(of_all(share.high), prior))
    used = {
        "rows_used": float(len(sample.is_labelled)),
        "labelled_used": float(sample.is_labelled.sum()),
        "labelled_independent": float(sample.n_independent),
    }
    return PriorEstimate(
        prior=prior,
        prior_unlabelled=inside(share.value),
        interval=interval,
        method=method,
        is_upper_bound=is_upper_bound,
        upper_bound=prior if share.bound is None else max(of_all(share.bound), prior),
        n_labelled=n_labelled,
        n_unlabelled=n_unlabelled,
        n_negative=labels.n_negative,
        diagnostics={**used, **share.diagnostics},
        doubts=_doubts(
            sample.n_independent,
            share.diagnostics.get("ranking_combined"),
            None if is_open else (interval[1] - interval[0]) * n_samples / n_unlabelled,
        ),
    )


def _doubts(n_labels: int, ranking: float | None, width: float | None) -> dict[str, str]:
    """Why an estimate is a guess: from the labels, how they rank, and what stays plausible.

    `ranking` is None where nothing was ranked. `width` is that of the interval, of the unlabelled
    rows; None if the estimate is a bound.
    """
    found = {}
    if n_labels < FEWEST_LABELS:
        rows = "1 labelled row" if n_labels == 1 else f"{n_labels} different labelled rows"
        found[FEW_LABELS] = f"it rests on {rows}, and {FEWEST_LABELS} or more are needed"
    # The standard error of the mean of so many ranks, which are uniform by chance.
    if ranking is not None and ranking - 0.5 < CLEAR_SIGNAL * math.sqrt(1.0 / (12.0 * n_labels)):
        found[NO_SIGNAL] = (
            "the columns do not clearly tell labelled rows from others (a labelled row scores "
            f"higher than another in {percent(ranking)} of all pairs; by chance it would be 50 %)"
        )
    if width is None:
        found[BOUND] = "the classes overlap, so that the data only bound the share from above"
    elif width > WIDEST:
        found[WIDE] = f"more than {percent(WIDEST)} of all possible shares fit the data"
    return found


def _drawn_rows(
    is_labelled: BoolArray, n_rows: int, random: np.random.RandomState
) -> npt.NDArray[np.intp]:
    """Rows to work on, in their order: all, or a sample.

    The methods compare labelled with unlabelled rows, whatever their numbers. Labelled ones are
    usually fewer and say more, so they are kept, up to half of the sample.
    """
    n_samples = len(is_labelled)
    if n_samples <= n_rows:
        return np.arange(n_samples)
    labelled, unlabelled = np.flatnonzero(is_labelled), np.flatnonzero(~is_labelled)
    n_labelled = min(len(labelled), max(n_rows // 2, n_rows - len(unlabelled)))
    drawn = np.concatenate(
        [
            random.choice(labelled, n_labelled, replace=False),
            random.choice(unlabelled, n_rows - n_labelled, replace=False),
        ]
    )
    return np.sort(drawn)


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
