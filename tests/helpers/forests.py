"""Tables and forests for the tests of PU trees."""

import numpy as np
import scipy.sparse as sp

from pucut.trees.forest import forest_apply
from pucut.trees.growing import features_at_a_node, grow_forest
from tests.helpers.tree_oracle import Setting, Tree

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
