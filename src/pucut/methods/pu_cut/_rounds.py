"""Rounds: the classes that a cut finds are learned as if they were labels, and cut again.

The paper's second stage uses what its first one found; so can a learner. A regression of the
classes that were found, out of fold, says more than one of a few labels among many unlabelled rows,
if what was found is mostly right. Whether it is, hidden rows say: they stay hidden through all
rounds, the first must find clearly more of them, and rounds end when no more are found. With few
hidden rows nobody could tell, and in a small table the regressions add little, so only large tables
have rounds.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, checked_graph
from pucut._support.threads import in_threads
from pucut.cuts.score_cuts import score_cut
from pucut.data.row_order import IndexArray
from pucut.kernels.folded_ridge import FoldedRidge
from pucut.kernels.machines import Machine
from pucut.kernels.ridge import chosen_widths, fit_kernel_ridge
from pucut.methods.pu_cut._mixed_score import mix_scores
from pucut.methods.pu_cut._mixing import rank_among
from pucut.methods.pu_cut._scores import BaseScore, OfRidge, kernel_name
from pucut.methods.pu_cut._screening import FEWEST_ROWS, behind_the_best
from pucut.methods.pu_cut._spaces import SpaceOfWorlds
from pucut.methods.pu_cut._worlds import Worlds

FOUND = "kernel, classes found before"
MOST_ROUNDS = 2
# How many standard errors better the first cut, and the first round, have to be than what they
# started from.
CLEARLY_MORE = 2.0
# Of the cuts between rounds.
GAMMA = 8.0
# Widths are compared on so many rows and landmarks.
_ROWS_FOR_WIDTH, _LANDMARKS_FOR_WIDTH = 4000, 800

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
    """The scores after the best round, in every world.

    Rounds start from the mixture of some scores, and stay in the space whose kernel found most.
    None if the first cut or the first round is not clearly better than that mixture.
    """
    space = _best_space(scores, spaces, worlds)
    if space is None:
        return None
    points, groups = space.final.weighted_points, worlds.groups
    in_worlds: Sequence[FloatArray] = mix_scores(scores, worlds).ranks
    graph = checked_graph(space.final.graph(space.n_neighbors[0]))
    learn: Learner | None = None
    found = worlds.found(in_worlds)
    best: BaseScore | None = None
    for _ in range(MOST_ROUNDS):

        def level(world: int, of_worlds: Sequence[FloatArray] = in_worlds) -> FloatArray:
            labels, negatives = worlds.labels[world], worlds.negatives[world]
            return score_cut(
                graph, labels, of_worlds[world], GAMMA, is_negative=negatives, n_threads=1
            ).switch

        levels = in_threads(level, range(len(worlds.labels)), n_threads)
        # Where the graph adds nothing to the scores, there is nothing to learn from it.
        if learn is None and not has_found_more(worlds.found(levels), found, CLEARLY_MORE):
            return None
        targets = np.array([top_rows(each, worlds.n_positive) for each in levels])
        if learn is None:
            learn = _learner(points, targets[0], groups, random, n_threads, device)
        learned, machine = learn(targets)
        of_worlds = tuple(learned)
        found_now = worlds.found(of_worlds)
        if not has_found_more(found_now, found, 0.0 if best else CLEARLY_MORE):
            break
        found = found_now
        of = OfRidge(machine, space.name, space.final.weights)
        best = BaseScore(FOUND, of_worlds, of_worlds[-1], of)
        in_worlds = [rank_among(each, np.sort(each)) for each in of_worlds]
    return best


def _learner(
    points: Any,
    target: BoolArray,
    groups: IndexArray,
    random: np.random.RandomState,
    n_threads: int,
    device: str | None,
) -> Learner:
    """Regressions of classes; what suits the target, found while labels are hidden, serves all."""
    if device is not None:
        seed = int(random.randint(np.iinfo(np.int32).max))

        def learn_there(targets: BoolArray) -> tuple[FloatArray, Machine]:
            ridge = fit_kernel_ridge(points, targets, np.random.RandomState(seed), groups, device)
            return ridge.left_out, ridge.machine

        return learn_there
    (width,) = chosen_widths(
        points,
        target[None],
        random,
        groups,
        most_rows=_ROWS_FOR_WIDTH,
        most_landmarks=_LANDMARKS_FOR_WIDTH,
    )
    folded = FoldedRidge(points, width, random, groups, n_threads)

    def learn(targets: BoolArray) -> tuple[FloatArray, Machine]:
        found = folded.scores(targets)
        return found.of_targets, found.machine

    return learn


def has_found_more(now: FloatArray, before: FloatArray, by: float) -> bool:
    """Whether more hidden rows are found, by so many standard errors of the paired difference."""
    behind = behind_the_best(np.array([now, before]))[1]
    return bool(now.mean() > before.mean() and behind > by)


def have_rounds(n_rows: int, n_worlds: int) -> bool:
    """Whether the table is large, and a world hides enough rows to judge by itself."""
    return n_worlds == 2 and n_rows >= FEWEST_ROWS


def top_rows(levels: FloatArray, n_positive: int) -> BoolArray:
    """So many rows of highest level; of equal ones the first."""
    found = np.zeros(len(levels), dtype=np.bool_)
    found[np.argsort(-levels, kind="stable")[:n_positive]] = True
    return found


def _best_space(
    scores: Sequence[BaseScore], spaces: Sequence[SpaceOfWorlds], worlds: Worlds
) -> SpaceOfWorlds | None:
    """Of dense points here that both worlds share, that whose kernel found most hidden rows."""
    found = {each.name: float(worlds.found(each.of_worlds).sum()) for each in scores}
    possible = [
        space
        for space in spaces
        if not space.knows_labels and isinstance(space.final.points, np.ndarray)
    ]
    return max(possible, key=lambda space: found[kernel_name(space.name)], default=None)
