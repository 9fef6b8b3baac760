"""The public checks let a good estimator pass, and find what is wrong with others."""

import subprocess
import sys

import numpy as np
import pytest

from pucut import RocchioClassifier
from pucut.utils import estimator_checks
from pucut.utils.estimator_checks import PU_CHECKS, check_pu_estimator

BY_NAME = {check.__name__: check for check in PU_CHECKS}


class TakesLabelsForTruth(RocchioClassifier):
    """Calls every unlabelled row negative."""

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class LooksAtOtherRows(RocchioClassifier):
    def decision_function(self, X):
        decision = super().decision_function(X)
        return decision - decision.mean()


class WritesIntoX(RocchioClassifier):
    def fit(self, X, y):
        super().fit(X, y)
        X *= 2.0
        return self


class IgnoresThePrior(RocchioClassifier):
    def fit(self, X, y):
        prior, self.prior = self.prior, "auto"
        try:
            return super().fit(X, y)
        finally:
            self.prior = prior


class ContradictsItself(RocchioClassifier):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


class ReadsParametersLater(RocchioClassifier):
    def decision_function(self, X):
        return super().decision_function(X) * (1.0 if self.threshold == "prior" else 2.0)


class ForgetsWhenStopped(RocchioClassifier):
    pass


def forgetful_fit(self, X, y):
    self.classes_ = np.unique(y)
    return RocchioClassifier.fit(self, X, y)


ForgetsWhenStopped.fit = forgetful_fit  # in the class itself it would be made a whole fit


class Swallows(RocchioClassifier):
    def fit(self, X, y, **ignored):
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("wrong", "found_by"),
    [
        (TakesLabelsForTruth(), "check_pu_learns"),
        (LooksAtOtherRows(), "check_pu_rows_are_answered_one_by_one"),
        (WritesIntoX(), "check_pu_input_is_not_changed"),
        (IgnoresThePrior(), "check_pu_bad_prior"),
        (ContradictsItself(), "check_pu_answers"),
        (ReadsParametersLater(), "check_pu_parameters_after_fit_change_nothing"),
        (ForgetsWhenStopped(), "check_pu_interrupted_fit"),
        (Swallows(), "check_pu_sample_weight_is_not_ignored"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_wrong_is_found(wrong, found_by):
    BY_NAME[found_by](RocchioClassifier())
    with pytest.raises((AssertionError, AttributeError)):
        BY_NAME[found_by](wrong)


def test_a_good_estimator_passes():
    results = check_pu_estimator(RocchioClassifier())
    assert [result.check for result in results] == list(BY_NAME)
    assert {result.status for result in results} == {"passed"}


def test_a_failure_says_which_check_it_was():
    with pytest.raises(AssertionError) as found:
        check_pu_estimator(TakesLabelsForTruth())
    assert "check_pu_learns of TakesLabelsForTruth()" in found.value.__notes__[0]


def test_expected_failures_must_fail_and_exist():
    failing = {"check_pu_learns": "it calls every row negative"}
    with pytest.raises(AssertionError, match="check_pu_learns passes for RocchioClassifier"):
        check_pu_estimator(RocchioClassifier(), expected_failed_checks=failing)
    with pytest.raises(ValueError, match="check_pu_nothing, which no check is called"):
        check_pu_estimator(RocchioClassifier(), expected_failed_checks={"check_pu_nothing": "x"})


def test_an_expected_failure_is_told(monkeypatch):
    three = ("check_pu_learns", "check_pu_answers", "check_pu_bad_labels")
    monkeypatch.setattr(estimator_checks, "PU_CHECKS", [BY_NAME[name] for name in three])
    results = check_pu_estimator(
        ContradictsItself(), expected_failed_checks={"check_pu_answers": "the other class"}
    )
    assert [(result.status, result.reason) for result in results] == [
        ("passed", ""),
        ("expected failure", "the other class"),
        ("passed", ""),
    ]


@pytest.mark.slow
def test_nothing_passes_where_assertions_are_removed():
    code = (
        "from pucut import RocchioClassifier\n"
        "from pucut.utils.estimator_checks import check_pu_estimator\n"
        "check_pu_estimator(RocchioClassifier())"
    )
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "python -O removes assertions" in done.stderr


def test_every_check_says_what_it_guarantees():
    assert [name for name, check in BY_NAME.items() if not check.__doc__] == []
