"""Learning curves: rows asked for by CutQueryStrategy, by uncertainty, and at random.

A logistic regression on standardised columns is trained on what is labelled, from two rows of each
class on, and judged on rows that nobody can ask for. Accuracy after every batch, its mean over the
curve (the area under it) in per cent, with standard errors over seeds. CutQueryStrategy twice: with
the graph alone, and with the logistic regression's own uncertainty, which is all that uncertainty
sampling has. The last column is the same without the cuts: uncertainty, and batches spread over
the graph.

Needs the files of the datasets in the folder that PUCUT_DATA names.
Options: --datasets vote,bean  --seeds 10  --rows 1200  --batches 12  --batch-size 5
"""

import argparse
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from paper.datasets import load_real, seed_from_names
from pucut import CutQueryStrategy
from pucut.graphs.spaces import weighted_space
from pucut.queries._cuts import greedy_batch

DATASETS = ("vote", "obesity", "mushroom", "phishing", "bean", "letter", "mnist", "news")
METHODS = ("cuts and model", "cuts", "random", "uncertainty", "spread only")
N_FIRST = 2


def pool_and_test(name, seed, n_rows):
    dataset = load_real(name)
    random = np.random.default_rng(seed_from_names("queries", name, seed))
    rows = random.permutation(len(dataset.X))[: 2 * n_rows]
    half = len(rows) // 2
    X = StandardScaler().fit_transform(np.asarray(dataset.X[rows], dtype=np.float64))
    y = dataset.is_positive[rows].astype(float)
    return X[:half], y[:half], X[half:], y[half:]


def asked(method, model, X, y, size, random):
    """The next batch; `y` is NaN where nobody has asked."""
    free = np.flatnonzero(np.isnan(y))
    if method == "random":
        return random.choice(free, size, replace=False)
    if method.startswith("cuts"):
        own = LogisticRegression(max_iter=1000) if method == "cuts and model" else None
        strategy = CutQueryStrategy(own, random_state=random.integers(2**31))
        return strategy.query(X, y, batch_size=size)
    doubt = 1.0 - np.abs(2.0 * model.predict_proba(X)[:, 1] - 1.0)
    if method == "uncertainty":
        return free[np.argsort(-doubt[free], kind="stable")[:size]]
    graph = weighted_space("plain", X, np.ones(X.shape[1]), 10).graph(10)
    order = random.permutation(len(X))
    return [row for row, _ in greedy_batch(graph, doubt, free, size, diversity=1.0, order=order)]


def area(method, data, seed, n_batches, size):
    """The mean accuracy over the curve, in per cent."""
    X, truth, X_test, y_test = data
    random = np.random.default_rng(seed)
    y = np.full(len(X), np.nan)
    for value in (0.0, 1.0):
        first = random.choice(np.flatnonzero(truth == value), N_FIRST, replace=False)
        y[first] = value
    curve = []
    for batch in range(n_batches + 1):
        known = ~np.isnan(y)
        model = LogisticRegression(max_iter=1000).fit(X[known], y[known])
        curve.append(100.0 * model.score(X_test, y_test))
        if batch < n_batches:
            rows = asked(method, model, X, y, size, random)
            y[rows] = truth[rows]
    return float(np.mean(curve))


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--datasets", default=",".join(DATASETS))
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--rows", type=int, default=1200)
    options.add_argument("--batches", type=int, default=12)
    options.add_argument("--batch-size", type=int, default=5)
    given = options.parse_args()
    warnings.simplefilter("error")
    print(f"{'':10}" + "".join(f"{method:>18}" for method in METHODS))
    n_better = 0
    for name in given.datasets.split(","):
        found = np.empty((len(METHODS), given.seeds))
        for seed in range(given.seeds):
            data = pool_and_test(name, seed, given.rows)
            for place, method in enumerate(METHODS):
                found[place, seed] = area(method, data, seed, given.batches, given.batch_size)
        error = found.std(axis=1, ddof=min(1, given.seeds - 1)) / np.sqrt(given.seeds)
        mean = found.mean(axis=1)
        cells = [f"{m:.2f} ({e:.2f})" for m, e in zip(mean, error, strict=True)]
        print(f"{name:10}" + "".join(f"{cell:>18}" for cell in cells), flush=True)
        n_better += mean[0] > max(mean[2], mean[3])
    print(f"cuts and model are better than random and uncertainty on {n_better} datasets")


if __name__ == "__main__":
    main()
