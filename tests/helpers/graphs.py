"""Cut problems for the tests: one plain description, and generators of random and edge cases.

A `CutProblem` is what both sides of a test read: the engine through `arguments()`, the oracles
through its fields. All numbers are floats and are taken at their exact binary value.
"""

import dataclasses
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

FAMILIES = ("integer", "dyadic", "nasty")

# Sums, differences and products of these with the lambda ranges below are exact in float64.
EXACT_FAMILIES = ("integer", "dyadic")

_VALUES = {
    "integer": [1.0, 1.0, 1.0, 2.0, 3.0, 5.0],
    "dyadic": [0.125, 0.25, 0.5, 0.75, 1.0, 1.5],
    "nasty": [0.1, 0.2, 0.3, 1 / 3, 2 / 3, 0.7, 1.1, np.pi / 10],
}
_LAMBDA_RANGES = {
    "integer": [(0.0, 1.0), (-2.0, 3.0), (0.0, 8.0), (-3.0, -1.0), (1.0, 1.0), (0.25, 0.75)],
    "dyadic": [(0.0, 1.0), (0.25, 0.75), (-1.5, -0.25), (-0.5, 4.0), (0.5, 0.5), (0.0, 0.0)],
    "nasty": [(0.0, 1.0), (0.1, 0.9), (-0.3, 0.7), (-7.3, -1.1), (1 / 3, 1 / 3), (0.0, 3.3)],
}


@dataclass(frozen=True, eq=False)
class CutProblem:
    """Undirected edges (each pair at most once, never a self-loop), terminal arcs, seeds."""

    n_nodes: int
    edge_from: np.ndarray
    edge_to: np.ndarray
    edge_weight: np.ndarray
    source_base: np.ndarray
    source_slope: np.ndarray
    sink_base: np.ndarray
    sink_slope: np.ndarray
    lambda_range: tuple[float, float] = (0.0, 1.0)
    source_seeds: tuple[int, ...] = ()
    sink_seeds: tuple[int, ...] = ()

    @property
    def grows(self):
        """Whether the source side grows with lambda (also where nothing depends on lambda)."""
        return bool((self.source_slope >= 0).all() and (self.sink_slope <= 0).all())

    def graph(self):
        """The symmetric CSR matrix in canonical form; edges of weight 0 are stored."""
        both_ends = (
            np.concatenate([self.edge_from, self.edge_to]),
            np.concatenate([self.edge_to, self.edge_from]),
        )
        weights = np.concatenate([self.edge_weight, self.edge_weight])
        return sp.coo_array((weights, both_ends), shape=(self.n_nodes, self.n_nodes)).tocsr()

    def arguments(self):
        """Keyword arguments of `parametric_cut`."""
        return {
            "graph": self.graph(),
            "source": (self.source_base, self.source_slope),
            "sink": (self.sink_base, self.sink_slope),
            "lambda_range": self.lambda_range,
            "source_seeds": np.array(self.source_seeds, dtype=np.int64),
            "sink_seeds": np.array(self.sink_seeds, dtype=np.int64),
        }

    def replace(self, **changes):
        return dataclasses.replace(self, **changes)


def make_problem(
    n_nodes,
    edges=(),
    *,
    source=(0.0, 0.0),
    sink=(0.0, 0.0),
    lambda_range=(0.0, 1.0),
    source_seeds=(),
    sink_seeds=(),
):
    """A problem from (i, j, weight) edges and (base, slope) pairs; a scalar means all nodes."""
    ends = np.array([edge[:2] for edge in edges], dtype=np.int64).reshape(-1, 2)
    arcs = [
        np.broadcast_to(np.asarray(values, dtype=np.float64), (n_nodes,)).copy()
        for values in (*source, *sink)
    ]
    return CutProblem(
        n_nodes,
        ends[:, 0],
        ends[:, 1],
        np.array([edge[2] for edge in edges], dtype=np.float64),
        *arcs,
        lambda_range=tuple(float(end) for end in lambda_range),
        source_seeds=tuple(sorted({int(node) for node in source_seeds})),
        sink_seeds=tuple(sorted({int(node) for node in sink_seeds})),
    )


