"""Methods on the practice tables: accuracy, hidden and true recall, and the prior.

fits     every method on every table, for several shares of labels and splits, with the true prior
         and with an estimated one. A line per table and share, then the means over the tables:
         accuracy on the unlabelled rows in %; its recall of the unlabelled positives next to the
         recall of hidden ones that it reports (selection_); in how many fits these are within two
         standard errors of both; the mean absolute error of the estimated prior, how often its
         interval held the true one, how often it was called a guess, and the accuracy lost by it.
against  the fits of --rows less those of another file, --against, such as one of another version:
         means with the standard error over tables, and the tables that lost more than one standard
         error of their own mean over splits. Other random states change the means by some 0.05
         points; --repeats 3 fits each split with three.

The tables are those of the folder practice in PUCUT_DATA; tasks.csv there names their positive
classes. --rows FILE keeps a line for each fit. No goals.
"""

import csv
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.data import Draw, PracticeTask, practice_table, practice_tasks
from benchmarks.harness import Benchmark, Option, Run, Skip
from paper.datasets import seed_from_names
from pucut.datasets import pu_split
from pucut.methods import METHODS

FEWEST_LABELS = 5
TRUE, AUTO = "true", "auto"

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "tables": Option("all", quick="monk2,saheart", help="names, with commas between"),
        "most_rows": Option(3000, help="of a table; larger ones are left out"),
        "shares": Option((0.02, 0.1, 0.6), help="of the positives that is labelled, at least 5"),
        "splits": Option(5, quick=1),
        "repeats": Option(1, help="fits of each split, with other random states"),
        "methods": Option(("pucut",)),
        "priors": Option((TRUE, AUTO), help="the true prior, or estimated"),
        "jobs": Option(1, help="processes"),
        "rows": Option(None, help="file for a line of each fit"),
        "against": Option(None, help="such a file of other fits"),
    },
)


@dataclass(frozen=True)
class Fit:
    """A fit; values that a method lacks are NaN. Shares and recalls are from 0 to 1."""

    table: str
    share: float
    split: int
    method: str
    prior_from: str
    n_rows: int
    n_labelled: int
    accuracy: float
    recall: float
    recall_error: float
    hidden_recall: float
    hidden_error: float
    true_prior: float
    prior: float
    low: float
    high: float
    seconds: float
    is_guess: float = float("nan")
    repeat: int = 0

    @property
    def key(self) -> tuple[str, float, int, str, str, int]:
        return self.table, self.share, self.split, self.method, self.prior_from, self.repeat

    @property
    def is_within(self) -> float:
        """Tell whether hidden and true recall differ by at most two standard errors."""
        error = np.hypot(self.recall_error, self.hidden_error)
        return float(abs(self.hidden_recall - self.recall) <= 2.0 * error) + 0.0 * error

    @property
    def is_held(self) -> float:
        """Tell whether the interval of the prior holds the true one."""
        return float(self.low <= self.true_prior <= self.high) + 0.0 * self.low


def fits_of_split(
    task: PracticeTask,
    share: float,
    split: int,
    methods: Sequence[str],
    priors: Sequence[str],
    n_repeats: int,
) -> list[Fit]:
    """Fit all methods on the same labels, in the process that calls it."""
    draw = drawn_labels(task, share, split)
    return [
        fitted(draw, share, split, method, prior, repeat)
        for method in methods
        for prior in priors
        for repeat in range(n_repeats)
    ]


def drawn_labels(task: PracticeTask, share: float, split: int) -> Draw:
    """A table with labels that depend on the names alone."""
    X, is_positive = practice_table(task)
    n_labelled = max(FEWEST_LABELS, int(share * is_positive.sum() + 1e-9))
    seed = seed_from_names(task.name, share, split)
    is_labelled = pu_split(is_positive, n_labelled=n_labelled, random_state=seed)
    return Draw(task.name, X, is_positive, is_labelled, seed)


def fitted(
    draw: Draw, share: float, split: int, method: str, prior_from: str, repeat: int = 0
) -> Fit:
    X, is_positive, is_labelled = draw.X, draw.is_positive, draw.is_labelled
    model = METHODS[method]()
    truth = draw.prior
    given = {"prior": truth if prior_from == TRUE else AUTO, "random_state": draw.seed + repeat}
    known = model.get_params()
    model.set_params(**{name: value for name, value in given.items() if name in known})
    start = time.process_time()
    model.fit(X, is_labelled)
    seconds = time.process_time() - start
    said = model.transduction_ if hasattr(model, "transduction_") else model.predict(X)
    others, hidden = ~is_labelled, is_positive & ~is_labelled
    recall = float(said[hidden].mean())
    judged = [each for each in getattr(model, "selection_", ()) if each.kind == "mixture"]
    estimate = getattr(model, "prior_estimate_", None)
    low, high = (np.nan, np.nan) if estimate is None else estimate.interval
    return Fit(
        draw.name,
        share,
        split,
        method,
        prior_from,
        len(X),
        int(is_labelled.sum()),
        float((said == is_positive)[others].mean()),
        recall,
        error_of(recall, int(hidden.sum())),
        judged[0].hidden_recall if judged else np.nan,
        judged[0].standard_error if judged else np.nan,
        truth,
        float(model.prior_),
        float(low),
        float(high),
        seconds,
        np.nan if estimate is None else float(bool(estimate.doubts)),
        repeat,
    )


def error_of(recall: float, n_rows: int) -> float:
    return max(float(np.sqrt(recall * (1.0 - recall) / n_rows)), 1.0 / n_rows)


