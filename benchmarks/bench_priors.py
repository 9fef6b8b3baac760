"""Errors of estimated priors, on the real datasets and others.

errors  each method, with 60 % and with 10 % of the positives labelled, several random splits each:
        mean absolute error of the prior among all samples. "bbe", "dedpul" and "elkan_noto" share
        the out-of-fold scores of the default classifier; these, and only these, are computed on at
        most 5 000 rows where a table is wide. Then, of "auto", the mean signed error, how often the
        interval held the true prior, and how often it said that only an upper bound can be known.
practice  each method on the practice tables, 2, 10 and 60 % of the positives labelled, at least 5:
        mean absolute error.
spread  "auto" where priors are as often small or large as not: practice tables with their classes
        regrouped at random and rows of one side dropped, and tables of `make_classification`;
        priors from 0.06 to 0.9, 2, 10 and 60 % of the positives labelled. Mean absolute error, how
        often the interval held the true prior, its width, and how often it was called a guess.
time    seconds of "auto" on Letter (20 000 x 16) and on small tables.
load    on 10 000 x 20, while other processes keep every processor busy: how many times longer it
        takes than by itself. With as many threads as processors half of their time is left.
"""

import os
from collections import defaultdict

import numpy as np
from sklearn.datasets import make_classification

from benchmarks.bench_practice import drawn_labels
from benchmarks.data import Draw, drawn, loaded, practice_classes, practice_tasks
from benchmarks.harness import Benchmark, Goal, Option, Run
from benchmarks.processes import busy_processes
from benchmarks.timing import ratio_of, seconds_of, side_by_side
from paper.datasets import REAL_NAMES, seed_from_names
from pucut.datasets import pu_split
from pucut.judging.cross_fitting import cross_fit, default_classifier
from pucut.priors import METHODS, estimate_prior

SHARES = (0.6, 0.1)
SPREAD_SHARES, FEWEST_LABELS, LEAST_OF_A_SIDE = (0.02, 0.1, 0.6), 5, 20
FROM_SCORES = ("bbe", "dedpul", "elkan_noto")
WIDE, ROWS_IF_WIDE, ROWS = 128, 5_000, 20_000

bench = Benchmark(
    __file__,
    __doc__,
    goals={
        "error at 60%": Goal(0.03, wanted=0.02),
        "error at 10%": Goal(0.06, wanted=0.04),
        "seconds on Letter": Goal(60),
        "beside others": Goal(2.5),
    },
    options={
        "datasets": Option(tuple(REAL_NAMES), quick=("vote",)),
        "splits": Option(3, quick=1),
        "methods": Option(tuple(METHODS), quick=("auto", "bbe")),
        "most_rows": Option(3500, quick=600, help="of a practice table; larger ones are left out"),
        "tasks": Option(9, quick=3, help="made of each practice table"),
        "made": Option(120, quick=6, help="tables of make_classification"),
    },
)


def estimates(draw, methods, seed):
    """Pairs of method and timing; the result of the timing is the estimate."""
    scores = rows = None
    for method in methods:
        if method in FROM_SCORES:
            if scores is None:
                n_rows = ROWS_IF_WIDE if draw.X.shape[1] > WIDE else ROWS
                rows = np.random.RandomState(seed).permutation(len(draw.X))[:n_rows]
                scores = cross_fit(
                    default_classifier(draw.X),
                    draw.X[rows],
                    draw.is_labelled[rows],
                    random_state=seed,
                ).scores
            X, labels, given = None, draw.is_labelled[rows], {"scores": scores}
        else:
            X, labels, given = draw.X, draw.is_labelled, {}
        yield (
            method,
            side_by_side(
                {
                    method: lambda m=method, X=X, y=labels, given=given: estimate_prior(
                        X, y, m, random_state=seed, **given
                    )
                },
                1,
            )[method],
        )


