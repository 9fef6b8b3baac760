"""Known rows that are repeated: the risk they give is that of three kinds of rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from pucut.data.known_rows import MOST_MIXED, mixed_share, with_known_rows
from pucut.data.tables import read_table
from pucut.trees.forest import forest_scores
from pucut.trees.growing import grow_forest


def kinds(n_rows=2000, seed=0):
    random = np.random.default_rng(seed)
    truth = random.random(n_rows) < 0.4
    drawn = random.random(n_rows) < 0.1
    return truth, truth & drawn, ~truth & drawn, random.normal(size=n_rows) + 2.0 * truth


@pytest.mark.parametrize("includes_labelled", [True, False])
def test_the_risk_is_that_of_positive_negative_and_unlabelled_rows(includes_labelled):
    truth, positive, negative, score = kinds()
    loss = 1.0 / (1.0 + np.exp(score))  # of a row that counts as positive; 1 - loss as negative
    unlabelled = np.ones(len(truth), bool) if includes_labelled else ~positive
    prior = truth[unlabelled].mean()
    known = with_known_rows(positive, negative, prior, includes_labelled=includes_labelled)
    in_set = np.ones(len(known.rows), bool) if includes_labelled else ~known.is_labelled
    as_negative = (1.0 - loss)[known.rows]
    found = as_negative[in_set].mean() - prior * as_negative[known.is_labelled].mean()
    eta = mixed_share(prior, positive.sum(), negative.sum(), unlabelled.sum())
    by_unlabelled = (1.0 - loss)[unlabelled].mean() - prior * (1.0 - loss)[positive].mean()
    by_negatives = (1.0 - prior) * (1.0 - loss)[negative].mean()
    assert 0.2 < eta <= MOST_MIXED
    # Rows are repeated a whole number of times, some once more than others.
    assert found == pytest.approx((1.0 - eta) * by_unlabelled + eta * by_negatives, abs=2e-3)
    np.testing.assert_array_equal(known.rows[: len(truth)], np.arange(len(truth)))
    np.testing.assert_array_equal(np.flatnonzero(known.is_labelled), np.flatnonzero(positive))
    assert known.growth == pytest.approx(in_set.sum() / unlabelled.sum(), abs=1e-3)


def test_without_known_negatives_nothing_is_repeated():
    _, positive, _, _ = kinds()
    known = with_known_rows(positive, np.zeros_like(positive), 0.4)
    np.testing.assert_array_equal(known.rows, np.arange(len(positive)))
    assert known.growth == 1.0


def test_more_negatives_count_more():
    shares = [mixed_share(0.4, 50, n, 1000) for n in (0, 5, 20, 100, 1000)]
    assert shares[0] == 0.0
    assert (np.diff(shares) >= 0.0).all()
    assert shares[-1] == MOST_MIXED


def test_rows_of_dense_and_sparse_tables_are_repeated_alike():
    X = np.random.default_rng(0).integers(0, 3, size=(30, 4)).astype(float)
    rows = np.concatenate([np.arange(30), [7, 3, 3, 29, 0]])
    dense = read_table(X).of_rows(rows)
    sparse = read_table(sp.csr_array(X)).of_rows(rows)
    np.testing.assert_array_equal(np.column_stack(dense.values), X[rows])
    for column, there, values in zip(X[rows].T, sparse.rows, sparse.values, strict=True):
        filled = np.zeros(35)
        filled[there] = values
        np.testing.assert_array_equal(filled, column)
    assert dense.n_rows == sparse.n_rows == 35


def test_trees_tell_known_negatives_from_the_rest():
    """Negatives of a kind that looks like unlabelled positives are found by their labels alone."""
    random = np.random.default_rng(1)
    n = 600
    truth = np.arange(n) < 300
    X = random.normal(size=(n, 2))
    X[:, 0] += 1.5 * truth
    positive = truth & (random.random(n) < 0.1)
    negative = ~truth & (random.random(n) < 0.3)
    hidden = ~(positive | negative)
    growing = {"n_trees": 200, "random_state": 0, "n_threads": 1}

    def area(is_negative):
        forest = grow_forest(X, positive, 0.5, is_negative=is_negative, **growing)
        scores = forest_scores(forest, X).leaf[hidden]
        return np.mean(scores[truth[hidden]][:, None] > scores[~truth[hidden]][None, :])

    assert area(negative) > area(None) + 0.01
