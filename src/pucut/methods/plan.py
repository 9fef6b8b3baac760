"""The plan of a fit by cuts: what it does, decided once, and what that costs.

`fit` executes a plan, and `estimate` prices it from the size of the table alone. Memory is counted
from the arrays that each stage makes, X itself left out: a memory-mapped X is not in memory, and an
array is there already. Seconds are those of the machine whose figures are in docs/design/tried.md,
with nothing else running; another machine may need half or twice as many.
"""

import math
from dataclasses import dataclass

from pucut._support.memory import readable_bytes
from pucut.graphs.neighbors.index import MOST_EXACT_WORK, WORK_OF_A_PAIR
from pucut.graphs.similarity import NARROW_FROM
from pucut.kernels import folded_ridge
from pucut.kernels.gaussian import ROWS_OF_A_BLOCK
from pucut.kernels.ridge import default_landmarks, default_landmarks_on_gpu
from pucut.priors.estimate import MAX_ROWS
from pucut.trees.growing import ROWS_OF_A_TREE

# The least that the search for neighbours holds in low precision (`graphs.neighbors.distances`).
SMALLEST_SEARCH_BYTES = 64 << 20

# Arcs of a graph per neighbour in a list, both directions: 1.58 was measured.
_ARCS_A_NEIGHBOR = 1.6
# Nodes of a tree per row, and bytes per node.
_NODES_A_ROW, _NODE_BYTES = 0.4, 17
# The path in addition to its input: bytes per arc and per node, and what Python holds per node.
_PATH_ARC_BYTES, _PATH_NODE_BYTES, _PATH_PYTHON_BYTES = 36, 98, 160
# Blocks per thread: products, candidates.
_THREAD_BYTES = 96 << 20
# The allocator holds more than is requested.
_ALLOCATED = 1.15
# Arrays of a kernel at work: blocks of rows and landmarks, and as many matrices of landmarks alone.
_KERNEL_ARRAYS = 6
# Cuts of a graph whose levels are in memory at a time, in each fold: one for each gamma.
_CUTS_OF_A_GRAPH = 4

# Seconds of one processor.
_ENCODING = 1.5e-8  # a value
_CODING = 1e-7  # a value
_GROWING = 8e-8  # per tree, row and doubling of rows, for 20 features
_EXACT = 2.5e-11  # per pair of rows and work of a pair
_SCORING = 9e-8  # per tree and row
_APPROXIMATE = 7e-9  # per row to the power below, and work of a pair
_APPROXIMATE_POWER = 1.3
_LONGER_LISTS = 0.03  # of that, per neighbour beyond those below
_SHORT_LISTS = 5
_SEARCHING_THREADS = 0.75  # the power of their number that shares a search
_CUTTING = 2e-8  # per arc to the power below
_CUTTING_POWER = 1.2
_KERNEL = 2.5e-8  # per row and landmark
_LOOK, _LOOK_A_FEATURE = 3e-9, 3e-11  # the same, in rounds
_STEP, _STEPS_OF_A_ROUND = 1.2e-9, 6  # of conjugate gradients, per row and landmark
_ROOTS = 3e-11  # per landmark cubed, in rounds
_PRIOR_START, _PRIOR = 0.1, 1.2e-4  # per row, for 10 features
# Seconds of an H200: to begin, and per pair of rows and feature, or per row and landmark squared.
_START_ON_GPU, _SEARCH_ON_GPU, _KERNEL_ON_GPU = 0.2, 6e-14, 1e-13


@dataclass(frozen=True)
class StageEstimate:
    """A stage of `fit`: seconds, and the most bytes in use while it runs."""

    name: str
    seconds: float
    bytes: int


def _stage(name: str, seconds: float, n_bytes: float) -> StageEstimate:
    return StageEstimate(name, seconds, int(_ALLOCATED * n_bytes))