@bench.part
def errors(run: Run) -> None:
    methods = run.options.methods
    found = defaultdict(list)  # by method, share and dataset: (error, held, is upper bound)
    for dataset in loaded(run):
        for share in SHARES:
            took = defaultdict(list)
            for split in range(run.options.splits):
                for method, timing in estimates(drawn(dataset, share, split), methods, split):
                    low, high = timing.result.interval
                    found[method, share, dataset.name].append(
                        (
                            timing.result.prior - dataset.prior,
                            low <= dataset.prior <= high,
                            timing.result.is_upper_bound,
                        )
                    )
                    took[method].append(timing.seconds)
            runs = {method: found[method, share, dataset.name] for method in methods}
            run.row(
                f"{dataset.name}, {share:.0%} labelled",
                {
                    **{method: absolute_error(values) for method, values in runs.items()},
                    **{f"{method} s": float(np.mean(took[method])) for method in methods},
                },
            )
    names = {name for *_, name in found}
    for share in SHARES if names else ():
        means = {
            method: float(np.mean([absolute_error(found[method, share, n]) for n in names]))
            for method in methods
        }
        run.row(
            f"mean, {share:.0%} labelled",
            means,
            ratio=means.get("auto"),
            goal=f"error at {share:.0%}",
            peer="the true prior",
        )
    show_auto(run, found)


def absolute_error(runs):
    return float(np.mean([abs(error) for error, *_ in runs]))


def show_auto(run, found):
    for (method, share, name), runs in found.items():
        if method == "auto":
            signed, held, fired = np.array(runs, dtype=float).T
            run.row(
                f"auto, {name}, {share:.0%}",
                {
                    "signed": float(signed.mean()),
                    "held": int(held.sum()),
                    "upper bound": int(fired.sum()),
                    "runs": len(runs),
                },
            )
    for method in run.options.methods:
        held = [each[1] for (name, *_), runs in found.items() if name == method for each in runs]
        if held:
            run.note(f"{method}: {np.mean(held):.0%} of {len(held)} intervals held the true prior")


@bench.part
def practice(run: Run) -> None:
    found = defaultdict(list)
    for task in small_tasks(run):
        for share in SPREAD_SHARES:
            for split in range(run.options.splits):
                draw = drawn_labels(task, share, split)
                for method in run.options.methods:
                    estimate = estimate_prior(
                        draw.X, draw.is_labelled, method, random_state=draw.seed
                    )
                    found[share, method].append(abs(estimate.prior - draw.prior))
    for share in SPREAD_SHARES if found else ():
        means = {method: float(np.mean(found[share, method])) for method in run.options.methods}
        run.row(f"practice tables, {share:.0%} labelled", means)


@bench.part
def spread(run: Run) -> None:
    for kind, draws in (("regrouped", regrouped(run)), ("made", made(run.options.made))):
        found = defaultdict(list)
        for share, draw in draws:
            estimate = estimate_prior(draw.X, draw.is_labelled, random_state=draw.seed)
            low, high = estimate.interval
            truth = draw.prior
            held, guessed = low <= truth <= high, bool(estimate.doubts)
            found[share].append((abs(estimate.prior - truth), held, high - low, guessed))
        for share, values in sorted(found.items()):
            error, held, width, guessed = np.mean(values, axis=0)
            figures = {"error": error, "held": held, "width": width, "guessed": guessed}
            run.row(f"{kind}, {share:.0%} labelled", figures | {"tables": len(values)})


def small_tasks(run):
    """Practice tables of at most --most-rows rows."""
    try:
        tasks = practice_tasks()
    except OSError as error:
        run.leave_out(f"the practice tables are not there ({error})")
        return []
    return [task for task in tasks if task.n_rows <= run.options.most_rows]


