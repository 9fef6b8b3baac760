"""The chooser from points to a mixture: worlds, scores, spaces, cuts, and the weights of all."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from pucut._support.checks import FloatArray
from pucut._support.threads import in_threads, library_threads
from pucut.data.labels import PULabels
from pucut.graphs.neighbors import NeighborLists
from pucut.graphs.spaces import WeightedSpace, near_in
from pucut.judging.places import PointsHere
from pucut.methods.pu_cut._cuts import ChosenCuts, ScoreCut, choose_cuts
from pucut.methods.pu_cut._finding import FoundSpaces, Input, Options, find_spaces
from pucut.methods.pu_cut._mixed_score import mix_scores
from pucut.methods.pu_cut._near_scores import OfNear, neighbor_score, walk_name, walk_score
from pucut.methods.pu_cut._rounds import found_score, have_rounds
from pucut.methods.pu_cut._scores import (
    LINEAR,
    MOST_LINEAR_COLUMNS,
    BaseScore,
    NewRows,
    UnfinishedScore,
    kernel_name,
    kernel_score,
    learner_score,
    linear_score,
    threads_may_share,
    tree_kinds,
    tree_score,
)
from pucut.methods.pu_cut._spaces import SpaceOfWorlds
from pucut.methods.pu_cut._views import View, views_of, why_left_out
from pucut.methods.pu_cut._worlds import Worlds, hidden_worlds
from pucut.trees.forest import Forest

# New rows that are scored together are at least so many, if threads share them.
_LEAST_ROWS_OF_A_PART = 500

Step = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Cuts and scores with their weights, the spaces they lie in, and the trees for features.

    `feature_weights` are those of the space of the name `weights_of`, the first one, whether it was
    worth its neighbours or not.
    """

    chosen: ChosenCuts
    spaces_of_worlds: tuple[SpaceOfWorlds, ...]
    forest: Forest | None  # None where only answers are wanted
    feature_weights: FloatArray
    weights_of: str

    def scores(self, table: Any, points: Any) -> FloatArray:
        """Scores of new rows, given as a table and as points."""
        asked = {one.name: self.n_asked(one.final) for one in self.spaces_of_worlds}
        names = {part.name for part in self.chosen.mixed.parts}
        points_in = {
            one.name: one.points_of(table, points)
            for one in self.spaces_of_worlds
            if asked[one.name] or kernel_name(one.name) in names
        }
        lists = {
            one.name: one.final.near(points_in[one.name], asked[one.name])
            for one in self.spaces_of_worlds
            if asked[one.name]
        }
        return self.scores_near(table, points, points_in, lists)

    def scores_near(
        self,
        table: Any,
        points: Any,
        points_in: Mapping[str, Any],
        lists: Mapping[str, NeighborLists],
    ) -> FloatArray:
        """Scores of new rows, given by space their points there and the rows nearest to them.

        Spaces in which nothing with weight asks for them may be missing.
        """
        near = {one.name: near_in(one, lists[one.name]) for one in self.spaces if one.name in lists}
        rows = NewRows(table, points, points_in, near)
        is_shared = all(threads_may_share(part) for part in self.chosen.mixed.parts)
        n_threads = self.spaces[0].n_threads if is_shared else 1
        n_parts = min(points.shape[0] // _LEAST_ROWS_OF_A_PART, 2 * n_threads)
        if n_threads == 1 or n_parts < 2:
            return self.chosen.of(rows)
        return np.concatenate(in_threads(self.chosen.of, rows.in_parts(n_parts), n_threads))

    def n_asked(self, space: WeightedSpace) -> int:
        """How many neighbours in a space what has weight asks for; 0 if nothing does."""
        scores = [part.of for part in self.chosen.mixed.parts if isinstance(part.of, OfNear)]
        asked = [of.n_neighbors for of in scores if of.space == space.name]
        asked += [cut.n_neighbors for cut in self.cuts if cut.space.name == space.name]
        return max(asked, default=0)

    def for_answers(self) -> "Mixture":
        """Without what is known of the training rows and is not asked for to score new ones."""
        small = replace(self, chosen=self.chosen.for_answers(), forest=None)
        return small.in_spaces({one.name: one.for_answers() for one in self.spaces})

    def in_spaces(self, spaces: Mapping[str, WeightedSpace]) -> "Mixture":
        """With other spaces of the same names in the place of its own."""
        chosen = self.chosen.in_spaces(spaces)
        alone = tuple(replace(one, spaces=(spaces[one.name],)) for one in self.spaces_of_worlds)
        return replace(self, chosen=chosen, spaces_of_worlds=alone)

    @property
    def spaces(self) -> tuple[WeightedSpace, ...]:
        """The spaces in which it answers."""
        return tuple(one.final for one in self.spaces_of_worlds)

    @property
    def cuts(self) -> tuple[ScoreCut, ...]:
        """The cuts that have weight."""
        return self.chosen.cuts

    @property
    def cut_weights(self) -> FloatArray:
        """The weight of each of them; the rest belongs to the mixed score by itself."""
        return self.chosen.weights[1:]


def find_mixture(
    rows: Input,
    labels: PULabels,
    prior: float,
    options: Options,
    *,
    random_state: Any,
    n_threads: int,
    step: Step,
) -> Mixture:
    """Learns scores, finds neighbours, cuts and judges; the cuts by `n_threads`."""
    random = check_random_state(random_state)
    points = rows.points
    n_rows = points.shape[0]
    least, most = labels.n_labelled + 1, n_rows - labels.n_negative
    groups = points.groups(labels.is_labelled)
    worlds = hidden_worlds(
        labels.is_labelled,
        min(max(round(prior * n_rows), least), most),
        random,
        groups,
        labels.is_negative,
    )
    views = views_of(points, rows.categories, worlds)
    # Each draws by itself: what is drawn for the table as it is does not depend on the other.
    randoms = [random, *(deepcopy(random) for _ in views[1:])]
    with step("trees"):
        trees = [
            [
                tree_score(
                    name,
                    kind,
                    view.points,
                    worlds,
                    prior,
                    n_trees=options.n_trees,
                    random=drawn,
                    n_threads=n_threads,
                )
                for name, kind in tree_kinds(view.points.shape[1]).items()
            ]
            for view, drawn in zip(views, randoms, strict=True)
        ]
    with step("neighbours"):
        search = {"sigma": options.sigma, "method": options.neighbors}
        found = [
            find_spaces(rows, view, worlds, of_view[0], options, drawn, search)
            for view, of_view, drawn in zip(views, trees, randoms, strict=True)
        ]
    with step("kernels"), library_threads(1):
        regressions = _regressions(views, found, worlds, options, randoms)
        given = [
            learner_score(name, learner, rows.table, worlds, random)
            for name, learner in options.learners.items()
        ]
    by_view: list[list[BaseScore | UnfinishedScore]] = [
        [
            *(view.score(each.score) for each in of_view),
            *(walk_score(space, worlds) for space in there.spaces),
            *regressed,
        ]
        for view, of_view, there, regressed in zip(views, trees, found, regressions, strict=True)
    ]
    left_out = [*rows.left_out, *found[0].left_out]
    if len(views) > 1:
        no_better = why_left_out(by_view, worlds)
        left_out += found[1].left_out if no_better is None else [no_better]
        if no_better is not None:
            by_view, found = by_view[:1], found[:1]
    spaces = [space for there in found for space in there.spaces]
    parts = [*(part for of_view in by_view for part in of_view), *given]
    walks = {walk_name(space.name) for space in spaces}
    if have_rounds(n_rows, labels.n_labelled) and isinstance(points, PointsHere):
        with step("rounds"), library_threads(1):
            # What has not learned from all labels yet cannot answer in the complete world.
            finished = [part for part in parts if isinstance(part, BaseScore)]
            start = [part for part in finished if part.name not in walks]
            start += [neighbor_score(space, worlds) for space in spaces]
            found_again = found_score(start, spaces, worlds, random, n_threads, options.device)
            if found_again is not None:
                # Its rounds went along the graph from what was found, walks from the labels alone.
                parts = [part for part in parts if part.name not in walks] + [found_again]
    with step("trees"):
        # Those that have weight learn from all labels.
        mixed = mix_scores(parts, worlds)
    with step("cuts"):
        chosen = choose_cuts(mixed, spaces, worlds, n_threads=n_threads)
    # What has judged is not needed any more.
    chosen = replace(
        chosen,
        mixed=chosen.mixed.for_answers(),
        candidates=(*left_out, *chosen.candidates),
    )
    alone = tuple(space.without_worlds() for space in spaces)
    forest, first = trees[0][0].forest, found[0]
    return Mixture(chosen, alone, forest, first.feature_weights, first.weights_of)


def _regressions(
    views: Sequence[View],
    found: Sequence[FoundSpaces],
    worlds: Worlds,
    options: Options,
    randoms: Sequence[np.random.RandomState],
) -> list[list[BaseScore]]:
    """Of each view: a kernel in each of its spaces, and a linear one of its points."""
    # Threads of linear algebra wait for each other more than they work: regressions share the
    # threads, and the widths of each those that are left. A GPU does one regression after the
    # other, with its whole memory.
    n_threads, device = views[0].points.n_threads, options.device
    n_kernels = sum(len(there.spaces) for there in found)
    n_at_once = n_kernels + len(views) if device is None else 1
    n_each = max(1, n_threads // n_at_once)
    jobs: list[tuple[int, Callable[[], BaseScore]]] = []
    for place, (view, there, random) in enumerate(zip(views, found, randoms, strict=True)):
        seeds = random.randint(np.iinfo(np.int32).max, size=len(there.spaces))
        jobs += [
            (place, partial(kernel_score, space, worlds, int(seed), device, n_each))
            for space, seed in zip(there.spaces, seeds, strict=True)
        ]
        if not view.points.is_sparse and view.points.shape[1] <= MOST_LINEAR_COLUMNS:
            jobs.append((place, partial(linear_score, view.points, worlds, device)))
    done = in_threads(lambda job: job[1](), jobs, min(n_at_once, n_threads))
    scores: list[list[BaseScore]] = [[] for _ in views]
    for (place, _), score in zip(jobs, done, strict=True):
        # Kernels are named after their spaces, and ask these for new rows.
        is_linear = score.name == LINEAR
        scores[place].append(views[place].score(score) if is_linear else score)
    return scores
