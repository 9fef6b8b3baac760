"""The tables that benchmarks run on, labels drawn, and the accuracies that the paper prints."""

import csv
import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.metrics import balanced_accuracy_score

from benchmarks.harness import Run
from paper.datasets import RealDataset, data_folder, load_real, seed_from_names
from pucut.datasets import pu_split

PUBLISHED = Path(__file__).parents[1] / "paper" / "published"
BUNDLED = ("digits", "breast cancer", "wine")


@dataclass(frozen=True, eq=False)
class Draw:
    """A dataset with some of its positives labelled."""

    name: str
    X: npt.NDArray[Any]
    is_positive: npt.NDArray[np.bool_]
    is_labelled: npt.NDArray[np.bool_]
    seed: int

    @property
    def prior(self) -> float:
        return float(self.is_positive.mean())

    def accuracy(self, said: npt.NDArray[Any]) -> float:
        """Accuracy of predicted classes on the unlabelled rows, in %."""
        return 100 * float((said == self.is_positive)[~self.is_labelled].mean())

    def balanced_accuracy(self, said: npt.NDArray[Any]) -> float:
        others = ~self.is_labelled
        return 100 * float(balanced_accuracy_score(self.is_positive[others], said[others]))


def drawn(dataset: RealDataset, share: float = 0.6, split: int = 0) -> Draw:
    """Labels depend on the names of dataset, share and split alone."""
    seed = seed_from_names(dataset.name, share, split)
    labelled = pu_split(dataset.is_positive, share, random_state=seed)
    return Draw(dataset.name, dataset.X, dataset.is_positive, labelled, seed)


def loaded(run: Run, names: Sequence[str] | None = None) -> Iterator[RealDataset]:
    """The real datasets of --datasets, or those named; unavailable ones are left out."""
    for name in names if names is not None else run.options.datasets:
        try:
            yield load_real(name)
        except OSError as error:
            run.note(str(error))
            run.leave_out(f"the dataset {name} cannot be read or downloaded here: left out")


def table_of(name: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Rows and classes of a table that comes with scikit-learn, or of a real dataset."""
    if name == "digits":
        X, digit = load_digits(return_X_y=True)
        return X, digit % 2 == 1
    if name == "breast cancer":
        X, benign = load_breast_cancer(return_X_y=True)
        return X, benign == 0
    if name == "wine":
        X, kind = load_wine(return_X_y=True)
        return X, kind == 0
    dataset = load_real(name)
    return dataset.X, dataset.is_positive


@dataclass(frozen=True)
class PracticeTask:
    """A table of the folder `practice` in PUCUT_DATA, and which of its classes are positive."""

    name: str
    positive_classes: frozenset[str]
    n_rows: int


def practice_tasks() -> list[PracticeTask]:
    """All that tasks.csv names, the smallest first; OSError if there are none."""
    with open(_practice() / "tasks.csv", encoding="utf-8", newline="") as lines:
        tasks = [
            PracticeTask(row["table"], frozenset(row["positive_classes"].split()), int(row["rows"]))
            for row in csv.DictReader(lines)
        ]
    return sorted(tasks, key=lambda task: (task.n_rows, task.name))


def practice_table(task: PracticeTask) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Rows of a task, and whether they are positive."""
    values, classes = practice_classes(task)
    return values, np.isin(classes, sorted(task.positive_classes))


def practice_classes(task: PracticeTask) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Rows of a task, and their classes by name, all that the table has."""
    with gzip.open(
        _practice() / f"{task.name}.csv.gz", "rt", encoding="utf-8", newline=""
    ) as lines:
        header, *rows = csv.reader(lines)
    if header[-1] != "class":
        raise ValueError(f"the last column of {task.name} must be class, found {header[-1]!r}")
    values = np.array([row[:-1] for row in rows], dtype=np.float64)
    return values, np.array([row[-1] for row in rows])


def _practice() -> Path:
    return data_folder() / "practice"


def published(method: str, metric: str = "accuracy") -> dict[str, float]:
    """The paper's figures for `upu`, `nnpu`, `pu_et` or `two_hnc` by dataset, in %."""
    with open(PUBLISHED / f"real_{metric}.csv", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {row["dataset"]: float(row["mean"]) for row in rows if row["method"] == method}
