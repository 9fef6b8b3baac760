"""Levels of rows in the plane: the densest half, and the order in which the others leave."""

import matplotlib.pyplot as plt
import numpy as np

from pucut import CutOutlierDetector

random = np.random.default_rng(1)
X = np.concatenate(
    [
        random.normal(size=(150, 2)),
        [6.0, 2.0] + 0.4 * random.normal(size=(100, 2)),
        [2.5, 5.0] + 0.15 * random.normal(size=(6, 2)),
        random.uniform([-4, -4], [9, 7], size=(8, 2)),
    ]
)
detector = CutOutlierDetector().fit(X)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
seeds = detector.is_seed_
axes[0].scatter(*X[~seeds].T, s=14, color="0.7", label="others")
axes[0].scatter(*X[seeds].T, s=14, color="#123b56", label="seeds: the densest half")
axes[0].legend()
axes[0].set(title="before the cuts")
order = np.argsort(np.argsort(detector.score_samples_))
shown = axes[1].scatter(*X.T, s=14, c=order, cmap="RdYlBu")
first = np.argsort(detector.score_samples_)[:14]
axes[1].scatter(*X[first].T, s=60, facecolors="none", edgecolors="#b5361c", label="first 14")
axes[1].legend()
axes[1].set(title="the order of leaving")
figure.colorbar(shown, ax=axes[1], label="place in the order")
