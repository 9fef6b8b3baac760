"""Where the paths of the classes are cut: at a given lambda, by the prior or by hidden labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.hnc import double_intra_similarity, tradeoff_to_lambda
from pucut.judging.thresholds import threshold_for_share
from pucut.semi_supervised._class_cuts import cut_classes, lambdas_by_labels

ALLOWED = {"minus": (0.0, 1.0), "plus": (-1.0, 0.0), "both": (-1.0, 1.0)}


@dataclass(frozen=True)
class Tradeoff:
    """The parameters of `HNCClassifier` that say where its paths are cut."""

    problem: str
    lam: Any
    alpha: float | None
    beta: float | None

    @property
    def is_by_labels(self) -> bool:
        return isinstance(self.lam, str) and self.lam == "cv" and self.alpha is None

    def check(self) -> None:
        """Raises ValueError where the parameters contradict each other."""
        if not isinstance(self.lam, str) and self.problem != "both" and self.lam < 0.0:
            raise ValueError(
                f"lam must be from 0 to 1 with problem={self.problem!r}, found {self.lam!r}; "
                "with problem='both' it may be from -1 (HNC+) to 1 (HNC-)"
            )
        if (self.alpha is None) != (self.beta is None):
            raise ValueError(
                f"alpha and beta must be given together, found alpha={self.alpha!r} and "
                f"beta={self.beta!r}"
            )
        if self.alpha is not None and (self.problem != "both" or self.lam != 0.0):
            raise ValueError(
                "alpha and beta take the place of lam, with problem='both': found "
                f"problem={self.problem!r} and lam={self.lam!r}"
            )

    def lambdas(
        self,
        levels: FloatArray,
        hidden: FloatArray | None,
        truth: BoolArray,
        shares: FloatArray,
    ) -> FloatArray:
        """The lambda of each path.

        Parameters
        ----------
        levels : float array of shape (n_samples, n_paths)
        hidden : float array of shape (n_hidden, n_paths), optional
            Levels of rows whose labels were hidden; without them "cv" is 0.
        truth : bool array of shape (n_hidden, n_paths)
            Whether each of these is of the class of the path.
        shares : float array of shape (n_classes,)
        """
        allowed = ALLOWED[self.problem]
        n_paths = levels.shape[1]
        if self.alpha is not None and self.beta is not None:
            single = double_intra_similarity(float(self.alpha), float(self.beta))
            sign = 1.0 if single.problem == "minus" else -1.0
            return np.full(n_paths, sign * tradeoff_to_lambda(single.mu))
        if self.lam == "cv":
            if hidden is None:
                return np.zeros(n_paths)
            return lambdas_by_labels(hidden, truth, allowed)
        if self.lam == "prior":
            of_paths = shares[list(cut_classes(len(shares)))]
            found = [
                threshold_for_share(level, share)
                for level, share in zip(levels.T, of_paths, strict=True)
            ]
            return np.clip(found, *allowed)
        sign = -1.0 if self.problem == "plus" else 1.0
        return np.full(n_paths, sign * float(self.lam) + 0.0)


def checked_shares(prior: Any, n_classes: int) -> FloatArray:
    """The share of each class, from one number per class or that of the second of two."""
    shares = np.asarray(prior)
    if shares.ndim == 0 and n_classes == 2:
        shares = np.array([1.0 - float(prior), float(prior)])
    if (
        shares.shape != (n_classes,)
        or shares.dtype.kind not in "iuf"
        or not (shares >= 0.0).all()
        or abs(float(shares.sum()) - 1.0) > 1e-6
    ):
        raise ValueError(
            f"prior must be {n_classes} shares that sum to 1, one per class, or one number for "
            f"the second of two classes, found {prior!r}"
        )
    return shares.astype(np.float64)
