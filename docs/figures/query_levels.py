"""Levels between two labelled classes, and a batch of queried rows."""

import matplotlib.pyplot as plt
import numpy as np

from pucut import CutQueryStrategy

random = np.random.default_rng(0)
centres = np.array([[0, 0], [4, 0], [0.5, 4.5], [5, 4.5]])
X = np.concatenate([centre + random.normal(size=(80, 2)) for centre in centres])
y = np.full(len(X), np.nan)
y[:4], y[80:84] = 1, 0
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
for ax, diversity in zip(axes, (0.0, 1.0), strict=True):
    strategy = CutQueryStrategy(diversity=diversity, random_state=0)
    batch = strategy.query(X, y, batch_size=10)
    shown = ax.scatter(*X.T, s=14, c=strategy.levels_, cmap="RdYlBu", vmin=-0.2, vmax=0.2)
    ax.scatter(*X[y == 1].T, s=70, marker="+", color="#123b56", label="known positive")
    ax.scatter(*X[y == 0].T, s=70, marker="_", color="#b5361c", label="known negative")
    ax.scatter(*X[batch].T, s=70, facecolors="none", edgecolors="black", label="asked about")
    ax.set(title=f"diversity={diversity:g}")
axes[1].legend()
figure.colorbar(shown, ax=axes, label="level", extend="both")