def regrouped(run):
    """Shares of labels and tables with other positive classes than tasks.csv says."""
    for task in small_tasks(run):
        X, classes = practice_classes(task)
        names = np.unique(classes)
        for number in range(run.options.tasks):
            seed = seed_from_names(task.name, "regrouped", number) % (1 << 31)
            random = np.random.RandomState(seed)
            chosen = random.permutation(names)[: random.randint(1, len(names))]
            is_positive = np.isin(classes, chosen)
            rows = rows_with_prior(is_positive, random.uniform(0.06, 0.9), random)
            y = is_positive[rows]
            if min(y.sum(), (~y).sum()) >= LEAST_OF_A_SIDE:
                yield labelled(f"{task.name} {number}", X[rows], y, number, seed)


def rows_with_prior(is_positive, prior, random):
    """All rows of one class, and enough of the other for this share of positives."""
    sides = [random.permutation(np.flatnonzero(is_positive == side)) for side in (False, True)]
    odds = prior / (1.0 - prior)
    n_positive = min(len(sides[1]), round(len(sides[0]) * odds))
    n_negative = min(len(sides[0]), round(len(sides[1]) / odds))
    return np.sort(np.concatenate([sides[0][:n_negative], sides[1][:n_positive]]))


def made(n_tables):
    for number in range(n_tables):
        random = np.random.RandomState(number)
        n_columns, prior = int(random.choice([5, 10, 20])), random.uniform(0.06, 0.9)
        X, y = make_classification(
            int(random.choice([400, 1000, 2000])),
            n_columns,
            n_informative=int(random.choice([n_columns, n_columns // 2])),
            n_redundant=0,
            n_clusters_per_class=1,
            weights=[1.0 - prior],
            class_sep=random.choice([0.5, 1.0, 2.0]),
            random_state=number,
        )
        yield labelled(f"made {number}", X, y == 1, number, number)


def labelled(name, X, is_positive, number, seed):
    share = SPREAD_SHARES[number % len(SPREAD_SHARES)]
    n_labelled = max(FEWEST_LABELS, int(share * is_positive.sum()))
    is_labelled = pu_split(is_positive, n_labelled=n_labelled, random_state=seed)
    return share, Draw(name, X, is_positive, is_labelled, seed)


@bench.part
def time(run: Run) -> None:
    tables = [
        (f"Letter, {len(letter.X)} x 16", letter.X, letter.is_positive, 0.6)
        for letter in loaded(run, () if run.options.quick else ("letter",))
    ]
    for n_rows in (30, 200):
        X, y = make_classification(n_rows, 10, random_state=0)
        tables.append((f"{n_rows} x 10", X, y == 1, 0.5))
    for name, X, is_positive, share in tables:
        y = pu_split(is_positive, share, random_state=0)
        took = side_by_side({"auto": lambda X=X, y=y: estimate_prior(X, y, random_state=0)}, 1)[
            "auto"
        ].seconds
        is_letter = name.startswith("Letter")
        run.row(
            name,
            {"seconds": took},
            ratio=took if is_letter else None,
            goal="seconds on Letter",
            peer="seconds",
        )


@bench.part
def load(run: Run) -> None:
    n_rows = 1_000 if run.options.quick else 10_000
    X, truth = make_classification(n_rows, 20, n_informative=8, random_state=0)
    y = pu_split(truth == 1, 0.3, random_state=0)
    for method in run.options.methods:
        for n_jobs in (None, -1):

            def alone(method=method, n_jobs=n_jobs):
                return estimate_prior(X, y, method, n_jobs=n_jobs, random_state=0)

            def beside(alone=alone):
                with busy_processes(os.cpu_count() or 1):
                    return alone()

            times = side_by_side({"alone": alone, "beside": beside}, 1 if run.options.quick else 3)
            run.row(
                f"{method}, n_jobs={n_jobs}",
                seconds_of(times),
                ratio=ratio_of(times, "alone", own="beside"),
                goal="beside others",
                peer="by itself",
            )


if __name__ == "__main__":
    bench.main()
