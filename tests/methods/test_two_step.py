"""Spies and Rocchio: thresholds by counting, prototypes by loops, naive Bayes by scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.svm import LinearSVC

from pucut import RocchioClassifier, SpyClassifier
from pucut.kernels.machines import Machine, fit_svm
from pucut.methods.rocchio import rocchio_negatives, rocchio_scores, widen_negatives
from pucut.methods.spy import (
    em_naive_bayes,
    fit_naive_bayes,
    send_spies,
    share_of_rest,
    spy_threshold,
)
from pucut.utils.estimator_checks import parametrize_with_pu_checks
from pucut.utils.estimator_checks._tools import pu_table

X, y, TRUTH = pu_table(300)
PRIOR = float(TRUTH.mean())
LABELLED = y == 1


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC()])
def test_spies_with_a_classifier_of_the_users(estimator):
    model = SpyClassifier(estimator, prior=PRIOR, threshold="half", random_state=0).fit(X, y)
    assert model.threshold_ == (0.5 if isinstance(estimator, LogisticRegression) else 0.0)
    assert ((model.transduction_ == 1) == TRUTH)[y == 0].mean() > 0.9
    assert ((model.predict(X) == 1) == TRUTH).mean() > 0.9


@pytest.mark.slow
@parametrize_with_pu_checks(
    [SpyClassifier(LogisticRegression()), RocchioClassifier(kernel="linear")]
)
def test_pu_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("seed", range(3))
def test_gaussian_odds_are_those_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    points = random.normal(size=(50, 3))
    share = random.random(50)
    # A row that is in both classes in part is two rows with weights.
    both = np.vstack([points, points])
    target = np.repeat([1, 0], 50)
    peer = GaussianNB(var_smoothing=1e-12).fit(
        both, target, sample_weight=np.concatenate([share, 1 - share])
    )
    expected = peer.predict_joint_log_proba(points)
    ours = fit_naive_bayes(points, share, 1 - share, smoothing=0.0).scores(points)
    np.testing.assert_allclose(ours, expected[:, 1] - expected[:, 0], rtol=1e-8, atol=1e-8)


def test_multinomial_odds_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    texts = sp.csr_array(random.poisson(0.5, size=(50, 8)).astype(float))
    share = random.random(50)
    peer = MultinomialNB().fit(
        sp.vstack([texts, texts]),
        np.repeat([1, 0], 50),
        sample_weight=np.concatenate([share, 1 - share]),
    )
    expected = peer.predict_joint_log_proba(texts)
    ours = fit_naive_bayes(texts, share, 1 - share).scores(texts)
    np.testing.assert_allclose(ours, expected[:, 1] - expected[:, 0], rtol=1e-10)


def test_em_ends_where_the_estimated_error_is_least_so_far():
    share = share_of_rest(PRIOR, LABELLED)
    assert share == pytest.approx(TRUTH[~LABELLED].mean())
    first = fit_naive_bayes(X, LABELLED.astype(float), (~LABELLED).astype(float))
    last = em_naive_bayes(X, LABELLED, (~LABELLED).astype(float), share)

    def error(model):
        positive = model.scores(X) > 0
        return positive[~LABELLED].mean() + 2 * share * (~positive[LABELLED]).mean()

    assert error(last) <= error(first)
    assert ((last.scores(X) > 0) == TRUTH).mean() > 0.95


@pytest.mark.parametrize("noise", [0.05, 0.15, 0.5])
def test_the_spies_below_the_threshold_are_counted(noise):
    scores = np.random.default_rng(0).permutation(40).astype(float)
    threshold = spy_threshold(scores, noise)
    assert np.mean(scores < threshold) <= noise + 1e-12
    higher = scores[scores > threshold].min()
    assert np.mean(scores < higher) > noise


def test_spies_find_negatives():
    model = SpyClassifier(prior=PRIOR, random_state=0).fit(X, y)
    assert abs(len(model.spies_) - 0.15 * LABELLED.sum()) <= 0.5
    assert LABELLED[model.spies_].all()
    assert not LABELLED[model.reliable_negatives_].any()
    assert TRUTH[model.reliable_negatives_].mean() < 0.1
    assert len(model.reliable_negatives_) > 0.5 * (~TRUTH).sum()


def test_spies_do_not_count_as_labelled_in_step_1():
    spies = send_spies(
        X,
        LABELLED,
        PRIOR,
        spy_share=0.3,
        noise=0.1,
        random=np.random.RandomState(0),
        groups=np.arange(len(X)),
    )
    known = LABELLED & ~spies.is_spy
    share = share_of_rest(PRIOR, known)
    scores = em_naive_bayes(X, known, (~known).astype(float), share).scores(X)
    np.testing.assert_array_equal(spies.is_negative, ~LABELLED & (scores < spies.threshold))
    assert np.mean(scores[spies.is_spy] < spies.threshold) <= 0.1


@pytest.mark.filterwarnings("ignore::pucut.exceptions.RepeatedRowsWarning")
def test_the_copies_of_a_spy_are_spies():
    n_rows, n_labelled = len(X), int(LABELLED.sum())
    model = SpyClassifier(prior=PRIOR, random_state=0).fit(np.vstack([X, X]), np.append(y, y))
    first, second = np.split(model.spies_, [np.searchsorted(model.spies_, n_rows)])
    np.testing.assert_array_equal(first + n_rows, second)
    assert abs(len(first) - 0.15 * n_labelled) <= 0.5


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_rocchio_by_loops(make):
    random = np.random.default_rng(1)
    points = np.maximum(random.normal(size=(12, 4)), 0.0)
    points[3] = 0.0
    labelled = np.arange(12) < 4
    unit = [row / np.linalg.norm(row) if row.any() else row for row in points]
    positive, negative = np.zeros(4), np.zeros(4)
    for row, is_labelled in zip(unit, labelled, strict=True):
        if is_labelled:
            positive += 16 * row / 4
            negative -= 4 * row / 4
        else:
            positive -= 4 * row / 8
            negative += 16 * row / 8
    expected = [
        row @ positive / np.linalg.norm(positive) - row @ negative / np.linalg.norm(negative)
        for row in unit
    ]
    np.testing.assert_allclose(rocchio_scores(make(points), labelled, 16, 4), expected, atol=1e-12)
    np.testing.assert_array_equal(
        rocchio_negatives(make(points), labelled, alpha=16, beta=4),
        [score <= 0 and not mark for score, mark in zip(expected, labelled, strict=True)],
    )


def test_what_the_machine_finds_negative_joins_until_nothing_is_found():
    first = rocchio_negatives(X - X.mean(axis=0), LABELLED, alpha=16, beta=4)
    first[np.flatnonzero(first)[5:]] = False  # a few are enough to begin with
    calls = []

    def fit(points, is_positive):
        calls.append(len(points))
        return fit_svm(
            points,
            is_positive,
            positive_cost=1.0,
            negative_cost=1.0,
            kernel="linear",
            random=np.random.RandomState(0),
        )

    machine, last = widen_negatives(X, LABELLED, first, fit, most_lost=1.0)
    assert len(calls) > 1
    assert (last >= first).all()
    others = ~LABELLED & ~last
    assert (machine.scores(X[others]) > 0).all()
    gone_astray, none = widen_negatives(X, LABELLED, first, fit, most_lost=-1.0)
    np.testing.assert_array_equal(none, first)
    np.testing.assert_array_equal(
        gone_astray.weights, fit(X[LABELLED | first], LABELLED[LABELLED | first]).weights
    )


def test_rocchio_finds_negatives():
    model = RocchioClassifier(prior=PRIOR, random_state=0).fit(X, y)
    assert isinstance(model.machine_, Machine)
    assert TRUTH[model.reliable_negatives_].mean() < 0.1
    assert set(model.reliable_negatives_) <= set(model.final_negatives_)
    np.testing.assert_allclose(
        model.decision_function(X) + model.threshold_,
        model.machine_.scores((X - X.mean(axis=0)) / X.std(axis=0)),
        atol=1e-9,
    )
