"""Bags of any classifier, and detectors of outliers: who saw which rows."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC, OneClassSVM

from pucut import BaggingSVMClassifier, OneClassPUClassifier, PUBaggingClassifier
from pucut.data.labels import PULabels
from pucut.data.row_order import row_order
from pucut.methods.bagging import Bagged, bootstrap_bags, positives_against_bags
from pucut.utils.estimator_checks import parametrize_with_pu_checks
from pucut.utils.estimator_checks._tools import pu_table

X, y, TRUTH = pu_table(300)
PRIOR = float(TRUTH.mean())


@pytest.mark.slow
def pu_labels(is_labelled, is_negative=None):
    none = np.zeros_like(is_labelled) if is_negative is None else is_negative
    return PULabels(is_labelled, np.array([False, True]), none)


def test_bags_hold_known_negatives_up_to_a_half():
    labels = pu_labels(np.arange(90) < 20, np.arange(90) >= 80)
    for n_others, n_known in ((40, 10), (12, 6)):
        for draw, *more in ([bootstrap_bags], [positives_against_bags, np.arange(90)]):
            for bag in draw(labels, 5, 30, n_others, np.random.RandomState(0), *more):
                others = bag[bag >= 20]
                assert len(others) == n_others
                assert (others >= 80).sum() == n_known


@parametrize_with_pu_checks(
    [PUBaggingClassifier(SVC(), 5), OneClassPUClassifier(IsolationForest(n_estimators=10))]
)
def test_pu_check(estimator, check):
    check(estimator)


def test_rows_in_a_bag():
    labelled = y == 1
    bags = list(bootstrap_bags(pu_labels(labelled), 5, 30, 40, np.random.RandomState(0)))
    for bag in bags:
        assert len(bag) == 70
        assert labelled[bag[:30]].all()
        assert not labelled[bag[30:]].any()
    assert any(len(np.unique(bag)) < 70 for bag in bags)


def test_each_bag_leaves_out_another_fifth_of_the_positives():
    labelled = y == 1
    rows = np.flatnonzero(labelled)

    def bags_of(n_bags, n_labelled):
        random, groups = np.random.RandomState(0), np.arange(len(labelled))
        return positives_against_bags(pu_labels(labelled), n_bags, n_labelled, 20, random, groups)

    bags = list(bags_of(5, 1000))
    left_out = [np.setdiff1d(rows, bag) for bag in bags]
    np.testing.assert_array_equal(np.sort(np.concatenate(left_out)), rows)
    assert {len(part) for part in left_out} <= {len(rows) // 5, len(rows) // 5 + 1}
    capped = next(bags_of(1, 10))
    assert labelled[capped].sum() == 10


def test_out_of_bag_is_the_mean_of_those_that_did_not_see_the_row():
    points = np.zeros((4, 1))
    bags = [np.array([0, 0, 1]), np.array([0, 2]), np.array([0, 1])]

    bagged = Bagged((1.0, 2.0, 6.0), bags, lambda model, rows: np.full(4, model))

    def scores(groups):
        return bagged.out_of_bag(points, np.array(groups))

    np.testing.assert_array_equal(scores([0, 1, 2, 3]), [3.0, 2.0, 3.5, 3.0])
    # The last row is a copy of the second, and of the third.
    np.testing.assert_array_equal(scores([0, 1, 2, 1]), [3.0, 2.0, 3.5, 2.0])
    np.testing.assert_array_equal(scores([0, 1, 2, 2]), [3.0, 2.0, 3.5, 3.5])
    np.testing.assert_array_equal(bagged.scores(points), [3.0] * 4)


@pytest.mark.filterwarnings("ignore::pucut.exceptions.RepeatedRowsWarning")
@pytest.mark.parametrize(
    "model",
    [
        PUBaggingClassifier(n_estimators=20, prior=0.5, random_state=0),
        BaggingSVMClassifier(20, prior=0.5, random_state=0),
    ],
)
def test_no_row_is_scored_by_a_model_that_saw_a_copy_of_it(model):
    """Labels say nothing of these rows, so only a model that saw a row knows its label."""
    points = np.random.default_rng(1).normal(size=(150, 3))
    labelled = np.arange(150) < 50
    model.fit(np.vstack([points, points, points]), np.tile(labelled, 3))
    assert roc_auc_score(labelled, model.scores_[:150]) < 0.55


@pytest.mark.parametrize(("estimator", "half"), [(None, 0.5), (SVC(), 0.0)])
def test_own_rule(estimator, half):
    model = PUBaggingClassifier(estimator, 10, prior=PRIOR, threshold="half", random_state=0)
    model.fit(X, y)
    assert model.threshold_ == half
    assert len(model.estimators_) == 10
    assert ((model.transduction_ == 1) == TRUTH)[y == 0].mean() > 0.85


@pytest.mark.parametrize("estimator", [LinearRegression(), KMeans()])
def test_only_classifiers_are_bagged(estimator):
    with pytest.raises(TypeError, match="estimator must be a scikit-learn classifier"):
        PUBaggingClassifier(estimator, prior=PRIOR).fit(X, y)


def test_a_detector_sees_labelled_rows_only():
    model = OneClassPUClassifier(prior=PRIOR, random_state=0).fit(X, y)
    points = (X - X.mean(axis=0)) / X.std(axis=0)
    order = row_order(X, y == 1)  # in which libsvm gets the rows
    peer = OneClassSVM(nu=0.1).fit(points[order][y[order] == 1])
    np.testing.assert_allclose(
        model.decision_function(X) + model.threshold_, peer.decision_function(points), atol=1e-9
    )
    # Rows the detector was not fitted to score lower than rows it was.
    assert model.scores_[y == 1].mean() < peer.decision_function(points[y == 1]).mean()


def test_the_detectors_own_rule():
    forest = IsolationForest(n_estimators=30)
    model = OneClassPUClassifier(forest, prior=PRIOR, threshold="half", random_state=0).fit(X, y)
    points = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_array_equal(model.predict(X) == 1, model.estimator_.predict(points) == 1)
    assert forest.random_state is None
