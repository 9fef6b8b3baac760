"""Labels drawn from known classes: at random, or by a propensity of columns."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from pucut.datasets import biased_labels, pu_split


def table(n_rows=2000, seed=0):
    random = np.random.RandomState(seed)
    X = random.normal(size=(n_rows, 3)) * [1.0, 50.0, 1e-6] + [0.0, 7.0, 0.0]
    return X, random.uniform(size=n_rows) < 0.5


@pytest.mark.parametrize("strength", [-1.0, 0.0, 0.5, 3.0, 40.0])
@pytest.mark.parametrize("share", [0.1, 0.6, 1.0])
def test_the_number_of_labels_is_exact_and_only_positives_have_them(strength, share):
    X, positive = table()
    found = biased_labels(X, positive, [1, 2], strength, share, random_state=0)
    assert found.is_labelled.sum() == int(share * positive.sum() + 1e-9)
    assert not found.is_labelled[~positive].any()
    assert found.propensity[positive].sum() == pytest.approx(found.is_labelled.sum(), rel=1e-6)


def test_every_positive_is_labelled_as_often_as_its_propensity_says():
    X, positive = table(60)
    draws = [biased_labels(X, positive, [0], 1.5, 0.4, random_state=seed) for seed in range(800)]
    often = np.mean([draw.is_labelled for draw in draws], axis=0)[positive]
    chance = draws[0].propensity[positive]
    error = np.sqrt(chance * (1.0 - chance) / len(draws))
    assert (np.abs(often - chance) < 4.5 * error).all()
    assert chance.max() - chance.min() > 0.5


def test_the_propensity_is_logistic_in_the_standardised_column():
    X, positive = table()
    found = biased_labels(X, positive, [1], 1.25, 0.3, random_state=0)
    column = X[:, 1]
    values = (column - column[positive].mean()) / column[positive].std()
    odds = np.log(found.propensity) - np.log1p(-found.propensity)
    constant = odds - 1.25 * values
    assert np.ptp(constant) < 1e-8
    # And a regression of the labels on that column finds the strength again.
    fit = LogisticRegression(C=np.inf).fit(values[positive, None], found.is_labelled[positive])
    assert fit.coef_[0, 0] == pytest.approx(1.25, abs=0.3)
    np.testing.assert_allclose(found.propensity, expit(1.25 * values + constant[0]), rtol=1e-9)


def test_without_strength_all_positives_have_the_same_chance():
    X, positive = table(300)
    found = biased_labels(X, positive, [0, 1], 0.0, 0.25, random_state=3)
    share = found.is_labelled.sum() / positive.sum()
    np.testing.assert_allclose(found.propensity, share, rtol=1e-9)


def test_columns_by_name_mask_and_number_are_the_same():
    X, positive = table(200)
    X[4, 0] = np.nan
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    expected = biased_labels(X, positive, [0, 2], 1.0, random_state=1)
    for other, columns in ((frame, ["c", "a"]), (X.tolist(), [True, False, True]), (X, [-1, 0])):
        found = biased_labels(other, positive, columns, 1.0, random_state=1)
        np.testing.assert_array_equal(found.is_labelled, expected.is_labelled)
        np.testing.assert_array_equal(found.propensity, expected.propensity)
    other = biased_labels(X, positive, [0, 2], 1.0, random_state=2)
    assert (other.is_labelled != expected.is_labelled).any()


def test_a_constant_column_does_not_decide_anything():
    positive = np.arange(20) % 2 == 0
    found = biased_labels(np.full((20, 1), 0.1), positive, [0], 5.0, 0.5, random_state=0)
    np.testing.assert_allclose(found.propensity, 0.5)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"columns": []}, ValueError, "columns names none"),
        ({"columns": [3]}, ValueError, "columns must hold column names or indices below 3"),
        ({"columns": ["a"]}, ValueError, "columns names 'a', which is not a column of X"),
        ({"columns": 0}, ValueError, "columns must be a mask, or a list"),
        ({"strength": "high"}, TypeError, "strength must be a number, found 'high'"),
        ({"strength": np.nan}, ValueError, "strength must be finite, found nan"),
        ({"labelled_share": 0.0}, ValueError, r"labelled_share must be in \(0, 1\]"),
        ({"n_labelled": 2001}, ValueError, "n_labelled must be from 1 to"),
        ({"X": np.zeros((5, 2))}, ValueError, "each of the 5 rows of X, found 2000"),
        ({"X": sp.csr_array(np.eye(2000, 3))}, TypeError, "X must be dense"),
        ({"X": pd.DataFrame({"a": list("xy") * 1000})}, ValueError, "column 0, which holds categ"),
        ({"is_positive": np.zeros(2000, dtype=bool)}, ValueError, "holds no positive"),
    ],
)
def test_errors_name_the_argument(change, error, words):
    X, positive = table()
    arguments = {"X": X, "is_positive": positive, "columns": [0], "strength": 1.0} | change
    with pytest.raises(error, match=words):
        biased_labels(**arguments, random_state=0)


def test_random_labels_are_what_they_were():
    _, positive = table(100)
    rows = np.random.RandomState(5).choice(np.flatnonzero(positive), 10, replace=False)
    np.testing.assert_array_equal(
        np.flatnonzero(pu_split(positive, n_labelled=10, random_state=5)), np.sort(rows)
    )
