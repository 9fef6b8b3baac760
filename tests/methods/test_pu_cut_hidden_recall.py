"""What hidden recall says of the unlabelled positives: against integrals, by hand, and on fits."""

import numpy as np
import pytest
from scipy.integrate import quad

from pucut import PUCutClassifier
from pucut.datasets import pu_split
from pucut.judging.folds import PUFolds, pu_folds
from pucut.judging.weights import recall_error
from pucut.methods.pu_cut import _cuts
from pucut.methods.pu_cut._cuts import (
    ERROR_OF_CHANGE,
    VARIANCE_IN_TURN,
    HiddenRecall,
    error_of_estimate,
    hidden_recall,
    share_changed,
)


@pytest.mark.parametrize(
    ("recall", "n_rows"), [(0.0, 5), (0.4, 5), (1.0, 5), (0.9, 12.5), (1, 300)]
)
def test_error_is_the_distance_from_what_the_recall_may_be(recall, n_rows):
    def likely(truth):
        return truth ** (recall * n_rows) * (1 - truth) ** ((1 - recall) * n_rows)

    def integral(function):
        return quad(function, 0.0, 1.0, epsabs=1e-14, points=[recall])[0]

    squared = integral(lambda truth: (truth - recall) ** 2 * likely(truth)) / integral(likely)
    assert error_of_estimate(recall, n_rows, 0.0) == pytest.approx(np.sqrt(squared), rel=1e-6)
    assert error_of_estimate(recall, n_rows, 0.1) == pytest.approx(np.sqrt(squared + 0.01))


def test_error_of_many_rows_is_that_of_a_share():
    for recall in (0.3, 0.9):
        said = HiddenRecall(recall, 10_000, in_turn=False, changed=0.0).standard_error
        assert said == pytest.approx(np.sqrt(recall * (1 - recall) / 10_000), rel=1e-2)


def test_rows_hidden_in_turn_count_as_fewer_and_changes_add_to_the_error():
    once, in_turn = (HiddenRecall(0.7, 36, each, changed=0.0) for each in (False, True))
    assert once.standard_error == error_of_estimate(0.7, 36, 0.0)
    assert in_turn.standard_error == error_of_estimate(0.7, 36 / VARIANCE_IN_TURN, 0.0)
    changed = HiddenRecall(0.7, 36, in_turn=False, changed=0.2)
    more = changed.standard_error**2 - once.standard_error**2
    assert more == pytest.approx((ERROR_OF_CHANGE * 0.2) ** 2)


def small_folds():
    """Four labelled rows, of which two folds hide one each, and six others, three positive."""
    fold = np.array([0, 1, -1, -1, *[-1] * 6])
    return PUFolds(np.where(np.arange(10) < 4, 1, -1), fold, np.arange(10), 7)


def test_changes_are_counted_by_hand():
    answer = np.array([1.0, 1, 1, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    one_moved = answer.copy()
    one_moved[[6, 9]] = 0.1, 0.95
    folds = small_folds()
    assert share_changed(folds, [answer, answer], answer) == 0.0
    assert share_changed(folds, [answer, one_moved], answer) == pytest.approx(1 / 6)
    # Two rows share the third place, and each takes half of it.
    tied = answer.copy()
    tied[7] = tied[6]
    assert share_changed(folds, [tied, tied], tied) == 0.0
    assert share_changed(folds, [tied, tied], answer) == pytest.approx(0.5 / 3)
    assert share_changed(folds, [answer, answer], -answer) == 1.0


def test_recall_and_how_it_came_about():
    folds = small_folds()
    scores = np.array([0.85, 0.3, 1, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    said = hidden_recall(folds, [scores, scores], scores)
    assert said == HiddenRecall(0.5, 2, in_turn=False, changed=0.0)
    for n_labelled, in_turn in ((2, True), (40, True), (60, False), (700, False)):
        drawn = pu_folds(
            np.arange(2000) < n_labelled, 1000, np.random.RandomState(0), np.arange(2000)
        )
        given = [np.arange(2000.0)] * drawn.n_folds
        assert hidden_recall(drawn, given, np.arange(2000.0)).in_turn is in_turn
    nothing = pu_folds(np.arange(9) < 1, 5, np.random.RandomState(0), np.arange(9))
    assert hidden_recall(nothing, [], np.arange(9.0)).n_hidden == 0


def clusters(seed):
    """Six clusters of positives and six of others, of which few labels reach all."""
    random = np.random.default_rng(seed)
    centres, cluster = 3 * random.normal(size=(12, 4)), random.integers(0, 12, 200)
    is_positive = cluster < 6
    X = centres[cluster] + random.normal(size=(200, 4))
    return X, is_positive, pu_split(is_positive, n_labelled=12, random_state=seed)


def fitted(seed):
    X, is_positive, is_labelled = clusters(seed)
    model = PUCutClassifier(prior=is_positive.mean(), n_estimators=10, random_state=seed)
    model.fit(X, is_labelled)
    return model, is_positive & ~is_labelled


def test_the_error_of_the_mixture_is_that_of_its_answer_in_the_folds(monkeypatch):
    given = []

    def kept(*arguments):
        given.append(arguments)
        return hidden_recall(*arguments)

    monkeypatch.setattr(_cuts, "hidden_recall", kept)
    model, _ = fitted(0)
    ((folds, mixtures, answer),) = given
    np.testing.assert_array_equal(answer, model.mixture_.chosen.scores)
    others = np.flatnonzero(~folds.is_labelled)
    wanted = folds.n_positive - 12
    found, *in_folds = (
        set(others[np.argsort(-scores[others], kind="stable")[:wanted]])
        for scores in (answer, *mixtures)
    )
    changed = np.mean([len(found - each) for each in in_folds]) / wanted
    assert 0.0 < changed < 0.5
    mixture = model.selection_[-1]
    expected = error_of_estimate(
        mixture.hidden_recall, 12 / VARIANCE_IN_TURN, ERROR_OF_CHANGE * changed
    )
    assert mixture.standard_error == pytest.approx(expected, rel=1e-3)


@pytest.mark.slow
def test_the_recall_of_unlabelled_positives_is_within_two_errors():
    """Of 20 fits 18 are; 13 if the rows that judge were independent."""
    within, by_independent_rows = 0, 0
    for seed in range(20):
        model, is_asked = fitted(seed)
        recall, mixture = model.transduction_[is_asked].mean(), model.selection_[-1]
        apart = abs(mixture.hidden_recall - recall)
        within += apart <= 2 * mixture.standard_error
        by_independent_rows += apart <= 2 * recall_error(mixture.hidden_recall, 12)
    assert within >= 17
    assert by_independent_rows <= 15
