"""Labels of both classes on two moons: the levels, and cuts of one path."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from pucut import HNCClassifier

BLUE, RUST, PALE_BLUE, PALE_RUST = "#1f6f9f", "#b5532a", "#a9cbe0", "#e7c3b2"

X, moon = make_moons(500, noise=0.2, random_state=3)
y = np.full(len(X), -1)
for label in (0, 1):
    y[np.random.RandomState(label).choice(np.flatnonzero(moon == label), 8, replace=False)] = label
model = HNCClassifier(scores=None, n_neighbors=7, feature_weights=None, random_state=0).fit(X, y)
(path,) = model.paths_
levels = model.scores_

lams = {-0.02: "HNC+, λ = 0.02", 0.0: "λ = 0", 0.02: "HNC−, λ = 0.02"}
figure, axes = plt.subplots(1, 4, figsize=(10.5, 2.7), layout="constrained")
free = y == -1
shown = axes[0].scatter(*X[free].T, s=10, c=levels[free], cmap="coolwarm_r", vmin=-0.12, vmax=0.12)
figure.colorbar(shown, ax=axes[0], shrink=0.8)
axes[0].set_title("levels", fontsize=9)
for ax, (lam, title) in zip(axes[1:], lams.items(), strict=True):
    inside = path.source_set(lam)
    ax.scatter(*X[~inside].T, s=10, color=PALE_RUST)
    ax.scatter(*X[inside].T, s=10, color=PALE_BLUE)
    ax.set_title(title, fontsize=9)
for ax in axes:
    ax.scatter(*X[y == 1].T, s=20, color=BLUE, marker="D")
    ax.scatter(*X[y == 0].T, s=20, color=RUST, marker="v")
    ax.set(xticks=[], yticks=[])
