"""Cuts along graphs with the mixed score as data term, and their mixture.

Cuts (`score_cuts`) are made on graphs of several spaces and for several gamma, and are mixed by how
many hidden rows they recover. All of it is done in every fold of labels, so that hidden rows are
hidden from scores, graphs and cuts alike. Nothing is preferred unless it is better by more than the
noise; no negative label is needed, and known negatives judge too.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray, checked_graph
from pucut._support.threads import in_threads
from pucut.cuts.score_cuts import levels_of_new_rows, score_cut
from pucut.graphs.spaces import NearRows, WeightedSpace
from pucut.judging.folds import PUFolds
from pucut.judging.losses import rank_among, ranks, shares_above
from pucut.judging.mixing import MixedRanks, RankMixture, fold_weights
from pucut.judging.spaces import NewRows, SearchedSpace
from pucut.judging.weights import UNJUDGED, Candidate, compared, recall_weights, weighted_sum

GAMMAS = (0.5, 2.0, 8.0, 32.0)
# From this many rows on this many threads share a cut, which more would hardly make faster, and
# takes memory; below, each thread makes cuts of its own.
ROWS_TO_SHARE, THREADS_THAT_SHARE = 100_000, 4
# Among equal levels the score decides.
_TIE = 1e-9
# Both are measured on the practice tables, by `python -m benchmarks.bench_hidden_recall`.
# The variance of the recall if every label is hidden in turn, over that of independent rows.
VARIANCE_IN_TURN = 1.8
# The distance of the final recall from that in the folds, over the share of rows that changes.
ERROR_OF_CHANGE = 0.25


@dataclass(frozen=True, eq=False)
class ScoreCut:
    """A cut with the mixed score as data term, and the levels of the training rows.

    The level is infinite for labelled rows, and minus infinity for known negatives.
    """

    space: WeightedSpace
    n_neighbors: int
    gamma: float
    level: FloatArray

    @property
    def name(self) -> str:
        return _name_of_cut(self.space.name, self.n_neighbors, self.gamma)

    def levels(self, near: NearRows, scores: FloatArray) -> FloatArray:
        """Return the levels of new rows with these neighbours and mixed scores."""
        near = near.nearest(self.n_neighbors)
        levels = levels_of_new_rows(near.indices, near.similar, self.level, scores, self.gamma)
        return _untied(levels, scores)


@dataclass(frozen=True, eq=False)
class ChosenCuts:
    """The mixture of cuts.

    `mixed` is the data term, which is also part of the mixture, as a cut with infinite gamma: its
    weight comes first. `scores` go from 0 to 1, which labelled rows have, and known negatives have
    0; in `left_out` known rows are scored as in the folds that hide them. `references` are the
    values of the unlabelled training rows in the data term and in each cut, ascending: new rows are
    ranked among them.
    """

    mixed: RankMixture
    cuts: tuple[ScoreCut, ...]
    weights: FloatArray
    scores: FloatArray
    left_out: FloatArray
    candidates: tuple[Candidate, ...]
    references: tuple[FloatArray, ...]

    def __call__(self, rows: NewRows) -> FloatArray:
        """Return the scores of new rows, each by itself."""
        scores = self.mixed(rows)
        levels = [scores, *(cut.levels(rows.near[cut.space.name], scores) for cut in self.cuts)]
        return weighted_sum(self.weights, list(map(rank_among, levels, self.references)))

    def in_spaces(self, spaces: Mapping[str, WeightedSpace]) -> "ChosenCuts":
        """Return the mixture with other spaces of the same names."""
        cuts = tuple(replace(cut, space=spaces[cut.space.name]) for cut in self.cuts)
        return replace(self, cuts=cuts)

    def for_answers(self) -> "ChosenCuts":
        """Drop the scores of the training rows and the candidates."""
        nothing = np.empty(0)
        mixed = self.mixed.for_answers()
        return replace(self, mixed=mixed, scores=nothing, left_out=nothing, candidates=())


class _Judge:
    """Weighs candidates, whose scores in the folds that hide labels come one by one.

    It keeps of each candidate only the judges that it recovered, and its ranks of known rows in the
    folds that hide them and of the unlabelled rows in these folds.
    """

    def __init__(self, folds: PUFolds) -> None:
        self._folds = folds
        self._queried = [~folds.is_known | (folds.fold == k) for k in range(folds.n_folds)]
        self._recovered: list[FloatArray] = []
        self.hidden: list[FloatArray] = []
        self._in_folds: list[list[FloatArray]] = []

    def add(self, scores: Sequence[FloatArray]) -> None:
        folds = self._folds
        self._recovered.append(folds.recovered(scores))
        self.hidden.append(folds.hidden_ranks(scores)[folds.is_known])
        self._in_folds.append(
            [
                ranks(scores[k][queried]).astype(np.float32)
                for k, queried in enumerate(self._queried)
            ]
        )

    @property
    def recovered(self) -> FloatArray:
        return np.array(self._recovered)

    def mixtures(self) -> list[FloatArray]:
        """Return the mixture in each fold, weighted by the judges of that fold alone."""
        folds, mixtures = self._folds, []
        for k, weights in enumerate(fold_weights(self.recovered, recall_weights, folds)[:-1]):
            mixture = np.full(len(folds.codes), np.nan)
            mixture[self._queried[k]] = sum(
                weight * of_candidate[k]
                for weight, of_candidate in zip(weights, self._in_folds, strict=True)
                if weight > 0.0
            )
            mixtures.append(mixture)
        return mixtures


# The cuts on one graph for one gamma, in every fold: the space, its neighbours and the gamma.
_Kind = tuple[SearchedSpace, int, float]


def choose_cuts(
    scores: MixedRanks, spaces: Sequence[SearchedSpace], folds: PUFolds, *, n_threads: int
) -> ChosenCuts:
    """Cut along the graph of each space and number of neighbours, for each gamma, and mix.

    Only the cuts with weight are made with all labels. With one labelled row there is nothing to
    hide, and all have equal weights.
    """
    judge = _Judge(folds)
    # The data term by itself needs no cut, and is judged in the same way.
    judge.add(scores.ranks)
    kinds = [(space, k, gamma) for space in spaces for k in space.n_neighbors for gamma in GAMMAS]
    for levels in _levels(kinds, range(folds.n_folds), scores, folds, n_threads):
        judge.add([_untied(level, scores.ranks[k]) for k, level in enumerate(levels)])
    weights = recall_weights(judge.recovered)
    kept = [kind for kind, weight in zip(kinds, weights[1:], strict=True) if weight > 0.0]
    final = _levels(kept, [folds.n_folds], scores, folds, n_threads)
    cuts = tuple(
        ScoreCut(space.final, k, gamma, level)
        for (space, k, gamma), (level,) in zip(kept, final, strict=True)
    )
    names = [_name_of_cut(space.name, k, gamma) for space, k, gamma in kinds]
    return _mixture(scores, cuts, names, weights, judge, folds)


def _levels(
    kinds: Sequence[_Kind],
    in_folds: Sequence[int],
    scores: MixedRanks,
    folds: PUFolds,
    n_threads: int,
) -> Iterator[list[FloatArray]]:
    """Yield the levels of each kind of cut in these folds; the cuts of a graph share it."""
    n_workers = n_cuts_at_once(len(folds.codes), n_threads)
    for (space, n_neighbors), together in groupby(kinds, key=itemgetter(0, 1)):
        same = list(together)
        used = dict.fromkeys(space.folds[k] for k in in_folds)
        graphs = {id(each): checked_graph(each.graph(n_neighbors)) for each in used}

        def level(job: tuple[float, int], space: Any = space, graphs: Any = graphs) -> FloatArray:
            gamma, k = job
            graph = graphs[id(space.folds[k])]
            return score_levels(graph, folds, k, scores.ranks[k], gamma, n_threads // n_workers)

        # If all threads share a cut, only the cuts of one kind are in memory at a time.
        for part in [same] if n_workers > 1 else [[kind] for kind in same]:
            jobs = [(gamma, k) for *_, gamma in part for k in in_folds]
            levels = in_threads(level, jobs, n_workers)
            for place in range(len(part)):
                yield levels[place * len(in_folds) : (place + 1) * len(in_folds)]


def score_levels(
    graph: Any, folds: PUFolds, k: int, scores: FloatArray, gamma: float, n_threads: int
) -> FloatArray:
    """Return the level at which each row leaves the positive side, with the labels of a fold."""
    codes = folds.labels[k]
    path = score_cut(graph, codes == 1, scores, gamma, is_negative=codes == 0, n_threads=n_threads)
    return path.switch


def n_cuts_at_once(n_rows: int, n_threads: int) -> int:
    return max(1, n_threads // (1 if n_rows < ROWS_TO_SHARE else THREADS_THAT_SHARE))


def _mixture(
    scores: MixedRanks,
    cuts: tuple[ScoreCut, ...],
    names: Sequence[str],
    weights: FloatArray,
    judge: _Judge,
    folds: PUFolds,
) -> ChosenCuts:
    """Mix the cuts with weight; `weights` and `names` are those of all, the data term first."""
    others, rank = ~folds.is_known, scores.ranks[-1]
    levels = [rank, *(_untied(cut.level, rank) for cut in cuts)]
    used = np.concatenate([weights[:1], weights[1:][weights[1:] > 0.0]])
    final = folds.is_labelled.astype(np.float64)
    final[others] = weighted_sum(used, [ranks(level[others]) for level in levels])
    left_out = final.copy()
    left_out[folds.is_known] = weighted_sum(weights, judge.hidden)
    names = ["no graph, the mixed score by itself", *names]
    candidates = compared(names, "cut", judge.recovered, weights, folds.is_positive_judge)
    verdict = _verdict(hidden_recall(folds, judge.mixtures(), final))
    return ChosenCuts(
        scores.mixture,
        cuts,
        used,
        final,
        left_out,
        (*scores.candidates, *candidates, verdict),
        tuple(np.sort(level[others]) for level in levels),
    )


@dataclass(frozen=True)
class HiddenRecall:
    """The recall on the hidden positives, as an estimate for the unlabelled ones; NaN without any.

    It is wrong for three reasons, and the error has a part for each: the hidden rows are few; if
    every label is hidden `in_turn`, rows that judge in one fold were training rows in the others;
    and models without the hidden labels differ from the final one. `changed` is the mean share of
    the final predicted positives that a fold does not predict.
    """

    recall: float
    n_hidden: int
    in_turn: bool
    changed: float

    @property
    def standard_error(self) -> float:
        n_rows = self.n_hidden / (VARIANCE_IN_TURN if self.in_turn else 1.0)
        return error_of_estimate(self.recall, n_rows, ERROR_OF_CHANGE * self.changed)


def error_of_estimate(recall: float, n_rows: float, error_of_change: float) -> float:
    """Return the root mean squared distance of the plausible recalls from the one measured.

    If all recalls are equally likely beforehand, then after that share of `n_rows` they have a beta
    distribution. The distance stays honest where all rows were recovered, or none.
    """
    mean = (recall * n_rows + 1.0) / (n_rows + 2.0)
    variance = mean * (1.0 - mean) / (n_rows + 3.0)
    return math.sqrt(variance + (mean - recall) ** 2 + error_of_change**2)


def hidden_recall(
    folds: PUFolds, mixtures: Sequence[FloatArray], final: FloatArray
) -> HiddenRecall:
    """Return the recall of a mixture, given its scores in each fold and in the final fit."""
    hits = folds.recovered(mixtures)[folds.is_positive_judge]
    if not len(hits):
        return HiddenRecall(math.nan, 0, in_turn=False, changed=math.nan)
    return HiddenRecall(
        float(hits.mean()),
        len(hits),
        in_turn=bool(folds.is_hidden[folds.is_labelled].all()),
        changed=share_changed(folds, mixtures, final),
    )


def share_changed(folds: PUFolds, mixtures: Sequence[FloatArray], final: FloatArray) -> float:
    """Return the mean share of the final predicted positives that a fold does not predict.

    In each fold as many of the unlabelled rows are predicted positive as in the end; ties in part.
    """
    others = ~folds.is_known
    wanted = min(folds.n_positive - int(folds.is_labelled.sum()), int(others.sum()))
    predicted, *in_folds = (
        shares_above(scores[others], scores[others], wanted) for scores in (final, *mixtures)
    )
    moved = [np.maximum(predicted - in_fold, 0.0).sum() / wanted for in_fold in in_folds]
    return float(np.mean(moved))


def _verdict(hidden: HiddenRecall) -> Candidate:
    recall, error, why = math.nan, math.nan, UNJUDGED
    if hidden.n_hidden:
        recall, error = hidden.recall, hidden.standard_error
        why = f"found {recall:.0%} of {hidden.n_hidden} positives that were hidden from it"
    return Candidate("the mixture", "mixture", recall, error, 1.0, f"what answers: {why}")


def _name_of_cut(space: str, n_neighbors: int, gamma: float) -> str:
    return f"{n_neighbors} neighbours, {space}, gamma {gamma:g}"


def _untied(level: FloatArray, mixed_rank: FloatArray) -> FloatArray:
    return level + _TIE * mixed_rank
