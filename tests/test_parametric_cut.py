"""The engine against oracles of rising size, and the promises of `CutPath`."""

import copy
import dataclasses
import itertools
import math
import pickle
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from checks import (
    CLEAR_OF_BREAKPOINTS,
    LARGEST_GAP,
    TOLERANCE,
    assert_close_path,
    assert_consistent,
    assert_exact_path,
    assert_sets,
    is_close,
    named,
    probes,
    representable,
    same_bits,
)
from graphs import (
    EXACT_FAMILIES,
    edge_cases,
    grid_graph,
    make_problem,
    medium_problem,
    random_problem,
    wild_problem,
    with_hnc_arcs,
)
from oracles import AllSubsets, cut_capacity, linear_programme_cut, max_flow_cut, total_capacity
from sklearn.datasets import make_classification
from sklearn.neighbors import kneighbors_graph

import pucut
from pucut import CutPath, parametric_cut

PROBLEMS_PER_BATCH = 250


def solve(problem):
    return parametric_cut(**problem.arguments())


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


@pytest.mark.parametrize("batch", range(16))
@pytest.mark.parametrize("family", EXACT_FAMILIES)
def test_random_problems_of_exact_numbers(family, batch):
    for number in range(batch * PROBLEMS_PER_BATCH, (batch + 1) * PROBLEMS_PER_BATCH):
        with named(f"random_problem({family!r}, {number})"):
            problem = random_problem(family, number)
            assert_exact_path(solve(problem), problem)


@pytest.mark.parametrize("batch", range(16))
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
    """On a lattice large enough to be shared out: parts of it split off at many levels."""
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


# --- one graph, many ways to store it ------------------------------------------------------------


