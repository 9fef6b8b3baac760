"""Whether the labelled positives look like a random draw of the positives that a model finds.

Only the product of two chances can be seen in the data: that a row is positive, and that a positive
is labelled. So no data of this kind can prove that labels were drawn at random, and none can prove
the opposite without a further assumption. Here it is that the rows a model calls positive are so:

1. Trees rank all rows, each by trees that have not seen it. The rows above the threshold at the
   prior are the *positives found*, labelled and unlabelled ones alike: a labelled row that the
   trees would have missed is left out, since an unlabelled one like it is missed too.
2. Among these, labelled rows are compared with the others, column by column.
3. What difference is to be expected of a random draw is measured, not calculated: labels are drawn
   anew from the positives found, thirty times, and all of it is repeated, trees included. That
   contains what the trees themselves bring about: they find what looks like the labelled rows.

If the prior is not known, it is estimated as for biased labels. Where classes overlap much, that is
often far too large, and then negatives are among the positives found, which differ from the
labelled rows whatever the labels are. The estimate for random labels sees the overlap; if it is the
smaller one, a column has to differ at that prior as well.

Positives that no label is near are not found, and so not compared: a bias that leaves out a whole
kind of positives goes unseen. Negatives that are found for positives differ from the labelled rows,
and may raise an alarm where classes overlap. `python -m benchmarks.bench_biased` measures both.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata, t
from sklearn.utils import check_random_state

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.data.encoding import MAX_DENSE_CELLS, learn_encoding
from pucut.data.labels import PULabels, checked_prior, checked_pu_labels
from pucut.data.row_order import in_order, row_order
from pucut.data.tables import Table, read_table
from pucut.judging.thresholds import positives_by_prior, threshold_for_share
from pucut.priors.estimate import estimate_prior
from pucut.priors.labelling_result import FEWEST, ColumnDifference, LabellingCheck
from pucut.trees.cross_fitting import cross_fitted_forest
from pucut.trees.growing import TreeOptions

# Time grows with the rows, thirty times over; more of them would find differences too small to
# matter.
MAX_ROWS = 5_000
_N_REDRAWS = 30
_N_FOLDS, _N_TREES, _LEAST_LEAF = 5, 10, 5
# The share of negatives that score like positives above which an estimate for biased labels may be
# much too large.
_MUCH_OVERLAP = 0.45
# Of a column of categories the most frequent are compared.
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
    """Compares the labelled positives with the other positives found, column by column.

    It can show that labels were not drawn at random, but never that they were: only positives that
    look like some labelled ones are found at all. Give the prior if you know it. An estimate is too
    small where labels are biased, and then the positives that are hardly ever labelled are not
    among those found.

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
    Of more than 5 000 rows that many are drawn.

    On six practice tables, random labels raised a false alarm in 3 % of 30 draws, with the true
    prior and with an estimated one; labels with a strong bias (`strength` 2 of
    `pucut.datasets.biased_labels`) raised one in 80 and 50 % (benchmarks/bench_biased.py). With an
    estimated prior and four more tables, false alarms were 10 % of 50: where the estimate is far
    too large, the check is not to be trusted.
    """
    X = X.tocsr() if is_sparse(X) else X if hasattr(X, "shape") else np.asarray(X)
    labels = checked_pu_labels(y, pos_label=pos_label, neg_label=neg_label, n_samples=X.shape[0])
    random = check_random_state(random_state)
    is_estimated, lower = isinstance(prior, str), None
    if is_estimated:
        if prior != "auto":
            raise ValueError(f"prior must be a number or 'auto', found {prior!r}")
        prior = estimate_prior(X, labels, labelling="biased", random_state=random).prior
        if_random = estimate_prior(X, labels, random_state=random)
        overlap = if_random.diagnostics["negatives_passing"]
        if overlap > _MUCH_OVERLAP and if_random.prior < prior:
            lower = if_random.prior
    prior = checked_prior(prior, labels)
    n_labelled = labels.n_labelled
    names = getattr(X, "columns", None)
    names = [f"column {j}" for j in range(X.shape[1])] if names is None else list(map(str, names))
    order = row_order(X, labels.is_labelled)
    order = order[~labels.is_negative[order]]
    of_the_rest = labels.n_samples / len(order)
    if len(order) > MAX_ROWS:
        order = order[np.sort(random.choice(len(order), MAX_ROWS, replace=False))]
    X, labels = in_order(X, order), labels.in_order(order)
    features = _features(read_table(X), names)
    _, points = learn_encoding(X)
    comparisons = [
        # Among a part of the rows the labelled ones may be a few more than the prior.
        _compared(
            points,
            features.values,
            labels,
            max(min(each * of_the_rest, 1.0 - 0.5 / len(order)), labels.labelled_share),
            random,
        )
        for each in ([prior] if lower is None else [prior, lower])
    ]
    found = min((each.found for each in comparisons), key=lambda each: each.n_compared)
    if found.n_compared < FEWEST:
        return LabellingCheck(
            (), prior, is_estimated, n_labelled, found.n_labelled, found.n_others, lower
        )
    found = comparisons[0].found
    observed, redrawn = comparisons[0].observed, comparisons[0].redrawn
    p_values = np.max([_holm(_p_values(each.observed, each.redrawn)) for each in comparisons], 0)
    differences = [
        ColumnDifference(
            column,
            category,
            float(features.values[found.is_labelled_found, place].mean()),
            float(features.values[found.is_other_found, place].mean()),
            float(observed[place]),
            float(redrawn[:, place].mean()),
            float(p_values[place]),
        )
        for place, (column, category) in enumerate(features.names)
    ]
    differences.sort(key=lambda each: (each.p_value, -abs(each.difference - each.expected)))
    return LabellingCheck(
        tuple(differences),
        prior,
        is_estimated,
        n_labelled,
        found.n_labelled,
        found.n_others,
        lower,
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """The rows above the threshold, by kind; and all rows that are positive, labelled or found."""

    is_labelled_found: BoolArray
    is_other_found: BoolArray
    is_positive: BoolArray

    @property
    def n_labelled(self) -> int:
        return int(self.is_labelled_found.sum())

    @property
    def n_others(self) -> int:
        return int(self.is_other_found.sum())

    @property
    def n_compared(self) -> int:
        """Rows on the smaller side."""
        return min(self.n_labelled, self.n_others)

    def differences(self, values: FloatArray) -> FloatArray:
        """Of each column, twice the area under the curve of labelled against others, less 1."""
        n_labelled, n_others = self.n_labelled, self.n_others
        if self.n_compared == 0:
            return np.zeros(values.shape[1])
        both = np.concatenate([values[self.is_labelled_found], values[self.is_other_found]])
        ranks = rankdata(both, axis=0)[:n_labelled].sum(axis=0)
        above = ranks - n_labelled * (n_labelled + 1) / 2.0
        return np.asarray(2.0 * above / (n_labelled * n_others) - 1.0)


@dataclass(frozen=True, eq=False)
class _Comparison:
    """What was found at a prior, how columns differ, and how they do where labels are redrawn."""

    found: _Found
    observed: FloatArray
    redrawn: FloatArray


def _compared(
    points: Any,
    values: FloatArray,
    labels: PULabels,
    prior: float,
    random: np.random.RandomState,
) -> _Comparison:
    found = _positives_found(points, labels, prior, random)
    observed = found.differences(values)
    # Too few would not be compared, and need no redraws.
    n_redraws = _N_REDRAWS if found.n_compared >= FEWEST else 0
    candidates = np.flatnonzero(found.is_positive)
    redrawn = [
        _positives_found(points, _redrawn(labels, candidates, random), prior, random)
        for _ in range(n_redraws)
    ]
    return _Comparison(found, observed, np.array([each.differences(values) for each in redrawn]))


def _positives_found(
    points: Any, labels: PULabels, prior: float, random: np.random.RandomState
) -> _Found:
    n_folds = min(_N_FOLDS, labels.n_labelled, labels.n_samples - labels.n_labelled)
    if n_folds < 2:
        nothing = np.zeros(labels.n_samples, dtype=np.bool_)
        return _Found(nothing, nothing, labels.is_labelled)
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
    is_found = scores > threshold_for_share(scores, prior)
    return _Found(
        is_found & labels.is_labelled,
        is_found & ~labels.is_labelled,
        positives_by_prior(scores, labels, prior),
    )


def _redrawn(
    labels: PULabels, candidates: npt.NDArray[np.intp], random: np.random.RandomState
) -> PULabels:
    is_labelled = np.zeros(labels.n_samples, dtype=np.bool_)
    is_labelled[random.choice(candidates, labels.n_labelled, replace=False)] = True
    return PULabels(is_labelled, labels.classes)


def _p_values(observed: FloatArray, redrawn: FloatArray) -> FloatArray:
    """Of a further draw being as far from the mean of the redraws (Student's t)."""
    n_redraws = len(redrawn)
    spread = redrawn.std(axis=0, ddof=1) * np.sqrt(1.0 + 1.0 / n_redraws)
    away = np.abs(observed - redrawn.mean(axis=0))
    steps = np.divide(away, spread, out=np.zeros_like(away), where=spread > 0.0)
    return np.asarray(2.0 * t.sf(steps, n_redraws - 1))


def _holm(p_values: FloatArray) -> FloatArray:
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return corrected


@dataclass(frozen=True, eq=False)
class _Features:
    """Columns to compare, and of each the name of its column and its category."""

    names: list[tuple[str, str | None]]
    values: FloatArray


def _features(table: Table, names: list[str]) -> _Features:
    """Numbers as they are, gaps at the median; a 0 or 1 for each category, and for gaps."""
    n_cells = table.n_rows * table.format.n_columns
    if table.rows and n_cells > MAX_DENSE_CELLS:
        raise ValueError(
            f"X is sparse with {table.n_rows} x {table.format.n_columns} cells, but the check "
            f"needs it dense, with at most {MAX_DENSE_CELLS} cells; reduce its columns first, as "
            "with sklearn.decomposition.TruncatedSVD"
        )
    found = [each for place, name in enumerate(names) for each in _of_column(table, place, name)]
    return _Features(
        [(column, category) for column, category, _ in found],
        np.column_stack([values for *_, values in found]),
    )


def _of_column(table: Table, place: int, name: str) -> Iterator[tuple[str, str | None, FloatArray]]:
    values = np.asarray(table.values[place], dtype=np.float64)
    if table.rows:
        stored, values = values, np.zeros(table.n_rows)
        values[table.rows[place]] = stored
    categories = table.format.categories[place]
    missing = np.isnan(values)
    if missing.any():
        yield name, "missing", missing.astype(np.float64)
    if categories is None:
        middle = float(np.median(values[~missing])) if not missing.all() else 0.0
        yield name, None, np.where(missing, middle, values)
        return
    counts = np.bincount(values[~missing].astype(np.intp), minlength=len(categories))
    for code in np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]:
        yield name, str(categories[code]), (values == code).astype(np.float64)
