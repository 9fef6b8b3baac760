"""PU trees node for node as a slow tree grows them, whatever the table holds."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pucut.trees.cross_fitting import cross_fitted_forest
from pucut.trees.forest import forest_scores
from pucut.trees.growing import TreeOptions, grow_forest
from tests.helpers.forests import FIELDS, compare_with_oracle, example
from tests.helpers.tree_oracle import Random


@pytest.mark.parametrize("kind", ["coarse", "fine"])
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("loss", ["quadratic", "logistic"])
@pytest.mark.parametrize("risk", ["nnpu", "upu", "pn"])
def test_node_for_node_as_the_slow_tree(risk, loss, together, kind):
    X, is_labelled, prior = example(kind=kind)
    options = TreeOptions(risk, loss, unlabelled_includes_labelled=together)
    forest = compare_with_oracle(X, is_labelled, prior, options)
    assert len(forest.feature) > 20


@pytest.mark.parametrize(
    "change",
    [
        {"max_depth": 3},
        {"min_samples_leaf": 4},
        {"max_candidates": 5},
        {"max_features": None},
        {"max_features": 1},
        {"max_features": 0.5, "min_samples_leaf": 2, "max_candidates": 2},
        {"max_rows": 50},
        {"max_rows": 119, "min_samples_leaf": 3},
        {"max_rows": 120},
        {"max_rows": 2},
    ],
)
def test_options_as_in_the_slow_tree(change):
    X, is_labelled, prior = example(missing=0.1)
    compare_with_oracle(X, is_labelled, prior, TreeOptions(**change))


def test_a_sample_is_that_of_the_seed_and_leaves_the_fold_out():
    X, is_labelled, prior = example(n_rows=600)
    options = TreeOptions(max_rows=90, min_samples_leaf=2)
    grown = [
        cross_fitted_forest(
            X, is_labelled, prior, options, n_folds=3, n_trees=4, random_state=1, n_threads=threads
        )
        for threads in (1, 3)
    ]
    for field in FIELDS:
        first, second = (getattr(each.forest, field) for each in grown)
        np.testing.assert_array_equal(first, second)
    # All rows are scored, each by trees that could not have drawn it.
    assert len(grown[0].scores.leaf) == 600
    auc = (grown[0].scores.leaf[is_labelled][:, None] > grown[0].scores.leaf[~is_labelled]).mean()
    assert auc > 0.6
    whole = cross_fitted_forest(
        X, is_labelled, prior, TreeOptions(min_samples_leaf=2), n_folds=3, n_trees=4, random_state=1
    )
    assert len(grown[0].forest.feature) < len(whole.forest.feature) / 3


@pytest.mark.parametrize("max_rows", [0, 1, -5])
def test_a_sample_needs_a_row_of_each_kind(max_rows):
    with pytest.raises(ValueError, match="max_rows must be from 2"):
        TreeOptions(max_rows=max_rows)


@pytest.mark.parametrize("kind", ["coarse", "fine"])
@pytest.mark.parametrize("risk", ["nnpu", "upu"])
def test_missing_values_as_in_the_slow_tree(risk, kind):
    X, is_labelled, prior = example(missing=0.3, kind=kind)
    X[:, 1] = np.nan  # never anything
    X[:, 2] = np.where(np.isnan(X[:, 2]), np.nan, 1.0)  # there or not
    compare_with_oracle(X, is_labelled, prior, TreeOptions(risk, max_features=3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_more_distinct_values_than_codes(dtype, order):
    """Past 256 distinct values rows share codes, and the values have to be looked at."""
    X, is_labelled, prior = example(n_rows=5000, n_columns=3, kind="fine")
    X[:, 1] = np.round(X[:, 1] * 300)  # few enough for two bytes
    # Neighbours among the numbers: cuts fall on values.
    X[:, 2] = 1.0 + np.random.default_rng(1).integers(1000, size=5000) * np.finfo(dtype).eps
    X = np.asarray(X, dtype=dtype, order=order)
    X[::50] = np.nan
    compare_with_oracle(X, is_labelled, prior, TreeOptions(min_samples_leaf=5), n_trees=1)


@pytest.mark.parametrize("n_categories", [2, 5, 70, 200])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_categories_as_in_the_slow_tree(n_categories, missing):
    X, is_labelled, prior = example(n_rows=400, missing=missing)
    random = np.random.default_rng(1)
    X[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, random.integers(n_categories, size=400))
    known = np.unique(X[:, 1][~np.isnan(X[:, 1])])
    # Codes are places among the values that are there.
    codes = X.copy()
    codes[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, np.searchsorted(known, X[:, 1]))
    options = TreeOptions(max_features=3, min_samples_leaf=3)
    forest = compare_with_oracle(
        codes,
        is_labelled,
        prior,
        options,
        n_categories=[0, len(known), 0, 0, 0],
        categorical_features=[1],
    )
    assert (forest.feature == 1).any()


values = st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-300, 1e308, -1e308, 3.5, float("nan")])


@given(
    st.integers(2, 12).flatmap(
        lambda n: st.tuples(
            st.lists(st.lists(values, min_size=2, max_size=2), min_size=n, max_size=n),
            st.lists(st.booleans(), min_size=n, max_size=n),
        )
    ),
    st.sampled_from(["nnpu", "upu", "pn"]),
    st.floats(0.05, 0.95),
)
def test_any_small_table(rows_and_labels, risk, prior):
    rows, labels = rows_and_labels
    labels[:2] = [True, False]
    X = np.array(rows)
    compare_with_oracle(X, np.array(labels), prior, TreeOptions(risk, max_features=None), n_trees=1)


def test_random_numbers_are_spread():
    random = Random(1)
    draws = [random.below(7) for _ in range(7000)]
    assert min(np.bincount(draws, minlength=7)) > 850
    units = [random.unit() for _ in range(2000)]
    assert min(units) >= 0
    assert max(units) < 1
    assert abs(np.mean(units) - 0.5) < 0.03


def test_number_of_threads_changes_nothing():
    X, is_labelled, prior = example(n_rows=600, missing=0.05)
    forests = [
        grow_forest(X, is_labelled, prior, n_trees=13, random_state=0, n_threads=threads)
        for threads in (1, 2, 5, 40)
    ]
    for other, name in itertools.product(forests[1:], FIELDS):
        np.testing.assert_array_equal(getattr(other, name), getattr(forests[0], name))
    scores = [forest_scores(forests[0], X, n_threads=threads) for threads in (1, 3)]
    np.testing.assert_array_equal(scores[0].leaf, scores[1].leaf)
    np.testing.assert_array_equal(scores[0].vote, scores[1].vote)


def test_seed_decides_the_forest():
    X, is_labelled, prior = example()
    first, same, other = (
        grow_forest(X, is_labelled, prior, n_trees=4, random_state=seed) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.threshold, same.threshold)
    assert not np.array_equal(first.threshold, other.threshold)
    # More trees are the same trees, and more.
    more = grow_forest(X, is_labelled, prior, n_trees=6, random_state=0)
    np.testing.assert_array_equal(more.threshold[: len(first.threshold)], first.threshold)
