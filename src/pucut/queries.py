"""Rows to label next, by where they switch sides along the nested cuts.

With both classes labelled, known positives are fixed in S and known negatives in S'. The level of
a row is the lambda up to which it is in S. It is near 1 or -1 if the row is closely connected to
labelled rows of one kind, and near 0 on the border and wherever labels hardly reach: a group of
rows without any label switches as a whole, at the difference of its connections to the two sides,
divided by the sum of its degrees.
"""

import numbers
import warnings
from collections.abc import Iterator
from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from joblib import effective_n_jobs
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_missing
from pucut._support.constraints import COUNT_OR_NONE, N_JOBS, PRIOR_CONSTRAINTS, DeclaredParameters
from pucut.cuts.score_cuts import two_sided_cut
from pucut.cuts.selection import closest_partition
from pucut.cuts.two_stages import two_stage_cuts
from pucut.data.containers import checked_table, for_any_table
from pucut.data.encoding import learn_encoding
from pucut.data.label_words import (
    distinct_labels,
    in_one_spelling,
    listed,
    meaning_of,
    plain,
    word_of,
)
from pucut.data.labels import PULabels, checked_prior, positive_by_convention
from pucut.graphs.neighbors import nearest_to
from pucut.graphs.spaces import unweighted_space
from pucut.judging.cross_fitting import with_random_state
from pucut.priors import estimate_prior

# Default number of neighbours, capped at the number of other rows.
_NEIGHBORS = 10
# A queried row represents others up to this many edges away.
HOPS = 3
# Beyond its neighbours, its share halves with every edge.
_LOSS_PER_HOP = 0.5


def two_sided_levels(
    graph: sp.csr_array,
    is_positive: BoolArray,
    is_negative: BoolArray,
    *,
    n_threads: int | None = None,
) -> FloatArray:
    """Return levels from -1 to 1, the known negatives at -1 and the known positives at 1."""
    nothing = np.zeros(len(is_positive))
    path = two_sided_cut(graph, is_positive, is_negative, nothing, 1.0, n_threads=n_threads)
    return np.clip(path.switch, -1.0, 1.0)


def one_sided_levels(
    graph: sp.csr_array,
    is_positive: BoolArray,
    prior: float,
    remoteness: FloatArray,
    *,
    n_threads: int | None = None,
) -> FloatArray:
    """Return levels from -1 to 1 where only positives are known, and the prior cuts at 0.

    They are ranks, by the stage of 2-HNC that has the partition closest to the prior. Among rows
    that switch together, those nearer to the known positives come first, so that the prior can cut
    between them.
    """
    stages = two_stage_cuts(graph, is_positive, prior, remoteness=remoteness, n_threads=n_threads)
    switch = closest_partition(stages, prior).level
    _, step = np.unique(np.column_stack([switch, -remoteness]), axis=0, return_inverse=True)
    above_cut = (rankdata(step) - 0.5) / len(switch) - (1.0 - prior)
    return above_cut / np.where(above_cut > 0.0, prior, 1.0 - prior)


def represented_by(graph: sp.csr_array, row: int) -> FloatArray:
    """Return how far a row represents each row, from 0 to 1, along at most `HOPS` edges.

    A path counts by its similarities; contributions over several neighbours add up.
    """
    share = np.zeros(graph.shape[0])
    share[row] = 1.0
    loss = 1.0
    for _ in range(HOPS):
        share = np.maximum(share, np.minimum(loss * (graph @ share), 1.0))
        loss = _LOSS_PER_HOP
    return share


def greedy_batch(
    graph: sp.csr_array,
    utility: FloatArray,
    candidates: IndexArray,
    batch_size: int,
    *,
    diversity: float,
    order: npt.NDArray[Any],
) -> Iterator[tuple[int, FloatArray]]:
    """Yield the rows of a batch, each with the utilities it was chosen by.

    Every chosen row reduces the utility of the others by the share it represents, times
    `diversity`. Among equals the first in `order`, a permutation of all rows, is chosen. Utilities
    are NaN for rows that could not be chosen.
    """
    left = np.full(len(utility), np.nan)
    left[candidates] = utility[candidates]
    for _ in range(batch_size):
        row = int(order[np.nanargmax(left[order])])
        yield row, left
        left = left * (1.0 - diversity * represented_by(graph, row))
        left[row] = np.nan


