"""
Reproducing the paper
=====================

The experiments of the paper are run by ``python -m paper``, and its tables are made from the rows
of finished runs by ``python -m paper tables``, with the published numbers next to ours. This page
makes the tables from the committed rows, and repeats the protocol on a small dataset.
"""

# %%
# The tables, from committed rows
# -------------------------------
#
# ``paper/rows`` has one row per finished run, ``paper/published`` the printed numbers of the paper.
# Making all tables and figures from them takes seconds.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score

from paper import FOLDER
from paper.datasets import seed_from_names
from paper.showing.page import write_all
from paper.showing.published import read_published
from pucut import (
    PUCutClassifier,
    PUExtraTreesClassifier,
    PUThresholdClassifier,
    TwoHNCClassifier,
)
from pucut.datasets import pu_split

out = Path(tempfile.mkdtemp())
files = write_all(FOLDER / "rows", FOLDER / "published", out)
print(f"{len(files)} files, among them:")
print(*(f"  {file.name}" for file in files[:12]), sep="\n")
print()
print((out / "summary.md").read_text(encoding="utf-8")[:1500])

# %%
# The paper's figures
# -------------------
#
# Accuracies on the unlabelled rows in percent, 60 % of the positives labelled, the true prior
# given.

published = read_published(FOLDER / "published")
for (metric, dataset, method), score in published.scores.items():
    if (metric, method) == ("accuracy", "two_hnc"):
        print(f"{dataset:<10}{score.mean:6.2f}")

# %%
# The protocol, on a small dataset
# --------------------------------
#
# Five times 60 % of the positives are drawn and labelled; seeds come from the names of dataset and
# repetition. Every method is given the true prior, and its predictions for the unlabelled rows are
# compared with the truth. The fair comparison is with methods that get the same prior and use it in
# the same way.

X, benign = load_breast_cancer(return_X_y=True)
is_positive = benign == 1
prior = is_positive.mean()
methods = {
    "2-HNC": TwoHNCClassifier(prior=prior, random_state=0),
    "pucut": PUCutClassifier(prior=prior, random_state=0),
    "PU extra trees": PUExtraTreesClassifier(prior=prior, random_state=0),
    "boosting": PUThresholdClassifier(prior=prior, random_state=0),
}
scores = {name: [] for name in methods}
for repetition in range(5):
    seed = seed_from_names("breast cancer", repetition)
    y = pu_split(is_positive, 0.6, random_state=seed)
    for name, method in methods.items():
        said = method.fit(X, y).transduction_
        scores[name].append(100 * balanced_accuracy_score(is_positive[~y], said[~y]))

print("balanced accuracy on the unlabelled rows, %, and its standard error")
for name, values in scores.items():
    print(f"{name:<16}{np.mean(values):6.2f} +- {np.std(values, ddof=1) / np.sqrt(5):.2f}")

# %%

figure, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
for place, values in enumerate(scores.values()):
    ax.plot(values, np.full(5, place), "o", color="#1f6f9f", alpha=0.6)
    ax.plot(np.mean(values), place, "|", color="black", markersize=24)
ax.set(yticks=range(len(scores)), yticklabels=scores, xlabel="balanced accuracy, %, of five splits")
ax.invert_yaxis()
ax.margins(y=0.3)
plt.show()
