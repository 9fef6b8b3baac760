"""Biased SVMs and their bags: scores against scikit-learn's, costs, what the landmarks lose."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC, LinearSVC

from pucut import BaggingSVMClassifier, BiasedSVMClassifier
from pucut.data.row_order import row_order
from pucut.kernels.gaussian import GaussianKernel
from pucut.kernels.machines import fit_svm, kernel_map
from pucut.metrics import lee_liu_score
from pucut.utils.estimator_checks._tools import pu_table

X, y, TRUTH = pu_table(300)
PRIOR = float(TRUTH.mean())


def machine(points, kernel, **costs):
    given = {"positive_cost": 3.0, "negative_cost": 0.5} | costs
    return fit_svm(points, y == 1, kernel=kernel, random=np.random.RandomState(0), **given)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_scores_are_those_of_scikit_learn(make):
    points = make(X)
    costs = {0: 0.5, 1: 3.0}
    exact = SVC(gamma=0.25, class_weight=costs).fit(points, y)
    np.testing.assert_allclose(
        machine(points, "rbf").scores(points), exact.decision_function(points), atol=1e-9
    )
    linear = LinearSVC(dual=False, class_weight=costs).fit(points, y)
    np.testing.assert_allclose(
        machine(points, "linear").scores(points), linear.decision_function(points), atol=1e-9
    )


def test_landmarks_are_enough():
    points, labels, truth = pu_table(2600, seed=3)
    fitted = fit_svm(
        points,
        labels == 1,
        positive_cost=3.0,
        negative_cost=1.0,
        kernel="rbf",
        random=np.random.RandomState(0),
    )
    assert fitted.landmarks.shape[0] == 300
    exact = SVC(gamma=0.25, class_weight={0: 1.0, 1: 3.0}).fit(points, labels)
    same = (fitted.scores(points) > 0) == (exact.decision_function(points) > 0)
    assert same.mean() > 0.97
    assert truth.any()


def test_features_of_all_rows_multiply_to_the_kernel():
    mapped = kernel_map(X, np.random.RandomState(0))
    features = mapped.features(X)
    np.testing.assert_allclose(features @ features.T, GaussianKernel(X, 0.25).of(X), atol=1e-6)
    weights = np.random.default_rng(0).normal(size=features.shape[1])
    np.testing.assert_allclose(
        mapped.machine(weights, 2.0).scores(X), features @ weights + 2.0, rtol=1e-6, atol=1e-6
    )


def test_the_ratio_with_the_best_criterion_is_taken():
    ratios = [0.1, 1.0, 4.0]
    model = BiasedSVMClassifier(prior=PRIOR, ratio=ratios, random_state=0).fit(X, y)
    assert list(model.ratio_scores_) == ratios
    assert model.ratio_scores_[model.ratio_] == max(model.ratio_scores_.values())
    # The criterion is that of scores out of fold, so it is near that of the scores of this ratio.
    own = lee_liu_score(y, (model.scores_ > 0).astype(int))
    assert own == pytest.approx(model.ratio_scores_[model.ratio_], rel=0.1)
    assert BiasedSVMClassifier(prior=PRIOR).fit(X, y).ratio_ == (y == 0).sum() / y.sum()


@pytest.mark.parametrize("ratio", [[], [1.0, -2.0], ["a"], [[1.0]], [np.nan]])
def test_a_ratio_that_is_none_is_refused(ratio):
    with pytest.raises(ValueError, match="ratio must be"):
        BiasedSVMClassifier(prior=PRIOR, ratio=ratio).fit(X, y)


def test_own_rule_is_the_sign():
    model = BiasedSVMClassifier(prior=PRIOR, threshold="half", random_state=0).fit(X, y)
    assert model.threshold_ == 0.0
    np.testing.assert_array_equal(model.transduction_ == 1, (y == 1) | (model.scores_ > 0))


def test_scores_of_a_bag_are_votes_out_of_bag():
    model = BaggingSVMClassifier(7, prior=PRIOR, random_state=0).fit(X, y)
    order = row_order(X, y == 1)
    points = ((X - X.mean(axis=0)) / X.std(axis=0))[order]
    random = np.random.RandomState(0)
    labelled, unlabelled = np.flatnonzero(y[order] == 1), np.flatnonzero(y[order] == 0)
    size = min(len(labelled), 300)
    votes, means, n = np.zeros(300), np.zeros(300), np.zeros(300)
    for fitted in model.estimators_:
        bag = {*random.choice(labelled, size), *random.choice(unlabelled, size)}
        for row in set(range(300)) - bag:
            score = fitted.scores(points[row : row + 1])[0]
            votes[row] += score > 0
            means[row] += (1 + score / (1 + abs(score))) / 2
            n[row] += 1
    seen_by_all = n == 0
    assert not seen_by_all.all()
    expected = ((7 * votes + means) / 8 / np.maximum(n, 1))[~seen_by_all]
    np.testing.assert_allclose(model.scores_[order][~seen_by_all], expected, atol=1e-12)


def test_bags_forgive_wrong_labels():
    """Claesen et al.: with false positives the ensemble is ahead of the single SVM."""
    bagged, single = [], []
    for seed in range(4):
        points, labels, truth = pu_table(300, seed=seed)
        random = np.random.RandomState(seed)
        labels[random.choice(np.flatnonzero(~truth), 25, replace=False)] = 1
        new_points, _, new_truth = pu_table(400, seed=seed + 50)
        for model, found in (
            (BaggingSVMClassifier(20, C=10.0, n_positive=30, n_unlabelled=30), bagged),
            (BiasedSVMClassifier(C=10.0), single),
        ):
            model.set_params(prior=float(truth.mean()) + 0.05, random_state=0).fit(points, labels)
            found.append(((model.predict(new_points) == 1) == new_truth).mean())
    assert np.mean(bagged) > np.mean(single)
