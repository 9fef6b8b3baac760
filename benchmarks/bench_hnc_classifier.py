"""HNCClassifier beside scikit-learn's semi-supervised methods, with few labels of both classes.

1, 5 and 10 % of the rows are labelled, drawn from each class, at least two of it; accuracy is that
on the unlabelled rows, in %. All methods see the same columns, standardised over all rows. Peers
with their defaults, but

    LabelSpreading, LabelPropagation    kernel="knn" (the default kernel takes memory of rows
                                        squared), up to 1000 rounds
    SelfTraining                        of LogisticRegression(max_iter=1000), at its threshold 0.75

accuracy  one line per dataset and method with the mean over --splits draws of labels for each
          share, the mean of the shares and seconds of a fit; then the best method of each.
          --variants adds HNCClassifier without scores and with lambda chosen.
practice  the practice tables of at most --most-rows rows, with all their classes and with two
          (tasks.csv names the positive ones), and scikit-learn's digits, odd or even and all ten;
          2 and 10 % of the rows labelled, of digits 5 % too. Next to ExtraTreesClassifier and
          LabelSpreading(kernel="knn"), on standardised columns and on columns as they are. Means of
          accuracy and of seconds of a processor, then the mean over the tables.
time      fits of growing samples of --timed datasets, HNCClassifier in turn with LabelSpreading,
          with either kernel; the ratio is to kernel="knn", in seconds of a processor.
"""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier

from benchmarks.data import loaded, practice_classes, practice_table, practice_tasks
from benchmarks.harness import Benchmark, Goal, Option, Run
from benchmarks.timing import seconds_of, side_by_side
from paper.datasets import REAL_NAMES, seed_from_names
from pucut import HNCClassifier
from pucut.data.encoding import learn_encoding

SHARES = (0.01, 0.05, 0.1)
OWN = "HNCClassifier"
PEERS = ("LabelSpreading", "LabelPropagation", "SelfTraining")
VARIANTS = {
    "no scores": {"scores": None},
    "no scores, lam cv": {"scores": None, "lam": "cv"},
    "lam cv": {"lam": "cv"},
    "lam prior": {"lam": "prior"},
    "plain features": {"feature_weights": None},
}
PRACTICE_SHARES, DIGITS_SHARES = (0.02, 0.1), (0.02, 0.05, 0.1)
TREES, SPREADING, SPREADING_AS_IS = "ExtraTrees", "LabelSpreading", "LabelSpreading, as is"
# A matrix of rows times rows: 0.8 GB, and as much again while it works.
MOST_ROWS_FOR_RBF = 10_000

bench = Benchmark(
    __file__,
    __doc__,
    goals={"time": Goal(1.0)},
    options={
        "datasets": Option(tuple(REAL_NAMES), quick=("vote",)),
        "timed": Option(("bean", "letter", "credit"), quick=("bean",)),
        "sizes": Option((1_000, 3_000, 10_000, 20_000, 40_000, 70_000), quick=(1_000,)),
        "splits": Option(5, quick=1),
        "repeats": Option(3, quick=1, help="of a timed fit"),
        "rows": Option(0, help="at most so many, drawn at random; 0 for all"),
        "tables": Option("all", quick="monk1,saheart", help="names, with commas between"),
        "most_rows": Option(2300, help="of a practice table; larger ones are left out"),
        "jobs": Option(0, help="0 for the methods' own number"),
        "variants": Option(False, help="add variants of HNCClassifier"),
    },
)


def methods(seed, n_jobs, variants):
    found = {
        OWN: HNCClassifier(n_jobs=n_jobs, random_state=seed),
        "LabelSpreading": LabelSpreading(kernel="knn", max_iter=1000, n_jobs=n_jobs),
        "LabelPropagation": LabelPropagation(kernel="knn", max_iter=1000, n_jobs=n_jobs),
        "SelfTraining": SelfTrainingClassifier(LogisticRegression(max_iter=1000)),
    }
    for name, options in VARIANTS.items() if variants else ():
        found[f"HNC, {name}"] = HNCClassifier(n_jobs=n_jobs, random_state=seed, **options)
    return found


def sample(dataset, n_rows, seed):
    X, y = dataset.X, dataset.is_positive.astype(int)
    if n_rows and n_rows < X.shape[0]:
        rows = np.random.RandomState(seed).choice(X.shape[0], n_rows, replace=False)
        X, y = X[rows], y[rows]
    points = learn_encoding(X)[1]
    if sp.issparse(points):
        points = sp.csr_matrix(points)
        points.indices, points.indptr = points.indices.astype("i4"), points.indptr.astype("i4")
    return points, y


def with_few_labels(y, share, seed):
    random = np.random.RandomState(seed)
    few = np.full(len(y), -1)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        n_labels = min(len(rows), max(2, round(share * len(rows))))
        few[random.choice(rows, n_labels, replace=False)] = label
    return few


def classes_by(model, X, few):
    """Fit, and predict the classes of the rows."""
    with warnings.catch_warnings():
        # Peers that stop after 1000 rounds say so; they are compared as they are.
        warnings.simplefilter("ignore")
        model.fit(X, few)
        return model.transduction_ if hasattr(model, "transduction_") else model.predict(X)


