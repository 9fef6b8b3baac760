"""
When the prior is unknown
=========================

Most methods need the share of positive rows, the *prior*. This page shows estimates of it, a case
in which they cannot work, and the effect of errors.
"""

# %%
# Several methods
# ---------------
#
# All assume that the labelled positives were drawn at random from the positives. "auto" combines
# several scores and had the smallest error on real tables.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from pucut import PriorSensitivityDisplay, PUExtraTreesClassifier, estimate_prior
from pucut.datasets import pu_split

X, benign = load_breast_cancer(return_X_y=True)
is_positive = benign == 1
y = pu_split(is_positive, 0.5, random_state=0)
truth = is_positive.mean()

METHODS = ("auto", "bbe", "dedpul", "tice", "elkan_noto")
estimates = {name: estimate_prior(X, y, method=name, random_state=0) for name in METHODS}
print(f"{'true share':<12}{truth:.3f}")
for name, estimate in estimates.items():
    low, high = estimate.interval
    print(f"{name:<12}{estimate.prior:.3f}   {low:.3f} to {high:.3f}")

# %%
# The interval of "auto" is meant to hold the truth nine times out of ten. Those of the others show
# the effect of chance, not the bias of the method.

figure, ax = plt.subplots(figsize=(6.5, 2.6), layout="constrained")
for place, estimate in enumerate(estimates.values()):
    ax.plot(estimate.interval, [place, place], color="#1f6f9f", linewidth=3)
    ax.plot(estimate.prior, place, "o", color="#1f6f9f", markersize=8)
ax.axvline(truth, color="0.4", linestyle=":", label="true share")
ax.axvline(y.mean(), color="#b5532a", linestyle="--", label="labelled share: the least possible")
ax.set(yticks=range(len(METHODS)), yticklabels=METHODS, xlabel="share of positives among all rows")
ax.invert_yaxis()
ax.legend(fontsize=8)

# %%
# When it cannot be known
# -----------------------
#
# If the classes overlap everywhere, no data of this kind can distinguish a few hidden positives
# from none: every region that holds positives holds negatives too. The result is then marked as an
# upper bound, with the reason.

random = np.random.default_rng(0)
overlapping = random.normal(size=(1500, 5))
overlapping[:600, 0] += 0.7
labelled = pu_split(np.arange(1500) < 600, 0.3, random_state=0)
print(estimate_prior(overlapping, labelled, random_state=0))

# %%
# The effect of errors
# --------------------
#
# The curves show how many unlabelled rows would change class with a different prior. Nothing is
# fitted again; the same ranking is cut elsewhere. The band is the interval of the estimate: the
# curve within it shows the cost of the uncertainty.

model = PUExtraTreesClassifier(prior="auto", random_state=0).fit(X, y)
PriorSensitivityDisplay.from_estimator(model, y)
plt.show()
