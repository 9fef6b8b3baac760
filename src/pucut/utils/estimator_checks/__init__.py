"""Checks of the contract of a PU classifier, whose terms are the first lines of the checks.

They come on top of scikit-learn's `check_estimator`, which knows neither missing labels nor a
prior. Each takes an unfitted estimator.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from unittest import SkipTest

from pucut.utils.estimator_checks import _learning, _tables

__all__ = ["PU_CHECKS", "CheckResult", "check_pu_estimator", "parametrize_with_pu_checks"]

Check = Callable[[Any], None]
ExpectedFailures = Mapping[str, str]

#: All checks, in the order in which they are run.
PU_CHECKS: tuple[Check, ...] = tuple(
    check
    for module in (_learning, _tables)
    for name, check in vars(module).items()
    if name.startswith("check_pu_")
)
_NAMES = frozenset(check.__name__ for check in PU_CHECKS)


@dataclass(frozen=True)
class CheckResult:
    """Result of one check.

    Attributes
    ----------
    check : str
        Its name.
    status : {"passed", "skipped", "expected failure"}
    reason : str
        Why it was skipped, or why a failure was expected; empty if it passed.
    """

    check: str
    status: Literal["passed", "skipped", "expected failure"]
    reason: str = ""


def check_pu_estimator(
    estimator: Any, *, expected_failed_checks: ExpectedFailures | None = None
) -> list[CheckResult]:
    """Check that an estimator keeps the contract of a PU classifier.

    It needs the parameters ``prior`` and ``pos_label`` (and may have ``neg_label``), the methods
    ``fit``, ``predict``, ``predict_proba`` and ``decision_function``, and after ``fit`` the
    attributes ``classes_``, ``prior_``, ``scores_``, ``transduction_`` and, if it has a parameter
    ``threshold``, ``threshold_``.

    Parameters
    ----------
    estimator : object
        An unfitted PU classifier. It is cloned for each fit, and fitted some two hundred times to
        tables of a few hundred rows: choose parameters that make it quick.
    expected_failed_checks : mapping of str to str, optional
        Names of checks that the estimator is known to fail, each with the reason. One that passes
        after all is an error.

    Returns
    -------
    list of CheckResult
        One per check.

    Raises
    ------
    AssertionError
        The estimator fails a check, or does not fail one that it was expected to fail. Other errors
        of the estimator are raised as they are. Each carries a note that names the check.

    Examples
    --------
    >>> from pucut import RocchioClassifier
    >>> from pucut.utils.estimator_checks import check_pu_estimator
    >>> results = check_pu_estimator(RocchioClassifier())
    >>> {result.status for result in results}
    {'passed'}
    """
    if not __debug__:
        raise RuntimeError("python -O removes assertions, so that every check would pass")
    reasons = _checked_reasons(expected_failed_checks or {})
    return [_run(check, estimator, reasons.get(check.__name__)) for check in PU_CHECKS]


def parametrize_with_pu_checks(
    estimators: Iterable[Any],
    *,
    expected_failed_checks: Callable[[Any], ExpectedFailures] | None = None,
) -> Any:
    """Make a decorator for pytest: the test takes ``estimator`` and ``check``, and calls the check.

    Parameters
    ----------
    estimators : iterable of estimators
        Unfitted PU classifiers.
    expected_failed_checks : callable, optional
        Called with an estimator, returns the names of the checks that it is known to fail, each
        with the reason. They are marked as strict expected failures.

    Returns
    -------
    decorator
        That of `pytest.mark.parametrize`.

    Examples
    --------
    >>> from pucut import RocchioClassifier
    >>> from pucut.utils.estimator_checks import parametrize_with_pu_checks
    >>> @parametrize_with_pu_checks([RocchioClassifier()])
    ... def test_pu_check(estimator, check):
    ...     check(estimator)
    """
    import pytest

    cases = []
    for estimator in estimators:
        reasons = _checked_reasons(
            expected_failed_checks(estimator) if expected_failed_checks else {}
        )
        for check in PU_CHECKS:
            reason = reasons.get(check.__name__)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason is not None else []
            name = f"{estimator!r}-{check.__name__}"
            cases.append(pytest.param(estimator, check, id=name, marks=marks))
    return pytest.mark.parametrize(("estimator", "check"), cases)


def _checked_reasons(reasons: ExpectedFailures) -> ExpectedFailures:
    unknown = sorted(set(reasons) - _NAMES)
    if unknown:
        raise ValueError(
            f"expected_failed_checks names {', '.join(unknown)}, which no check is called; "
            f"allowed are the names in PU_CHECKS, such as {PU_CHECKS[0].__name__}"
        )
    return reasons


def _run(check: Check, estimator: Any, reason: str | None) -> CheckResult:
    try:
        check(estimator)
    except SkipTest as skip:
        return CheckResult(check.__name__, "skipped", str(skip))
    except Exception as error:
        if reason is not None:
            return CheckResult(check.__name__, "expected failure", reason)
        error.add_note(f"{check.__name__} of {estimator!r}: {check.__doc__}")
        raise
    if reason is not None:
        raise AssertionError(
            f"{check.__name__} passes for {estimator!r}, though expected_failed_checks gives a "
            f"reason why not: {reason}"
        )
    return CheckResult(check.__name__, "passed")