@dataclass(frozen=True)
class FitEstimate:
    """Time and memory of a fit, by stage.

    Attributes
    ----------
    n_rows, n_features : int
    method : str
    stages : tuple of StageEstimate
        In their order.
    search_bytes : int
        The bytes that the search for neighbours may hold in low precision: all points, or less
        if that would exceed the limit.
    advice : str
        Further advice if there is too little memory.
    """

    n_rows: int
    n_features: int
    method: str
    stages: tuple[StageEstimate, ...]
    search_bytes: int
    advice: str = ""

    @property
    def seconds(self) -> float:
        """The seconds of all stages, one after the other."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def bytes(self) -> int:
        """The peak over all stages."""
        return max(stage.bytes for stage in self.stages)

    def by_stage(self) -> str:
        """The bytes of each stage in words."""
        return ", ".join(f"{stage.name} {readable_bytes(stage.bytes)}" for stage in self.stages)

    def __str__(self) -> str:
        lines = [f"{'estimate':<20}{'seconds':>9}{'memory':>10}"]
        for stage in (*self.stages, StageEstimate("all", self.seconds, self.bytes)):
            lines.append(f"{stage.name:<20}{stage.seconds:>9.1f}{readable_bytes(stage.bytes):>10}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Plan:
    """The stages of a fit, in the numbers that determine its time and memory.

    Features are those after encoding, one per category. What a fit holds or repeats in each fold
    that hides labels, it holds or repeats in the final fit too.
    """

    method: str
    n_rows: int
    n_features: int
    value_bytes: int  # 4 if X is in single precision, else 8
    n_threads: int
    n_estimators: int
    listed: int  # neighbours listed for each row
    graph_neighbors: int  # neighbours in the largest graph
    n_searches: int = 1  # each with its lists; several share their points
    n_embeddings: int = 0  # searches among as many points of their own
    n_graphs: float = 1.0  # held at a time, in the size of the largest
    n_folds: int = 0
    n_forests: float = 1.0  # grown, in the size of one of `n_estimators` trees
    n_forests_kept: float = 1.0
    n_scores: int = 0  # kinds that are held; 0 if rows are not scored by trees and kernels too
    n_kinds: int = 0  # kinds of cuts whose levels are held
    n_cuts: int = 2
    n_cuts_at_once: int = 1
    is_large: bool = False  # enough rows and labels for pre-selection and self-training
    share_tried: float = 1.0  # of searches, regressions and cuts; it changes seconds alone
    has_gradients: bool = False  # whether there is a gradient space
    tree_seconds: float = 1.0  # relative to those of 2-HNC
    search_on_gpu: bool = False
    kernels_on_gpu: bool = False
    n_rounds: int = 0  # of self-training, at most
    advice: str = ""  # for a user with too little memory

    def price(self, memory_limit: int | None = None) -> FitEstimate:
        """Return the time and memory of the fit.

        With a limit in bytes the search for neighbours holds less, as long as that brings the stage
        below the limit.
        """
        whole = 0 if self.search_on_gpu else self.n_rows * (self.n_features + 2) * 4
        search = whole
        if memory_limit is not None:
            smallest = min(whole, SMALLEST_SEARCH_BYTES)
            rest = int(memory_limit / _ALLOCATED) - self._neighbor_bytes(0)
            search = max(smallest, min(whole, rest))
        stages = self._stages(search)
        return FitEstimate(self.n_rows, self.n_features, self.method, stages, search, self.advice)

    @property
    def _points(self) -> int:
        return self.n_rows * self.n_features * self.value_bytes

    @property
    def _lists(self) -> int:
        return self.n_rows * self.listed * 12 * self.n_searches

    @property
    def _forests(self) -> int:
        rows = min(self.n_rows, ROWS_OF_A_TREE)
        nodes = int(self.n_estimators * rows * _NODES_A_ROW)
        return int(nodes * _NODE_BYTES * self.n_forests_kept)

    @property
    def _arcs(self) -> float:
        return self.n_rows * self.graph_neighbors * _ARCS_A_NEIGHBOR

    @property
    def _graphs(self) -> float:
        arc_bytes = 4 + (4 if self.n_rows >= NARROW_FROM else 8)
        return (self._arcs * arc_bytes + 4 * self.n_rows) * self.n_graphs

    @property
    def _scores(self) -> int:
        """The bytes of the scores of every kind, in folds, in the final fit and of new rows."""
        return 8 * self.n_rows * self.n_scores * (self.n_folds + 2)

    def _neighbor_bytes(self, search_bytes: int) -> int:
        n, several = self.n_rows, self.n_searches > 1
        # A GPU returns wide numbers, of which narrow ones are made.
        found = n * (self.listed + 1) * (28 if self.search_on_gpu else 12) + 24 * n
        # Spaces of one table have weighted points each, and the lists of those before.
        n_points = 1 + several + self.n_embeddings
        held = self._points * n_points + self._forests + (self._lists if several else 0)
        held += self._scores if several else 0
        return held + found + search_bytes + self.n_threads * min(_THREAD_BYTES, 1000 * n)

    def _stages(self, search_bytes: int) -> tuple[StageEstimate, ...]:
        n, d, n_fits = self.n_rows, self.n_features, self.n_folds + 1
        code_bytes = 1 if self.value_bytes == 4 else 2
        trees = self._points + n * d * code_bytes + self.n_threads * 12 * n + 5 * n + self._forests
        path = self._arcs * _PATH_ARC_BYTES + n * (
            _PATH_NODE_BYTES + _PATH_PYTHON_BYTES + 4 * self.n_threads
        )
        held = self._points * (1 + self.n_embeddings) + self._forests + self._lists + self._scores
        cuts = held + self._graphs + self.n_cuts_at_once * path
        stages = [
            _stage("encoding", _ENCODING * n * d, self._points + (8 << 20)),
            # Some are grown again when neighbours have been found.
            _stage(
                "trees",
                self._tree_seconds(),
                trees + self._scores + (self._lists if self.n_scores else 0),
            ),
            _stage("neighbours", self._neighbor_seconds(), self._neighbor_bytes(search_bytes)),
        ]
        if self.n_scores:
            # Scores of all folds, for every penalty, several times.
            n_at_once = 1 if self.kernels_on_gpu else min(self.n_threads, self.n_searches)
            kernels = held + n_at_once * (
                self._points + n * (24 + 72 * n_fits) + self._kernel_blocks()
            )
            stages.append(_stage("kernels", self._kernel_seconds(), kernels))
            if self.n_rounds:
                stages.append(_stage("rounds", self._round_seconds(), held + self._round_bytes()))
            # The levels of the cuts of one graph, and what is kept of all of them.
            cuts += 8 * n * (4 + _CUTS_OF_A_GRAPH * n_fits) + n * self.n_kinds * (16 + 4 * n_fits)
        stages.append(_stage("cuts", self._cut_seconds(), cuts))
        return tuple(stages)

    def _tree_seconds(self) -> float:
        rows = min(self.n_rows, ROWS_OF_A_TREE)
        growing = _GROWING * self.n_estimators * rows * max(1, rows.bit_length()) / 2
        growing *= math.sqrt(self.n_features / 20)
        coding = _CODING * self.n_rows * self.n_features
        scoring = _SCORING * self.n_estimators * self.n_rows if self.n_scores else 0.0
        one = self.tree_seconds * growing + coding + scoring
        return self.n_forests * one / self.n_threads

    def _neighbor_seconds(self) -> float:
        n, width = float(self.n_rows), self.n_features + WORK_OF_A_PAIR
        if self.search_on_gpu:
            return self._n_tried * (_START_ON_GPU + _SEARCH_ON_GPU * n * n * self.n_features)
        one = _EXACT * n * n * width
        if n * n * width > MOST_EXACT_WORK:
            longer = 1.0 + _LONGER_LISTS * max(0, self.listed - _SHORT_LISTS)
            one = _APPROXIMATE * n**_APPROXIMATE_POWER * width * longer
        return one * self._n_tried / math.pow(self.n_threads, _SEARCHING_THREADS)

    @property
    def _n_tried(self) -> float:
        """The searches that are usually made."""
        return self.share_tried * self.n_searches

    def _kernel_seconds(self) -> float:
        landmarks = self._landmarks()
        if self.kernels_on_gpu:
            one = _START_ON_GPU + _KERNEL_ON_GPU * self.n_rows * landmarks**2
            return self._n_tried * one
        return 2 * self._n_tried * _KERNEL * self.n_rows * landmarks / self.n_threads

    def _round_seconds(self) -> float:
        """Add up kernels (of rows that do not learn in every round), roots, gradients and cuts."""
        landmarks, rounds = folded_ridge.folded_landmarks(self.n_rows), self.n_rounds
        one_cut = _CUTTING * math.pow(self._arcs, _CUTTING_POWER)
        if self.kernels_on_gpu:
            return _START_ON_GPU + rounds * (_START_ON_GPU + one_cut)
        n_learning = min(self.n_rows, folded_ridge.MOST_ROWS)
        looks = n_learning + rounds * (self.n_rows - n_learning)
        kernels = (_LOOK + _LOOK_A_FEATURE * self.n_features) * looks * landmarks
        steps = _STEP * _STEPS_OF_A_ROUND * rounds * n_learning * landmarks
        roots = _ROOTS * landmarks**3
        # Measured with one fold that hides labels and the final fit.
        halves = (self.n_folds + 1) / 2
        return (kernels + halves * steps + roots) / self.n_threads + halves * rounds * one_cut

    def _round_bytes(self) -> int:
        points = 4 * self.n_rows * self.n_features  # weighted, in single precision
        if self.kernels_on_gpu:
            return points + self._kernel_blocks()
        return points + folded_ridge.matrix_bytes(self.n_rows)

    def _kernel_blocks(self) -> int:
        rows, landmarks = min(self.n_rows, ROWS_OF_A_BLOCK), self._landmarks()
        if self.kernels_on_gpu:  # here are the landmarks alone
            return 8 * landmarks * self.n_features
        return _KERNEL_ARRAYS * landmarks * (rows * self.value_bytes + landmarks * 8)

    def _landmarks(self) -> int:
        most = default_landmarks_on_gpu if self.kernels_on_gpu else default_landmarks
        return min(most(self.n_rows), self.n_rows)

    def _cut_seconds(self) -> float:
        one = _CUTTING / 2 * math.pow(self._arcs, _CUTTING_POWER)
        return self.share_tried * self.n_cuts * one / self.n_cuts_at_once


def prior_stage(n_rows: int, n_features: int, value_bytes: int) -> StageEstimate:
    """The estimate of the prior, which draws rows where there are many, and copies them."""
    n_drawn = min(n_rows, MAX_ROWS)
    seconds = _PRIOR_START + _PRIOR * n_drawn * math.sqrt(n_features / 10)
    return _stage("prior", seconds, 2 * n_drawn * n_features * value_bytes)


def check_fits(estimate: FitEstimate, limit: int, is_given: bool) -> None:
    """Raises MemoryError, with the numbers, if a fit needs more than the limit."""
    if estimate.bytes <= limit:
        return
    # Nearly everything grows with the rows.
    fitting = int(estimate.n_rows * limit / estimate.bytes)
    fitting -= fitting % 10 ** max(0, len(str(fitting)) - 2)
    said = "memory_limit is" if is_given else "memory_limit is None, and the machine has"
    raise MemoryError(
        f"fit needs about {readable_bytes(estimate.bytes)} for {estimate.n_rows} x "
        f"{estimate.n_features} ({estimate.by_stage()}), but {said} {readable_bytes(limit)}: raise "
        f"memory_limit, fit about {fitting} rows, use a machine with more memory or a Dask cluster"
        f"{estimate.advice}"
    )
