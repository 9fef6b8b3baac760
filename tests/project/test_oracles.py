"""The oracles against each other and against answers worked out by hand."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from tests.helpers.graphs import (
    EXACT_FAMILIES,
    FAMILIES,
    edge_cases,
    make_problem,
    medium_problem,
    random_problem,
    wild_problem,
    with_hnc_arcs,
)
from tests.helpers.oracles import (
    AllSubsets,
    cut_capacity,
    linear_programme_cut,
    max_flow_cut,
    total_capacity,
)

ARCS = ("source_base", "source_slope", "sink_base", "sink_slope")


def exact_probes(exact):
    """The breakpoints, the ends of the range and one lambda inside every interval between them."""
    points = sorted({*map(Fraction, exact.problem.lambda_range), *exact.breakpoints})
    middles = [(a + b) / 2 for a, b in itertools.pairwise(points)]
    return sorted([*points, *middles])


def assert_max_flow_agrees(problem):
    exact = AllSubsets(problem)
    for lam in exact_probes(exact):
        value, smallest, largest = max_flow_cut(problem, lam)
        assert value == exact.value(lam)
        assert smallest.tolist() == exact.smallest(lam).tolist()
        assert largest.tolist() == exact.largest(lam).tolist()


def test_chain_worked_out_by_hand():
    # Seeds at both ends. Node 1 is pulled by 3 to the source and by 1 at most to the sink: always
    # in. Node 2 gains 1 (edge to node 1) + 3 lambda - 2 (edge to the sink seed): in from 1/3 on.
    chain = make_problem(
        4, [(0, 1, 3.0), (1, 2, 1.0), (2, 3, 2.0)], source_seeds=[0], sink_seeds=[3]
    )
    exact = AllSubsets(with_hnc_arcs(chain, grows=True))
    assert exact.breakpoints == [Fraction(1, 3)]
    assert exact.switch == [-math.inf, -math.inf, Fraction(1, 3), math.inf]
    assert exact.smallest(Fraction(1, 3)).tolist() == [True, True, False, False]
    assert exact.largest(Fraction(1, 3)).tolist() == [True, True, True, False]
    # At lambda 1/2: edge {2, 3} of weight 2, and the arc of the sink seed, 1/2 * degree 2.
    assert exact.value(Fraction(1, 2)) == 3


def test_node_tied_over_an_interval_worked_out_by_hand():
    # Node 0 joins when 4 lambda >= 1 (its sink arc) + 1 (an edge). From then on node 1, without
    # arcs, is held equally by its two neighbours, one on each side.
    exact = AllSubsets(edge_cases()["tied over an interval of lambda"])
    assert exact.breakpoints == [Fraction(1, 2)]
    assert exact.switch == [Fraction(1, 2), Fraction(1, 2), math.inf]
    assert exact.smallest(Fraction(3, 4)).tolist() == [True, False, False]
    assert exact.largest(Fraction(3, 4)).tolist() == [True, True, False]


@pytest.mark.parametrize("name", edge_cases())
def test_all_subsets_and_max_flow_agree_on_edge_cases(name):
    assert_max_flow_agrees(edge_cases()[name])


@pytest.mark.parametrize("family", EXACT_FAMILIES)
def test_all_subsets_and_max_flow_agree_on_random_problems(family):
    for number in range(200):
        assert_max_flow_agrees(random_problem(family, number))


@pytest.mark.parametrize("family", FAMILIES)
def test_switch_and_sets_tell_the_same_story(family):
    """`switch` is read off the breakpoints; the sets are minimised anew at every lambda."""
    for number in range(200):
        exact = AllSubsets(random_problem(family, number))
        switch = exact.switch
        for lam in exact_probes(exact):
            from_switch = [
                value <= lam if exact.problem.grows else value >= lam for value in switch
            ]
            assert exact.largest(lam).tolist() == from_switch


def test_all_subsets_and_linear_programme_agree():
    for number in range(100):
        problem = random_problem("nasty", number)
        exact = AllSubsets(problem)
        lam = sum(problem.lambda_range) / 2
        value, source_set = linear_programme_cut(problem, lam)
        rounding = 1e-12 * total_capacity(problem, lam)
        assert value == pytest.approx(float(exact.value(lam)), rel=0, abs=rounding)
        assert cut_capacity(problem, source_set, lam) == pytest.approx(value, rel=0, abs=rounding)


def test_max_flow_and_linear_programme_agree():
    problem = medium_problem(number=2, n_nodes=60)
    for lam in (0.0, 0.25, 0.5, 1.0):
        value, smallest, largest = max_flow_cut(problem, lam)
        by_programme, _ = linear_programme_cut(problem, lam)
        assert by_programme == pytest.approx(float(value), rel=1e-12)
        assert cut_capacity(problem, smallest, lam) == float(value)
        assert cut_capacity(problem, largest, lam) == float(value)


def test_random_problems_hold_what_they_promise():
    """The generators must really produce the situations the tests rely on."""
    problems = [random_problem(family, i) for family in FAMILIES for i in range(300)]
    exact = [AllSubsets(problem) for problem in problems]
    seen = {
        "growing": any(p.grows for p in problems),
        "shrinking": any(not p.grows for p in problems),
        "no edges": any(len(p.edge_weight) == 0 and p.n_nodes > 1 for p in problems),
        "zero weight": any((p.edge_weight == 0).any() for p in problems),
        "source seeds only": any(p.source_seeds and not p.sink_seeds for p in problems),
        "sink seeds only": any(p.sink_seeds and not p.source_seeds for p in problems),
        "both seeds": any(p.source_seeds and p.sink_seeds for p in problems),
        "no seeds": any(not p.source_seeds and not p.sink_seeds for p in problems),
        "one point": any(p.lambda_range[0] == p.lambda_range[1] for p in problems),
        "several breakpoints": any(len(e.breakpoints) >= 4 for e in exact),
        "tied over an interval": any(
            (e.smallest(lam) != e.largest(lam)).any() and lam not in e.breakpoints
            for e in exact
            for lam in [sum(map(Fraction, e.problem.lambda_range)) / 2]
        ),
        "breakpoint at the low end": any(e.problem.lambda_range[0] in e.breakpoints for e in exact),
        "breakpoint at the high end": any(
            e.problem.lambda_range[1] in e.breakpoints for e in exact
        ),
        "breakpoint outside the range": any(e.all_breakpoints != e.breakpoints for e in exact),
    }
    assert [name for name, found in seen.items() if not found] == []
    for problem in problems:
        for end in problem.lambda_range:
            assert (problem.source_base + end * problem.source_slope >= 0).all()
            assert (problem.sink_base + end * problem.sink_slope >= 0).all()


def test_wild_problems_are_decided_by_their_tiny_numbers():
    """With everything below 1e-30 taken as 0, most of them have other minimum cuts."""
    changed = 0
    for number in range(200):
        problem = wild_problem(number)
        rounded = problem.replace(
            **{
                name: np.where(getattr(problem, name) < 1e-30, 0.0, getattr(problem, name))
                for name in ("edge_weight", *ARCS)
            }
        )
        exact, without_tiny = AllSubsets(problem), AllSubsets(rounded)
        changed += any(
            exact.largest(lam).tolist() != without_tiny.largest(lam).tolist()
            or exact.smallest(lam).tolist() != without_tiny.smallest(lam).tolist()
            for lam in (0.125, 0.375, 0.625, 0.875)
        )
    assert changed > 100
