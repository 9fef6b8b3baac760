"""Odd tables and labels for every classifier: a clear refusal, or finite results without a warning.

A refusal is a TypeError or a ValueError with words of its own. Whatever the outcome, X and y are
not changed.
"""

import copy
import warnings

import numpy as np

from pucut import CutOutlierDetector, HNCClassifier
from pucut.methods import METHODS
from torture.tables_of_odd_values import draw_table

_ROWS = 40


def run_case(seed: int, number: int) -> None:
    random = np.random.default_rng([seed, number, 2])
    names = [*METHODS, "HNC", "outliers"]
    name = names[number % len(names)]
    what, X, y = draw_table(random, _ROWS)
    estimator = _estimator(name)
    before = copy.deepcopy(X) if isinstance(X, np.ndarray) else None
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        # Hints to users, of this package and of others, are right for odd input.
        warnings.filterwarnings("ignore", category=UserWarning)
        warnings.filterwarnings("ignore", category=FutureWarning)
        try:
            estimator.fit(X) if name == "outliers" else estimator.fit(X, y)
            answers = [estimator.predict(X)]
            if name != "outliers":
                answers.append(estimator.predict_proba(X))
        except (TypeError, ValueError) as error:
            if not str(error):
                raise AssertionError(f"{name}, {what}: refused without a word") from error
            _assert_unfitted(estimator)
            return
        except OverflowError:
            # The wrapped classifier decides which kinds of X it takes, and how it refuses others.
            assert name in ("boosting, prior", "Elkan-Noto"), f"{name}, {what}"
            return
        except Exception as error:
            raise AssertionError(f"{name}, {what}: {type(error).__name__}: {error}") from error
    for answer in answers:
        if np.asarray(answer).dtype.kind == "f" and np.ndim(answer) == 2:
            assert np.isfinite(answer).all(), f"{name}, {what}: answers that are no numbers"
            assert np.allclose(answer.sum(axis=1), 1.0), f"{name}, {what}: no probabilities"
    if before is not None:
        # Objects are compared by their texts, because NaN is not equal to itself.
        same = repr(before.tolist()) == repr(X.tolist())
        assert same, f"{name}, {what}: X was changed"


def _assert_unfitted(estimator: object) -> None:
    fitted = [name for name in vars(estimator) if name.endswith("_") and name[0] != "_"]
    # A refusal by predict comes after a fit, which is whole.
    assert not fitted or "n_features_in_" in fitted, fitted


def _estimator(name: str) -> object:
    if name == "outliers":
        return CutOutlierDetector(random_state=0)
    if name == "HNC":
        return HNCClassifier(n_estimators=5, random_state=0)
    estimator = METHODS[name]().set_params(prior=0.6, random_state=0)
    known = estimator.get_params()
    quick = {"n_estimators": 5, "max_epochs": 3, "device": "cpu", "n_folds": 2}
    return estimator.set_params(**{key: quick[key] for key in quick if key in known})
