"""Self-training: the classes that a cut predicts are learned as if they were labels, and cut again.

The paper's second stage learns from the predictions of its first; so can a learner. A regression of
the predicted classes, out of fold, says more than one of a few labels among many unlabelled rows,
if the predictions are mostly right. Hidden rows, which stay hidden throughout, tell whether they
are: the first round must recover clearly more of them. With few hidden rows they could not tell,
and in a small table the regressions add little, so only large tables are self-trained.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, IndexArray, checked_graph
from pucut._support.threads import in_threads
from pucut.judging.folds import PUFolds
from pucut.judging.losses import ranks
from pucut.judging.mixing import mix_ranks
from pucut.judging.scorers import RidgePredictor, Score, kernel_name, score_of
from pucut.judging.spaces import SearchedSpace
from pucut.judging.weights import is_ahead
from pucut.kernels.folded_ridge import FoldedRidge, FoldedScores
from pucut.kernels.machines import Machine
from pucut.kernels.ridge import chosen_widths, in_turn
from pucut.methods.pu_cut._cuts import score_levels

SELF_TRAINED = "kernel, classes found before"
MOST_ROUNDS = 4
# Thresholds in standard errors of the difference: to accept a round, and to consider it.
CLEARLY, A_SIGN = 2.0, 1.0
# With this many landmarks a regression costs little, and tells whether all of them are worth while.
# (On a GPU all cost little.)
LANDMARKS_FIRST = 2000
# With fewer landmarks than these the width that suits many cannot be told from others.
LANDMARKS_FOR_WIDTH = 1000
# Self-training ends when fewer than this share of the rows change their class.
UNCHANGED = 1e-3
# The gamma of the cuts between regressions.
GAMMA = 8.0

# It returns the scores of all rows by regressions of targets, and the machine of the last target.
Learner = Callable[[BoolArray], tuple[FloatArray, Machine]]


def self_trained_score(
    scores: Sequence[Score],
    spaces: Sequence[SearchedSpace],
    folds: PUFolds,
    random: np.random.RandomState,
    n_threads: int,
    device: str | None = None,
) -> Score | None:
    """Return the scores after the last round.

    The first round starts from the mixture of some scores; all stay in the space whose kernel and
    first cut recovered most. None if that cut is not better than the mixture, or the first round
    not clearly. A further round is accepted unless it recovers clearly less.
    """
    if not folds.n_folds:
        return None
    before = mix_ranks(scores, folds).ranks
    recovered = folds.recovered(before)
    first = _first_cut(scores, spaces, before, folds, n_threads)
    # Where the graph adds nothing to the scores, there is nothing to learn from it.
    if first is None or not is_ahead(folds.recovered(first.levels), recovered, A_SIGN):
        return None
    targets = _classes(first.levels, folds)
    task = _Regressions(first.space.final.weighted_points, folds.groups, n_threads, device)
    if device is None:
        by_few = folds.recovered(tuple(task.by_few_landmarks(targets, deepcopy(random))))
        # After a cut that is clearly better, few landmarks need not be better already.
        if is_ahead(folds.recovered(first.levels), recovered, CLEARLY):
            is_hopeless = is_ahead(recovered, by_few, CLEARLY)
        else:
            is_hopeless = not is_ahead(by_few, recovered, A_SIGN)
        if is_hopeless:
            return None
    widths = task.widths(targets, random, LANDMARKS_FOR_WIDTH)
    best: tuple[FloatArray, Machine] | None = None
    with task.learner(widths, random) as learn:
        for _ in range(MOST_ROUNDS):
            if best is not None:
                levels = _levels(first.graph, [ranks(each) for each in best[0]], folds, n_threads)
                targets, former = _classes(levels, folds), targets
                # Only folds that hide rows decide, so that the final fit tells them nothing.
                if np.mean(targets[:-1] != former[:-1]) < UNCHANGED:
                    break
            learned = learn(targets)
            now = folds.recovered(tuple(learned[0]))
            is_worse = best is not None and is_ahead(recovered, now, CLEARLY)
            if is_worse or (best is None and not is_ahead(now, recovered, CLEARLY)):
                break
            best, recovered = learned, now
    if best is None:
        return None
    predictor = RidgePredictor(best[1], first.space.final.weights, first.space.transform)
    return score_of(SELF_TRAINED, tuple(best[0]), predictor)


@dataclass(frozen=True, eq=False)
class _Cut:
    """The switch levels of all rows in every fold, by cuts of a graph of a space."""

    space: SearchedSpace
    graph: Any
    levels: Sequence[FloatArray]


def _first_cut(
    scores: Sequence[Score],
    spaces: Sequence[SearchedSpace],
    before: Sequence[FloatArray],
    folds: PUFolds,
    n_threads: int,
) -> _Cut | None:
    """Cut in the best space of dense points in this process that all folds share."""
    recovered = {each.name: float(folds.recovered(each.in_folds).sum()) for each in scores}
    best, most = None, -np.inf
    for space in spaces:
        if space.depends_on_labels or not isinstance(space.final.points, np.ndarray):
            continue
        graph = checked_graph(space.final.graph(space.n_neighbors[0]))
        levels = _levels(graph, before, folds, n_threads)
        by_both = recovered[kernel_name(space.name)] + float(folds.recovered(levels).sum())
        if by_both > most:
            best, most = _Cut(space, graph, levels), by_both
    return best


def _levels(
    graph: Any, scores: Sequence[FloatArray], folds: PUFolds, n_threads: int
) -> Sequence[FloatArray]:
    """Return the level at which each row leaves the positive side, in every fold."""
    n_each = max(1, n_threads // len(folds.labels))

    def level(k: int) -> FloatArray:
        return score_levels(graph, folds, k, scores[k], GAMMA, n_each)

    return in_threads(level, range(len(folds.labels)), n_threads)


@dataclass(frozen=True, eq=False)
class _Regressions:
    """Kernel regressions of predicted classes, out of fold, on the points of a space."""

    points: Any
    groups: IndexArray
    n_threads: int
    device: str | None

    def widths(
        self, targets: BoolArray, random: np.random.RandomState, n_landmarks: int | None = None
    ) -> FloatArray:
        """Return a width for each fold, by its targets; that of the first serves the final fit."""
        found = chosen_widths(
            self.points, targets[:-1], random, self.groups, n_landmarks, n_threads=self.n_threads
        )
        return np.array([*found, found[0]])

    def by_few_landmarks(self, targets: BoolArray, random: np.random.RandomState) -> FloatArray:
        def scores(width: float, same: BoolArray) -> FoldedScores:
            own = (self.points, width, deepcopy(random), self.groups, self.n_threads)
            return FoldedRidge(*own, LANDMARKS_FIRST).scores(same)

        return _by_width(self.widths(targets, random), targets, scores)[0]

    @contextmanager
    def learner(self, widths: FloatArray, random: np.random.RandomState) -> Iterator[Learner]:
        """Learn with all landmarks; only the regressions of one width are kept in memory."""
        with ExitStack() as stack:
            held: dict[float, Any] = {}
            solutions: dict[float, FloatArray] = {}

            def scores(width: float, targets: BoolArray) -> FoldedScores:
                if width not in held:
                    # There must be room for the other before it is made.
                    held.clear()
                    stack.close()
                    own = (self.points, width, deepcopy(random), self.groups, self.n_threads)
                    held[width] = FoldedRidge(*own, device=self.device)
                    stack.callback(held[width].close)
                # Rounds change few rows, so a solution is near that of the round before.
                found: FoldedScores = held[width].scores(targets, solutions.get(width))
                solutions[width] = found.found
                return found

            yield lambda targets: _by_width(widths, targets, scores)


def _by_width(
    widths: FloatArray, targets: BoolArray, scores_of: Callable[[float, BoolArray], FoldedScores]
) -> tuple[FloatArray, Machine]:
    """Return the scores of all targets, those of one width together, and the last machine."""
    scores = np.empty(targets.shape)
    for width in in_turn(widths):
        same = widths == width
        found = scores_of(width, targets[same])
        scores[same] = found.of_targets
    return scores, found.machine


def _classes(levels: Sequence[FloatArray], folds: PUFolds) -> BoolArray:
    return np.array([top_rows(each, folds.n_positive) for each in levels])


def top_rows(levels: FloatArray, n_positive: int) -> BoolArray:
    """Return a mask of the rows of highest level; of equal ones the first."""
    found = np.zeros(len(levels), dtype=np.bool_)
    found[np.argsort(-levels, kind="stable")[:n_positive]] = True
    return found
