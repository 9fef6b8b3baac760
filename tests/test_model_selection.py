"""Folds and hidden positives."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from pucut.data.labels import checked_pu_labels
from pucut.exceptions import RepeatedRowsWarning
from pucut.metrics import hidden_positive_recall, make_pu_scorer, pu_roc_auc
from pucut.model_selection import HiddenPositivesSplit, PUStratifiedKFold, hidden_positive_scores


def labels(n_labelled, n_samples, seed=0):
    y = np.arange(n_samples) < n_labelled
    return np.random.RandomState(seed).permutation(y)


@given(
    st.integers(2, 6), st.integers(6, 20), st.integers(6, 30), st.booleans(), st.integers(0, 999)
)
def test_folds_partition_and_keep_the_share(n_splits, n_labelled, n_unlabelled, shuffle, seed):
    n = n_labelled + n_unlabelled
    y = labels(n_labelled, n, seed)
    folds = PUStratifiedKFold(n_splits, shuffle=shuffle, random_state=seed if shuffle else None)
    tests = []
    for train, test in folds.split(np.zeros((n, 2)), y):
        assert sorted([*train, *test]) == list(range(n))
        assert abs(y[test].sum() - n_labelled / n_splits) < 1.0
        assert abs(len(test) - n / n_splits) < 2.0
        tests.extend(test)
    assert sorted(tests) == list(range(n))
    assert folds.get_n_splits() == n_splits


def test_folds_of_any_encoding_are_the_same():
    y = labels(10, 40)
    words = np.where(y, "p", "u")
    columns = [
        (y, None),
        (np.where(y, 1.0, np.nan), None),
        (pd.Series(words, dtype="category"), "p"),
        (pl.Series(np.where(y, 7, 3)), None),
        ([True if labelled else None for labelled in y], None),
    ]
    expected = list(PUStratifiedKFold(3).split(np.zeros((40, 1)), y))
    for column, pos_label in columns:
        folds = PUStratifiedKFold(3, pos_label=pos_label).split(None, column)
        for (_, test), (_, expected_test) in zip(folds, expected, strict=True):
            np.testing.assert_array_equal(test, expected_test)


@given(st.integers(2, 5), st.integers(5, 20), st.integers(5, 30), st.integers(0, 999))
def test_every_positive_is_hidden_once(n_splits, n_labelled, n_unlabelled, seed):
    y = labels(n_labelled, n_labelled + n_unlabelled, seed)
    times = np.zeros(len(y), dtype=int)
    hidings = list(HiddenPositivesSplit(n_splits, random_state=seed).hide(y))
    assert len(hidings) == n_splits
    for hiding in hidings:
        assert hiding.is_hidden.any()
        assert hiding.y.any()
        np.testing.assert_array_equal(hiding.y | hiding.is_hidden, y)
        assert not (hiding.y & hiding.is_hidden).any()
        times += hiding.is_hidden
    np.testing.assert_array_equal(times, y.astype(int))


@given(st.integers(2, 5), st.integers(2, 20), st.floats(0.01, 0.99), st.integers(0, 999))
def test_a_given_share_is_hidden(n_splits, n_labelled, share, seed):
    y = labels(n_labelled, n_labelled + 30, seed)
    for hiding in HiddenPositivesSplit(n_splits, hidden_share=share, random_state=seed).hide(y):
        n_hidden = hiding.is_hidden.sum()
        assert 1 <= n_hidden <= n_labelled - 1
        assert abs(n_hidden - share * n_labelled) <= 1.0
        assert (hiding.is_hidden <= y).all()


def test_hidden_labels_are_written_as_the_others():
    y = np.array(["u", "p", "u", "p", "p", "u"])
    for hiding in HiddenPositivesSplit(3, random_state=0, pos_label="p").hide(y):
        assert set(hiding.y) == {"u", "p"}
        np.testing.assert_array_equal(hiding.y[~hiding.is_hidden], y[~hiding.is_hidden])
        assert (hiding.y[hiding.is_hidden] == "u").all()
    for hiding in HiddenPositivesSplit(2, random_state=0).hide([1.0, np.nan, 1.0, np.nan]):
        assert sorted(hiding.y) == [0.0, 0.0, 0.0, 1.0]
    y = np.array([1, 0, 1, -1, 1, 0, -1])
    for hiding in HiddenPositivesSplit(3, random_state=0, neg_label=0).hide(y):
        read = checked_pu_labels(hiding.y, neg_label=0)
        np.testing.assert_array_equal(read.is_negative, y == 0)
        np.testing.assert_array_equal(read.is_labelled, (y == 1) & ~hiding.is_hidden)


@pytest.mark.parametrize("hidden_share", [None, 0.25])
def test_as_cross_validation_both_parts_have_the_same_share(hidden_share):
    y = labels(60, 300)
    splitter = HiddenPositivesSplit(4, hidden_share=hidden_share, random_state=0)
    for train, test in splitter.split(np.zeros((300, 1)), y):
        assert sorted([*train, *test]) == list(range(300))
        assert y[test].mean() == pytest.approx(0.2)
        assert y[train].mean() == pytest.approx(0.2)
        assert len(test) == 75
    X, truth = make_classification(300, random_state=0)
    scorer = make_pu_scorer(pu_roc_auc, prior=0.5)
    labelled = truth.astype(bool) & (np.arange(300) % 2 == 0)
    found = cross_val_score(LogisticRegression(), X, labelled, cv=splitter, scoring=scorer)
    assert len(found) == splitter.get_n_splits() == 4
    assert (found > 0.7).all()


def test_the_same_seed_gives_the_same_splits():
    y = labels(20, 60)
    for splitter in [HiddenPositivesSplit(random_state=3), PUStratifiedKFold(3)]:
        first, second = (list(splitter.split(y, y)) for _ in range(2))
        for (_, one), (_, other) in zip(first, second, strict=True):
            np.testing.assert_array_equal(one, other)
    assert "n_splits=3" in repr(HiddenPositivesSplit())


class Transductive(ClassifierMixin, BaseEstimator):
    """Scores the training rows by their first feature, and can do nothing else."""

    def fit(self, X, y):
        self.scores_ = X[:, 0]
        self.y_ = y
        return self


class Decides(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return X[:, 0]


class Guesses(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        p = 1.0 / (1.0 + np.exp(-X[:, 0]))
        return np.column_stack([1.0 - p, p])


@pytest.mark.parametrize("estimator", [Transductive(), Decides(), Guesses()])
def test_hidden_positive_scores_are_what_the_loop_gives(estimator):
    random = np.random.RandomState(0)
    y = labels(30, 100)
    X = random.normal(size=(100, 2)) + y[:, None]
    cv = HiddenPositivesSplit(3, random_state=1)
    found = hidden_positive_scores(estimator, X, y, prior=0.5, cv=cv)
    expected = []
    for hiding in cv.hide(y):
        predicted = X[:, 0] >= np.sort(X[:, 0])[-50]
        expected.append(predicted[hiding.is_hidden].mean())
    np.testing.assert_allclose(found, expected)
    assert not hasattr(estimator, "scores_")  # a clone was fitted


def test_hidden_positive_scores_of_words_with_a_function():
    y = np.where(labels(30, 100), "a", "b")
    X = np.random.RandomState(0).normal(size=(100, 2))
    cv = HiddenPositivesSplit(2, random_state=0, pos_label="a")

    def seen_as_positive(fitted, X):
        return fitted.y_ == "a"

    # Hidden rows are unlabelled for the method: 15 known, so 35 of 85 others are predicted.
    found = hidden_positive_scores(Transductive(), X, y, prior=0.5, cv=cv, score=seen_as_positive)
    np.testing.assert_allclose(found, 35 / 85)
    recall = hidden_positive_recall(y, np.zeros(100), prior=0.5, pos_label="a")
    assert recall == pytest.approx(0.5)


def with_copies(seed=0):
    """Rows of which some stand there up to three times, with their labels; and the row of each."""
    random = np.random.default_rng(seed)
    rows = random.permutation(np.repeat(np.arange(40), random.integers(1, 4, 40)))
    return random.normal(size=(40, 2))[rows], rows < 12, rows


def test_copies_of_a_row_are_never_separated():
    X, y, row = with_copies()
    hiding = HiddenPositivesSplit(3, random_state=0)
    some = HiddenPositivesSplit(4, hidden_share=0.3, random_state=0)
    for splitter in (PUStratifiedKFold(4, shuffle=True, random_state=0), hiding, some):
        with pytest.warns(RepeatedRowsWarning, match="equal to another row, label included"):
            splits = list(splitter.split(X, y))
        for train, test in splits:
            assert sorted([*train, *test]) == list(range(len(row)))
            assert not np.isin(row[train], row[test]).any()
            assert 0 < len(np.unique(row[test][y[test]])) < 12
    with pytest.warns(RepeatedRowsWarning):
        hidden = [each.is_hidden for each in hiding.hide(y, X)]
    for is_hidden in hidden:
        assert len(np.unique(row[is_hidden])) == 4
        assert not np.isin(row[y & ~is_hidden], row[is_hidden]).any()
    np.testing.assert_array_equal(np.sum(hidden, axis=0), y)
    with pytest.raises(ValueError, match=r"only 12 labelled rows \(copies of a row count once\)"):
        next(PUStratifiedKFold(13).split(X, y, groups=row))


def test_rows_of_given_groups_are_never_separated():
    group = np.random.default_rng(0).permutation(np.repeat(list("abcdefgh"), 5))
    y = np.isin(group, list("abc"))
    for splitter in (PUStratifiedKFold(3), HiddenPositivesSplit(3, random_state=0)):
        for train, test in splitter.split(None, y, groups=group):
            assert y[test].sum() == 5
            assert not set(group[train]) & set(group[test])
    with pytest.raises(ValueError, match="groups must have one value for each of the 40 rows"):
        next(PUStratifiedKFold(2).split(None, y, groups=group[:9]))


def test_no_fit_of_hidden_positive_scores_sees_a_copy_of_a_hidden_row():
    X, y, _ = with_copies()

    class Remembers(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            known = {tuple(each) for each in X[y]}
            self.scores_ = np.array([tuple(each) in known for each in X], dtype=float)
            return self

    with pytest.warns(RepeatedRowsWarning):
        found = hidden_positive_scores(Remembers(), X, y, prior=0.5)
    # Remembered rows come first, so none of the hidden ones is among them.
    assert found.max() < 0.6


def test_errors():
    X = np.zeros((10, 1))
    few = np.arange(10) < 2
    with pytest.raises(ValueError, match="n_splits is 5, but y has only 2 labelled rows"):
        next(PUStratifiedKFold(5).split(X, few))
    with pytest.raises(ValueError, match="n_splits is 3, but y has only 2 unlabelled rows"):
        next(PUStratifiedKFold(3).split(X, ~few))
    with pytest.raises(ValueError, match="n_splits is 3, but y has only 2 labelled rows"):
        next(HiddenPositivesSplit(3).hide(few))
    with pytest.raises(
        ValueError, match=r"y has only 1 labelled row \(copies count once\): two are"
    ):
        next(HiddenPositivesSplit(3, hidden_share=0.5).hide(np.arange(10) < 1))
    with pytest.raises(ValueError, match=r"y has only 1 unlabelled row \(copies count once\): two"):
        next(HiddenPositivesSplit(3, hidden_share=0.5).split(X, np.arange(10) < 9))
    with pytest.raises(ValueError, match="X has 10 rows, y has 9 labels"):
        next(PUStratifiedKFold(2).split(X, few[:9]))
    for splitter in [PUStratifiedKFold, HiddenPositivesSplit]:
        with pytest.raises(ValueError, match="n_splits must be at least 2, found 1"):
            next(splitter(1).split(X, few))
        with pytest.raises(TypeError, match=r"n_splits must be a whole number, found 2\.0"):
            next(splitter(2.0).split(X, few))
    for share in [0.0, 1.0, "half", True]:
        with pytest.raises(ValueError, match="hidden_share must be above 0 and below 1, found"):
            next(HiddenPositivesSplit(2, hidden_share=share).hide(few))
    with pytest.raises(TypeError, match="cv must be a HiddenPositivesSplit or None, found 3"):
        hidden_positive_scores(Transductive(), X, few, prior=0.5, cv=3)
    with pytest.raises(ValueError, match=r"prior is 0\.1, below the labelled fraction 0\.2"):
        hidden_positive_scores(Transductive(), X, few, prior=0.1)

    class Silent(BaseEstimator):
        def fit(self, X, y):
            return self

    cv = HiddenPositivesSplit(2)
    with pytest.raises(TypeError, match="has neither scores_ nor decision_function nor predict_pr"):
        hidden_positive_scores(Silent(), X, few, prior=0.5, cv=cv)
