"""Comparison of methods on one dataset, as a table.

Without true classes, methods are compared by the hidden positives they find
(`pucut.model_selection.hidden_positive_scores`); with true classes, also by their accuracy on the
unlabelled rows.
"""

import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from pucut._support.checks import BoolArray
from pucut._support.html import element, html_table
from pucut.data.label_words import plain
from pucut.data.labels import PULabels, checked_prior, checked_pu_labels
from pucut.methods import METHODS
from pucut.model_selection import HiddenPositivesSplit, hidden_positive_scores
from pucut.priors import estimate_prior, warn_of_guess

__all__ = ["Comparison", "MethodScores", "compare"]

# For each number its head, factor and digits.
_COLUMNS = {
    "hidden_recall": ("hidden %", 100.0, 1),
    "hidden_error": ("+-", 100.0, 1),
    "accuracy": ("accuracy %", 100.0, 2),
    "balanced_accuracy": ("balanced %", 100.0, 2),
    "auc": ("AUC", 1.0, 4),
    "fit_seconds": ("fit s", 1.0, 2),
    "predict_seconds": ("predict s", 1.0, 2),
    "memory_mb": ("MB", 1.0, 1),
}


@dataclass(frozen=True)
class MethodScores:
    """A method's line of the table; None means not known.

    Attributes
    ----------
    method : str
    hidden_recall : float
        Mean share of the hidden positives that were found.
    hidden_error : float
        Its standard error, from the number of positives that were hidden.
    accuracy, balanced_accuracy, auc : float
        For the unlabelled rows, classes by `transduction_` and ranking by `scores_`. None without
        true classes; all but the first also if the unlabelled rows are all of one class.
    fit_seconds, predict_seconds : float
        For one fit to all rows, and for `predict` on all rows.
    memory_mb : float
        Peak memory of Python and NumPy during a further fit, above what was in use before. Memory
        that compiled code allocates itself (libsvm's cache, PU trees, cuts) is not counted.
    error : str
        Why the method gave no result, if it gave none.
    """

    method: str
    hidden_recall: float | None = None
    hidden_error: float | None = None
    accuracy: float | None = None
    balanced_accuracy: float | None = None
    auc: float | None = None
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    memory_mb: float | None = None
    error: str | None = None


