"""False alarms of the search for columns that know the labels, on tables that have none.

alarms  the practice tables and the real datasets, 2, 10, 60 and 90 % of the positives labelled,
        several random splits each: how many columns are named, and the seconds it takes. Labels are
        drawn at random, so that no column can know them.
"""

import numpy as np

from benchmarks.data import loaded, practice_table, practice_tasks
from benchmarks.harness import Benchmark, Goal, Option, Run
from benchmarks.timing import side_by_side
from paper.datasets import REAL_NAMES, seed_from_names
from pucut.data.labels import checked_pu_labels
from pucut.data.suspects import suspect_columns
from pucut.data.tables import as_table
from pucut.datasets import pu_split

FEWEST_LABELS = 5

bench = Benchmark(
    __file__,
    __doc__,
    goals={"false alarms": Goal(0)},
    options={
        "datasets": Option(tuple(REAL_NAMES), quick=("vote",)),
        "most_rows": Option(100_000, quick=1000, help="of a practice table"),
        "shares": Option((0.02, 0.1, 0.6, 0.9), quick=(0.1,)),
        "splits": Option(3, quick=1),
    },
)


def suspects(X, labels):
    return suspect_columns(as_table(X), labels)


def tables(run: Run):
    """Names, rows and classes; unavailable tables are left out."""
    try:
        tasks = [task for task in practice_tasks() if task.n_rows <= run.options.most_rows]
    except OSError as error:
        run.leave_out(f"the practice tables are not there ({error})")
        tasks = []
    for task in tasks:
        yield (task.name, *practice_table(task))
    for dataset in loaded(run):
        yield dataset.name, dataset.X, dataset.is_positive


@bench.part
def alarms(run: Run) -> None:
    n_tables = n_searches = n_alarms = 0
    for name, X, is_positive in tables(run):
        found, took = [], []
        for share in run.options.shares:
            for split in range(run.options.splits):
                labels = checked_pu_labels(
                    pu_split(
                        is_positive,
                        n_labelled=max(FEWEST_LABELS, int(share * is_positive.sum() + 1e-9)),
                        random_state=seed_from_names(name, share, split),
                    )
                )
                search = side_by_side(
                    {"search": lambda X=X, labels=labels: suspects(X, labels)}, 1
                )["search"]
                found += search.result
                took.append(search.seconds)
        run.row(name, {"alarms": len(found), "seconds": float(np.mean(took))})
        n_tables, n_searches = n_tables + 1, n_searches + len(took)
        n_alarms += len(found)
    run.row(
        f"{n_searches} searches in {n_tables} tables",
        {"alarms": n_alarms},
        ratio=float(n_alarms),
        goal="false alarms",
        peer="none",
    )


if __name__ == "__main__":
    bench.main()
