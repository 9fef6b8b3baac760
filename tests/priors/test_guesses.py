"""An estimate that the data do not bear is called a guess, by the estimate and by every fit."""

import warnings
from dataclasses import asdict

import numpy as np
import pytest

from pucut import PUExtraTreesClassifier, compare, estimate_prior
from pucut.exceptions import UncertainPriorWarning


def blobs(n_labelled, distance, *, n_rows=800, seed=0):
    """Two clusters in six columns, three in ten rows positive."""
    random = np.random.default_rng(seed)
    is_positive = random.random(n_rows) < 0.3
    X = random.normal(size=(n_rows, 6))
    X[is_positive, :2] += distance / np.sqrt(2.0)
    is_labelled = np.zeros(n_rows, dtype=bool)
    is_labelled[random.choice(np.flatnonzero(is_positive), n_labelled, replace=False)] = True
    return X, is_labelled


GUESSES = {
    "weak signal": (blobs(92, 0.4), {"wide_interval"}),
    "pure noise": (blobs(92, 0.0, seed=5), {"no_signal", "wide_interval"}),
    "one label": (blobs(1, 3.0), {"few_labels", "no_signal", "wide_interval"}),
    "nine labels": (blobs(9, 4.0), {"few_labels"}),
}


@pytest.mark.parametrize("name", GUESSES)
def test_a_guess_is_not_sold_as_an_answer(name):
    (X, is_labelled), expected = GUESSES[name]
    estimate = estimate_prior(X, is_labelled, random_state=0)
    assert set(estimate.doubts) == expected
    text = str(estimate)
    assert text.startswith("Perhaps ")
    assert "This is a guess, not an answer: " in text
    assert all(reason in text for reason in estimate.doubts.values())
    assert "give it as the prior" in text
    # What is said does not exclude what is said to be plausible.
    for contradiction in ("At most", "at most", "likely", "bound"):
        assert contradiction not in text
    assert asdict(estimate)["doubts"] == estimate.doubts
    model = PUExtraTreesClassifier(5, cross_fit=None, random_state=0)
    with pytest.warns(UncertainPriorWarning, match="This is a guess, not an answer"):
        model.fit(X, is_labelled)
    assert model.prior_estimate_ == estimate


def test_what_the_data_bear_is_no_guess():
    X, is_labelled = blobs(92, 3.0)
    estimate = estimate_prior(X, is_labelled, random_state=0)
    assert estimate.doubts == {}
    assert str(estimate).startswith("About 3")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PUExtraTreesClassifier(5, cross_fit=None, random_state=0).fit(X, is_labelled)
        X, is_labelled = GUESSES["pure noise"][0]
        PUExtraTreesClassifier(5, prior=0.3, random_state=0).fit(X, is_labelled)


def test_a_bound_is_said_to_be_one():
    X, is_labelled = GUESSES["weak signal"][0]
    estimate = estimate_prior(X, is_labelled, "bbe", random_state=0)
    assert set(estimate.doubts) == {"upper_bound"}
    text = str(estimate)
    assert text.startswith("At most about ")
    assert "Any share between 12 % (the labelled ones alone) and" in text
    assert "the data only bound the share from above" in text


def test_copies_are_not_labels_of_their_own():
    X, is_labelled = GUESSES["nine labels"][0]
    twice = estimate_prior(np.vstack([X, X]), np.tile(is_labelled, 2), random_state=0)
    assert "few_labels" in twice.doubts
    assert "9 different labelled rows" in str(twice)


def test_a_comparison_by_a_guess_warns():
    X, is_labelled = blobs(5, 3.0, n_rows=80)
    with pytest.warns(UncertainPriorWarning, match="5 different labelled rows"):
        compare(X, is_labelled, ["Rocchio"], random_state=0)
