"""
2-HNC in a picture
==================

Two moons of points. A few of the upper moon, the positives, are known. The left picture shows the
input, the middle one the ranking of the first stage, and the right one the predicted classes.

``python examples/in_a_picture.py FILE`` writes the picture to a file.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import rankdata
from sklearn.datasets import make_moons

from pucut import TwoHNCClassifier
from pucut.datasets import pu_split

X, moon = make_moons(500, noise=0.2, random_state=3)
is_positive = moon == 0
y = pu_split(is_positive, 0.2, random_state=3)
model = TwoHNCClassifier(prior=0.5, n_neighbors=10, feature_weights=None, random_state=0).fit(X, y)
print(f"{y.sum()} of {is_positive.sum()} positives are known.")
print(f"{np.mean((model.transduction_ == is_positive)[~y]):.1%} of the others are classed rightly.")

# %%
# The colour in the middle is the tradeoff lambda at which a point leaves the side of the known
# ones: those that leave first, dark, are most likely negative. Each level is one minimum cut of
# the graph of nearest neighbours; all of them come from one solve.

BLUE, RUST, GREY = "#1f6f9f", "#b5532a", "#b8b8b8"

figure, axes = plt.subplots(
    1, 3, figsize=(10.5, 3.1), layout="constrained", sharex=True, sharey=True
)
axes[0].scatter(*X[~y].T, s=11, color=GREY, label="unlabelled")
axes[0].scatter(*X[y].T, s=34, color=BLUE, marker="D", label="known positives")
axes[0].set_title("What is known")

place = rankdata(model.stage1_.switch[~y])  # points that leave together share a place
shades = axes[1].scatter(*X[~y].T, s=13, c=place, cmap="cividis")
axes[1].scatter(*X[y].T, s=34, color=BLUE, marker="D")
axes[1].set_title("Order in which points leave")
bar = figure.colorbar(shades, ax=axes[1], ticks=[place.min(), place.max()], shrink=0.8)
bar.ax.set_yticklabels(["first", "last"])

said = model.transduction_
axes[2].scatter(*X[~said].T, s=13, color=RUST, marker="v", label="negative")
axes[2].scatter(*X[said].T, s=13, color=BLUE, label="positive")
axes[2].set_title("What is said")
for ax in axes:
    ax.set(xticks=[], yticks=[])
for ax in (axes[0], axes[2]):
    ax.legend(loc="lower left", fontsize=8, framealpha=0.9)
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
plt.show()
