"""Scores smoothed along graphs by cuts, and their mixture, judged by hidden positives.

Scores of several learners are mixed by how many hidden labelled rows they find. Cuts with the
mixed score as data term (`score_cuts`) are made on graphs of several spaces and for several gamma,
and are mixed by the same rule. All of it is done in every world (`_worlds`), so that hidden rows
are hidden from scores, graphs and cuts alike. Nothing is preferred unless it is better by more than
the noise; no negative label is needed, and those that are known judge too.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, checked_graph
from pucut._support.threads import in_threads
from pucut.cuts.score_cuts import levels_of_new_rows, score_cut
from pucut.graphs.spaces import WeightedSpace
from pucut.methods.pu_cut._mixing import (
    UNJUDGED,
    Candidate,
    judged,
    rank_among,
    ranks,
    recall_error,
    recall_weights,
)
from pucut.methods.pu_cut._scores import BaseScore, NewNeighbors, NewRows
from pucut.methods.pu_cut._spaces import SpaceOfWorlds
from pucut.methods.pu_cut._worlds import Worlds

GAMMAS = (0.5, 2.0, 8.0, 32.0)
# From this many rows on the threads share a cut; below, each thread makes cuts of its own.
ROWS_TO_SHARE = 100_000
# Among equal levels the score decides.
_TIE = 1e-9


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


@dataclass(frozen=True, eq=False)
class ScoreCut:
    """A cut with the mixed score as data term, and the levels of the training rows.

    Attributes
    ----------
    level : float array of shape (n_samples,)
        Infinite for labelled rows, minus infinity for known negatives.
    """

    space: WeightedSpace
    n_neighbors: int
    gamma: float
    level: FloatArray

    @property
    def name(self) -> str:
        return f"{self.n_neighbors} neighbours, {self.space.name}, gamma {self.gamma:g}"

    def of(self, near: NewNeighbors, scores: FloatArray) -> FloatArray:
        """Levels of new rows with these neighbours and mixed scores."""
        k = self.n_neighbors
        rows, similar = near.indices[:, :k], near.similar[:, :k]
        return _untied(levels_of_new_rows(rows, similar, self.level, scores, self.gamma), scores)


@dataclass(frozen=True, eq=False)
class ChosenCuts:
    """The mixture of cuts.

    Attributes
    ----------
    mixed : MixedScore
        The data term, which is also part of the mixture, as a cut with infinite gamma.
    cuts : tuple of ScoreCut
        Those with weight; `weights` has theirs, after that of the data term by itself.
    scores : float array of shape (n_samples,)
        From 0 to 1; 1 for labelled rows, 0 for known negatives.
    left_out : float array of shape (n_samples,)
        The same, but known rows as scored in the worlds that hid them.
    candidates : tuple of Candidate
        Scores, cuts and, last, the mixture.
    references : tuple of float arrays
        The values of the unlabelled training rows in the mixed score and in each cut, ascending:
        new rows are ranked among them.
    """

    mixed: MixedScore
    cuts: tuple[ScoreCut, ...]
    weights: FloatArray
    scores: FloatArray
    left_out: FloatArray
    candidates: tuple[Candidate, ...]
    references: tuple[FloatArray, ...]

    def of(self, rows: NewRows) -> FloatArray:
        """Scores of new rows, each by itself."""
        scores = self.mixed.of(rows)
        levels = [scores, *(cut.of(rows.near[cut.space.name], scores) for cut in self.cuts)]
        found: FloatArray = np.zeros(len(scores))
        for level, weight, reference in zip(levels, self.weights, self.references, strict=True):
            found += weight * rank_among(level, reference)
        return found

    def for_answers(self, spaces: Mapping[str, WeightedSpace]) -> "ChosenCuts":
        """In these spaces, without the scores of the training rows and without what was tried."""
        return replace(
            self,
            mixed=self.mixed.for_answers(),
            cuts=tuple(replace(cut, space=spaces[cut.space.name]) for cut in self.cuts),
            scores=np.empty(0),
            left_out=np.empty(0),
            candidates=(),
        )


def mix_scores(parts: Sequence[BaseScore], worlds: Worlds) -> JudgedScores:
    """The parts weighted by what they found, in each world by what they found in the others."""
    found = np.array([worlds.found(part.of_worlds) for part in parts])
    answers = []
    for world, labels in enumerate(worlds.labels):
        weights = recall_weights(found[:, worlds.judging(world)])
        others = ~(labels | worlds.negatives[world])
        total = _mixed([part.of_worlds[world] for part in parts], weights, others)
        answers.append(rank_among(total, np.sort(total[others])))
    # Those of the last world, which answers.
    used = [place for place, weight in enumerate(weights) if weight > 0.0]
    unseen = [part.reference for part in parts]
    others = ~worlds.is_known
    score = MixedScore(
        tuple(parts[place] for place in used),
        weights[used],
        tuple(np.sort(unseen[place][others]) for place in used),
        np.sort(_mixed(unseen, weights, others)[others]),
    )
    names = [part.name for part in parts]
    verdicts = judged(names, "score", found, weights, worlds.is_hidden_positive)
    return JudgedScores(score, tuple(answers), tuple(verdicts))


def _mixed(scores: Sequence[FloatArray], weights: FloatArray, others: BoolArray) -> FloatArray:
    """Ranks among the unlabelled rows, which new rows are like, weighted."""
    in_ranks = [
        rank_among(score, np.sort(score[others])) if weight > 0.0 else score
        for score, weight in zip(scores, weights, strict=True)
    ]
    return _weighted_sum(weights, in_ranks)


class _Judge:
    """Weighs the candidates, whose ranks in the worlds are handed in one by one.

    Only what is needed is kept of each: the rows it found, and its ranks. The ranks are those of
    unlabelled rows in the complete world, of known rows in the worlds that hid them, and of the
    unlabelled rows in these worlds.
    """

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._others = ~worlds.is_known
        self.found: list[FloatArray] = []
        self.final: list[FloatArray] = []
        self.hidden: list[FloatArray] = []
        self._in_worlds: list[list[FloatArray]] = []

    def hear(self, scores: Sequence[FloatArray]) -> None:
        worlds = self._worlds
        self.found.append(worlds.found(scores))
        self.final.append(ranks(scores[-1][self._others]))
        self.hidden.append(worlds.hidden_ranks(scores)[worlds.is_known])
        self._in_worlds.append(
            [
                ranks(scores[world][self._others | (worlds.fold == world)]).astype(np.float32)
                for world in range(worlds.n_hidden_worlds)
            ]
        )

    def recall_of_mixture(self) -> tuple[float, int]:
        """Of the mixture, each world weighing the candidates by the other worlds alone.

        So the rows that judge the mixture have not chosen it.
        """
        worlds, found = self._worlds, np.array(self.found)
        mixtures = []
        for world in range(worlds.n_hidden_worlds):
            weights = recall_weights(found[:, worlds.judging(world)])
            mixture = np.full(len(worlds.is_labelled), np.nan)
            asked = self._others | (worlds.fold == world)
            mixture[asked] = sum(
                weight * of_candidate[world]
                for weight, of_candidate in zip(weights, self._in_worlds, strict=True)
                if weight > 0.0
            )
            mixtures.append(mixture)
        hits = worlds.found(mixtures)[worlds.is_hidden_positive]
        return (float(hits.mean()), len(hits)) if len(hits) else (math.nan, 0)


def choose_cuts(
    scores: JudgedScores,
    spaces: Sequence[SpaceOfWorlds],
    worlds: Worlds,
    *,
    n_threads: int,
) -> ChosenCuts:
    """Cuts on the graph of each space and number of neighbours, for each gamma, and their mixture.

    With one labelled row there is nothing to hide, and all have equal weights.
    """
    n_worlds = len(worlds.labels)
    n_workers = n_threads if len(worlds.is_labelled) < ROWS_TO_SHARE else 1
    judge = _Judge(worlds)
    # The data term by itself needs no cut, and is judged in the same way.
    judge.hear(scores.ranks)
    cuts: list[ScoreCut] = []
    for space, k in [(each, k) for each in spaces for k in each.n_neighbors]:
        graphs = {id(each): checked_graph(each.graph(k)) for each in dict.fromkeys(space.spaces)}

        def level(job: tuple[float, int], space: Any = space, graphs: Any = graphs) -> FloatArray:
            gamma, world = job
            path = score_cut(
                graphs[id(space.spaces[world])],
                worlds.labels[world],
                scores.ranks[world],
                gamma,
                is_negative=worlds.negatives[world],
                n_threads=n_threads // n_workers,
            )
            return path.switch

        # If threads share a cut, only the cuts of one kind are in memory at a time.
        for gammas in [GAMMAS] if n_workers > 1 else [(gamma,) for gamma in GAMMAS]:
            levels = in_threads(level, list(product(gammas, range(n_worlds))), n_workers)
            for place, gamma in enumerate(gammas):
                found = levels[place * n_worlds : (place + 1) * n_worlds]
                judge.hear([_untied(x, rank) for x, rank in zip(found, scores.ranks, strict=True)])
                cuts.append(ScoreCut(space.final, k, gamma, found[-1]))
    return _mixture(scores, cuts, judge, worlds)


def _mixture(
    scores: JudgedScores, cuts: Sequence[ScoreCut], judge: _Judge, worlds: Worlds
) -> ChosenCuts:
    others = ~worlds.is_known
    found = np.array(judge.found)
    weights = recall_weights(found)
    answer = worlds.is_labelled.astype(np.float64)
    answer[others] = _weighted_sum(weights, judge.final)
    left_out = answer.copy()
    left_out[worlds.is_known] = _weighted_sum(weights, judge.hidden)
    names = ["no graph, the mixed score by itself", *(cut.name for cut in cuts)]
    chosen = [place for place, weight in enumerate(weights) if weight > 0.0 and place > 0]
    kept = tuple(cuts[place - 1] for place in chosen)
    rank = scores.ranks[-1]
    return ChosenCuts(
        scores.mixed,
        kept,
        np.concatenate([weights[:1], weights[chosen]]),
        answer,
        left_out,
        (
            *scores.candidates,
            *judged(names, "cut", found, weights, worlds.is_hidden_positive),
            _verdict(judge),
        ),
        (np.sort(rank[others]), *(np.sort(_untied(cut.level, rank)[others]) for cut in kept)),
    )


def _verdict(judge: _Judge) -> Candidate:
    recall, n_hidden = judge.recall_of_mixture()
    if not n_hidden:
        return Candidate(
            "the mixture", "mixture", math.nan, math.nan, 1.0, "what answers: " + UNJUDGED
        )
    return Candidate(
        "the mixture",
        "mixture",
        recall,
        recall_error(recall, n_hidden),
        1.0,
        f"what answers: found {recall:.0%} of {n_hidden} positives that were hidden from it",
    )


def _weighted_sum(weights: FloatArray, parts: Sequence[FloatArray]) -> FloatArray:
    total = np.zeros(len(parts[0]))
    for weight, part in zip(weights, parts, strict=True):
        if weight > 0.0:
            total += weight * part
    return total


def _untied(level: FloatArray, mixed_rank: FloatArray) -> FloatArray:
    return level + _TIE * mixed_rank
