"""The share of positives: each estimator against closed forms and slow formulas, then the whole."""

import math
import os
import pickle
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score

from paper.datasets import load_real, seed_from_names
from pucut.data.encoding import finite_columns
from pucut.datasets import pu_split
from pucut.priors import METHODS, best_bin, dedpul, elkan_noto, ensemble, estimate_prior, km2, tice
from pucut.priors.dedpul import TOLERANCE, density_ratios, largest_fixed_point
from pucut.priors.ensemble import combined_ranks, negatives_passing, ranking, resampled_best_bins
from pucut.priors.km2 import nearest_in_simplex, project_to_simplex
from pucut.priors.tice import MIN_ROWS, failure_probability, lower_bound

FROM_SCORES = ("auto", "bbe", "dedpul", "elkan_noto")

# Few distinct values, so that ties within and between the samples are common.
score_lists = st.lists(st.integers(0, 8).map(float), min_size=1, max_size=25).map(np.array)


def uniform_mixture(share, n_labelled, n_unlabelled, seed):
    """Positives uniform on [0.5, 1], negatives on [0, 0.5]; the share is exact."""
    random = np.random.RandomState(seed)
    n_hidden = round(share * n_unlabelled)
    labelled = random.uniform(0.5, 1.0, n_labelled)
    hidden = random.uniform(0.5, 1.0, n_hidden)
    negative = random.uniform(0.0, 0.5, n_unlabelled - n_hidden)
    return labelled, np.concatenate([hidden, negative])


def clusters(n_rows, prior, labelled_share, *, distance=6.0, seed=0):
    """Two round clusters; X, true classes and which positives are labelled."""
    n_positive = round(prior * n_rows)
    X, cluster = make_blobs(
        [n_positive, n_rows - n_positive],
        centers=[[distance, 0.0, 0.0], [0.0, 0.0, 0.0]],
        random_state=seed,
    )
    is_positive = cluster == 0
    return X, is_positive, pu_split(is_positive, labelled_share, random_state=seed)


# --- best bin -----------------------------------------------------------------------------------


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


# --- Elkan and Noto -----------------------------------------------------------------------------


def test_elkan_noto_divides_by_the_mean_score():
    # 30 labelled at a frequency of 0.25 are a quarter of 120 positives: 90 of 200 are hidden.
    assert elkan_noto(np.full(30, 0.25), 200) == pytest.approx(90 / 200)
    assert elkan_noto(np.array([0.2, 0.3] * 15), 200) == pytest.approx(90 / 200)
    assert elkan_noto(np.full(30, 1.0), 200) == 0.0
    assert elkan_noto(np.full(30, 0.01), 200) == 1.0
    assert elkan_noto(np.zeros(30), 200) == 1.0


# --- DEDPUL -------------------------------------------------------------------------------------


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


# --- TIcE ---------------------------------------------------------------------------------------


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


# --- KM2 ----------------------------------------------------------------------------------------


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


# --- the combination ----------------------------------------------------------------------------


@given(score_lists, score_lists)
def test_ranking_is_the_area_under_the_curve(labelled, unlabelled):
    is_labelled = np.repeat([True, False], [len(labelled), len(unlabelled)])
    scores = np.concatenate([labelled, unlabelled])
    assert ranking(scores, is_labelled) == pytest.approx(roc_auc_score(is_labelled, scores))


def test_a_useless_member_does_not_change_the_combined_ranks():
    random = np.random.RandomState(0)
    is_labelled = random.uniform(size=400) < 0.3
    useful = is_labelled + random.normal(size=400)
    reversed_ = -useful
    combined = combined_ranks([useful, reversed_], is_labelled)
    assert (np.argsort(combined) == np.argsort(useful)).all()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_resampled_best_bins_scatter_about_the_share(share):
    labelled, unlabelled = uniform_mixture(share, 1000, 1000, seed=5)
    shares = resampled_best_bins(labelled, unlabelled, random=np.random.RandomState(0))
    assert abs(shares.mean() - share) < 0.05
    low, high = np.quantile(shares, [0.0, 1.0])
    assert 0.0 <= low < share < high <= 1.0


