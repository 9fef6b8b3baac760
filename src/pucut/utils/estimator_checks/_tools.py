"""The table of the checks, fits and answers of an estimator, and what answers must be."""

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
    """Two classes that overlap a little: X, y (1 = labelled positive), and the truth."""
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
    """What is done inside must raise this error, with a message in which `match` is found."""
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
    """Like a KeyboardInterrupt, which a test runner keeps for itself."""


_OURS = str(Path(__file__).parents[2])


def calls_of(work: Callable[[], object], also_in: str = _OURS) -> int:
    """How many functions of pucut or of the file `also_in` are called, in this thread."""
    count = 0

    def counting(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += _is_own_call(frame, event, also_in)

    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def stop_after(n_calls: int, work: Callable[[], object], also_in: str = _OURS) -> None:
    """Stops the work at that call of a function of pucut or of the file `also_in`.

    Not within the standard library: a lock that it holds at that moment would never be released.
    """
    left = n_calls

    def stopping(frame: FrameType, event: str, argument: object) -> None:
        nonlocal left
        left -= _is_own_call(frame, event, also_in)
        if left <= 0:
            sys.setprofile(None)
            raise Stopped

    sys.setprofile(stopping)
    try:
        work()
    except BaseException:
        if left <= 0:  # compiled code may have turned it into an error of its own
            return
        raise
    finally:
        sys.setprofile(None)
    raise AssertionError(f"over before {n_calls} calls")


def _is_own_call(frame: FrameType, event: str, also_in: str) -> bool:
    return event == "call" and frame.f_code.co_filename.startswith((_OURS, also_in))
