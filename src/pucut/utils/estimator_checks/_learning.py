"""Checks of answers, of the prior, and of labels of every kind, bad ones, and few of them."""

import warnings
from importlib.util import find_spec
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import clone
from sklearn.utils._testing import raises
from sklearn.utils.validation import has_fit_parameter

from pucut.data.labels import checked_pu_labels
from pucut.exceptions import NegativesNotUsedWarning
from pucut.methods import ElkanNotoClassifier, PUCutClassifier, TwoHNCClassifier
from pucut.utils.estimator_checks._tools import (
    answers,
    assert_same_answer,
    assert_valid_answers,
    fitted,
    fitted_table,
    pu_table,
)


def check_pu_learns(estimator: Any) -> None:
    """Better than chance on training rows and on others, with the true prior."""
    model, _, y, truth = fitted_table(estimator, 400)
    unlabelled = y == 0
    # Marking everything unlabelled as one class would be right on half to two thirds of them.
    transduction = model.transduction_ == model.classes_[1]
    assert (transduction == truth)[unlabelled].mean() > 0.85
    new_X, _, new_truth = pu_table(400, seed=1)
    assert ((model.predict(new_X) == model.classes_[1]) == new_truth).mean() > 0.85


def check_pu_answers(estimator: Any) -> None:
    """Classes, probabilities and decisions agree, on rows of `fit` and on others."""
    model, X, y, _ = fitted_table(estimator)
    assert_valid_answers(model, X)
    assert_valid_answers(model, pu_table(seed=1)[0])
    assert model.scores_.shape == (len(X),)
    assert np.isfinite(model.scores_).all()
    assert model.transduction_.shape == (len(X),)
    assert (model.transduction_[y == 1] == model.classes_[1]).all()


def check_pu_rows_are_answered_one_by_one(estimator: Any) -> None:
    """An answer never depends on which other rows are asked about."""
    model, *_ = fitted_table(estimator)
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
        assert abs((model.scores_ > meeting).sum() - prior * len(y)) <= max(1, largest_tie)


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


def check_pu_labels_of_every_kind(estimator: Any) -> None:
    """Answers are the same, in the values of `y`, whatever these are.

    Series of pandas and polars are among them where these libraries are installed.
    """
    expected, X, y, _ = fitted_table(estimator)
    prior = expected.prior
    kinds: dict[str, Any] = {
        "bool": y.astype(bool),
        "list of None": [1 if mark else None for mark in y],
    }
    if find_spec("pandas"):
        import pandas as pd

        names = np.where(y == 1, "yes", "no")
        kinds["category"] = pd.Series(names, dtype="category", index=range(7, 7 + len(y)))
    if find_spec("polars"):
        import polars as pl

        kinds["polars"] = pl.Series(y)
    for kind, values in kinds.items():
        model = fitted(estimator, X, values, prior=prior)
        np.testing.assert_array_equal(model.classes_, checked_pu_labels(values).classes)
        np.testing.assert_array_equal(
            model.decision_function(X), expected.decision_function(X), err_msg=kind
        )
        is_second = expected.predict(X).astype(int)
        np.testing.assert_array_equal(model.predict(X), model.classes_[is_second], err_msg=kind)
    reverse = fitted(estimator, X, 1 - y, prior=prior, pos_label=0)
    np.testing.assert_array_equal(reverse.predict(X), 1 - expected.predict(X))


def check_pu_bad_labels(estimator: Any) -> None:
    """One class, three, other lengths and unknown names are refused, with a reason."""
    X, y, _ = pu_table()
    for labels, match in (
        (np.zeros_like(y), "only one class"),
        (np.ones_like(y), "only one class"),
        (np.arange(len(y)) % 3 - 1, "ambiguous"),
        (y[:-1], "inconsistent numbers of samples"),
        (None, "y"),
    ):
        with raises(ValueError, match=match):
            clone(estimator).fit(X, labels)
    with raises(ValueError, match="pos_label is 'yes'"):
        clone(estimator).set_params(pos_label="yes").fit(X, y)


def check_pu_one_positive(estimator: Any) -> None:
    """One labelled positive is enough for an answer."""
    X, y, _ = pu_table()
    y[np.flatnonzero(y)[1:]] = 0
    assert_valid_answers(fitted(estimator, X, y, prior=0.5), X)
    assert_valid_answers(fitted(estimator, X, y, prior="auto"), X)


def check_pu_one_unlabelled(estimator: Any) -> None:
    """One unlabelled row is enough for an answer."""
    X, y, _ = pu_table()
    y[:] = 1
    y[3] = 0
    assert_valid_answers(fitted(estimator, X, y, prior=float(y.mean())), X)
    assert_valid_answers(fitted(estimator, X, y, prior="auto"), X)


def check_pu_known_negatives(estimator: Any) -> None:
    """They are never predicted positive nor ranked, and bound the prior from above."""
    X, y, truth = pu_table()
    known = np.where(y == 1, 1, -1)
    known[np.flatnonzero(~truth)[:20]] = 0
    # Some are true positives, where nothing but the label says that they are negative.
    known[np.flatnonzero(truth & (y == 0))[:5]] = 0
    model = _fitted_to_negatives(estimator, X, known, prior=0.6)
    assert_valid_answers(model, X)
    np.testing.assert_array_equal(model.classes_, [0, 1])
    assert (model.transduction_[known == 0] == 0).all()
    assert (model.transduction_[known == 1] == 1).all()
    assert np.isfinite(model.scores_).all()
    if hasattr(model, "negative_ranking_"):
        ranked = np.sort(model.negative_ranking_)
        np.testing.assert_array_equal(ranked, np.flatnonzero(known == -1))
    with raises(ValueError, match=f"25 of {len(y)} samples are known negatives"):
        _fitted_to_negatives(estimator, X, known, prior=0.95)
    with raises(ValueError, match="a known class in every row"):
        _fitted_to_negatives(estimator, X, (known == 1).astype(int))


def check_pu_many_known_negatives(estimator: Any) -> None:
    """All but one row may be known; an estimated prior stays within what they leave."""
    X, _, truth = pu_table()
    known = np.where(truth, 1, 0)
    known[3] = -1
    model = _fitted_to_negatives(estimator, X, known, prior="auto")
    assert (known == 1).mean() <= model.prior_ <= 1.0 - (known == 0).mean()
    assert_valid_answers(model, X)
    np.testing.assert_array_equal(model.transduction_[known >= 0], known[known >= 0])


def _fitted_to_negatives(estimator: Any, X: Any, y: Any, **params: Any) -> Any:
    """Fit without the warning of methods that do not learn from known negatives."""
    if "neg_label" not in estimator.get_params():
        raise SkipTest("it takes no known negatives")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NegativesNotUsedWarning)
        return fitted(estimator, X, y, neg_label=0, **params)
