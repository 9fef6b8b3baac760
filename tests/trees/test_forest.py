"""The native trees against the slow ones of tree_oracle, and what must hold for every forest."""

import itertools
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pucut.trees.forest import (
    ForestScores,
    TreeOptions,
    cross_fitted_forest,
    features_at_a_node,
    forest_apply,
    forest_importances,
    forest_scores,
    grow_forest,
    proximity_neighbors,
)
from tests.helpers.tree_oracle import Random, Setting, Tree

FIELDS = ("offsets", "feature", "threshold", "left", "missing_left", "masks", "risk_reduction")


def example(n_rows=120, n_columns=5, kind="coarse", missing=0.0, seed=0):
    """Rows whose first column gives the class, with a third of the positives labelled."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    positive = X[:, 0] + 0.5 * random.normal(size=n_rows) > 0
    if kind == "coarse":
        X = np.round(2 * X)
    X[random.random(X.shape) < missing] = np.nan
    is_labelled = positive & (random.random(n_rows) < 0.5)
    is_labelled[:2] = True, False
    return X, is_labelled, float(np.clip(positive.mean(), 0.1, 0.9))


def seeds_of(random_state, n_trees):
    return np.random.RandomState(random_state).randint(
        np.iinfo(np.int64).max, size=n_trees, dtype=np.int64
    )


def subset_of(forest, node, feature):
    words = (int(forest.format.n_categories[feature]) + 63) // 64
    first = int(forest.threshold[node])
    return sum(int(word) << (64 * i) for i, word in enumerate(forest.masks[first : first + words]))


def assert_same_tree(forest, tree, oracle, X):
    begin, end = forest.offsets[tree], forest.offsets[tree + 1]
    assert end - begin == len(oracle.nodes)
    leaves = forest_apply(forest, X)[:, tree]
    for number, node in enumerate(oracle.nodes):
        i = begin + number
        assert forest.feature[i] == node.feature
        assert forest.left[i] == node.left
        if node.feature < 0:
            assert forest.threshold[i] == node.threshold
            # A row of the tree is in the leaf it was in when the tree was grown.
            assert (leaves[node.rows] == number).all()
            continue
        assert bool(forest.missing_left[i]) == node.missing_left
        if forest.format.n_categories[node.feature]:
            assert subset_of(forest, i, node.feature) == node.subset
        else:
            assert forest.threshold[i] == node.threshold
    np.testing.assert_array_equal(forest.risk_reduction[tree], oracle.reduction)


def compare_with_oracle(X, is_labelled, prior, options, n_trees=2, n_categories=None, **more):
    forest = grow_forest(
        X, is_labelled, prior, options, n_trees=n_trees, random_state=7, n_threads=1, **more
    )
    n_columns = X.shape[1]
    dense = X.toarray() if sp.issparse(X) else X
    rows = np.asarray(dense, dtype=np.float64).tolist()
    setting = Setting(
        options.risk,
        options.loss,
        prior,
        options.unlabelled_includes_labelled,
        options.max_depth,
        options.min_samples_leaf,
        features_at_a_node(options.max_features, n_columns),
        options.max_candidates,
        options.max_rows,
    )
    for tree, seed in enumerate(seeds_of(7, n_trees)):
        oracle = Tree(
            rows,
            is_labelled.tolist(),
            range(len(rows)),
            n_categories or [0] * n_columns,
            setting,
            int(seed),
        )
        assert_same_tree(forest, tree, oracle, X)
    return forest


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


@pytest.mark.parametrize(
    "dtype", [np.float16, np.bool_, np.int8, np.uint8, np.int32, np.int64, np.uint64]
)
def test_types_of_numbers(dtype):
    X, is_labelled, prior = example()
    compare_with_oracle(np.abs(X).astype(dtype), is_labelled, prior, TreeOptions())


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


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.coo_array])
def test_sparse_as_dense(container):
    X, is_labelled, prior = example(n_rows=700, kind="fine")
    X[np.abs(X) < 0.4] = 0.0
    X[5, 0] = np.nan
    dense = grow_forest(X, is_labelled, prior, random_state=3, n_trees=3)
    sparse = grow_forest(container(X), is_labelled, prior, random_state=3, n_trees=3)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(sparse, name), getattr(dense, name))
    np.testing.assert_array_equal(forest_apply(dense, container(X)), forest_apply(dense, X))


def test_sparse_matrix_of_the_caller_is_not_changed():
    _X, is_labelled, prior = example()
    unsorted = sp.csc_array(
        (np.array([1.0, 2.0, 3.0]), np.array([5, 1, 5]), np.array([0, 3, 3])), shape=(120, 2)
    )
    before = unsorted.copy()
    grow_forest(unsorted, is_labelled, prior, n_trees=1)
    np.testing.assert_array_equal(unsorted.indices, before.indices)
    np.testing.assert_array_equal(unsorted.data, before.data)


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


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("n_rows", [1, 15, 16, 17, 1200])
def test_scores_are_those_of_the_leaves(n_rows, missing):
    X, is_labelled, prior = example(n_rows=300, kind="fine", missing=missing)
    options = TreeOptions("upu", unlabelled_includes_labelled=False)
    forest = grow_forest(X, is_labelled, prior, options, n_trees=9, random_state=0)
    new = example(n_rows=max(n_rows, 2), kind="fine", missing=missing, seed=1)[0][:n_rows]
    leaves = forest_apply(forest, new)
    assert leaves.dtype == np.int32
    assert leaves.shape == (n_rows, 9)
    fraction = forest.threshold[forest.offsets[:-1] + leaves]
    assert (forest.feature[forest.offsets[:-1] + leaves] == -1).all()
    assert np.isinf(forest.threshold).any()
    scores = forest_scores(forest, new)
    np.testing.assert_array_equal(scores.vote, (fraction > 0.5).sum(axis=1) / 9)
    np.testing.assert_allclose(scores.leaf, np.minimum(fraction, 1).mean(axis=1), rtol=1e-14)


def test_combined_scores_order_by_votes_then_by_leaves():
    scores = ForestScores(np.array([0.5, 0.5, 0.25, 0.75, 0.5]), np.array([0.6, 0.4, 1, 0, 0.5]), 4)
    assert (np.argsort(scores.combined) == [2, 1, 4, 0, 3]).all()
    assert (scores.combined > 0.5).tolist() == [True, False, False, True, False]


def test_importances():
    X, is_labelled, prior = example(n_rows=500)
    forest = grow_forest(X, is_labelled, prior, n_trees=50, random_state=0)
    importances = forest_importances(forest)
    assert importances.sum() == pytest.approx(1)
    assert (importances >= 0).all()
    assert importances[0] > 3 * importances[1:].max()
    # Without a feature that varies there is nothing to share out.
    nothing = grow_forest(np.ones((500, 3)), is_labelled, prior, n_trees=2)
    assert forest_importances(nothing).tolist() == [0, 0, 0]
    assert nothing.offsets.tolist() == [0, 1, 2]


def test_importances_stay_finite_where_the_risk_is_not():
    X, is_labelled, prior = example(n_rows=500)
    for loss in ("quadratic", "logistic"):
        options = TreeOptions("upu", loss, unlabelled_includes_labelled=False)
        importances = forest_importances(grow_forest(X, is_labelled, prior, options, n_trees=10))
        assert np.isfinite(importances).all()
        assert importances.sum() == pytest.approx(1)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("k", [1, 4, 119])
def test_proximities_as_by_the_whole_matrix(k, n_threads):
    X, is_labelled, prior = example()
    X[50:60] = X[10:20]
    forest = grow_forest(X, is_labelled, prior, n_trees=20, random_state=0)
    leaves = forest_apply(forest, X)
    share = (leaves[:, None, :] == leaves[None, :, :]).mean(axis=2)
    np.fill_diagonal(share, -1)
    wanted = np.argsort(-share, axis=1, kind="stable")[:, :k]
    found = proximity_neighbors(forest, X, k, n_threads=n_threads)
    np.testing.assert_array_equal(found.indices, wanted)
    np.testing.assert_allclose(found.share, np.take_along_axis(share, wanted, axis=1))


def test_cross_fitted_scores_come_from_trees_that_did_not_see_the_row():
    """A column that names the row: trees that saw it know its label, others cannot."""
    random = np.random.default_rng(0)
    n_rows = 400
    X = random.permutation(n_rows).astype(float)[:, None]
    positive = random.random(n_rows) < 0.5
    is_labelled = positive & (random.random(n_rows) < 0.5)
    options = TreeOptions("pn")
    seen = forest_scores(grow_forest(X, is_labelled, 0.4, options, random_state=0), X)
    unseen = cross_fitted_forest(X, is_labelled, 0.4, options, n_folds=4, random_state=0).scores
    assert (seen.vote[is_labelled] == 1).all()
    assert (seen.vote[~is_labelled] == 0).all()
    assert 0.1 < unseen.vote.mean() < 0.9
    assert abs(unseen.vote[is_labelled].mean() - unseen.vote[~is_labelled].mean()) < 0.1


def test_cross_fitted_scores_depend_on_the_seed_alone():
    X, is_labelled, prior = example()
    first, second = (
        cross_fitted_forest(
            X, is_labelled, prior, n_trees=5, random_state=0, n_threads=threads
        ).scores
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(first.vote, second.vote)
    np.testing.assert_array_equal(first.leaf, second.leaf)


def test_forest_pickles():
    X, is_labelled, prior = example(missing=0.1)
    forest = grow_forest(X, is_labelled, prior, n_trees=3)
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(forest_apply(again, X), forest_apply(forest, X))


@pytest.mark.parametrize(
    ("max_features", "n_features", "wanted"),
    [("sqrt", 784, 28), ("sqrt", 23, 5), ("sqrt", 1, 1), (None, 7, 7), (3, 2, 2), (0.5, 5, 3)],
)
def test_features_at_a_node(max_features, n_features, wanted):
    assert features_at_a_node(max_features, n_features) == wanted


@pytest.mark.parametrize("max_features", [0, -1, 1.5, 0.0, "log2", True])
def test_features_at_a_node_refused(max_features):
    with pytest.raises(ValueError, match="max_features"):
        features_at_a_node(max_features, 10)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"prior": 1.0}, ValueError, "prior must be above 0 and below 1, found 1.0"),
        ({"is_labelled": np.zeros(120, dtype=bool)}, ValueError, "found 0 labelled of 120"),
        ({"is_labelled": np.ones(120, dtype=bool)}, ValueError, "found 120 labelled of 120"),
        ({"is_labelled": np.ones(119, dtype=bool)}, TypeError, "each of 120 rows"),
        ({"n_trees": 0}, ValueError, "n_trees must be from 1 to"),
        ({"n_trees": 1.5}, TypeError, "n_trees must be a whole number"),
        ({"callback": 3}, TypeError, "callback must be callable"),
        ({"n_threads": 0}, ValueError, "n_threads"),
    ],
)
def test_bad_arguments(change, error, message):
    X, is_labelled, prior = example()
    arguments = {"X": X, "is_labelled": is_labelled, "prior": prior, "n_trees": 2} | change
    with pytest.raises(error, match=message):
        grow_forest(**arguments)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"risk": "zzz"}, "risk must be one of nnpu, upu, pn, found 'zzz'"),
        ({"loss": "zzz"}, "loss must be one of"),
        ({"max_depth": 0}, "max_depth"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"max_candidates": 0}, "max_candidates"),
        ({"max_features": "all"}, "max_features"),
    ],
)
def test_bad_options(change, message):
    with pytest.raises(ValueError, match=message):
        TreeOptions(**change)


def test_bad_neighbours_and_folds():
    X, is_labelled, prior = example()
    forest = grow_forest(X, is_labelled, prior, n_trees=2)
    with pytest.raises(ValueError, match="k must be below the number of rows, 120, found 120"):
        proximity_neighbors(forest, X, 120)
    with pytest.raises(ValueError, match="n_folds must be at most"):
        cross_fitted_forest(X, is_labelled, prior, n_folds=100)
    with pytest.raises(ValueError, match="4 features, but the forest was grown on 5"):
        forest_scores(forest, X[:, :4])


def test_callback_is_told_every_step_and_the_end():
    X, is_labelled, prior = example(n_rows=3000, n_columns=20, kind="fine")
    told = []
    grow_forest(
        X, is_labelled, prior, n_trees=60, callback=lambda *step: told.append(step), n_threads=2
    )
    done = [step[0] for step in told]
    assert done == sorted(set(done))
    assert told[-1] == (60, 60)
    assert all(total == 60 for _, total in told)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_what_the_callback_raises_comes_out(n_threads):
    X, is_labelled, prior = example()

    def refuse(done, total):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        grow_forest(X, is_labelled, prior, n_trees=5, callback=refuse, n_threads=n_threads)