def all_fits(run: Run) -> Iterator[list[Fit]]:
    """Yield the fits of one split after the other, as they are ready."""
    options = run.options
    settings = [
        (task, share, split, options.methods, options.priors, options.repeats)
        for task in wanted_tasks(run)
        for share in options.shares
        for split in range(options.splits)
    ]
    if options.jobs == 1:
        yield from (fits_of_split(*setting) for setting in settings)
        return
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(fits_of_split, *zip(*settings, strict=True))


def wanted_tasks(run: Run) -> list[PracticeTask]:
    """The tasks that --tables and --most-rows allow."""
    options = run.options
    try:
        tasks = practice_tasks()
    except OSError as error:
        raise Skip(f"the practice tables are not there ({error})") from error
    if options.tables != "all":
        wanted = options.tables.split(",")
        unknown = set(wanted) - {task.name for task in tasks}
        if unknown:
            raise SystemExit(
                f"--tables names {', '.join(sorted(unknown))}, which tasks.csv has not"
            )
        tasks = [task for task in tasks if task.name in wanted]
    left_out = [task.name for task in tasks if task.n_rows > options.most_rows]
    if left_out:
        run.leave_out(f"more than {options.most_rows} rows: {', '.join(left_out)}")
    return [task for task in tasks if task.name not in left_out]


@bench.part
def fits(run: Run) -> None:
    found: list[Fit] = []
    file = None if run.options.rows is None else Path(run.options.rows)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_line(file, [field.name for field in fields(Fit)], "w")
    for some in all_fits(run):
        found += some
        for fit in some if file is not None else ():
            write_line(file, asdict(fit).values(), "a")
    for (method, share, table), some in grouped(found, "method", "share", "table").items():
        run.row(f"{method}, {share:.0%}, {table}", figures(some))
    for (method, share), some in grouped(found, "method", "share").items():
        by_table = [figures(each) for each in grouped(some, "table").values()]
        means = {name: mean([each[name] for each in by_table]) for name in by_table[0]}
        run.row(f"{method}, {share:.0%}, mean of {len(by_table)} tables", means)


def figures(found: Sequence[Fit]) -> dict[str, float]:
    """Figures of the fits of a method with one share of labels."""
    known = [fit for fit in found if fit.prior_from == TRUE]
    estimated = [fit for fit in found if fit.prior_from == AUTO]
    accuracy, with_auto = (mean([fit.accuracy for fit in each]) for each in (known, estimated))
    judged = known or estimated
    return {
        "accuracy": 100.0 * accuracy,
        "recall": 100.0 * mean([fit.recall for fit in judged]),
        "hidden recall": 100.0 * mean([fit.hidden_recall for fit in judged]),
        "within 2": mean([fit.is_within for fit in judged]),
        "prior error": mean([prior_error(fit) for fit in estimated]),
        "held": mean([fit.is_held for fit in estimated]),
        "guessed": mean([fit.is_guess for fit in estimated]),
        "error, guessed": mean([prior_error(fit) for fit in estimated if fit.is_guess == 1.0]),
        "error, others": mean([prior_error(fit) for fit in estimated if fit.is_guess == 0.0]),
        "lost": 100.0 * (accuracy - with_auto),
        "seconds": mean([fit.seconds for fit in judged]),
    }


def prior_error(fit: Fit) -> float:
    return abs(fit.prior - fit.true_prior)


def mean(values: Sequence[float]) -> float:
    kept = [value for value in values if np.isfinite(value)]
    return float(np.mean(kept)) if kept else float("nan")


def grouped(found: Iterable[Fit], *names: str) -> dict[tuple[object, ...], list[Fit]]:
    groups = defaultdict(list)
    for fit in found:
        groups[tuple(getattr(fit, name) for name in names)].append(fit)
    return dict(groups)


@bench.part
def against(run: Run) -> None:
    if run.options.rows is None or run.options.against is None:
        raise Skip("it needs two files of fits, --rows and --against")
    new, old = (read(Path(file)) for file in (run.options.rows, run.options.against))
    same = [fit for key, fit in new.items() if key in old]
    if not same:
        raise Skip("the two files have no fit in common")
    gained = defaultdict(lambda: defaultdict(list))  # by kind of fit, and table: of each split
    for group in grouped(same, "method", "share", "prior_from", "table", "split").values():
        one = group[0]
        points = [100.0 * (fit.accuracy - old[fit.key].accuracy) for fit in group]
        gained[one.method, one.share, one.prior_from][one.table].append(mean(points))
    for (method, share, prior_from), by_table in gained.items():
        means = np.array([np.mean(each) for each in by_table.values()])
        run.row(
            f"{method}, {share:.0%}, prior {prior_from}",
            {
                "gained": float(means.mean()),
                "standard error": float(means.std(ddof=1) / np.sqrt(len(means)))
                if len(means) > 1
                else float("nan"),
                "tables": len(means),
                "better": int((means > 0.0).sum()),
                "worse": int((means < 0.0).sum()),
            },
        )
        for table, each in by_table.items():
            error = np.std(each, ddof=1) / np.sqrt(len(each)) if len(each) > 1 else 0.0
            if np.mean(each) < -error:
                run.note(f"  {table} lost {-np.mean(each):.2f} (standard error {error:.2f})")


def write_line(file: Path, values: Iterable[object], mode: str) -> None:
    with file.open(mode, encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerow(values)


def read(file: Path) -> dict[tuple[object, ...], Fit]:
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    kinds = {field.name: field.type for field in fields(Fit)}
    found = [Fit(**{name: kinds[name](value) for name, value in row.items()}) for row in rows]
    return {fit.key: fit for fit in found}


if __name__ == "__main__":
    bench.main()
