"""HNCClassifier beside scikit-learn's semi-supervised methods, with few labels of both classes.

1, 5 and 10 % of the rows are labelled, drawn from each class, at least two of it; accuracy is that
on the unlabelled rows, in %. All methods see the same columns, standardised over all rows. Peers
with their defaults, but

    LabelSpreading, LabelPropagation    kernel="knn" (the default kernel takes memory of rows
                                        squared), up to 1000 rounds
    SelfTraining                        of LogisticRegression(max_iter=1000), at its threshold 0.75

accuracy    every dataset of PUCUT_DATA: a line a method with the mean over --splits draws of labels
            for each share, the mean of the shares and seconds of a fit; then who is first where
time        fits of growing samples of one dataset, HNCClassifier against LabelSpreading with either
            kernel

Options: --only PART, --data NAME (several times), --splits N, --rows N (at most so many, drawn at
random), --n-jobs N. --variants adds HNCClassifier without scores and with lambda chosen.
"""

import argparse
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier

from paper.datasets import load_real, seed_from_names
from paper.datasets.real import REAL_NAMES
from pucut import HNCClassifier
from pucut.data.encoding import learn_encoding

SHARES = (0.01, 0.05, 0.1)
OWN = "HNCClassifier"
# A matrix of rows times rows: 0.8 GB, and as much again while it works.
MOST_ROWS_FOR_RBF = 10_000


def methods(seed, n_jobs, variants):
    found = {
        OWN: HNCClassifier(n_jobs=n_jobs, random_state=seed),
        "LabelSpreading": LabelSpreading(kernel="knn", max_iter=1000, n_jobs=n_jobs),
        "LabelPropagation": LabelPropagation(kernel="knn", max_iter=1000, n_jobs=n_jobs),
        "SelfTraining": SelfTrainingClassifier(LogisticRegression(max_iter=1000)),
    }
    if variants:
        for name, options in {
            "no scores": {"scores": None},
            "no scores, lam cv": {"scores": None, "lam": "cv"},
            "lam cv": {"lam": "cv"},
            "lam prior": {"lam": "prior"},
            "plain features": {"feature_weights": None},
        }.items():
            found[f"HNC, {name}"] = HNCClassifier(n_jobs=n_jobs, random_state=seed, **options)
    return found


def sample(name, n_rows, seed):
    data = load_real(name)
    X, y = data.X, data.is_positive.astype(int)
    if n_rows is not None and n_rows < X.shape[0]:
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


def fitted(model, X, few):
    """Classes of the rows, and seconds to fit and to get them."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        # Peers that stop after 1000 rounds say so; they are compared as they are.
        warnings.simplefilter("ignore")
        model.fit(X, few)
        classes = model.transduction_ if hasattr(model, "transduction_") else model.predict(X)
    return classes, time.perf_counter() - start


def accuracy(names, n_splits, n_rows, n_jobs, variants):
    means = {}
    for name in names:
        print(
            f"\n{name:<24}" + "".join(f"{share:>9.0%}" for share in SHARES) + "     mean  seconds"
        )
        right, seconds = {}, {}
        for share in SHARES:
            for split in range(n_splits):
                seed = seed_from_names(name, share, split) % (1 << 31)
                X, y = sample(name, n_rows, seed)
                few = with_few_labels(y, share, seed)
                for method, model in methods(seed, n_jobs, variants).items():
                    try:
                        classes, took = fitted(model, X, few)
                    except (MemoryError, TypeError, ValueError) as error:
                        print(f"    {method} at {share:.0%}: {type(error).__name__}: {error}")
                        continue
                    hidden = few == -1
                    right.setdefault((method, share), []).append(
                        100 * np.mean(classes[hidden] == y[hidden])
                    )
                    seconds.setdefault(method, []).append(took)
        for method in seconds:
            by_share = [np.mean(right.get((method, share), [np.nan])) for share in SHARES]
            means[name, method] = np.mean(by_share)
            print(
                f"  {method:<22}"
                + "".join(f"{value:9.2f}" for value in by_share)
                + f"{means[name, method]:9.2f}{np.median(seconds[method]):9.2f}",
                flush=True,
            )
    peers = ("LabelSpreading", "LabelPropagation", "SelfTraining")
    first = [
        name
        for name in names
        if all(means[name, OWN] > means.get((name, peer), 0.0) for peer in peers)
    ]
    print(f"\n{OWN} is first on {len(first)} of {len(names)}: {', '.join(first)}")


def times(name, n_jobs):
    print(f"\n{name}, 5 % labelled: seconds (the least of three)")
    total = load_real(name).X.shape[0]
    for n_rows in (1_000, 3_000, 10_000, 20_000, 40_000, 70_000):
        if n_rows > total:
            break
        X, y = sample(name, n_rows, 0)
        few = with_few_labels(y, 0.05, 0)
        models = {
            OWN: HNCClassifier(n_jobs=n_jobs, random_state=0),
            "LabelSpreading, knn": LabelSpreading(kernel="knn", n_jobs=n_jobs),
        }
        if n_rows <= MOST_ROWS_FOR_RBF:
            models["LabelSpreading, rbf"] = LabelSpreading()
        took = {
            method: min(fitted(model, X, few)[1] for _ in range(3))
            for method, model in models.items()
        }
        line = "   ".join(f"{method} {value:.2f}" for method, value in took.items())
        print(f"{n_rows:>8} rows   {line}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("accuracy", "time"))
    parser.add_argument("--data", action="append", choices=REAL_NAMES)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--n-jobs", type=int)
    parser.add_argument("--variants", action="store_true")
    given = parser.parse_args()
    names = given.data or list(REAL_NAMES)
    if given.only != "time":
        accuracy(names, given.splits, given.rows, given.n_jobs, given.variants)
    if given.only != "accuracy":
        for name in given.data or ("bean", "letter", "credit"):
            times(name, given.n_jobs)


if __name__ == "__main__":
    main()