def weighted_degrees(problem):
    degrees = np.zeros(problem.n_nodes)
    np.add.at(degrees, problem.edge_from, problem.edge_weight)
    np.add.at(degrees, problem.edge_to, problem.edge_weight)
    return degrees


def with_hnc_arcs(problem, grows):
    """HNC+ (grows): arcs s->i of capacity lambda d_i. HNC-: arcs i->t of the same capacity."""
    zeros = np.zeros(problem.n_nodes)
    degrees = weighted_degrees(problem)
    return problem.replace(
        source_base=zeros,
        source_slope=degrees if grows else zeros,
        sink_base=zeros,
        sink_slope=zeros if grows else degrees,
    )


def random_problem(family, number, n_nodes=None):
    """The `number`-th random problem of a family; the same one in every run."""
    rng = np.random.default_rng([FAMILIES.index(family), number])
    if n_nodes is None:
        n_nodes = int(rng.integers(1, 8))
    values = _VALUES[family]
    source_seeds, sink_seeds = _random_seeds(rng, n_nodes)
    problem = make_problem(
        n_nodes,
        _random_edges(rng, n_nodes, values),
        source_seeds=source_seeds,
        sink_seeds=sink_seeds,
    )
    grows = bool(rng.random() < 0.5)
    if rng.random() < 0.4:
        return with_hnc_arcs(problem, grows)
    ranges = _LAMBDA_RANGES[family]
    lambda_range = ranges[rng.integers(len(ranges))]
    rising, falling = _random_arcs(rng, n_nodes, values, lambda_range, flat=family != "nasty")
    source, sink = (rising, falling) if grows else (falling, rising)
    return problem.replace(
        source_base=source[0],
        source_slope=source[1],
        sink_base=sink[0],
        sink_slope=sink[1],
        lambda_range=lambda_range,
    )


def _random_edges(rng, n_nodes, values):
    """Any density from none to complete, several components, edges of weight 0."""
    density = rng.choice([0.0, 0.3, 0.6, 1.0])
    part = rng.integers(rng.integers(1, 3), size=n_nodes)
    share_of_zeros = rng.choice([0.0, 0.2])
    edges = []
    for i in range(n_nodes):
        for j in range(i + 1, n_nodes):
            if part[i] == part[j] and rng.random() < density:
                weight = 0.0 if rng.random() < share_of_zeros else rng.choice(values)
                edges.append((i, j, weight))
    return edges


def _random_seeds(rng, n_nodes):
    """Seeds on neither, one or both sides."""
    chance = rng.choice([0.0, 0.25]), rng.choice([0.0, 0.25])
    draw = rng.random(n_nodes)
    return np.flatnonzero(draw < chance[0]), np.flatnonzero(draw > 1.0 - chance[1])


def _random_arcs(rng, n_nodes, values, lambda_range, *, flat):
    """A rising and a falling family of capacities, each >= 0 over the range and often 0 at an end.

    Slopes of 0 are common. With `flat`, nodes may have no other, and then be tied over whole
    intervals of lambda; for rounded numbers the last bit would decide whether they are.
    """
    low, high = lambda_range
    share_of_zeros = rng.choice([0.0, 0.5, 1.0], p=[0.5, 0.4, 0.1])
    families = []
    for sign, zero_at in ((1.0, low), (-1.0, high)):
        zero = rng.random(n_nodes) < share_of_zeros
        if families and not flat:
            zero &= families[0][1] != 0
        slopes = np.where(zero, 0.0, sign * rng.choice(values, size=n_nodes))
        constants = rng.choice([0.0, 0.0, *values], size=n_nodes)
        bases = constants - slopes * zero_at
        families.append((_lifted_above_zero(bases, slopes, lambda_range), slopes))
    return families


