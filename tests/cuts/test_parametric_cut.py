"""The engine against oracles of rising size, and its symmetries."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.neighbors import kneighbors_graph

from pucut import parametric_cut
from tests.helpers.checks import (
    CLEAR_OF_BREAKPOINTS,
    TOLERANCE,
    assert_close_path,
    assert_consistent,
    assert_exact_path,
    assert_sets,
    is_close,
    named,
    probes,
    same_bits,
    solve,
)
from tests.helpers.graphs import (
    EXACT_FAMILIES,
    edge_cases,
    grid_graph,
    make_problem,
    medium_problem,
    random_problem,
    swapped,
    wild_problem,
    with_hnc_arcs,
)
from tests.helpers.oracles import AllSubsets, cut_capacity, linear_programme_cut, max_flow_cut

PROBLEMS_PER_BATCH = 250
# Of each kind, the first thousand problems for the working day, and three thousand more.
BATCHES = [*range(4), *(pytest.param(batch, marks=pytest.mark.slow) for batch in range(4, 16))]


# --- against all subsets -------------------------------------------------------------------------


def test_chain_worked_out_by_hand():
    # Node 1 is pulled by 3 to the source and by 1 at most to the sink: always in. Node 2 gains
    # 1 (edge to node 1) + 3 lambda - 2 (edge to the sink seed): in from lambda = 1/3 on.
    chain = make_problem(
        4, [(0, 1, 3.0), (1, 2, 1.0), (2, 3, 2.0)], source_seeds=[0], sink_seeds=[3]
    )
    path = solve(with_hnc_arcs(chain, grows=True))
    assert path.switch.tolist() == [-math.inf, -math.inf, 1 / 3, math.inf]
    assert path.breakpoints.tolist() == [1 / 3]
    assert path.grows is True
    assert path.n_nodes == 4
    assert path.source_set(0.25).tolist() == [True, True, False, False]
    assert path.source_set(0.5).tolist() == [True, True, True, False]
    # At 1/2: the edge of weight 2 is cut, and the arc to the sink seed, 1/2 * its degree 2.
    assert path.cut_value(0.5) == 3.0


@pytest.mark.parametrize("name", edge_cases())
def test_edge_cases(name):
    problem = edge_cases()[name]
    assert_exact_path(solve(problem), problem)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("family", EXACT_FAMILIES)
def test_random_problems_of_exact_numbers(family, batch):
    for number in range(batch * PROBLEMS_PER_BATCH, (batch + 1) * PROBLEMS_PER_BATCH):
        with named(f"random_problem({family!r}, {number})"):
            problem = random_problem(family, number)
            assert_exact_path(solve(problem), problem)


@pytest.mark.parametrize("batch", BATCHES)
def test_random_problems_of_rounded_numbers(batch):
    for number in range(batch * PROBLEMS_PER_BATCH, (batch + 1) * PROBLEMS_PER_BATCH):
        with named(f"random_problem('nasty', {number})"):
            problem = random_problem("nasty", number)
            assert_close_path(solve(problem), problem)


@pytest.mark.parametrize("n_nodes", [8, 9, 10])
def test_random_problems_of_more_nodes(n_nodes):
    for number in range(60):
        with named(f"random_problem('integer', {number}, {n_nodes})"):
            problem = random_problem("integer", number, n_nodes)
            assert_exact_path(solve(problem), problem)


def test_wildly_varying_weights():
    for number in range(1000):
        with named(f"wild_problem({number})"):
            problem = wild_problem(number)
            path = solve(problem)
            assert_consistent(path, problem)
            exact = AllSubsets(problem)
            assert_sets(path, exact, probes(exact, CLEAR_OF_BREAKPOINTS))


# --- against SciPy's maximum flow ----------------------------------------------------------------


def assert_path_by_max_flow(path, problem):
    """The whole path, by one maximum flow at every breakpoint and one in every interval.

    With integer data a breakpoint is a quotient of integers, its denominator a sum of slopes, and
    so can be read off the float exactly. Cuts are nested: what holds at both ends of an interval
    and inside it holds everywhere in it.
    """
    assert_consistent(path, problem)
    slopes = np.abs(problem.source_slope) + np.abs(problem.sink_slope)
    exact_points = [
        Fraction(point).limit_denominator(int(slopes.sum())) for point in path.breakpoints.tolist()
    ]
    low, high = problem.lambda_range
    for point, exact_point in zip(path.breakpoints.tolist(), exact_points, strict=True):
        with named(f"breakpoint {exact_point}"):
            assert is_close(point, exact_point)
            _, smallest, largest = max_flow_cut(problem, exact_point)
            assert (smallest != largest).any()
            assert (path.source_set(point, ties="source") == largest).all()
            assert (path.source_set(point, ties="sink") == smallest).all()
    for a, b in itertools.pairwise([Fraction(low), *exact_points, Fraction(high)]):
        if a == b:
            continue
        # The mediant lies between the two and keeps the integers of the maximum flow small.
        between = Fraction(a.numerator + b.numerator, a.denominator + b.denominator)
        with named(f"lambda = {between}"):
            value, smallest, largest = max_flow_cut(problem, between)
            lam = float(between)
            assert (path.source_set(lam, ties="source") == largest).all()
            assert (path.source_set(lam, ties="sink") == smallest).all()
            assert path.cut_value(lam) == pytest.approx(float(value), rel=TOLERANCE)


@pytest.mark.parametrize("number", range(12))
def test_medium_graphs_by_max_flow(number):
    problem = medium_problem(number, n_nodes=40 * (1 + number // 2))
    assert_path_by_max_flow(solve(problem), problem)


@pytest.mark.parametrize("number", [2, 3])
def test_medium_graphs_on_another_range_by_max_flow(number):
    problem = medium_problem(number, n_nodes=150, lambda_range=(-2.0, 3.0))
    assert_path_by_max_flow(solve(problem), problem)


# --- against a linear programme ------------------------------------------------------------------


@pytest.mark.parametrize("number", range(6))
def test_cut_values_by_linear_programme(number):
    rng = np.random.default_rng([50, number])
    problem = medium_problem(number, n_nodes=50)
    problem = problem.replace(edge_weight=rng.random(len(problem.edge_weight)))
    path = solve(problem)
    assert_consistent(path, problem)
    for lam in (0.0, 0.1, 0.3, 0.6, 1.0):
        _, source_set = linear_programme_cut(problem, lam)
        best = cut_capacity(problem, source_set, lam)
        assert path.cut_value(lam) == pytest.approx(best, rel=TOLERANCE)


# --- large neighbour graphs ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def neighbour_problem():
    """HNC+ on the 5-neighbour graph of 5 000 samples, Gaussian weights, 10 % of labels given."""
    samples, labels = make_classification(
        n_samples=5000,
        n_features=8,
        n_informative=8,
        n_redundant=0,
        n_clusters_per_class=1,
        class_sep=0.5,
        random_state=0,
    )
    one_way = kneighbors_graph(samples, n_neighbors=5, mode="distance")
    distances = sp.triu(one_way.maximum(one_way.T)).tocoo()
    weights = np.exp(-(distances.data**2) / samples.shape[1] / (2 * 0.25**2))
    given = np.random.default_rng(0).random(5000) < 0.1
    problem = make_problem(
        5000,
        list(zip(distances.row, distances.col, weights, strict=True)),
        source_seeds=np.flatnonzero(given & (labels == 1)),
        sink_seeds=np.flatnonzero(given & (labels == 0)),
    )
    return with_hnc_arcs(problem, grows=True)


def problem_minus(problem):
    """HNC-, with positive labels only: the first stage of the paper's method."""
    return with_hnc_arcs(problem.replace(sink_seeds=()), grows=False)


