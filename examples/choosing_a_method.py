"""
Choosing a method without negatives
===================================

Without a single negative label accuracy cannot be computed. Three ways to compare methods
nevertheless: hidden positives, folds with scores made for PU labels, and a table of every method.
"""

# %%
# The data: 40 % of the benign cases, positive here, are labelled. The true classes are used only at
# the very end, to see whether the choice was right.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pucut import PUThresholdClassifier, compare, estimate_prior
from pucut.datasets import pu_split
from pucut.metrics import make_pu_scorer, pu_accuracy
from pucut.model_selection import HiddenPositivesSplit, PUStratifiedKFold, hidden_positive_scores

X, benign = load_breast_cancer(return_X_y=True)
is_positive = benign == 1
y = pu_split(is_positive, 0.4, random_state=1)
prior = estimate_prior(X, y, random_state=0).prior

# %%
# Hidden positives
# ----------------
#
# A third of the labelled rows is hidden among the unlabelled ones, three times, so that each is
# hidden once. A method then predicts the share ``prior`` of the rows as positive; a higher recall
# of the hidden rows is better. The predicted share is the same for all, so that
# no method wins by predicting everything positive.

linear = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
candidates = {
    "logistic regression": PUThresholdClassifier(linear, prior=prior, random_state=0),
    "random forest": PUThresholdClassifier(
        RandomForestClassifier(100, min_samples_leaf=3), prior=prior, random_state=0
    ),
}
hiding = HiddenPositivesSplit(3, random_state=0)
for name, candidate in candidates.items():
    found = hidden_positive_scores(candidate, X, y, prior=prior, cv=hiding).mean()
    error = np.sqrt(found * (1 - found) / y.sum())
    print(f"{name:<22}{found:.3f} of the hidden positives found, +- {error:.3f}")

# %%
# A difference below the standard error means nothing.
#
# Folds and scores for PU labels
# ------------------------------
#
# Every fold of ``PUStratifiedKFold`` has its share of the labelled rows. ``make_pu_scorer`` turns a
# metric of :mod:`pucut.metrics` into a scorer for scikit-learn. Accuracy, precision, F1 and AUC can
# be estimated from PU labels once the prior is known.

scorer = make_pu_scorer(pu_accuracy, prior=prior)
folds = PUStratifiedKFold(5, shuffle=True, random_state=0)
for name, candidate in candidates.items():
    scores = cross_val_score(candidate, X, y, scoring=scorer, cv=folds)
    print(f"{name:<22}estimated accuracy {scores.mean():.3f}")

search = GridSearchCV(
    candidates["logistic regression"],
    {"estimator__logisticregression__C": [0.001, 0.1, 10.0]},
    scoring=scorer,
    cv=folds,
).fit(X, y)
print("best of the grid:", search.best_params_)

# %%
# Every method in one table
# -------------------------
#
# ``compare(X, y)`` does this for all methods of the package, or for those named. With the true
# classes, which no method ever sees, it adds the true scores.

METHODS = [
    "PU extra trees",
    "boosting, prior",
    "Rocchio",
    "biased SVM",
    "label propagation",
    "one-class SVM",
]
table = compare(X, y, METHODS, prior=prior, truth=is_positive)
print(table)

# %%
# Was it right to choose by hidden positives? The order by them is roughly that by accuracy on the
# unlabelled rows. Differences between the best are within the error; the worst are worst in both.

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for row in table.rows:
    ax.plot(row.hidden_recall, row.accuracy, "o", color="#1f6f9f")
    ax.annotate(
        row.method,
        (row.hidden_recall, row.accuracy),
        xytext=(0, 6),
        textcoords="offset points",
        ha="center",
        fontsize=8,
    )
ax.set(
    xlabel="share of the hidden positives found: needs no negatives",
    ylabel="accuracy on the unlabelled rows",
)
ax.margins(0.15)
plt.show()
