"""A fit that is stopped at a random moment changes nothing, and another fit is not disturbed."""

import signal
import warnings

import numpy as np

from pucut import HNCClassifier
from pucut.methods import METHODS
from torture.inputs import _estimator


class _Alarm(BaseException):
    pass


def run_case(seed: int, number: int) -> None:
    random = np.random.default_rng([seed, number, 8])
    names = [*METHODS, "HNC"]
    name = names[number % len(names)]
    n_rows = 120
    is_positive = np.arange(n_rows) % 2 == 1
    X = random.normal(size=(n_rows, 4)) + 2.0 * is_positive[:, None]
    y = (is_positive & (np.arange(n_rows) % 4 == 1)).astype(int)
    model = _estimator(name)
    if isinstance(model, HNCClassifier):
        y = np.where(np.arange(n_rows) % 3 == 0, is_positive.astype(int), -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # stopped fits leave warnings of their own
        was_fitted = bool(random.integers(2))
        expected = model.fit(X, y).predict_proba(X)
        if not was_fitted:
            model = _estimator(name)
        before = dict(vars(model))
        stopped = _stopped(lambda: model.fit(X[:, :3], y), float(random.random()) * 0.15)
        if not stopped:
            return
        if getattr(model, "n_features_in_", None) == 3:  # it came when fit had ended
            X = X[:, :3]
            answers, expected = (m.predict_proba(X) for m in (model, _estimator(name).fit(X, y)))
            assert np.array_equal(answers, expected), f"{name}: a fit that is not whole"
            return
        assert vars(model).keys() == before.keys(), f"{name}: {vars(model).keys() ^ before.keys()}"
        assert all(vars(model)[key] is before[key] for key in before), name
        answers = model.predict_proba(X) if was_fitted else model.fit(X, y).predict_proba(X)
    assert np.array_equal(answers, expected), f"{name}: other answers after an interruption"


def _stopped(work: object, seconds: float) -> bool:
    def stop(number: int, frame: object) -> None:
        raise _Alarm

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-4))
    try:
        work()
    except _Alarm:
        return True
    except Exception:  # compiled code may turn it into an error of its own
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    return False
