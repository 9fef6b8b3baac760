"""Time of predictions by a fitted model, and the size of its file.

one_row    milliseconds of `predict_proba` of one row, the median of many calls, on a table of
           30 000 x 20.
many_rows  seconds of the same for 10 000 rows at once, with one thread and with all processors.
file       bytes of a model file, of the model as fitted and of `model.compact()`.
"""

from functools import cache

import numpy as np
from sklearn.datasets import make_classification

from benchmarks.harness import Benchmark, Goal, Option, Run
from benchmarks.timing import side_by_side
from pucut import PUCutClassifier, TwoHNCClassifier
from pucut.datasets import pu_split
from pucut.model_files import dump_model

MODELS = (TwoHNCClassifier, PUCutClassifier)

bench = Benchmark(
    __file__,
    __doc__,
    goals={
        "milliseconds of a row": Goal(3),
        "seconds of many rows": Goal(0.5),
        "compact": Goal(1.0),
    },
    options={
        "rows": Option(30_000, quick=1_000),
        "new": Option(10_000, quick=300),
        "calls": Option(300, quick=20, help="calls with one row"),
        "repeats": Option(5, quick=1),
    },
)


@cache
def table(n_rows: int, n_new: int):
    X, truth = make_classification(n_rows + n_new, 20, n_informative=8, random_state=0)
    return X[:n_rows], pu_split(truth[:n_rows] == 1, 0.3, random_state=0), X[n_rows:]


@cache
def fitted(kind: type, n_rows: int, n_new: int, n_jobs: int):
    X, y, new = table(n_rows, n_new)
    model = kind(prior=0.5, n_jobs=n_jobs, random_state=0).fit(X, y)
    model.predict_proba(new[:1])  # the first call prepares the rows of the fit
    return model


@bench.part
def one_row(run: Run) -> None:
    size = run.options.rows, run.options.new
    rows = np.array_split(table(*size)[-1], size[1])
    for kind in MODELS:
        model = fitted(kind, *size, 1)
        places = iter(range(run.options.calls))
        times = side_by_side(
            {
                "row": lambda model=model, places=places: model.predict_proba(
                    rows[next(places) % len(rows)]
                )
            },
            run.options.calls,
        )["row"]
        figures = {"ms": 1e3 * times.seconds, "processor ms": 1e3 * times.processor}
        run.row(
            kind.__name__,
            figures,
            ratio=figures["ms"],
            goal="milliseconds of a row",
            peer="milliseconds",
        )


@bench.part
def many_rows(run: Run) -> None:
    size = run.options.rows, run.options.new
    new = table(*size)[-1]
    for kind in MODELS:
        for n_jobs in (1, -1):
            model = fitted(kind, *size, n_jobs)
            times = side_by_side(
                {"rows": lambda model=model: model.predict_proba(new)}, run.options.repeats
            )["rows"]
            run.row(
                f"{kind.__name__}, n_jobs={n_jobs}",
                {"s": times.seconds, "processor s": times.processor},
                ratio=times.seconds,
                goal="seconds of many rows",
                peer="seconds",
            )


@bench.part
def file(run: Run) -> None:
    for kind in MODELS:
        model = fitted(kind, run.options.rows, run.options.new, 1)
        whole, compact = (len(dump_model(each, {})) for each in (model, model.compact()))
        run.row(
            kind.__name__,
            {"MB": whole / 1e6, "compact MB": compact / 1e6},
            ratio=compact / whole,
            goal="compact",
            peer="as fitted",
        )


if __name__ == "__main__":
    bench.main()
