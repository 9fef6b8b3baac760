"""A check of whether the labelled positives look like a random draw of the predicted positives.

The data show only the product of two probabilities: that a row is positive, and that a positive is
labelled. A check therefore needs a further assumption: that rows which a model predicts to be
positive are positive.

1. Trees rank all rows out of sample. The rows above the threshold at the prior are the *predicted
   positives*, labelled and unlabelled ones alike: a labelled row that the trees would have missed
   is left out, since an unlabelled one like it is missed too.
2. Among these, labelled rows are compared with the others, column by column.
3. Labels are drawn anew from the predicted positives, thirty times, and everything is repeated,
   trees included. The mean difference is the effect of a random draw and of the trees themselves.

If the prior is not known, it is estimated as for biased labels. Where classes overlap much, that is
often far too large, and then negatives are among the predicted positives. If the estimate for
random labels is smaller, a column has to differ at that prior as well.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata, t
from sklearn.utils import check_random_state

from pucut._support.checks import FloatArray, IndexArray, is_sparse
from pucut.data.encoding import check_dense_size, learn_encoding
from pucut.data.labels import PULabels, checked_prior, checked_pu_labels
from pucut.data.row_order import in_order, row_order
from pucut.data.tables import Table, read_table
from pucut.judging.thresholds import positives_by_prior, threshold_for_share
from pucut.priors.estimate import estimate_prior
from pucut.priors.result import FEWEST, ColumnDifference, LabellingCheck
from pucut.trees.cross_fitting import cross_fitted_forest
from pucut.trees.growing import TreeOptions

# Time grows with the rows, thirty times over; more would show differences too small to matter.
MAX_ROWS = 5_000
_N_REDRAWS = 30
_N_FOLDS, _N_TREES, _LEAST_LEAF = 5, 10, 5
# Above this share of negatives that score like positives, an estimate may be much too large.
_MUCH_OVERLAP = 0.45
# The most frequent categories of a column are compared.
_MOST_CATEGORIES = 30


def check_labelling(
    X: Any,
    y: Any,
    *,
    prior: Any = "auto",
    pos_label: Any = None,
    neg_label: Any = None,
    random_state: Any = None,
) -> LabellingCheck:
    """Compare the labelled positives with the other predicted positives, column by column.

    It can show that labels were not drawn at random, but never that they were: only positives that
    look like some labelled ones are predicted at all. Give the prior if you know it. An estimate is
    too small where labels are biased, and then the positives that are hardly ever labelled are not
    among the predicted ones.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Numbers and categories; missing values are allowed, and are compared too.
    y : array-like of shape (n_samples,)
        Two values, one for labelled positives (the larger number, a word such as "yes", or
        `pos_label`) and the other for unlabelled rows; with `neg_label` known negatives too.
    prior : float or "auto", default="auto"
        Share of positives among all rows; "auto" is `estimate_prior` with `labelling="biased"`. If
        classes overlap much, columns have to differ at the prior for random labels too.
    pos_label : value of y, optional
    neg_label : value of y, optional
        The value that means known negative; these rows are left out.
    random_state : int, RandomState or None

    Returns
    -------
    LabellingCheck

    Notes
    -----
    If there are more than 5 000 rows, that many are drawn.

    False alarms are more frequent where classes overlap and an estimated prior is far too large
    (benchmarks/bench_biased.py). A bias that leaves out a whole kind of positives goes unseen.
    """
    X = X.tocsr() if is_sparse(X) else X if hasattr(X, "shape") else np.asarray(X)
    labels = checked_pu_labels(y, pos_label=pos_label, neg_label=neg_label, n_samples=X.shape[0])
    random = check_random_state(random_state)
    is_estimated, lower = isinstance(prior, str), None
    if is_estimated:
        if prior != "auto":
            raise ValueError(f"prior must be a number or 'auto', found {prior!r}")
        prior, lower = _estimated_priors(X, labels, random)
    prior = checked_prior(prior, labels)
    n_labelled = labels.n_labelled
    names = getattr(X, "columns", None)
    names = [f"column {j}" for j in range(X.shape[1])] if names is None else list(map(str, names))
    order = row_order(X, labels.is_labelled)
    order = order[~labels.is_negative[order]]
    per_row_left = labels.n_samples / len(order)
    if len(order) > MAX_ROWS:
        order = order[np.sort(random.choice(len(order), MAX_ROWS, replace=False))]
    X, labels = in_order(X, order), labels.in_order(order)
    columns = _compared_columns(read_table(X), names)
    values = np.column_stack([each.values for each in columns])
    _, points = learn_encoding(X)
    # The labelled share of some of the rows may be a little above the prior.
    priors = [
        max(min(each * per_row_left, 1.0 - 0.5 / len(order)), labels.labelled_share)
        for each in ([prior] if lower is None else [prior, lower])
    ]
    comparisons = [_comparison(points, values, labels, each, random) for each in priors]
    differences: list[ColumnDifference] = []
    predicted = min((each.predicted for each in comparisons), key=lambda each: each.n_compared)
    if predicted.n_compared >= FEWEST:
        differences, predicted = _differences(columns, comparisons), comparisons[0].predicted
    n_found = len(predicted.labelled), len(predicted.others)
    return LabellingCheck(tuple(differences), prior, is_estimated, n_labelled, *n_found, lower)


def _estimated_priors(
    X: Any, labels: PULabels, random: np.random.RandomState
) -> tuple[float, float | None]:
    """Estimate the prior for biased labels and, where classes overlap much, a smaller one."""
    prior = estimate_prior(X, labels, labelling="biased", random_state=random).prior
    if_random = estimate_prior(X, labels, random_state=random)
    overlap = if_random.diagnostics["negatives_passing"]
    is_doubtful = overlap > _MUCH_OVERLAP and if_random.prior < prior
    return prior, if_random.prior if is_doubtful else None


@dataclass(frozen=True, eq=False)
class _PredictedPositives:
    """Labelled and other rows above the threshold, and all positives, labelled or predicted."""

    labelled: IndexArray
    others: IndexArray
    positives: IndexArray

    @property
    def n_compared(self) -> int:
        return min(len(self.labelled), len(self.others))

    def differences(self, values: FloatArray) -> FloatArray:
        """Return 2 AUC - 1 of labelled against other rows, by column."""
        n_labelled, n_others = len(self.labelled), len(self.others)
        if self.n_compared == 0:
            return np.zeros(values.shape[1])
        both = np.concatenate([values[self.labelled], values[self.others]])
        ranks = rankdata(both, axis=0)[:n_labelled].sum(axis=0)
        above = ranks - n_labelled * (n_labelled + 1) / 2.0
        return np.asarray(2.0 * above / (n_labelled * n_others) - 1.0)


@dataclass(frozen=True, eq=False)
class _Comparison:
    """Predicted positives at a prior, and differences of columns, observed and redrawn."""

    predicted: _PredictedPositives
    observed: FloatArray
    redrawn: FloatArray


def _comparison(
    points: Any, values: FloatArray, labels: PULabels, prior: float, random: np.random.RandomState
) -> _Comparison:
    predicted = _predicted_positives(points, labels, prior, random)
    redrawn = []
    # Too few are not compared, and need no redraws.
    for _ in range(_N_REDRAWS if predicted.n_compared >= FEWEST else 0):
        is_labelled = np.zeros(labels.n_samples, dtype=np.bool_)
        is_labelled[random.choice(predicted.positives, labels.n_labelled, replace=False)] = True
        again = _predicted_positives(points, PULabels(is_labelled, labels.classes), prior, random)
        redrawn.append(again.differences(values))
    return _Comparison(predicted, predicted.differences(values), np.array(redrawn))


def _predicted_positives(
    points: Any, labels: PULabels, prior: float, random: np.random.RandomState
) -> _PredictedPositives:
    n_folds = min(_N_FOLDS, labels.n_labelled, labels.n_samples - labels.n_labelled)
    if n_folds < 2:
        none = np.empty(0, dtype=np.intp)
        return _PredictedPositives(none, none, np.flatnonzero(labels.is_labelled))
    scores = cross_fitted_forest(
        points,
        labels.is_labelled,
        prior,
        TreeOptions(min_samples_leaf=_LEAST_LEAF),
        n_folds=n_folds,
        n_trees=_N_TREES,
        random_state=random,
        n_threads=1,
    ).scores.leaf
    is_above = scores > threshold_for_share(scores, prior)
    return _PredictedPositives(
        np.flatnonzero(is_above & labels.is_labelled),
        np.flatnonzero(is_above & ~labels.is_labelled),
        np.flatnonzero(positives_by_prior(scores, labels, prior)),
    )


def _p_values(observed: FloatArray, redrawn: FloatArray) -> FloatArray:
    """Return the probability that a further draw is as far from the redraws (Student's t)."""
    spread = redrawn.std(axis=0, ddof=1) * np.sqrt(1.0 + 1.0 / len(redrawn))
    away = np.abs(observed - redrawn.mean(axis=0))
    steps = np.divide(away, spread, out=np.zeros_like(away), where=spread > 0.0)
    return np.asarray(2.0 * t.sf(steps, len(redrawn) - 1))


def _holm(p_values: FloatArray) -> FloatArray:
    """Correct p-values for their number."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return corrected


@dataclass(frozen=True, eq=False)
class _ComparedColumn:
    """Numbers of a column, or 0 and 1 for a category of it."""

    name: str
    category: str | None
    values: FloatArray


def _differences(
    columns: list[_ComparedColumn], comparisons: list[_Comparison]
) -> list[ColumnDifference]:
    """List the differences at the first prior, with the p-values that hold at all priors."""
    first = comparisons[0]
    p_values = np.max([_holm(_p_values(each.observed, each.redrawn)) for each in comparisons], 0)
    differences = [
        ColumnDifference(
            column.name,
            column.category,
            float(column.values[first.predicted.labelled].mean()),
            float(column.values[first.predicted.others].mean()),
            float(first.observed[place]),
            float(first.redrawn[:, place].mean()),
            float(p_values[place]),
        )
        for place, column in enumerate(columns)
    ]
    return sorted(
        differences, key=lambda each: (each.p_value, -abs(each.difference - each.expected))
    )


def _compared_columns(table: Table, names: list[str]) -> list[_ComparedColumn]:
    """Return numbers with gaps at the median, and 0 and 1 for each category and for gaps."""
    if table.rows:
        check_dense_size((table.n_rows, table.format.n_columns), "the check")
    columns = []
    for place, name in enumerate(names):
        values = table.column(place)
        missing = np.isnan(values)
        if missing.any():
            columns.append(_ComparedColumn(name, "missing", missing.astype(np.float64)))
        categories = table.format.categories[place]
        if categories is None:
            middle = float(np.median(values[~missing])) if not missing.all() else 0.0
            columns.append(_ComparedColumn(name, None, np.where(missing, middle, values)))
            continue
        counts = np.bincount(values[~missing].astype(np.intp), minlength=len(categories))
        columns += [
            _ComparedColumn(name, str(categories[code]), (values == code).astype(np.float64))
            for code in np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]
        ]
    return columns