class DrawsEachRowOnce:
    """In place of a random generator: the resample is the sample."""

    def multinomial(self, n, shares, size):
        return np.tile(np.rint(n * shares).astype(int), (size, 1))


@given(score_lists, score_lists)
def test_the_sample_itself_has_the_best_bin_as_its_resample(labelled, unlabelled):
    shares = resampled_best_bins(labelled, unlabelled, random=DrawsEachRowOnce(), n_resamples=2)
    assert shares == pytest.approx(best_bin(labelled, unlabelled).share)


def test_resampling_more_thresholds_than_are_kept_gives_the_same_share():
    labelled, unlabelled = uniform_mixture(0.3, 20_000, 20_000, seed=6)
    shares = resampled_best_bins(labelled, unlabelled, random=np.random.RandomState(0))
    assert abs(shares.mean() - best_bin(labelled, unlabelled).share) < 0.01


def test_negatives_passing_has_a_closed_form():
    grid = np.linspace(0.0, 1.0, 10_001)
    # Negatives below all positives: none passes. Negatives as positives: nine in ten pass.
    apart = np.concatenate([grid, grid - 2.0])
    assert negatives_passing(grid, apart, 0.5) == pytest.approx(0.0, abs=1e-3)
    assert negatives_passing(grid, grid, 0.5) == pytest.approx(0.9, abs=1e-3)
    # Negatives with density 2(1 - s): of these, (1 - 0.1)^2 are above 0.1.
    falling = 1.0 - np.sqrt(grid)
    mixture = np.concatenate([grid, falling])
    assert negatives_passing(grid, mixture, 0.5) == pytest.approx(0.81, abs=1e-3)
    assert negatives_passing(grid, grid, 1.0) == 1.0


# --- the table as numbers -----------------------------------------------------------------------


def test_categories_and_gaps_become_columns_of_numbers():
    table = pd.DataFrame(
        {
            "number": [1.0, np.nan, 3.0, 5.0],
            "word": ["a", "b", None, "a"],
            "flag": [True, False, True, True],
            "whole": pd.array([1, None, 3, 4], dtype="Int64"),
            "day": pd.to_datetime(["2020-01-01", None, "2020-01-03", "2020-01-02"]),
        }
    )
    found = finite_columns(table)
    day = table["day"].to_numpy().astype(np.int64).astype(float)
    wanted = np.column_stack(
        [
            [1.0, 3.0, 3.0, 5.0],  # the median, and beside it where it was missing
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],  # word missing, a, b
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 0.0],
            [1.0, 0.0, 1.0, 1.0],
            [1.0, 3.0, 3.0, 4.0],
            [0.0, 1.0, 0.0, 0.0],
            [day[0], day[3], day[2], day[3]],
            [0.0, 1.0, 0.0, 0.0],
        ]
    )
    assert found.tolist() == wanted.tolist()


def test_rare_categories_share_a_column():
    words = [f"rare{i}" for i in range(100)] + ["common"] * 100
    assert finite_columns(np.array([words], dtype=object).T).shape == (200, 31)


def test_a_sparse_table_too_large_to_be_filled_in_is_refused():
    X = sp.csr_array((100_000, 10_000))
    with pytest.raises(ValueError, match=r"100000 x 10000 cells.*TruncatedSVD"):
        finite_columns(X)


# --- estimate_prior -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("prior", "labelled_share"), [(0.3, 0.5), (0.7, 0.3)])
def test_every_method_is_near_the_truth_where_classes_are_apart(method, prior, labelled_share):
    X, _, is_labelled = clusters(800, prior, labelled_share)
    estimate = estimate_prior(X, is_labelled, method, random_state=0)
    assert abs(estimate.prior - prior) < {"auto": 0.06, "elkan_noto": 0.05}.get(method, 0.15)
    assert not estimate.is_upper_bound


@pytest.mark.parametrize("method", METHODS)
def test_the_fields_agree_with_each_other(method):
    X, _, is_labelled = clusters(300, 0.5, 0.4, distance=2.0)
    estimate = estimate_prior(X, is_labelled, method, random_state=0)
    low, high = estimate.interval
    assert is_labelled.mean() <= low <= estimate.prior <= high < 1.0
    assert (estimate.n_labelled, estimate.n_unlabelled) == (60, 240)
    hidden = estimate.prior_unlabelled * 240
    assert 60 + hidden == pytest.approx(estimate.prior * 300)
    assert estimate.method == method
    assert all(type(value) is float for value in estimate.diagnostics.values())
    assert estimate.diagnostics["rows_used"] == 300
    assert pickle.loads(pickle.dumps(estimate)) == estimate
    with pytest.raises(AttributeError):
        estimate.prior = 0.5


