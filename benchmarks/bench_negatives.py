"""Known negatives on the practice tables: the gain by their number.

prior     of the estimated share of positives, by the number of known negatives: mean absolute and
          signed error, how often the interval held the truth, and its width; then the absolute
          error if known negatives are left out. Means of the tables.
accuracy  of the chooser, 2-HNC and PU trees with 0, 5, 20, 100 and as many known negatives as
          labelled positives, with the true prior and with an estimated one, and of HNCClassifier,
          which learns from labels of both classes and knows no prior. Always on the same rows:
          those that are unlabelled with any number of negatives. A line per table, then the means
          over the tables, what was gained over no negative with the standard error over the tables,
          and for as many as positives what is ahead of HNCClassifier.

The tables are those of the folder practice in PUCUT_DATA. Positives and negatives are drawn at
random; a table needs three times as many negatives as are known at most. --rows FILE keeps a line
for each fit. No goals.
"""

import csv
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from benchmarks.data import PracticeTask, practice_table, practice_tasks
from benchmarks.harness import Benchmark, Option, Run, Skip
from paper.datasets import seed_from_names
from pucut import HNCClassifier, estimate_prior
from pucut.datasets import pu_split
from pucut.methods import METHODS

COUNTS = (0, 5, 20, 100)
AS_MANY = "as many"
BOTH_CLASSES = "HNCClassifier"
FEWEST_LABELS = 5

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "tables": Option("all", quick="saheart", help="names, with commas between"),
        "most_rows": Option(2300, help="of a table; larger ones are left out"),
        "share": Option(0.1, help="of the positives that is labelled, at least 5"),
        "splits": Option(2, quick=1),
        "methods": Option(("pucut", "2-HNC", "PU extra trees", BOTH_CLASSES)),
        "priors": Option(("true", "auto"), help="the true prior, or estimated"),
        "rows": Option(None, help="file for a line of each fit"),
    },
)


@dataclass(frozen=True)
class Fit:
    """A fit; `negatives` is the number that is known, or "as many" as positives."""

    table: str
    split: int
    method: str
    prior_from: str
    negatives: str
    n_labelled: int
    accuracy: float
    seconds: float

    @property
    def kind(self) -> str:
        given = f", prior {self.prior_from}" if self.prior_from else ""
        return f"{self.method}{given}"


@dataclass(frozen=True, eq=False)
class Draw:
    """Labelled positives, and negatives in the order in which they become known."""

    X: np.ndarray
    is_positive: np.ndarray
    is_labelled: np.ndarray
    negatives: np.ndarray
    counts: dict[str, int]
    seed: int

    def labels(self, count: int) -> np.ndarray:
        y = np.where(self.is_labelled, 1, -1)
        y[self.negatives[:count]] = 0
        return y

    @property
    def judged(self) -> np.ndarray:
        """Return the rows that are unlabelled with any number of negatives."""
        judged = ~self.is_labelled
        judged[self.negatives[: max(self.counts.values())]] = False
        return judged


def drawn(task: PracticeTask, split: int, share: float) -> Draw | None:
    """Draw labels; None if the table has too few negatives."""
    X, is_positive = practice_table(task)
    n_labelled = max(FEWEST_LABELS, int(share * is_positive.sum() + 1e-9))
    counts = {**{str(count): count for count in COUNTS}, AS_MANY: n_labelled}
    seed = seed_from_names(task.name, share, split)
    is_labelled = pu_split(is_positive, n_labelled=n_labelled, random_state=seed)
    negatives = np.random.default_rng(seed).permutation(np.flatnonzero(~is_positive))
    if 3 * max(counts.values()) > len(negatives):
        return None
    return Draw(X, is_positive, is_labelled, negatives, counts, seed)


def fits_of_split(task: PracticeTask, split: int, options) -> Iterator[Fit]:
    draw = drawn(task, split, options.share)
    if draw is None:
        return
    truth, n_labelled = float(draw.is_positive.mean()), draw.counts[AS_MANY]
    for method in options.methods:
        for prior_from in [""] if method == BOTH_CLASSES else options.priors:
            for name, count in draw.counts.items():
                if method == BOTH_CLASSES and not count:
                    continue
                model = made(method, prior_from, truth, count, draw.seed)
                start = time.process_time()
                said = model.fit(draw.X, draw.labels(count)).transduction_
                seconds = time.process_time() - start
                right = float(((said == 1) == draw.is_positive)[draw.judged].mean())
                yield Fit(
                    task.name, split, method, prior_from, name, n_labelled, 100.0 * right, seconds
                )


