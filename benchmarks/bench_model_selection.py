"""Do scores from PU data order models as their true accuracy does?

ranking  for every dataset, classifiers from useless to good are trained on positives against
         unlabelled, out of fold. The rank correlation (Spearman) of a score from PU labels alone
         with the true accuracy is shown, twice: with the share `prior` of the rows predicted
         positive by every model ("fixed"), and with shares that differ from model to model
         ("varied"). "naive" is the accuracy with unlabelled taken for negative; "own rows" is
         `hidden_positive_scores` beside the accuracy on the unlabelled rows of `fit`.

No goals.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logit
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks.data import loaded, table_of
from benchmarks.harness import Benchmark, Option, Run
from paper.datasets import seed_from_names
from pucut import metrics
from pucut.datasets import pu_split
from pucut.model_selection import HiddenPositivesSplit, PUStratifiedKFold, hidden_positive_scores

DATASETS = ("digits", "german", "obesity", "phishing", "bean", "letter")
MOST_ROWS = 3000
# Predicted shares in units of the prior, given to the models in turn.
PREDICTED_SHARES = (0.5, 0.75, 1.0, 1.25, 1.5)

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "datasets": Option(DATASETS, quick=("digits",)),
        "shares": Option((0.6, 0.1), quick=(0.6,), help="of the positives that are labelled"),
        "repeats": Option(2, quick=1, help="draws of labels"),
    },
)

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


def models() -> list[Any]:
    return [
        *(linear(C) for C in (1e-5, 1e-3, 1e-1, 10.0)),
        *(make_pipeline(StandardScaler(), KNeighborsClassifier(k)) for k in (3, 15, 75)),
        *(DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (2, 4, 8, 16)),
        *(HistGradientBoostingClassifier(max_iter=n, random_state=0) for n in (3, 15, 60)),
        RandomForestClassifier(50, random_state=0),
        ExtraTreesClassifier(50, min_samples_leaf=5, random_state=0),
        GaussianNB(),
    ]


def linear(C: float) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=1000))


def few_rows(name: str) -> tuple[npt.NDArray[Any], Bools]:
    X, is_positive = table_of(name)
    if name == "digits":
        return X, is_positive
    rows = np.random.RandomState(0).permutation(len(X))[:MOST_ROWS]
    return X[rows], is_positive[rows]


@dataclass(frozen=True, eq=False)
class Answers:
    """The predictions of one model for rows it has not seen, as margins around the threshold."""

    scores: Floats
    folds: tuple[npt.NDArray[np.intp], ...]

    def margins(self, share: float) -> Floats:
        """Margins above 0 for the highest-scoring share of every fold."""
        margins = np.empty(len(self.scores))
        for rows in self.folds:
            # Scores are probabilities; ties are broken by row, the same way for all models.
            spread = logit(np.clip(self.scores[rows], 1e-6, 1 - 1e-6)) + 1e-9 * np.arange(len(rows))
            margins[rows] = spread - np.quantile(spread, 1.0 - share, method="lower") - 1e-12
        return margins


def out_of_fold(model: Any, X: npt.NDArray[Any], labelled: Bools, seed: int) -> Answers:
    scores = np.empty(len(X))
    folds = []
    for train, test in PUStratifiedKFold(4, shuffle=True, random_state=seed).split(X, labelled):
        fitted = clone(model).fit(X[train], labelled[train])
        scores[test] = fitted.predict_proba(X[test])[:, 1]
        folds.append(test)
    return Answers(scores, tuple(folds))


def scores_of_labels(labelled: Bools, margins: Floats, prior: float) -> dict[str, float]:
    """Every score from PU labels that depends on the threshold."""
    predicted = margins > 0.0
    return {
        "accuracy": metrics.pu_accuracy(labelled, predicted, prior=prior),
        "balanced": metrics.pu_balanced_accuracy(labelled, predicted, prior=prior),
        "precision": metrics.pu_precision(labelled, predicted, prior=prior),
        "F1": metrics.pu_f1(labelled, predicted, prior=prior),
        "Lee-Liu": metrics.lee_liu_score(labelled, predicted),
        "nnPU 0-1": -metrics.nnpu_risk(labelled, margins, prior=prior, loss="zero-one"),
        "nnPU sigm.": -metrics.nnpu_risk(labelled, margins, prior=prior, loss="sigmoid"),
        "nnPU log.": -metrics.nnpu_risk(labelled, margins, prior=prior, loss="logistic"),
        "naive": float(accuracy_score(labelled, predicted)),
    }


def scores_of_ranking(labelled: Bools, scores: Floats, prior: float) -> dict[str, float]:
    return {
        "AUC": metrics.pu_roc_auc(labelled, scores, prior=prior),
        "proxy AUC": metrics.proxy_roc_auc(labelled, scores),
        "hidden": metrics.hidden_positive_recall(labelled, scores, prior=prior),
    }


def accuracy_on_own_rows(model: Any, X: npt.NDArray[Any], labelled: Bools, truth: Bools) -> float:
    """Accuracy on the unlabelled rows of fit; the prior's share of rows is predicted positive."""
    scores = clone(model).fit(X, labelled).predict_proba(X)[:, 1]
    scores = np.where(labelled, np.inf, scores)
    order = np.lexsort((np.arange(len(X)), -scores))
    predicted = np.zeros(len(X), dtype=bool)
    predicted[order[: round(truth.mean() * len(X))]] = True
    return float(np.mean(predicted[~labelled] == truth[~labelled]))


