"""Probabilities from scores: the mean, the order, and how near to the truth they are."""

import copy
import os
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.special import expit
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from paper.datasets import load_real, seed_from_names
from pucut.calibration import _fitted_curve, calibrate
from pucut.datasets import pu_split
from pucut.judging.cross_fitting import cross_fit

CLASSIFIERS = {
    "boosting": HistGradientBoostingClassifier(max_iter=40),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
    "forest": RandomForestClassifier(50),
}
MOST_ROWS = 4000  # enough to tell calibrated from not, and quick


@pytest.fixture(autouse=True)
def one_thread():
    """On a busy machine, boosting's threads wait for each other much longer than they work."""
    with threadpool_limits(1):
        yield


def dataset(name):
    if name == "digits":
        X, digit = load_digits(return_X_y=True)
        return X, digit % 2 == 1
    if not os.environ.get("PUCUT_DATA"):
        pytest.skip("PUCUT_DATA does not name the folder of the real datasets")
    data = load_real(name)
    rows = np.random.RandomState(0).permutation(len(data.X))[:MOST_ROWS]
    return data.X[rows], data.is_positive[rows]


def brier(probability, is_positive):
    return float(np.mean((probability - is_positive) ** 2))


def calibration_error(probability, is_positive, n_bins=15):
    """Expected calibration error over bins of equally many rows."""
    bins = np.array_split(np.argsort(probability, kind="stable"), n_bins)
    gaps = [abs(np.sum(probability[rows] - is_positive[rows])) for rows in bins]
    return float(np.sum(gaps) / len(probability))


def best_step_curve(scores, is_positive):
    """What isotonic regression to the truth itself would reach: a bound from below, nearly."""
    return IsotonicRegression().fit(scores, is_positive).predict(scores)


@pytest.mark.slow
@pytest.mark.parametrize("labelled_share", [0.6, 0.1])
@pytest.mark.parametrize("name", ["digits", "letter", "mushroom"])
@pytest.mark.parametrize("source", list(CLASSIFIERS))
def test_nearer_to_the_truth_than_the_scores(name, labelled_share, source):
    X, is_positive = dataset(name)
    seed = seed_from_names(name, labelled_share, source)
    labelled = pu_split(is_positive, labelled_share, random_state=seed)
    scores = cross_fit(CLASSIFIERS[source], X, labelled, n_folds=3, random_state=seed).scores
    prior = is_positive.mean()
    after = calibrate(scores, labelled, prior).positive_probability(scores)
    # Elkan and Noto's correction, the usual way, is what has to be beaten too.
    divided = np.clip(scores / scores[labelled].mean(), 0.0, 1.0)
    best = best_step_curve(scores, is_positive)
    print(
        f"\n{name} {labelled_share} {source}: Brier score {brier(scores, is_positive):.4f}, "
        f"divided {brier(divided, is_positive):.4f}, calibrated {brier(after, is_positive):.4f}, "
        f"best {brier(best, is_positive):.4f}; calibration error "
        f"{calibration_error(scores, is_positive):.3f}, "
        f"{calibration_error(divided, is_positive):.3f}, "
        f"{calibration_error(after, is_positive):.3f}"
    )
    assert brier(after, is_positive) < 0.8 * brier(scores, is_positive)
    assert brier(after, is_positive) < brier(divided, is_positive)
    assert brier(after, is_positive) < brier(best, is_positive) + 0.02
    assert calibration_error(after, is_positive) < 0.5 * calibration_error(scores, is_positive)
    assert calibration_error(after, is_positive) < calibration_error(divided, is_positive)


def drawn(n, prior, label_frequency, seed):
    """Scores of positives N(1, 1), of negatives N(-1, 1), and the true P(positive | score)."""
    random = np.random.RandomState(seed)
    is_positive = random.rand(n) < prior
    scores = random.normal(np.where(is_positive, 1.0, -1.0))
    labelled = is_positive & (random.rand(n) < label_frequency)
    truth = 1.0 / (1.0 + (1.0 - prior) / prior * np.exp(-2.0 * scores))
    return scores, labelled, truth


