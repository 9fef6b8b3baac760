"""What must hold between two solves, whatever the problem: found and shrunk by Hypothesis.

Every problem has integer data and every change is exact in float64, so paths are compared to the
last bits (`TOLERANCE`) and sets exactly, at breakpoints and between them.
"""

import numpy as np
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from pucut import parametric_cut
from tests.helpers.checks import (
    TOLERANCE,
    assert_exact_path,
    probes,
    representable,
    same_bits,
    solve,
)
from tests.helpers.graphs import make_problem, small_problems, swapped
from tests.helpers.oracles import AllSubsets

ARCS = ("source_base", "source_slope", "sink_base", "sink_slope")


def asked_lambdas(problem):
    """Where sets are compared: at the breakpoints that are floats and between all of them."""
    exact = AllSubsets(problem)
    return [*probes(exact), *representable(exact.breakpoints)]


def edges_of(problem):
    return list(
        zip(
            problem.edge_from.tolist(),
            problem.edge_to.tolist(),
            problem.edge_weight.tolist(),
            strict=True,
        )
    )


def assert_switch(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE)


def assert_sets_equal(path, other, lams, to_other_lambda=lambda lam: lam, nodes=slice(None)):
    """Both extreme sets of `path` are those of `other` (at its lambda, for its `nodes`)."""
    for lam in lams:
        for ties in ("source", "sink"):
            there = other.source_set(to_other_lambda(lam), ties=ties)[nodes]
            assert path.source_set(lam, ties=ties).tolist() == there.tolist()


@given(small_problems())
def test_path_is_that_of_all_subsets(problem):
    assert_exact_path(solve(problem), problem)


@given(small_problems(lambda_range=(-2.0, 6.0)))
def test_path_is_that_of_all_subsets_on_another_range(problem):
    assert_exact_path(solve(problem), problem)


@given(small_problems(), st.data())
def test_names_of_the_nodes_do_not_matter(problem, data):
    new_name = np.array(data.draw(st.permutations(range(problem.n_nodes))))
    old_name = np.argsort(new_name)
    renamed = problem.replace(
        edge_from=new_name[problem.edge_from],
        edge_to=new_name[problem.edge_to],
        source_seeds=tuple(sorted(new_name[list(problem.source_seeds)].tolist())),
        sink_seeds=tuple(sorted(new_name[list(problem.sink_seeds)].tolist())),
        **{name: getattr(problem, name)[old_name] for name in ARCS},
    )
    path, other = solve(problem), solve(renamed)
    assert_switch(other.switch[new_name], path.switch)
    assert_sets_equal(path, other, asked_lambdas(problem), nodes=new_name)


@given(small_problems(), st.sampled_from([2.0**-300, 2.0**-60, 0.5, 3.0, 7.0, 2.0**60, 2.0**300]))
def test_unit_of_the_weights_does_not_matter(problem, unit):
    scaled = problem.replace(
        **{name: getattr(problem, name) * unit for name in ("edge_weight", *ARCS)}
    )
    path, other = solve(problem), solve(scaled)
    assert_switch(other.switch, path.switch)
    lams = np.array(asked_lambdas(problem))
    assert_sets_equal(path, other, lams)
    np.testing.assert_allclose(
        other.cut_value(lams), unit * path.cut_value(lams), rtol=TOLERANCE, atol=TOLERANCE * unit
    )


@given(small_problems(), st.data())
def test_edges_of_weight_zero_do_not_matter(problem, data):
    present = {frozenset(edge[:2]) for edge in edges_of(problem)}
    absent = [
        (i, j)
        for i in range(problem.n_nodes)
        for j in range(i + 1, problem.n_nodes)
        if frozenset((i, j)) not in present
    ]
    assume(absent)
    added = data.draw(st.lists(st.sampled_from(absent), unique=True, min_size=1))
    larger = problem.replace(
        edge_from=np.append(problem.edge_from, [i for i, _ in added]),
        edge_to=np.append(problem.edge_to, [j for _, j in added]),
        edge_weight=np.append(problem.edge_weight, np.zeros(len(added))),
    )
    assert same_bits(solve(larger), solve(problem))


@given(small_problems(), st.data())
def test_an_edge_may_be_stored_in_pieces(problem, data):
    """Each entry of the matrix in one to three pieces that add up to it, in any order."""
    graph = problem.graph()
    pieces = {1: [1.0], 2: [0.25, 0.75], 3: [0.5, 0.125, 0.375]}
    rows = []
    for row in range(problem.n_nodes):
        entries = []
        for place in range(graph.indptr[row], graph.indptr[row + 1]):
            for share in pieces[data.draw(st.integers(1, 3))]:
                entries.append((graph.indices[place], share * graph.data[place]))
        rows.append(data.draw(st.permutations(entries)))
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    indices = np.array([column for row in rows for column, _ in row], dtype=np.int32)
    values = np.array([value for row in rows for _, value in row], dtype=np.float64)
    in_pieces = sp.csr_array((values, indices, indptr.astype(np.int32)), shape=graph.shape)
    assert in_pieces.nnz == len(values)
    path = parametric_cut(**{**problem.arguments(), "graph": in_pieces})
    assert same_bits(path, solve(problem))


