"""Tables of every kind, options that are refused, and callbacks."""

import numpy as np
import pytest
import scipy.sparse as sp

from pucut.trees.cross_fitting import cross_fitted_forest
from pucut.trees.forest import forest_apply, forest_scores, proximity_neighbors
from pucut.trees.growing import TreeOptions, features_at_a_node, grow_forest
from tests.helpers.forests import FIELDS, compare_with_oracle, example


@pytest.mark.parametrize(
    "dtype", [np.float16, np.bool_, np.int8, np.uint8, np.int32, np.int64, np.uint64]
)
def test_types_of_numbers(dtype):
    X, is_labelled, prior = example()
    compare_with_oracle(np.abs(X).astype(dtype), is_labelled, prior, TreeOptions())


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
