"""Folds of labels: how they are made, and how rows are judged in them, by hand and by chance."""

import numpy as np
import pytest

from pucut.judging.folds import (
    NEGATIVE,
    POSITIVE,
    PU_FOLDS,
    UNLABELLED,
    LabelFolds,
    PUFolds,
    class_folds,
    n_pu_folds,
    pu_folds,
)


def codes_of(is_labelled, is_negative=None):
    codes = np.where(is_labelled, POSITIVE, UNLABELLED)
    if is_negative is not None:
        codes[is_negative] = NEGATIVE
    return codes


def first(n_labelled, n_rows):
    return np.arange(n_rows) < n_labelled


def own_groups(is_labelled, n_positive, seed=0):
    """Folds of a table without copies."""
    groups = np.arange(len(is_labelled))
    return pu_folds(is_labelled, n_positive, np.random.RandomState(seed), groups)


# One row cannot be hidden; all folds until three of them hide 30 rows; three until two hide enough,
# which are 120 rows if most positives are labelled and 600 otherwise; one if it does.
FEW = [(1, 0), (2, 2), (4, 4), (5, 5), (47, 5), (50, 3), (295, 3)]
MOST_LABELLED = [*FEW, (300, 2), (595, 2), (600, 1)]
MOST_UNLABELLED = [*FEW, (600, 3), (1495, 3), (1500, 2), (2995, 2), (3000, 1)]


@pytest.mark.parametrize(
    ("n_labelled", "n_positive", "n_folds"),
    [(n, 2 * n - 1, n_folds) for n, n_folds in MOST_LABELLED]
    + [(n, 2 * n, n_folds) for n, n_folds in MOST_UNLABELLED],
)
def test_there_are_folds_until_enough_rows_are_hidden(n_labelled, n_positive, n_folds):
    is_labelled = first(n_labelled, 7000)
    folds = own_groups(is_labelled, n_positive)
    assert folds.n_folds == n_folds == n_pu_folds(n_labelled, n_positive)
    assert len(folds.labels) == n_folds + 1
    np.testing.assert_array_equal(folds.labels[-1] == POSITIVE, is_labelled)
    # Folds are as even as can be, have labelled rows only, and are hidden once.
    sizes = np.bincount(folds.fold[folds.is_hidden], minlength=n_folds)
    fifth = n_labelled / min(PU_FOLDS, n_labelled)
    assert all(np.floor(fifth) <= size <= np.ceil(fifth) for size in sizes)
    assert not (folds.is_hidden & ~is_labelled).any()
    hidden = [is_labelled & (codes == UNLABELLED) for codes in folds.labels[:-1]]
    hidden = np.array(hidden).reshape(-1, 7000)
    np.testing.assert_array_equal(hidden.sum(axis=0), folds.is_hidden)
    assert folds.n_hidden == folds.is_hidden.sum() == sizes.sum()


