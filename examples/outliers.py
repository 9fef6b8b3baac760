"""
Outliers
========

Normal rows are known, and among the unlabelled ones hide a few that are not normal: new faults,
fraud, contamination. An outlier detector learns what the normal rows look like. A PU method also
uses the unlabelled rows, and so the similarity of the outliers to each other.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score

from pucut import OneClassPUClassifier, TwoHNCClassifier
from pucut.datasets import pu_split

# %%
# The digits 0 to 4 are normal. There are a few fives; they are the outliers. Half of the normal
# digits are known to be normal: these are the labelled "positives".

X, digit = load_digits(return_X_y=True)
random = np.random.default_rng(0)
fives = random.choice(np.flatnonzero(digit == 5), 45, replace=False)
rows = np.sort(np.concatenate([np.flatnonzero(digit <= 4), fives]))
X, is_normal = X[rows], digit[rows] <= 4
y = pu_split(is_normal, 0.5, random_state=0)
prior = is_normal.mean()
print(f"{len(X)} rows, {y.sum()} known to be normal, {np.sum(~is_normal)} outliers to be found")

# %%
# Two detectors of scikit-learn see only the known rows. Wrapped in ``OneClassPUClassifier``, they
# draw the line at the prior. 2-HNC ranks by cuts through the graph of all rows: a row leaves early
# if little connects it with the known ones, and its neighbours leave with it.

models = {
    "one-class SVM": OneClassPUClassifier(prior=prior, random_state=0),
    "isolation forest": OneClassPUClassifier(IsolationForest(), prior=prior, random_state=0),
    "2-HNC": TwoHNCClassifier(prior=prior, random_state=0),
}
unlabelled = np.flatnonzero(~y)
ranked = {}
for name, model in models.items():
    scores = model.fit(X, y).scores_[unlabelled]
    ranked[name] = unlabelled[np.argsort(scores, kind="stable")]
    area = roc_auc_score(is_normal[unlabelled], scores)
    n_first = int(np.sum(~is_normal[ranked[name][:45]]))
    print(f"{name:<18}AUC {area:.3f}; outliers among the first 45 rows: {n_first}")

# %%
# How many rows have to be looked at to find the outliers?

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for (name, order), style in zip(ranked.items(), ("--", ":", "-"), strict=True):
    ax.plot(np.cumsum(~is_normal[order])[:200], style, label=name)
ax.set(xlabel="rows looked at, most suspicious first", ylabel="outliers found")
ax.legend()
plt.show()
