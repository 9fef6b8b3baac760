"""The next labels: levels against single cuts, batches against a slow greedy, bad input."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.utils import estimator_checks

from pucut import CutQueryStrategy
from pucut.cuts.hnc import hnc_minus, hnc_plus
from pucut.cuts.selection import closest_partition
from pucut.cuts.two_stages import two_stage_cuts
from pucut.exceptions import UnclearLabelsWarning
from pucut.queries import (
    HOPS,
    greedy_batch,
    one_sided_levels,
    represented_by,
    two_sided_levels,
)


def random_graph(seed, n_rows=30):
    random = np.random.default_rng(seed)
    upper = np.triu(random.random((n_rows, n_rows)) * (random.random((n_rows, n_rows)) < 0.2), 1)
    upper[np.arange(n_rows - 1), np.arange(1, n_rows)] += 0.05
    return sp.csr_array(upper + upper.T)


def two_groups(n_rows=60):
    """Two clouds, three rows labelled in each, and the true classes."""
    random = np.random.default_rng(3)
    truth = np.arange(n_rows) % 2
    X = random.normal(size=(n_rows, 2)) + 5.0 * truth[:, None]
    y = np.full(n_rows, np.nan)
    y[:6] = truth[:6]
    return X, y, truth


@pytest.mark.parametrize("seed", range(4))
def test_levels_are_where_hnc_plus_and_minus_switch(seed):
    """HNC- for the lambdas below 0 and HNC+ above, each solved by itself."""
    graph = random_graph(seed)
    positive, negative = np.zeros((2, 30), dtype=bool)
    positive[:3] = True
    negative[-3:] = True
    levels = two_sided_levels(graph, positive, negative)
    minus, plus = hnc_minus(graph, positive, negative), hnc_plus(graph, positive, negative)
    for path, sign in ((minus, 1.0), (plus, -1.0)):
        for lam in np.linspace(0.013, 0.987, 40):
            if np.abs(np.abs(levels) - lam).min() < 1e-9:
                continue
            np.testing.assert_array_equal(levels > sign * lam, path.source_set(lam))
    assert (levels[positive] == 1.0).all()
    assert (levels[negative] == -1.0).all()


def test_with_positives_alone_the_prior_is_where_the_levels_change_sign():
    graph = random_graph(7, 60)
    positive = np.arange(60) < 5
    remoteness = np.where(positive, 0.0, np.random.default_rng(0).random(60))
    for prior in (0.2, 0.5, 0.75):
        levels = one_sided_levels(graph, positive, prior, remoteness)
        assert abs(np.sum(levels > 0.0) - prior * 60) <= 1
        assert levels.min() >= -1.0
        assert levels.max() <= 1.0
        stages = two_stage_cuts(graph, positive, prior, remoteness=remoteness)
        switch = closest_partition(stages, prior).level
        by_hand = np.lexsort((-remoteness, switch))
        assert (np.diff(levels[by_hand]) >= 0.0).all()


def test_what_a_row_speaks_for_on_a_path():
    """Edges of 0.5 in a row: halved again with every edge behind the first neighbours."""
    ends = (np.arange(6), np.arange(1, 7))
    upper = sp.csr_array((np.full(6, 0.5), ends), shape=(7, 7))
    share = represented_by(sp.csr_array(upper + upper.T), 0)
    assert HOPS == 3
    np.testing.assert_allclose(share, [1.0, 0.5, 0.125, 0.03125, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("diversity", [0.0, 0.4, 1.0])
def test_a_batch_is_chosen_greedily(diversity):
    graph = random_graph(2)
    utility = np.random.default_rng(1).random(30)
    candidates = np.arange(4, 30)
    order = np.arange(30)
    found = list(greedy_batch(graph, utility, candidates, 6, diversity=diversity, order=order))
    chosen = []
    for row, seen in found:
        left = utility.copy()
        for before in chosen:
            left *= 1.0 - diversity * represented_by(graph, before)
        allowed = [i for i in range(4, 30) if i not in chosen]
        assert row == max(allowed, key=lambda i: left[i])
        np.testing.assert_allclose(seen[allowed], left[allowed])
        assert np.isnan(np.delete(seen, allowed)).all()
        chosen.append(row)
    if diversity == 0.0:
        assert chosen == sorted(candidates, key=lambda i: -utility[i])[:6]


def test_a_batch_is_not_one_clump():
    """Two dense groups without labels: one row of each comes before a second of either."""
    random = np.random.default_rng(0)
    X = np.concatenate(
        [random.normal(size=(20, 2)) + centre for centre in ([0, 0], [9, 0], [0, 9], [9, 9])]
    )
    y = np.full(80, np.nan)
    y[[0, 1, 2]] = 1
    y[[20, 21, 22]] = 0
    batch = CutQueryStrategy(n_neighbors=8, random_state=0).query(X, y, batch_size=2)
    assert sorted(batch // 20) == [2, 3]


def test_equals_are_taken_in_the_order_given():
    graph = sp.csr_array((10, 10))
    for order in (np.arange(10), np.arange(10)[::-1]):
        batch = greedy_batch(graph, np.ones(10), np.arange(10), 4, diversity=1.0, order=order)
        assert [row for row, _ in batch] == order[:4].tolist()


def test_rows_on_the_border_come_before_rows_inside():
    X, y, _ = two_groups()
    between = np.array([[2.5, 2.5]])
    X, y = np.concatenate([X, between]), np.concatenate([y, [np.nan]])
    strategy = CutQueryStrategy(LogisticRegression(), random_state=0)
    assert strategy.query(X, y)[0] == 60
    assert strategy.prior_ is None


def test_positives_are_found_where_positives_are():
    X, y, truth = two_groups()
    found = CutQueryStrategy(aim="positive", random_state=0).query(X, y, batch_size=15)
    assert truth[found].all()
    y[y == 0] = np.nan
    strategy = CutQueryStrategy(aim="positive", prior=0.5, random_state=0)
    assert truth[strategy.query(X, y, batch_size=15)].all()
    assert strategy.prior_ == 0.5


def test_the_model_counts_once_both_classes_are_known():
    X, y, _ = two_groups()
    graph_alone, utilities = CutQueryStrategy(random_state=0).query(X, y, return_utilities=True)
    model = LogisticRegression()
    _, both = CutQueryStrategy(model, random_state=0).query(X, y, return_utilities=True)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    known = ~np.isnan(y)
    doubt = 1.0 - np.abs(
        2.0 * LogisticRegression().fit(scaled[known], y[known]).predict_proba(scaled)[:, 1] - 1.0
    )
    np.testing.assert_allclose(both[0], utilities[0] * doubt, rtol=1e-6)
    assert len(graph_alone) == 1
    y[y == 0] = np.nan
    alone = CutQueryStrategy(prior=0.5, random_state=0).query(X, y, batch_size=5)
    with_model = CutQueryStrategy(model, prior=0.5, random_state=0).query(X, y, batch_size=5)
    np.testing.assert_array_equal(alone, with_model)


def test_all_ways_to_write_labels_mean_the_same():
    X, y, _ = two_groups()
    expected = CutQueryStrategy(random_state=0).query(X, y, batch_size=4)
    numbers = np.where(np.isnan(y), -1, y).astype(int)
    texts = np.array(["" if np.isnan(v) else ("negative", "known")[int(v)] for v in y])
    for labels, missing in (
        (numbers, -1),
        (texts, ""),
        (pd.Series(y).astype(object).where(~np.isnan(y), None), None),
        (list(y), np.nan),
    ):
        strategy = CutQueryStrategy(missing_label=missing, random_state=0)
        np.testing.assert_array_equal(strategy.query(X, labels, batch_size=4), expected)
    turned = CutQueryStrategy(pos_label=0, random_state=0)
    turned.query(X, y)
    straight = CutQueryStrategy(random_state=0)
    straight.query(X, y)
    np.testing.assert_allclose(turned.levels_, -straight.levels_)


def test_words_are_read_as_everywhere():
    """The shared list of words: what means positive is so, whatever the alphabet says."""
    X, y, _ = two_groups()
    straight = CutQueryStrategy(random_state=0)
    straight.query(X, y)

    def levels(negative, positive, missing=None, **given):
        words = np.where(np.isnan(y), missing, np.where(y == 1.0, positive, negative))
        strategy = CutQueryStrategy(missing_label=missing, random_state=0, **given)
        strategy.query(X, words)
        return strategy.levels_

    for negative, positive in (("no", "yes"), ("control", "case")):
        np.testing.assert_array_equal(levels(negative, positive), straight.levels_)
    spellings = np.array(["yes", "Yes", "Y"])[np.arange(60) % 3]
    np.testing.assert_array_equal(levels("no", spellings), straight.levels_)
    np.testing.assert_array_equal(levels("No", "yes", pos_label="NO"), -straight.levels_)
    np.testing.assert_array_equal(levels("no", "yes", "unlabelled"), straight.levels_)
    with pytest.warns(UnclearLabelsWarning, match="pos_label='b' if that is right"):
        np.testing.assert_array_equal(levels("a", "b"), straight.levels_)
    with pytest.raises(ValueError, match="'known' and 'yes', which both mean positive"):
        levels("yes", "known")
    with pytest.raises(ValueError, match="write missing_label='unlabelled'"):
        levels("unlabelled", "yes")
    with pytest.raises(ValueError, match="'no': no word for labelled positives"):
        levels("no", "no")


def test_only_candidates_are_asked_for():
    X, y, _ = two_groups()
    allowed = [50, 12, 33]
    strategy = CutQueryStrategy(random_state=0)
    batch, utilities = strategy.query(X, y, candidates=allowed, batch_size=3, return_utilities=True)
    assert sorted(batch) == sorted(allowed)
    assert utilities.shape == (3, 60)
    np.testing.assert_array_equal(np.flatnonzero(~np.isnan(utilities[0])), sorted(allowed))
    with pytest.warns(UserWarning, match="batch_size is 5, but there are 3 candidates"):
        assert len(strategy.query(X, y, candidates=allowed, batch_size=5)) == 3


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        ({}, {"candidates": [0]}, "found row 0, which has one"),
        ({}, {"candidates": [60]}, "rows from 0 to 59, found 60"),
        ({}, {"candidates": [[1.0, 2.0]]}, "candidates must be numbers of rows"),
        ({}, {"batch_size": 0}, "batch_size must be at least 1, found 0"),
        ({"n_neighbors": 60}, {}, "n_neighbors must be at most 59"),
        ({"aim": "both"}, {}, "aim"),
        ({"diversity": 2.0}, {}, "diversity"),
        ({"pos_label": 7}, {}, "pos_label is 7"),
        ({"missing_label": -1}, {}, "labels of one or two classes"),
    ],
)
def test_bad_input_is_named(change, arguments, message):
    X, y, _ = two_groups()
    with pytest.raises(ValueError, match=message):
        CutQueryStrategy(**change).query(X, y, **arguments)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.full(60, np.nan), "found 0: none"),
        (np.arange(60.0), "found 60: 0.0, 1.0"),
        (np.zeros(7), "one label for each of the 60 rows"),
        (np.arange(60) % 2, "every candidate has a label"),
    ],
)
def test_bad_labels_are_named(labels, message):
    with pytest.raises(ValueError, match=message):
        CutQueryStrategy().query(two_groups()[0], labels)


def test_a_prior_below_the_labelled_share_is_refused():
    X, y, _ = two_groups()
    y[y == 0] = np.nan
    with pytest.raises(ValueError, match="below the labelled fraction"):
        CutQueryStrategy(prior=0.01).query(X, y)


@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_mixin_order,
    ],
    ids=lambda check: check.__name__,
)
def test_scikit_learn_checks_that_need_no_fit(check):
    check("CutQueryStrategy", CutQueryStrategy())


def test_scikit_activeml_takes_it_for_a_pool_strategy():
    pytest.importorskip("skactiveml")
    from skactiveml.base import SingleAnnotatorPoolQueryStrategy
    from skactiveml.pool import SubSamplingWrapper

    from pucut import activeml

    assert issubclass(activeml.CutQueryStrategy, SingleAnnotatorPoolQueryStrategy)
    X, y, _ = two_groups()
    own = CutQueryStrategy(random_state=0)
    wrapped = SubSamplingWrapper(own, max_candidates=1.0, random_state=0)
    np.testing.assert_array_equal(wrapped.query(X, y, batch_size=3), own.query(X, y, batch_size=3))


def test_a_loop_finds_the_classes():
    X, y, truth = two_groups()
    for _ in itertools.repeat(None, 4):
        rows = CutQueryStrategy(random_state=0).query(X, y, batch_size=3)
        assert np.isnan(y[rows]).all()
        y[rows] = truth[rows]
    strategy = CutQueryStrategy(random_state=0)
    strategy.query(X, y)
    assert np.mean((strategy.levels_ > 0.0) == truth) > 0.95
