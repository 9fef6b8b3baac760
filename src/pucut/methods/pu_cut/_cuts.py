"""Scores smoothed along graphs by cuts, and their mixture, judged by hidden positives.

Scores of several learners are mixed by how many hidden labelled rows they find. Cuts with the
mixed score as data term (`score_cuts`) are made on graphs of several spaces and for several gamma;
a third of the labelled rows at a time is hidden from them, and they are mixed by the same rule.
Nothing is preferred unless it is better by more than the noise; no negative label is used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray, checked_graph
from pucut._support.threads import in_threads
from pucut.cuts.score_cuts import levels_of_new_rows, score_cut
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.spaces import WeightedSpace
from pucut.methods.pu_cut._mixing import (
    Candidate,
    rank_among,
    ranks,
    reason,
    recall_at,
    recall_error,
    recall_weights,
)
from pucut.methods.pu_cut._scores import BaseScore

GAMMAS = (0.5, 2.0, 8.0, 32.0)
HIDDEN_FOLDS = 3
# What has less weight is left out.
LEAST_WEIGHT = 0.01
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
    part_references : tuple of float arrays of shape (n_samples,)
        The scores of the training rows by each part, ascending.
    reference : float array of shape (n_samples,)
        Their mixed ranks, ascending.
    """

    parts: tuple[BaseScore, ...]
    weights: FloatArray
    part_references: tuple[FloatArray, ...]
    reference: FloatArray

    def of(self, points: Any, near: Mapping[str, NeighborLists]) -> FloatArray:
        """Rank of new points among the training rows."""
        mixed = np.zeros(points.shape[0])
        for part, weight, reference in zip(
            self.parts, self.weights, self.part_references, strict=True
        ):
            mixed += weight * rank_among(part.of(points, near), reference)
        return rank_among(mixed, self.reference)


@dataclass(frozen=True, eq=False)
class ScoreCut:
    """A cut with the mixed score as data term, and the levels of the training rows.

    Attributes
    ----------
    level : float array of shape (n_samples,)
        Infinite for labelled rows.
    hidden_rank : float array of shape (n_samples,)
        Of labelled rows, among the unlabelled, in the cut they were hidden from; NaN for others.
    hidden_recall : float
    """

    space: WeightedSpace
    n_neighbors: int
    gamma: float
    level: FloatArray
    hidden_rank: FloatArray
    hidden_recall: float

    @property
    def name(self) -> str:
        return f"{self.n_neighbors} neighbours, {self.space.name}, gamma {self.gamma:g}"

    def of(self, near: NeighborLists, scores: FloatArray) -> FloatArray:
        """Levels of new rows with these neighbours and mixed scores."""
        lists = near.nearest(self.n_neighbors)
        similar = self.space.similarities(lists.squared_distances)
        level = levels_of_new_rows(lists.indices, similar, self.level, scores, self.gamma)
        return level + _TIE * scores


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
        From 0 to 1; 1 for labelled rows.
    left_out : float array of shape (n_samples,)
        The same, but labelled rows as scored by the cuts they were hidden from.
    candidates : tuple of Candidate
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

    @property
    def best_cut(self) -> ScoreCut | None:
        """The cut with most weight, if any has some."""
        return self.cuts[int(np.argmax(self.weights[1:]))] if self.cuts else None

    def of(self, points: Any, spaces: Sequence[WeightedSpace]) -> FloatArray:
        """Scores of new points, each by itself."""
        near = {space.name: space.near(points) for space in spaces}
        scores = self.mixed.of(points, near)
        levels = [scores, *(cut.of(near[cut.space.name], scores) for cut in self.cuts)]
        found: FloatArray = np.zeros(len(scores))
        for level, weight, reference in zip(levels, self.weights, self.references, strict=True):
            found += weight * rank_among(level, reference)
        return found


def mix_scores(
    parts: Sequence[BaseScore], is_labelled: BoolArray, n_positive: int
) -> tuple[MixedScore, FloatArray, list[Candidate]]:
    """The mixture, the rank of each row of `fit` in it, and what each part was worth."""
    all_ranks = [ranks(part.left_out) for part in parts]
    recalls = np.array([recall_at(rank, is_labelled, n_positive) for rank in all_ranks])
    weights = _kept(recall_weights(recalls, int(is_labelled.sum())))
    used = [place for place, weight in enumerate(weights) if weight > 0.0]
    mixed = np.zeros(len(is_labelled))
    for place in used:
        mixed += weights[place] * all_ranks[place]
    candidates = _candidates(
        [part.name for part in parts], "score", recalls, weights, int(is_labelled.sum())
    )
    score = MixedScore(
        tuple(parts[place] for place in used),
        weights[used],
        tuple(np.sort(parts[place].left_out) for place in used),
        np.sort(mixed),
    )
    return score, ranks(mixed), candidates


