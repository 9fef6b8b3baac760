"""The two stages against all subsets of small graphs, and the choice against trying all."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from pucut.cuts.selection import choose_n_neighbors, closest_partition
from pucut.cuts.two_stages import (
    n_likely_negative,
    nested_cuts,
    partition_at,
    rank_unlabelled,
    reached_from,
    two_stage_cuts,
)

LAMBDAS = np.linspace(0.0, 1.0, 41)


def random_graph(n_rows, seed, density=0.5):
    random = np.random.default_rng(seed)
    upper = np.triu(
        random.random((n_rows, n_rows)) * (random.random((n_rows, n_rows)) < density), 1
    )
    return sp.csr_array(upper + upper.T)


def best_objective(graph, lam, fixed_in, fixed_out, rewarded):
    """The least C(S, S') - lam * (degrees of the rewarded side), over all allowed S."""
    weights = graph.toarray()
    degrees = weights.sum(axis=1)
    best = np.inf
    for bits in itertools.product([False, True], repeat=len(degrees)):
        inside = np.array(bits)
        if not inside[fixed_in].all() or inside[fixed_out].any():
            continue
        best = min(best, objective(weights, degrees, inside, lam, rewarded))
    return best


def objective(weights, degrees, inside, lam, rewarded):
    side = inside if rewarded == "inside" else ~inside
    return weights[np.ix_(inside, ~inside)].sum() - lam * degrees[side].sum()


@pytest.mark.parametrize("seed", range(6))
def test_both_stages_are_optimal_at_every_lambda(seed):
    graph = random_graph(9, seed)
    is_labelled = np.arange(9) < 2
    stages = two_stage_cuts(graph, is_labelled, 0.5)
    weights, degrees = graph.toarray(), graph.toarray().sum(axis=1)
    seeds = np.flatnonzero(is_labelled)
    negatives = np.flatnonzero(stages.level < -1.0)
    assert set(stages.likely_negative) <= set(negatives)
    for lam in LAMBDAS:
        # Rows that no label reaches have levels below 0, but belong to no lambda.
        inside = stages.ranking.level >= lam
        found = objective(weights, degrees, inside, lam, "outside")
        assert found <= best_objective(graph, lam, seeds, [], "outside") + 1e-12
        inside = stages.level >= -lam
        found = objective(weights, degrees, inside, lam, "inside")
        assert found <= best_objective(graph, lam, seeds, negatives, "inside") + 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_known_negatives_are_seeds_of_both_stages(seed):
    graph = random_graph(9, seed)
    is_labelled, is_negative = np.arange(9) < 2, np.arange(9) == 8
    stages = two_stage_cuts(graph, is_labelled, 0.4, is_negative=is_negative)
    weights, degrees = graph.toarray(), graph.toarray().sum(axis=1)
    fixed = is_negative.copy()
    fixed[stages.likely_negative] = True
    assert 8 not in stages.ranking.order
    assert len(stages.likely_negative) == n_likely_negative(0.4, 2, 7) - 1
    fixed |= ~reached_from(graph, is_labelled | fixed)
    for lam in LAMBDAS:
        for path, out, rewarded in (
            (stages.ranking.path, is_negative, "outside"),
            (stages.path, fixed, "inside"),
        ):
            found = objective(weights, degrees, path.source_set(lam), lam, rewarded)
            best = best_objective(graph, lam, is_labelled, out, rewarded)
            assert found == pytest.approx(best, abs=1e-9)
    for stage in (1, 2):
        for cut in nested_cuts(stages, stage):
            assert not partition_at(stages, stage, cut).is_positive[8]


def test_ranking_is_the_order_of_leaving_with_ties_by_row():
    # A chain: the farther from the labelled row, the earlier a row leaves; the twins leave at once.
    weights = np.zeros((5, 5))
    for i, j, w in [(0, 1, 4.0), (1, 2, 0.1), (1, 3, 0.1), (2, 4, 0.5), (3, 4, 0.5)]:
        weights[i, j] = weights[j, i] = w
    ranking = rank_unlabelled(sp.csr_array(weights), np.arange(5) == 0)
    assert ranking.order.tolist() == [2, 3, 4, 1]
    assert ranking.level[0] == 1.0
    np.testing.assert_array_equal(ranking.level[1:], np.clip(ranking.path.switch[1:], 0.0, 1.0))


@pytest.mark.parametrize(
    ("prior", "n_labelled", "n_unlabelled", "count"),
    [(0.5, 10, 90, 10), (0.25, 10, 90, 30), (0.1, 10, 20, 20), (0.75, 10, 20, 3), (0.999, 3, 9, 0)],
)
def test_number_of_likely_negatives(prior, n_labelled, n_unlabelled, count):
    assert n_likely_negative(prior, n_labelled, n_unlabelled) == count


def test_likely_negatives_are_the_first_to_leave():
    graph = random_graph(40, 3, density=0.2)
    is_labelled = np.arange(40) % 4 == 0
    stages = two_stage_cuts(graph, is_labelled, 0.4)
    assert len(stages.likely_negative) == 15
    assert stages.likely_negative.tolist() == stages.ranking.order[:15].tolist()
    assert (stages.level[stages.likely_negative] < -1.0).all()
    assert (stages.level[is_labelled] == 0.0).all()


def test_rows_that_no_label_reaches_come_first_the_farthest_foremost():
    graph = sp.block_diag([random_graph(6, 0, 1.0), random_graph(4, 1, 1.0)], format="csr")
    is_labelled = np.arange(10) == 0
    remoteness = np.array([0, 0, 0, 0, 0, 0, 2.0, 5.0, 1.0, 5.0])
    assert reached_from(graph, is_labelled).tolist() == [True] * 6 + [False] * 4
    ranking = rank_unlabelled(graph, is_labelled, remoteness=remoteness)
    assert ranking.order[:4].tolist() == [7, 9, 6, 8]
    assert (ranking.level[6:] < 0.0).all()
    assert (ranking.level[1:6] >= 0.0).all()
    # The prior decides how many of them are positive: here all but the two farthest.
    stages = two_stage_cuts(graph, is_labelled, 0.8, remoteness=remoteness)
    chosen = closest_partition(stages, 0.8)
    assert np.flatnonzero(~chosen.is_positive).tolist() == [7, 9]


def test_what_no_seed_reaches_in_stage_two_stays_where_stage_one_put_it():
    graph = sp.block_diag([random_graph(8, 0, 1.0), random_graph(6, 1, 1.0)], format="csr")
    is_labelled = np.arange(14) < 4
    stages = two_stage_cuts(graph, is_labelled, 0.9)
    assert len(stages.likely_negative) == 0
    assert not (stages.level[8:] >= -1.0).any()


@given(st.integers(0, 200), st.floats(0.15, 0.95))
def test_no_partition_of_either_stage_is_closer_to_the_prior(seed, prior):
    graph = random_graph(12, seed, density=0.3)
    is_labelled = np.arange(12) == 3
    stages = two_stage_cuts(graph, is_labelled, prior)
    chosen = closest_partition(stages, prior)
    sizes = {
        int((level >= cut).sum())
        for stage, level in ((1, stages.ranking.level), (2, stages.level))
        for cut in nested_cuts(stages, stage)
    }
    assert abs(chosen.n_positive - 12 * prior) == min(abs(size - 12 * prior) for size in sizes)
    assert chosen.is_positive[is_labelled].all()
    assert chosen.n_positive == chosen.is_positive.sum()
    assert chosen.positive_fraction == chosen.n_positive / 12


def test_cuts_give_nested_partitions_from_one_end_to_the_other():
    graph = random_graph(30, 5, density=0.2)
    is_labelled = np.arange(30) < 6
    stages = two_stage_cuts(graph, is_labelled, 0.5)
    for stage in (1, 2):
        sets = [partition_at(stages, stage, cut) for cut in nested_cuts(stages, stage)]
        sizes = [found.n_positive for found in sets]
        assert sizes == sorted(set(sizes))
        for smaller, larger in itertools.pairwise(sets):
            assert (smaller.is_positive <= larger.is_positive).all()
        assert 0.0 <= sets[0].lam <= 1.0
    assert partition_at(stages, 1, stages.ranking.level.min()).n_positive == 30
    largest = nested_cuts(stages, 2)[-1]
    outside = np.flatnonzero(~partition_at(stages, 2, largest).is_positive)
    assert set(stages.likely_negative) <= set(outside)


def test_a_grid_finds_the_sets_of_its_lambdas_and_chooses_alike_up_to_its_steps():
    graph = random_graph(60, 7, density=0.1)
    is_labelled = np.arange(60) < 15
    for prior in (0.4, 0.5, 0.7):
        exact = two_stage_cuts(graph, is_labelled, prior)
        for step in (0.1, 0.01, 0.001):
            grid = np.arange(0.0, 1.0 + step / 2, step)
            stages = two_stage_cuts(graph, is_labelled, prior, lambda_grid=grid)
            for stage, level, sign in ((1, stages.ranking.level, 1), (2, stages.level, -1)):
                by_cut = {tuple(level >= cut) for cut in nested_cuts(stages, stage, grid)}
                by_lambda = {tuple(level >= sign * lam) for lam in grid}
                assert by_cut == {found for found in by_lambda if any(found)}
        chosen = closest_partition(stages, prior, grid)
        best = closest_partition(exact, prior)
        # With a fine grid the sets that are missed are those between two lambdas of it.
        skipped = [
            abs(size / 60 - prior)
            for size in {
                partition_at(stages, s, c).n_positive
                for s in (1, 2)
                for c in nested_cuts(stages, s, grid)
            }
        ]
        assert abs(chosen.positive_fraction - prior) == pytest.approx(min(skipped))
        assert abs(best.positive_fraction - prior) <= abs(chosen.positive_fraction - prior) + 0.05


class FakePartition:
    def __init__(self, positive_fraction):
        self.positive_fraction = positive_fraction


@pytest.mark.parametrize(
    ("fractions", "chosen"),
    [
        ({5: 0.50, 10: 0.51, 15: 0.519}, 15),
        ({5: 0.50, 10: 0.51, 15: 0.53}, 10),
        ({5: 0.45, 10: 0.60, 15: 0.56}, 5),
        ({5: 0.375, 10: 0.625}, 10),  # equally far: the larger
    ],
)
def test_the_largest_number_of_neighbours_within_two_percent(fractions, chosen):
    partitions = {k: FakePartition(fraction) for k, fraction in fractions.items()}
    assert choose_n_neighbors(partitions, 0.5) == chosen


@pytest.mark.parametrize("seed", range(5))
def test_reached_as_by_connected_components(seed):
    random = np.random.default_rng(seed)
    dense = np.triu(random.random((60, 60)) < 0.02, 1).astype(np.float64)
    graph = sp.csr_array(dense + dense.T)
    seeds = random.random(60) < 0.1
    _, part = connected_components(graph, directed=False)
    expected = np.isin(part, part[seeds])
    assert 0 < expected.sum() < 60
    np.testing.assert_array_equal(reached_from(graph, seeds), expected)
    assert not reached_from(graph, np.zeros(60, dtype=bool)).any()