def _lifted_above_zero(bases, slopes, lambda_range):
    """Undo a rounding of the base that would make a capacity negative at an end of the range."""
    lifted = bases.copy()
    for i, slope in enumerate(slopes):
        while any(
            Fraction(lifted[i]) + Fraction(slope) * Fraction(end) < 0 or lifted[i] + slope * end < 0
            for end in lambda_range
        ):
            lifted[i] = np.nextafter(lifted[i], np.inf)
    return lifted


def edge_cases():
    """Named problems with a twist; each is small enough for the oracle over all subsets."""
    triangle = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)]
    chain = [(i, i + 1, 1.0) for i in range(6)]
    two_pairs = [(0, 1, 2.0), (2, 3, 2.0)]
    complete = [(i, j, 1.0) for i in range(6) for j in range(i + 1, 6)]
    seeds_at_both_ends = {"source_seeds": [0], "sink_seeds": [5]}
    return {
        "no nodes": make_problem(0),
        "one isolated node without arcs": make_problem(1),
        "isolated nodes without arcs, range of one point": make_problem(3, lambda_range=(2, 2)),
        "one node, crossing inside": make_problem(1, source=(0, 1), sink=(0.25, 0)),
        "one node, crossing inside, shrinking": make_problem(1, source=(0.25, 0), sink=(0, 1)),
        "one node, crossing at the low end": make_problem(1, source=(0, 1)),
        "one node, crossing at the low end, shrinking": make_problem(1, sink=(0, 1)),
        "one node, crossing at the high end": make_problem(1, source=(0, 1), sink=(1, 0)),
        "one node, crossing at the high end, shrinking": make_problem(
            1, source=(1, 0), sink=(0, 1)
        ),
        "one node, crossing before the range": make_problem(1, source=(0.5, 1)),
        "one node, crossing after the range": make_problem(1, source=(0, 1), sink=(2, 0)),
        "one node, range of one point, crossing there": make_problem(
            1, source=(0, 1), sink=(0.5, 0), lambda_range=(0.5, 0.5)
        ),
        "one node, range of one point, in": make_problem(
            1, source=(0, 1), sink=(0.25, 0), lambda_range=(0.5, 0.5)
        ),
        "one node, range of one point, out": make_problem(
            1, source=(0, 1), sink=(0.75, 0), lambda_range=(0.5, 0.5)
        ),
        "one source seed": make_problem(1, source=(0, 1), sink=(3, 0), source_seeds=[0]),
        "one sink seed": make_problem(1, source=(2, 1), sink_seeds=[0]),
        "all nodes are seeds": make_problem(
            3, triangle, source=(1, 1), sink=(1, 0), source_seeds=[0, 2], sink_seeds=[1]
        ),
        "all nodes are source seeds": make_problem(3, triangle, source_seeds=[0, 1, 2]),
        "all nodes are sink seeds": make_problem(3, triangle, sink_seeds=[0, 1, 2]),
        "nothing depends on lambda": make_problem(
            3, triangle, source=([3, 0, 0], 0), sink=([0, 0, 1], 0)
        ),
        "tied for every lambda": make_problem(
            2, [(0, 1, 1.0)], source=([1, 0], 0), sink=([0, 1], 0)
        ),
        "tied over an interval of lambda": make_problem(
            3, [(0, 1, 1.0), (1, 2, 1.0)], source=([0, 0, 0], [4, 0, 0]), sink=([1, 0, 3], 0)
        ),
        "tied over an interval of lambda, shrinking": make_problem(
            3, [(0, 1, 1.0), (1, 2, 1.0)], source=([1, 0, 3], 0), sink=([0, 0, 0], [4, 0, 0])
        ),
        "flat node between seeds": make_problem(
            3, [(0, 1, 1.0), (1, 2, 1.0)], source_seeds=[0], sink_seeds=[2]
        ),
        "flat node pulled by an isolated seed": make_problem(3, [(0, 1, 0.0)], source_seeds=[0]),
        "seeds side by side": make_problem(
            2, [(0, 1, 5.0)], source=(0, 1), source_seeds=[0], sink_seeds=[1]
        ),
        "chain with every edge tied": with_hnc_arcs(
            make_problem(7, chain, source_seeds=[0], sink_seeds=[6]), grows=True
        ),
        "chain with every edge tied, shrinking": with_hnc_arcs(
            make_problem(7, chain, source_seeds=[0], sink_seeds=[6]), grows=False
        ),
        "complete graph of equal weights": with_hnc_arcs(
            make_problem(6, complete, **seeds_at_both_ends), grows=True
        ),
        "complete graph of equal weights, shrinking": with_hnc_arcs(
            make_problem(6, complete, **seeds_at_both_ends), grows=False
        ),
        "part without a seed joins at the low end": with_hnc_arcs(
            make_problem(4, two_pairs, source_seeds=[0]), grows=True
        ),
        "part without a seed leaves at the low end": with_hnc_arcs(
            make_problem(4, two_pairs, source_seeds=[0]), grows=False
        ),
        "node with only negative neighbours joins at the high end": with_hnc_arcs(
            make_problem(4, [(0, 1, 1.0), (2, 3, 3.0)], source_seeds=[0], sink_seeds=[3]),
            grows=True,
        ),
        "isolated node among connected ones": with_hnc_arcs(
            make_problem(4, triangle, source_seeds=[0], sink_seeds=[2]), grows=True
        ),
        "edges of weight zero only": make_problem(
            3, [(0, 1, 0.0), (1, 2, 0.0)], source=(0, 1), sink=([0.25, 0.5, 0.75], 0)
        ),
        "same switch in separate parts": make_problem(
            4, two_pairs, source=(0, [1, 2, 3, 3]), sink=([1, 0, 2, 0], 0)
        ),
        "range far from zero": make_problem(
            2,
            [(0, 1, 1.0)],
            source=([-1000, -1000], 1),
            sink=([3, 9], 0),
            lambda_range=(1000, 1016),
        ),
    }


