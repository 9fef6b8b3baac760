"""scikit-learn's checks and our own, over all estimators, with no expected failure."""

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import pucut.methods
from pucut import (
    BaggingSVMClassifier,
    BiasedSVMClassifier,
    CutOutlierDetector,
    ElkanNotoClassifier,
    OneClassPUClassifier,
    PUBaggingClassifier,
    PUCutClassifier,
    PUExtraTreesClassifier,
    PULabelPropagationClassifier,
    PUMaxMarginClassifier,
    PUThresholdClassifier,
    RocchioClassifier,
    SAREMClassifier,
    SpyClassifier,
    TwoHNCClassifier,
)
from pucut.exceptions import NegativesNotUsedWarning
from pucut.utils.estimator_checks import parametrize_with_pu_checks
from pucut.utils.estimator_checks._tools import pu_table
from tests.helpers.scikit_learn_checks import run_scikit_learn_check

# One of each class, and quick ones.
ESTIMATORS = [
    PUThresholdClassifier(LinearSVC()),
    ElkanNotoClassifier(LogisticRegression()),
    PUExtraTreesClassifier(20),
    PUCutClassifier(n_estimators=20),
    TwoHNCClassifier(n_estimators=20),
    SAREMClassifier([0]),
    SpyClassifier(),
    RocchioClassifier(),
    BiasedSVMClassifier(),
    BaggingSVMClassifier(10),
    PULabelPropagationClassifier(),
    PUMaxMarginClassifier(n_landmarks=50),
    PUBaggingClassifier(n_estimators=10),
    OneClassPUClassifier(),
]
# Other ways of the same classes.
VARIANTS = [
    PUThresholdClassifier(n_folds=2),
    ElkanNotoClassifier(n_folds=2),
    TwoHNCClassifier(n_estimators=20, inductive="nearest"),
    TwoHNCClassifier(n_estimators=20, similarity="forest"),
]
# No PU labels: outside of the contract of the classifiers.
OTHERS = [CutOutlierDetector(), CutOutlierDetector(contamination=0.1)]


@pytest.mark.slow
@parametrize_with_checks([*ESTIMATORS, *VARIANTS])
def test_scikit_learn_check(estimator, check):
    run_scikit_learn_check(estimator, check)


@pytest.mark.slow
@parametrize_with_checks([RocchioClassifier(), *OTHERS])
def test_scikit_learn_check_of_defaults(estimator, check):
    """The prior is estimated in one way for all: one classifier shows that it can be."""
    check(estimator)


@parametrize_with_pu_checks(ESTIMATORS)
def test_pu_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_pu_checks(VARIANTS)
def test_pu_check_of_variants(estimator, check):
    check(estimator)


def test_every_classifier_of_the_package_is_checked():
    """Those on networks have a file of their own."""
    checked = {type(estimator).__name__ for estimator in ESTIMATORS}
    assert checked == set(pucut.methods.CLASSIFIERS) - set(pucut.methods.NEURAL)


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if e._uses_negatives], ids=repr)
def test_a_method_that_learns_from_known_negatives_ranks_new_rows_otherwise(estimator):
    X, y, truth = pu_table()
    new_X, _, _ = pu_table(seed=1)
    y = np.where(y == 1, 1, -1)
    # Where each method would take rows for positive, so that their labels are news to it.
    y[np.flatnonzero(truth & (y == -1))[:20]] = 0
    made = clone(estimator).set_params(prior=0.5)
    if "random_state" in made.get_params():
        made.set_params(random_state=0)
    without = clone(made).fit(X, (y == 1).astype(int)).decision_function(new_X)
    found = made.set_params(neg_label=0).fit(X, y).decision_function(new_X)
    assert (rankdata(found) != rankdata(without)).any()


def test_a_method_that_does_not_learn_from_known_negatives_says_so():
    X, y, truth = pu_table()
    y = np.where(y == 1, 1, np.where(truth, -1, 0))
    y[:5] = -1
    with pytest.warns(NegativesNotUsedWarning, match="OneClassPUClassifier does not learn from"):
        OneClassPUClassifier(prior=0.45, neg_label=0).fit(X, y)
