"""Metrics from PU labels: exact where labels are at random, formulas in loops, edges."""

import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    precision_score,
    roc_auc_score,
)

from pucut.metrics import (
    OneClassPredictionWarning,
    hidden_positive_recall,
    lee_liu_score,
    nnpu_risk,
    proxy_accuracy,
    proxy_roc_auc,
    pu_accuracy,
    pu_balanced_accuracy,
    pu_f1,
    pu_precision,
    pu_roc_auc,
    upu_risk,
    warn_if_one_class,
)

OF_LABELS = [pu_accuracy, pu_balanced_accuracy, pu_precision, pu_f1, proxy_accuracy]
OF_SCORES = [pu_roc_auc, upu_risk, nnpu_risk, hidden_positive_recall]


@st.composite
def populations(draw):
    """Rows in which labels are at random exactly: one of every `copies` equal positives has one.

    Returns PU labels, true classes and scores, which hold many ties.
    """
    scores_of_positives = draw(st.lists(st.integers(-3, 4), min_size=1, max_size=8))
    scores_of_negatives = draw(st.lists(st.integers(-4, 3), min_size=1, max_size=12))
    copies = draw(st.integers(1, 4))
    positives = np.repeat(scores_of_positives, copies)
    labelled = np.tile(np.arange(copies) == 0, len(scores_of_positives))
    n_negatives = len(scores_of_negatives)
    return (
        np.concatenate([labelled, np.zeros(n_negatives, dtype=bool)]),
        np.concatenate([np.ones(len(positives), dtype=bool), np.zeros(n_negatives, dtype=bool)]),
        np.concatenate([positives, scores_of_negatives]).astype(float),
    )


@given(populations(), st.integers(-4, 4))
def test_estimates_are_exact_where_labels_are_at_random(population, threshold):
    y, truth, scores = population
    prior = truth.mean()
    predicted = scores > threshold
    exact = {
        pu_accuracy: accuracy_score(truth, predicted),
        pu_balanced_accuracy: balanced_accuracy_score(truth, predicted),
        pu_precision: precision_score(truth, predicted, zero_division=0.0),
        pu_f1: f1_score(truth, predicted, zero_division=0.0),
        proxy_accuracy: accuracy_score(truth, predicted) + prior,
    }
    for metric, value in exact.items():
        assert metric(y, predicted, prior=prior) == pytest.approx(value, abs=1e-12)
    precision = precision_score(truth, predicted, zero_division=0.0)
    recall = predicted[truth].mean()
    assert lee_liu_score(y, predicted) == pytest.approx(precision * recall / prior, abs=1e-12)


@given(populations())
def test_area_is_exact_where_labels_are_at_random(population):
    y, truth, scores = population
    auc = roc_auc_score(truth, scores)
    assert pu_roc_auc(y, scores, prior=truth.mean()) == pytest.approx(auc, abs=1e-12)
    share = truth[~y].mean()
    assert proxy_roc_auc(y, scores) == pytest.approx(share / 2 + (1 - share) * auc, abs=1e-12)


@given(populations(), st.sampled_from(["zero-one", "sigmoid", "logistic"]))
def test_risks_are_exact_where_labels_are_at_random(population, loss):
    y, truth, scores = population
    total = 0.0
    for positive, score in zip(truth, scores, strict=True):
        total += plain_loss(loss, score if positive else -score)
    risk = total / len(truth)
    prior = truth.mean()
    assert upu_risk(y, scores, prior=prior, loss=loss) == pytest.approx(risk, abs=1e-12)
    # The part of the negatives is a mean of losses here, so nothing is cut off.
    assert nnpu_risk(y, scores, prior=prior, loss=loss) == pytest.approx(risk, abs=1e-12)


def plain_loss(loss, margin):
    if loss == "zero-one":
        return {-1: 1.0, 0: 0.5, 1: 0.0}[int(np.sign(margin))]
    if loss == "sigmoid":
        return 1.0 / (1.0 + math.exp(margin))
    return math.log(1.0 + math.exp(-margin))


@st.composite
def any_rows(draw):
    """PU labels without any structure, a prior that they allow, and scores with ties."""
    n = draw(st.integers(2, 25))
    n_labelled = draw(st.integers(1, n - 1))
    y = np.zeros(n, dtype=bool)
    y[draw(st.permutations(range(n)))[:n_labelled]] = True
    values = st.one_of(st.integers(-2, 2).map(float), st.floats(-30.0, 30.0))
    scores = np.array(draw(st.lists(values, min_size=n, max_size=n)))
    share = n_labelled / n
    prior = share + (1.0 - share) * draw(st.floats(0.0, 0.99))
    return y, scores, prior


@given(any_rows(), st.sampled_from(["zero-one", "sigmoid", "logistic"]))
def test_risks_against_the_formula_in_a_loop(rows, loss):
    y, scores, prior = rows
    as_positive = as_negative = all_as_negative = 0.0
    for labelled, score in zip(y, scores, strict=True):
        all_as_negative += plain_loss(loss, -score) / len(y)
        if labelled:
            as_positive += plain_loss(loss, score) / y.sum()
            as_negative += plain_loss(loss, -score) / y.sum()
    negatives = all_as_negative - prior * as_negative
    unbiased = prior * as_positive + negatives
    cut = prior * as_positive + max(0.0, negatives)
    assert upu_risk(y, scores, prior=prior, loss=loss) == pytest.approx(unbiased, abs=1e-10)
    assert nnpu_risk(y, scores, prior=prior, loss=loss) == pytest.approx(cut, abs=1e-10)


