"""Checks of an estimator's state: copies, random states, parameters, a fit that is stopped."""

import copy
import inspect
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import NotFittedError

from pucut.utils.estimator_checks._tools import (
    answers,
    assert_equal,
    assert_same_answers,
    calls_of,
    fitted,
    pu_table,
    raises,
    stop_after,
)


def check_pu_same_random_state_same_answers(estimator: Any) -> None:
    """Two fits with the same random state give the same answers."""
    X, y, truth = pu_table()
    one, other = (fitted(estimator, X, y, prior=truth.mean()) for _ in range(2))
    assert_same_answers(one, other, X)


def check_pu_clone_pickle_copy(estimator: Any) -> None:
    """A copy, a pickle and a fitted clone answer as the original does."""
    X, y, truth = pu_table()
    model = fitted(estimator, X, y, prior=truth.mean())
    assert_same_answers(model, pickle.loads(pickle.dumps(model)), X)
    assert_same_answers(model, copy.deepcopy(model), X)
    assert_same_answers(model, clone(model).fit(X, y), X)


def check_pu_parameters_after_fit_change_nothing(estimator: Any) -> None:
    """Parameters that are set after `fit` change nothing before the next `fit`."""
    X, y, truth = pu_table()
    model = fitted(estimator, X, y, prior=truth.mean())
    assert_answers_rest_on_fit_alone(model, answers, X)


def assert_answers_rest_on_fit_alone(
    model: Any, answers_of: Callable[[Any, Any], tuple[Any, ...]], X: Any
) -> None:
    """Assert that answers stay the same while parameters are changed one after the other.

    Each is set to an object that is no value of any parameter, so that reading it fails. In place
    of an estimator stands another one, since scikit-learn reads its tags.
    """
    expected = answers_of(model, X)
    for name, value in model.get_params().items():
        other = DummyRegressor() if hasattr(value, "fit") or name == "estimator" else object()
        changed = copy.deepcopy(model).set_params(**{name: other})
        assert_equal(expected, answers_of(changed, X), err_msg=name)


def check_pu_interrupted_fit(estimator: Any) -> None:
    """A fit that is stopped changes nothing: not fitted, or as before, in the old classes."""
    X, y, truth = pu_table(60)
    before = fitted(estimator, X, y, prior=truth.mean())
    expected = answers(before, X)
    names = np.where(y == 1, "yes", "no")
    file = inspect.unwrap(type(estimator).fit).__code__.co_filename
    # The first fit fills caches.
    n_calls = min(calls_of(lambda: clone(before).fit(X[:, :3], names), file) for _ in range(2))
    for share in (0.05, 0.5, 0.8):
        unfitted = clone(before)
        for model in (unfitted, before):
            fit = partial(model.fit, X[:, :3], names)
            stop_after(max(1, int(share * n_calls)), fit, file)
        with raises(NotFittedError, match="not fitted"):
            unfitted.predict(X)
        assert_equal(answers(before, X), expected)
