"""
First steps
===========

Some of the odd ones among 1797 handwritten digits are known to be odd. Nothing is known about the
others. Which of them are odd?

This is positive-unlabelled learning: there are labelled positives, and the unlabelled rows are a
mixture of both classes. Taking them all as negatives would teach a classifier to say "even" to
every odd digit that has not been labelled yet.
"""

# %%
# The data
# --------
#
# ``y`` holds two values. The larger one marks the labelled positives; the other means *unlabelled*,
# not negative. Numbers, booleans and strings will do, and missing values mean unlabelled too. We
# keep 300 digits aside, to predict them later.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from pucut import PUCalibrationDisplay, PUCutClassifier, estimate_prior
from pucut.datasets import pu_split

images, digit = load_digits(return_X_y=True)
X, X_new, digit, digit_new = train_test_split(images, digit, test_size=300, random_state=0)
is_odd = digit % 2 == 1
y = pu_split(is_odd, 0.6, random_state=0)
print(f"{len(X)} digits, {y.sum()} of them known to be odd")

# %%
# How many are positive?
# ----------------------
#
# The *prior* is the share of positives among **all** rows, labelled ones included. It decides where
# to draw the line, and it can be estimated.

estimate = estimate_prior(X, y, random_state=0)
print(estimate)
print(f"\nThe true share is {is_odd.mean():.1%}.")

# %%
# Fit
# ---
#
# With ``prior="auto"``, the default, the classifier would make the same estimate itself. If you
# know the share from elsewhere, pass that number: it is better than any estimate.

model = PUCutClassifier(prior=estimate.prior, random_state=0).fit(X, y)

# %%
# ``transduction_`` has the classes of the training rows, using their
# labels. ``predict`` classifies any row by itself, and ``predict_proba`` gives probabilities that
# are calibrated to the prior.

unlabelled = ~y
right = model.transduction_[unlabelled] == is_odd[unlabelled]
print(f"unlabelled rows of fit: {right.mean():.1%} right")
print(f"digits kept aside:      {(model.predict(X_new) == (digit_new % 2 == 1)).mean():.1%} right")

# %%
# Look at the predictions
# -----------------------
#
# ``scores_`` ranks the training rows, the most likely positive highest. The first line has the
# unlabelled digits that look most odd, the last those that look least odd, and the middle those
# about which the classifier is least certain.

rows = np.flatnonzero(unlabelled)
rows = rows[np.argsort(-model.scores_[rows], kind="stable")]
n_said_odd = int(model.transduction_[rows].sum())
places = {"most likely odd": 0, "undecided": n_said_odd - 6, "most likely even": len(rows) - 12}
figure, axes = plt.subplots(3, 12, figsize=(9, 2.9), layout="constrained")
for line, (title, first) in zip(axes, places.items(), strict=True):
    for ax, row in zip(line, rows[first : first + 12], strict=True):
        ax.imshow(X[row].reshape(8, 8), cmap="gray_r")
        ax.set(xticks=[], yticks=[])
    line[0].set_title(title, loc="left", fontsize=10)

# %%
# Can the probabilities be trusted?
# ---------------------------------
#
# Even that can be checked without a single negative. In each bin of the predicted probability,
# the share of positives is estimated from the labelled rows that fall into it. Points near the
# diagonal are well calibrated.

PUCalibrationDisplay.from_estimator(model, X, y, n_bins=6)
plt.show()
