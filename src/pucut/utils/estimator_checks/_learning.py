"""Checks of what is learned, of answers, and of the prior."""

from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from pucut.methods import ElkanNotoClassifier, PUCutClassifier, TwoHNCClassifier
from pucut.utils.estimator_checks._tools import (
    answers,
    assert_same_answer,
    assert_valid_answers,
    fitted,
    pu_table,
    raises,
)


def check_pu_learns(estimator: Any) -> None:
    """Better than chance on training rows and on others, with the true prior."""
    X, y, truth = pu_table(400)
    model = fitted(estimator, X, y, prior=float(truth.mean()))
    unlabelled = y == 0
    # Marking everything unlabelled as one class would be right on half to two thirds of them.
    transduction = model.transduction_ == model.classes_[1]
    assert (transduction == truth)[unlabelled].mean() > 0.85
    new_X, _, new_truth = pu_table(400, seed=1)
    assert ((model.predict(new_X) == model.classes_[1]) == new_truth).mean() > 0.85


def check_pu_answers(estimator: Any) -> None:
    """Classes, probabilities and decisions agree, on rows of `fit` and on others."""
    X, y, truth = pu_table()
    model = fitted(estimator, X, y, prior=float(truth.mean()))
    assert_valid_answers(model, X)
    assert_valid_answers(model, pu_table(seed=1)[0])
    assert model.scores_.shape == (len(X),)
    assert np.isfinite(model.scores_).all()
    assert model.transduction_.shape == (len(X),)
    assert (model.transduction_[y == 1] == model.classes_[1]).all()


def check_pu_rows_are_answered_one_by_one(estimator: Any) -> None:
    """An answer never depends on which other rows are asked about."""
    X, y, truth = pu_table()
    model = fitted(estimator, X, y, prior=float(truth.mean()))
    asked = pu_table(30, seed=2)[0]
    together = answers(model, asked)
    for rows in (slice(0, 1), slice(3, 11), slice(None, None, -1)):
        for one, all_rows in zip(answers(model, asked[rows]), together, strict=True):
            assert_same_answer(one, all_rows[rows])


def check_pu_threshold_meets_the_prior(estimator: Any) -> None:
    """The share of positives among the training rows is the prior, as nearly as ties allow."""
    if isinstance(estimator, ElkanNotoClassifier):
        raise SkipTest("its rule is a probability above 1/2")
    if isinstance(estimator, TwoHNCClassifier):
        raise SkipTest("its rule is the nearest of the nested partitions")
    if "threshold" in estimator.get_params():
        estimator = clone(estimator).set_params(threshold="prior")
    X, y, _ = pu_table(400)
    for prior in (0.4, 0.55, 0.7):
        model = fitted(estimator, X, y, prior=prior)
        positive = model.transduction_ == model.classes_[1]
        assert positive[y == 1].all()
        largest_tie = np.unique(model.scores_, return_counts=True)[1].max()
        # Where the cut itself gives the scores, the sides meet at 0.
        meeting = 0.0 if isinstance(estimator, PUCutClassifier) else model.threshold_
        assert abs(positive.sum() - prior * len(y)) <= max(1, largest_tie)
        above = model.scores_ > meeting
        assert abs(above.sum() - prior * len(y)) <= max(1, largest_tie)


def check_pu_prior_at_its_limits(estimator: Any) -> None:
    """From "no positive is left" to "nearly all are positive"."""
    X, y, _ = pu_table()
    for prior in (float(y.mean()), 0.999):
        model = fitted(estimator, X, y, prior=prior)
        assert model.prior_ == prior
        assert_valid_answers(model, X)


def check_pu_prior_auto(estimator: Any) -> None:
    """An estimated prior lies between the labelled share and 1, and is kept."""
    X, y, _ = pu_table()
    model = fitted(estimator, X, y, prior="auto")
    assert y.mean() <= model.prior_ < 1.0
    assert_valid_answers(model, X)


def check_pu_bad_prior(estimator: Any) -> None:
    """What is no share, or below the labelled one, is refused; the error shows both numbers."""
    X, y, _ = pu_table()
    for prior in (0.0, 1.0, -1.0, 2.0, np.nan, "most", None):
        with raises(ValueError, match="prior"):
            clone(estimator).set_params(prior=prior).fit(X, y)
    share = y.mean()
    with raises(ValueError, match=rf"prior is 0\.01, below the labelled fraction {share}"):
        clone(estimator).set_params(prior=0.01).fit(X, y)


def check_pu_sample_weight_is_not_ignored(estimator: Any) -> None:
    """Weights either change the answers, or are refused."""
    X, y, truth = pu_table()
    weights = np.where(truth, 5.0, 0.1)
    model = clone(estimator).set_params(prior=0.6)
    if not has_fit_parameter(model, "sample_weight"):
        with raises(TypeError, match="sample_weight"):
            model.fit(X, y, sample_weight=weights)
        return
    model.fit(X, y, sample_weight=weights)
    unweighted = fitted(estimator, X, y, prior=0.6)
    assert not np.array_equal(model.decision_function(X), unweighted.decision_function(X))