def test_what_the_interval_of_auto_holds():
    held = []
    for seed in range(6):
        prior = (0.2, 0.4, 0.6, 0.8)[seed % 4]
        X, _, is_labelled = clusters(500, prior, 0.4, distance=3.0, seed=seed)
        low, high = estimate_prior(X, is_labelled, random_state=seed).interval
        held.append(low <= prior <= high)
        assert high - low < 0.4
    assert sum(held) >= 5


def test_overlapping_classes_give_an_upper_bound_and_say_so():
    X, _, is_labelled = clusters(1000, 0.5, 0.4, distance=1.0)
    estimate = estimate_prior(X, is_labelled, random_state=0)
    assert estimate.is_upper_bound
    assert estimate.interval[0] == is_labelled.mean()
    assert estimate.diagnostics["negatives_passing"] > 0.25
    text = str(estimate)
    assert text.startswith("At most about")
    for part in ("Only an upper bound", "overlap", "20 %", "pass it as the prior"):
        assert part in text


def test_the_text_gives_shares_and_counts():
    X, _, is_labelled = clusters(1000, 0.4, 0.5)
    estimate = estimate_prior(X, is_labelled, random_state=0)
    text = str(estimate)
    hidden = round(estimate.prior_unlabelled * 800)
    low, high = (f"{100 * end:.0f} %" for end in estimate.interval)
    assert text == (
        f"About {100 * estimate.prior:.0f} % of the 1000 samples are positive (method 'auto'): the "
        f"200 labelled ones and about {hidden} of the 800 unlabelled ones "
        f"({100 * estimate.prior_unlabelled:.0f} %). The share among all samples is likely between "
        f"{low} and {high}."
    )


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_answer(method):
    X, _, is_labelled = clusters(200, 0.5, 0.4, distance=2.0)
    one, other = (estimate_prior(X, is_labelled, method, random_state=7) for _ in range(2))
    assert one == other


def test_any_two_labels_give_the_same_answer():
    X, _, is_labelled = clusters(200, 0.5, 0.4)
    reference = estimate_prior(X, is_labelled, random_state=0)
    words = np.where(is_labelled, "known", "other")
    assert estimate_prior(X, words, pos_label="known", random_state=0) == reference
    assert estimate_prior(X, np.where(is_labelled, 1.0, np.nan), random_state=0) == reference
    assert estimate_prior(X, pd.Series(is_labelled), random_state=0) == reference


@pytest.mark.parametrize("method", ["auto", "bbe", "dedpul"])
def test_any_classifier_can_give_the_scores(method):
    X, _, is_labelled = clusters(600, 0.4, 0.4)
    for classifier in (LogisticRegression(), RidgeClassifier()):
        estimate = estimate_prior(X, is_labelled, method, classifier=classifier, random_state=0)
        assert abs(estimate.prior - 0.4) < (0.12 if method == "dedpul" else 0.05)


@pytest.mark.parametrize("method", FROM_SCORES)
def test_scores_can_be_given_instead(method):
    labelled, unlabelled = uniform_mixture(0.5, 500, 500, seed=8)
    scores = np.concatenate([labelled, unlabelled])
    is_labelled = np.arange(1000) < 500
    estimate = estimate_prior(None, is_labelled, method, scores=scores, random_state=0)
    if method == "elkan_noto":
        assert estimate.prior == pytest.approx(0.5 / labelled.mean())
    else:
        assert abs(estimate.prior - 0.75) < 0.03


