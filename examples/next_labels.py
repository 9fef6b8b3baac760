"""
A loop of questions
===================

Labels are requested a few at a time, each time for the rows that help most.
``CutQueryStrategy`` chooses them: rows that switch sides in the middle of the path of nested cuts,
not too many from one place. Here it is compared with random rows, and with the rows of which the
model is least certain.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from pucut import CutQueryStrategy

X, truth = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
BATCHES, PER_BATCH = 8, 4


# %%
# NaN means unlabelled. A query returns the numbers of rows; somebody labels these rows, and the
# next query uses the new labels.


def by_cuts(model, X, y, random):
    strategy = CutQueryStrategy(LogisticRegression(), random_state=random.integers(1000))
    return strategy.query(X, y, batch_size=PER_BATCH)


def by_uncertainty(model, X, y, random):
    doubt = -np.abs(model.decision_function(X))
    doubt[~np.isnan(y)] = -np.inf
    return np.argsort(-doubt, kind="stable")[:PER_BATCH]


def at_random(model, X, y, random):
    return random.choice(np.flatnonzero(np.isnan(y)), PER_BATCH, replace=False)


def curve(ask, seed):
    """Return the accuracy on rows outside the pool, after every batch."""
    X_pool, X_test, pool, test = train_test_split(X, truth, test_size=0.5, random_state=seed)
    random = np.random.default_rng(seed)
    y = np.full(len(X_pool), np.nan)
    for value in (0, 1):
        y[random.choice(np.flatnonzero(pool == value))] = value
    found = []
    for _ in range(BATCHES + 1):
        known = ~np.isnan(y)
        model = LogisticRegression().fit(X_pool[known], y[known])
        found.append(model.score(X_test, test))
        rows = ask(model, X_pool, y, random)
        y[rows] = pool[rows]
    return found


asked = 2 + PER_BATCH * np.arange(BATCHES + 1)
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, ask in (("cuts", by_cuts), ("uncertainty", by_uncertainty), ("random", at_random)):
    curves = np.array([curve(ask, seed) for seed in range(10)])
    ax.plot(asked, curves.mean(axis=0), "o-", markersize=4, label=name)
    print(f"{name:<12}mean accuracy over the curve {curves.mean():.1%}")
ax.set(xlabel="labels", ylabel="accuracy, mean of 10 runs")
ax.legend()

# %%
# With known positives alone the same class works, and needs the prior instead. ``aim="positive"``
# queries the rows most likely to be positive.

y = np.full(len(X), np.nan)
y[np.flatnonzero(truth == 0)[:10]] = 1
for aim in ("boundary", "positive"):
    rows = CutQueryStrategy(aim=aim, prior=0.37, random_state=0).query(X, y, batch_size=20)
    print(f"aim {aim!r}: {np.sum(truth[rows] == 0)} of 20 are positive")
plt.show()
