"""SAR-EM: the planted propensity is found, and the rows that nobody labelled."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from pucut import SAREMClassifier
from pucut.datasets import biased_labels
from pucut.methods.sar_em import ClassAndPropensity


def problem(strength, n_rows=1500, seed=0):
    """Column 0 tells the classes apart, as does 1; column 2 decides who is labelled."""
    random = np.random.RandomState(seed)
    is_positive = random.uniform(size=n_rows) < 0.4
    X = random.normal(size=(n_rows, 3))
    X[is_positive, :2] += 1.8
    # What decides about labels is related to the class too, or nothing would be lost by it.
    X[:, 2] += 0.8 * X[:, 0]
    return X, is_positive, biased_labels(X, is_positive, [2], strength, 0.4, random_state=seed)


def fitted(X, y, columns, **params):
    return SAREMClassifier(columns, random_state=0, **params).fit(X, y)


def recall_of_hidden(model, is_positive, is_labelled):
    return (model.transduction_ == model.classes_[1])[is_positive & ~is_labelled].mean()


@pytest.mark.parametrize("strength", [-1.5, 1.0, 2.0])
def test_the_planted_propensity_is_recovered(strength):
    X, is_positive, drawn = problem(strength, 4000)
    model = fitted(X, drawn.is_labelled, [2], prior=float(is_positive.mean()))
    error = np.abs(model.propensity_ - drawn.propensity)[is_positive]
    assert error.mean() < 0.05
    np.testing.assert_allclose(model.predict_propensity(X), model.propensity_, rtol=1e-9)
    # The oracle knows the classes: its slope is that of the regression on all positives.
    oracle = LogisticRegression().fit(X[is_positive, 2:], drawn.is_labelled[is_positive])
    odds = np.log(model.propensity_) - np.log1p(-model.propensity_)
    slope = np.polyfit(X[:, 2], odds, 1)[0]
    assert slope == pytest.approx(oracle.coef_[0, 0], abs=0.35)


def test_positives_that_are_hardly_labelled_are_found():
    """More of them than without the column, and than by labelled against unlabelled rows."""
    X, is_positive, drawn = problem(3.0)
    prior = float(is_positive.mean())
    aware, unaware = (
        recall_of_hidden(
            fitted(X, drawn.is_labelled, columns, prior=prior), is_positive, drawn.is_labelled
        )
        for columns in ([2], None)
    )
    assert aware > unaware + 0.1


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_where_labels_are_random(seed):
    X, is_positive, drawn = problem(0.0, seed=seed)
    prior = float(is_positive.mean())
    aware, unaware = (
        recall_of_hidden(
            fitted(X, drawn.is_labelled, columns, prior=prior), is_positive, drawn.is_labelled
        )
        for columns in ([2], None)
    )
    n_hidden = (is_positive & ~drawn.is_labelled).sum()
    assert aware > unaware - 2.0 * np.sqrt(unaware * (1.0 - unaware) / n_hidden)
    model = fitted(X, drawn.is_labelled, [2], prior=prior)
    assert np.abs(model.propensity_ - 0.4)[is_positive].mean() < 0.08


def test_the_prior_is_found_by_the_steps_themselves():
    X, is_positive, drawn = problem(2.0, 4000)
    model = fitted(X, drawn.is_labelled, [2])
    assert model.prior_estimate_ is None
    assert model.prior_ == pytest.approx(is_positive.mean(), abs=0.08)
    without = fitted(X, drawn.is_labelled, None)
    assert without.prior_ == without.prior_estimate_.prior


def test_the_posterior_is_that_of_bayes():
    """By counting over what can be: positive or not, labelled or not."""

    class Fixed:
        def __init__(self, odds):
            self.odds = odds

        def decision_function(self, points):
            return np.full(len(points), self.odds)

        def predict_proba(self, points):
            return np.tile([0.75, 0.25], (len(points), 1))

    model = ClassAndPropensity(Fixed(0.3), 0.1, Fixed(0.0), np.array([0]), 0.0, 1)
    positive, propensity = expit(0.4), 0.25
    unlabelled = positive * (1 - propensity) + (1 - positive)
    expected = [1.0, positive * (1 - propensity) / unlabelled]
    np.testing.assert_allclose(
        model.posterior(np.zeros((2, 1)), np.array([True, False])), expected, rtol=1e-12
    )


def test_probabilities_have_the_prior_as_their_mean():
    X, _, drawn = problem(2.0)
    model = fitted(X, drawn.is_labelled, [2], prior=0.45)
    # Of the rows of fit, by models that did not see them; those of predict_proba differ a little.
    assert model._calibration.positive_probability(model.scores_).mean() == pytest.approx(0.45)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(0.45, abs=0.01)


def test_columns_by_name_are_those_by_number():
    X, is_positive, drawn = problem(1.0, 300)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=np.where(X[:, 0] > 0, "x", "y"))
    prior = float(is_positive.mean())
    by_name = fitted(frame, drawn.is_labelled, ["c", "kind"], prior=prior)
    by_mask = fitted(frame, drawn.is_labelled, [False, False, True, True], prior=prior)
    np.testing.assert_array_equal(by_name.propensity_, by_mask.propensity_)
    with pytest.raises(ValueError, match="propensity_columns names 'd', which is not a column"):
        fitted(frame, drawn.is_labelled, ["d"], prior=prior)
    with pytest.raises(ValueError, match=r"propensity_columns must hold .* indices below 4"):
        fitted(frame, drawn.is_labelled, [4], prior=prior)
