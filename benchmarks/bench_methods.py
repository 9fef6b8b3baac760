"""The classical methods on data that are here, beside what their papers say.

The papers' own data (Reuters-21578, 20 Newsgroups as texts, gene lists and others) are not here, so
no published number of theirs can be met; for each method its paper's main claim is put to the test
on the tables that are. One line each: the claim, both sides of it, and whether it holds.

claims    one claim a method, means over --splits draws of labels with their standard error
table     accuracy of every method on the unlabelled rows of each table, prior known

Breast cancer, digits and wine come with scikit-learn; `table` also reads those of PUCUT_DATA where
it is set. Options: --only PART, --splits N, --data NAME (several times).
"""

import argparse
import os
import time
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from paper.datasets import load_real, seed_from_names
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
from pucut.methods.two_step._naive_bayes import fit_naive_bayes

SMALL_REAL = ("vote", "german", "obesity")
# PU ET in the 2-HNC paper's table of accuracies, in %.
PAPER = {"vote": 93.60, "german": 65.34, "obesity": 96.36}


def bundled(name):
    if name == "digits":
        X, digit = load_digits(return_X_y=True)
        return X, digit % 2 == 1
    if name == "breast cancer":
        X, benign = load_breast_cancer(return_X_y=True)
        return X, benign == 0
    if name == "wine":
        X, kind = load_wine(return_X_y=True)
        return X, kind == 0
    data = load_real(name)
    return data.X, data.is_positive


def scores(model, X, is_positive, labelled, prior, seed):
    """Accuracy by the method's classes, and AUC by its scores, on the unlabelled rows, in %."""
    model = clone(model).set_params(prior=prior, random_state=seed)
    model.fit(X, labelled.astype(int))
    rest = ~labelled
    right = (model.transduction_ == 1) == is_positive
    return 100 * right[rest].mean(), 100 * roc_auc_score(is_positive[rest], model.scores_[rest])


def measured(model, name, share, n_splits, false_share=0.0, metric=0):
    """Mean and standard error; `false_share` of the labels go to negatives."""
    X, is_positive = bundled(name)
    found = []
    for split in range(n_splits):
        seed = seed_from_names(name, share, split) % (1 << 31)
        labelled = pu_split(is_positive, share, random_state=seed)
        n_false = int(false_share * labelled.sum())
        negatives = np.flatnonzero(~is_positive)
        labelled[np.random.RandomState(seed).choice(negatives, n_false, replace=False)] = True
        prior = max(float(is_positive.mean()), float(labelled.mean()) + 1e-9)
        found.append(scores(model, X, is_positive, labelled, prior, seed)[metric])
    return np.mean(found), np.std(found) / np.sqrt(len(found))


class PlainNaiveBayes(SpyClassifier):
    """Naive Bayes of labelled against unlabelled rows: without spies, and without EM."""

    def _learn(self, points, is_labelled, random):
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


def claims(n_splits):
    print("source and claim | data, labelled share | method | other | holds")
    for text, method, other, (name, share, false_share, metric) in CLAIMS:
        ours = measured(method, name, share, n_splits, false_share, metric)
        theirs = measured(other, name, share, n_splits, false_share, metric)
        print(
            f"{text} | {name}, {share:.0%} | {ours[0]:.2f} +- {ours[1]:.2f} | "
            f"{theirs[0]:.2f} +- {theirs[1]:.2f} | {'yes' if ours[0] >= theirs[0] else 'NO'}",
            flush=True,
        )


def table(names, n_splits):
    print("accuracy on the unlabelled rows in %, 60 % of the positives labelled, prior known")
    print("method".ljust(20) + "".join(name.rjust(15) for name in names) + "      seconds")
    for method, make in METHODS.items():
        start = time.perf_counter()
        cells = [measured(make(), name, 0.6, n_splits)[0] for name in names]
        seconds = time.perf_counter() - start
        print(
            method.ljust(20) + "".join(f"{c:15.2f}" for c in cells) + f"{seconds:13.1f}", flush=True
        )
    known = {name: PAPER[name] for name in names if name in PAPER}
    if known:
        print(f"PU extra trees in the 2-HNC paper (threshold 1/2): {known}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["claims", "table"])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--data", action="append")
    options = parser.parse_args()
    # Of linear machines that stop at scikit-learn's limit of rounds, which is where users leave it.
    warnings.simplefilter("ignore", ConvergenceWarning)
    names = [
        "breast cancer",
        "wine",
        "digits",
        *(SMALL_REAL if os.environ.get("PUCUT_DATA") else ()),
    ]
    if options.only != "table":
        claims(options.splits)
    if options.only != "claims":
        table(options.data or names, options.splits)


if __name__ == "__main__":
    main()