@dataclass(frozen=True)
class Comparison:
    """The table; `print` shows it, best hidden recall first."""

    rows: tuple[MethodScores, ...]
    prior: float
    n_samples: int
    n_labelled: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, for JSON or a data frame of `rows`."""
        return asdict(self) | {"rows": [asdict(row) for row in self.rows]}

    def __str__(self) -> str:
        lines = self._lines()
        first, *others = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [self._title()]
        for name, *cells in lines:
            aligned = [cell.rjust(width) for cell, width in zip(cells, others, strict=True)]
            text.append("  ".join([name.ljust(first), *aligned]))
        return "\n".join([*text, *self._errors()])

    def _repr_html_(self) -> str:
        heads, *lines = self._lines()
        errors = [element("p", error) for error in self._errors()]
        return element("div", html_table(self._title(), heads, lines), errors)

    def _title(self) -> str:
        return f"{self.n_samples} rows, {self.n_labelled} labelled, prior {self.prior:.3f}"

    def _lines(self) -> list[list[str]]:
        """Return the heads and one line per method, for the columns known for any method."""
        columns = [["method", *(row.method for row in self.rows)]]
        for name, (title, scale, digits) in _COLUMNS.items():
            values = (getattr(row, name) for row in self.rows)
            texts = ["-" if x is None else f"{x * scale:.{digits}f}" for x in values]
            if set(texts) - {"-"}:
                columns.append([title, *texts])
        return [list(line) for line in zip(*columns, strict=True)]

    def _errors(self) -> list[str]:
        return [f"{row.method}: {row.error}" for row in self.rows if row.error is not None]


def compare(
    X: Any,
    y: Any,
    methods: Mapping[str, Any] | Iterable[str] | None = None,
    prior: Any = "auto",
    truth: Any = None,
    *,
    n_splits: int = 3,
    pos_label: Any = None,
    neg_label: Any = None,
    random_state: Any = 0,
    callback: Callable[[str], Any] | None = None,
) -> Comparison:
    """Fit every method to one dataset and measure the share of hidden positives that it finds.

    Parameters
    ----------
    X, y
        As for `fit`. Methods that do not take this table are listed with their error.
    methods : mapping of names to estimators, or names of `METHODS`, optional
        By default all of `METHODS`. Estimators are cloned; `prior`, `pos_label`, `neg_label` and,
        if it is None, `random_state` are set if they have such parameters.
    prior : float or "auto", default="auto"
        Fraction of positives among all rows, for all methods; "auto" estimates it once.
    truth : array-like of shape (n_samples,), optional
        True classes: booleans, or the values of y. Methods never see them.
    n_splits : int, default=3
        How often positives are hidden; every labelled row is hidden once.
    pos_label, neg_label : values of y, optional
        The values that mean labelled positive and known negative, as for the classifiers.
    random_state : int or None, default=0
        For what is hidden, for the estimate of the prior, and for the methods.
    callback : function of a str, optional
        Called with a sentence on each method when it has ended. By default the sentence is printed
        on stderr if that is a terminal or a notebook.

    Returns
    -------
    Comparison
        Rows in descending order of `hidden_recall`, methods with an error last.
    """
    labels = checked_pu_labels(y, pos_label=pos_label, neg_label=neg_label)
    chosen = _checked_methods(methods)
    is_positive = None if truth is None else _checked_truth(truth, labels)
    if isinstance(prior, str) and prior == "auto":
        estimate = estimate_prior(X, labels, random_state=random_state)
        warn_of_guess(estimate)
        prior = estimate.prior
    prior = checked_prior(prior, labels)
    # The values as they were read, so that every method reads the same labels.
    names = {
        "pos_label": plain(labels.classes[1]),
        "neg_label": plain(labels.classes[0]) if labels.n_negative else None,
    }
    y = labels.as_values() if isinstance(y, PULabels) else y
    cv = HiddenPositivesSplit(n_splits, random_state=random_state, **names)
    parameters = {"prior": prior, "random_state": random_state, **names}
    tell = _print_to_user if callback is None else callback
    rows = []
    began = time.perf_counter()
    for place, (name, estimator) in enumerate(chosen.items(), start=1):
        ready = _with_parameters(clone(estimator), parameters)
        try:
            rows.append(_measured(name, ready, X, y, labels, is_positive, prior, cv))
        except Exception as error:  # the other methods are still wanted
            rows.append(MethodScores(name, error=f"{type(error).__name__}: {error}"))
        tell(progress_line(rows[-1], list(chosen)[place:], time.perf_counter() - began))
    rows.sort(key=lambda row: np.inf if row.hidden_recall is None else -row.hidden_recall)
    return Comparison(tuple(rows), prior, labels.n_samples, labels.n_labelled)


def progress_line(row: MethodScores, left: Sequence[str], seconds: float) -> str:
    """Say in a line what one method found, and which methods are left."""
    text = f"{row.method}: no result: {' '.join(str(row.error).split())}"
    if row.hidden_recall is not None:
        recall = f"{row.hidden_recall:.1%} of the hidden positives found"
        text = f"{row.method}: {recall}, fit in {row.fit_seconds:.1f} s"
    if not left:
        return f"{text}; all done in {seconds:.0f} s"
    n_left = f"{len(left)} method{'s' * (len(left) > 1)} left"
    return f"{text}; {n_left}, {seconds:.0f} s so far, next {left[0]}"


def _print_to_user(text: str) -> None:
    if sys.stderr.isatty() or "ipykernel" in sys.modules:
        print(text, file=sys.stderr, flush=True)


def _measured(
    name: str,
    estimator: Any,
    X: Any,
    y: Any,
    labels: PULabels,
    is_positive: BoolArray | None,
    prior: float,
    cv: HiddenPositivesSplit,
) -> MethodScores:
    start = time.perf_counter()
    fitted = clone(estimator).fit(X, y)
    middle = time.perf_counter()
    predicted = fitted.predict(X)
    end = time.perf_counter()
    recalls = hidden_positive_scores(estimator, X, y, prior=prior, cv=cv)
    recall = float(recalls.mean())
    return MethodScores(
        name,
        hidden_recall=recall,
        hidden_error=float(np.sqrt(recall * (1.0 - recall) / labels.n_labelled)),
        **_true_scores(fitted, predicted, labels, is_positive),
        fit_seconds=middle - start,
        predict_seconds=end - middle,
        memory_mb=_peak_bytes(lambda: clone(estimator).fit(X, y)) / 1e6,
    )


def _peak_bytes(action: Callable[[], Any]) -> int:
    """Return the peak memory of an action, which runs many times slower than usual."""
    was_tracing = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        action()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not was_tracing:
            tracemalloc.stop()


def _true_scores(
    fitted: Any, predicted: Any, labels: PULabels, is_positive: BoolArray | None
) -> dict[str, Any]:
    if is_positive is None:
        return {}
    rows = labels.is_unlabelled
    truth = is_positive[rows]
    classes = labels.decode(getattr(fitted, "transduction_", predicted))[rows]
    scores = {"accuracy": float(np.mean(classes == truth))}
    if truth.any() and not truth.all():
        scores["balanced_accuracy"] = float(balanced_accuracy_score(truth, classes))
        if hasattr(fitted, "scores_"):
            scores["auc"] = float(roc_auc_score(truth, fitted.scores_[rows]))
    return scores


def _checked_methods(methods: Any) -> dict[str, Any]:
    if not isinstance(methods, Mapping):
        names = list(METHODS) if methods is None else list(methods)
        unknown = [name for name in names if name not in METHODS]
        if isinstance(methods, str) or unknown:
            raise ValueError(
                f"methods must be a mapping of names to estimators, or a list of {list(METHODS)}, "
                f"found {methods if isinstance(methods, str) else unknown!r}"
            )
        methods = {name: METHODS[name]() for name in names}
    chosen = dict(methods)
    if not chosen:
        raise ValueError("methods is empty: there is nothing to compare")
    for name, estimator in chosen.items():
        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise TypeError(f"methods[{name!r}] must be an estimator, found {estimator!r}")
    return chosen


def _checked_truth(truth: Any, labels: PULabels) -> BoolArray:
    values = np.asarray(truth)
    if values.shape != (labels.n_samples,):
        raise ValueError(
            f"truth must have one class per row, {labels.n_samples} in all, found shape "
            f"{values.shape}"
        )
    is_positive: BoolArray = values if values.dtype.kind == "b" else labels.decode(values, "truth")
    if not is_positive[labels.is_labelled].any():
        raise ValueError("truth says that no labelled row is positive: are its classes reversed?")
    return is_positive


def _with_parameters(estimator: Any, values: Mapping[str, Any]) -> Any:
    own = estimator.get_params(deep=False)
    if own.get("random_state") is not None:
        del own["random_state"]
    return estimator.set_params(**{name: values[name] for name in values if name in own})