def choose_cuts(
    mixed: MixedScore,
    mixed_rank: FloatArray,
    spaces: Sequence[tuple[WeightedSpace, Sequence[int]]],
    is_labelled: BoolArray,
    n_positive: int,
    candidates: Sequence[Candidate],
    *,
    random: np.random.RandomState,
    n_threads: int,
) -> ChosenCuts:
    """Cuts on the graph of each space and number of neighbours, for each gamma, and their mixture.

    With one labelled row there is nothing to hide, and all have equal weights.
    """
    fold = hidden_folds(is_labelled, random)
    worlds = [is_labelled & (fold != hidden) for hidden in range(int(fold.max()) + 1)]
    kinds = [(space, k, gamma) for space, ks in spaces for k in ks for gamma in GAMMAS]
    graphs = {(space.name, k): checked_graph(space.graph(k)) for space, ks in spaces for k in ks}
    n_workers = n_threads if len(is_labelled) < ROWS_TO_SHARE else 1

    def level(job: tuple[tuple[WeightedSpace, int, float], BoolArray]) -> FloatArray:
        (space, k, gamma), seeds = job
        graph = graphs[space.name, k]
        path = score_cut(graph, seeds, mixed_rank, gamma, n_threads=n_threads // n_workers)
        return path.switch

    each = len(worlds) + 1
    cuts = []
    # If threads share a cut, only the cuts of one kind are in memory at a time.
    for group in [kinds] if n_workers > 1 else [[kind] for kind in kinds]:
        levels = in_threads(
            level, [(kind, seeds) for kind in group for seeds in (*worlds, is_labelled)], n_workers
        )
        for place, (space, k, gamma) in enumerate(group):
            *hidden, final = levels[place * each : (place + 1) * each]
            hidden_rank, recall = _hidden(hidden, mixed_rank, is_labelled, fold, n_positive)
            cuts.append(ScoreCut(space, k, gamma, final, hidden_rank, recall))
    n_labelled = int(is_labelled.sum())
    # The data term by itself needs no cut, and is judged in the same way.
    alone_rank, alone = _hidden(
        [mixed_rank] * len(worlds), mixed_rank, is_labelled, fold, n_positive
    )
    recalls = np.array([alone, *(cut.hidden_recall for cut in cuts)])
    weights = _kept(recall_weights(recalls, n_labelled))
    others = ~is_labelled
    scores = np.ones(len(is_labelled))
    scores[others] = weights[0] * ranks(mixed_rank[others])
    left_out = np.where(is_labelled, weights[0] * alone_rank, scores)
    for cut, weight in zip(cuts, weights[1:], strict=True):
        if weight > 0.0:
            scores[others] += weight * ranks(_untied(cut.level, mixed_rank)[others])
            left_out[is_labelled] += weight * cut.hidden_rank[is_labelled]
    left_out[others] = scores[others]
    names = ["no graph, the mixed score by itself", *(cut.name for cut in cuts)]
    chosen = [place for place, weight in enumerate(weights) if weight > 0.0 and place > 0]
    kept = tuple(cuts[place - 1] for place in chosen)
    return ChosenCuts(
        mixed,
        kept,
        np.concatenate([weights[:1], weights[chosen]]),
        scores,
        left_out,
        (*candidates, *_candidates(names, "cut", recalls, weights, n_labelled)),
        (
            np.sort(mixed_rank[others]),
            *(np.sort(_untied(cut.level, mixed_rank)[others]) for cut in kept),
        ),
    )


def hidden_folds(is_labelled: BoolArray, random: np.random.RandomState) -> npt.NDArray[np.intp]:
    """The fold that hides each labelled row; -1 for others, and if only one row is labelled."""
    fold = np.full(len(is_labelled), -1, dtype=np.intp)
    n_labelled = int(is_labelled.sum())
    n_folds = min(HIDDEN_FOLDS, n_labelled)
    if n_folds > 1:
        fold[is_labelled] = random.permutation(np.arange(n_labelled) % n_folds)
    return fold


def _hidden(
    worlds: Sequence[FloatArray],
    mixed_rank: FloatArray,
    is_labelled: BoolArray,
    fold: npt.NDArray[np.intp],
    n_positive: int,
) -> tuple[FloatArray, float]:
    """Ranks of labelled rows in the cuts they were hidden from, and the recall of all."""
    rank = np.full(len(is_labelled), np.nan)
    if not worlds:
        # Nothing could be hidden: as if the row were the best of all.
        rank[is_labelled] = 1.0
        return rank, 1.0
    found = 0.0
    for hidden, level in enumerate(worlds):
        is_hidden = fold == hidden
        untied = _untied(level, mixed_rank)
        rank[is_hidden] = rank_among(untied[is_hidden], np.sort(untied[~is_labelled]))
        asked = ~is_labelled | is_hidden
        n_wanted = n_positive - int((~asked).sum())
        recall = recall_at(untied[asked], is_hidden[asked], min(n_wanted, int(asked.sum())))
        found += recall * int(is_hidden.sum())
    return rank, found / int(is_labelled.sum())


def _untied(level: FloatArray, mixed_rank: FloatArray) -> FloatArray:
    return level + _TIE * mixed_rank


def _kept(weights: FloatArray) -> FloatArray:
    kept = np.where(weights >= min(LEAST_WEIGHT, float(weights.max())), weights, 0.0)
    return np.asarray(kept / kept.sum())


def _candidates(
    names: Sequence[str], kind: str, recalls: FloatArray, weights: FloatArray, n_hidden: int
) -> list[Candidate]:
    best = float(recalls.max())
    error = recall_error(best, n_hidden)
    return [
        Candidate(
            name,
            kind,
            float(recall),
            recall_error(float(recall), n_hidden),
            float(weight),
            reason((best - float(recall)) / error),
        )
        for name, recall, weight in zip(names, recalls, weights, strict=True)
    ]
