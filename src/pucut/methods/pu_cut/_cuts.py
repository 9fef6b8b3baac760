"""The mixed score smoothed along graphs by cuts, and their mixture, judged by hidden positives.

Cuts with the mixed score (`_mixed_score`) as data term (`score_cuts`) are made on graphs of several
spaces and for several gamma, and are mixed by how many hidden labelled rows they find. All of it is
done in every world (`_worlds`), so that hidden rows are hidden from scores, graphs and cuts alike.
Nothing is preferred unless it is better by more than the noise; no negative label is needed, and
those that are known judge too.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray, checked_graph
from pucut._support.threads import in_threads
from pucut.cuts.score_cuts import levels_of_new_rows, score_cut
from pucut.graphs.spaces import NearRows, WeightedSpace
from pucut.methods.pu_cut._hidden_recall import HiddenRecall, hidden_recall
from pucut.methods.pu_cut._mixed_score import JudgedScores, MixedScore
from pucut.methods.pu_cut._mixing import (
    UNJUDGED,
    Candidate,
    judged,
    rank_among,
    ranks,
    recall_weights,
    weighted_sum,
)
from pucut.methods.pu_cut._scores import NewRows
from pucut.methods.pu_cut._spaces import SpaceOfWorlds
from pucut.methods.pu_cut._worlds import Worlds

GAMMAS = (0.5, 2.0, 8.0, 32.0)
# From this many rows on so many threads share a cut, which more would hardly make faster, and takes
# memory; below, each thread makes cuts of its own.
ROWS_TO_SHARE, THREADS_THAT_SHARE = 100_000, 4
# Among equal levels the score decides.
_TIE = 1e-9


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
        return _name_of_cut(self.space.name, self.n_neighbors, self.gamma)

    def of(self, near: NearRows, scores: FloatArray) -> FloatArray:
        """Levels of new rows with these neighbours and mixed scores."""
        near = near.nearest(self.n_neighbors)
        levels = levels_of_new_rows(near.indices, near.similar, self.level, scores, self.gamma)
        return _untied(levels, scores)


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

    def in_spaces(self, spaces: Mapping[str, WeightedSpace]) -> "ChosenCuts":
        """With other spaces of the same names."""
        cuts = tuple(replace(cut, space=spaces[cut.space.name]) for cut in self.cuts)
        return replace(self, cuts=cuts)

    def for_answers(self) -> "ChosenCuts":
        """Without the scores of the training rows and without what was tried."""
        return replace(
            self,
            mixed=self.mixed.for_answers(),
            scores=np.empty(0),
            left_out=np.empty(0),
            candidates=(),
        )


class _Judge:
    """Weighs the candidates, whose scores in the worlds that hide labels are handed in one by one.

    Only what is needed is kept of each: the rows it found, and its ranks of known rows in the
    worlds that hid them, and of the unlabelled rows in these worlds.
    """

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._others = ~worlds.is_known
        self.found: list[FloatArray] = []
        self.hidden: list[FloatArray] = []
        self._in_worlds: list[list[FloatArray]] = []

    def hear(self, scores: Sequence[FloatArray]) -> None:
        worlds = self._worlds
        self.found.append(worlds.found(scores))
        self.hidden.append(worlds.hidden_ranks(scores)[worlds.is_known])
        self._in_worlds.append(
            [
                ranks(scores[world][self._others | (worlds.fold == world)]).astype(np.float32)
                for world in range(worlds.n_hidden_worlds)
            ]
        )

    def mixtures(self) -> list[FloatArray]:
        """The mixture in each world, which weighs the candidates by the other worlds alone.

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
        return mixtures


@dataclass(frozen=True, eq=False)
class _Kind:
    """The cuts on one graph for one gamma, in every world."""

    space: SpaceOfWorlds
    n_neighbors: int
    gamma: float