def wild_problem(number):
    """Weights and arcs from 1e-80 to 1 side by side, as Gaussian similarities of far samples give.

    Half of the problems carry HNC arcs; in the others each node has a size of its own, so that its
    own crossing falls inside the range whatever its size.
    """
    rng = np.random.default_rng([80, number])
    n_nodes = int(rng.integers(3, 9))
    pairs = [(i, j) for i in range(n_nodes) for j in range(i + 1, n_nodes) if rng.random() < 0.6]
    sizes = [1.0, 0.3, 0.1, 1e-40, 3e-41, 1e-79, 1e-80]
    edges = [(i, j, rng.choice(sizes) * rng.uniform(0.5, 2.0)) for i, j in pairs]
    side = rng.random(n_nodes)
    source_seeds, sink_seeds = np.flatnonzero(side < 0.2), np.flatnonzero(side > 0.8)
    grows = bool(rng.random() < 0.5)
    if rng.random() < 0.5:
        problem = make_problem(n_nodes, edges, source_seeds=source_seeds, sink_seeds=sink_seeds)
        return with_hnc_arcs(problem, grows)
    own_size = rng.choice(sizes, size=n_nodes)
    rising = (np.zeros(n_nodes), own_size * rng.uniform(0.5, 2.0, size=n_nodes))
    constant = (own_size * rng.uniform(0.1, 1.5, size=n_nodes), np.zeros(n_nodes))
    source, sink = (rising, constant) if grows else (constant, rising)
    return make_problem(n_nodes, edges, source=source, sink=sink)


