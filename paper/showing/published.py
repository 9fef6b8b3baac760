"""The paper's printed numbers, from the files of `paper/published`."""

from dataclasses import dataclass
from pathlib import Path

from paper.showing.csv_files import FileProblem, read_lines
from paper.showing.names import BENCHMARKS, DATASET_TITLES, METRICS, PAPER_METHODS


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
        n_positives = round(counts.n_labelled / 0.6) - counts.n_labelled
        share = n_positives / counts.n_unlabelled
        cell = self.scores["balanced_accuracy", dataset, method]
        printed = self.scores["accuracy", dataset, method].mean
        both = [cell.mean + sign * cell.in_brackets * (2.0 * share - 1.0) for sign in (1.0, -1.0)]
        return min(both, key=lambda value: abs(value - printed))


_DATASETS = tuple(DATASET_TITLES)


def read_published(folder: Path) -> Published:
    if not folder.is_dir():
        raise FileProblem(f"{folder} is no folder: it should hold the paper's published numbers")
    return Published(
        scores=_read_scores(folder / "real_accuracy.csv", "accuracy", "standard_error")
        | _read_scores(folder / "real_balanced_accuracy.csv", "balanced_accuracy", "in_brackets"),
        diff_max={
            (line.one_of("metric", METRICS), line.one_of("dataset", _DATASETS)): line.number_in(
                "percent", -100.0, 0.0
            )
            for line in read_lines(folder / "diff_max.csv", ("metric", "dataset", "percent"))
        },
        tests=_read_tests(folder / "p_values.csv"),
        improvements=_read_improvements(folder / "synthetic_improvement.csv"),
        datasets=_read_datasets(folder / "datasets.csv"),
        configurations={
            line.text("parameter"): tuple(line.text("values").split())
            for line in read_lines(folder / "synthetic_configurations.csv", ("parameter", "values"))
        },
        earlier={
            line.one_of("dataset", _DATASETS): line.number_in("accuracy", 0.0, 100.0)
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
            line.one_of("dataset", _DATASETS),
            line.one_of("method", PAPER_METHODS),
        ): PublishedScore(
            line.number_in("mean", 0.0, 100.0),
            line.number_in(brackets, 0.0, 100.0),
            line.yes_or_no("is_best"),
            line.yes_or_no("is_bold"),
        )
        for line in read_lines(file, columns)
    }
    for dataset in _DATASETS:
        for method in PAPER_METHODS:
            if (metric, dataset, method) not in scores:
                raise FileProblem(f"{file}: no line for {dataset}, {method}")
    return scores


def _read_tests(file: Path) -> dict[tuple[str, str, str, str], PublishedTest]:
    columns = ("test", "direction", "metric", "dataset", "benchmark", "p_value", "is_significant")
    return {
        (
            line.one_of("test", ("t", "wilcoxon")),
            line.one_of("direction", ("out", "under")),
            line.one_of("metric", METRICS),
            line.one_of("dataset", _DATASETS),
        ): PublishedTest(
            line.one_of("benchmark", BENCHMARKS),
            line.number_in("p_value", 0.0, 1.0),
            line.yes_or_no("is_significant"),
        )
        for line in read_lines(file, columns)
    }


def _read_improvements(file: Path) -> dict[tuple[str, str], PublishedImprovement]:
    columns = ("metric", "benchmark", "average", "standard_deviation", "share_improved")
    return {
        (
            line.one_of("metric", METRICS),
            line.one_of("benchmark", BENCHMARKS),
        ): PublishedImprovement(
            line.number_in("average", -100.0, 1000.0),
            line.number_in("standard_deviation", 0.0, 1000.0),
            line.number_in("share_improved", 0.0, 100.0),
        )
        for line in read_lines(file, columns)
    }


def _read_datasets(file: Path) -> dict[str, PublishedDataset]:
    columns = ("dataset", "n_samples", "n_labelled", "n_unlabelled", "n_features", "prior")
    datasets = {
        line.one_of("dataset", _DATASETS): PublishedDataset(
            line.whole_number("n_samples"),
            line.whole_number("n_labelled"),
            line.whole_number("n_unlabelled"),
            line.whole_number("n_features"),
            line.number_in("prior", 0.0, 1.0),
        )
        for line in read_lines(file, columns)
    }
    missing = [name for name in _DATASETS if name not in datasets]
    if missing:
        raise FileProblem(f"{file}: no line for {', '.join(missing)}")
    return datasets
