"""Scores of several learners, mixed by how many hidden labelled rows they find."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.methods.pu_cut._mixing import (
    Candidate,
    judged,
    rank_among,
    recall_weights,
    weighted_sum,
)
from pucut.methods.pu_cut._scores import BaseScore, NewRows, UnfinishedScore
from pucut.methods.pu_cut._worlds import Worlds


@dataclass(frozen=True, eq=False)
class MixedScore:
    """Base scores mixed by rank.

    Attributes
    ----------
    parts : tuple of BaseScore
    weights : float array
        The weight of each part.
    part_references : tuple of float arrays of shape (n_unlabelled,)
        The out-of-sample scores of the unlabelled training rows by each part, ascending.
    reference : float array of shape (n_unlabelled,)
        Their mixed ranks, ascending.
    """

    parts: tuple[BaseScore, ...]
    weights: FloatArray
    part_references: tuple[FloatArray, ...]
    reference: FloatArray

    def of(self, rows: NewRows) -> FloatArray:
        """Rank of new rows among the unlabelled training rows."""
        mixed = np.zeros(rows.points.shape[0])
        for part, weight, reference in zip(
            self.parts, self.weights, self.part_references, strict=True
        ):
            mixed += weight * rank_among(part.of(rows), reference)
        return rank_among(mixed, self.reference)

    def for_answers(self) -> "MixedScore":
        return replace(self, parts=tuple(part.for_answers() for part in self.parts))


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """The mixture of scores, the rank of each row in it in each world, and what was tried."""

    mixed: MixedScore
    ranks: tuple[FloatArray, ...]
    candidates: tuple[Candidate, ...]


def mix_scores(parts: Sequence[BaseScore | UnfinishedScore], worlds: Worlds) -> JudgedScores:
    """The parts weighted by what they found, in each world by what they found in the others.

    Only those with weight are finished, which is to learn from all labels.
    """
    found = np.array([worlds.found(part.of_worlds) for part in parts])
    answers = []
    for world in range(worlds.n_hidden_worlds):
        weights = recall_weights(found[:, worlds.judging(world)])
        others = ~(worlds.labels[world] | worlds.negatives[world])
        total = _mixed([part.of_worlds[world] for part in parts], weights, others)
        answers.append(rank_among(total, np.sort(total[others])))
    weights = recall_weights(found)
    verdicts = judged(
        [part.name for part in parts], "score", found, weights, worlds.is_hidden_positive
    )
    used = [part.finish() for part, weight in zip(parts, weights, strict=True) if weight > 0.0]
    weights, others = weights[weights > 0.0], ~worlds.is_known
    total = _mixed([part.of_worlds[-1] for part in used], weights, others)
    answers.append(rank_among(total, np.sort(total[others])))
    unseen = [part.reference for part in used]
    score = MixedScore(
        tuple(used),
        weights,
        tuple(np.sort(each[others]) for each in unseen),
        np.sort(_mixed(unseen, weights, others)[others]),
    )
    return JudgedScores(score, tuple(answers), tuple(verdicts))


def _mixed(scores: Sequence[FloatArray], weights: FloatArray, others: BoolArray) -> FloatArray:
    """Ranks among the unlabelled rows, which new rows are like, weighted."""
    in_ranks = [
        rank_among(score, np.sort(score[others])) if weight > 0.0 else score
        for score, weight in zip(scores, weights, strict=True)
    ]
    return weighted_sum(weights, in_ranks)