@bench.part
def accuracy(run: Run) -> None:
    means = {}
    for dataset in loaded(run):
        right, seconds = measured(run, dataset)
        for method, took in seconds.items():
            by_share = {f"{s:.0%}": float(np.mean(right.get((method, s), np.nan))) for s in SHARES}
            mean = float(np.mean(list(by_share.values())))
            means.setdefault(dataset.name, {})[method] = mean
            figures = {**by_share, "mean": mean, "seconds": float(np.median(took))}
            run.row(f"{dataset.name}, {method}", figures)
    first = [
        name
        for name, of_methods in means.items()
        if all(of_methods[OWN] > of_methods.get(peer, 0.0) for peer in PEERS)
    ]
    run.note(f"{OWN} is first on {len(first)} of {len(means)}: {', '.join(first)}")


def measured(run, dataset):
    """Accuracies by method and share, and seconds by method."""
    right, seconds = {}, {}
    for share in SHARES:
        for split in range(run.options.splits):
            seed = seed_from_names(dataset.name, share, split) % (1 << 31)
            X, y = sample(dataset, run.options.rows, seed)
            few = with_few_labels(y, share, seed)
            hidden = few == -1
            for method, model in methods(
                seed, run.options.jobs or None, run.options.variants
            ).items():
                try:
                    # Called before the loop goes on.
                    timing = side_by_side({method: lambda m=model: classes_by(m, X, few)}, 1)  # noqa: B023
                except (MemoryError, TypeError, ValueError) as error:
                    run.note(f"    {method} at {share:.0%}: {type(error).__name__}: {error}")
                    continue
                classes = timing[method].result
                right.setdefault((method, share), []).append(
                    100 * np.mean(classes[hidden] == y[hidden])
                )
                seconds.setdefault(method, []).append(timing[method].seconds)
    return right, seconds


@bench.part
def practice(run: Run) -> None:
    found = {}
    for name, X, y in practice_problems(run):
        is_digits = name.startswith("digits")
        for share in DIGITS_SHARES if is_digits else PRACTICE_SHARES:
            right, seconds = {}, {}
            for split in range(run.options.splits):
                seed = seed_from_names(name, share, split) % (1 << 31)
                few = with_few_labels(y, share, seed)
                hidden = few == -1
                for method, timing in practice_fits(X, few, seed).items():
                    hits = timing.result[hidden] == y[hidden]
                    right.setdefault(method, []).append(100 * np.mean(hits))
                    seconds.setdefault(method, []).append(timing.processor)
            means = {method: float(np.mean(values)) for method, values in right.items()}
            took = {f"{method} s": float(np.mean(seconds[method])) for method in (OWN, TREES)}
            run.row(f"{share:.0%}, {name}", means | took)
            if not is_digits:
                kind = "two classes" if name.endswith("two classes") else "all classes"
                found.setdefault((f"{share:.0%}, {kind}"), []).append(means | took)
    for name, rows in found.items():
        means = {each: float(np.mean([row[each] for row in rows])) for each in rows[0]}
        run.row(f"{name}, mean of {len(rows)} tables", means)


def practice_problems(run):
    """Name, rows and classes; tables with two classes only are there once."""
    X, digits = load_digits(return_X_y=True)
    yield "digits, odd or even", X, digits % 2
    yield "digits", X, digits
    try:
        tasks = practice_tasks()
    except OSError as error:
        run.leave_out(f"the practice tables are not there ({error})")
        return
    names = run.options.tables.split(",")
    for task in tasks:
        if task.n_rows > run.options.most_rows or (names != ["all"] and task.name not in names):
            continue
        X, classes = practice_classes(task)
        codes = np.unique(classes, return_inverse=True)[1]
        yield f"{task.name}, two classes", X, practice_table(task)[1].astype(int)
        if codes.max() > 1:
            yield task.name, X, codes


def practice_fits(X, few, seed):
    scaled = learn_encoding(X)[1]
    known = few != -1
    actions = {
        OWN: lambda: classes_by(HNCClassifier(random_state=seed), X, few),
        TREES: lambda: ExtraTreesClassifier(random_state=seed).fit(X[known], few[known]).predict(X),
        SPREADING: lambda: classes_by(LabelSpreading(kernel="knn", max_iter=1000), scaled, few),
        SPREADING_AS_IS: lambda: classes_by(LabelSpreading(kernel="knn", max_iter=1000), X, few),
    }
    return side_by_side(actions, 1)


@bench.part
def time(run: Run) -> None:
    n_jobs = run.options.jobs or None
    for dataset in loaded(run, run.options.timed):
        for n_rows in run.options.sizes:
            if n_rows > len(dataset.X):
                break
            X, y = sample(dataset, n_rows, 0)
            few = with_few_labels(y, 0.05, 0)
            models = {
                "pucut": HNCClassifier(n_jobs=n_jobs, random_state=0),
                "knn": LabelSpreading(kernel="knn", n_jobs=n_jobs),
                "rbf": LabelSpreading(),
            }
            if n_rows > MOST_ROWS_FOR_RBF:
                del models["rbf"]
            actions = {
                name: lambda model=model, X=X, few=few: classes_by(model, X, few)
                for name, model in models.items()
            }
            times = side_by_side(actions, run.options.repeats)
            run.row(
                f"{dataset.name}, {n_rows} rows",
                {"rbf s": None} | seconds_of(times),
                ratio=times["pucut"].processor / times["knn"].processor,
                goal="time",
                peer="LabelSpreading, knn",
            )


if __name__ == "__main__":
    bench.main()
