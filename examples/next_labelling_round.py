"""
Which rows to label next
========================

Labels cost money: each is an experiment, an expert's hour, an inspection. If positives are sought,
the unlabelled rows that rank highest should be looked at first. Here that is done for five rounds
of twenty, and compared with looking at random rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from pucut import NegativeRankingDisplay, TwoHNCClassifier
from pucut.datasets import pu_split

X, digit = load_digits(return_X_y=True)
is_positive = digit == 3
ROUNDS, PER_ROUND = 5, 20

# %%
# Twenty of the threes are known. In a round the twenty unlabelled digits with the highest scores
# are looked at. Those that are threes become labelled. Those that are not are known to be
# negative from then on; they stay in the table as unlabelled rows, and are not shown again.

y = pu_split(is_positive, 20 / is_positive.sum(), random_state=0)
asked = y.copy()
found = [0]
for number in range(ROUNDS):
    model = TwoHNCClassifier(prior=is_positive.mean(), n_neighbors=10, random_state=0).fit(X, y)
    waiting = np.flatnonzero(~asked)
    best = waiting[np.argsort(-model.scores_[waiting], kind="stable")][:PER_ROUND]
    asked[best] = True
    y[best] = is_positive[best]
    found.append(found[-1] + int(is_positive[best].sum()))
    print(f"round {number + 1}: {is_positive[best].sum():2d} of {PER_ROUND} are threes")

# %%
# At random, one in ten would be a three.

asked_rows = PER_ROUND * np.arange(ROUNDS + 1)
figure, ax = plt.subplots(figsize=(5.5, 3.4), layout="constrained")
ax.plot(asked_rows, found, "o-", color="#1f6f9f", label="by the ranking")
ax.plot(asked_rows, asked_rows * is_positive.mean(), "--", color="0.5", label="at random, expected")
ax.set(xlabel="rows looked at", ylabel="positives found")
ax.legend()

# %%
# If *negatives* are wanted, for example to train an ordinary classifier, ``negative_ranking_``
# has the unlabelled rows, the most likely negative first. The curve shows at which lambda each
# leaves the positive side; a jump is a gap between groups.

NegativeRankingDisplay.from_estimator(model)
first = model.negative_ranking_[:200]
print(f"{np.mean(~is_positive[first]):.1%} of the first 200 are not threes.")
plt.show()
