"""Rounds: the classes that a cut finds are learned as if they were labels, and cut again.

The paper's second stage uses what its first one found; so can a learner. A regression of the
classes that were found, out of fold, says more than one of a few labels among many unlabelled rows,
if what was found is mostly right. Whether it is, hidden rows say: they stay hidden through all
rounds, and the first must find clearly more of them. With few hidden rows nobody could tell, and in
a small table the regressions add little, so only large tables have rounds.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, checked_graph
from pucut._support.threads import in_threads
from pucut.cuts.score_cuts import score_cut
from pucut.data.row_order import IndexArray
from pucut.kernels.folded_ridge import FoldedRidge, FoldedScores
from pucut.kernels.machines import Machine
from pucut.kernels.ridge import chosen_widths, in_turn
from pucut.methods.pu_cut._mixed_score import mix_scores
from pucut.methods.pu_cut._mixing import is_ahead, ranks
from pucut.methods.pu_cut._scores import BaseScore, OfRidge, kernel_name
from pucut.methods.pu_cut._screening import FEWEST_ROWS
from pucut.methods.pu_cut._spaces import SpaceOfWorlds
from pucut.methods.pu_cut._worlds import LABELS_TO_TELL, Worlds

FOUND = "kernel, classes found before"
MOST_ROUNDS = 4
# So many standard errors of the difference are clear, and so many are a sign.
CLEARLY, A_SIGN = 2.0, 1.0
# With so many landmarks a regression costs little, and tells whether all of them are worth while.
# (On a GPU all cost little.)
LANDMARKS_FIRST = 2000
# With fewer landmarks than these the width that suits many cannot be told from others.
LANDMARKS_FOR_WIDTH = 1000
# Rounds end when fewer than this share of the rows change their class.
UNCHANGED = 1e-3
# Of the cuts between rounds.
GAMMA = 8.0

# The scores of all rows by regressions of some targets, and that of the last for new rows.
Learner = Callable[[BoolArray], tuple[FloatArray, Machine]]


def found_score(
    scores: Sequence[BaseScore],
    spaces: Sequence[SpaceOfWorlds],
    worlds: Worlds,
    random: np.random.RandomState,
    n_threads: int,
    device: str | None = None,
) -> BaseScore | None:
    """The scores after the last round, in every world.

    Rounds start from the mixture of some scores, and stay in the space whose kernel and first cut
    found most. None if that cut is not better than the mixture, or the first round not clearly. A
    further round counts unless it finds clearly less.
    """
    if not worlds.n_hidden_worlds:
        return None
    in_worlds: Sequence[FloatArray] = mix_scores(scores, worlds).ranks
    found = worlds.found(in_worlds)
    first = _first_cut(scores, spaces, in_worlds, worlds, n_threads)
    # Where the graph adds nothing to the scores, there is nothing to learn from it.
    if first is None or not is_ahead(worlds.found(first.levels), found, A_SIGN):
        return None
    space, targets = first.space, _classes(first.levels, worlds)
    points, groups = space.final.weighted_points, worlds.groups
    if device is None:
        by_few = _by_few_landmarks(points, targets, groups, deepcopy(random), n_threads)
        # After a cut that is clearly better, few landmarks need not be better already.
        if is_ahead(worlds.found(first.levels), found, CLEARLY):
            is_hopeless = is_ahead(found, worlds.found(by_few), CLEARLY)
        else:
            is_hopeless = not is_ahead(worlds.found(by_few), found, A_SIGN)
        if is_hopeless:
            return None
    widths = _widths(points, targets, random, groups, n_threads, LANDMARKS_FOR_WIDTH)
    best: BaseScore | None = None
    with _learner(points, widths, groups, random, n_threads, device) as learn:
        for _ in range(MOST_ROUNDS):
            if best is not None:
                in_worlds = [ranks(each) for each in best.of_worlds]
                levels = _levels(first.graph, in_worlds, worlds, n_threads)
                targets, before = _classes(levels, worlds), targets
                # Worlds that hide rows decide: the complete one must not tell them anything.
                if np.mean(targets[:-1] != before[:-1]) < UNCHANGED:
                    break
            learned, machine = learn(targets)
            of_worlds = tuple(learned)
            found_now = worlds.found(of_worlds)
            is_worse = best is not None and is_ahead(found, found_now, CLEARLY)
            if is_worse or (best is None and not is_ahead(found_now, found, CLEARLY)):
                break
            of = OfRidge(machine, space.name, space.final.weights)
            best, found = BaseScore(FOUND, of_worlds, of_worlds[-1], of), found_now
    return best


@dataclass(frozen=True, eq=False)
class _Cut:
    """The switch levels of all rows in every world, by cuts of a graph of a space."""

    space: SpaceOfWorlds
    graph: Any
    levels: Sequence[FloatArray]


def _first_cut(
    scores: Sequence[BaseScore],
    spaces: Sequence[SpaceOfWorlds],
    in_worlds: Sequence[FloatArray],
    worlds: Worlds,
    n_threads: int,
) -> _Cut | None:
    """That in the best space; of dense points here that all worlds share."""
    found = {each.name: float(worlds.found(each.of_worlds).sum()) for each in scores}
    best, most = None, -np.inf
    for space in spaces:
        if space.knows_labels or not isinstance(space.final.points, np.ndarray):
            continue
        graph = checked_graph(space.final.graph(space.n_neighbors[0]))
        levels = _levels(graph, in_worlds, worlds, n_threads)
        by_both = found[kernel_name(space.name)] + float(worlds.found(levels).sum())
        if by_both > most:
            best, most = _Cut(space, graph, levels), by_both
    return best


def _levels(
    graph: Any, in_worlds: Sequence[FloatArray], worlds: Worlds, n_threads: int
) -> Sequence[FloatArray]:
    """At which level each row leaves the positive side, in every world."""
    n_worlds = len(worlds.labels)
    n_each = max(1, n_threads // n_worlds)

    def level(world: int) -> FloatArray:
        labels, negatives = worlds.labels[world], worlds.negatives[world]
        return score_cut(
            graph, labels, in_worlds[world], GAMMA, is_negative=negatives, n_threads=n_each
        ).switch

    return in_threads(level, range(n_worlds), n_threads)


def _widths(
    points: Any,
    targets: BoolArray,
    random: np.random.RandomState,
    groups: IndexArray,
    n_threads: int,
    n_landmarks: int | None = None,
) -> FloatArray:
    """One for each world, from what was found there; that of the first serves the complete one."""
    hiding = targets[:-1]
    of_hiding = chosen_widths(points, hiding, random, groups, n_landmarks, n_threads=n_threads)
    return np.array([*of_hiding, of_hiding[0]])


def _by_few_landmarks(
    points: Any,
    targets: BoolArray,
    groups: IndexArray,
    random: np.random.RandomState,
    n_threads: int,
) -> Sequence[FloatArray]:
    widths = _widths(points, targets, random, groups, n_threads)

    def few(width: float) -> FoldedRidge:
        return FoldedRidge(points, width, deepcopy(random), groups, n_threads, LANDMARKS_FIRST)

    return tuple(_by_width(widths, targets, lambda width, same: few(width).scores(same))[0])


def _by_width(
    widths: FloatArray, targets: BoolArray, scores_of: Callable[[float, BoolArray], FoldedScores]
) -> tuple[FloatArray, Machine]:
    """The scores of all targets, those of one width together, and the machine of the last."""
    scores = np.empty(targets.shape)
    for width in in_turn(widths):
        same = widths == width
        found = scores_of(width, targets[same])
        scores[same] = found.of_targets
    return scores, found.machine


@contextmanager
def _learner(
    points: Any,
    widths: FloatArray,
    groups: IndexArray,
    random: np.random.RandomState,
    n_threads: int,
    device: str | None,
) -> Iterator[Learner]:
    """With all landmarks. Those of one width are held at a time, and mostly there is only one."""
    with ExitStack() as stack:
        held: dict[float, Any] = {}
        found: dict[float, FloatArray] = {}

        def folded(width: float) -> Any:
            if width not in held:
                # There must be room for the other before it is made.
                held.clear()
                stack.close()
                held[width] = made(width)
            return held[width]

        def made(width: float) -> Any:
            if device is None:
                return FoldedRidge(points, width, deepcopy(random), groups, n_threads)
            from pucut.kernels import torch_folded_ridge  # PyTorch takes seconds to load

            there = torch_folded_ridge.ridge_there
            return stack.enter_context(there(points, width, deepcopy(random), groups, device))

        def scores_of(width: float, targets: BoolArray) -> FoldedScores:
            # Rounds change few rows, so that the regressions of one are near those of the next.
            scores: FoldedScores = folded(width).scores(targets, found.get(width))
            found[width] = scores.found
            return scores

        yield lambda targets: _by_width(widths, targets, scores_of)


def _classes(levels: Sequence[FloatArray], worlds: Worlds) -> BoolArray:
    return np.array([top_rows(each, worlds.n_positive) for each in levels])


def have_rounds(n_rows: int, n_labelled: int) -> bool:
    """Whether the table is large, and a world hides enough rows to tell."""
    return n_labelled >= LABELS_TO_TELL and n_rows >= FEWEST_ROWS


def top_rows(levels: FloatArray, n_positive: int) -> BoolArray:
    """So many rows of highest level; of equal ones the first."""
    found = np.zeros(len(levels), dtype=np.bool_)
    found[np.argsort(-levels, kind="stable")[:n_positive]] = True
    return found