def test_folds_are_drawn():
    one, same, other = (own_groups(first(40, 90), 60, seed).fold for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_without_copies_the_folds_are_those_of_the_rows():
    """As they were dealt before there were groups, to the bit."""
    is_labelled = np.random.default_rng(0).random(300) < 0.3
    n_labelled = int(is_labelled.sum())
    dealt = np.random.RandomState(7).permutation(np.arange(n_labelled) % PU_FOLDS)
    expected = np.where(dealt < n_pu_folds(n_labelled, 150), dealt, -1)
    np.testing.assert_array_equal(own_groups(is_labelled, 150, 7).fold[is_labelled], expected)


def test_no_fold_knows_a_copy_of_a_row_that_it_hides():
    """20 rows twice and 30 once are labelled; 50 groups, and 3 folds hide 10 of them each."""
    groups = np.concatenate([np.arange(150), np.arange(20)])
    is_labelled = groups < 50
    folds = pu_folds(is_labelled, 100, np.random.RandomState(0), groups)
    assert folds.n_folds == 3
    for k, codes in enumerate(folds.labels[:-1]):
        hidden = set(groups[folds.fold == k])
        assert len(hidden) == 10
        assert not hidden & set(groups[codes == POSITIVE])
    # Copies count once, by their mean.
    score = np.random.default_rng(0).random(len(groups))
    found = folds.recovered([score] * 4)
    assert len(found) == 30 == len(folds.may_judge(0))
    np.testing.assert_array_equal(folds.may_judge(1), np.arange(30) // 10 != 1)
    twice = {group: np.flatnonzero(groups == group) for group in range(20)}
    some = next(group for group in range(20) if folds.fold[group] == 0)
    place = list(dict.fromkeys(groups[folds.fold == 0])).index(some)
    score[twice[some]] = [2.0, -1.0]
    assert folds.recovered([score] * 4)[place] == 0.5
    alone = pu_folds(np.ones(4, bool), 4, np.random.RandomState(0), np.zeros(4, int))
    assert alone.n_folds == 0


def test_recovered_rows_are_among_as_many_as_the_prior_says():
    """Six labelled rows, two of which each fold hides, among ten; seven are positive."""
    fold = np.array([0, 0, 1, 1, -1, -1, -1, -1, -1, -1])
    folds = PUFolds(codes_of(first(6, 10)), fold, np.arange(10), 7)
    # Fold 0 queries rows 0, 1 and 6 to 9, and 7 - 4 = 3 of them are positive.
    score = np.array([3.0, 1.0, 9.0, 9.0, 9.0, 9.0, 2.0, 1.0, 1.0, 0.0])
    # Rows 0 and 6 are; row 1 shares the last place with rows 7 and 8.
    np.testing.assert_allclose(folds.recovered([score, score, score])[:2], [1.0, 1 / 3])
    # Fold 1 queries rows 2 and 3, which are above all others.
    np.testing.assert_array_equal(folds.recovered([score, score, score])[2:], [1.0, 1.0])
    everywhere = PUFolds(codes_of(first(6, 10)), fold, np.arange(10), 10)
    np.testing.assert_array_equal(everywhere.recovered([-score] * 3), 1.0)
    none = PUFolds(codes_of(first(1, 4)), np.full(4, -1), np.arange(4), 2)
    assert none.recovered([np.zeros(4)]).shape == (0,)


def test_chance_recovers_as_many_as_are_wanted():
    random = np.random.default_rng(0)
    folds = own_groups(first(60, 300), 150)
    found = [folds.recovered([random.random(300) for _ in folds.labels]).mean() for _ in range(400)]
    # 48 rows are known, 252 are queried, and 102 of them are wanted.
    assert np.mean(found) == pytest.approx(102 / 252, abs=0.01)


def test_labelled_rows_have_their_rank_in_the_fold_that_hides_them():
    fold = np.array([0, 1, -1, -1, -1, -1, -1])
    folds = PUFolds(codes_of(first(3, 7)), fold, np.arange(7), 5)
    of_fold_0 = np.array([2.5, 99.0, 99.0, 1.0, 2.0, 3.0, 4.0])
    of_fold_1 = np.array([99.0, 4.0, 99.0, 1.0, 2.0, 3.0, 4.0])
    rank = folds.hidden_ranks([of_fold_0, of_fold_1, np.full(7, 99.0)])
    np.testing.assert_allclose(rank[:2], [2 / 4, 3.5 / 4])
    assert rank[2] == pytest.approx((2 / 4 + 3.5 / 4) / 2)  # never hidden: the median of both
    assert np.isnan(rank[3:]).all()
    alone = PUFolds(codes_of(first(1, 3)), np.full(3, -1), np.arange(3), 2)
    np.testing.assert_array_equal(alone.hidden_ranks([np.zeros(3)]), [1.0, np.nan, np.nan])


def test_known_negatives_are_hidden_and_judge_too():
    """Six positives and four negatives are known among twenty rows, nine of which are positive."""
    is_negative = (np.arange(20) >= 6) & (np.arange(20) < 10)
    folds = pu_folds(first(6, 20), 9, np.random.RandomState(0), np.arange(20), is_negative)
    assert folds.n_folds == 5
    assert (folds.fold[is_negative] >= 0).all()
    assert (folds.fold[10:] == -1).all()
    for k in range(5):
        hidden = folds.fold == k
        np.testing.assert_array_equal(folds.labels[k] == NEGATIVE, is_negative & ~hidden)
        np.testing.assert_array_equal(folds.labels[k] == POSITIVE, first(6, 20) & ~hidden)
    np.testing.assert_array_equal(folds.labels[-1] == NEGATIVE, is_negative)
    order = np.argsort(folds.fold[:10], kind="stable")  # the order of those that are judged
    np.testing.assert_array_equal(folds.is_positive_judge, order < 6)
    # Scores that know the truth get all rows right; the same scores reversed get none.
    truth = np.where(np.arange(20) < 6, 2.0, np.where(is_negative, -2.0, 0.0))
    truth += np.linspace(0.0, 0.5, 20)
    np.testing.assert_array_equal(folds.recovered([truth] * 6), 1.0)
    np.testing.assert_array_equal(folds.recovered([-truth] * 6), 0.0)
    rank = folds.hidden_ranks([truth] * 6)
    np.testing.assert_array_equal(rank[:10], np.where(is_negative[:10], 0.0, 1.0))
    # 3 of 10 unlabelled rows are positive, so that these count as a probability of 0.3.
    np.testing.assert_allclose(folds.targets[-1][[0, 6, 19]], [1.0, -0.3 / 0.7, 0.0])
    np.testing.assert_array_equal(folds.may_judge(0), folds.fold[order] != 0)


def test_negatives_that_are_never_hidden_have_the_ranks_of_the_others():
    fold = np.array([0, 1, 0, -1, -1, -1, -1])
    is_negative = np.array([0, 0, 1, 1, 0, 0, 0], bool)
    folds = PUFolds(codes_of(first(2, 7), is_negative), fold, np.arange(7), 3)
    score = np.array([9.0, 9.0, 1.5, 9.0, 1.0, 2.0, 3.0])
    rank = folds.hidden_ranks([score, score, score])
    np.testing.assert_allclose(rank[:4], [1.0, 1.0, 1 / 3, 1 / 3])
    other = np.array([0, 1, -1, -1, -1, -1, -1])
    never = PUFolds(codes_of(first(2, 7), is_negative), other, np.arange(7), 3)
    np.testing.assert_array_equal(never.hidden_ranks([score, score, score])[2:4], 0.0)


def test_a_fold_is_judged_by_rows_that_others_hide():
    fold = np.array([1, 0, 1, 2, -1])
    folds = PUFolds(np.full(5, POSITIVE), fold, np.arange(5), 5)
    # Hidden rows come fold by fold: one, two, one.
    assert folds.may_judge(0).tolist() == [False, True, True, True]
    assert folds.may_judge(1).tolist() == [True, False, False, True]
    assert folds.may_judge(3).all()
    assert PUFolds(np.full(2, POSITIVE), np.array([0, -1]), np.arange(2), 2).may_judge(0).all()


def test_class_folds_hide_each_class_evenly_and_never_its_last_label():
    random = np.random.RandomState(0)
    codes = np.array([0] * 20 + [1] * 11 + [2] + [-1] * 30)
    folds = class_folds(codes, random, np.arange(len(codes)))
    assert folds.n_folds == 5
    for k, rows in enumerate(folds.hidden_rows):
        left = folds.labels[k]
        assert set(codes[rows]) <= {0, 1}
        assert (left[rows] == -1).all()
        assert set(left[left >= 0]) == {0, 1, 2}
        assert np.count_nonzero(codes[rows] == 0) == 4
    sizes = [len(rows) for rows in folds.hidden_rows]
    assert sum(sizes) == 31
    assert max(sizes) - min(sizes) <= 1
    np.testing.assert_array_equal(
        codes[folds.judges], np.concatenate([codes[rows] for rows in folds.hidden_rows])
    )


def test_class_folds_stop_when_enough_is_hidden():
    codes = np.random.default_rng(0).integers(0, 3, 600)
    folds = class_folds(codes, np.random.RandomState(0), np.arange(600))
    assert folds.n_folds == 1
    assert len(folds.hidden_rows[0]) == 200
    single = np.array([0, 1, -1, -1])
    assert class_folds(single, np.random.RandomState(0), np.arange(4)).n_folds == 0


def test_losses_are_squared_errors_of_the_judges():
    folds = LabelFolds(np.array([0, 1, 2, -1]), np.array([1, 0, -1, -1]), np.arange(4))
    found = np.random.default_rng(0).random((2, 4, 3))
    expected = [
        ((found[k, row] - np.eye(3)[code]) ** 2).sum() for k, row, code in ((0, 1, 1), (1, 0, 0))
    ]
    np.testing.assert_allclose(folds.losses(list(found)), expected)