@pytest.mark.parametrize(("prior", "label_frequency"), [(0.5, 0.6), (0.3, 0.1), (0.9, 0.3)])
def test_comes_near_the_known_posterior(prior, label_frequency):
    scores, labelled, truth = drawn(20000, prior, label_frequency, seed=0)
    found = calibrate(scores, labelled, prior).positive_probability(scores)
    assert np.abs(found - truth).mean() < 0.02
    grid = np.linspace(-2.0, 2.0, 9)
    exact = 1.0 / (1.0 + (1.0 - prior) / prior * np.exp(-2.0 * grid))
    np.testing.assert_allclose(
        calibrate(scores, labelled, prior).positive_probability(grid), exact, atol=0.07
    )


def test_takes_shapes_the_curve_does_not_have():
    random = np.random.RandomState(0)
    scores = random.rand(40000)
    truth = np.select([scores < 0.5, scores < 0.8], [0.1, 0.6], 0.7)
    labelled = random.rand(40000) < 0.5 * truth
    found = calibrate(scores, labelled, truth.mean()).positive_probability(scores)
    assert np.abs(found - truth).mean() < 0.015


def test_the_curve_is_the_most_likely_of_its_family():
    """Against a search without derivatives over the formula, written out."""
    scores, labelled, _ = drawn(400, 0.4, 0.3, seed=7)
    labelled = labelled[np.argsort(scores)].astype(float)
    rank = (np.arange(400) + 0.5) / 400
    c = labelled.mean() / 0.4
    basis = np.stack([np.log(rank), -np.log(1.0 - rank)])

    def curve(slopes):
        shape = slopes @ basis
        constant = brentq(lambda t: expit(shape + t).mean() - 0.4, -100.0, 100.0, xtol=1e-14)
        return expit(shape + constant)

    def loss(slopes):
        p = curve(np.maximum(slopes, 0.0))
        likelihood = np.sum(np.where(labelled == 1.0, np.log(p), np.log(1.0 - c * p)))
        return 0.01 * np.sum(slopes**2) - likelihood

    searched = minimize(loss, [1.0, 1.0], method="Nelder-Mead", tol=1e-10).x
    found = _fitted_curve(basis, np.ones(400), labelled, c, 0.4)
    np.testing.assert_allclose(found, curve(searched), atol=1e-4)


def test_more_labels_bring_it_nearer():
    errors = []
    for n in [300, 3000, 30000]:
        gaps = []
        for seed in range(6):
            scores, labelled, truth = drawn(n, 0.4, 0.3, seed)
            found = calibrate(scores, labelled, 0.4).positive_probability(scores)
            gaps.append(np.mean((found - truth) ** 2))
        errors.append(np.mean(gaps))
    assert errors[0] > 2.0 * errors[1]
    assert errors[1] > 1.5 * errors[2]


@st.composite
def problems(draw):
    n = draw(st.integers(2, 40))
    values = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))
    scores = np.array(draw(st.lists(values, min_size=n, max_size=n)))
    n_labelled = draw(st.integers(1, n - 1))
    labelled = np.zeros(n, dtype=bool)
    labelled[draw(st.permutations(range(n)))[:n_labelled]] = True
    share = n_labelled / n
    prior = share + (1.0 - share) * draw(st.floats(0.0, 0.999999))
    return scores, labelled, prior


@given(problems())
def test_mean_order_and_range(problem):
    scores, labelled, prior = problem
    calibration = calibrate(scores, labelled, prior)
    assert calibration.prior == pytest.approx(prior, abs=1e-12)
    found = calibration.positive_probability(scores)
    assert found.mean() == pytest.approx(prior, abs=1e-9)
    assert ((found > 0.0) & (found < 1.0)).all()
    # Different scores have different probabilities, in the same order.
    order = np.argsort(scores)
    rises = np.diff(scores[order]) > 0.0
    assert (np.diff(found[order])[rises] > 0.0).all()
    assert (np.diff(found[order])[~rises] == 0.0).all()

    width = np.ptp(scores) + 1.0
    asked = np.linspace(scores.min() - 2.0 * width, scores.max() + 2.0 * width, 200)
    both = calibration.probabilities(asked)
    assert both.shape == (200, 2)
    assert ((both >= 0.0) & (both <= 1.0)).all()
    np.testing.assert_allclose(both.sum(axis=1), 1.0, rtol=0.0, atol=1e-15)
    assert (np.diff(both[:, 1]) >= 0.0).all()


@given(problems(), st.floats(0.1, 10.0), st.floats(-5.0, 5.0))
def test_scores_have_no_scale(problem, factor, shift):
    scores, labelled, prior = problem
    scores = np.round(scores, 2)  # so that rounding does not make different scores equal
    before = calibrate(scores, labelled, prior).positive_probability(scores)
    moved = factor * scores + shift
    after = calibrate(moved, labelled, prior).positive_probability(moved)
    np.testing.assert_allclose(before, after, rtol=0.0, atol=1e-9)