@given(any_rows())
def test_area_against_counting_pairs(rows):
    y, scores, prior = rows
    pairs = list(itertools.product(scores[y], scores))
    wins = sum(1.0 if first > other else 0.5 * (first == other) for first, other in pairs)
    against_all = wins / len(pairs)
    expected = (against_all - prior / 2.0) / (1.0 - prior)
    assert pu_roc_auc(y, scores, prior=prior) == pytest.approx(expected, abs=1e-9)
    assert proxy_roc_auc(y, scores) == pytest.approx(roc_auc_score(y, scores), abs=1e-12)


@given(any_rows())
def test_recall_at_a_share_against_sorting(rows):
    """Rows of equal score share the places they take up together."""
    y, scores, prior = rows
    order = np.argsort(-scores, kind="stable")
    inside = np.clip(prior * len(y) - np.arange(len(y)), 0.0, 1.0)
    share = {value: inside[scores[order] == value].mean() for value in scores}
    expected = np.mean([share[value] for value in scores[y]])
    found = hidden_positive_recall(y, scores, prior=prior)
    assert found == pytest.approx(expected, abs=1e-9)
    assert 0.0 <= found <= 1.0


@given(any_rows(), st.floats(-30.0, 30.0))
def test_relations_between_metrics(rows, threshold):
    y, scores, prior = rows
    predicted = scores > threshold
    accuracy = pu_accuracy(y, predicted, prior=prior)
    assert proxy_accuracy(y, predicted, prior=prior) == pytest.approx(accuracy + prior, abs=1e-12)
    margins = np.where(predicted, 1.0, -1.0)
    assert upu_risk(y, margins, prior=prior) == pytest.approx(1.0 - accuracy, abs=1e-12)
    smooth = upu_risk(y, scores, prior=prior, loss="sigmoid")
    assert nnpu_risk(y, scores, prior=prior, loss="sigmoid") >= smooth - 1e-12
    if predicted.any():
        precision = pu_precision(y, predicted, prior=prior)
        recall = predicted[y].mean()
        if precision + recall > 0.0:
            f1 = 2.0 * precision * recall / (precision + recall)
            assert pu_f1(y, predicted, prior=prior) == pytest.approx(f1, abs=1e-9)
    for metric in OF_LABELS:
        assert np.isfinite(metric(y, predicted, prior=prior))
        if metric is not proxy_accuracy:
            assert 0.0 <= metric(y, predicted, prior=prior, clip=True) <= 1.0


def test_accuracy_follows_from_recall_at_the_prior():
    random = np.random.RandomState(0)
    y = np.arange(200) < 30
    for _ in range(20):
        scores = random.rand(200) + y * random.rand()
        predicted = scores >= np.sort(scores)[-80]
        recall = hidden_positive_recall(y, scores, prior=0.4)
        accuracy = pu_accuracy(y, predicted, prior=0.4)
        assert accuracy == pytest.approx(1.0 - 2.0 * 0.4 * (1.0 - recall), abs=1e-12)


def test_values_by_hand():
    # 2 labelled of 10 rows, prior 0.4; both labelled and 3 others predicted.
    y = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    predicted = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    assert pu_accuracy(y, predicted, prior=0.4) == pytest.approx(0.9)
    assert pu_balanced_accuracy(y, predicted, prior=0.4) == pytest.approx(11 / 12)
    assert pu_precision(y, predicted, prior=0.4) == pytest.approx(0.8)
    assert pu_f1(y, predicted, prior=0.4) == pytest.approx(8 / 9)
    assert lee_liu_score(y, predicted) == pytest.approx(2.0)
    assert proxy_accuracy(y, predicted, prior=0.4) == pytest.approx(1.3)


def test_estimates_are_cut_off_only_on_request():
    y = [1, 0, 0, 0]
    only_the_labelled = [1, 0, 0, 0]
    assert pu_accuracy(y, only_the_labelled, prior=0.75) == pytest.approx(1.5)
    assert pu_accuracy(y, only_the_labelled, prior=0.75, clip=True) == 1.0
    assert pu_precision(y, only_the_labelled, prior=0.75) == pytest.approx(3.0)
    assert pu_precision(y, only_the_labelled, prior=0.75, clip=True) == 1.0
    assert pu_balanced_accuracy(y, only_the_labelled, prior=0.75) == pytest.approx(2.0)
    assert pu_roc_auc(y, [4, 1, 2, 3], prior=0.75) == pytest.approx(2.0)
    assert pu_roc_auc(y, [4, 1, 2, 3], prior=0.75, clip=True) == 1.0


