"""Checks of `y`: values of every kind, bad ones, and few of them."""

import warnings
from importlib.util import find_spec
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import clone

from pucut.data.labels import checked_pu_labels
from pucut.exceptions import NegativesNotUsedWarning
from pucut.utils.estimator_checks._tools import assert_valid_answers, fitted, pu_table, raises


def check_pu_labels_of_every_kind(estimator: Any) -> None:
    """Answers are the same, in the values of `y`, whatever these are.

    Series of pandas and polars are among them where these libraries are installed.
    """
    X, y, truth = pu_table()
    prior = float(truth.mean())
    expected = fitted(estimator, X, y, prior=prior)
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
    with raises(ValueError, match="only one class"):
        clone(estimator).fit(X, np.zeros_like(y))
    with raises(ValueError, match="only one class"):  # all positive
        clone(estimator).fit(X, np.ones_like(y))
    with raises(ValueError, match="ambiguous"):
        clone(estimator).fit(X, np.arange(len(y)) % 3 - 1)
    with raises(ValueError, match="inconsistent numbers of samples"):
        clone(estimator).fit(X, y[:-1])
    with raises(ValueError, match="pos_label is 'yes'"):
        clone(estimator).set_params(pos_label="yes").fit(X, y)
    with raises(ValueError, match="y"):
        clone(estimator).fit(X, None)


def check_pu_one_positive(estimator: Any) -> None:
    """One labelled positive is enough for an answer."""
    X, y, _ = pu_table()
    y[np.flatnonzero(y)[1:]] = 0
    model = fitted(estimator, X, y, prior=0.5)
    assert_valid_answers(model, X)
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
    # Some among the positives, where nothing but the label says that they are negative.
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
    """Methods that do not learn from known negatives warn of it, and keep the rest."""
    if "neg_label" not in estimator.get_params():
        raise SkipTest("it takes no known negatives")
    with warnings.catch_warnings():
        # That they warn is allowed: the guarantees hold for them as for the others.
        warnings.simplefilter("ignore", NegativesNotUsedWarning)
        return fitted(estimator, X, y, neg_label=0, **params)