def test_row_order_does_not_matter():
    scores, labelled, _ = drawn(200, 0.4, 0.5, seed=1)
    turned = np.random.RandomState(0).permutation(200)
    before = calibrate(scores, labelled, 0.4)
    after = calibrate(scores[turned], labelled[turned], 0.4)
    np.testing.assert_array_equal(before.scores, after.scores)
    np.testing.assert_allclose(before.values, after.values, rtol=1e-10)


@pytest.mark.parametrize("n_labelled", [1, 2, 5])
@pytest.mark.parametrize("extra", [0.0, 0.2, 0.9, 0.999])
def test_few_labels(n_labelled, extra):
    scores, _, _ = drawn(100, 0.4, 0.5, seed=2)
    labelled = np.isin(np.arange(100), np.argsort(scores)[-20::4][:n_labelled])
    prior = n_labelled / 100 + (1.0 - n_labelled / 100) * extra
    found = calibrate(scores, labelled, prior).positive_probability(scores)
    assert found.mean() == pytest.approx(prior, abs=1e-9)
    assert (np.diff(found[np.argsort(scores)]) > 0.0).all()


def test_equal_scores_get_the_prior():
    y = np.array([1, 0, 0, 0])
    calibration = calibrate(np.full(4, 3.0), y, 0.7)
    np.testing.assert_allclose(
        calibration.positive_probability([-1e9, 3.0, 5.0]), 0.7, rtol=0.0, atol=1e-12
    )


def test_all_labelled_above_all_others():
    """As transductive methods score: only the number of labelled rows is informative."""
    scores = np.arange(1000.0)
    found = calibrate(scores, scores >= 900.0, 0.3).positive_probability(scores)
    assert found.mean() == pytest.approx(0.3, abs=1e-9)
    assert found[900:].min() > 0.9
    assert found[:500].max() < 0.2


def test_classes_that_separate_get_certain_answers():
    """Also where the lowest positives happen to be unlabelled, so that no step reaches them."""
    scores = np.arange(1000.0)
    is_positive = scores >= 600.0
    labelled = is_positive & (np.random.RandomState(0).rand(1000) < 0.5) & (scores >= 605.0)
    found = calibrate(scores, labelled, 0.4).positive_probability(scores)
    assert found.mean() == pytest.approx(0.4, abs=1e-9)
    assert brier(found, is_positive) < 0.003


def test_unseen_scores_keep_their_order_and_stay_inside():
    scores, labelled, _ = drawn(500, 0.4, 0.5, seed=3)
    calibration = calibrate(scores, labelled, 0.4)
    width = np.ptp(scores)
    above = calibration.positive_probability(scores.max() + width * np.array([0.0, 0.1, 1.0, 1e6]))
    below = calibration.positive_probability(scores.min() - width * np.array([0.0, 0.1, 1.0, 1e6]))
    assert (np.diff(above) > 1e-10).all()
    assert (np.diff(below) < -1e-10).all()
    assert above[-1] <= (1.0 + calibration.values[-1]) / 2.0
    assert below[-1] >= calibration.values[0] / 2.0


@given(problems(), st.floats(0.0, 1.0), st.booleans())
def test_one_half_where_it_is_wanted(problem, way, at_a_row):
    scores, labelled, prior = problem
    half_at = float(np.quantile(scores, way, method="lower" if at_a_row else "linear"))
    plain = calibrate(scores, labelled, prior)
    bent = calibrate(scores, labelled, prior, half_at=half_at)
    assert (np.diff(bent.scores) > 0.0).all()
    assert (np.diff(bent.values) >= 0.0).all()
    assert bent.positive_probability(scores).mean() == pytest.approx(prior, abs=1e-9)
    outside = [scores.min() - 1.0, scores.max() + 1.0]
    assert np.isfinite(bent.positive_probability(outside)).all()
    if not np.array_equal(bent.values, plain.values):
        assert bent.positive_probability([half_at])[0] == pytest.approx(0.5, abs=1e-9)


