"""Finished runs, read from the CSV files of a folder."""

from dataclasses import dataclass
from pathlib import Path

from pucut.experiments.csv_files import FileProblem, Line, read_lines
from pucut.experiments.names import (
    DATASET_TITLES,
    LABELLED_SHARES,
    METHOD_TITLES,
    METRICS,
    PRIOR_KINDS,
    RULES,
    SUITES,
    read_configuration,
)

ROW_COLUMNS = (
    "suite",
    "dataset",
    "n_samples",
    "n_features",
    "labelled_share",
    "n_labelled",
    "repetition",
    "method",
    "prior_kind",
    "prior_true",
    "prior_used",
    "seed",
    "accuracy_own",
    "balanced_accuracy_own",
    "accuracy_prior",
    "balanced_accuracy_prior",
    "auc",
    "seconds",
    "peak_mb",
    "n_jobs",
    "device",
    "python",
    "numpy",
    "scipy",
    "scikit_learn",
    "torch",
    "pucut",
    "machine",
    "finished",
)


@dataclass(frozen=True)
class Run:
    """One line. Scores are fractions, by metric and rule; None is what was not measured."""

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
    prior_used: float | None
    scores: dict[tuple[str, str], float | None]
    seconds: float | None
    peak_mb: float | None
    n_jobs: str
    device: str
    machine: str

    @property
    def key(self) -> tuple[str, str, float, int, str, str]:
        return (
            self.suite,
            self.dataset,
            self.labelled_share,
            self.repetition,
            self.method,
            self.prior_kind,
        )


def read_rows(folder: Path) -> tuple[Run, ...]:
    """All runs of the `.csv` and `.csv.gz` files of a folder, in an order of their own.

    A run that stands twice is an error: which of the two counts is not for a table to say.
    """
    if not folder.is_dir():
        raise FileProblem(f"{folder} is no folder: it should hold the rows of finished runs")
    files = sorted({*folder.glob("*.csv"), *folder.glob("*.csv.gz")})
    if not files:
        raise FileProblem(f"{folder} holds no .csv or .csv.gz file with rows of finished runs")
    runs: dict[tuple[str, str, float, int, str, str], tuple[Run, str]] = {}
    for file in files:
        for line in read_lines(file, ROW_COLUMNS):
            run = _run(line)
            if run.key in runs:
                raise FileProblem(
                    f"{line.place}: {' '.join(map(str, run.key))} stands already in "
                    f"{runs[run.key][1]}"
                )
            runs[run.key] = run, line.place
    return tuple(runs[key][0] for key in sorted(runs))


def _run(line: Line) -> Run:
    suite = line.one_of("suite", SUITES)
    return Run(
        suite=suite,
        dataset=_dataset(line, suite),
        n_samples=line.whole_number("n_samples"),
        n_features=line.whole_number("n_features"),
        labelled_share=_labelled_share(line),
        n_labelled=line.whole_number("n_labelled"),
        repetition=line.whole_number("repetition"),
        method=line.one_of("method", tuple(METHOD_TITLES)),
        prior_kind=line.one_of("prior_kind", PRIOR_KINDS),
        prior_true=line.number_in("prior_true", 0.0, 1.0),
        prior_used=line.number_or_none("prior_used", 0.0, 1.0),
        scores={
            (metric, rule): line.number_or_none(f"{metric}_{rule}", 0.0, 1.0)
            for metric in METRICS
            for rule in RULES
        },
        seconds=line.number_or_none("seconds", 0.0, 1e12),
        peak_mb=line.number_or_none("peak_mb", 0.0, 1e12),
        n_jobs=line.cells["n_jobs"],
        device=line.cells["device"],
        machine=line.cells["machine"],
    )


def _dataset(line: Line, suite: str) -> str:
    if suite == "real":
        return line.one_of("dataset", tuple(DATASET_TITLES))
    try:
        read_configuration(line.cells["dataset"])
    except ValueError as error:
        raise FileProblem(f"{line.place}: dataset: {error}") from None
    return line.cells["dataset"]


def _labelled_share(line: Line) -> float:
    share = line.number_in("labelled_share", 0.0, 1.0)
    if share not in LABELLED_SHARES:
        allowed = " or ".join(map(str, LABELLED_SHARES))
        raise FileProblem(f"{line.place}: labelled_share must be {allowed}, found {share:g}")
    return share