def made(method: str, prior_from: str, truth: float, n_negative: int, seed: int):
    if method == BOTH_CLASSES:
        return HNCClassifier(random_state=seed)
    return METHODS[method]().set_params(
        prior=truth if prior_from == "true" else "auto",
        neg_label=0 if n_negative else None,
        random_state=seed,
    )


def chosen_tasks(run: Run) -> list[PracticeTask]:
    try:
        tasks = practice_tasks()
    except OSError as error:
        raise Skip(f"the practice tables are not there ({error})") from error
    if run.options.tables != "all":
        tasks = [task for task in tasks if task.name in run.options.tables.split(",")]
    left_out = [task.name for task in tasks if task.n_rows > run.options.most_rows]
    if left_out:
        run.leave_out(f"more than {run.options.most_rows} rows: {', '.join(left_out)}")
    return [task for task in tasks if task.name not in left_out]


def all_fits(run: Run) -> Iterator[Fit]:
    for task in chosen_tasks(run):
        found = [
            fit for s in range(run.options.splits) for fit in fits_of_split(task, s, run.options)
        ]
        if not found:
            run.leave_out(f"{task.name} has too few negatives")
        yield from found


@bench.part
def prior(run: Run) -> None:
    found = defaultdict(lambda: defaultdict(list))
    for task in chosen_tasks(run):
        for split in range(run.options.splits):
            draw = drawn(task, split, run.options.share)
            for name, count in {} if draw is None else draw.counts.items():
                y, neg_label = draw.labels(count), 0 if count else None
                estimate = estimate_prior(draw.X, y, neg_label=neg_label, random_state=draw.seed)
                rest = y != 0
                fewer = estimate_prior(draw.X[rest], y[rest], random_state=draw.seed)
                truth, (low, high) = float(draw.is_positive.mean()), estimate.interval
                error = estimate.prior - truth
                without = fewer.prior * rest.mean() - truth
                found[name][task.name].append(
                    (abs(error), error, low <= truth <= high, high - low, abs(without))
                )
    columns = ("error", "signed", "held", "width", "left out")
    for name, tables in found.items():
        means = np.mean([np.mean(some, axis=0) for some in tables.values()], axis=0)
        run.row(
            f"{name} negatives, mean of {len(tables)} tables",
            dict(zip(columns, map(float, means), strict=True)),
        )


@bench.part
def accuracy(run: Run) -> None:
    found: list[Fit] = []
    file = None if run.options.rows is None else Path(run.options.rows)
    if file is not None:
        write_line(file, [each.name for each in fields(Fit)], "w")
    for fit in all_fits(run):
        found.append(fit)
        if file is not None:
            write_line(file, asdict(fit).values(), "a")
    by_kind = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for fit in found:
        by_kind[fit.kind][fit.table][fit.negatives].append(fit.accuracy)
    columns = [*map(str, COUNTS), AS_MANY]
    means = {
        kind: np.array([[mean(of_table[name]) for name in columns] for of_table in tables.values()])
        for kind, tables in by_kind.items()
    }
    for kind, tables in by_kind.items():
        for table, line in zip(tables, means[kind], strict=True):
            run.row(f"{kind}, {table}", dict(zip(columns, line, strict=True)))
    for kind, lines in means.items():
        run.row(
            f"{kind}, mean of {len(lines)}", dict(zip(columns, lines.mean(axis=0), strict=True))
        )
    for kind, lines in means.items():
        if not np.isnan(lines[:, 0]).any():
            run.row(f"{kind}, gained", differences(columns, lines - lines[:, :1]))
        if BOTH_CLASSES in means and kind != BOTH_CLASSES:
            run.row(f"{kind}, ahead", differences(columns, lines - means[BOTH_CLASSES]))


def differences(columns: Sequence[str], lines) -> dict[str, tuple[float, float]]:
    """Means, and their standard errors over the tables."""
    error = lines.std(axis=0, ddof=1) / np.sqrt(len(lines)) if len(lines) > 1 else lines[0] * 0.0
    return {
        name: (float(value), float(spread))
        for name, value, spread in zip(columns, lines.mean(axis=0), error, strict=True)
    }


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def write_line(file: Path, values, mode: str) -> None:
    with file.open(mode, encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerow(values)


if __name__ == "__main__":
    bench.main()