def test_order_survives_rounding():
    """scikit-learn compares the order of probabilities and scores, both rounded to 10 digits."""
    scores, labelled, _ = drawn(5000, 0.4, 0.5, seed=6)
    calibration = calibrate(scores, labelled, 0.4)
    asked = np.random.RandomState(0).permutation(np.linspace(-12.0, 12.0, 2000))  # half outside
    probability = calibration.positive_probability(asked).round(10)
    np.testing.assert_array_equal(np.argsort(probability), np.argsort(asked))


def test_linear_between_the_fitted_scores():
    calibration = calibrate([0.0, 1.0, 3.0, 4.0], [0, 0, 1, 1], 0.6)
    low, high = calibration.positive_probability([1.0, 3.0])
    np.testing.assert_allclose(
        calibration.positive_probability([1.5, 2.0]), [low + (high - low) / 4, (low + high) / 2]
    )


def test_labels_and_scores_of_every_kind():
    scores, labelled, _ = drawn(60, 0.4, 0.5, seed=4)
    expected = calibrate(scores, labelled, 0.5).values
    words = np.where(labelled, "yes", "no")
    for column in [words, pd.Series(words, dtype="category"), pl.Series(words), words.tolist()]:
        np.testing.assert_array_equal(calibrate(scores, column, 0.5).values, expected)
    reversed_words = np.where(labelled, "a", "b")
    np.testing.assert_array_equal(
        calibrate(pd.Series(scores), reversed_words, 0.5, pos_label="a").values, expected
    )
    scores.flags.writeable = False
    np.testing.assert_array_equal(calibrate(scores, labelled, 0.5).values, expected)


def test_pickle_and_copy():
    scores, labelled, _ = drawn(60, 0.4, 0.5, seed=5)
    calibration = calibrate(scores, labelled, 0.5)
    for twin in [pickle.loads(pickle.dumps(calibration)), copy.deepcopy(calibration)]:
        np.testing.assert_array_equal(twin.probabilities(scores), calibration.probabilities(scores))


@pytest.mark.parametrize(
    ("scores", "y", "prior", "error", "message"),
    [
        ([0.0, 1.0], [0, 1], 0.3, ValueError, "prior is 0.3, below the labelled fraction 0.5"),
        ([0.0, 1.0], [0, 1], "half", TypeError, "prior must be a number"),
        ([0.0, 1.0], [0, 1], 1.0, ValueError, "prior must be above 0 and below 1"),
        ([0.0, 1.0, 2.0], [0, 1], 0.5, ValueError, "y has 2 labels, scores has 3 rows"),
        ([0.0, np.nan], [0, 1], 0.5, ValueError, "scores must be finite, found nan at row 1"),
        ([[0.0], [1.0]], [0, 1], 0.5, ValueError, r"one number per row, found shape \(2, 1\)"),
        (["a", "b"], [0, 1], 0.5, TypeError, "scores must be an array of real numbers"),
        ([0.0, 1.0], [1, 1], 0.5, ValueError, "y holds only one class"),
    ],
)
def test_errors(scores, y, prior, error, message):
    with pytest.raises(error, match=message):
        calibrate(scores, y, prior)


def test_errors_of_scores_asked_for():
    calibration = calibrate([0.0, 1.0], [0, 1], 0.5)
    with pytest.raises(ValueError, match="scores must be finite, found inf at row 0"):
        calibration.positive_probability([np.inf])


def test_scores_of_many_rows_are_joined_into_groups(monkeypatch):
    random = np.random.default_rng(0)
    positive = random.random(20_000) < 0.4
    scores = random.normal(size=20_000) + 1.5 * positive
    labelled = positive & (random.random(20_000) < 0.5)
    each = calibrate(scores, labelled, 0.4)
    half = float(np.interp(0.5, each.values, each.scores))
    monkeypatch.setattr("pucut.calibration._MANY_ROWS", 20_000)
    monkeypatch.setattr("pucut.calibration._GROUPS", 2000)
    joined = calibrate(scores, labelled, 0.4, half_at=half)
    assert len(joined.scores) <= 2001 < len(each.scores)  # one more for the score of 1/2
    assert (joined.scores[[0, -1]] == each.scores[[0, -1]]).all()
    asked = np.linspace(-6, 8, 500)
    probability = joined.positive_probability(asked)
    assert (np.diff(probability) > 0).all()
    apart = np.abs(probability - each.positive_probability(asked))
    assert apart.mean() < 0.002
    assert apart.max() < 0.1  # where one of the steps is a little earlier
    assert abs(joined.positive_probability(scores).mean() - 0.4) < 1e-4
    assert joined.positive_probability([half])[0] == 0.5
