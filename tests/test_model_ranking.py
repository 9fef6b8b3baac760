"""Scores from PU labels order models as their true accuracy does: measured, not assumed.

`python -m pytest -s tests/test_model_ranking.py` prints the rank correlations. On real tables, and
with more models, benchmarks/bench_model_selection.py measures them.
"""

import warnings

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from paper.datasets import seed_from_names
from pucut import metrics
from pucut.datasets import pu_split
from pucut.model_selection import HiddenPositivesSplit, PUStratifiedKFold, hidden_positive_scores

pytestmark = pytest.mark.slow

# What selection has to reach for every share of labels below; mostly it is above 0.8.
NEEDED = 0.5
N_SPLITS = 2  # of the labels: one draw of 10 % is too noisy to judge a score by
# In turn, in units of the prior: models differ in how many rows they call positive, too.
PREDICTED_SHARES = (0.6, 1.0, 1.4)


@pytest.fixture(autouse=True)
def one_thread():
    """On a busy machine, boosting's threads wait for each other much longer than they work."""
    with threadpool_limits(1):
        yield


def linear(C):
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=1000))


def neighbours(k):
    return make_pipeline(StandardScaler(), KNeighborsClassifier(k))


MODELS = {
    "linear, C=1e-5": linear(1e-5),
    "linear, C=1e-3": linear(1e-3),
    "linear, C=1": linear(1.0),
    "5 neighbours": neighbours(5),
    "50 neighbours": neighbours(50),
    "tree, depth 2": DecisionTreeClassifier(max_depth=2, random_state=0),
    "tree, depth 5": DecisionTreeClassifier(max_depth=5, random_state=0),
    "tree, depth 12": DecisionTreeClassifier(max_depth=12, random_state=0),
    "boosting, 3 trees": HistGradientBoostingClassifier(max_iter=3, random_state=0),
    "boosting, 20 trees": HistGradientBoostingClassifier(max_iter=20, random_state=0),
    "extra trees": ExtraTreesClassifier(30, min_samples_leaf=5, random_state=0),
}


def digits():
    X, digit = load_digits(return_X_y=True)
    return X, digit % 2 == 1


def highest(scores, share):
    """The share of the rows that scores highest; ties broken by row."""
    order = np.argsort(-scores, kind="stable")
    predicted = np.zeros(len(scores), dtype=bool)
    predicted[order[: round(share * len(scores))]] = True
    return predicted


def out_of_fold(model, X, labelled, share):
    """Scores, and predictions of that share of each fold, of rows the model has not seen."""
    scores = np.empty(len(X))
    predicted = np.empty(len(X), dtype=bool)
    for train, test in PUStratifiedKFold(3, shuffle=True, random_state=0).split(X, labelled):
        fitted = clone(model).fit(X[train], labelled[train])
        scores[test] = fitted.predict_proba(X[test])[:, 1]
        predicted[test] = highest(scores[test], share)
    return scores, predicted


def correlations(labelled_share, split):
    """Rank correlation of every score with the true accuracy, over the models."""
    X, truth = digits()
    seed = seed_from_names("digits", labelled_share, split)
    labelled = pu_split(truth, labelled_share, random_state=seed)
    prior = float(truth.mean())
    ranked, thresholded = [], []
    for number, model in enumerate(MODELS.values()):
        scores, predicted = out_of_fold(model, X, labelled, prior)
        ranked.append(
            {
                "hidden_positive_recall": metrics.hidden_positive_recall(
                    labelled, scores, prior=prior
                ),
                "pu_roc_auc": metrics.pu_roc_auc(labelled, scores, prior=prior),
                "proxy_roc_auc": metrics.proxy_roc_auc(labelled, scores),
                "truth": np.mean(predicted == truth),
            }
        )
        times = PREDICTED_SHARES[number % len(PREDICTED_SHARES)]
        predicted = highest(scores, min(times * prior, 0.9))
        given = {"y_true": labelled, "y_pred": predicted, "prior": prior}
        margins = np.where(predicted, 1.0, -1.0)
        thresholded.append(
            {
                "pu_accuracy": metrics.pu_accuracy(**given),
                "proxy_accuracy": metrics.proxy_accuracy(**given),
                "pu_balanced_accuracy": metrics.pu_balanced_accuracy(**given),
                "pu_precision": metrics.pu_precision(**given),
                "pu_f1": metrics.pu_f1(**given),
                "lee_liu_score": metrics.lee_liu_score(labelled, predicted),
                "nnpu_risk": -metrics.nnpu_risk(labelled, margins, prior=prior, loss="zero-one"),
                "unlabelled as negative": accuracy_score(labelled, predicted),
                "truth": np.mean(predicted == truth),
            }
        )
    found = {}
    for table in [ranked, thresholded]:
        exact = [row["truth"] for row in table]
        for score in table[0].keys() - {"truth"}:
            found[score] = spearmanr([row[score] for row in table], exact).statistic
    return found


