"""Tools of the checks: a table, fits, and comparisons of answers."""

import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from sklearn.base import clone

from pucut._support.checks import BoolArray, FloatArray

N_SAMPLES = 160


def pu_table(
    n_samples: int = N_SAMPLES, labelled_share: float = 0.5, seed: int = 0
) -> tuple[FloatArray, Any, BoolArray]:
    """Draw two classes that overlap a little: X, y (1 = labelled positive), and the truth."""
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


def answers(estimator: Any, X: Any) -> tuple[Any, Any, Any]:
    return estimator.predict(X), estimator.predict_proba(X), estimator.decision_function(X)


def assert_equal(first: tuple[Any, ...], second: tuple[Any, ...], err_msg: str = "") -> None:
    """Assert that arrays are equal to the bit."""
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=err_msg)


def assert_same_answers(first: Any, second: Any, X: Any, other_X: Any = None) -> None:
    for one, other in zip(
        answers(first, X), answers(second, X if other_X is None else other_X), strict=True
    ):
        assert_same_answer(one, other)


def assert_same_answer(one: Any, other: Any) -> None:
    """Assert that classes are equal, and numbers up to the order in which a library adds them."""
    if one.dtype.kind == "f":
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_array_equal(one, other)


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


@contextmanager
def raises(error: type[Exception], *, match: str) -> Iterator[None]:
    """Assert that the block raises this error, with a message in which `match` is found."""
    try:
        yield
    except error as found:
        if not re.search(match, str(found)):
            raise AssertionError(
                f"an error about {match!r} was expected, found: {found}"
            ) from found
    else:
        raise AssertionError(f"a {error.__name__} about {match!r} was expected, and none came")


class Stopped(BaseException):
    """An interruption like KeyboardInterrupt, which a test runner keeps for itself."""


_OURS = str(Path(__file__).parents[2])


def calls_of(work: Callable[[], object], also_in: str = _OURS) -> int:
    """Count the calls of functions of pucut or of the file `also_in`, in this thread."""
    return _calls_until(math.inf, work, also_in)


def stop_after(n_calls: int, work: Callable[[], object], also_in: str = _OURS) -> None:
    """Stop the work at that call of a function of pucut or of the file `also_in`.

    It is never stopped within the standard library, which might hold a lock for ever.
    """
    if _calls_until(n_calls, work, also_in) < n_calls:
        raise AssertionError(f"over before {n_calls} calls")


def _calls_until(most: float, work: Callable[[], object], also_in: str) -> int:
    count = 0

    def counting(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_filename.startswith((_OURS, also_in))
        if count >= most:
            sys.setprofile(None)
            raise Stopped

    sys.setprofile(counting)
    try:
        work()
    except BaseException:  # compiled code may have turned Stopped into an error of its own
        if count < most:
            raise
    finally:
        sys.setprofile(None)
    return count