def test_nothing_predicted_positive():
    y, nothing = [1, 0, 0, 0], [0, 0, 0, 0]
    assert pu_precision(y, nothing, prior=0.5) == 0.0
    assert pu_precision(y, nothing, prior=0.5, zero_division=1.0) == 1.0
    assert lee_liu_score(y, nothing) == 0.0
    assert lee_liu_score(y, nothing, zero_division=1.0) == 1.0
    assert pu_f1(y, nothing, prior=0.5) == 0.0
    assert pu_accuracy(y, nothing, prior=0.5) == pytest.approx(0.5)
    assert hidden_positive_recall(y, [1.0] * 4, prior=0.5) == pytest.approx(0.5)


def test_a_fold_may_hold_a_labelled_row_more_than_the_prior_allows():
    """A prior equal to the labelled share is allowed, and then half of the folds are above it."""
    y = [1, 1, 1, 0, 0, 0, 0, 0]
    assert pu_accuracy(y, y, prior=0.3) == pytest.approx(1.0 - 0.3 + 0.6 - 0.375)
    with pytest.raises(ValueError, match=r"prior is 0.1, below the labelled fraction 0.375"):
        pu_accuracy(y, y, prior=0.1)


ENCODINGS = {
    "numbers": ([0, 1, 0, 1], [1, 1, 0, 0], None),
    "signs": ([-1, 1, -1, 1], [1, 1, -1, -1], None),
    "strings": (["no", "yes", "no", "yes"], ["yes", "yes", "no", "no"], None),
    "booleans": ([False, True, False, True], [True, True, False, False], None),
    "missing": ([np.nan, 1.0, np.nan, 1.0], [1.0, 1.0, 0.0, 0.0], None),
    "missing both": ([None, "p", None, "p"], ["p", "p", None, None], None),
    "other side": (["u", "p", "u", "p"], ["p", "p", "u", "u"], "p"),
    "pandas": (
        pd.Series(["no", "yes", "no", "yes"], dtype="category"),
        pd.Series(["yes", "yes", "no", "no"], index=[3, 1, 2, 0]),
        None,
    ),
    "nullable": (
        pd.Series([None, 1, None, 1], dtype="Int64"),
        pd.Series([1, 1, 0, 0], dtype="Int64"),
        None,
    ),
    "polars": (pl.Series([0, 1, 0, 1]), pl.Series([1, 1, 0, 0]), None),
}


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_every_encoding(name):
    y, predicted, pos_label = ENCODINGS[name]
    assert pu_accuracy(y, predicted, prior=0.6, pos_label=pos_label) == pytest.approx(0.5)
    assert lee_liu_score(y, predicted, pos_label=pos_label) == pytest.approx(0.5)
    scores = pd.Series([0.9, 0.8, 0.1, 0.2], index=[9, 8, 7, 6])
    assert proxy_roc_auc(y, scores, pos_label=pos_label) == pytest.approx(0.5)


@pytest.mark.parametrize("metric", [*OF_LABELS, *OF_SCORES], ids=lambda metric: metric.__name__)
def test_errors(metric):
    y, answer = [0, 1, 0], [0, 1, 1]
    with pytest.raises(TypeError, match="prior must be a number"):
        metric(y, answer, prior="half")
    with pytest.raises(ValueError, match=r"prior must be above 0 and below 1, found 1\.5"):
        metric(y, answer, prior=1.5)
    with pytest.raises(ValueError, match=r"y has 3 labels, y_(pred|score) has 2"):
        metric(y, [0, 1], prior=0.5)
    with pytest.raises(ValueError, match="y holds only one class"):
        metric([0, 0, 0], answer, prior=0.5)
    with pytest.raises(ValueError, match="pos_label is 7, which is not a value of y"):
        metric(y, answer, prior=0.5, pos_label=7)


def test_errors_of_predictions_and_scores():
    with pytest.raises(ValueError, match=r"positive is 1; found 0.1, 0.3, 0.9"):
        pu_accuracy([0, 1, 0], [0.1, 0.9, 0.3], prior=0.5)
    with pytest.raises(ValueError, match=r"two values of y, positive is 'yes'; found 0, 1"):
        pu_accuracy(["no", "yes"], [0, 1], prior=0.5)
    with pytest.raises(ValueError, match="y_score must be finite, found nan at row 1"):
        pu_roc_auc([0, 1, 0], [0.1, np.nan, 0.3], prior=0.5)
    with pytest.raises(TypeError, match="y_score must be an array of real numbers"):
        upu_risk([0, 1], ["a", "b"], prior=0.5)
    with pytest.raises(ValueError, match="loss must be one of zero-one, sigmoid, logistic, found"):
        upu_risk([0, 1], [0.0, 1.0], prior=0.5, loss="hinge")


def test_one_class_is_warned_of_with_counts():
    y = [1, 0, 0, 0]
    with pytest.warns(OneClassPredictionWarning, match="0 of 4 rows positive, where about 2 are"):
        assert warn_if_one_class(y, [0, 0, 0, 0], prior=0.5)
    with pytest.warns(OneClassPredictionWarning, match=r"4 of 4 rows positive; 1 of them are"):
        assert warn_if_one_class(y, [1, 1, 1, 1])
    assert not warn_if_one_class(y, [1, 1, 0, 0])
