"""Out-of-fold scores, and folds that keep copies of a row together."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from pucut.judging.cross_fitting import (
    cross_fit,
    default_classifier,
    mean_scores,
    stratified_folds,
)


def test_huge_values_of_both_signs_are_no_mistake():
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(400, 1))
    X = sp.csr_array(1.7e308 * signs)
    y = np.arange(400) % 3 == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fitted = cross_fit(default_classifier(X), X, y, n_folds=2, random_state=0)
        assert np.isfinite(mean_scores(fitted.models, X)).all()


def labels_of(n_rows, share=0.3):
    return np.random.default_rng(0).random(n_rows) < share


def test_without_copies_the_folds_are_those_of_the_rows():
    """As they were before there were groups, to the bit."""
    is_labelled = labels_of(120)
    found = stratified_folds(is_labelled, 5, np.random.RandomState(3), np.arange(120))
    splitter = StratifiedKFold(5, shuffle=True, random_state=np.random.RandomState(3))
    expected = splitter.split(np.zeros((120, 1)), is_labelled)
    for (train, test), (same_train, same_test) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(train, same_train)
        np.testing.assert_array_equal(test, same_test)


def test_copies_are_in_one_fold_and_every_row_is_in_one():
    groups = np.concatenate([np.arange(80), np.arange(40), np.arange(20)])
    is_labelled = labels_of(80)[groups]
    tested = []
    for train, test in stratified_folds(is_labelled, 5, np.random.RandomState(0), groups):
        assert not set(groups[train]) & set(groups[test])
        assert is_labelled[train].any()
        assert is_labelled[test].any()
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(140))
        tested.append(test)
    np.testing.assert_array_equal(np.sort(np.concatenate(tested)), np.arange(140))


def test_a_row_is_scored_by_a_model_that_has_not_seen_its_copy():
    """The nearest neighbour of a row is its copy, so that its score would be its label."""
    X = np.random.default_rng(0).normal(size=(150, 2))
    is_labelled = labels_of(150)
    nearest = KNeighborsClassifier(1)
    once = cross_fit(nearest, X, is_labelled, random_state=0).scores
    twice = cross_fit(nearest, np.vstack([X, X]), np.tile(is_labelled, 2), random_state=0).scores
    np.testing.assert_array_equal(twice[:150], twice[150:])
    np.testing.assert_array_equal(twice[:150], once)
    assert np.mean(once == is_labelled) < 0.7


def test_threads_share_the_folds_and_change_no_bit():
    X = np.random.RandomState(0).randn(6000, 3)
    is_labelled = (X[:, 0] > 0) & labels_of(6000)
    one, two = (
        cross_fit(RandomForestClassifier(5), X, is_labelled, random_state=0, n_threads=n)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.scores, two.scores)
    np.testing.assert_array_equal(one.fold, two.fold)
    new = X + 0.1
    np.testing.assert_array_equal(mean_scores(one.models, new), mean_scores(two.models, new, 2))
