"""pucut beside other PU libraries: scikit-learn's checks, probabilities, and one split of digits.

digits  accuracy in % on 600 digits that no fit saw: odd or even, 30 % of the odd ones of the others
        labelled; the sum of a row of predict_proba that is farthest from 1; seconds of the fit
checks  how many of scikit-learn's checks of an estimator fail, and how many were made

Every estimator has its default parameters, besides required ones. For the accuracy those
that take a prior are given the true one; for the checks only those that need one are given any, and
it is 0.9, so that it is above the share of positives in the tables of these checks. Columns are
standardised, for the sake of linear methods. Estimators that need PyTorch are left out on all
sides. Libraries that cannot be imported are left out, and named; `make bench` installs those of the
extra `bench`. No goals.
"""

import inspect
import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from benchmarks.harness import Benchmark, Option, Run
from benchmarks.timing import side_by_side
from pucut.datasets import pu_split

LABELLED_SHARE = 0.3
PRIOR_IN_CHECKS = 0.9


@dataclass(frozen=True)
class Split:
    """Digits; y is 1 where labelled and 0 elsewhere, which all libraries take."""

    X: Any
    y: Any
    prior: float
    X_new: Any
    is_odd_new: Any


@dataclass(frozen=True)
class Subject:
    package: str
    name: str
    fixed: dict[str, Any] = field(default_factory=dict)
    prior_parameter: str | None = None
    needs_prior: bool = False

    def for_accuracy(self, module: Any, prior: float) -> Any:
        return getattr(module, self.name)(**self._given(prior), **self.fixed)

    def for_checks(self, module: Any) -> Any:
        given = self._given(PRIOR_IN_CHECKS) if self.needs_prior else {}
        return getattr(module, self.name)(**given, **self.fixed)

    def _given(self, prior: float) -> dict[str, Any]:
        return {} if self.prior_parameter is None else {self.prior_parameter: prior}


OURS = (
    "PUCutClassifier",
    "TwoHNCClassifier",
    "PUExtraTreesClassifier",
    "PUThresholdClassifier",
    "ElkanNotoClassifier",
    "SpyClassifier",
    "RocchioClassifier",
    "BiasedSVMClassifier",
    "BaggingSVMClassifier",
    "PUBaggingClassifier",
    "PULabelPropagationClassifier",
    "PUMaxMarginClassifier",
    "OneClassPUClassifier",
)
SEED = {"random_state": 0}
SUBJECTS = (
    *(Subject("pucut", name, SEED, "prior") for name in OURS),
    Subject("pulearn", "ElkanotoPuClassifier", {"estimator": LogisticRegression(), **SEED}),
    Subject("pulearn", "BaggingPuClassifier", SEED),
    Subject("pulearn", "NNPUClassifier", SEED, "prior", needs_prior=True),
    Subject("pulearn", "PositiveNaiveBayesClassifier"),
    Subject("pulearn", "WeightedNaiveBayesClassifier"),
    Subject("pulearn", "PositiveTANClassifier"),
    Subject("pu_toolbox", "ElkanNotoClassifier", SEED),
    Subject("pu_toolbox", "LLSVMClassifier", SEED),
    Subject("pu_toolbox", "PUSBClassifier"),
    Subject("pu_toolbox", "PUSBKernelClassifier"),
    Subject("pu_toolbox", "UPUClassifier", SEED, "class_prior", needs_prior=True),
    Subject("pu_toolbox", "LBEClassifier"),
)


def digits_split() -> Split:
    X, digit = load_digits(return_X_y=True)
    X, X_new, digit, digit_new = train_test_split(
        X, digit, test_size=600, random_state=0, stratify=digit
    )
    scaler = StandardScaler().fit(X)
    is_odd = digit % 2 == 1
    y = pu_split(is_odd, LABELLED_SHARE, random_state=0).astype(int)
    return Split(
        scaler.transform(X), y, float(is_odd.mean()), scaler.transform(X_new), digit_new % 2 == 1
    )


def fitted(estimator: Any, split: Split) -> Any:
    """A fitted clone; those whose `fit` takes the prior get it there."""
    takes_prior = "class_prior" in inspect.signature(estimator.fit).parameters
    given = {"class_prior": split.prior} if takes_prior else {}
    return clone(estimator).fit(split.X, split.y, **given)


def failed_checks(estimator: Any) -> str:
    results = check_estimator(clone(estimator), on_fail=None)
    made = [result for result in results if result["status"] in ("passed", "failed")]
    return f"{sum(result['status'] == 'failed' for result in made)} of {len(made)}"


def accuracy_of(model: Any, split: Split) -> str:
    said = np.asarray(model.predict(split.X_new)) == 1
    return f"{100 * np.mean(said == split.is_odd_new):.1f}"


def sums_of(model: Any, split: Split) -> str:
    try:
        probabilities = np.asarray(model.predict_proba(split.X_new))
    except (AttributeError, NotImplementedError):  # it has none, or none for this loss
        return "-"
    if probabilities.ndim != 2 or probabilities.shape[1] != 2:
        return f"shape {probabilities.shape}"
    sums = probabilities.sum(axis=1)
    return f"{sums[np.argmax(np.abs(sums - 1.0))]:.2f}"


def attempted(action: Callable[[], str]) -> str:
    """Return the cell of a column, or the error of another library."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return action()
        except Exception as error:
            return type(error).__name__


bench = Benchmark(
    __file__,
    __doc__,
    options={
        "packages": Option(tuple(dict.fromkeys(subject.package for subject in SUBJECTS))),
        "first": Option(0, quick=2, help="how many estimators of each package; 0 for all"),
    },
)


def subjects(run: Run) -> Iterator[tuple[str, Subject, Any]]:
    """(what a row is called, estimator, its package)"""
    for package in run.options.packages:
        module = run.peer(package)
        if module is None:
            continue
        run.note(f"{package} {version(package.replace('_', '-'))}")
        of_package = [subject for subject in SUBJECTS if subject.package == package]
        for subject in of_package[: run.options.first or None]:
            yield f"{package} {subject.name}", subject, module


@bench.part
def digits(run: Run) -> None:
    split = digits_split()
    for name, subject, module in subjects(run):
        estimator, fits = subject.for_accuracy(module, split.prior), []

        def fit(estimator: Any = estimator, fits: list[Any] = fits) -> str:
            return attempted(lambda: str(fits.append(fitted(estimator, split))))

        timing = side_by_side({"fit": fit}, 1)["fit"]
        accuracy = attempted(lambda fits=fits: accuracy_of(fits[0], split)) if fits else None
        sums = attempted(lambda fits=fits: sums_of(fits[0], split)) if fits else timing.result
        run.row(name, {"accuracy": accuracy, "sums": sums, "fit s": timing.seconds})


@bench.part
def checks(run: Run) -> None:
    for name, subject, module in subjects(run):
        said = attempted(
            lambda subject=subject, module=module: failed_checks(subject.for_checks(module))
        )
        run.row(name, {"failed checks": said})


if __name__ == "__main__":
    bench.main()
