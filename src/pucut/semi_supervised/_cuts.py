"""Cuts between the labelled rows of one class and those of the others, class by class.

Scores go from -1 to 1, and so do levels (`pucut.cuts.score_cuts.two_sided_cut`). A path is cut at a
given lambda, by the prior or by hidden labels.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, IndexArray, SymmetricGraph
from pucut._support.threads import in_threads
from pucut.cuts.hnc import double_intra_similarity, tradeoff_to_lambda
from pucut.cuts.parametric_cut import CutPath
from pucut.cuts.score_cuts import levels_of_new_rows, two_sided_cut
from pucut.judging.folds import LabelFolds
from pucut.judging.thresholds import threshold_for_share
from pucut.judging.weights import loss_weights

ALLOWED = {"minus": (0.0, 1.0), "plus": (-1.0, 0.0), "both": (-1.0, 1.0)}
# The gammas of cuts, and the one that stands for scores without a graph.
GAMMAS = (0.3, 3.0)
NO_GRAPH = 30.0
LAMBDAS = np.linspace(-0.9, 0.9, 19)
_SMALL = 1e-12


def cut_classes(n_classes: int) -> range:
    """The classes that get a path each: the second of two classes, or every one of more."""
    return range(1, 2) if n_classes == 2 else range(n_classes)


def class_paths(
    graph: SymmetricGraph, codes: IndexArray, scores: FloatArray, gamma: float, n_threads: int
) -> list[CutPath]:
    """The paths of `cut_classes`; `scores` has one column per class."""
    cut = cut_classes(scores.shape[1])

    def path(code: int) -> CutPath:
        inside, alone = codes == code, n_threads if len(cut) == 1 else 1
        outside = (codes >= 0) & ~inside
        return two_sided_cut(graph, inside, outside, scores[:, code], gamma, n_threads=alone)

    return in_threads(path, cut, n_threads)


def levels_of(paths: Sequence[CutPath]) -> FloatArray:
    """Levels from -1 to 1, one row per sample, one column per path."""
    return np.column_stack([np.clip(path.switch, -1.0, 1.0) for path in paths])


def hidden_levels(
    graphs: Sequence[SymmetricGraph],
    folds: LabelFolds,
    scores: Sequence[FloatArray],
    gammas: Sequence[float],
    n_threads: int,
) -> list[FloatArray]:
    """Return for each gamma the levels of the hidden rows, fold after fold, in the folds' graphs.

    From `NO_GRAPH` on the levels are the scores themselves.
    """

    def levels(job: tuple[float, int]) -> FloatArray:
        gamma, k = job
        rows = folds.hidden_rows[k]
        if gamma >= NO_GRAPH:
            of_fold: FloatArray = scores[k][rows]
            return of_fold[:, list(cut_classes(of_fold.shape[1]))]
        paths = class_paths(graphs[k], folds.labels[k], scores[k], gamma, 1)
        return levels_of(paths)[rows]

    n_folds = folds.n_folds
    found = in_threads(levels, list(itertools.product(gammas, range(n_folds))), n_threads)
    return [
        np.concatenate(found[start : start + n_folds]) for start in range(0, len(found), n_folds)
    ]


def is_of_class(codes: IndexArray, n_classes: int) -> BoolArray:
    """Tell whether each row is of the class of each path."""
    found: BoolArray = codes[:, None] == np.array(cut_classes(n_classes))[None, :]
    return found


def judge_gamma(
    graphs: Sequence[SymmetricGraph],
    folds: LabelFolds,
    scores: Sequence[FloatArray],
    gammas: Sequence[float],
    n_threads: int,
) -> tuple[float, FloatArray]:
    """Return the weighted geometric mean of the gammas, and the best levels of the hidden rows."""
    found = hidden_levels(graphs, folds, scores, gammas, n_threads)
    weights = gamma_weights(found, is_of_class(folds.codes[folds.judges], scores[-1].shape[1]))
    gamma = float(np.exp(weights @ np.log(gammas)))
    return gamma, found[int(np.argmax(weights))]


def gamma_weights(levels: Sequence[FloatArray], truth: BoolArray) -> FloatArray:
    """The weight of each gamma, by the squared errors of its levels, read as probabilities."""
    errors = [np.square((found + 1.0) / 2.0 - truth).mean(axis=1) for found in levels]
    return loss_weights(np.array(errors))


def lambdas_by_labels(
    levels: FloatArray, truth: BoolArray, allowed: tuple[float, float]
) -> FloatArray:
    """For each path the mean of the lambdas that separate the hidden rows best.

    Each of `LAMBDAS` is weighted by how few rows it puts on the wrong side, relative to the noise.
    """
    tried = LAMBDAS[np.abs(np.clip(LAMBDAS, *allowed) - LAMBDAS) < _SMALL]
    found = []
    for level, is_inside in zip(levels.T, truth.T, strict=True):
        wrong = (level[None, :] > tried[:, None]) != is_inside[None, :]
        found.append(float(loss_weights(wrong.astype(np.float64)) @ tried))
    return np.clip(found, *allowed)


def levels_of_new(
    neighbors: Any, weights: FloatArray, paths: Sequence[CutPath], scores: FloatArray, gamma: float
) -> FloatArray:
    """Levels of rows outside the graph, each by itself, with everything else fixed."""
    codes = cut_classes(scores.shape[1])
    columns = [
        levels_of_new_rows(neighbors, weights, path.switch, scores[:, code], gamma)
        for path, code in zip(paths, codes, strict=True)
    ]
    return np.clip(np.column_stack(columns), -1.0, 1.0)


def decisions(levels: FloatArray, lam: FloatArray) -> FloatArray:
    """From -1 to 1, with 0 where the level is lambda, and linear towards both ends."""
    room = np.where(levels > lam, 1.0 - lam, 1.0 + lam)
    return (levels - lam) / np.maximum(room, _SMALL)


def class_probabilities(decided: FloatArray) -> FloatArray:
    """(decision + 1) / 2, scaled to sum to 1 over the classes."""
    inside = (decided + 1.0) / 2.0
    if inside.shape[1] == 1:
        return np.hstack([1.0 - inside, inside])
    inside = inside + _SMALL
    return np.asarray(inside / inside.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Tradeoff:
    """The parameters of `HNCClassifier` that say where its paths are cut."""

    problem: str
    lam: Any
    alpha: float | None
    beta: float | None

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
        self, levels: FloatArray, hidden: FloatArray | None, truth: BoolArray, shares: FloatArray
    ) -> FloatArray:
        """Return the lambda of each path, a column of `levels`.

        `hidden` are levels of rows whose labels were hidden (without them "cv" is 0), and `truth`
        tells whether each is of the class of the path. `shares` are those of the classes.
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
            found = map(threshold_for_share, levels.T, of_paths)
            return np.clip(list(found), *allowed)
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
