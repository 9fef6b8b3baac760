"""Equal rows: found by their values, kept together where they are copies, and said."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pucut import PUThresholdClassifier
from pucut.data.repeats import (
    equal_rows,
    groups_for_folds,
    labelled_groups,
    numbered,
    possible_folds,
    repeats,
)
from pucut.exceptions import RepeatedRowsWarning


def few_values(n_rows, seed=0):
    return np.random.default_rng(seed).integers(0, 3, (n_rows, 3)).astype(float)


def repeats_in(X, is_labelled):
    return repeats(equal_rows(X), is_labelled)


def by_values(table):
    """The oracle: a dictionary of the rows."""
    numbers = {}
    return [numbers.setdefault(tuple(map(str, row)), len(numbers)) for row in table]


def test_equal_rows_have_the_same_number():
    X = few_values(200)
    np.testing.assert_array_equal(equal_rows(X), by_values(X))
    np.testing.assert_array_equal(equal_rows(sp.csr_array(X)), by_values(X))
    X[::7, 1] = np.nan
    np.testing.assert_array_equal(equal_rows(X), by_values(X))
    frame = pd.DataFrame({"x": X[:, 0], "kind": np.array(["a", "b", "c"])[X[:, 2].astype(int)]})
    np.testing.assert_array_equal(equal_rows(frame), by_values(frame.to_numpy()))
    texts = ["one", "one", "two"]  # for a classifier that takes texts
    np.testing.assert_array_equal(equal_rows(texts), [0, 1, 2])
    np.testing.assert_array_equal(numbered(np.array([7, 3, 7, 1])), [0, 1, 0, 2])


def test_copies_are_groups_and_samples_that_happen_to_be_equal_are_not():
    X = np.random.default_rng(0).normal(size=(60, 2))
    is_labelled = np.arange(60) < 15
    # Without equal rows.
    np.testing.assert_array_equal(groups_for_folds(X, is_labelled), np.arange(60))
    # Every row twice, its label too.
    twice, labels = np.vstack([X, X]), np.tile(is_labelled, 2)
    np.testing.assert_array_equal(groups_for_folds(twice, labels), np.tile(np.arange(60), 2))
    assert repeats_in(twice, labels).are_copies
    # Only unlabelled rows twice: nothing speaks against copies.
    more = np.vstack([X, X[30:]])
    labels = np.arange(90) < 15
    np.testing.assert_array_equal(groups_for_folds(more, labels), [*range(60), *range(30, 60)])
    # Few values, each row labelled or not by itself.
    coarse = few_values(400)
    labels = np.random.default_rng(1).random(400) < 0.3
    np.testing.assert_array_equal(groups_for_folds(coarse, labels), np.arange(400))
    assert not repeats_in(coarse, labels).are_copies


def test_folds_are_possible_while_both_kinds_of_groups_last():
    groups = np.array([0, 0, 0, 1, 2, 3, 3])
    is_labelled = np.array([True, True, False, True, False, False, False])
    np.testing.assert_array_equal(labelled_groups(groups, is_labelled), [True, True, False, False])
    assert possible_folds(5, groups, is_labelled) == 2
    assert possible_folds(5, np.arange(7), is_labelled) == 3
    assert possible_folds(5, np.zeros(7, dtype=int), is_labelled) == 0


def test_what_is_said_of_equal_rows():
    X = np.random.default_rng(0).normal(size=(50, 2))
    is_labelled = np.arange(50) < 10
    assert str(repeats_in(X, is_labelled)) == "All 50 rows are different."
    found = repeats_in(np.vstack([X, X[:20]]), np.append(is_labelled, np.arange(20) < 10))
    assert (found.n_repeated, found.n_distinct, found.are_copies) == (40, 20, True)
    assert str(found).startswith(
        "40 of 70 rows are equal to another row, label included: 20 rows and their copies."
    )
    coarse = repeats_in(few_values(300), np.random.default_rng(1).random(300) < 0.2)
    assert not coarse.are_copies
    assert str(coarse).endswith("so each counts as a sample of its own.")
    # One labelled row of twenty has a copy, and only unlabelled rows have any: nothing is claimed.
    for again in (range(1), range(30, 50)):
        rows = [*range(50), *again]
        unclear = repeats_in(X[rows], (np.arange(50) < 20)[rows])
        assert not unclear.are_copies
        assert not unclear.has_few_values
        assert str(unclear).endswith("so they may be copies: folds keep them together.")


def test_a_table_of_few_values_has_samples_not_copies():
    """Though all its positives are labelled, so that equal rows have equal labels."""
    random = np.random.default_rng(0)
    X = random.integers(3, size=(200, 2)).astype(float)
    is_labelled = X[:, 0] == 0
    found = repeats_in(X, is_labelled)
    assert found.agreement == 1.0
    assert found.has_few_values
    assert not found.are_copies
    assert "each counts as a sample of its own" in str(found)
    np.testing.assert_array_equal(groups_for_folds(X, is_labelled), np.arange(200))


def test_many_copies_are_worth_a_warning():
    X = np.random.default_rng(0).normal(size=(100, 2))
    y = np.arange(100) < 30
    model = PUThresholdClassifier(prior=0.5, random_state=0)
    with pytest.warns(RepeatedRowsWarning, match="200 of 200 rows are equal.*drop_duplicates"):
        model.fit(np.vstack([X, X]), np.append(y, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y)
        model.fit(np.vstack([X, X[:3]]), np.append(y, y[:3]))  # too few to speak of
        model.fit(few_values(300), np.random.default_rng(1).random(300) < 0.2)
