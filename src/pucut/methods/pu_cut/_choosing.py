"""The chooser from points to a mixture: folds of labels, scores, spaces, cuts, weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut._support.threads import in_threads, library_threads
from pucut.data.labels import PULabels
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.spaces import WeightedSpace, near_in
from pucut.judging.folds import PUFolds
from pucut.judging.mixing import mix_ranks, needed_transforms
from pucut.judging.places import PointsHere
from pucut.judging.scorers import (
    LINEAR,
    MOST_LINEAR_COLUMNS,
    FinalFit,
    Score,
    kernel_score,
    learner_score,
    linear_score,
    neighbor_score,
    walk_name,
    walk_score,
)
from pucut.judging.spaces import NewRows, SearchedSpace, Transform
from pucut.judging.weights import Candidate
from pucut.methods.pu_cut._candidates import (
    EncodedRows,
    FoundSpaces,
    Options,
    Task,
    encodings_of,
    find_spaces,
    why_left_out,
)
from pucut.methods.pu_cut._cuts import ChosenCuts, ScoreCut, choose_cuts
from pucut.methods.pu_cut._self_training import self_trained_score
from pucut.methods.steps import Step
from pucut.trees.forest import Forest

# Threads share new rows in parts of at least this size.
_LEAST_ROWS_OF_A_PART = 500


@dataclass(frozen=True, eq=False)
class Mixture:
    """Cuts and scores with their weights, the spaces they lie in, and the trees for features.

    `feature_weights` are those of the space of the name `weights_of`, the first one, whether it was
    searched or not.
    """

    chosen: ChosenCuts
    searched: tuple[SearchedSpace, ...]
    forest: Forest | None  # None where only predictions are wanted
    feature_weights: FloatArray
    weights_of: str

    def scores(self, table: Any, points: Any) -> FloatArray:
        """Return the scores of new rows, given as a table and as points."""
        made = {transform.key: transform.of(table, points) for transform in self.transforms}
        lists = {
            one.name: one.final.near(made[one.transform.key], n_neighbors)
            for one in self.searched
            if (n_neighbors := self.n_needed(one.final))
        }
        return self.scores_near(table, made, lists)

    def scores_near(
        self, table: Any, points: Mapping[str | None, Any], lists: Mapping[str, NeighborLists]
    ) -> FloatArray:
        """Return the scores of new rows, given their points by transform and neighbours by space.

        Spaces that nothing with weight needs may be missing.
        """
        near = {one.name: near_in(one, lists[one.name]) for one in self.spaces if one.name in lists}
        rows = NewRows(table, points, near)
        is_shared = all(part.predictor.threads_may_share for part in self.chosen.mixed.parts)
        n_threads = self.spaces[0].n_threads if is_shared else 1
        n_parts = min(rows.n_rows // _LEAST_ROWS_OF_A_PART, 2 * n_threads)
        if n_threads == 1 or n_parts < 2:
            return self.chosen(rows)
        return np.concatenate(in_threads(self.chosen, rows.in_parts(n_parts), n_threads))

    @property
    def transforms(self) -> list[Transform]:
        """The transforms whose points the parts with weight need."""
        searched = [one for one in self.searched if self.n_needed(one.final)]
        return needed_transforms(self.chosen.mixed.parts, searched)

    def n_needed(self, space: WeightedSpace) -> int:
        """Return the number of neighbours in a space that the parts with weight need."""
        predictors = [part.predictor for part in self.chosen.mixed.parts]
        needed = [each.n_neighbors for each in predictors if each.space == space.name]
        needed += [cut.n_neighbors for cut in self.cuts if cut.space.name == space.name]
        return max(needed, default=0)

    def for_answers(self) -> "Mixture":
        """Drop what is known of the training rows and not needed to score new ones."""
        small = replace(self, chosen=self.chosen.for_answers(), forest=None)
        return small.in_spaces({one.name: one.for_answers() for one in self.spaces})

    def in_spaces(self, spaces: Mapping[str, WeightedSpace]) -> "Mixture":
        """Return the mixture with other spaces of the same names."""
        chosen = self.chosen.in_spaces(spaces)
        searched = tuple(one.final_only(spaces[one.name]) for one in self.searched)
        return replace(self, chosen=chosen, searched=searched)

    @property
    def spaces(self) -> tuple[WeightedSpace, ...]:
        """The spaces of the final fit."""
        return tuple(one.final for one in self.searched)

    @property
    def cuts(self) -> tuple[ScoreCut, ...]:
        """The cuts that have weight."""
        return self.chosen.cuts

    @property
    def cut_weights(self) -> FloatArray:
        """The weight of each cut; the rest belongs to the mixed score by itself."""
        return self.chosen.weights[1:]


def find_mixture(
    task: Task, left_out: Sequence[Candidate], random: np.random.RandomState, step: Step
) -> Mixture:
    """Learn scores, find neighbours, cut, compare and mix; `left_out` opens the candidates."""
    folds, options = task.folds, task.options
    encodings = encodings_of(task, random)
    with step("trees"):
        trees = [encoded.trees(task) for encoded in encodings]
    with step("neighbours"):
        found = [
            find_spaces(task, encoded, of_encoding[0])
            for encoded, of_encoding in zip(encodings, trees, strict=True)
        ]
    with step("kernels"), library_threads(1):
        regressions = _regressions(encodings, found, task)
        supplied = [
            learner_score(name, learner, task.table, folds, random)
            for name, learner in options.learners.items()
        ]
    by_encoding = [
        [
            *(each.score for each in of_encoding),
            *(walk_score(space, folds) for space in there.spaces),
            *regressed,
        ]
        for of_encoding, there, regressed in zip(trees, found, regressions, strict=True)
    ]
    left_out = [*left_out, *found[0].left_out]
    if len(encodings) > 1:
        no_better = why_left_out(by_encoding[0], by_encoding[1], folds)
        left_out += found[1].left_out if no_better is None else [no_better]
        if no_better is not None:
            by_encoding, found = by_encoding[:1], found[:1]
    spaces = [space for there in found for space in there.spaces]
    scores = [*(score for of_encoding in by_encoding for score in of_encoding), *supplied]
    if task.plan.is_large and isinstance(task.points, PointsHere):
        with step("rounds"), library_threads(1):
            scores = _self_trained(scores, spaces, folds, random, options)
    with step("trees"):
        # The scores that have weight learn from all labels.
        mixed = mix_ranks(scores, folds)
    with step("cuts"):
        chosen = choose_cuts(mixed, spaces, folds, n_threads=options.n_threads)
    # The scores of the training rows have been compared, and are not needed any more.
    candidates = (*left_out, *chosen.candidates)
    chosen = replace(chosen, mixed=chosen.mixed.for_answers(), candidates=candidates)
    searched = tuple(space.final_only() for space in spaces)
    first = found[0].first
    return Mixture(chosen, searched, trees[0][0].forest, first.weights[-1], first.name)


def n_positive_rows(labels: PULabels, prior: float) -> int:
    """Return how many rows are taken as positive: at least one that is not labelled."""
    least, most = labels.n_labelled + 1, labels.n_samples - labels.n_negative
    return min(max(round(prior * labels.n_samples), least), most)


def _self_trained(
    scores: list[Score],
    spaces: Sequence[SearchedSpace],
    folds: PUFolds,
    random: np.random.RandomState,
    options: Options,
) -> list[Score]:
    """Add the score of self-training, if it is better, in the place of the walks.

    Self-training goes along the graph from predicted positives, walks from the labels alone.
    """
    walks = {walk_name(space.name) for space in spaces}
    others = [score for score in scores if score.name not in walks]
    # A score that has not learned from all labels yet has no final fit to start from.
    start = [score for score in others if isinstance(score.final, FinalFit)]
    start += [neighbor_score(space, folds) for space in spaces]
    found = self_trained_score(start, spaces, folds, random, options.n_threads, options.device)
    return scores if found is None else [*others, found]


def _regressions(
    encodings: Sequence[EncodedRows], found: Sequence[FoundSpaces], task: Task
) -> list[list[Score]]:
    """Return for each encoding kernel regressions in its spaces and a linear one of its points."""
    # Regressions share the threads, and the widths of each those that are left: threads of linear
    # algebra wait for each other. A GPU does one after the other, with its whole memory.
    folds, device, n_threads = task.folds, task.options.device, task.points.n_threads
    n_kernels = sum(len(there.spaces) for there in found)
    n_at_once = n_kernels + len(encodings) if device is None else 1
    n_each = max(1, n_threads // n_at_once)
    jobs: list[tuple[int, Callable[[], Score]]] = []
    for place, (encoded, there) in enumerate(zip(encodings, found, strict=True)):
        seeds = encoded.random.randint(np.iinfo(np.int32).max, size=len(there.spaces))
        jobs += [
            (place, partial(kernel_score, space, folds, int(seed), device, n_each))
            for space, seed in zip(there.spaces, seeds, strict=True)
        ]
        points = encoded.points
        if not points.is_sparse and points.shape[1] <= MOST_LINEAR_COLUMNS:
            name, transform = encoded.name(LINEAR), encoded.transform
            jobs.append((place, partial(linear_score, name, points, transform, folds, device)))
    done = in_threads(lambda job: job[1](), jobs, min(n_at_once, n_threads))
    scores: list[list[Score]] = [[] for _ in encodings]
    for (place, _), score in zip(jobs, done, strict=True):
        scores[place].append(score)
    return scores
