"""The table of the checks, fits to it, comparisons of answers, and fits that are stopped."""

import copy
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyRegressor

from pucut._support.checks import BoolArray, FloatArray

N_SAMPLES = 160


def pu_table(
    n_samples: int = N_SAMPLES, labelled_share: float = 0.5, seed: int = 0
) -> tuple[FloatArray, Any, BoolArray]:
    """Return X, y (1 = labelled positive) and the truth of classes that overlap a little."""
    random = np.random.default_rng(seed)
    is_positive = random.random(n_samples) < 0.5
    X = random.normal(size=(n_samples, 4))
    X[:, :2] += 3.0 * is_positive[:, None]
    is_labelled = is_positive & (random.random(n_samples) < labelled_share)
    return X, is_labelled.astype(int), is_positive


def fitted(estimator: Any, X: Any, y: Any, **params: Any) -> Any:
    estimator = clone(estimator).set_params(**params)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator.fit(X, y)


def fitted_table(
    estimator: Any, n_samples: int = N_SAMPLES
) -> tuple[Any, FloatArray, Any, BoolArray]:
    """Return the estimator fitted to a table with its true prior, and X, y and the truth."""
    X, y, truth = pu_table(n_samples)
    return fitted(estimator, X, y, prior=float(truth.mean())), X, y, truth


def answers(estimator: Any, X: Any) -> tuple[Any, Any, Any]:
    return estimator.predict(X), estimator.predict_proba(X), estimator.decision_function(X)


def assert_same_answers(first: Any, second: Any, X: Any, other_X: Any = None) -> None:
    for one, other in zip(
        answers(first, X), answers(second, X if other_X is None else other_X), strict=True
    ):
        assert_same_answer(one, other)


def assert_same_answer(one: Any, other: Any) -> None:
    """Classes are equal; numbers too, up to the order in which a library adds its products."""
    if one.dtype.kind == "f":
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_array_equal(one, other)


def assert_same_bits(first: Iterable[Any], second: Iterable[Any], message: str = "") -> None:
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=message)


def assert_answers_rest_on_fit_alone(
    model: Any, answers_of: Callable[[Any, Any], tuple[Any, ...]], X: Any
) -> None:
    """Assert that no answer changes when a parameter is set to a senseless value after `fit`.

    In place of an estimator stands another one, since scikit-learn asks it what X may hold.
    """
    expected = answers_of(model, X)
    for name, value in model.get_params().items():
        other = DummyRegressor() if hasattr(value, "fit") or name == "estimator" else object()
        changed = copy.deepcopy(model).set_params(**{name: other})
        assert_same_bits(expected, answers_of(changed, X), name)


def assert_valid_answers(estimator: Any, X: Any) -> None:
    predicted, probability, decision = answers(estimator, X)
    assert set(np.unique(predicted)) <= set(estimator.classes_)
    assert probability.shape == (len(predicted), 2)
    assert np.isfinite(probability).all()
    assert np.isfinite(decision).all()
    assert probability.min() >= 0.0
    assert probability.max() <= 1.0
    np.testing.assert_allclose(probability.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(predicted == estimator.classes_[1], decision > 0)
    # Probabilities never contradict the ranking.
    order = np.argsort(decision, kind="stable")
    assert (np.diff(probability[order, 1]) >= -1e-9).all()


class Stopped(BaseException):
    """Like a KeyboardInterrupt, which a test runner keeps for itself."""


_OURS = str(Path(__file__).parents[2])


def calls_of(work: Callable[[], object], also_in: str = _OURS) -> int:
    """Count the calls of functions of pucut, or of the file `also_in`, in this thread."""
    calls: list[None] = []
    _watched(work, lambda: calls.append(None), also_in)
    return len(calls)


def stop_after(n_calls: int, work: Callable[[], object], also_in: str = _OURS) -> None:
    """Stop the work at that call of a function of pucut, or of the file `also_in`."""
    left = n_calls

    def stop() -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            sys.setprofile(None)
            raise Stopped

    try:
        _watched(work, stop, also_in)
    except BaseException:
        if left <= 0:  # compiled code may have turned it into an error of its own
            return
        raise
    raise AssertionError(f"over before {n_calls} calls")


def _watched(work: Callable[[], object], on_call: Callable[[], None], also_in: str) -> None:
    # Calls within the standard library do not count: a stop there would leave its locks closed.
    def profile(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith((_OURS, also_in)):
            on_call()

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
