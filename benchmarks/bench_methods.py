"""The classical methods on available data, beside the claims of their papers.

The papers' own data (Reuters-21578, 20 Newsgroups as texts, gene lists and others) are not here, so
no published number of theirs can be met; for each method its paper's main claim is put to the test
on the tables that are.

claims    one claim per method: both sides of it, means over --splits draws of labels with their
          standard error, and whether it holds
accuracy  of every method on the unlabelled rows of each table in %, 60 % of the positives labelled,
          prior known; the seconds are those of all fits of a line

Breast cancer, digits and wine come with scikit-learn. No goals.
"""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from benchmarks.data import BUNDLED, loaded, published, table_of
from benchmarks.harness import Benchmark, Option, Run
from benchmarks.timing import mean_and_deviation, side_by_side
from paper.datasets import REAL_NAMES, seed_from_names
from pucut import (
    BaggingSVMClassifier,
    BiasedSVMClassifier,
    OneClassPUClassifier,
    PUBaggingClassifier,
    PULabelPropagationClassifier,
    PUMaxMarginClassifier,
    PUThresholdClassifier,
    RocchioClassifier,
    SpyClassifier,
)
from pucut.datasets import pu_split
from pucut.methods import METHODS
from pucut.methods.spy import fit_naive_bayes

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "splits": Option(5, quick=1),
        "claims": Option(0, quick=1, help="how many of the claims; 0 for all"),
        "tables": Option((*BUNDLED, "vote", "german", "obesity"), quick=("wine",)),
    },
)


def scores(model, X, is_positive, labelled, prior, seed):
    """Accuracy by the method's classes, and AUC by its scores, on the unlabelled rows, in %."""
    model = clone(model).set_params(prior=prior, random_state=seed)
    with warnings.catch_warnings():
        # Linear machines warn at scikit-learn's default limit of iterations.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, labelled.astype(int))
    rest = ~labelled
    right = (model.transduction_ == 1) == is_positive
    return 100 * right[rest].mean(), 100 * roc_auc_score(is_positive[rest], model.scores_[rest])


def measured(model, name, share, n_splits, false_share=0.0, metric=0):
    """Mean and standard error; `false_share` of the labels go to negatives."""
    X, is_positive = table_of(name)
    found = []
    for split in range(n_splits):
        seed = seed_from_names(name, share, split) % (1 << 31)
        labelled = pu_split(is_positive, share, random_state=seed)
        n_false = int(false_share * labelled.sum())
        negatives = np.flatnonzero(~is_positive)
        labelled[np.random.RandomState(seed).choice(negatives, n_false, replace=False)] = True
        prior = max(float(is_positive.mean()), float(labelled.mean()) + 1e-9)
        found.append(scores(model, X, is_positive, labelled, prior, seed)[metric])
    mean, deviation = mean_and_deviation(found)
    return mean, deviation / np.sqrt(n_splits)


class PlainNaiveBayes(SpyClassifier):
    """Naive Bayes of labelled against unlabelled rows: without spies, and without EM."""

    def _learn(self, points, labels, random):
        is_labelled = labels.is_labelled
        return fit_naive_bayes(points, is_labelled.astype(float), (~is_labelled).astype(float))

    def _keep(self, model):
        pass


# Source and claim; the method, what it is compared with; the table, the labelled share of the
# positives, the share of false labels, 0 for accuracy or 1 for AUC.
CLAIMS = [
    (
        "Liu et al. 2002: S-EM beats naive Bayes of P against U, both by their own rule",
        SpyClassifier(threshold="half"),
        PlainNaiveBayes(threshold="half"),
        ("breast cancer", 0.3, 0.0, 0),
    ),
    (
        "the same, both cut by the prior, which the paper does not do",
        SpyClassifier(),
        PUThresholdClassifier(GaussianNB()),
        ("breast cancer", 0.3, 0.0, 0),
    ),
    (
        "Li and Liu 2003: Roc-SVM beats S-EM",
        RocchioClassifier(),
        SpyClassifier(),
        ("digits", 0.6, 0.0, 0),
    ),
    (
        "Liu et al. 2003: biased SVM beats the two-step Spy + SVM",
        BiasedSVMClassifier(),
        SpyClassifier(SVC()),
        ("digits", 0.3, 0.0, 0),
    ),
    (
        "Claesen et al. 2015: with 30 % false labels RESVM beats one biased SVM (AUC)",
        BaggingSVMClassifier(),
        BiasedSVMClassifier(),
        ("digits", 0.3, 0.3, 1),
    ),
    (
        "Mordelet and Vert 2014: bagging is at least as good as the biased SVM (AUC)",
        PUBaggingClassifier(SVC(), 50),
        BiasedSVMClassifier(),
        ("breast cancer", 0.3, 0.0, 1),
    ),
    (
        "Carnevali et al. 2021: propagation from few labels beats Rocchio",
        PULabelPropagationClassifier(),
        RocchioClassifier(),
        ("breast cancer", 0.05, 0.0, 0),
    ),
    (
        "Carnevali et al. 2021: the same",
        PULabelPropagationClassifier(),
        RocchioClassifier(),
        ("digits", 0.05, 0.0, 0),
    ),
    (
        "Zhang et al. 2019: margin with found classes beats U taken for negative",
        PUMaxMarginClassifier(),
        PUThresholdClassifier(SVC()),
        ("digits", 0.1, 0.0, 0),
    ),
    (
        "one-class way: learning from U as well beats it (biased SVM ahead of one-class SVM)",
        BiasedSVMClassifier(),
        OneClassPUClassifier(),
        ("breast cancer", 0.6, 0.0, 0),
    ),
]


@bench.part
def claims(run: Run) -> None:
    n_claims = run.options.claims or len(CLAIMS)
    for text, method, other, (name, share, false_share, metric) in CLAIMS[:n_claims]:
        ours, theirs = (
            measured(model, name, share, run.options.splits, false_share, metric)
            for model in (method, other)
        )
        run.note(f"\n{text}")
        run.row(
            f"{name}, {share:.0%}",
            {"method": ours, "other": theirs, "holds": bool(ours[0] >= theirs[0])},
        )


@bench.part
def accuracy(run: Run) -> None:
    real = [name for name in run.options.tables if name in REAL_NAMES]
    here = {dataset.name for dataset in loaded(run, real)}
    names = [name for name in run.options.tables if name not in real or name in here]
    for method, make in METHODS.items():
        timing = side_by_side(
            {
                method: lambda make=make: {
                    name: measured(make(), name, 0.6, run.options.splits)[0] for name in names
                }
            },
            1,
        )[method]
        run.row(method, {**timing.result, "seconds": timing.seconds})
    printed = {name: value for name, value in published("pu_et").items() if name in names}
    if printed:
        run.note(f"PU extra trees in the 2-HNC paper (threshold 1/2): {printed}")


if __name__ == "__main__":
    bench.main()