@given(st.booleans(), st.data())
def test_parts_without_a_connection_are_solved_independently(grows, data):
    # With a slope of at least 1 everywhere, each part alone has the direction of both.
    parts = st.tuples(*[small_problems(max_nodes=5, grows=grows, flat_allowed=False)] * 2)
    first, second = data.draw(parts)
    shift = first.n_nodes
    both = make_problem(
        first.n_nodes + second.n_nodes,
        edges_of(first) + [(i + shift, j + shift, weight) for i, j, weight in edges_of(second)],
        source_seeds=[*first.source_seeds, *(node + shift for node in second.source_seeds)],
        sink_seeds=[*first.sink_seeds, *(node + shift for node in second.sink_seeds)],
    ).replace(**{name: np.append(getattr(first, name), getattr(second, name)) for name in ARCS})
    path, one, two = solve(both), solve(first), solve(second)
    assert_switch(path.switch, np.append(one.switch, two.switch))
    lams = np.array(asked_lambdas(first) + asked_lambdas(second))
    assert_sets_equal(one, path, lams, nodes=slice(None, shift))
    assert_sets_equal(two, path, lams, nodes=slice(shift, None))
    np.testing.assert_allclose(
        path.cut_value(lams), one.cut_value(lams) + two.cut_value(lams), rtol=TOLERANCE, atol=1e-12
    )


@given(small_problems(), st.data())
def test_capacity_through_one_node_only_adds_to_the_value(problem, data):
    """The same amount on s->i and i->t is cut once, on whichever side the node is."""
    node = data.draw(st.integers(0, problem.n_nodes - 1))
    amount = float(data.draw(st.integers(1, 1000)))
    through_node = np.where(np.arange(problem.n_nodes) == node, amount, 0.0)
    other_problem = problem.replace(
        source_base=problem.source_base + through_node, sink_base=problem.sink_base + through_node
    )
    path, other = solve(problem), solve(other_problem)
    assert_switch(other.switch, path.switch)
    lams = np.array(asked_lambdas(problem))
    assert_sets_equal(path, other, lams)
    np.testing.assert_allclose(
        other.cut_value(lams), amount + path.cut_value(lams), rtol=TOLERANCE, atol=0
    )


@given(
    small_problems(flat_allowed=False),
    st.sampled_from([-4.0, -1.0, -0.5, 0.25, 1.0, 2.0]),
    st.sampled_from([-3.0, 0.0, 0.5, 8.0]),
)
def test_lambda_on_another_scale(problem, stretch, shift):
    """lambda = stretch * other + shift, also backwards; powers of two keep it exact."""

    def to_other(lam):
        return (lam - shift) / stretch

    changes = {
        "source_base": problem.source_base + shift * problem.source_slope,
        "source_slope": stretch * problem.source_slope,
        "sink_base": problem.sink_base + shift * problem.sink_slope,
        "sink_slope": stretch * problem.sink_slope,
        "lambda_range": tuple(sorted(to_other(end) for end in problem.lambda_range)),
    }
    path, other = solve(problem), solve(problem.replace(**changes))
    assert other.grows == (path.grows if stretch > 0 else not path.grows)
    assert_switch(other.switch, to_other(path.switch))
    assert_sets_equal(path, other, representable(AllSubsets(problem).breakpoints), to_other)


@given(small_problems())
def test_source_and_sink_exchanged_gives_the_complement(problem):
    path, other = solve(problem), solve(swapped(problem))
    for lam in asked_lambdas(problem):
        assert other.source_set(lam).tolist() == (~path.source_set(lam, ties="sink")).tolist()
        assert other.source_set(lam, ties="sink").tolist() == (~path.source_set(lam)).tolist()


@given(small_problems(), st.data())
def test_a_seed_where_the_cut_puts_it_anyway_changes_nothing(problem, data):
    """A node on the source side of both extreme cuts may be fixed there at that lambda."""
    lam = data.draw(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
    exact = AllSubsets(problem)
    inside = np.flatnonzero(exact.smallest(lam))
    outside = np.flatnonzero(~exact.largest(lam))
    fixed = problem.replace(
        source_seeds=tuple(inside.tolist()),
        sink_seeds=tuple(outside.tolist()),
        lambda_range=(lam, lam),
    )
    assert_exact_path(solve(fixed), fixed)
    for ties, wanted in (("source", exact.largest(lam)), ("sink", exact.smallest(lam))):
        assert solve(fixed).source_set(lam, ties=ties).tolist() == wanted.tolist()
