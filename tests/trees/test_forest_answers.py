"""What a forest says of rows and features: against its leaves and the whole matrix."""

import pickle

import numpy as np
import pytest

from pucut.trees import growing
from pucut.trees.cross_fitting import cross_fitted_forest
from pucut.trees.forest import (
    ForestScores,
    forest_apply,
    forest_importances,
    forest_scores,
    proximity_neighbors,
)
from pucut.trees.growing import TreeOptions, grow_forest
from tests.helpers.forests import example


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


def test_trees_that_score_a_row_have_not_seen_its_copy():
    random = np.random.default_rng(0)
    X = np.tile(random.permutation(300).astype(float), 2)[:, None]
    is_labelled = np.tile(random.random(300) < 0.3, 2)
    options = TreeOptions("pn")
    scores = cross_fitted_forest(X, is_labelled, 0.4, options, n_folds=4, random_state=0).scores
    np.testing.assert_array_equal(scores.leaf[:300], scores.leaf[300:])
    assert abs(scores.vote[is_labelled].mean() - scores.vote[~is_labelled].mean()) < 0.1
    apart = np.arange(600)
    known = cross_fitted_forest(
        X, is_labelled, 0.4, options, n_folds=4, random_state=0, groups=apart
    ).scores
    assert known.vote[is_labelled].mean() > 0.5 + known.vote[~is_labelled].mean()


def test_without_copies_the_folds_are_those_of_the_rows(monkeypatch):
    """As they were dealt before there were groups, to the bit."""
    X, is_labelled, prior = example()
    dealt = {}
    grow = growing._core.grow_forest

    def watched(table, sampling, *others):
        dealt["fold"] = sampling["row_fold"]
        return grow(table, sampling, *others)

    monkeypatch.setattr(growing._core, "grow_forest", watched)
    cross_fitted_forest(X, is_labelled, prior, n_folds=4, n_trees=1, random_state=5)
    random = np.random.RandomState(5)
    for kind in (is_labelled, ~is_labelled):
        expected = random.permutation(np.arange(int(kind.sum()), dtype=np.int32) % 4)
        np.testing.assert_array_equal(dealt["fold"][kind], expected)


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
