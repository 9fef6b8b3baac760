"""Both stages of 2-HNC on two moons: the fixed rows of each, and partitions on the way."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from pucut import TwoHNCClassifier
from pucut.datasets import pu_split

BLUE, RUST, PALE_BLUE, PALE_RUST = "#1f6f9f", "#b5532a", "#a9cbe0", "#e7c3b2"

X, moon = make_moons(500, noise=0.2, random_state=3)
y = pu_split(moon == 0, 0.4, random_state=3)
model = TwoHNCClassifier(prior=0.5, n_neighbors=10, feature_weights=None, random_state=0).fit(X, y)
negatives = np.zeros(len(X), dtype=bool)
negatives[model.likely_negative_] = True


def draw(ax, inside, title):
    ax.scatter(*X[~inside].T, s=10, color=PALE_RUST)
    ax.scatter(*X[inside].T, s=10, color=PALE_BLUE)
    ax.scatter(*X[y].T, s=16, color=BLUE, marker="D")
    ax.set(xticks=[], yticks=[])
    ax.set_title(title, fontsize=9)


def at_sizes(path, shares):
    """The lambdas at which S holds about these shares of the rows."""
    sizes = np.array([path.source_set(lam).mean() for lam in path.breakpoints])
    return [path.breakpoints[np.argmin(np.abs(sizes - share))] for share in shares]


figure, axes = plt.subplots(2, 3, figsize=(9.5, 5), layout="constrained")
for ax, lam in zip(axes[0], at_sizes(model.stage1_, (0.53, 0.46, 0.32)), strict=True):
    draw(ax, model.stage1_.source_set(lam), f"stage 1, λ = {lam:.4f}")
for ax, lam in zip(axes[1], at_sizes(model.stage2_, (0.54, 0.66, 0.75)), strict=True):
    draw(ax, model.stage2_.source_set(lam), f"stage 2, λ = {lam:.4f}")
    ax.scatter(*X[negatives].T, s=16, color=RUST, marker="v")
