"""The estimated prior and the recall of hidden positives, over the strength of bias."""

import matplotlib.pyplot as plt
import numpy as np

from pucut import PUExtraTreesClassifier, SAREMClassifier, check_labelling, estimate_prior
from pucut.datasets import biased_labels

BLUE, RUST, GREEN = "#1f6f9f", "#b5532a", "#4a7a3a"
STRENGTHS = (0.0, 0.5, 1.0, 2.0, 3.0)

# Two columns separate the classes; the third, which is related to the first, decides which
# positives are labelled.
random = np.random.RandomState(0)
is_positive = random.uniform(size=1200) < 0.4
X = random.normal(size=(1200, 3))
X[is_positive, :2] += 1.8
X[:, 2] += 0.8 * X[:, 0]
truth = is_positive.mean()

priors = {"labels taken for random": [], "labelling='biased'": [], "SAR-EM": []}
recalls = {"PU extra trees": [], "SAR-EM": []}
alarms = []
for strength in STRENGTHS:
    y = biased_labels(X, is_positive, [2], strength, 0.4, random_state=0).is_labelled
    hidden = is_positive & ~y
    models = {
        "PU extra trees": PUExtraTreesClassifier(prior=truth, random_state=0).fit(X, y),
        "SAR-EM": SAREMClassifier([2], prior=truth, random_state=0).fit(X, y),
    }
    for name, model in models.items():
        recalls[name].append(model.transduction_[hidden].mean())
    priors["labels taken for random"].append(estimate_prior(X, y, random_state=0).prior)
    priors["labelling='biased'"].append(
        estimate_prior(X, y, labelling="biased", random_state=0).prior
    )
    priors["SAR-EM"].append(SAREMClassifier([2], random_state=0).fit(X, y).prior_)
    alarms.append(not check_labelling(X, y, prior=truth, random_state=0).is_random_draw)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.2), layout="constrained")
for (name, values), color in zip(priors.items(), (RUST, GREEN, BLUE), strict=True):
    left.plot(STRENGTHS, values, "o-", color=color, label=name)
left.axhline(truth, color="0.4", linestyle=":", label="true share")
left.set(xlabel="strength of bias", ylabel="estimated prior", ylim=(0.0, 0.6))
for (name, values), color in zip(recalls.items(), (RUST, BLUE), strict=True):
    right.plot(STRENGTHS, values, "o-", color=color, label=name)
fired = [strength for strength, alarm in zip(STRENGTHS, alarms, strict=True) if alarm]
right.plot(fired, [0.96] * len(fired), "^", color="0.3", label="the check raises an alarm")
right.set(xlabel="strength of bias", ylabel="hidden positives found", ylim=(0.0, 1.0))
for ax in (left, right):
    ax.legend(fontsize=8)
