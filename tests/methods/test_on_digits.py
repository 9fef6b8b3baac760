"""Every method on handwritten digits: odd ones are positive, 60 % of them labelled."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import IsolationForest
from sklearn.svm import SVC

import pucut
from pucut.datasets import pu_split

# Accuracy on the unlabelled rows, prior known, that a method has to reach. One-class methods do not
# look at the unlabelled rows, and Gaussian naive Bayes takes five digits for one cloud.
FLOORS = [
    (pucut.PUCutClassifier(n_estimators=50), 0.96),
    (pucut.TwoHNCClassifier(n_estimators=50), 0.96),
    (pucut.PUExtraTreesClassifier(50), 0.92),
    (pucut.PUThresholdClassifier(SVC()), 0.93),
    (pucut.ElkanNotoClassifier(), 0.88),
    (pucut.SpyClassifier(), 0.72),
    (pucut.SpyClassifier(SVC()), 0.88),
    (pucut.RocchioClassifier(), 0.93),
    (pucut.BiasedSVMClassifier(), 0.95),
    (pucut.BaggingSVMClassifier(20), 0.93),
    (pucut.PULabelPropagationClassifier(), 0.86),
    (pucut.PUMaxMarginClassifier(n_landmarks=200), 0.91),
    (pucut.PUBaggingClassifier(n_estimators=30), 0.88),
    (pucut.OneClassPUClassifier(), 0.68),
    (pucut.OneClassPUClassifier(IsolationForest(n_estimators=50)), 0.72),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "floor"), FLOORS, ids=[repr(model)[:40] for model, _ in FLOORS]
)
def test_accuracy_on_digits(estimator, floor):
    X, digit = load_digits(return_X_y=True)
    X, is_odd = X[:1000], digit[:1000] % 2 == 1
    labelled = pu_split(is_odd, 0.6, random_state=0)
    estimator.set_params(prior=float(is_odd.mean()), random_state=0).fit(X, labelled.astype(int))
    right = (estimator.transduction_ == 1) == is_odd
    assert np.mean(right[~labelled]) > floor