@pytest.mark.parametrize(
    ("n_labelled", "labelled_used"), [(5_000, 5_000), (20_000, 10_000), (35_000, 15_000)]
)
def test_a_part_of_many_rows_is_drawn_and_counted(n_labelled, labelled_used):
    n_unlabelled = 40_000 - n_labelled
    labelled, unlabelled = uniform_mixture(0.5, n_labelled, n_unlabelled, seed=9)
    scores = np.concatenate([labelled, unlabelled])
    is_labelled = np.arange(40_000) < n_labelled
    estimate = estimate_prior(None, is_labelled, scores=scores, random_state=0)
    assert estimate.diagnostics["rows_used"] == 20_000
    assert estimate.diagnostics["labelled_used"] == labelled_used
    assert (estimate.n_labelled, estimate.n_unlabelled) == (n_labelled, n_unlabelled)
    assert abs(estimate.prior_unlabelled - 0.5) < 0.03


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix, sp.coo_array, pd.DataFrame])
def test_sparse_tables_and_data_frames(method, make):
    X, _, is_labelled = clusters(100, 0.4, 0.5)
    X = np.where(np.abs(X) < 0.3, 0.0, X)
    X = pd.DataFrame(X, columns=list("abc")) if make is pd.DataFrame else make(X)
    estimate = estimate_prior(X, is_labelled, method, random_state=0)
    assert abs(estimate.prior - 0.4) < 0.2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_words_and_gaps_in_a_data_frame(method, make):
    X, is_positive, is_labelled = clusters(100, 0.4, 0.5)
    table = make(
        {
            "word": ["yes" if positive else "no" for positive in is_positive],
            "number": [None if i % 7 == 0 else float(value) for i, value in enumerate(X[:, 0])],
        }
    )
    estimate = estimate_prior(table, is_labelled, method, random_state=0)
    assert abs(estimate.prior - 0.4) < 0.2


@pytest.mark.parametrize("n_copies", [60, 350])
def test_wide_tables_are_made_narrower(n_copies):
    X, _, is_labelled = clusters(200, 0.4, 0.5)
    noise = np.random.RandomState(0).normal(scale=3.0, size=(200, 3 * n_copies))
    estimate = estimate_prior(np.tile(X, n_copies) + noise, is_labelled, random_state=0)
    assert abs(estimate.prior - 0.4) < 0.1


def test_a_large_sparse_table_is_never_filled_in(monkeypatch):
    monkeypatch.setattr(ensemble, "MAX_DENSE_CELLS", 1000)
    X, _, is_labelled = clusters(200, 0.4, 0.5)
    X = sp.csr_array(np.tile(np.where(np.abs(X) < 1.5, 0.0, X), 20))
    monkeypatch.setattr(type(X), "toarray", None)
    assert abs(estimate_prior(X, is_labelled, random_state=0).prior - 0.4) < 0.1


