"""Probabilities of classes from random walks on the graph of the cuts (`pucut.graphs.walks`).

Where labels are few, learners know little of most rows, and hardly any row has a labelled
neighbour. A walk meets labelled rows farther off: the share of a class among those it meets is its
probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut._support.threads import in_threads
from pucut.graphs.walks import rows_met, to_meet_one
from pucut.semi_supervised._class_scores import NewPoints, Opinion, hidden_losses
from pucut.semi_supervised._class_worlds import ClassWorlds, Codes

WALKS = "walks"
# Every walk is taken to meet so many labelled rows of no class in particular, or one that meets
# next to none would be as sure as any other. Hidden labels choose; without any, the last decides.
UNKNOWN, UNKNOWN_UNJUDGED = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0), 0.1


@dataclass(frozen=True, eq=False)
class WalkLearner:
    """What walks from the training rows meet.

    Attributes
    ----------
    met : float array of shape (n_samples, n_classes)
        How many labelled rows of each class.
    shares : float array of shape (n_classes,)
        Of the classes among the labels.
    goes_on : float
        The probability with which a walk goes on.
    unknown : float
        See `UNKNOWN`.
    """

    met: FloatArray
    shares: FloatArray
    goes_on: float
    unknown: float
    name: str = WALKS
    space: None = None

    def of(self, rows: NewPoints) -> FloatArray:
        """A walk from a new row goes to a training row near it, and on from there."""
        found = [rows.near.mean_of(met) for met in self.met.T]
        return self._probabilities(self.goes_on * np.column_stack(found))

    @property
    def of_rows(self) -> FloatArray:
        """The probabilities of the training rows."""
        return self._probabilities(self.met)

    def _probabilities(self, met: FloatArray) -> FloatArray:
        total = met.sum(axis=1, keepdims=True)
        return np.asarray((met + self.unknown * self.shares) / (total + self.unknown))


def walk_opinion(graphs: Sequence[Any], worlds: ClassWorlds, n_threads: int) -> Opinion:
    """On the graph of each world, from the labels known there.

    How much is unknown is chosen for each world by the rows that may judge what is used in it.
    """
    walks = [
        _walks(graph, codes, int(worlds.codes.max()) + 1, n_threads)
        for graph, codes in zip(graphs, worlds.labels, strict=True)
    ]
    if not worlds.folds:
        return Opinion(walks[-1], (walks[-1].of_rows,))
    tried = [[replace(each, unknown=unknown) for each in walks] for unknown in UNKNOWN]
    opinions = [Opinion(each[-1], tuple(one.of_rows for one in each)) for each in tried]
    losses = hidden_losses(opinions, worlds)
    best = [losses[:, worlds.judging(w)].mean(axis=1).argmin() for w in range(len(walks))]
    of_worlds = [opinions[unknown].of_worlds[world] for world, unknown in enumerate(best)]
    return Opinion(tried[best[-1]][-1], tuple(of_worlds))


def _walks(graph: Any, codes: Codes, n_classes: int, n_threads: int) -> WalkLearner:
    known = codes[codes >= 0]
    shares = np.bincount(known, minlength=n_classes) / len(known)
    goes_on = to_meet_one(len(known) / len(codes))
    met = _met(graph, codes, n_classes, goes_on, n_threads)
    return WalkLearner(met, shares, goes_on, UNKNOWN_UNJUDGED)


def _met(graph: Any, codes: Codes, n_classes: int, goes_on: float, n_threads: int) -> FloatArray:
    def of_class(code: int) -> FloatArray:
        return rows_met(graph, (codes == code).astype(np.float64), goes_on)

    met = in_threads(of_class, range(n_classes), n_threads)
    # The iteration is not exact, and where nothing is met it may fall below 0.
    return np.maximum(np.column_stack(met), 0.0)
