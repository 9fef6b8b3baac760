"""What all PU classifiers inherit: `score`, and a prior that is an estimate."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from pucut import (
    ElkanNotoClassifier,
    PUExtraTreesClassifier,
    PUThresholdClassifier,
    RocchioClassifier,
    TwoHNCClassifier,
    compare,
    estimate_prior,
)
from pucut.metrics import make_pu_scorer, pu_accuracy
from pucut.model_selection import PUStratifiedKFold
from pucut.priors import PriorEstimate
from pucut.utils.estimator_checks._tools import pu_table

X, y, truth = pu_table(400)
NEW_X, NEW_Y, NEW_TRUTH = pu_table(4000, seed=1)
PRIOR = float(truth.mean())


def test_score_is_the_accuracy_estimated_from_pu_labels():
    model = RocchioClassifier(prior=0.5, random_state=0).fit(X, y)
    expected = pu_accuracy(NEW_Y, model.predict(NEW_X), prior=model.prior_)
    assert model.score(NEW_X, NEW_Y) == expected
    true_accuracy = np.mean(model.predict(NEW_X) == NEW_TRUTH)
    against_labels = np.mean(model.predict(NEW_X) == NEW_Y)
    assert abs(expected - true_accuracy) < 0.03 < true_accuracy - against_labels


def test_score_reads_y_as_fit_did():
    words = np.where(y == 1, "a", "b")
    model = RocchioClassifier(prior=PRIOR, pos_label="a", random_state=0).fit(X, words)
    expected = model.score(X, words)
    model.set_params(pos_label="b")  # for the next fit
    assert model.score(X, words) == expected
    known = np.where(y == 1, 1.0, np.nan)
    known[np.flatnonzero(~truth)[:30]] = 0.0
    model = PUExtraTreesClassifier(10, prior=PRIOR, neg_label=0, random_state=0).fit(X, known)
    assert model.score(X, known) == pu_accuracy(known, model.predict(X), prior=PRIOR, neg_label=0)


def test_a_search_goes_by_the_pu_accuracy():
    """A plain accuracy against PU labels is lower by about the unlabelled positives."""
    few = pu_table(400, labelled_share=0.3)

    def found(scoring):
        model = PUThresholdClassifier(LogisticRegression(), prior=PRIOR, random_state=0)
        cv = PUStratifiedKFold(3, shuffle=True, random_state=0)
        search = GridSearchCV(model, {"estimator__C": [0.01, 1.0]}, cv=cv, scoring=scoring)
        return search.fit(few[0], few[1]).cv_results_["mean_test_score"]

    np.testing.assert_allclose(found(None), found(make_pu_scorer("pu_accuracy", prior=PRIOR)))
    assert (found(None) > found("accuracy") + 0.2).all()


def test_an_estimate_is_a_prior():
    estimate = estimate_prior(X, y, random_state=0)
    assert isinstance(estimate, PriorEstimate)
    assert float(estimate) == estimate.prior
    model = clone(RocchioClassifier(prior=estimate, random_state=0)).fit(X, y)
    assert model.prior_ == estimate.prior
    assert model.prior_estimate_.interval == estimate.interval
    number = RocchioClassifier(prior=estimate.prior, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.scores_, number.scores_)
    assert number.prior_estimate_ is None
    predicted = model.predict(X)
    assert pu_accuracy(y, predicted, prior=estimate) == pu_accuracy(
        y, predicted, prior=estimate.prior
    )
    scorer = make_pu_scorer("pu_f1", prior=estimate)
    assert scorer.prior == estimate.prior
    assert compare(X, y, ["Rocchio"], estimate, n_splits=2).prior == estimate.prior
    with pytest.raises(ValueError, match="prior"):
        RocchioClassifier(prior=object()).fit(X, y)


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (RocchioClassifier(), "auto"),
        (TwoHNCClassifier(n_estimators=5), "auto"),
        (ElkanNotoClassifier(), "elkan_noto"),
    ],
)
def test_the_prior_of_a_fit_is_that_of_estimate_prior(model, method):
    few, labels, _ = pu_table()
    found = model.set_params(random_state=3).fit(few, labels).prior_estimate_
    expected = estimate_prior(few, labels, method, random_state=3)
    assert found.prior == expected.prior
    if method == "auto":  # Elkan and Noto's resamples are drawn after the folds, or before
        assert found == expected


def test_the_prior_of_a_fit_with_known_negatives_is_that_of_estimate_prior():
    few, labels, truth = pu_table()
    known = np.where(labels == 1, 1, -1)
    known[np.flatnonzero(~truth)[:25]] = 0
    found = RocchioClassifier(neg_label=0, random_state=3).fit(few, known).prior_estimate_
    assert found == estimate_prior(few, known, neg_label=0, random_state=3)
    assert found.diagnostics["negatives_used"] == 25
