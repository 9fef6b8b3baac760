"""Each published estimator against closed forms and slow formulas."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from pucut.priors import best_bin, dedpul, elkan_noto, km2, tice
from pucut.priors.dedpul import TOLERANCE, density_ratios, largest_fixed_point
from pucut.priors.km2 import nearest_in_simplex, project_to_simplex
from pucut.priors.tice import MIN_ROWS, failure_probability, lower_bound
from tests.helpers.prior_samples import score_lists, uniform_mixture


def best_bin_by_trying_all(labelled, unlabelled, failure):
    """Every score of either sample as a threshold, straight from the paper's formula.

    The bound, the threshold and the share of the best one.
    """
    answers = []
    for threshold in sorted({*labelled, *unlabelled}, reverse=True):
        q_p = sum(score >= threshold for score in labelled) / len(labelled)
        q_u = sum(score >= threshold for score in unlabelled) / len(unlabelled)
        if q_p > 0:
            deviation = math.sqrt(math.log(4 / failure) / (2 * len(labelled))) + math.sqrt(
                math.log(4 / failure) / (2 * len(unlabelled))
            )
            answers.append(((q_u + 1.01 * deviation) / q_p, -threshold, q_u / q_p))
    bound, negative_threshold, share = min(answers)
    return bound, -negative_threshold, share


@given(score_lists, score_lists, st.sampled_from([0.01, 0.1, 0.5]))
def test_best_bin_is_the_best_of_all_thresholds(labelled, unlabelled, failure):
    # Many times the same rows: few rows alone would leave all bounds above 1.
    labelled, unlabelled = np.repeat(labelled, 30), np.repeat(unlabelled, 30)
    found = best_bin(labelled, unlabelled, failure=failure)
    bound, threshold, share = best_bin_by_trying_all(
        labelled.tolist(), unlabelled.tolist(), failure
    )
    assert found.upper_bound == pytest.approx(min(bound, 1.0))
    assert (found.threshold, found.share) == pytest.approx((threshold, min(share, 1.0)))
    at_threshold = [float(np.mean(scores >= found.threshold)) for scores in (labelled, unlabelled)]
    assert [found.labelled_above, found.unlabelled_above] == pytest.approx(at_threshold)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_best_bin_is_exact_where_hidden_positives_score_as_labelled_ones(share):
    scores = np.linspace(0.5, 1.0, 20)
    negative = np.linspace(0.0, 0.4, round(200 * (1 - share)))
    unlabelled = np.concatenate([np.repeat(scores, round(10 * share)), negative])
    assert best_bin(scores, unlabelled).share == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("estimator", [best_bin, dedpul])
def test_disjoint_scores_give_the_share_within_its_statistical_error(estimator, share):
    labelled, unlabelled = uniform_mixture(share, 4000, 4000, seed=1)
    found = estimator(labelled, unlabelled)
    found = found if isinstance(found, float) else found.share
    # 4 standard deviations of the ratio of two shares of half of the positives.
    error = 4 * share * math.sqrt(0.5 / (0.5 * 4000) + 0.5 / (0.5 * share * 4000))
    assert abs(found - share) < error


@given(score_lists, score_lists)
def test_only_the_order_of_scores_matters(labelled, unlabelled):
    one = best_bin(labelled, unlabelled)
    other = best_bin(np.exp(labelled / 3.0) - 7.0, np.exp(unlabelled / 3.0) - 7.0)
    assert (one.share, one.upper_bound) == (other.share, other.upper_bound)
    assert dedpul(labelled, unlabelled) == dedpul(labelled**3, unlabelled**3)


@given(score_lists, score_lists, st.integers(0, 100))
def test_the_order_of_rows_does_not_matter(labelled, unlabelled, seed):
    random = np.random.RandomState(seed)
    shuffled = random.permutation(labelled), random.permutation(unlabelled)
    assert best_bin(*shuffled) == best_bin(labelled, unlabelled)
    assert dedpul(*shuffled) == pytest.approx(dedpul(labelled, unlabelled), abs=1e-9)


def test_elkan_noto_divides_by_the_mean_score():
    # 30 labelled at a frequency of 0.25 are a quarter of 120 positives: 90 of 200 are hidden.
    assert elkan_noto(np.full(30, 0.25), 200) == pytest.approx(90 / 200)
    assert elkan_noto(np.array([0.2, 0.3] * 15), 200) == pytest.approx(90 / 200)
    assert elkan_noto(np.full(30, 1.0), 200) == 0.0
    assert elkan_noto(np.full(30, 0.01), 200) == 1.0
    assert elkan_noto(np.zeros(30), 200) == 1.0


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_two_levels_of_density_ratio_have_the_share_in_closed_form(share):
    # Ratio 1 / share on that share of the rows, 0 elsewhere: mean(min(s * r, 1)) = min(s, share).
    ratios = np.repeat([1.0 / share, 0.0], [round(1000 * share), round(1000 * (1 - share))])
    assert largest_fixed_point(ratios) == pytest.approx(share, abs=1e-9)


@given(st.lists(st.floats(0.01, 20.0), min_size=1, max_size=30))
def test_the_iteration_ends_at_a_fixed_point_and_none_is_above(values):
    ratios = np.array(values) / np.mean(values)
    share = largest_fixed_point(ratios)
    # A step lowers s by the mean of what exceeds 1 in s * r, which grows with s: search all s.
    grid = np.linspace(0.0, 1.0, 4001)
    steps = grid - np.minimum(grid[:, np.newaxis] * ratios, 1.0).mean(axis=1)
    largest = grid[steps < TOLERANCE].max()
    assert largest - 2.0 * TOLERANCE - 1e-3 <= share <= largest + 1e-3


def test_density_ratios_rise_with_the_score_and_have_mean_one():
    labelled, unlabelled = uniform_mixture(0.4, 300, 700, seed=2)
    ratios = density_ratios(labelled, unlabelled)
    assert ratios.mean() == pytest.approx(1.0)
    assert (np.diff(ratios[np.argsort(unlabelled)]) >= -1e-12).all()


def test_density_ratios_are_those_of_known_densities():
    # Labelled have density 2s, unlabelled 1: in the middle the ratio is 2s.
    random = np.random.RandomState(0)
    labelled, unlabelled = np.sqrt(random.uniform(size=40_000)), np.linspace(0.0, 1.0, 40_000)
    ratios = density_ratios(labelled, unlabelled)
    middle = (unlabelled > 0.2) & (unlabelled < 0.9)
    assert np.abs(ratios - 2 * unlabelled)[middle].max() < 0.06


def test_tice_bounds_by_the_papers_formula():
    # 60 of 100 labelled, c = 0.5, failure 0.2: 0.6 - sqrt(0.25 * 0.8 / (0.2 * 100)) = 0.5.
    assert lower_bound(60, 100, label_frequency=0.5, failure=0.2) == pytest.approx(0.5)
    assert lower_bound(9, 9, label_frequency=0.5, failure=0.2) == 0.0
    assert failure_probability(250) == pytest.approx(0.5)
    assert failure_probability(1_000_000) == 0.025


def test_tice_finds_the_pure_half_of_a_hand_made_table():
    """One feature splits the positives off; another is constant. Both rounds by hand."""
    random = np.random.RandomState(3)
    is_positive = random.uniform(size=2000) < 0.4
    is_labelled = is_positive & (random.uniform(size=2000) < 0.5)
    X = np.column_stack([np.ones(2000), is_positive])
    found = tice(X, is_labelled, n_folds=5, random_state=0)

    fold = np.random.RandomState(0).permutation(2000) % 5
    frequency = 0.5
    for _ in range(2):
        bounds = []
        for number in range(5):
            others = fold != number
            failure = max(0.025, 1 / (1 + 0.004 * others.sum()))
            pure = others & is_positive
            chance = math.sqrt(frequency * (1 - frequency) * (1 - failure) / failure / pure.sum())
            bounds.append(is_labelled[pure].mean() - chance)
        frequency = np.mean(bounds)
    assert found.of_folds == pytest.approx(bounds)
    assert found.value == pytest.approx(frequency)
    assert found.value < 0.5 < found.value + 0.12


def test_tice_without_anything_to_split_says_the_labelled_share():
    is_labelled = np.arange(100) < 30
    found = tice(np.ones((100, 2)), is_labelled, n_folds=5, random_state=0)
    assert found.value == pytest.approx(0.3, abs=0.02)
    assert len(is_labelled) >= MIN_ROWS


@given(st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=12))
def test_the_projection_is_the_nearest_point_of_the_simplex(values):
    values = np.array(values)
    projected = project_to_simplex(values)
    assert projected.min() >= 0.0
    assert projected.sum() == pytest.approx(1.0)
    # Optimality: what is kept is lowered by one number, what is cut was below it.
    lowered = (values - projected)[projected > 0.0]
    assert np.ptp(lowered) < 1e-9
    assert (values[projected == 0.0] <= lowered.max() + 1e-9).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_quadratic_program_agrees_with_a_general_solver(seed):
    random = np.random.RandomState(seed)
    points = random.normal(size=(12, 2))
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    kernel = np.exp(-squares / 2.0)
    target = np.concatenate([np.full(6, 2.5 / 6), np.full(6, -1.5 / 6)])
    start = np.full(12, 1 / 12)
    found = nearest_in_simplex(kernel, target, start)

    def objective(weights):
        return (weights - target) @ kernel @ (weights - target)

    oracle = minimize(
        objective,
        start,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * 12,
        constraints={"type": "eq", "fun": lambda weights: weights.sum() - 1.0},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert found.min() >= 0.0
    assert found.sum() == pytest.approx(1.0)
    assert objective(found) <= oracle.fun + 1e-5


@pytest.mark.parametrize("share", [0.2, 0.6])
def test_km2_reads_the_share_of_separate_clusters(share):
    random = np.random.RandomState(4)
    labelled = random.normal(3.0, 1.0, size=(200, 2))
    hidden = random.normal(3.0, 1.0, size=(round(200 * share), 2))
    negative = random.normal(-3.0, 1.0, size=(200 - len(hidden), 2))
    assert abs(km2(labelled, np.vstack([hidden, negative])) - share) < 0.08


def test_km2_of_one_point_many_times_cannot_tell_anything():
    assert km2(np.ones((5, 2)), np.ones((9, 2))) == 1.0
