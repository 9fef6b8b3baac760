"""Biased SVMs: unlabelled rows are negatives at a lower cost."""

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.random import RandomState
from sklearn.utils._param_validation import StrOptions

from pucut._support.checks import FloatArray, IndexArray
from pucut._support.constraints import POSITIVE
from pucut.data.labels import PULabels
from pucut.kernels.machines import KERNELS, Machine, fit_svm
from pucut.methods._encoded import EncodedClassifier, folds_of, scores_of_folds
from pucut.metrics import lee_liu_score


class BiasedSVMClassifier(EncodedClassifier):
    """An SVM of labelled against unlabelled rows, in which errors on labelled rows cost more.

    Liu, Dai, Li, Lee and Yu, Building text classifiers using positive and unlabeled examples (ICDM
    2003).

    Parameters
    ----------
    C : float, default=1.0
        Cost of an unlabelled row on the wrong side (the paper's C-); that of a known negative is
        the one of a labelled positive.
    ratio : "balanced", float or list of float, default="balanced"
        Cost of a labelled row over that of an unlabelled one (C+ / C-). "balanced": the number of
        unlabelled over that of labelled rows, so that both kinds have the same total cost. If there
        are several, the one with the largest recall^2 / share of rows predicted positive (Lee and
        Liu 2003) on rows the SVM did not see is used, as in the paper, which tries 10, ..., 200.
    kernel : {"rbf", "linear"}, default="rbf"
        The paper's SVM is linear, for texts. See Notes.

    Attributes
    ----------
    ratio_ : float
        The ratio that was used.
    ratio_scores_ : dict or None
        recall^2 / share for each ratio that was tried.
    machine_ : Machine

    Notes
    -----
    `kernel="rbf"` has gamma one over the number of features, and is exact for up to 2000 rows;
    beyond, the kernel is approximated with 300 landmarks, with the squared hinge loss, which the
    linear SVM has at every size (`pucut.kernels.machines`): 10 000 rows of 16 columns take 7 s of
    one processor. There is no `sample_weight`.
    """

    _: KW_ONLY
    C: Annotated[float, POSITIVE] = 1.0
    ratio: Annotated[Any, POSITIVE, StrOptions({"balanced"}), "array-like"] = "balanced"
    kernel: Annotated[str, StrOptions(set(KERNELS))] = "rbf"

    _uses_negatives: ClassVar[bool] = True

    def _check_parameters(self) -> None:
        if isinstance(self.ratio, str):
            return
        ratios = np.asarray(self.ratio)
        if ratios.ndim > 1 or not ratios.size or ratios.dtype.kind not in "iuf":
            raise ValueError(f"ratio must be a number or a list of numbers, found {self.ratio!r}")
        if not (np.isfinite(ratios) & (ratios > 0)).all():
            raise ValueError(f"ratio must be above 0 and finite, found {self.ratio!r}")

    def _prepare(self, points: Any, labels: PULabels, random: RandomState) -> None:
        self.ratio_scores_: dict[float, float] | None = None
        if isinstance(self.ratio, str):
            self.ratio_ = (labels.n_samples - labels.n_labelled) / labels.n_labelled
            return
        ratios = [float(ratio) for ratio in np.atleast_1d(self.ratio)]
        self.ratio_ = ratios[0]
        if len(ratios) > 1:
            self.ratio_scores_ = self._tried(ratios, points, labels, random)
            self.ratio_ = max(ratios, key=self.ratio_scores_.__getitem__)

    def _tried(
        self, ratios: list[float], points: Any, labels: PULabels, random: RandomState
    ) -> dict[float, float]:
        folds = folds_of(points, labels, random)

        def score(ratio: float) -> float:
            def scores(train: IndexArray, test: IndexArray) -> FloatArray:
                machine = self._machine(points[train], labels.in_order(train), ratio, random)
                return machine.scores(points[test])

            return float(lee_liu_score(labels.is_labelled, scores_of_folds(folds, scores) > 0.0))

        return {ratio: score(ratio) for ratio in ratios}

    def _machine(self, points: Any, labels: PULabels, ratio: float, random: RandomState) -> Machine:
        # A known negative is as certain as a labelled positive, and costs as much.
        costs = np.where(labels.is_negative, max(ratio, 1.0), 1.0)
        return fit_svm(
            points,
            labels.is_labelled,
            positive_cost=self.C * ratio,
            negative_cost=self.C,
            kernel=self.kernel,
            random=random,
            weights=costs if labels.n_negative else None,
        )

    def _learn(self, points: Any, labels: PULabels, random: RandomState) -> Machine:
        return self._machine(points, labels, self.ratio_, random)

    def _keep(self, model: Machine, order: IndexArray) -> None:
        self.machine_ = model
