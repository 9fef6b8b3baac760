"""What `CutPath` promises, whatever the problem."""

import copy
import dataclasses
import math
import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import pucut
from pucut import CutPath, parametric_cut
from tests.helpers.checks import (
    LARGEST_GAP,
    TOLERANCE,
    representable,
    same_bits,
    solve,
)
from tests.helpers.graphs import (
    make_problem,
    medium_problem,
    random_problem,
    with_hnc_arcs,
)
from tests.helpers.oracles import AllSubsets, cut_capacity, total_capacity


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
    """A component without seeds joins HNC+ at lambda = 0, however its weights are rounded."""
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


def test_ties_at_the_end_of_the_range_are_ties():
    """What rounding leaves at a node of small amounts does not take it out of the range."""
    weights = sp.csr_array(np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    path = parametric_cut(weights, ([2, 1, 0], [3, 6, 3]), ([2, 0, 2], [0, 0, 0]), (0, 3))
    np.testing.assert_array_equal(path.source_set(0, "sink"), [False, False, False])
    np.testing.assert_array_equal(path.source_set(0, "source"), [True, True, False])
