"""Platt scaling of scores by labelled rows that were held out when the scores were learned.

Rows are chosen for labelling by their scores alone. The share of positives at a score is therefore
the same among labelled rows and others.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from pucut._support.checks import BoolArray, FloatArray
from pucut.labelling.ranking import Features, rank_scores

LEAST_OF_EACH_KIND = 3
_FOLDS = LEAST_OF_EACH_KIND


@dataclass(frozen=True)
class PlattScaling:
    """Probabilities expit(intercept + slope logit(score)) of rows with these scores."""

    intercept: float
    slope: float

    def probabilities(self, scores: FloatArray) -> FloatArray:
        found: FloatArray = expit(self.intercept + self.slope * _log_odds(scores))
        return found


def calibrated(
    features: Features, is_positive: BoolArray, is_negative: BoolArray, seed: int = 0
) -> PlattScaling | None:
    """Fit the scaling; None unless `LEAST_OF_EACH_KIND` positives and negatives are known."""
    rows = np.flatnonzero(is_positive | is_negative)
    truth = is_positive[rows]
    if min(int(truth.sum()), int((~truth).sum())) < LEAST_OF_EACH_KIND:
        return None
    scores = np.empty(len(rows))
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    for _, held_out in folds.split(rows, truth):
        is_kept = np.ones(len(is_positive), dtype=np.bool_)
        is_kept[rows[held_out]] = False
        found = rank_scores(features, is_positive & is_kept, is_negative & is_kept, seed)
        scores[held_out] = found[rows[held_out]]
    model = LogisticRegression(C=10.0).fit(_log_odds(scores)[:, None], truth)
    slope = float(model.coef_[0, 0])
    if slope <= 0.0:  # useless scores: every row has the same probability
        return PlattScaling(float(logit(truth.mean())), 0.0)
    return PlattScaling(float(model.intercept_[0]), slope)


def _log_odds(scores: FloatArray) -> FloatArray:
    odds: FloatArray = logit(np.clip(scores, 1e-4, 1.0 - 1e-4))
    return odds
