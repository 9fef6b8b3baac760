"""
Labels of both classes
======================

Sometimes a few rows of *every* class are labelled, and most rows are not. ``HNCClassifier`` cuts a
graph of all rows between the labels, so that the unlabelled rows help to draw the border.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_moons
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.semi_supervised import LabelSpreading

from pucut import HNCClassifier

# %%
# Two moons, six labels each
# --------------------------
#
# -1 in ``y`` means unlabelled, as in scikit-learn. (Among strings, None does.)


def with_few_labels(truth, n_labels, seed):
    random = np.random.default_rng(seed)
    y = np.full(len(truth), -1)
    for label in np.unique(truth):
        y[random.choice(np.flatnonzero(truth == label), n_labels, replace=False)] = label
    return y


X, moon = make_moons(400, noise=0.1, random_state=0)
y = with_few_labels(moon, 6, seed=1)
model = HNCClassifier(random_state=0).fit(X, y)
print(f"right among the unlabelled: {np.mean(model.transduction_[y == -1] == moon[y == -1]):.1%}")
print(f"gamma, chosen by hidden labels: {model.gamma_:.2f}")

# %%
# ``scores_`` are levels from -1 to 1: rows whose level is above lambda, 0 by default, are in the
# second class. Every lambda gives a minimum cut. ``predict_proba`` takes any point of the plane.

left, right = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
grid = np.stack(np.meshgrid(*np.linspace(left, right, 60).T), axis=-1)
probability = model.predict_proba(grid.reshape(-1, 2))[:, 1].reshape(60, 60)

figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
plane = ax.contourf(*grid.transpose(2, 0, 1), probability, levels=11, cmap="coolwarm", alpha=0.5)
ax.scatter(*X.T, s=8, color="0.35")
for label, marker in ((0, "v"), (1, "D")):
    ax.scatter(*X[y == label].T, s=60, marker=marker, edgecolor="black", label=f"label {label}")
figure.colorbar(plane, label="probability of class 1")
ax.legend()
plt.show()

# %%
# Ten digits
# ----------
#
# More than two classes are cut one against the rest, on one graph. For comparison: scikit-learn's
# label spreading, which uses only the graph, and trees, which use only the labels.

X, digit = load_digits(return_X_y=True)
found = {"HNCClassifier": [], "label spreading": [], "trees": []}
counts = (2, 5, 10)
for n_labels in counts:
    y = with_few_labels(digit, n_labels, seed=0)
    hidden = y == -1
    trees = ExtraTreesClassifier(random_state=0).fit(X[~hidden], y[~hidden])
    answers = {
        "HNCClassifier": HNCClassifier(random_state=0).fit(X, y).transduction_,
        "label spreading": LabelSpreading(kernel="knn").fit(X, y).transduction_,
        "trees": trees.predict(X),
    }
    for name, classes in answers.items():
        found[name].append(np.mean(classes[hidden] == digit[hidden]))

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for (name, shares), style in zip(found.items(), ("o-", "s--", "^:"), strict=True):
    ax.plot(counts, shares, style, label=name)
    print(f"{name:<18}" + "".join(f"{share:8.1%}" for share in shares))
ax.set(xlabel="labels of each digit", ylabel="right among the unlabelled", xticks=counts)
ax.legend()
plt.show()
