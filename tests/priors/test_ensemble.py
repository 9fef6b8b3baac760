"""The parts of the combination: ranks, resampled best bins, negatives that pass."""

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from pucut.priors import best_bin
from pucut.priors.best_bin import negatives_passing, resampled_best_bins
from pucut.priors.ensemble import combined_ranks, ranks_among
from tests.helpers.prior_samples import score_lists, uniform_mixture


@given(score_lists, score_lists)
def test_ranking_is_the_area_under_the_curve(labelled, unlabelled):
    is_labelled = np.repeat([True, False], [len(labelled), len(unlabelled)])
    scores = np.concatenate([labelled, unlabelled])
    area = ranks_among(np.array(labelled), np.array(unlabelled)).mean()
    assert area == pytest.approx(roc_auc_score(is_labelled, scores))


def test_tied_rows_are_spread_over_those_they_are_tied_with():
    assert ranks_among(np.zeros(4), np.zeros(8)).tolist() == [0.125, 0.375, 0.625, 0.875]
    unlabelled = np.array([1.0, 1.0, 4.0, 4.0, 0.5, 0.5, 9.0, 9.0])
    ranks = ranks_among(np.array([5.0, 1.0, 1.0, 0.0]), unlabelled)
    assert ranks.tolist() == [0.0, 0.3125, 0.4375, 0.75]


def test_a_useless_member_does_not_change_the_combined_ranks():
    random = np.random.RandomState(0)
    is_labelled = random.uniform(size=400) < 0.3
    useful = is_labelled + random.normal(size=400)
    reversed_ = -useful
    combined = combined_ranks({"useful": useful, "reversed": reversed_}, is_labelled, ~is_labelled)
    assert (np.argsort(combined) == np.argsort(useful)).all()
    assert not combined_ranks({"reversed": reversed_}, is_labelled, ~is_labelled).any()


def test_members_count_by_how_far_they_are_behind_in_standard_errors():
    random = np.random.RandomState(1)
    is_labelled = random.uniform(size=300) < 0.4
    members = {name: is_labelled + random.normal(size=300) for name in ("a", "b")}
    ranks = [ranks_among(each[is_labelled], each[~is_labelled]) for each in members.values()]
    means = [each.mean() for each in ranks]
    error = ranks[int(np.argmax(means))].std() / np.sqrt(is_labelled.sum())
    weights = np.exp((np.array(means) - max(means)) / error)
    wanted = np.average([rankdata(scores) for scores in members.values()], axis=0, weights=weights)
    np.testing.assert_allclose(combined_ranks(members, is_labelled, ~is_labelled), wanted)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_resampled_best_bins_scatter_about_the_share(share):
    labelled, unlabelled = uniform_mixture(share, 1000, 1000, seed=5)
    shares = resampled_best_bins(labelled, unlabelled, random=np.random.RandomState(0))
    assert abs(shares.mean() - share) < 0.05
    low, high = np.quantile(shares, [0.0, 1.0])
    assert 0.0 <= low < share < high <= 1.0


class DrawsEachRowOnce:
    """In place of a random generator: the resample is the sample."""

    def multinomial(self, n, shares, size):
        return np.tile(np.rint(n * shares).astype(int), (size, 1))


@given(score_lists, score_lists)
def test_the_sample_itself_has_the_best_bin_as_its_resample(labelled, unlabelled):
    shares = resampled_best_bins(labelled, unlabelled, random=DrawsEachRowOnce(), n_resamples=2)
    assert shares == pytest.approx(best_bin(labelled, unlabelled).share)


def test_resampling_more_thresholds_than_are_kept_gives_the_same_share():
    labelled, unlabelled = uniform_mixture(0.3, 20_000, 20_000, seed=6)
    shares = resampled_best_bins(labelled, unlabelled, random=np.random.RandomState(0))
    assert abs(shares.mean() - best_bin(labelled, unlabelled).share) < 0.01


def test_negatives_passing_has_a_closed_form():
    grid = np.linspace(0.0, 1.0, 10_001)
    # Negatives below all positives: none passes. Negatives as positives: nine in ten pass.
    apart = np.concatenate([grid, grid - 2.0])
    assert negatives_passing(grid, apart, 0.5) == pytest.approx(0.0, abs=1e-3)
    assert negatives_passing(grid, grid, 0.5) == pytest.approx(0.9, abs=1e-3)
    # Negatives with density 2(1 - s): of these, (1 - 0.1)^2 are above 0.1.
    falling = 1.0 - np.sqrt(grid)
    mixture = np.concatenate([grid, falling])
    assert negatives_passing(grid, mixture, 0.5) == pytest.approx(0.81, abs=1e-3)
    assert negatives_passing(grid, grid, 1.0) == 1.0