@pytest.mark.parametrize("variant", [lambda problem: problem, problem_minus], ids=["plus", "minus"])
def test_neighbour_graph_values_and_nesting(neighbour_problem, variant):
    problem = variant(neighbour_problem)
    path = solve(problem)
    assert_consistent(path, problem)
    assert len(path.breakpoints) > 50
    lams = np.linspace(0.0, 1.0, 101)
    previous = None
    for lam, source_set in zip(lams, path.source_sets(lams), strict=True):
        direct = cut_capacity(problem, source_set, lam)
        assert path.cut_value(lam) == pytest.approx(direct, rel=TOLERANCE)
        if previous is not None:
            smaller, larger = (previous, source_set) if path.grows else (source_set, previous)
            assert not (smaller & ~larger).any()
        previous = source_set
    assert path.source_set(0.5)[list(problem.source_seeds)].all()
    assert not path.source_set(0.5)[list(problem.sink_seeds)].any()


@pytest.mark.parametrize("variant", [lambda problem: problem, problem_minus], ids=["plus", "minus"])
def test_neighbour_graph_of_integers_by_max_flow(neighbour_problem, variant):
    whole = neighbour_problem.replace(edge_weight=np.rint(1000 * neighbour_problem.edge_weight))
    problem = variant(with_hnc_arcs(whole, grows=True))
    path = solve(problem)
    assert_consistent(path, problem)
    for lam in (0.0, 0.0625, 0.125, 0.1875, 0.25, 0.5, 0.75, 1.0):
        value, smallest, largest = max_flow_cut(problem, lam)
        assert path.cut_value(lam) == pytest.approx(float(value), rel=TOLERANCE)
        assert (path.source_set(lam, ties="source") == largest).all()
        assert (path.source_set(lam, ties="sink") == smallest).all()


