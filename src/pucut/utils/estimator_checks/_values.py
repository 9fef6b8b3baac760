"""Checks of what X holds: constants, duplicates, few rows, extreme values, any order."""

from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import clone

from pucut.methods import ElkanNotoClassifier, PUThresholdClassifier
from pucut.utils.estimator_checks._tools import (
    answers,
    assert_valid_answers,
    fitted,
    pu_table,
    raises,
)


def check_pu_constant_features(estimator: Any) -> None:
    """Features that say nothing do no harm, nor does a table of nothing else."""
    X, y, truth = pu_table()
    with_constant = np.column_stack([X, np.full(len(X), 7.0)])
    assert_valid_answers(fitted(estimator, with_constant, y, prior=0.55), with_constant)
    nothing = np.ones_like(X)
    assert_valid_answers(fitted(estimator, nothing, y, prior=0.55), nothing)
    assert_valid_answers(fitted(estimator, nothing, y, prior="auto"), nothing)
    assert truth.any()


def check_pu_duplicates(estimator: Any) -> None:
    """Rows that are equal, labelled and not, get equal answers."""
    X, y, _ = pu_table(60)
    X, y = np.tile(X, (4, 1)), np.concatenate([y, np.zeros(3 * len(y), dtype=int)])
    model = fitted(estimator, X, y, prior=0.5)
    assert_valid_answers(model, X)
    for answer in answers(model, X):
        np.testing.assert_array_equal(answer[:60], answer[60:120])


def check_pu_few_rows(estimator: Any) -> None:
    """Eight rows are answered, and two."""
    X, y, _ = pu_table(8)
    y[:] = 0
    y[:3] = 1
    assert_valid_answers(fitted(estimator, X, y, prior=0.5), X)
    assert_valid_answers(fitted(estimator, X[:2], np.array([1, 0]), prior=0.6), X)


def check_pu_bad_X(estimator: Any) -> None:
    """Too few features, one row alone and no row at all are refused, with a reason."""
    X, y, _ = pu_table()
    model = fitted(estimator, X, y, prior=0.6)
    with raises(ValueError, match="features"):
        model.predict(X[:, :3])
    with raises(ValueError, match="Reshape your data"):
        model.predict(X[0])
    with raises(ValueError, match=r"0 sample|minimum of 1|no rows|inconsistent|no class"):
        clone(estimator).fit(X[:0], y[:0])


def check_pu_infinity_is_answered_or_refused(estimator: Any) -> None:
    """Infinite values get a valid answer, or an error that names them."""
    X, y, _ = pu_table()
    X[3, 1] = np.inf
    try:
        model = fitted(estimator, X, y, prior=0.6)
    except ValueError:
        with raises(ValueError, match="infinity"):
            fitted(estimator, X, y, prior=0.6)
    else:
        assert_valid_answers(model, X)


def check_pu_extreme_scale(estimator: Any) -> None:
    """Units do not matter, however small or large: what is told apart stays so."""
    if isinstance(estimator, PUThresholdClassifier | ElkanNotoClassifier):
        raise SkipTest("what X may hold is up to the wrapped classifier")
    X, y, truth = pu_table(160)

    # Folds depend on the values, so that it is not quite the same. Small networks differ by their
    # first weights and batches as well: several of them are needed to tell.
    seeds = range(4) if "max_epochs" in estimator.get_params() else [0]

    def accuracy(factor: float) -> float:
        return float(np.mean([accuracy_of(factor, seed) for seed in seeds]))

    def accuracy_of(factor: float, seed: int) -> float:
        params = {"random_state": seed} if "random_state" in estimator.get_params() else {}
        model = clone(estimator).set_params(prior=float(truth.mean()), **params)
        predicted = model.fit(factor * X, y).predict(factor * X)
        return float(min((model.transduction_ == truth).mean(), (predicted == truth).mean()))

    usual = accuracy(1.0)
    for factor in (1e-310, 1e-200, 1e200, 1e307):
        assert accuracy(factor) > usual - 0.1


def check_pu_row_order(estimator: Any) -> None:
    """The same table in any order gives the same answers, to the bit, ties included."""
    X, y, truth = pu_table(90)
    new_X, _, _ = pu_table(40, seed=1)
    prior = float(truth.mean())
    for table, new in ((X, new_X), (np.round(X), np.round(new_X))):  # of whole numbers all are tied
        model = fitted(estimator, table, y, prior=prior)
        for order in (np.arange(len(y))[::-1], np.random.default_rng(2).permutation(len(y))):
            other = fitted(estimator, table[order], y[order], prior=prior)
            for one, two in zip(answers(model, new), answers(other, new), strict=True):
                np.testing.assert_array_equal(one, two)
            for name in ("scores_", "transduction_"):
                np.testing.assert_array_equal(
                    _by_row(table, getattr(model, name)),
                    _by_row(table[order], getattr(other, name)),
                )


def _by_row(table: Any, values: Any) -> Any:
    """Values next to their rows, sorted: equal rows may change places."""
    return np.array(sorted(zip(map(tuple, table), values.tolist(), strict=True)), dtype=object)
