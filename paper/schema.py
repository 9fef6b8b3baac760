"""The columns of the rows of finished runs, each declared once, as a field of `Row`.

A field says what its cell may hold and where its value comes from: the names of the run, what was
recorded when the run ended (the facts, kept in its file), or what is measured from its result. All
else follows: the facts in the files of results, and the writing and the reading of rows. A new
column is one line here; if its cells may be empty, older files are read as before.
"""

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from paper.csv_files import (
    AMOUNT,
    ANY_TEXT,
    SHARE,
    TEXT,
    WHOLE_NUMBER,
    Kind,
    Line,
    like,
    one_number_of,
    one_of,
    optional,
)
from paper.methods import METHODS, PUData
from paper.protocol import DATASETS, PRIOR_KINDS, SHARES, SUITES, Run, SplitData
from paper.running.machine import device_name, machine, peak_memory_mb
from paper.running.raw import BrokenFile, Finished
from pucut._support.checks import BoolArray
from pucut.data.labels import checked_pu_labels
from pucut.judging.thresholds import positives_by_prior

# The metrics of a run: with each rule of `paper.methods.RULES` a column of its own.
METRIC_TITLES = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy"}
METRICS = tuple(METRIC_TITLES)


@dataclass(frozen=True, eq=False)
class Circumstances:
    """The circumstances of a run, at its end."""

    run: Run
    data: SplitData
    known: PUData
    seconds: float


class _Judgement:
    """A finished run beside the truth, on the unlabelled rows."""

    def __init__(self, finished: Finished) -> None:
        unlabelled = ~finished.is_labelled
        ranks = finished.ranks.astype(np.float64)
        by_prior = positives_by_prior(
            ranks, checked_pu_labels(finished.is_labelled), finished.prior_used
        )
        self.n_samples = len(unlabelled)
        self.n_labelled = int(finished.is_labelled.sum())
        self.truth = finished.is_positive[unlabelled]
        self.ranks = ranks[unlabelled]
        self.own = finished.is_own_positive[unlabelled]
        self.by_prior = by_prior[unlabelled]

    def accuracy(self, answer: BoolArray) -> float:
        return float(np.mean(answer == self.truth))

    def balanced_accuracy(self, answer: BoolArray) -> float:
        return float((answer[self.truth].mean() + (~answer[~self.truth]).mean()) / 2.0)

    def auc(self) -> float:
        return float(roc_auc_score(self.truth, self.ranks))


@dataclass(frozen=True)
class _Column:
    """One of the three sources is given."""

    kind: Kind[Any]
    name: Callable[[Run], Any] | None = None
    record: Callable[[Circumstances], Any] | None = None
    measure: Callable[[_Judgement], Any] | None = None


def _named(kind: Kind[Any], name: Callable[[Run], Any]) -> Any:
    """A column of the names of the run: together they tell runs apart."""
    return field(metadata={"column": _Column(kind, name=name)})


def _recorded(kind: Kind[Any], record: Callable[[Circumstances], Any]) -> Any:
    """A column of facts that only the run itself knows: kept in its file."""
    return field(metadata={"column": _Column(kind, record=record)})


def _measured(kind: Kind[Any], measure: Callable[[_Judgement], Any]) -> Any:
    """A column that is computed from the file of the run."""
    return field(metadata={"column": _Column(kind, measure=measure)})


def _version_of(package: str) -> Any:
    def record(_: Circumstances) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return ""

    return _recorded(ANY_TEXT, record)


def _device(made: Circumstances) -> str:
    return device_name(made.known.device) if METHODS[made.run.method].uses_device else "cpu"


_MAYBE_SHARE, _MAYBE_AMOUNT = optional(SHARE), optional(AMOUNT)
_MAYBE_WHOLE_NUMBER = optional(WHOLE_NUMBER)


