"""Outlier detectors side by side on public tables in which one class is made rare.

Area under the ROC curve of the rare class for CutOutlierDetector, IsolationForest,
LocalOutlierFactor and ECOD, and for the mean distance to the neighbours, which is what the cuts
start from; means over seeds with standard errors, and mean ranks over the tasks. With --known a
share of the regular rows is known: CutOutlierDetector is told so, the isolation forest and LOF are
fitted to these rows alone, and only the others are judged.

A task has 3 % outliers. Of letter, mnist and news each seed draws the rare class and five regular
ones; of the others the rare class is named below, and all others are regular. Detectors see
standardised columns.

Needs the files of the datasets in the folder that PUCUT_DATA names.
Options: --tasks letter,bean  --seeds 10  --rows 1500  --known 0.1
"""

import argparse
import csv
import gzip
from functools import cache

import numpy as np
from scipy.stats import rankdata, skew
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler

from paper.datasets import data_folder, load_real, seed_from_names
from pucut import CutOutlierDetector

RARE = {
    "bean": "BOMBAY",
    "obesity": "Insufficient_Weight",
    "mushroom": "1",
    "phishing": "-1",
    "vote": "republican",
    "credit": "1",
}
DRAWN = ("letter", "mnist", "news")
TASKS = (*DRAWN, *RARE)
FILES = {"mushroom": "mushroom_libsvm.csv.gz"}
SHARE = 0.03
RIVALS = ("isolation forest", "LOF", "ECOD")


@cache
def table(name):
    """The rows of a dataset, and their classes as published."""
    X = np.asarray(load_real(name).X, dtype=np.float64)
    if name in ("mnist", "news"):
        return X, np.load(data_folder() / f"{name}.npz")["y"].astype(str)
    with gzip.open(data_folder() / FILES.get(name, f"{name}.csv.gz"), "rt") as lines:
        cells = csv.reader(lines)
        next(cells)
        return X, np.array([line[-1] for line in cells])


def task(name, seed, n_rows):
    """Points, and which of them are outliers."""
    X, classes = table(name)
    random = np.random.default_rng(seed_from_names("outliers", name, seed))
    if name in RARE:
        rare, is_regular = RARE[name], classes != RARE[name]
    else:
        rare, *others = random.choice(np.unique(classes), 6, replace=False)
        is_regular = np.isin(classes, others)
    regular, outliers = np.flatnonzero(is_regular), np.flatnonzero(classes == rare)
    regular = random.choice(regular, min(n_rows, len(regular)), replace=False)
    n_outliers = round(len(regular) * SHARE / (1 - SHARE))
    outliers = random.choice(outliers, min(n_outliers, len(outliers)), replace=False)
    rows = np.sort(np.concatenate([regular, outliers]))
    return StandardScaler().fit_transform(X[rows]), np.isin(rows, outliers)


def ecod(X):
    """ECOD (Li et al., IEEE TKDE 2022): sums of the logarithms of empirical tail probabilities.

    The largest of three sums over the columns: of left tails, of right tails, and of the tail on
    the side to which each column is skewed.
    """
    left = -np.log(rankdata(X, method="max", axis=0) / len(X))
    right = -np.log(rankdata(-X, method="max", axis=0) / len(X))
    constant = np.ptp(X, axis=0) == 0.0
    skewness = np.where(constant, 0.0, skew(np.where(constant, np.arange(len(X))[:, None], X)))
    by_skewness = np.where(skewness < 0.0, left, right)
    return np.max([tail.sum(axis=1) for tail in (left, right, by_skewness)], axis=0)


def areas(X, is_outlier, seed, share_known):
    """The area under the curve of each detector, judged on rows that are not known."""
    known = np.zeros(len(X), dtype=bool)
    if share_known:
        regular = np.flatnonzero(~is_outlier)
        n_known = max(2, round(share_known * len(regular)))
        known[np.random.default_rng(seed).choice(regular, n_known, replace=False)] = True
    cut = CutOutlierDetector(random_state=seed).fit(X, regular=known if share_known else None)
    seen = X[known] if share_known else X
    near = LocalOutlierFactor(n_neighbors=min(20, len(seen) - 1), novelty=bool(share_known))
    near.fit(seen)
    scores = {
        "cuts": -cut.score_samples_,
        "isolation forest": -IsolationForest(random_state=seed).fit(seen).score_samples(X),
        "LOF": -near.score_samples(X) if share_known else -near.negative_outlier_factor_,
        "ECOD": ecod(X),
        "distance": cut._cuts.remoteness,
    }
    return {name: roc_auc_score(is_outlier[~known], s[~known]) for name, s in scores.items()}


def standard_error(values):
    return values.std(ddof=min(1, len(values) - 1)) / np.sqrt(len(values))


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", default=",".join(TASKS))
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--rows", type=int, default=1500)
    options.add_argument("--known", type=float, default=0.0)
    given = options.parse_args()
    names = given.tasks.split(",")
    ranks = []
    for name in names:
        runs = [
            areas(*task(name, seed, given.rows), seed, given.known) for seed in range(given.seeds)
        ]
        found = {method: np.array([run[method] for run in runs]) for method in runs[0]}
        if not ranks:
            print(f"{'':10}" + "".join(f"{method:>20}" for method in found))
        cells = [f"{values.mean():.3f} ({standard_error(values):.3f})" for values in found.values()]
        print(f"{name:10}" + "".join(f"{cell:>20}" for cell in cells), flush=True)
        compared = [found[method].mean() for method in ("cuts", *RIVALS)]
        ranks.append(rankdata(-np.array(compared)))
    means = np.mean(ranks, axis=0)
    print(
        "mean rank among the first four: "
        + ", ".join(
            f"{method} {rank:.2f}" for method, rank in zip(("cuts", *RIVALS), means, strict=True)
        )
    )


if __name__ == "__main__":
    main()
