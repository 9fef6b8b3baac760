"""The paper's printed numbers, from the files of `paper/published`."""

from dataclasses import dataclass
from pathlib import Path

from paper.csv_files import (
    PERCENT,
    SHARE,
    TEXT,
    WHOLE_NUMBER,
    YES_OR_NO,
    FileProblem,
    number_in,
    one_of,
    read_lines,
)
from paper.datasets import REAL_NAMES
from paper.methods import with_role
from paper.protocol import PAPER_SHARE
from paper.schema import METRICS


@dataclass(frozen=True)
class PublishedScore:
    """A cell of the tables of real datasets, in percent.

    `in_brackets` is a standard error for accuracy. For balanced accuracy it is not, whatever the
    caption says: see `implied_accuracy`.
    """

    mean: float
    in_brackets: float
    is_best: bool
    is_bold: bool


@dataclass(frozen=True)
class PublishedDataset:
    n_samples: int
    n_labelled: int
    n_unlabelled: int
    n_features: int
    prior: float


@dataclass(frozen=True)
class PublishedTest:
    benchmark: str
    p_value: float
    is_significant: bool


@dataclass(frozen=True)
class PublishedImprovement:
    average: float
    standard_deviation: float
    share_improved: float


@dataclass(frozen=True)
class Published:
    """All of it; keys are the names that the rows use.

    Attributes
    ----------
    scores : by metric, dataset, method
    diff_max : by metric, dataset
    tests : by test ("t", "wilcoxon"), direction ("out", "under"), metric, dataset
    improvements : by metric, benchmark
    datasets : by dataset
    configurations : values of each parameter of synthetic datasets
    earlier : accuracy by dataset, of the authors' earlier paper with about 10 % labelled
    """

    scores: dict[tuple[str, str, str], PublishedScore]
    diff_max: dict[tuple[str, str], float]
    tests: dict[tuple[str, str, str, str], PublishedTest]
    improvements: dict[tuple[str, str], PublishedImprovement]
    datasets: dict[str, PublishedDataset]
    configurations: dict[str, tuple[str, ...]]
    earlier: dict[str, float]

    def standard_error(self, dataset: str, method: str) -> float:
        """The published one of accuracy; none is published for balanced accuracy."""
        return self.scores["accuracy", dataset, method].in_brackets

    def implied_accuracy(self, dataset: str, method: str) -> float:
        """The accuracy if the brackets of balanced accuracy are half the gap between classes.

        It equals the printed accuracy to within rounding in every cell, so that is what they are.
        Which of the two classes is the better one is not printed; the nearer result is taken.
        """
        counts = self.datasets[dataset]
        n_positives = round(counts.n_labelled / PAPER_SHARE) - counts.n_labelled
        share = n_positives / counts.n_unlabelled
        cell = self.scores["balanced_accuracy", dataset, method]
        printed = self.scores["accuracy", dataset, method].mean
        both = [cell.mean + sign * cell.in_brackets * (2.0 * share - 1.0) for sign in (1.0, -1.0)]
        return min(both, key=lambda value: abs(value - printed))


_METHODS = with_role("benchmark", "paper")
_METRIC, _DATASET, _METHOD = one_of(METRICS), one_of(REAL_NAMES), one_of(_METHODS)
_BENCHMARK = one_of(with_role("benchmark"))


def read_published(folder: Path) -> Published:
    if not folder.is_dir():
        raise FileProblem(f"{folder} is not a folder: it should hold the paper's published numbers")
    return Published(
        scores=_read_scores(folder / "real_accuracy.csv", "accuracy", "standard_error")
        | _read_scores(folder / "real_balanced_accuracy.csv", "balanced_accuracy", "in_brackets"),
        diff_max={
            (line.read("metric", _METRIC), line.read("dataset", _DATASET)): line.read(
                "percent", number_in(-100.0, 0.0)
            )
            for line in read_lines(folder / "diff_max.csv", ("metric", "dataset", "percent"))
        },
        tests=_read_tests(folder / "p_values.csv"),
        improvements=_read_improvements(folder / "synthetic_improvement.csv"),
        datasets=_read_datasets(folder / "datasets.csv"),
        configurations={
            line.read("parameter", TEXT): tuple(line.read("values", TEXT).split())
            for line in read_lines(folder / "synthetic_configurations.csv", ("parameter", "values"))
        },
        earlier={
            line.read("dataset", _DATASET): line.read("accuracy", PERCENT)
            for line in read_lines(folder / "earlier_10_percent.csv", ("dataset", "accuracy"))
        },
    )


def _read_scores(
    file: Path, metric: str, brackets: str
) -> dict[tuple[str, str, str], PublishedScore]:
    columns = ("dataset", "method", "mean", brackets, "is_best", "is_bold")
    scores = {
        (
            metric,
            line.read("dataset", _DATASET),
            line.read("method", _METHOD),
        ): PublishedScore(
            line.read("mean", PERCENT),
            line.read(brackets, PERCENT),
            line.read("is_best", YES_OR_NO),
            line.read("is_bold", YES_OR_NO),
        )
        for line in read_lines(file, columns)
    }
    for dataset in REAL_NAMES:
        for method in _METHODS:
            if (metric, dataset, method) not in scores:
                raise FileProblem(f"{file}: no line for {dataset}, {method}")
    return scores


def _read_tests(file: Path) -> dict[tuple[str, str, str, str], PublishedTest]:
    columns = ("test", "direction", "metric", "dataset", "benchmark", "p_value", "is_significant")
    return {
        (
            line.read("test", one_of(("t", "wilcoxon"))),
            line.read("direction", one_of(("out", "under"))),
            line.read("metric", _METRIC),
            line.read("dataset", _DATASET),
        ): PublishedTest(
            line.read("benchmark", _BENCHMARK),
            line.read("p_value", SHARE),
            line.read("is_significant", YES_OR_NO),
        )
        for line in read_lines(file, columns)
    }


def _read_improvements(file: Path) -> dict[tuple[str, str], PublishedImprovement]:
    columns = ("metric", "benchmark", "average", "standard_deviation", "share_improved")
    return {
        (
            line.read("metric", _METRIC),
            line.read("benchmark", _BENCHMARK),
        ): PublishedImprovement(
            line.read("average", number_in(-100.0, 1000.0)),
            line.read("standard_deviation", number_in(0.0, 1000.0)),
            line.read("share_improved", PERCENT),
        )
        for line in read_lines(file, columns)
    }


def _read_datasets(file: Path) -> dict[str, PublishedDataset]:
    columns = ("dataset", "n_samples", "n_labelled", "n_unlabelled", "n_features", "prior")
    datasets = {
        line.read("dataset", _DATASET): PublishedDataset(
            line.read("n_samples", WHOLE_NUMBER),
            line.read("n_labelled", WHOLE_NUMBER),
            line.read("n_unlabelled", WHOLE_NUMBER),
            line.read("n_features", WHOLE_NUMBER),
            line.read("prior", SHARE),
        )
        for line in read_lines(file, columns)
    }
    missing = [name for name in REAL_NAMES if name not in datasets]
    if missing:
        raise FileProblem(f"{file}: no line for {', '.join(missing)}")
    return datasets
