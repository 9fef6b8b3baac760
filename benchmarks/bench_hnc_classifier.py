"""HNCClassifier beside scikit-learn's semi-supervised methods, with few labels of both classes.

1, 5 and 10 % of the rows are labelled, drawn from each class, at least two of it; accuracy is that
on the unlabelled rows, in %. All methods see the same columns, standardised over all rows. Peers
with their defaults, but

    LabelSpreading, LabelPropagation    kernel="knn" (the default kernel takes memory of rows
                                        squared), up to 1000 rounds
    SelfTraining                        of LogisticRegression(max_iter=1000), at its threshold 0.75

accuracy  one line per dataset and method with the mean over --splits draws of labels for each
          share, the mean of the shares and seconds of a fit; then who is first where. --variants
          adds HNCClassifier without scores and with lambda chosen.
time      fits of growing samples of --timed datasets, HNCClassifier in turn with LabelSpreading,
          with either kernel; the ratio is to kernel="knn".

No goals.
"""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier

from benchmarks.data import loaded
from benchmarks.harness import Benchmark, Option, Run
from benchmarks.timing import ratio_of, seconds_of, side_by_side
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
# A matrix of rows times rows: 0.8 GB, and as much again while it works.
MOST_ROWS_FOR_RBF = 10_000

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "datasets": Option(tuple(REAL_NAMES), quick=("vote",)),
        "timed": Option(("bean", "letter", "credit"), quick=("bean",)),
        "sizes": Option((1_000, 3_000, 10_000, 20_000, 40_000, 70_000), quick=(1_000,)),
        "splits": Option(5, quick=1),
        "repeats": Option(3, quick=1, help="of a timed fit"),
        "rows": Option(0, help="at most so many, drawn at random; 0 for all"),
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
        n_labels = max(2, round(share * len(rows)))
        few[random.choice(rows, n_labels, replace=False)] = label
    return few


def classes_by(model, X, few):
    """Fits, and says the classes of the rows."""
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
                ratio=ratio_of(times, "knn"),
                peer="LabelSpreading, knn",
            )


if __name__ == "__main__":
    bench.main()
