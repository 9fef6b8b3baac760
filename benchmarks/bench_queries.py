"""Learning curves: rows queried by CutQueryStrategy, by uncertainty, and at random.

curves  a logistic regression on standardised columns is trained on the labelled rows, from two rows
        of each class on, and tested on rows outside the pool. Accuracy after every batch,
        its mean over the curve (the area under it) in %, with standard errors over seeds.
        CutQueryStrategy twice: with the graph alone, and with the logistic regression's own
        uncertainty, which is all that uncertainty sampling has. The last column is the same without
        the cuts: uncertainty, and batches spread over the graph.

No goals.
"""

import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.data import loaded
from benchmarks.harness import Benchmark, Option, Run
from benchmarks.timing import mean_and_error
from paper.datasets import seed_from_names
from pucut import CutQueryStrategy
from pucut.graphs.spaces import weighted_space
from pucut.queries import greedy_batch

METHODS = ("cuts and model", "cuts", "random", "uncertainty", "spread only")
N_FIRST = 2

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "datasets": Option(
            ("vote", "obesity", "mushroom", "phishing", "bean", "letter", "mnist", "news"),
            quick=("vote",),
        ),
        "seeds": Option(10, quick=1),
        "rows": Option(1200, quick=200),
        "batches": Option(12, quick=2),
        "batch_size": Option(5),
    },
)


def pool_and_test(dataset, seed, n_rows):
    random = np.random.default_rng(seed_from_names("queries", dataset.name, seed))
    rows = random.permutation(len(dataset.X))[: 2 * n_rows]
    half = len(rows) // 2
    X = StandardScaler().fit_transform(np.asarray(dataset.X[rows], dtype=np.float64))
    y = dataset.is_positive[rows].astype(float)
    return X[:half], y[:half], X[half:], y[half:]


def asked(method, model, X, y, size, random):
    """The next batch; `y` is NaN where a row has not been queried."""
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


@bench.part
def curves(run: Run) -> None:
    warnings.simplefilter("error")
    given, n_better = run.options, 0
    for dataset in loaded(run):
        pools = [pool_and_test(dataset, seed, given.rows) for seed in range(given.seeds)]
        found = {
            method: mean_and_error(
                [
                    area(method, data, seed, given.batches, given.batch_size)
                    for seed, data in enumerate(pools)
                ]
            )
            for method in METHODS
        }
        run.row(dataset.name, found)
        n_better += found["cuts and model"][0] > max(found["random"][0], found["uncertainty"][0])
    run.note(f"cuts and model are better than random and uncertainty on {n_better} datasets")


if __name__ == "__main__":
    bench.main()