def correlations(name: str, labelled_share: float, repeat: int) -> Iterator[tuple[str, str, float]]:
    """(what is compared, score, rank correlation over the models)"""
    X, truth = few_rows(name)
    seed = seed_from_names("model selection", name, labelled_share, repeat)
    labelled = pu_split(truth, labelled_share, random_state=seed)
    prior = float(truth.mean())
    fixed: list[dict[str, float]] = []
    varied: list[dict[str, float]] = []
    own: list[dict[str, float]] = []
    for model in models():
        answers = out_of_fold(model, X, labelled, seed)
        for times, table in [(1.0, fixed), *((times, varied) for times in PREDICTED_SHARES)]:
            margins = answers.margins(min(times * prior, 0.95))
            row = scores_of_labels(labelled, margins, prior)
            if times == 1.0:
                row |= scores_of_ranking(labelled, answers.scores, prior)
            table.append(row | {"truth": float(np.mean((margins > 0.0) == truth))})
        cv = HiddenPositivesSplit(3, random_state=seed)
        found = hidden_positive_scores(model, X, labelled, prior=prior, cv=cv)
        own.append(
            {
                "hidden, own rows": float(found.mean()),
                "truth": accuracy_on_own_rows(model, X, labelled, truth),
            }
        )
    for what, table in [("fixed", fixed), ("varied", varied), ("own rows", own)]:
        exact = [row["truth"] for row in table]
        for score in table[0]:
            if score != "truth" and all(score in row for row in table):
                yield what, score, float(spearmanr([row[score] for row in table], exact).statistic)


@bench.part
def ranking(run: Run) -> None:
    # Weak models are meant to be among them: fits cut short, and such that see one class only.
    for expected in (ConvergenceWarning, metrics.OneClassPredictionWarning):
        warnings.simplefilter("ignore", expected)
    real = [name for name in run.options.datasets if name != "digits"]
    here = ["digits", *(dataset.name for dataset in loaded(run, real))]
    names = [name for name in run.options.datasets if name in here]
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for labelled_share in run.options.shares:
        for name in names:
            for repeat in range(run.options.repeats):
                with threadpool_limits(1):  # boosting's threads stand in each other's way otherwise
                    values = list(correlations(name, labelled_share, repeat))
                for what, score, value in values:
                    cells = found.setdefault((what, score), {})
                    cells.setdefault(f"{name} {100 * labelled_share:g}", []).append(value)
    for (what, score), cells in found.items():
        means = {column: float(np.mean(values)) for column, values in cells.items()}
        low, mean = min(means.values()), float(np.mean(list(means.values())))
        run.row(f"{what}, {score}", {**means, "lowest": low, "mean": mean})


if __name__ == "__main__":
    bench.main()
