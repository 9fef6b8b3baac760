"""Finished runs, read from the CSV files of a folder."""

from dataclasses import dataclass
from pathlib import Path

from paper.datasets import REAL_NAMES, SYNTHETIC
from paper.running.methods import METHODS
from paper.running.protocol import PRIOR_KINDS, SHARES, SUITES
from paper.running.rows import COLUMNS
from paper.showing.csv_files import FileProblem, Line, read_lines
from paper.showing.names import METRICS, RULES


@dataclass(frozen=True)
class ReadRow:
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


def read_rows(folder: Path) -> tuple[ReadRow, ...]:
    """All runs of the `.csv` and `.csv.gz` files of a folder, in an order of their own.

    A run that stands twice is an error: which of the two counts is not for a table to say.
    """
    if not folder.is_dir():
        raise FileProblem(f"{folder} is no folder: it should hold the rows of finished runs")
    files = sorted({*folder.glob("*.csv"), *folder.glob("*.csv.gz")})
    if not files:
        raise FileProblem(f"{folder} holds no .csv or .csv.gz file with rows of finished runs")
    runs: dict[tuple[str, str, float, int, str, str], tuple[ReadRow, str]] = {}
    for file in files:
        for line in read_lines(file, COLUMNS):
            run = _run(line)
            if run.key in runs:
                raise FileProblem(
                    f"{line.place}: {' '.join(map(str, run.key))} stands already in "
                    f"{runs[run.key][1]}"
                )
            runs[run.key] = run, line.place
    return tuple(runs[key][0] for key in sorted(runs))


def _run(line: Line) -> ReadRow:
    suite = line.one_of("suite", SUITES)
    return ReadRow(
        suite=suite,
        dataset=_dataset(line, suite),
        n_samples=line.whole_number("n_samples"),
        n_features=line.whole_number("n_features"),
        labelled_share=_labelled_share(line),
        n_labelled=line.whole_number("n_labelled"),
        repetition=line.whole_number("repetition"),
        method=line.one_of("method", tuple(METHODS)),
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
        return line.one_of("dataset", REAL_NAMES)
    name = line.cells["dataset"]
    if name not in SYNTHETIC:
        raise FileProblem(
            f"{line.place}: dataset must be a configuration like {next(iter(SYNTHETIC))}, found "
            f"{name!r}"
        )
    return name


def _labelled_share(line: Line) -> float:
    share = line.number_in("labelled_share", 0.0, 1.0)
    if share not in SHARES:
        allowed = " or ".join(map(str, SHARES))
        raise FileProblem(f"{line.place}: labelled_share must be {allowed}, found {share:g}")
    return share
