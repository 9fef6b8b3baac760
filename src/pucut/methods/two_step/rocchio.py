"""Rocchio's prototypes, then an SVM: Roc-SVM."""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from pucut._support.checks import BoolArray, FloatArray
from pucut._support.constraints import NOT_NEGATIVE, POSITIVE
from pucut.data.labels import PULabels
from pucut.data.row_order import IndexArray, given_numbers
from pucut.kernels.machines import KERNELS, Machine, fit_svm
from pucut.methods._encoded import EncodedClassifier
from pucut.methods.two_step._negatives import (
    rocchio_negatives,
    widen_negatives,
)


@dataclass(frozen=True, eq=False)
class _RocchioModel:
    machine: Machine
    first_negative: BoolArray
    is_negative: BoolArray

    def scores(self, points: Any) -> FloatArray:
        return self.machine.scores(points)


class RocchioClassifier(EncodedClassifier):
    """Two prototypes find unlabelled rows that are surely negative; an SVM does the rest.

    Roc-SVM of Li and Liu (IJCAI 2003). Step 1: rows more similar, by the cosine, to the prototype
    of the unlabelled than to that of the labelled rows are reliable negatives. Step 2: an SVM of
    positives against these; rows it finds negative among the others join them, repeatedly.

    Parameters
    ----------
    alpha, beta : float, default=16 and 4
        Weights of the same and the other kind in Rocchio's prototypes, as in the paper.
    C : float, default=1.0
        Cost of an error of the SVM.
    kernel : {"rbf", "linear"}, default="rbf"
        The paper's SVM is linear, for texts. See Notes.
    most_lost : float, default=0.05
        If the last SVM finds more than this share of the labelled rows negative, the first is used.
    prior, threshold, pos_label, neg_label, random_state
        As in `SpyClassifier`; the method's own rule is the SVM's.

    Attributes
    ----------
    reliable_negatives_ : int array
        The rows that step 1 took as negatives, and known ones.
    final_negatives_ : int array
        The negatives that the final SVM was fitted to.
    machine_ : Machine
    classes_, prior_, prior_estimate_, scores_, threshold_, transduction_
        As in `SpyClassifier`.

    Notes
    -----
    Points are standardised and sparse tables scaled, instead of the paper's tf-idf. The variant
    that clusters the reliable negatives first is left out. If labelled and unlabelled rows have the
    same direction, step 1 may find nothing; then the least similar row is used. Step 2 ends when a
    round finds at most one row in 500, and after ten rounds.

    `kernel="rbf"` is exact for up to 2000 rows; beyond, the kernel is that of 300 landmarks, with
    the squared hinge loss (`pucut.kernels.machines`): 10 000 rows of 16 columns take 23 s of one
    processor, for up to ten machines per fit. There is no `sample_weight`.

    The paper claims, on texts that are not available here, that Roc-SVM beats S-EM. Digits, odd
    against even, 60 % of the positives labelled: 96.3 against 78.5 % (benchmarks/bench_methods.py).
    """

    _uses_negatives: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EncodedClassifier._parameter_constraints,
        "alpha": POSITIVE,
        "beta": NOT_NEGATIVE,
        "C": POSITIVE,
        "kernel": [StrOptions(set(KERNELS))],
        "most_lost": NOT_NEGATIVE,
    }

    def __init__(
        self,
        *,
        prior: Any = "auto",
        alpha: float = 16.0,
        beta: float = 4.0,
        C: float = 1.0,
        kernel: str = "rbf",
        most_lost: float = 0.05,
        threshold: str = "prior",
        pos_label: Any = None,
        neg_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.prior = prior
        self.alpha = alpha
        self.beta = beta
        self.C = C
        self.kernel = kernel
        self.most_lost = most_lost
        self.threshold = threshold
        self.pos_label = pos_label
        self.neg_label = neg_label
        self.random_state = random_state

    def _learn(self, points: Any, labels: PULabels, random: np.random.RandomState) -> _RocchioModel:
        is_labelled = labels.is_labelled
        first = rocchio_negatives(points, is_labelled, alpha=self.alpha, beta=self.beta)
        first |= labels.is_negative
        fit = partial(
            fit_svm, positive_cost=self.C, negative_cost=self.C, kernel=self.kernel, random=random
        )
        machine, last = widen_negatives(points, is_labelled, first, fit, self.most_lost)
        return _RocchioModel(machine, first, last)

    def _keep(self, model: _RocchioModel, order: IndexArray) -> None:
        self.machine_ = model.machine
        self.reliable_negatives_ = given_numbers(model.first_negative, order)
        self.final_negatives_ = given_numbers(model.is_negative, order)
