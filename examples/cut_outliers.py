"""
Outliers without any label
==========================

``CutOutlierDetector`` has scikit-learn's interface for outliers: rows get scores, low for outliers,
and the share of outliers decides where the line is drawn. No row has to be known. Rows that are
known to be regular can be passed.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine, make_moons
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from pucut import CutOutlierDetector

# %%
# Two moons are regular. The outliers are some scattered rows, and five similar ones.

random = np.random.default_rng(0)
moons, _ = make_moons(300, noise=0.07, random_state=0)
anywhere = random.uniform([-1.8, -1.2], [2.8, 1.8], size=(15, 2))
alike = [2.4, 1.4] + 0.05 * random.normal(size=(5, 2))
X = np.concatenate([moons, anywhere, alike])

detector = CutOutlierDetector(contamination=20 / len(X)).fit(X)
print(f"{np.sum(detector.predict(X) == -1)} of {len(X)} rows are called outliers")
print(f"of the five similar ones: {np.sum(detector.predict(alike) == -1)}")

# %%
# The densest half of the rows, here dark, is fixed on the regular side. All others leave it at some
# lambda, the outliers first. Unseen rows are scored too, each by itself: the shades behind the
# points.

x, y = np.meshgrid(np.linspace(-1.9, 2.9, 120), np.linspace(-1.3, 1.9, 80))
grid = detector.decision_function(np.column_stack([x.ravel(), y.ravel()]))
figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.contourf(x, y, grid.reshape(x.shape), levels=12, cmap="Blues", alpha=0.6)
ax.contour(x, y, grid.reshape(x.shape), levels=[0.0], colors="0.3")
outlier = detector.predict(X) == -1
ax.scatter(*X[detector.is_seed_].T, s=9, color="#123b56", label="seeds: the densest half")
ax.scatter(*X[~detector.is_seed_ & ~outlier].T, s=9, color="#5b9bc4", label="regular")
ax.scatter(*X[outlier].T, s=22, marker="x", color="#b5361c", label="outliers")
ax.legend(loc="lower left")

# %%
# Wine of one grower, with ten bottles of another among it, and two detectors of scikit-learn for
# comparison.

wine, grower = load_wine(return_X_y=True)
rows = np.concatenate([np.flatnonzero(grower == 1), np.flatnonzero(grower == 2)[:10]])
X, is_other = wine[rows], grower[rows] == 2
scaled = (X - X.mean(axis=0)) / X.std(axis=0)
known = np.arange(0, 60, 6)
scores = {
    "cuts": CutOutlierDetector().fit(X).score_samples_,
    "cuts, ten known": CutOutlierDetector().fit(X, regular=known).score_samples_,
    "isolation forest": IsolationForest(random_state=0).fit(X).score_samples(X),
    "local outlier factor": LocalOutlierFactor().fit(scaled).negative_outlier_factor_,
}
for name, values in scores.items():
    print(f"{name:<22}AUC {roc_auc_score(~is_other, values):.3f}")
plt.show()
