"""HNC+, HNC- and HNC+- against the paper's own objectives, tried on all subsets.

The oracle below evaluates C(S, S') - alpha C(S, S) - beta C(S', S') as the paper writes it. It
knows nothing of lambda, of degrees, or of the theorem that makes one problem out of two.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pucut._support.checks import diagonal_array
from pucut.cuts.hnc import (
    double_intra_similarity,
    hnc_minus,
    hnc_plus,
    hnc_plus_minus,
    lambda_to_tradeoff,
    tradeoff_to_lambda,
)
from tests.helpers.checks import named
from tests.helpers.graphs import make_problem, random_problem

LAMBDAS = [Fraction(k, 16) for k in range(16)]


class AllPartitions:
    """The three similarities of the paper for every S with L+ in S and L- in its complement."""

    def __init__(self, problem):
        n_nodes = problem.n_nodes
        self.inside = (np.arange(2**n_nodes)[:, None] >> np.arange(n_nodes)) % 2 == 1
        allowed = self.inside[:, list(problem.source_seeds)].all(axis=1)
        allowed &= ~self.inside[:, list(problem.sink_seeds)].any(axis=1)
        self.inside = self.inside[allowed]
        start, end = self.inside[:, problem.edge_from], self.inside[:, problem.edge_to]
        weight = np.array([Fraction(value) for value in problem.edge_weight.tolist()], dtype=object)
        zero = Fraction(0)
        self.between = (start != end).astype(object) @ weight + zero
        self.within_s = (start & end).astype(object) @ weight + zero
        self.within_rest = (~start & ~end).astype(object) @ weight + zero

    def objective(self, alpha, beta):
        """Of every partition; an infinite tradeoff leaves only the intra-similarity."""
        if alpha == math.inf:
            return -self.within_s
        if beta == math.inf:
            return -self.within_rest
        return self.between - Fraction(alpha) * self.within_s - Fraction(beta) * self.within_rest

    def minimisers(self, alpha, beta):
        values = self.objective(alpha, beta)
        return self.inside[values == min(values)]

    def value_of(self, source_set, alpha, beta):
        (row,) = np.flatnonzero((self.inside == source_set).all(axis=1))
        return self.objective(alpha, beta)[row]


def tradeoff(lam):
    """mu for which lambda = mu / (mu + 2), exactly."""
    return math.inf if lam == 1 else 2 * lam / (1 - lam)


def seeds_of(problem):
    return list(problem.source_seeds), list(problem.sink_seeds)


def assert_extreme_minimisers(source_set_at, minimisers):
    assert source_set_at("source").tolist() == minimisers.any(axis=0).tolist()
    assert source_set_at("sink").tolist() == minimisers.all(axis=0).tolist()


# --- the paths -----------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["integer", "dyadic"])
def test_hnc_plus_minimises_the_objective_of_the_paper(family):
    for number in range(150):
        with named(f"random_problem({family!r}, {number})"):
            problem = random_problem(family, number)
            partitions = AllPartitions(problem)
            path = hnc_plus(problem.graph(), *seeds_of(problem))
            assert path.grows
            assert path.lambda_range == (0.0, 1.0)
            for lam in [*LAMBDAS, 1]:
                assert_extreme_minimisers(
                    lambda ties, lam=lam, path=path: path.source_set(float(lam), ties=ties),
                    partitions.minimisers(alpha=tradeoff(lam), beta=0),
                )


@pytest.mark.parametrize("family", ["integer", "dyadic"])
def test_hnc_minus_minimises_the_objective_of_the_paper(family):
    for number in range(150):
        with named(f"random_problem({family!r}, {number})"):
            problem = random_problem(family, number)
            partitions = AllPartitions(problem)
            path = hnc_minus(problem.graph(), *seeds_of(problem))
            # Without an edge nothing depends on lambda, and every path counts as growing.
            assert path.grows == (not problem.edge_weight.any())
            assert path.lambda_range == (0.0, 1.0)
            for lam in [*LAMBDAS, 1]:
                assert_extreme_minimisers(
                    lambda ties, lam=lam, path=path: path.source_set(float(lam), ties=ties),
                    partitions.minimisers(alpha=0, beta=tradeoff(lam)),
                )


@pytest.mark.parametrize("solve", [hnc_plus, hnc_minus])
def test_rounded_weights_reach_the_minimum_of_the_paper(solve):
    for number in range(150):
        with named(f"random_problem('nasty', {number})"):
            problem = random_problem("nasty", number)
            partitions = AllPartitions(problem)
            path = solve(problem.graph(), *seeds_of(problem))
            scale = float(problem.edge_weight.sum())
            for lam in LAMBDAS:
                mu = tradeoff(lam)
                tradeoffs = (mu, 0) if solve is hnc_plus else (0, mu)
                reached = partitions.value_of(path.source_set(float(lam)), *tradeoffs)
                excess = reached - min(partitions.objective(*tradeoffs))
                assert excess <= 1e-12 * scale * (1 + mu)


def test_without_negative_seeds_hnc_plus_keeps_everything():
    """Stage 1 of the paper, in passing: V itself is then optimal for every tradeoff."""
    for number in range(50):
        problem = random_problem("integer", number)
        path = hnc_plus(problem.graph(), list(problem.source_seeds))
        for lam in LAMBDAS:
            assert path.source_set(float(lam)).all()


def test_without_negative_seeds_hnc_minus_runs_from_all_to_the_seeds():
    """From V at tradeoff 0 to L+ at an infinite one, as stage 1 of the paper describes."""
    edges = [(0, 1, 4.0), (1, 2, 1.0), (2, 3, 4.0), (3, 4, 2.0), (0, 5, 1.0)]
    path = hnc_minus(make_problem(6, edges).graph(), [0])
    assert path.source_set(0.0).tolist() == [True] * 6
    # Node 2 and its like leave together: cut 1 against lambda (1 + 4 + 4 + 2 + 2 = 13); node 1
    # when 4 - 1 = 5 lambda; node 5, whose only neighbour is the seed, holds out until 1.
    assert path.switch.tolist() == [math.inf, 3 / 5, 1 / 13, 1 / 13, 1 / 13, 1.0]
    assert path.source_set(1.0, ties="sink").tolist() == [True] + [False] * 5


def test_hnc_plus_worked_out_by_hand():
    # Degrees 3, 4, 3, 2. Node 1 stays with its seed; node 2 gains 1 + 3 lambda - 2.
    edges = [(0, 1, 3.0), (1, 2, 1.0), (2, 3, 2.0)]
    path = hnc_plus(make_problem(4, edges).graph(), [0], [3])
    assert path.switch.tolist() == [-math.inf, -math.inf, 1 / 3, math.inf]


@pytest.mark.parametrize("solve", [hnc_plus, hnc_minus])
def test_degrees_count_seeds_and_no_self_loops(solve):
    edges = [(0, 1, 3.0), (1, 2, 1.0), (2, 3, 2.0), (1, 3, 1.0)]
    graph = make_problem(4, edges).graph()
    with_loops = (graph + diagonal_array(np.array([5.0, 7.0, 11.0, 13.0]))).tocsr()
    plain, looped = solve(graph, [0], [3]), solve(with_loops, [0], [3])
    assert looped.switch.tolist() == plain.switch.tolist()


@pytest.mark.parametrize("solve", [hnc_plus, hnc_minus])
def test_seeds_as_masks(solve):
    problem = random_problem("integer", 3, n_nodes=7)
    nodes = np.arange(7)
    by_index = solve(problem.graph(), [0, 2], [6])
    by_mask = solve(problem.graph(), np.isin(nodes, [0, 2]), nodes == 6)
    assert by_mask.switch.tolist() == by_index.switch.tolist()


def test_plus_and_minus_mirror_each_other():
    """HNC- is HNC+ with the sides exchanged: same lambdas, complementary sets."""
    for number in range(50):
        problem = random_problem("integer", number)
        positive, negative = seeds_of(problem)
        plus = hnc_plus(problem.graph(), positive, negative)
        minus = hnc_minus(problem.graph(), negative, positive)
        for lam in LAMBDAS:
            complement = ~minus.source_set(float(lam), ties="sink")
            assert plus.source_set(float(lam)).tolist() == complement.tolist()


# --- the theorem ---------------------------------------------------------------------------------

TRADEOFFS = st.one_of(
    st.integers(0, 6).map(float),
    st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.7, 1.9, 12.5, 1e-3, 1e3]),
)


@given(TRADEOFFS, TRADEOFFS)
def test_double_intra_similarity_is_the_theorem(alpha, beta):
    named_problem = double_intra_similarity(alpha, beta)
    exact_alpha, exact_beta = Fraction(alpha), Fraction(beta)
    if alpha >= beta:
        assert named_problem.problem == "plus"
        exact_mu = (exact_alpha - exact_beta) / (1 + exact_beta)
    else:
        assert named_problem.problem == "minus"
        exact_mu = (exact_beta - exact_alpha) / (1 + exact_alpha)
    assert named_problem.mu == pytest.approx(float(exact_mu), rel=1e-15, abs=0)


@given(st.integers(0, 400), TRADEOFFS, TRADEOFFS)
def test_double_intra_similarity_has_the_same_minimisers(number, alpha, beta):
    """The theorem itself, on the oracle alone: HNC+- and the named problem have equal solutions."""
    partitions = AllPartitions(random_problem("integer", number))
    both = partitions.minimisers(alpha, beta)
    named_problem = double_intra_similarity(alpha, beta)
    # mu as a float is rounded and could break a tie: the exact one is what the theorem is about.
    larger, smaller = max(Fraction(alpha), Fraction(beta)), min(Fraction(alpha), Fraction(beta))
    mu = (larger - smaller) / (1 + smaller)
    assert float(mu) == pytest.approx(named_problem.mu, rel=1e-15, abs=0)
    tradeoffs = (mu, 0) if named_problem.problem == "plus" else (0, mu)
    assert both.tolist() == partitions.minimisers(*tradeoffs).tolist()


@given(st.integers(0, 400), TRADEOFFS, TRADEOFFS, st.sampled_from(["source", "sink"]))
def test_hnc_plus_minus_minimises_the_objective_of_the_paper(number, alpha, beta, ties):
    problem = random_problem("integer", number)
    partitions = AllPartitions(problem)
    positive, negative = seeds_of(problem)
    found = hnc_plus_minus(problem.graph(), alpha, beta, positive, negative, ties=ties)
    reached = partitions.value_of(found, alpha, beta)
    excess = reached - min(partitions.objective(alpha, beta))
    # Integers reach the minimum itself; decimals such as 0.1 round on the way to lambda, and at
    # what is almost a tie the other side may come out.
    whole = float(alpha).is_integer() and float(beta).is_integer()
    assert excess <= (0 if whole else 1e-12 * problem.edge_weight.sum() * (1 + alpha + beta))


@given(st.integers(0, 400), TRADEOFFS, TRADEOFFS, st.sampled_from(["source", "sink"]))
def test_hnc_plus_minus_is_the_named_problem(number, alpha, beta, ties):
    problem = random_problem("integer", number)
    positive, negative = seeds_of(problem)
    named_problem = double_intra_similarity(alpha, beta)
    solve = {"plus": hnc_plus, "minus": hnc_minus}[named_problem.problem]
    path = solve(problem.graph(), positive, negative)
    expected = path.source_set(tradeoff_to_lambda(named_problem.mu), ties=ties)
    found = hnc_plus_minus(problem.graph(), alpha, beta, positive, negative, ties=ties)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(("alpha", "beta"), [(2.0, 0.0), (0.0, 2.0), (5.0, 1.0), (1.0, 5.0)])
def test_hnc_plus_minus_takes_the_extreme_sets(alpha, beta):
    """These tradeoffs give lambda = 1/2 exactly, where integer weights often tie."""
    tied = 0
    for number in range(100):
        problem = random_problem("integer", number)
        minimisers = AllPartitions(problem).minimisers(alpha, beta)
        tied += len(minimisers) > 1
        assert_extreme_minimisers(
            lambda ties, problem=problem: hnc_plus_minus(
                problem.graph(), alpha, beta, *seeds_of(problem), ties=ties
            ),
            minimisers,
        )
    assert tied > 10


def test_hnc_plus_minus_without_seeds():
    problem = random_problem("integer", 3, n_nodes=7).replace(source_seeds=(), sink_seeds=())
    partitions = AllPartitions(problem)
    for alpha, beta in [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0), (1.0, 1.0)]:
        found = hnc_plus_minus(problem.graph(), alpha, beta)
        assert partitions.value_of(found, alpha, beta) == min(partitions.objective(alpha, beta))
        assert found.tolist() == partitions.minimisers(alpha, beta).any(axis=0).tolist()


# --- mu and lambda -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mu", "lam"),
    [(0.0, 0.0), (1.0, 1 / 3), (2.0, 0.5), (6.0, 0.75), (math.inf, 1.0), (2 / 3, 0.25)],
)
def test_tradeoff_and_lambda_known_pairs(mu, lam):
    assert tradeoff_to_lambda(mu) == pytest.approx(lam, rel=1e-15)
    assert lambda_to_tradeoff(lam) == pytest.approx(mu, rel=1e-15)


@given(st.floats(0.0, 1e300))
def test_tradeoff_to_lambda_is_the_formula(mu):
    exact = Fraction(mu) / (Fraction(mu) + 2)
    assert tradeoff_to_lambda(mu) == pytest.approx(float(exact), rel=1e-15, abs=0)


@given(st.floats(0.0, 1.0, exclude_max=True))
def test_lambda_to_tradeoff_is_the_formula(lam):
    exact = 2 * Fraction(lam) / (1 - Fraction(lam))
    assert lambda_to_tradeoff(lam) == pytest.approx(float(exact), rel=1e-15, abs=0)


@given(st.floats(0.0, 1.0))
def test_lambda_survives_the_round_trip(lam):
    assert tradeoff_to_lambda(lambda_to_tradeoff(lam)) == pytest.approx(lam, rel=1e-15, abs=0)


@given(st.floats(1e-300, 1e3))
def test_tradeoff_survives_the_round_trip(mu):
    # d(mu)/mu = (1 + mu/2) d(lambda)/lambda: large tradeoffs lose that many units of rounding.
    back = lambda_to_tradeoff(tradeoff_to_lambda(mu))
    assert back == pytest.approx(mu, rel=1e-15 * (1 + mu / 2), abs=0)


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [-1.0, -1e-300, math.nan, -math.inf])
def test_tradeoff_out_of_range(mu):
    with pytest.raises(ValueError, match="mu"):
        tradeoff_to_lambda(mu)


@pytest.mark.parametrize("lam", [-1e-300, 1.0000001, 2.0, math.nan, math.inf, -math.inf])
def test_lambda_out_of_range(lam):
    with pytest.raises(ValueError, match="lam"):
        lambda_to_tradeoff(lam)


@pytest.mark.parametrize("bad", [-1.0, -1e-300, math.nan, -math.inf])
def test_tradeoffs_below_zero(bad):
    graph = make_problem(2, [(0, 1, 1.0)]).graph()
    with pytest.raises(ValueError, match="alpha"):
        double_intra_similarity(bad, 1.0)
    with pytest.raises(ValueError, match="beta"):
        double_intra_similarity(1.0, bad)
    with pytest.raises(ValueError, match="alpha"):
        hnc_plus_minus(graph, bad, 1.0, [0], [1])
    with pytest.raises(ValueError, match="beta"):
        hnc_plus_minus(graph, 1.0, bad, [0], [1])


@pytest.mark.parametrize(
    "solve",
    [hnc_plus, hnc_minus, lambda graph, *seeds: hnc_plus_minus(graph, 1.0, 0.5, *seeds)],
    ids=["plus", "minus", "plus_minus"],
)
class TestBadInputOfAllThree:
    """The names in the message are those of these functions, not of the engine below them."""

    graph = make_problem(3, [(0, 1, 1.0), (1, 2, 1.0)]).graph()

    def test_graph_of_another_format(self, solve):
        with pytest.raises(TypeError, match=r"graph.*\.tocsr\(\)"):
            solve(self.graph.toarray(), [0], [2])

    def test_graph_not_symmetric(self, solve):
        one_way = sp.csr_array(np.triu(self.graph.toarray()))
        with pytest.raises(ValueError, match="graph"):
            solve(one_way, [0], [2])

    def test_graph_not_square(self, solve):
        with pytest.raises(ValueError, match="graph"):
            solve(sp.csr_array((3, 4)), [0], [2])

    @pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
    def test_graph_with_a_bad_weight(self, solve, bad):
        graph = self.graph.copy()
        graph.data[:] = bad
        with pytest.raises(ValueError, match="graph"):
            solve(graph, [0], [2])

    def test_positive_out_of_range(self, solve):
        with pytest.raises(ValueError, match=r"positive.*3"):
            solve(self.graph, [0, 3], [2])

    def test_negative_out_of_range(self, solve):
        with pytest.raises(ValueError, match=r"negative.*-1"):
            solve(self.graph, [0], [-1])

    def test_seeds_on_both_sides(self, solve):
        with pytest.raises(ValueError, match=r"1") as caught:
            solve(self.graph, [0, 1], [2, 1])
        assert "positive" in str(caught.value)
        assert "negative" in str(caught.value)

    def test_mask_of_wrong_length(self, solve):
        with pytest.raises(ValueError, match="positive"):
            solve(self.graph, np.ones(2, dtype=bool), [2])


def test_the_largest_of_the_optimal_sets_of_two_tradeoffs():
    weights = [[0, 2, 1, 1, 1], [2, 0, 1, 0, 2], [1, 1, 0, 0, 1], [1, 0, 0, 0, 1], [1, 2, 1, 1, 0]]
    graph = sp.csr_array(np.array(weights, dtype=np.float64))
    found = [hnc_plus_minus(graph, 1, 1, [0], [1], ties=ties) for ties in ("source", "sink")]
    np.testing.assert_array_equal(np.flatnonzero(found[0]), [0, 2, 3, 4])
    np.testing.assert_array_equal(np.flatnonzero(found[1]), [0])
