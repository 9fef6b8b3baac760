"""Rows to label next, chosen by nested cuts."""

import numbers
import warnings
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from pucut._support.checks import BoolArray, FloatArray, is_missing
from pucut._support.constraints import COUNT_OR_NONE, PRIOR_CONSTRAINTS
from pucut.data.containers import checked_table, for_any_table
from pucut.data.encoding import learn_encoding
from pucut.data.label_values import distinct_labels, listed, plain
from pucut.data.label_words import in_one_spelling, meaning_of, word_of
from pucut.data.labels import PULabels, checked_prior, positive_by_convention
from pucut.graphs.neighbors import nearest_to
from pucut.graphs.spaces import WeightedSpace, weighted_space
from pucut.judging.cross_fitting import with_random_state
from pucut.priors import estimate_prior
from pucut.queries._cuts import greedy_batch, one_sided_levels, two_sided_levels

# Default number of neighbours, capped at the number of other rows.
_NEIGHBORS = 10


class CutQueryStrategy(BaseEstimator):
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "aim": [StrOptions({"boundary", "positive"})],
        "diversity": [Interval(numbers.Real, 0.0, 1.0, closed="both"), None],
        "prior": PRIOR_CONSTRAINTS,
        "n_neighbors": COUNT_OR_NONE,
        "neighbors": [StrOptions({"auto", "exact", "approximate", "torch"})],
        "missing_label": "no_validation",
        "pos_label": "no_validation",
        "n_jobs": [numbers.Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        aim: str = "boundary",
        diversity: float | None = None,
        prior: Any = "auto",
        n_neighbors: int | None = None,
        neighbors: str = "auto",
        missing_label: Any = np.nan,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.aim = aim
        self.diversity = diversity
        self.prior = prior
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.missing_label = missing_label
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

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
        space = self._space(points, random)
        graph = space.graph(space.lists.n_neighbors)
        n_threads = space.n_threads
        self.prior_: float | None = None
        if is_negative.any():
            self.levels_ = two_sided_levels(graph, is_positive, is_negative, n_threads=n_threads)
        else:
            labels = PULabels(is_positive, np.array([False, True]))
            prior = self.prior
            if isinstance(prior, str):
                prior = estimate_prior(X, is_positive, n_jobs=self.n_jobs, random_state=random)
            self.prior_ = checked_prior(float(prior), labels)
            remoteness = _distance_to(points, is_positive, n_threads)
            self.levels_ = one_sided_levels(
                graph, is_positive, self.prior_, remoteness, n_threads=n_threads
            )
        utility = _utility(self.levels_, self.aim)
        if self.estimator is not None and is_negative.any():
            utility *= _utility(
                self._model_levels(points, is_positive, is_negative, random), self.aim
            )
        diversity = self.diversity
        if diversity is None:
            diversity = 1.0 if self.aim == "boundary" else 0.0
        order = random.permutation(X.shape[0])
        batch = greedy_batch(graph, utility, rows, size, diversity=float(diversity), order=order)
        if not return_utilities:
            return np.array([row for row, _ in batch], dtype=np.intp)
        chosen, utilities = zip(*batch, strict=True)
        return np.array(chosen, dtype=np.intp), np.array(utilities)

    def _space(self, points: Any, random: np.random.RandomState) -> WeightedSpace:
        n_others = points.shape[0] - 1
        n_neighbors = min(_NEIGHBORS, n_others) if self.n_neighbors is None else self.n_neighbors
        if n_neighbors > n_others or n_others < 1:
            raise ValueError(
                f"n_neighbors must be at most {n_others}, the number of other samples, found "
                f"{n_neighbors}"
            )
        return weighted_space(
            "plain",
            points,
            np.ones(points.shape[1]),
            int(n_neighbors),
            method=self.neighbors,
            n_threads=int(effective_n_jobs(self.n_jobs)),
            random_state=random,
        )

    def _model_levels(
        self,
        points: Any,
        is_positive: BoolArray,
        is_negative: BoolArray,
        random: np.random.RandomState,
    ) -> FloatArray:
        """Return probabilities of the estimator, from -1 to 1."""
        labelled = is_positive | is_negative
        model = with_random_state(clone(self.estimator), random)
        model.fit(points[labelled], is_positive[labelled])
        levels: FloatArray = 2.0 * np.asarray(model.predict_proba(points))[:, 1] - 1.0
        return levels

    def _read_labels(self, y: Any, n_samples: int) -> tuple[BoolArray, BoolArray]:
        """Return two masks: the rows known to be positive, and those known to be negative."""
        values = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
        if values.shape != (n_samples,):
            raise ValueError(
                f"y must have one label for each of the {n_samples} rows of X, found shape "
                f"{values.shape}"
            )
        without = np.fromiter((self._is_missing(value) for value in values), np.bool_, n_samples)
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
        is_positive, is_negative = np.zeros((2, n_samples), dtype=np.bool_)
        is_positive[~without] = present == positive
        is_negative[~without] = present != positive
        return is_positive, is_negative

    def _is_missing(self, value: Any) -> bool:
        if is_missing(self.missing_label):
            return is_missing(value)
        return bool(value == self.missing_label)


def _utility(levels: FloatArray, aim: str) -> FloatArray:
    utility: FloatArray = 1.0 - np.abs(levels) if aim == "boundary" else (1.0 + levels) / 2.0
    return utility


def _distance_to(points: Any, chosen: BoolArray, n_threads: int) -> FloatArray:
    lists = nearest_to(points[chosen], points, 1, n_jobs=n_threads, random_state=0)
    distance: FloatArray = np.sqrt(lists.squared_distances[:, 0])
    return distance


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