class CutQueryStrategy(DeclaredParameters, BaseEstimator):
    """Choose unlabelled rows to label next, by where they switch sides along the nested cuts.

    Rows are the nodes of a graph of nearest neighbours, and the labelled ones are fixed on their
    sides. As the tradeoff lambda goes from one end to the other, all others move from one side to
    the other. Those closely connected to labelled rows of one class switch early or late; those
    that switch in the middle are on the border, or far from any label: worth labelling. In a batch
    each chosen row also represents those around it, so that a batch is not one clump.

    The interface is that of the pool strategies of scikit-activeml, which need not be installed;
    `import pucut.activeml` registers this class as one of them.

    Parameters
    ----------
    estimator : classifier, optional
        The model that the labels are for. Utilities are multiplied by its own uncertainty (for aim
        "positive": by its probability of positives) as soon as both classes are labelled. Needs
        `predict_proba`. It is given standardised points (`pucut.data.encoding`). By default the
        graph alone decides.
    aim : {"boundary", "positive"}, default="boundary"
        Rows whose class is least certain, or those most likely positive, to find more of them.
    diversity : float from 0 to 1, optional
        Factor by which a chosen row reduces the utility of those it represents. By default 1 for
        aim "boundary" and 0 for "positive": where one positive is, there are others.
    prior : float or "auto", default="auto"
        Fraction of positives among all rows. Needed as long as only positives are labelled; "auto"
        estimates it then.
    n_neighbors : int, optional
        Neighbours in the graph. By default 10, or all other rows if there are fewer.
    neighbors : {"auto", "exact", "approximate", "torch"}, default="auto"
        How neighbours are found. "auto": exactly if that is fast, else approximately.
    missing_label : value, default=NaN
        The value in y of rows without a label. NaN stands for all kinds of missing values.
    pos_label : value of y, optional
        The positive class, if it is not what `y` itself says: the larger number, a word such as
        "yes", or the only class.
    n_jobs : int, optional
        Number of threads; results do not depend on it. None is 1 and -1 is all processors.
    random_state : int, RandomState instance or None, default=None
        For the order of rows with equal utility, for approximate neighbours, for the estimate of
        the prior, and for the estimator if it has no state of its own.

    Attributes
    ----------
    levels_ : float array of shape (n_samples,)
        Of the last query: from -1 (with the negatives) to 1 (with the positives), 0 between.
    prior_ : float or None
        The prior that was used; None if both classes are labelled.
    n_features_in_ : int
    feature_names_in_ : array of shape (`n_features_in_`,)
        If X has names for all columns.
    """

    estimator: Annotated[Any, HasMethods(["fit", "predict_proba"]), None] = None
    _: KW_ONLY
    aim: Annotated[str, StrOptions({"boundary", "positive"})] = "boundary"
    diversity: Annotated[float | None, Interval(numbers.Real, 0.0, 1.0, closed="both"), None] = None
    prior: Annotated[Any, PRIOR_CONSTRAINTS] = "auto"
    n_neighbors: Annotated[int | None, COUNT_OR_NONE] = None
    neighbors: Annotated[str, StrOptions({"auto", "exact", "approximate", "torch"})] = "auto"
    missing_label: Any = np.nan
    pos_label: Any = None
    n_jobs: Annotated[int | None, N_JOBS] = None
    random_state: Annotated[Any, "random_state"] = None

    def __sklearn_tags__(self) -> Any:
        return for_any_table(super().__sklearn_tags__())

    def query(
        self,
        X: Any,
        y: Any,
        candidates: Any = None,
        batch_size: int = 1,
        return_utilities: bool = False,
    ) -> Any:
        """Return the rows to label next, the most useful first.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            All rows, labelled or not.
        y : array-like of shape (n_samples,)
            Positives and, if known, negatives; `missing_label` for all others.
        candidates : list of row numbers, optional
            The rows that may be queried. By default all without a label.
        batch_size : int, default=1
            At most the number of candidates; a larger one is reduced to it, with a warning.
        return_utilities : bool, default=False

        Returns
        -------
        query_indices : int array of shape (batch_size,)
        utilities : float array of shape (batch_size, n_samples)
            Only with `return_utilities`: the utilities each row of the batch was chosen by, NaN for
            rows that could not be chosen.
        """
        self._validate_params()
        X = checked_table(self, X, reset=True)
        is_positive, is_negative = self._read_labels(y, X.shape[0])
        rows = _checked_candidates(candidates, ~(is_positive | is_negative))
        size = _checked_batch_size(batch_size, len(rows))
        random = check_random_state(self.random_state)
        _, points = learn_encoding(X)
        n_threads = int(effective_n_jobs(self.n_jobs))
        search = {"method": self.neighbors, "n_threads": n_threads, "random_state": random}
        space = unweighted_space(points, self.n_neighbors, _NEIGHBORS, **search)
        graph = space.graph(space.lists.n_neighbors)
        self.prior_: float | None = None
        if is_negative.any():
            self.levels_ = two_sided_levels(graph, is_positive, is_negative, n_threads=n_threads)
        else:
            labels = PULabels(is_positive, np.array([False, True]))
            prior = self.prior
            if isinstance(prior, str):
                prior = estimate_prior(X, is_positive, n_jobs=self.n_jobs, random_state=random)
            self.prior_ = checked_prior(float(prior), labels)
            nearest = nearest_to(points[is_positive], points, 1, n_jobs=n_threads, random_state=0)
            remoteness = np.sqrt(nearest.squared_distances[:, 0])
            self.levels_ = one_sided_levels(
                graph, is_positive, self.prior_, remoteness, n_threads=n_threads
            )
        utility = _utility(self.levels_, self.aim)
        if self.estimator is not None and is_negative.any():
            labelled = is_positive | is_negative
            model = with_random_state(clone(self.estimator), random)
            model.fit(points[labelled], is_positive[labelled])
            levels = 2.0 * np.asarray(model.predict_proba(points))[:, 1] - 1.0
            utility *= _utility(levels, self.aim)
        diversity = self.diversity
        if diversity is None:
            diversity = 1.0 if self.aim == "boundary" else 0.0
        order = random.permutation(X.shape[0])
        batch = greedy_batch(graph, utility, rows, size, diversity=float(diversity), order=order)
        if not return_utilities:
            return np.array([row for row, _ in batch], dtype=np.intp)
        chosen, utilities = zip(*batch, strict=True)
        return np.array(chosen, dtype=np.intp), np.array(utilities)

    def _read_labels(self, y: Any, n_samples: int) -> tuple[BoolArray, BoolArray]:
        """Return two masks: the rows known to be positive, and those known to be negative."""
        values = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
        if values.shape != (n_samples,):
            raise ValueError(
                f"y must have one label for each of the {n_samples} rows of X, found shape "
                f"{values.shape}"
            )
        missing: Any = self.missing_label
        marks = [is_missing(v) if is_missing(missing) else bool(v == missing) for v in values]
        without = np.array(marks, dtype=np.bool_)
        present = in_one_spelling(values[~without])
        distinct = [plain(value) for value in distinct_labels(present)]
        for value in distinct:
            if meaning_of(value) == "unlabelled" and value != self.pos_label:
                raise ValueError(
                    f"y holds {value!r}, which would count as a class, beside missing_label "
                    f"({self.missing_label!r}). If it marks rows without a label, write "
                    f"missing_label={value!r}, or replace it by a missing value"
                )
        if not 1 <= len(distinct) <= 2:
            raise ValueError(
                "y must hold labels of one or two classes, and missing_label "
                f"({self.missing_label!r}) for rows without; found {len(distinct)}: "
                f"{listed(distinct) or 'none'}"
            )
        if self.pos_label is None:
            positive = positive_by_convention(distinct)
        else:
            same = [value for value in distinct if word_of(value) == word_of(self.pos_label)]
            positive = same[0] if same else self.pos_label
        if positive not in distinct:
            raise ValueError(
                f"pos_label is {positive!r}, which is not a value of y: no positive is labelled"
            )
        is_positive = np.zeros(n_samples, dtype=np.bool_)
        is_positive[~without] = present == positive
        return is_positive, ~(is_positive | without)