@pytest.mark.parametrize("labelled_share", [0.6, 0.1])
def test_models_are_ordered_as_by_their_true_accuracy(labelled_share):
    splits = [correlations(labelled_share, split) for split in range(N_SPLITS)]
    found = {score: np.mean([split[score] for split in splits]) for score in splits[0]}
    print(f"\ndigits, {labelled_share:.0%} labelled, {len(MODELS)} models; rank correlation:")
    for score, value in sorted(found.items(), key=lambda item: -item[1]):
        print(f"  {score:24s}{value:6.2f}")
    for score in ["hidden_positive_recall", "pu_accuracy", "proxy_accuracy", "pu_roc_auc"]:
        assert found[score] > NEEDED, score
    # What one would do without PU metrics is no substitute for them.
    assert found["unlabelled as negative"] < found["pu_accuracy"]


def test_hidden_positives_order_models_asked_for_the_rows_of_fit():
    X, truth = digits()
    labelled = pu_split(truth, 0.5, random_state=0)
    prior = float(truth.mean())
    found, exact = [], []
    for model in MODELS.values():
        cv = HiddenPositivesSplit(3, random_state=0)
        found.append(hidden_positive_scores(model, X, labelled, prior=prior, cv=cv).mean())
        scores = clone(model).fit(X, labelled).predict_proba(X)[:, 1]
        predicted = highest(np.where(labelled, np.inf, scores), prior)
        exact.append(np.mean(predicted == truth))
    correlation = spearmanr(found, exact).statistic
    print(f"\nhidden_positive_scores on digits, rows of fit: rank correlation {correlation:.2f}")
    assert correlation > NEEDED


def test_the_model_chosen_is_nearly_the_best():
    """End to end, as a user does it: cross_val_score with a scorer, the best mean wins."""
    X, truth = digits()
    labelled = pu_split(truth, 0.5, random_state=1)
    prior = float(truth.mean())
    scorer = metrics.make_pu_scorer(metrics.hidden_positive_recall, prior=prior)
    folds = PUStratifiedKFold(3, shuffle=True, random_state=0)
    chosen_by, exact = [], []
    for model in MODELS.values():
        with warnings.catch_warnings():
            # A tree of few leaves may score a whole fold the same; that is what is measured here.
            warnings.simplefilter("ignore", metrics.OneClassPredictionWarning)
            found = cross_val_score(model, X, labelled, cv=folds, scoring=scorer)
        chosen_by.append(found.mean())
        exact.append(np.mean(out_of_fold(model, X, labelled, prior)[1] == truth))
    chosen = int(np.argmax(chosen_by))
    print(f"\nchosen: {list(MODELS)[chosen]}, accuracy {exact[chosen]:.3f}, best {max(exact):.3f}")
    # Two standard errors of a recall of 0.95 among 450 labelled rows, as accuracy.
    assert exact[chosen] > max(exact) - 2.0 * 2.0 * prior * np.sqrt(0.95 * 0.05 / labelled.sum())
    assert max(exact) - min(exact) > 0.1