TINY = {
    "one labelled": (np.arange(40.0).reshape(20, 2), np.arange(20) == 19),
    "one unlabelled": (np.arange(40.0).reshape(20, 2), np.arange(20) > 0),
    "two rows": (np.array([[0.0], [1.0]]), np.array([False, True])),
    "two labelled": (np.arange(40.0).reshape(20, 2), np.arange(20) > 17),
    "constant features": (np.ones((30, 2)), np.arange(30) < 10),
    "all duplicates": (np.tile([[1.0, 2.0]], (30, 1)), np.arange(30) < 10),
    "one feature": (np.arange(30.0).reshape(30, 1), np.arange(30) > 20),
    "two values": (np.repeat([[0.0], [1.0]], 25, axis=0), np.arange(50) > 37),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", TINY)
def test_tiny_and_degenerate_tables_get_an_answer(method, name):
    X, is_labelled = TINY[name]
    estimate = estimate_prior(X, is_labelled, method, random_state=0)
    low, high = estimate.interval
    assert is_labelled.mean() <= low <= estimate.prior <= high < 1.0
    assert all(math.isfinite(value) for value in estimate.diagnostics.values())
    assert str(estimate)


@pytest.mark.parametrize("name", ["one labelled", "constant features", "all duplicates"])
def test_where_nothing_can_be_learned_everything_is_possible(name):
    X, is_labelled = TINY[name]
    estimate = estimate_prior(X, is_labelled, random_state=0)
    assert estimate.is_upper_bound
    assert estimate.interval[0] == is_labelled.mean()
    assert estimate.interval[1] > 0.9


def test_separate_clusters_that_are_all_labelled_leave_no_hidden_positives():
    X, _, is_labelled = clusters(200, 0.5, 1.0)
    assert estimate_prior(X, is_labelled, random_state=0).prior < 0.55


def test_small_tables_are_quick():
    X, _, is_labelled = clusters(100, 0.5, 0.5)
    estimate_prior(X, is_labelled, random_state=0)
    start = time.process_time()
    estimate_prior(X, is_labelled, random_state=0)
    assert time.process_time() - start < 1.0


X_OK, Y_OK = np.arange(20.0).reshape(10, 2), np.arange(10) < 4


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "best"}, ValueError, "method must be one of auto, bbe, .*, found 'best'"),
        ({"method": None}, ValueError, "method must be one of"),
        ({"n_folds": 1}, ValueError, "n_folds must be a whole number of at least 2, found 1"),
        ({"n_folds": 2.5}, ValueError, "n_folds must be a whole number"),
        ({"n_folds": True}, ValueError, "n_folds must be a whole number"),
        ({"y": np.arange(9) < 4}, ValueError, "X has 10 rows, y has 9 labels"),
        ({"y": np.zeros(10)}, ValueError, "only one class"),
        ({"y": np.arange(10) % 3}, ValueError, "3 values"),
        ({"pos_label": 5}, ValueError, "pos_label is 5, which y does not hold"),
        ({"classifier": "svm"}, TypeError, "classifier must be a scikit-learn classifier"),
        ({"classifier": LogisticRegression}, TypeError, "an instance"),
        (
            {"method": "tice", "classifier": LogisticRegression()},
            ValueError,
            "classifier must be None for method 'tice'",
        ),
        ({"method": "km2", "scores": np.ones(10)}, ValueError, "scores must be None"),
        (
            {"classifier": LogisticRegression(), "scores": np.ones(10)},
            ValueError,
            "one of them must be None",
        ),
        ({"scores": np.ones(9)}, ValueError, "y has 10 labels, scores has 9 rows"),
        ({"scores": np.full(10, np.nan)}, ValueError, "scores must be finite, found nan at row 0"),
        (
            {"method": "elkan_noto", "scores": np.arange(10.0)},
            ValueError,
            "needs probabilities from 0 to 1, found scores from 0 to 9",
        ),
        ({"X": np.ones(10)}, ValueError, r"X must be a table.*shape \(10,\)"),
        ({"X": 3}, ValueError, "X must be a table.*int"),
        ({"X": np.full((10, 2), np.inf)}, ValueError, "infinity"),
    ],
)
def test_wrong_arguments_are_named_with_what_was_found(arguments, error, message):
    with pytest.raises(error, match=message):
        estimate_prior(**({"X": X_OK, "y": Y_OK, "random_state": 0} | arguments))


# --- real data ----------------------------------------------------------------------------------

needs_data = pytest.mark.skipif(
    not os.environ.get("PUCUT_DATA"), reason="PUCUT_DATA names no folder with the real datasets"
)


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "labelled_share", "error"),
    [("obesity", 0.6, 0.03), ("obesity", 0.1, 0.08), ("mushroom", 0.6, 0.03), ("vote", 0.6, 0.06)],
)
def test_real_tables_whose_classes_are_apart(name, labelled_share, error):
    dataset = load_real(name)
    seed = seed_from_names(name, labelled_share, 0)
    is_labelled = pu_split(dataset.is_positive, labelled_share, random_state=seed)
    estimate = estimate_prior(dataset.X, is_labelled, random_state=0)
    assert abs(estimate.prior - dataset.prior) < error
    assert estimate.interval[0] <= dataset.prior <= estimate.interval[1]
    assert not estimate.is_upper_bound


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("labelled_share", [0.6, 0.1])
def test_of_german_only_an_upper_bound_can_be_known(labelled_share):
    dataset = load_real("german")
    seed = seed_from_names("german", labelled_share, 0)
    is_labelled = pu_split(dataset.is_positive, labelled_share, random_state=seed)
    estimate = estimate_prior(dataset.X, is_labelled, random_state=0)
    assert estimate.is_upper_bound
    assert estimate.interval[0] <= dataset.prior <= estimate.interval[1]
    assert "upper bound" in str(estimate)