def test_repeated_runs_give_the_same_bits(neighbour_problem):
    first, second = solve(neighbour_problem), solve(neighbour_problem)
    assert same_bits(first, second)
    assert first.duality_gap == second.duality_gap
    assert dict(first.counters) == dict(second.counters)


def test_threads_change_no_bit():
    """On a lattice large enough for several threads: parts of it split off at many levels."""
    side = 200
    rng = np.random.default_rng(5)
    graph = grid_graph(side, seed=5)
    nothing = np.zeros(side * side)
    hills = np.repeat(np.repeat(rng.random((8, 8)), side // 8, axis=0), side // 8, axis=1).ravel()
    source = (graph.sum(axis=1) * (hills + 0.2 * rng.random(side * side)), nothing)
    sink = (nothing, 1.3 * graph.sum(axis=1))
    alone, *together = (
        parametric_cut(graph, source, sink, n_threads=n_threads) for n_threads in (1, 2, 3, 8)
    )
    assert len(alone.breakpoints) > 1000
    assert abs(alone.duality_gap) <= 1e-9
    for path in together:
        assert same_bits(path, alone)
        assert path.counters == alone.counters


@pytest.mark.parametrize("n_threads", [1, 3])
def test_connected_parts_have_nothing_to_do_with_each_other(n_threads):
    """Large and small parts, whose nodes are mixed: each is cut as if it were alone."""
    rng = np.random.default_rng(6)
    parts = [grid_graph(side, seed) for seed, side in enumerate((70, 3, 80, 1, 5, 68, 40, 40, 40))]
    pulls = [part.sum(axis=1) * rng.random(part.shape[0]) for part in parts]

    def cut(graph, pull):
        nothing = np.zeros(len(pull))
        capacities = {"source": (pull, nothing), "sink": (nothing, 1.3 * graph.sum(axis=1) + 0.1)}
        return parametric_cut(graph, **capacities, n_threads=n_threads)

    alone = [cut(part, pull) for part, pull in zip(parts, pulls, strict=True)]
    whole, pull = sp.csr_array(sp.block_diag(parts)), np.concatenate(pulls)
    place = rng.permutation(len(pull))
    together = cut(whole[place][:, place], pull[place])
    switch = np.concatenate([path.switch for path in alone])
    assert together.switch == pytest.approx(switch[place], rel=TOLERANCE)
    lambdas = np.linspace(0, 1, 50)
    value = sum(path.cut_value(lambdas) for path in alone)
    assert together.cut_value(lambdas) == pytest.approx(value, rel=TOLERANCE)


# --- symmetries ----------------------------------------------------------------------------------


def mirrored(problem):
    """The same problem with lambda running the other way through its range."""
    turn = sum(problem.lambda_range)
    return problem.replace(
        source_base=problem.source_base + turn * problem.source_slope,
        source_slope=-problem.source_slope,
        sink_base=problem.sink_base + turn * problem.sink_slope,
        sink_slope=-problem.sink_slope,
    )


@pytest.mark.parametrize("number", range(8))
def test_lambda_reversed_mirrors_the_path(number):
    problem = medium_problem(number, n_nodes=100)
    path, mirror = solve(problem), solve(mirrored(problem))
    assert mirror.grows != path.grows
    np.testing.assert_allclose(mirror.switch, 1.0 - path.switch, rtol=0, atol=TOLERANCE)
    for lam in (0.0, 0.125, 0.25, 0.5, 0.75, 1.0):
        for ties in ("source", "sink"):
            expected = path.source_set(lam, ties=ties)
            assert (mirror.source_set(1.0 - lam, ties=ties) == expected).all()


@pytest.mark.parametrize("number", range(8))
def test_source_and_sink_exchanged_gives_the_complement(number):
    problem = medium_problem(number, n_nodes=100)
    path, other = solve(problem), solve(swapped(problem))
    assert other.grows != path.grows
    for lam in (0.0, 0.125, 0.25, 0.5, 0.75, 1.0, *path.breakpoints):
        assert (other.source_set(lam) == ~path.source_set(lam, ties="sink")).all()
        assert (other.source_set(lam, ties="sink") == ~path.source_set(lam)).all()
        assert other.cut_value(lam) == pytest.approx(path.cut_value(lam), rel=TOLERANCE)
