"""The share of positives, from positive and unlabelled data."""

from dataclasses import dataclass
from typing import Any

from pucut.cross_fitting import checked_classifier, cross_fit
from pucut.pu_labels import checked_pu_labels


@dataclass(frozen=True)
class PriorEstimate:
    """The estimated share of positives among all samples."""

    prior: float


def estimate_prior(
    X: Any, y: Any, *, classifier: Any = None, random_state: Any = None
) -> PriorEstimate:
    """Elkan and Noto (KDD 2008): labelled share over the mean score of unseen labelled rows."""
    labels = checked_pu_labels(y)
    fitted = cross_fit(
        checked_classifier(classifier, X), X, labels.is_labelled, random_state=random_state
    )
    frequency = min(max(float(fitted.scores[labels.is_labelled].mean()), 1e-9), 1.0)
    highest = (labels.n_samples - 0.5) / labels.n_samples
    return PriorEstimate(min(labels.labelled_share / frequency, highest))