def _from_entries(rows, columns, values, shape):
    """A CSR matrix with exactly these entries in this order within each row."""
    order = np.argsort(rows, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    matrix = sp.csr_array(shape)
    matrix.data, matrix.indices = values[order], columns[order].astype(np.int32)
    matrix.indptr = indptr.astype(np.int32)
    return matrix


def _entries(graph):
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    return rows, graph.indices.astype(np.int64), graph.data


def unsorted_indices(graph):
    rows, columns, values = _entries(graph)
    return _from_entries(rows[::-1], columns[::-1], values[::-1], graph.shape)


def split_in_two(graph):
    rows, columns, values = _entries(graph)
    twice = np.concatenate
    return _from_entries(
        twice([rows, rows]),
        twice([columns, columns]),
        twice([values * 0.25, values * 0.75]),
        graph.shape,
    )


def with_self_loops(graph):
    rows, columns, values = _entries(graph)
    nodes = np.arange(graph.shape[0])
    return _from_entries(
        np.concatenate([rows, nodes]),
        np.concatenate([columns, nodes]),
        np.concatenate([values, 1.0 + nodes]),
        graph.shape,
    )


def with_zeros_on_one_side(graph):
    """An explicit zero at (i, j) and nothing at (j, i): no edge either way."""
    rows, columns, values = _entries(graph)
    present = graph.toarray() != 0
    more_rows, more_columns = np.nonzero(np.triu(~present, k=1))
    return _from_entries(
        np.concatenate([rows, more_rows]),
        np.concatenate([columns, more_columns]),
        np.concatenate([values, np.zeros(len(more_rows))]),
        graph.shape,
    )


def without_zeros(graph):
    smaller = graph.copy()
    smaller.eliminate_zeros()
    return smaller


def with_wide_indices(graph):
    wide = graph.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    return wide


def read_only(graph):
    frozen = graph.copy()
    for array in (frozen.data, frozen.indices, frozen.indptr):
        array.setflags(write=False)
    return frozen


FORMS = {
    "matrix": sp.csr_matrix,
    "unsorted indices": unsorted_indices,
    "entries split in two": split_in_two,
    "self-loops": with_self_loops,
    "zeros on one side": with_zeros_on_one_side,
    "no stored zeros": without_zeros,
    "64-bit indices": with_wide_indices,
    "read-only": read_only,
    "float32": lambda graph: graph.astype(np.float32),
    "int64": lambda graph: graph.astype(np.int64),
    "uint8": lambda graph: graph.astype(np.uint8),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_storage_of_the_graph_does_not_matter(form, number):
    problem = medium_problem(number, n_nodes=60)
    arguments = problem.arguments()
    other_form = FORMS[form](arguments["graph"])
    assert same_bits(parametric_cut(**{**arguments, "graph": other_form}), solve(problem))


def test_boolean_weights_count_as_one():
    ones = medium_problem(0, n_nodes=60)
    ones = with_hnc_arcs(ones.replace(edge_weight=np.ones(len(ones.edge_weight))), grows=True)
    arguments = ones.arguments()
    boolean = {**arguments, "graph": arguments["graph"].astype(bool)}
    assert same_bits(parametric_cut(**boolean), solve(ones))


def test_rounded_weights_are_taken_as_they_are():
    """float32 weights count at their float32 value, not at the decimal they came from."""
    problem = medium_problem(1, n_nodes=60)
    short = np.random.default_rng(0).random(len(problem.edge_weight)).astype(np.float32)
    arguments = problem.replace(edge_weight=short.astype(np.float64)).arguments()
    as_float32 = {**arguments, "graph": arguments["graph"].astype(np.float32)}
    assert same_bits(parametric_cut(**as_float32), parametric_cut(**arguments))


@pytest.mark.parametrize(
    "convert",
    [
        lambda array: array.astype(np.float32),
        lambda array: array.astype(np.int64),
        lambda array: np.repeat(array, 2)[::2],
        lambda array: array[::-1].copy()[::-1],
        lambda array: array.astype(">f8"),
    ],
    ids=["float32", "int64", "strided", "reversed view", "big-endian"],
)
def test_storage_of_the_arcs_does_not_matter(convert):
    problem = medium_problem(2, n_nodes=60)
    arguments = problem.arguments()
    for name in ("source", "sink"):
        arguments[name] = tuple(convert(array) for array in arguments[name])
    assert same_bits(parametric_cut(**arguments), solve(problem))


@pytest.mark.parametrize(
    "express",
    [
        lambda nodes, n: np.isin(np.arange(n), nodes),
        lambda nodes, n: np.isin(np.arange(n), nodes).tolist(),
        lambda nodes, n: list(nodes),
        lambda nodes, n: [*reversed(nodes), *nodes],
        lambda nodes, n: np.array(nodes, dtype=np.uint16),
    ],
    ids=["mask", "list of booleans", "list", "duplicates, any order", "unsigned"],
)
def test_seeds_as_mask_or_as_indices(express):
    problem = medium_problem(0, n_nodes=60)
    assert problem.source_seeds
    assert problem.sink_seeds
    arguments = problem.arguments()
    arguments["source_seeds"] = express(problem.source_seeds, problem.n_nodes)
    arguments["sink_seeds"] = express(problem.sink_seeds, problem.n_nodes)
    assert same_bits(parametric_cut(**arguments), solve(problem))


@pytest.mark.parametrize(
    "nothing", [None, [], (), np.array([], dtype=np.int64), np.zeros(60, bool)]
)
def test_no_seeds(nothing):
    problem = medium_problem(2, n_nodes=60).replace(source_seeds=(), sink_seeds=())
    arguments = {**problem.arguments(), "source_seeds": nothing, "sink_seeds": nothing}
    assert same_bits(parametric_cut(**arguments), solve(problem))


def test_lambda_range_defaults_to_zero_and_one():
    problem = medium_problem(0, n_nodes=60)
    arguments = problem.arguments()
    del arguments["lambda_range"]
    assert same_bits(parametric_cut(**arguments), solve(problem))


def test_inputs_are_left_unchanged():
    problem = random_problem("integer", 5, n_nodes=7)
    arguments = problem.arguments()
    arguments["graph"] = split_in_two(with_self_loops(unsorted_indices(problem.graph())))
    graph = arguments["graph"]
    arrays = [
        *(graph.data, graph.indices, graph.indptr),
        *(*arguments["source"], *arguments["sink"]),
        *(arguments["source_seeds"], arguments["sink_seeds"]),
    ]
    before = [array.tobytes() for array in arrays]
    path = parametric_cut(**arguments)
    path.source_set(0.5)[:] = True
    assert [array.tobytes() for array in arrays] == before
    assert graph.data is arrays[0]


def test_result_does_not_follow_later_changes_of_the_input():
    problem = medium_problem(2, n_nodes=60)
    arguments = problem.arguments()
    path, untouched = parametric_cut(**arguments), solve(medium_problem(2, n_nodes=60))
    arguments["graph"].data[:] = 7.0
    for array in (*arguments["source"], *arguments["sink"]):
        array[:] = 0.0
    assert same_bits(path, untouched)


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


# --- the result ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def problem():
    return medium_problem(2, n_nodes=60)


@pytest.fixture(scope="module")
def path(problem):
    return solve(problem)


def test_public_names():
    assert pucut.parametric_cut is parametric_cut
    assert pucut.CutPath is CutPath
    assert isinstance(solve(medium_problem(0, n_nodes=60)), CutPath)


def test_no_nodes():
    path = solve(make_problem(0, lambda_range=(-1.0, 2.0)))
    assert path.switch.tolist() == path.breakpoints.tolist() == []
    assert path.duality_gap == 0.0
    assert path.n_nodes == 0
    assert path.source_set(0.5).tolist() == []
    assert path.cut_value(0.5) == 0.0


def test_isolated_node_without_arcs_is_on_the_side_that_ties_go_to():
    path = solve(make_problem(1))
    assert path.switch.tolist() == [-math.inf]
    for lam in (0.0, 0.3, 1.0):
        assert path.source_set(lam, ties="source").tolist() == [True]
        assert path.source_set(lam, ties="sink").tolist() == [False]


def test_only_seeds_have_no_breakpoints():
    every_node = np.arange(60)
    problem = medium_problem(2, n_nodes=60)
    path = solve(
        problem.replace(source_seeds=tuple(every_node[:20]), sink_seeds=tuple(every_node[20:]))
    )
    assert path.breakpoints.tolist() == []
    assert path.source_set(0.5).tolist() == [True] * 20 + [False] * 40
    assert path.cut_value(0.5) == pytest.approx(
        cut_capacity(problem, every_node < 20, 0.5), rel=TOLERANCE
    )


def test_switch_at_the_ends_of_the_range_is_finite():
    """Crossings at 1/4, 1/2 and 3/4: the range cuts off what lies outside, ends belong to it."""
    crossings = {"source": (0, 1), "sink": ([0.25, 0.5, 0.75], 0)}
    for lambda_range, switch in {
        (0.25, 0.75): [0.25, 0.5, 0.75],
        (0.25, 0.5): [0.25, 0.5, math.inf],
        (0.5, 0.75): [-math.inf, 0.5, 0.75],
        (0.5, 0.5): [-math.inf, 0.5, math.inf],
        (0.3, 0.4): [-math.inf, math.inf, math.inf],
    }.items():
        path = solve(make_problem(3, **crossings, lambda_range=lambda_range))
        assert path.switch.tolist() == switch


def test_float_weights_without_a_pull_switch_exactly_at_zero():
    """A part without seeds joins HNC+ at lambda = 0, however its weights are rounded."""
    weights = np.random.default_rng(0).random(3)
    edges = [(0, 1, 0.1), *zip([2, 3, 2], [3, 4, 4], weights, strict=True)]
    problem = with_hnc_arcs(make_problem(5, edges, source_seeds=[0]), grows=True)
    path = solve(problem)
    assert path.switch.tolist() == [-math.inf, -math.inf, 0.0, 0.0, 0.0]
    assert path.source_set(0.0, ties="sink").tolist() == [True, True, False, False, False]


def test_cut_value_of_an_array(path, problem):
    lams = np.array([[1.0, 0.0, 0.3], [0.3, 0.7, 0.1]])
    values = path.cut_value(lams)
    assert isinstance(path.cut_value(0.3), float)
    assert values.tolist() == [[path.cut_value(lam) for lam in row] for row in lams.tolist()]
    for lam, value in zip(lams.ravel(), values.ravel(), strict=True):
        direct = cut_capacity(problem, path.source_set(lam), lam)
        assert abs(value - direct) <= TOLERANCE * total_capacity(problem, lam)


def test_both_ties_cost_the_same_at_breakpoints():
    problem = random_problem("integer", 11, n_nodes=7)
    exact = AllSubsets(problem)
    path = solve(problem)
    assert representable(exact.breakpoints)
    for lam in representable(exact.breakpoints):
        costs = {
            cut_capacity(problem, path.source_set(lam, ties=ties), lam)
            for ties in ("source", "sink")
        }
        assert costs == {float(exact.value(lam))}


@pytest.mark.parametrize("ties", ["source", "sink"])
def test_source_sets_yields_in_the_order_given(path, ties):
    lams = [0.9, 0.1, *path.breakpoints, 0.1, 0.0, 1.0]
    expected = [path.source_set(lam, ties=ties).tolist() for lam in lams]
    produced = path.source_sets(lams, ties=ties)
    assert iter(produced) is produced
    assert next(produced).tolist() == expected[0]
    # Kept together: a yielded array must not be overwritten by the next one.
    assert [source_set.tolist() for source_set in list(produced)] == expected[1:]
    assert [s.tolist() for s in path.source_sets(np.array(lams), ties=ties)] == expected


def test_source_sets_defaults_to_the_largest(path):
    lams = path.breakpoints
    produced = [source_set.tolist() for source_set in path.source_sets(lams)]
    assert produced == [path.source_set(lam, ties="source").tolist() for lam in lams]


def test_source_sets_streams():
    """20 000 sets of 5 000 nodes would fill 100 MB at once."""
    crossings = np.linspace(0.0, 1.0, 5000)
    path = solve(make_problem(5000, source=(0, 1), sink=(crossings, 0)))
    lams = np.linspace(0.0, 1.0, 20_000)
    tracemalloc.start()
    sizes = [np.count_nonzero(source_set) for source_set in path.source_sets(lams)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sizes == np.searchsorted(crossings, lams, side="right").tolist()
    assert peak < 4_000_000


def test_path_is_frozen(path):
    for field in dataclasses.fields(path):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(path, field.name, None)


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda path: pickle.loads(pickle.dumps(path))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_path_can_be_copied(path, duplicate):
    twin = duplicate(path)
    assert type(twin) is CutPath
    assert same_bits(twin, path)
    assert twin.duality_gap == path.duality_gap
    assert dict(twin.counters) == dict(path.counters)
    assert twin.n_nodes == path.n_nodes


def test_counters_count(path):
    assert path.counters
    for name, count in path.counters.items():
        assert isinstance(name, str)
        assert isinstance(count, int)
        assert count >= 0


def test_gap_is_small_at_every_scale():
    """The gap is relative: tiny or huge units change neither it nor the path."""
    problem = medium_problem(2, n_nodes=60)
    for factor in (2.0**-200, 1.0, 2.0**200):
        scaled = problem.replace(
            edge_weight=problem.edge_weight * factor,
            source_base=problem.source_base * factor,
            source_slope=problem.source_slope * factor,
            sink_base=problem.sink_base * factor,
            sink_slope=problem.sink_slope * factor,
        )
        path = solve(scaled)
        assert abs(path.duality_gap) <= LARGEST_GAP
        np.testing.assert_allclose(
            path.switch, solve(problem).switch, rtol=TOLERANCE, atol=TOLERANCE
        )
