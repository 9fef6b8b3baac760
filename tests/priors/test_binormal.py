"""Plausible shares: the model's own samples, its limits, and what is known before."""

import numpy as np
import pytest
from scipy.stats import beta

from pucut.priors.binormal import PRIOR_SHAPE, SHARES, Ranks, plausible_share


def ranks_of_model(share, distance, n_labelled, n_unlabelled, seed):
    """Ranks of labelled among unlabelled rows, drawn from the model itself."""
    random = np.random.RandomState(seed)
    labelled = random.normal(distance, 1.0, n_labelled)
    is_positive = random.uniform(size=n_unlabelled) < share
    unlabelled = np.sort(random.normal(np.where(is_positive, distance, 0.0), 1.0))
    return Ranks(np.searchsorted(unlabelled, labelled) / n_unlabelled)


def ranks_of_both(share, distance, n_known, n_unlabelled, seed):
    """Ranks of labelled rows, and of as many known negatives."""
    random = np.random.RandomState(seed)
    is_positive = random.uniform(size=n_unlabelled) < share
    unlabelled = np.sort(random.normal(np.where(is_positive, distance, 0.0), 1.0))
    return (
        Ranks(np.searchsorted(unlabelled, random.normal(mean, 1.0, n_known)) / n_unlabelled)
        for mean in (distance, 0.0)
    )


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7])
def test_samples_of_the_model_give_the_share_back(share):
    found = [
        plausible_share(ranks_of_model(share, 3.5, 400, 2000, seed), 2000) for seed in range(5)
    ]
    assert abs(np.mean([each.mean for each in found]) - share) < 0.04
    assert sum(each.low <= share <= each.high for each in found) >= 4


@pytest.mark.parametrize("share", [0.15, 0.4, 0.7])
def test_known_negatives_fix_the_share_where_classes_overlap(share):
    """In a mixture of two known classes only the share is unknown."""
    errors, widths, held = {False: [], True: []}, {False: [], True: []}, 0
    for seed in range(5):
        positives, negatives = ranks_of_both(share, 1.2, 200, 2000, seed)
        for use in (False, True):
            found = plausible_share(positives, 2000, negatives if use else None)
            errors[use].append(found.mean - share)
            widths[use].append(found.high - found.low)
        held += found.low <= share <= found.high
    assert abs(np.mean(errors[True])) < 0.05
    assert np.mean(np.abs(errors[True])) < np.mean(np.abs(errors[False]))
    assert np.mean(widths[True]) < 0.8 * np.mean(widths[False])
    assert held >= 4


def test_copies_of_known_negatives_count_once():
    positives, negatives = ranks_of_both(0.3, 1.2, 50, 500, 0)
    once = plausible_share(positives, 500, negatives)
    # Twice the rows would also be twice as many of all rows: only what they count is compared.
    twice = Ranks(np.repeat(negatives.values, 2), 50)
    np.testing.assert_allclose(twice.weights(0.4), negatives.weights(0.4))
    assert plausible_share(positives, 500, twice).mean == pytest.approx(once.mean, abs=0.02)


def test_ranks_that_say_nothing_leave_what_is_known_before():
    n_unlabelled = 10_000
    found = plausible_share(Ranks((np.arange(5) + 0.5) / 5), n_unlabelled)
    assert abs(found.mean - beta.mean(*PRIOR_SHAPE)) < 0.12
    assert found.high - found.low > 0.4


def test_the_range_holds_unusual_shares_too():
    """Half of these shares are below 0.15 or above 0.75, where few tables are."""
    random = np.random.RandomState(0)
    held = []
    for seed in range(120):
        low, high = ((0.03, 0.15), (0.75, 0.95), (0.15, 0.45), (0.45, 0.75))[seed % 4]
        share = random.uniform(low, high)
        ranks = ranks_of_model(share, random.uniform(0.5, 2.5), 20, 1000, seed)
        found = plausible_share(ranks, 1000)
        held.append(found.low <= share <= found.high)
    assert np.mean(held) > 0.85


def test_more_labels_narrow_it_down():
    few, many = (plausible_share(ranks_of_model(0.3, 3.0, n, 3000, 0), 3000) for n in (10, 1000))
    assert many.high - many.low < (few.high - few.low) / 2


def test_labels_low_among_the_others_mean_few_positives_are_sure():
    """The higher labelled rows rank, the fewer rows are as high, and the smaller the share."""
    n = 200
    shares = [
        plausible_share(Ranks(1.0 - width * (np.arange(n) + 0.5) / n), 1000).mean
        for width in (0.1, 0.3, 0.6)
    ]
    assert shares[0] < shares[1] < shares[2]
    assert abs(shares[0] - 0.1) < 0.05


def test_the_range_holds_the_mean_and_nothing_random_is_drawn():
    ranks = ranks_of_model(0.4, 1.5, 30, 500, 3)
    first, second = plausible_share(ranks, 500), plausible_share(ranks, 500)
    assert first == second
    assert 0.0 < first.low <= first.mean <= first.high < 1.0


def test_cuts_move_the_mean_and_only_widen_the_range():
    ranks = ranks_of_model(0.4, 1.0, 30, 600, 0)
    without = plausible_share(ranks, 600)
    for near in (0.2, 0.8):
        found = plausible_share(ranks, 600, of_cuts=-np.square((SHARES - near) / 0.05))
        assert abs(found.mean - near) < 0.5 * abs(without.mean - near)
        assert found.low <= without.low
        assert found.high >= without.high
        assert found.low < near < found.high


def test_cuts_that_say_nothing_change_nothing():
    ranks = ranks_of_model(0.4, 1.0, 30, 600, 0)
    assert plausible_share(ranks, 600, of_cuts=np.zeros(len(SHARES))) == plausible_share(ranks, 600)