def _utility(levels: FloatArray, aim: str) -> FloatArray:
    return 1.0 - np.abs(levels) if aim == "boundary" else (1.0 + levels) / 2.0


def _checked_candidates(candidates: Any, is_free: BoolArray) -> npt.NDArray[np.intp]:
    if candidates is None:
        rows = np.flatnonzero(is_free)
    else:
        rows = np.asarray(candidates)
        if rows.ndim != 1 or rows.dtype.kind not in "iu":
            raise ValueError(
                "candidates must be numbers of rows of X, found an array of shape "
                f"{rows.shape} and dtype {rows.dtype}; rows that are not in X cannot be asked about"
            )
        outside = (rows < 0) | (rows >= len(is_free))
        if outside.any():
            raise ValueError(
                f"candidates must be rows from 0 to {len(is_free) - 1}, found "
                f"{rows[np.argmax(outside)]}"
            )
        if not is_free[rows].all():
            row = rows[np.argmin(is_free[rows])]
            raise ValueError(
                f"candidates must be rows without a label, found row {row}, which has one"
            )
        rows = np.unique(rows).astype(np.intp)
    if len(rows) == 0:
        raise ValueError("there is no row to ask about: every candidate has a label")
    return rows


def _checked_batch_size(batch_size: Any, n_candidates: int) -> int:
    if isinstance(batch_size, bool) or not isinstance(batch_size, numbers.Integral):
        raise TypeError(f"batch_size must be a whole number, found {batch_size!r}")
    size = int(batch_size)
    if size < 1:
        raise ValueError(f"batch_size must be at least 1, found {size}")
    if size > n_candidates:
        warnings.warn(
            f"batch_size is {size}, but there are {n_candidates} candidates: all are returned",
            stacklevel=3,
        )
    return min(size, n_candidates)
