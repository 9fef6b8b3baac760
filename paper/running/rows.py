"""Raw results to rows: one line of numbers a run, as CSV."""

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from paper.running.methods import METHODS
from paper.running.protocol import DATASETS, PRIOR_KINDS
from paper.running.raw import RUNS, BrokenFile, Finished, load_run
from pucut._support.checks import BoolArray
from pucut.data.labels import checked_pu_labels
from pucut.scores.thresholds import positives_by_prior


@dataclass(frozen=True)
class Row:
    """A finished run and how good it is on the unlabelled rows; shares are from 0 to 1.

    "own" is the method's own rule, "prior" as many positives as `prior_used` asks for. `peak_mb` is
    of the whole process. `n_jobs` is the number of threads. What a fit took stands in the
    rows of all runs that share it.
    """

    suite: str
    dataset: str
    n_samples: int
    n_features: int
    labelled_share: float
    n_labelled: int
    repetition: int
    method: str
    prior_kind: str
    prior_true: float
    prior_used: float
    seed: int
    accuracy_own: float
    balanced_accuracy_own: float
    accuracy_prior: float
    balanced_accuracy_prior: float
    auc: float
    seconds: float
    peak_mb: float
    n_jobs: int
    device: str
    python: str
    numpy: str
    scipy: str
    scikit_learn: str
    torch: str
    pucut: str
    machine: str
    finished: str


COLUMNS = tuple(field.name for field in fields(Row))


def row_of(finished: Finished) -> Row:
    """Judges a run."""
    split, facts = finished.run.split, finished.facts
    asked = ~finished.is_labelled
    truth = finished.is_positive[asked]
    ranks = finished.ranks.astype(np.float64)
    by_prior = positives_by_prior(ranks, checked_pu_labels(finished.is_labelled), facts.prior_used)[
        asked
    ]
    own = finished.is_own_positive[asked]
    return Row(
        suite=split.suite,
        dataset=split.dataset,
        n_samples=len(asked),
        labelled_share=split.labelled_share,
        n_labelled=int(finished.is_labelled.sum()),
        repetition=split.repetition,
        method=finished.run.method,
        prior_kind=finished.run.prior_kind,
        accuracy_own=_accuracy(own, truth),
        balanced_accuracy_own=_balanced_accuracy(own, truth),
        accuracy_prior=_accuracy(by_prior, truth),
        balanced_accuracy_prior=_balanced_accuracy(by_prior, truth),
        auc=float(roc_auc_score(truth, ranks[asked])),
        **asdict(facts),
    )


def _accuracy(said: BoolArray, truth: BoolArray) -> float:
    return float(np.mean(said == truth))


def _balanced_accuracy(said: BoolArray, truth: BoolArray) -> float:
    return float((said[truth].mean() + (~said[~truth]).mean()) / 2.0)


@dataclass(frozen=True)
class Collected:
    """All rows of a folder of results, in canonical order, and the files that were not whole."""

    rows: tuple[Row, ...]
    broken: tuple[str, ...]


def collect(results: Path) -> Collected:
    rows, broken = [], []
    for path in sorted((results / RUNS).glob("*/*/*/[!.]*.npz")):
        try:
            rows.append(row_of(load_run(path)))
        except BrokenFile as error:
            broken.append(str(error))
    return Collected(tuple(sorted(rows, key=_order)), tuple(broken))


_PLACES = {name: place for place, name in enumerate((*DATASETS, *METHODS, *PRIOR_KINDS))}


def _order(row: Row) -> tuple[object, ...]:
    return (
        row.suite,
        _PLACES[row.dataset],
        -row.labelled_share,
        row.repetition,
        _PLACES[row.method],
        _PLACES[row.prior_kind],
    )


def as_csv(rows: Iterable[Row]) -> str:
    """Floats with all their digits, so that the same rows are the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(value) for value in astuple(row)] for row in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)
