"""Roc-SVM: negatives by Rocchio's prototypes, then an SVM."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.random import RandomState
from sklearn.utils._param_validation import StrOptions

from pucut._support.checks import BoolArray, FloatArray, IndexArray, diagonal_array, is_sparse
from pucut._support.constraints import NOT_NEGATIVE, POSITIVE
from pucut.data.labels import PULabels
from pucut.data.row_order import given_numbers
from pucut.kernels.machines import KERNELS, Machine, fit_svm
from pucut.methods._encoded import EncodedClassifier
from pucut.methods.spy import at_least_one

# Widening ends when at most one row in this many is added, or after so many repetitions.
_FEW = 500
_MOST_REPETITIONS = 10


def rocchio_scores(points: Any, is_labelled: BoolArray, alpha: float, beta: float) -> FloatArray:
    """Return cos(x, c+) - cos(x, c-), with c+ = alpha P - beta U and c- = alpha U - beta P.

    P and U are the means over the labelled and the unlabelled rows, scaled to length 1.
    """
    rows = _unit(points)
    labelled = is_labelled / is_labelled.sum()
    unlabelled = ~is_labelled / (~is_labelled).sum()
    positive = np.asarray(rows.T @ (alpha * labelled - beta * unlabelled)).ravel()
    negative = np.asarray(rows.T @ (alpha * unlabelled - beta * labelled)).ravel()
    direction = _unit(positive[None, :])[0] - _unit(negative[None, :])[0]
    return np.asarray(rows @ direction, dtype=np.float64).ravel()


def rocchio_negatives(
    points: Any, is_labelled: BoolArray, *, alpha: float, beta: float
) -> BoolArray:
    """Return the unlabelled rows that are not more similar to c+ than to c-."""
    scores = rocchio_scores(points, is_labelled, alpha, beta)
    return at_least_one(~is_labelled & (scores <= 0.0), ~is_labelled, scores)


def widen_negatives(
    points: Any,
    is_labelled: BoolArray,
    is_negative: BoolArray,
    fit: Callable[[Any, BoolArray], Machine],
    most_lost: float,  # share of labelled rows; if more are lost, the first machine is kept
) -> tuple[Machine, BoolArray]:
    """Fit to labelled rows and negatives, add the predicted negatives to these, and fit again."""

    def fitted(negative: BoolArray) -> Machine:
        rows = is_labelled | negative
        return fit(points[rows], is_labelled[rows])

    first = machine = fitted(is_negative)
    widened = is_negative.copy()
    n_few = len(is_labelled) // _FEW
    for _ in range(_MOST_REPETITIONS):
        found = ~is_labelled & ~widened
        found[found] = machine.scores(points[found]) <= 0.0
        if np.count_nonzero(found) <= n_few:
            break
        widened |= found
        machine = fitted(widened)
    lost = float(np.mean(machine.scores(points[is_labelled]) <= 0.0))
    return (first, is_negative) if lost > most_lost else (machine, widened)


def _unit(rows: Any) -> Any:
    """Scale rows to length 1; rows of zeros stay."""
    squares = rows.multiply(rows).sum(axis=1) if is_sparse(rows) else np.square(rows).sum(axis=1)
    lengths = np.sqrt(np.asarray(squares, dtype=np.float64)).ravel()
    factors = 1.0 / np.where(lengths > 0.0, lengths, 1.0)
    return diagonal_array(factors) @ rows if is_sparse(rows) else rows * factors[:, None]


@dataclass(frozen=True, eq=False)
class _RocchioModel:
    machine: Machine
    first_negative: BoolArray
    is_negative: BoolArray

    def scores(self, points: Any) -> FloatArray:
        return self.machine.scores(points)


class RocchioClassifier(EncodedClassifier):
    """Two prototypes find unlabelled rows that are surely negative; an SVM does the rest.

    Roc-SVM of Li and Liu, Learning to classify texts using positive and unlabeled data (IJCAI
    2003). Step 1: rows more similar, by the cosine, to the prototype of the unlabelled than to that
    of the labelled rows are reliable negatives. Step 2: an SVM of positives against these; rows it
    finds negative among the others join them, repeatedly.

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

    Attributes
    ----------
    reliable_negatives_ : int array
        The rows that step 1 took as negatives, and known ones.
    final_negatives_ : int array
        The negatives that the final SVM was fitted to.
    machine_ : Machine

    Notes
    -----
    Points are standardised and sparse tables scaled, instead of the paper's tf-idf. The variant
    that clusters the reliable negatives first is left out. If labelled and unlabelled rows have the
    same direction, step 1 may find nothing; then the least similar row is used. Step 2 ends when at
    most one row in 500 joins, and after ten repetitions.

    `kernel="rbf"` is exact for up to 2000 rows; beyond, the kernel is that of 300 landmarks, with
    the squared hinge loss (`pucut.kernels.machines`): 10 000 rows of 16 columns take 23 s of one
    processor, for up to ten machines per fit. There is no `sample_weight`.
    """

    _: KW_ONLY
    alpha: Annotated[float, POSITIVE] = 16.0
    beta: Annotated[float, NOT_NEGATIVE] = 4.0
    C: Annotated[float, POSITIVE] = 1.0
    kernel: Annotated[str, StrOptions(set(KERNELS))] = "rbf"
    most_lost: Annotated[float, NOT_NEGATIVE] = 0.05

    _uses_negatives: ClassVar[bool] = True

    def _learn(self, points: Any, labels: PULabels, random: RandomState) -> _RocchioModel:
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