@dataclass(frozen=True)
class Row:
    """A finished run and how good it is on the unlabelled rows; shares are from 0 to 1.

    "own" is the method's own rule, "prior" as many positives as `prior_used` asks for. `peak_mb` is
    of the whole process, `n_jobs` the number of threads. What a fit took is in the rows of all
    runs that share it. None is what was not measured.
    """

    suite: str = _named(one_of(SUITES), lambda run: run.split.suite)
    dataset: str = _named(TEXT, lambda run: run.split.dataset)
    n_samples: int = _measured(WHOLE_NUMBER, lambda judged: judged.n_samples)
    n_features: int = _recorded(WHOLE_NUMBER, lambda made: made.data.X.shape[1])
    labelled_share: float = _named(one_number_of(SHARES), lambda run: run.split.labelled_share)
    n_labelled: int = _measured(WHOLE_NUMBER, lambda judged: judged.n_labelled)
    repetition: int = _named(WHOLE_NUMBER, lambda run: run.split.repetition)
    method: str = _named(one_of(tuple(METHODS)), lambda run: run.method)
    prior_kind: str = _named(one_of(PRIOR_KINDS), lambda run: run.prior_kind)
    prior_true: float = _recorded(SHARE, lambda made: made.data.prior)
    prior_used: float = _recorded(SHARE, lambda made: made.known.prior)
    seed: int | None = _recorded(_MAYBE_WHOLE_NUMBER, lambda made: made.known.seed)
    accuracy_own: float | None = _measured(_MAYBE_SHARE, lambda judged: judged.accuracy(judged.own))
    balanced_accuracy_own: float | None = _measured(
        _MAYBE_SHARE, lambda judged: judged.balanced_accuracy(judged.own)
    )
    accuracy_prior: float | None = _measured(
        _MAYBE_SHARE, lambda judged: judged.accuracy(judged.by_prior)
    )
    balanced_accuracy_prior: float | None = _measured(
        _MAYBE_SHARE, lambda judged: judged.balanced_accuracy(judged.by_prior)
    )
    auc: float | None = _measured(_MAYBE_SHARE, lambda judged: judged.auc())
    seconds: float | None = _recorded(_MAYBE_AMOUNT, lambda made: made.seconds)
    peak_mb: float | None = _recorded(_MAYBE_AMOUNT, lambda made: peak_memory_mb())
    n_jobs: int | None = _recorded(_MAYBE_WHOLE_NUMBER, lambda made: made.known.n_threads)
    device: str = _recorded(ANY_TEXT, _device)
    python: str = _recorded(ANY_TEXT, lambda made: platform.python_version())
    numpy: str = _version_of("numpy")
    scipy: str = _version_of("scipy")
    scikit_learn: str = _version_of("scikit-learn")
    torch: str = _version_of("torch")
    pucut: str = _version_of("pucut")
    machine: str = _recorded(ANY_TEXT, lambda made: machine())
    finished: str = _recorded(
        ANY_TEXT, lambda made: datetime.now(UTC).isoformat(timespec="seconds")
    )

    @property
    def key(self) -> tuple[Any, ...]:
        """The names of the run."""
        return tuple(getattr(self, name) for name in _NAMES)

    def score(self, metric: str, rule: str) -> float | None:
        value: float | None = getattr(self, f"{metric}_{rule}")
        return value


_COLUMNS: dict[str, _Column] = {one.name: one.metadata["column"] for one in fields(Row)}
_NAMES = tuple(name for name, column in _COLUMNS.items() if column.name is not None)
COLUMNS = tuple(_COLUMNS)
# The facts that the file of a finished run has to keep for its row.
FACTS = tuple(name for name, column in _COLUMNS.items() if column.record is not None)
# Files that are older than such a column can still be read.
MAY_BE_EMPTY = tuple(name for name, column in _COLUMNS.items() if column.kind.may_be_empty)
_DATASET_KINDS = {
    suite: one_of(names) if len(names) < 20 else like(names[0], names)
    for suite, names in DATASETS.items()
}


def record_facts(made: Circumstances) -> Mapping[str, Any]:
    """Return the facts that are kept beside the scores of a run that has just ended."""
    return {
        name: column.record(made) for name, column in _COLUMNS.items() if column.record is not None
    }


def row_of(finished: Finished) -> Row:
    """Judges a run; raises `BrokenFile` where its file lacks a fact that has to be there."""
    values = {name: _fact(name, finished) for name in FACTS}
    judged = _Judgement(finished)
    for name, column in _COLUMNS.items():
        if column.name is not None:
            values[name] = column.name(finished.run)
        elif column.measure is not None:
            values[name] = column.measure(judged)
    return Row(**values)


def _fact(name: str, finished: Finished) -> Any:
    """Return a fact of a file; it is an empty cell if the file is older than the column."""
    if name in finished.facts:
        return finished.facts[name]
    if name not in MAY_BE_EMPTY:
        raise BrokenFile(f"the file of the run {finished.run} does not say {name}")
    return _COLUMNS[name].kind.parse("")


def cells_of(row: Row) -> tuple[Any, ...]:
    """Format the cells with significant digits only: others would be half of a packed file."""
    return tuple(
        _rounded(getattr(row, name), column.kind.digits) for name, column in _COLUMNS.items()
    )


def _rounded(value: Any, digits: int | None) -> Any:
    return float(f"{value:.{digits}g}") if digits and value is not None else value


def row_from(line: Line) -> Row:
    """The row of a line of a file, whose cells are checked."""
    row = Row(**{name: line.read(name, column.kind) for name, column in _COLUMNS.items()})
    line.read("dataset", _DATASET_KINDS[row.suite])
    return row
