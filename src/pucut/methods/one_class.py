"""One-class methods, which learn from the labelled positives alone."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.random import RandomState
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.svm import OneClassSVM
from sklearn.utils._param_validation import HasMethods

from pucut._support.checks import FloatArray, IndexArray
from pucut.data.labels import PULabels
from pucut.judging.cross_fitting import with_random_state
from pucut.methods._encoded import EncodedClassifier


@dataclass(frozen=True, eq=False)
class _OneClassModel:
    detector: Any

    def scores(self, points: Any) -> FloatArray:
        return np.asarray(self.detector.decision_function(points), dtype=np.float64)


class OneClassPUClassifier(MetaEstimatorMixin, EncodedClassifier):
    """An outlier detector fitted to the labelled positives alone; the prior sets the threshold.

    The one-class SVM of Schoelkopf et al. (Neural Computation 2001), the isolation forest of Liu,
    Ting and Zhou (ICDM 2008), or any other scikit-learn detector. The unlabelled rows only decide
    how many of them are positive. A baseline that methods which learn from them should surpass.

    Parameters
    ----------
    estimator : scikit-learn outlier detector, optional
        Needs `decision_function`, above 0 for inliers. By default `OneClassSVM(nu=0.1)`. It is
        given standardised points (`pucut.data.encoding`).

    Attributes
    ----------
    estimator_ : fitted detector

    Notes
    -----
    There is no `sample_weight`. The time of a one-class SVM grows with the square of the labelled
    rows; beyond about ten thousand use the isolation forest.
    """

    estimator: Annotated[Any, HasMethods(["fit", "decision_function"]), None] = None

    def _learn(self, points: Any, labels: PULabels, random: RandomState) -> _OneClassModel:
        detector = OneClassSVM(nu=0.1) if self.estimator is None else clone(self.estimator)
        return _OneClassModel(with_random_state(detector, random).fit(points[labels.is_labelled]))

    def _keep(self, model: _OneClassModel, order: IndexArray) -> None:
        self.estimator_ = model.detector