def choose_cuts(
    scores: JudgedScores,
    spaces: Sequence[SpaceOfWorlds],
    worlds: Worlds,
    *,
    n_threads: int,
) -> ChosenCuts:
    """Cuts on the graph of each space and number of neighbours, for each gamma, and their mixture.

    With all labels only those are made that have weight. With one labelled row there is nothing to
    hide, and all have equal weights.
    """
    judge = _Judge(worlds)
    # The data term by itself needs no cut, and is judged in the same way.
    judge.hear(scores.ranks)
    kinds = [
        _Kind(space, k, gamma) for space in spaces for k in space.n_neighbors for gamma in GAMMAS
    ]
    hiding = range(worlds.n_hidden_worlds)
    for levels in _levels(kinds, hiding, scores, worlds, n_threads):
        judge.hear([_untied(x, scores.ranks[world]) for world, x in enumerate(levels)])
    weights = recall_weights(np.array(judge.found))
    kept = [kind for kind, weight in zip(kinds, weights[1:], strict=True) if weight > 0.0]
    complete = _levels(kept, [worlds.n_hidden_worlds], scores, worlds, n_threads)
    cuts = [
        ScoreCut(kind.space.final, kind.n_neighbors, kind.gamma, level)
        for kind, (level,) in zip(kept, complete, strict=True)
    ]
    names = [_name_of_cut(kind.space.name, kind.n_neighbors, kind.gamma) for kind in kinds]
    return _mixture(scores, cuts, names, weights, judge, worlds)


def _levels(
    kinds: Sequence[_Kind],
    in_worlds: Sequence[int],
    scores: JudgedScores,
    worlds: Worlds,
    n_threads: int,
) -> Iterator[list[FloatArray]]:
    """The levels of each kind of cut in these worlds; a graph is made once for its cuts."""
    n_workers = n_cuts_at_once(len(worlds.is_labelled), n_threads)
    for _, together in groupby(kinds, key=lambda kind: (id(kind.space), kind.n_neighbors)):
        same = list(together)
        space, k = same[0].space, same[0].n_neighbors
        used = dict.fromkeys(space.spaces[world] for world in in_worlds)
        graphs = {id(each): checked_graph(each.graph(k)) for each in used}

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

        # If all threads share a cut, only the cuts of one kind are in memory at a time.
        for part in [same] if n_workers > 1 else [[kind] for kind in same]:
            jobs = [(kind.gamma, world) for kind in part for world in in_worlds]
            levels = in_threads(level, jobs, n_workers)
            for place in range(len(part)):
                yield levels[place * len(in_worlds) : (place + 1) * len(in_worlds)]


def n_cuts_at_once(n_rows: int, n_threads: int) -> int:
    return max(1, n_threads // (1 if n_rows < ROWS_TO_SHARE else THREADS_THAT_SHARE))


def _mixture(
    scores: JudgedScores,
    cuts: Sequence[ScoreCut],
    names: Sequence[str],
    weights: FloatArray,
    judge: _Judge,
    worlds: Worlds,
) -> ChosenCuts:
    """Of the cuts that have weight; `weights` and `names` are those of all, the data term first."""
    others, rank = ~worlds.is_known, scores.ranks[-1]
    levels = [rank, *(_untied(cut.level, rank) for cut in cuts)]
    used = np.concatenate([weights[:1], weights[1:][weights[1:] > 0.0]])
    answer = worlds.is_labelled.astype(np.float64)
    answer[others] = weighted_sum(used, [ranks(level[others]) for level in levels])
    left_out = answer.copy()
    left_out[worlds.is_known] = weighted_sum(weights, judge.hidden)
    names = ["no graph, the mixed score by itself", *names]
    found = np.array(judge.found)
    return ChosenCuts(
        scores.mixed,
        tuple(cuts),
        used,
        answer,
        left_out,
        (
            *scores.candidates,
            *judged(names, "cut", found, weights, worlds.is_hidden_positive),
            _verdict(hidden_recall(worlds, judge.mixtures(), answer)),
        ),
        tuple(np.sort(level[others]) for level in levels),
    )


def _verdict(hidden: HiddenRecall) -> Candidate:
    if not hidden.n_hidden:
        return Candidate(
            "the mixture", "mixture", math.nan, math.nan, 1.0, "what answers: " + UNJUDGED
        )
    return Candidate(
        "the mixture",
        "mixture",
        hidden.recall,
        hidden.standard_error,
        1.0,
        f"what answers: found {hidden.recall:.0%} of {hidden.n_hidden} positives that were hidden "
        "from it",
    )


def _name_of_cut(space: str, n_neighbors: int, gamma: float) -> str:
    return f"{n_neighbors} neighbours, {space}, gamma {gamma:g}"


def _untied(level: FloatArray, mixed_rank: FloatArray) -> FloatArray:
    return level + _TIE * mixed_rank
