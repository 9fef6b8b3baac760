"""Statistics of the paper's tables, against SciPy, enumeration and published examples."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from paper.showing.statistics import (
    critical_difference,
    groups_not_different,
    improvements,
    paired_t_test,
    percent_above,
    rank_methods,
    summarise,
    summarise_improvements,
    units_apart,
    wilcoxon_test,
)

ALTERNATIVES = ("greater", "less")


def test_summary_by_hand():
    found = summarise([1.0, 2.0, 3.0, 4.0])
    assert (found.mean, found.n) == (2.5, 4)
    assert found.standard_error == pytest.approx(math.sqrt(5.0 / 3.0) / 2.0)
    assert summarise([7.0]).standard_error is None
    with pytest.raises(ValueError, match="at least one"):
        summarise([])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [2, 5, 30])
def test_t_test_as_scipy(alternative, n):
    rng = np.random.default_rng(n)
    first, second = rng.normal(0.3, 1.0, n), rng.normal(0.0, 1.0, n)
    expected = stats.ttest_rel(first, second, alternative=alternative).pvalue
    assert paired_t_test(first, second, alternative) == pytest.approx(expected, rel=1e-12)


def test_t_test_undefined():
    assert paired_t_test([1.0], [0.0], "greater") is None
    assert paired_t_test([], [], "greater") is None
    assert paired_t_test([1.0, 2.0], [1.0, 2.0], "greater") is None
    # Equal differences up to rounding: 0.1 each.
    assert paired_t_test([0.3, 0.4, 0.8], [0.2, 0.3, 0.7], "greater") is None
    with pytest.raises(ValueError, match="same length"):
        paired_t_test([1.0], [1.0, 2.0], "greater")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [3, 5, 12, 50])
def test_wilcoxon_as_scipy_without_ties(alternative, n):
    rng = np.random.default_rng(n)
    first, second = rng.normal(0.2, 1.0, n), rng.normal(0.0, 1.0, n)
    expected = stats.wilcoxon(first, second, alternative=alternative, method="exact").pvalue
    assert wilcoxon_test(first, second, alternative) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_wilcoxon_of_many_as_scipy_by_the_normal_curve(alternative):
    rng = np.random.default_rng(3)
    # Rounded: many ties and some zeros.
    first, second = rng.normal(0.1, 1.0, 300).round(1), rng.normal(0.0, 1.0, 300).round(1)
    expected = stats.wilcoxon(
        (first - second).round(10), alternative=alternative, method="approx", correction=False
    ).pvalue
    assert wilcoxon_test(first, second, alternative) == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_wilcoxon_with_ties_and_zeros_by_all_signs(differences):
    kept = [value for value in differences if value != 0]
    found = wilcoxon_test(
        [float(value) for value in differences], [0.0] * len(differences), "greater"
    )
    if not kept:
        assert found is None
        return
    sizes = [abs(value) for value in kept]
    # Rank of a size: how many are smaller, and the middle of those that are equal.
    ranks = [sum(other < size for other in sizes) + (sizes.count(size) + 1) / 2.0 for size in sizes]
    observed = sum(rank for rank, value in zip(ranks, kept, strict=True) if value > 0)
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product((False, True), repeat=len(kept))
    ]
    assert found == pytest.approx(np.mean([total >= observed for total in sums]))


def test_wilcoxon_of_five_wins_is_what_the_paper_prints():
    found = wilcoxon_test([2.0, 3.0, 4.0, 5.0, 6.5], [1.0, 1.0, 1.0, 1.0, 1.0], "greater")
    assert found == 1.0 / 32.0


def test_equal_fractions_tie_whatever_their_last_bits():
    first, second = [0.1 + 0.2, 0.5], [0.3, 0.4]
    assert wilcoxon_test(first, second, "greater") == 0.5  # one difference is left


def test_percent_above_and_units():
    assert percent_above(68.55, 68.83) == pytest.approx(-0.4068, abs=1e-4)
    assert units_apart(2.0, 0.3, 0.4) == pytest.approx(4.0)
    assert units_apart(2.0, 0.3, None) is None
    assert units_apart(2.0, 0.0, 0.0) is None


def test_improvements_by_hand():
    values = improvements([0.9, 0.6, 0.5, 0.4], [0.6, 0.6, 0.4, 0.5])
    np.testing.assert_allclose(values, [50.0, 0.0, 25.0, -20.0])
    found = summarise_improvements(values)
    assert found.average == pytest.approx(13.75)
    assert found.standard_deviation == pytest.approx(np.std([50.0, 0.0, 25.0, -20.0], ddof=1))
    assert (found.share_improved, found.share_tied, found.n) == (50.0, 25.0, 4)
    with pytest.raises(ValueError, match="theirs must be positive"):
        improvements([0.5], [0.0])


@pytest.mark.parametrize(
    ("n_methods", "quantile"),
    list(enumerate([1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164], start=2)),
)
def test_critical_values_of_demsars_table(n_methods, quantile):
    n_datasets = 14
    scale = math.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets))
    assert critical_difference(n_methods, n_datasets) / scale == pytest.approx(quantile, abs=1.1e-3)


def test_ranks_by_hand_and_friedman_as_scipy():
    scores = np.array(
        [
            [0.90, 0.80, 0.70, 0.60],  # 1, 2, 3, 4
            [0.50, 0.70, 0.70, 0.60],  # 4, 1.5, 1.5, 3
            [0.95, 0.95, 0.95, 0.20],  # 2, 2, 2, 4
            [0.30, 0.40, 0.10, 0.20],  # 2, 1, 4, 3
        ]
    )
    found = rank_methods(scores)
    assert found.average_ranks == (9 / 4, 6.5 / 4, 10.5 / 4, 14 / 4)
    assert found.friedman_p == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue, rel=1e-9)
    assert found.critical_difference == critical_difference(4, 4)
    assert found.n_datasets == 4
    # Last bits do not break ties.
    scores[1, 2] = 0.1 + 0.2 + 0.4
    assert rank_methods(scores).average_ranks == found.average_ranks


def test_demsars_example_of_a_critical_difference():
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)


def test_all_equal_scores_share_ranks():
    found = rank_methods(np.full((3, 4), 0.7))
    assert found.average_ranks == (2.5, 2.5, 2.5, 2.5)
    assert found.friedman_p is None


def test_groups_by_hand():
    # 1.0 and 1.8 are close, 1.8 and 2.6 too, 1.0 and 2.6 not; 5 stands alone.
    assert groups_not_different([2.6, 1.0, 5.0, 1.8], 1.0) == [(1, 3), (3, 0)]
    assert groups_not_different([1.0, 2.0, 3.0], 5.0) == [(0, 1, 2)]
    assert groups_not_different([1.0, 2.0], 1.0) == []
