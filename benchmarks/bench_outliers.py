"""Outlier detectors side by side on public tables in which one class is made rare.

areas  area under the ROC curve of the rare class for CutOutlierDetector, IsolationForest,
       LocalOutlierFactor and ECOD, and for the mean distance to the neighbours, from which the
       cuts start; means over seeds with standard errors, and mean ranks over the tasks. With
       --known a share of the regular rows is known: CutOutlierDetector gets them as known, the
       isolation forest and LOF are fitted to these rows alone, and only the others are compared.

A task has 3 % outliers. Of letter, mnist and news each seed draws the rare class and five regular
ones; of the others the rare class is named below, and all others are regular. Detectors see
standardised columns. Needs the files of the datasets in the folder that PUCUT_DATA names. No goals.
"""

import csv
import gzip
from functools import cache

import numpy as np
from scipy.stats import rankdata, skew
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler

from benchmarks.harness import Benchmark, Option, Run
from benchmarks.timing import mean_and_error
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
RANKED = ("cuts", "isolation forest", "LOF", "ECOD")

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "tasks": Option(TASKS, quick=("vote",)),
        "seeds": Option(10, quick=1),
        "rows": Option(1500, help="regular rows of a task"),
        "known": Option(0.0, help="share of the regular rows that is known"),
    },
)


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


def areas_of(X, is_outlier, seed, share_known):
    """The area under the curve of each detector, on rows that are not known."""
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


@bench.part
def areas(run: Run) -> None:
    ranks = []
    for name in run.options.tasks:
        try:
            tasks = [task(name, seed, run.options.rows) for seed in range(run.options.seeds)]
        except OSError as error:
            run.note(str(error))
            run.leave_out(f"the files of {name} are not in PUCUT_DATA: left out")
            continue
        runs = [areas_of(*made, seed, run.options.known) for seed, made in enumerate(tasks)]
        found = {method: mean_and_error([each[method] for each in runs]) for method in runs[0]}
        run.row(name, found)
        ranks.append(rankdata([-found[method][0] for method in RANKED]))
    if ranks:
        means = dict(zip(RANKED, np.mean(ranks, axis=0).tolist(), strict=True))
        run.row("mean rank of the first 4", means)


if __name__ == "__main__":
    bench.main()
