"""Weights sum to the number of features, and weighted distances are those of the formula."""

import numpy as np
import pytest
import scipy.sparse as sp

from pucut.trees.feature_weights import checked_feature_weights, forest_weights, weighted
from pucut.trees.forest import forest_importances
from pucut.trees.growing import grow_forest


@pytest.fixture
def forest():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    is_positive = X[:, 1] > 0
    return grow_forest(X, is_positive & (random.random(200) < 0.6), 0.5, random_state=0)


def test_importances_are_scaled_to_the_number_of_features(forest):
    weights = forest_weights(forest)
    np.testing.assert_allclose(weights, forest_importances(forest) * 4)
    assert np.argmax(weights) == 1
    squared = forest_weights(forest, squared=True)
    np.testing.assert_allclose(squared.sum(), 4.0)
    np.testing.assert_allclose(squared / squared[1], (weights / weights[1]) ** 2)


def test_without_any_cut_all_features_count_the_same():
    forest = grow_forest(np.ones((9, 3)), np.arange(9) < 3, 0.5, random_state=0)
    assert forest_weights(forest).tolist() == [1.0, 1.0, 1.0]


def test_weighted_distances():
    random = np.random.default_rng(0)
    X, weights = random.normal(size=(5, 3)), np.array([0.0, 1.0, 2.0])
    expected = (weights * (X[0] - X[3]) ** 2).sum()
    for points in (X.copy(), sp.csr_array(X)):
        scaled = weighted(points, weights)
        dense = scaled.toarray() if sp.issparse(scaled) else scaled
        np.testing.assert_allclose(((dense[0] - dense[3]) ** 2).sum(), expected)
    in_place = X.copy()
    assert weighted(in_place, weights, in_place=True) is in_place
    np.testing.assert_array_equal(in_place, weighted(X, weights))
    assert weighted(X.astype(np.float32), weights).dtype == np.float32


@pytest.mark.parametrize(
    "weights", ["trees", [1.0, 2.0], [1.0, -1.0, 2.0], [0.0, 0.0, 0.0], [1.0, np.nan, 1.0], 3.0]
)
def test_bad_weights_are_refused(weights):
    with pytest.raises(ValueError, match="feature_weights must be"):
        checked_feature_weights(weights, 3)


def test_given_weights_are_scaled():
    np.testing.assert_allclose(checked_feature_weights([1, 0, 3], 3), [0.75, 0.0, 2.25])