def medium_problem(number, n_nodes, lambda_range=(0.0, 1.0)):
    """A ring of near neighbours with integer weights and arcs, for the max-flow oracle.

    Neighbours on a ring have far less in common than in a random graph, hence many breakpoints.
    Even numbers grow, odd ones shrink; of each four the first two carry HNC arcs.
    """
    assert n_nodes > 14, "on a shorter ring the steps would meet and name a pair twice"
    rng = np.random.default_rng([200, number])
    name = rng.permutation(n_nodes)
    steps = [1, 2, 3, 7]
    edges = [
        (name[i], name[(i + step) % n_nodes], float(rng.integers(10)))
        for i in range(n_nodes)
        for step in steps
        if rng.random() < 0.5
    ]
    seeds = rng.permutation(n_nodes)[: n_nodes // 8]
    problem = make_problem(
        n_nodes,
        edges,
        lambda_range=lambda_range,
        source_seeds=seeds[::2],
        sink_seeds=seeds[1::2],
    )
    grows = number % 2 == 0
    if number % 4 < 2:
        return with_hnc_arcs(problem, grows)
    low, high = lambda_range
    rising = rng.integers(0, 20, size=n_nodes).astype(float)
    falling = -rng.integers(0, 20, size=n_nodes).astype(float)
    constants = rng.integers(0, 10, size=(2, n_nodes)).astype(float)
    up = (constants[0] - rising * low, rising)
    down = (constants[1] - falling * high, falling)
    source, sink = (up, down) if grows else (down, up)
    return problem.replace(
        source_base=source[0], source_slope=source[1], sink_base=sink[0], sink_slope=sink[1]
    )


def grid_graph(side, seed):
    """A side x side lattice with random weights, built without a Python loop: for large tests."""
    rng = np.random.default_rng(seed)
    nodes = np.arange(side * side, dtype=np.int32).reshape(side, side)
    edge_from = np.concatenate([nodes[:, :-1].ravel(), nodes[:-1, :].ravel()])
    edge_to = np.concatenate([nodes[:, 1:].ravel(), nodes[1:, :].ravel()])
    weights = rng.random(len(edge_from))
    upper = sp.csr_array((weights, (edge_from, edge_to)), shape=(side * side, side * side))
    return (upper + upper.T).tocsr()


@st.composite
def small_problems(draw, max_nodes=6, grows=None, flat_allowed=True, lambda_range=(0.0, 1.0)):
    """Integer problems for Hypothesis; shrinks towards few nodes, no edges and zero capacities."""
    n_nodes = draw(st.integers(1, max_nodes))
    pairs = [(i, j) for i in range(n_nodes) for j in range(i + 1, n_nodes)]
    edges = [(i, j, float(draw(st.integers(0, 4)))) for i, j in pairs if draw(st.booleans())]
    numbers = st.lists(st.integers(0, 4), min_size=n_nodes, max_size=n_nodes)
    slopes = st.lists(st.integers(0 if flat_allowed else 1, 4), min_size=n_nodes, max_size=n_nodes)
    low, high = lambda_range
    rising, falling = np.array(draw(slopes), float), -np.array(draw(slopes), float)
    up = (np.array(draw(numbers)) - rising * low, rising)
    down = (np.array(draw(numbers)) - falling * high, falling)
    upwards = draw(st.booleans()) if grows is None else grows
    source, sink = (up, down) if upwards else (down, up)
    side = draw(st.lists(st.sampled_from("...ST"), min_size=n_nodes, max_size=n_nodes))
    return make_problem(
        n_nodes,
        edges,
        source=source,
        sink=sink,
        lambda_range=lambda_range,
        source_seeds=[i for i in range(n_nodes) if side[i] == "S"],
        sink_seeds=[i for i in range(n_nodes) if side[i] == "T"],
    )


def swapped(problem):
    """Source and sink exchanged: the cut sides are exchanged too."""
    return problem.replace(
        source_base=problem.sink_base,
        source_slope=problem.sink_slope,
        sink_base=problem.source_base,
        sink_slope=problem.source_slope,
        source_seeds=problem.sink_seeds,
        sink_seeds=problem.source_seeds,
    )
