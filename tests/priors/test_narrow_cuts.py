"""Shares at which cuts are narrow: cuts by a plain sum, planted clusters, and nothing to find."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs, make_moons

from pucut.priors import estimate_prior
from pucut.priors.binormal import SHARES
from pucut.priors.narrow_cuts import log_cuts, log_likelihood_of_cuts


def random_graph(n_rows, seed):
    random = np.random.RandomState(seed)
    weights = np.triu(random.uniform(size=(n_rows, n_rows)), 1)
    weights[random.uniform(size=weights.shape) < 0.5] = 0.0
    weights[np.arange(n_rows - 1), np.arange(1, n_rows)] = 0.3  # every row has a neighbour
    return weights + weights.T


def rows_inside(weights, is_labelled, n_inside):
    """Labelled rows, then those with the largest (I - 0.9 P)^-1 y."""
    step = weights / weights.sum(axis=1, keepdims=True)
    met = np.linalg.solve(np.eye(len(weights)) - 0.9 * step, is_labelled.astype(float))
    order = sorted(range(len(weights)), key=lambda row: (not is_labelled[row], -met[row]))
    inside = np.zeros(len(weights), dtype=bool)
    inside[order[:n_inside]] = True
    return inside


def check_cuts(weights, is_labelled):
    n_rows, n_labelled = len(is_labelled), int(is_labelled.sum())
    found = log_cuts(sp.csr_array(weights), is_labelled)
    for at in range(0, len(SHARES), 7):
        n_inside = n_labelled + round(SHARES[at] * (n_rows - n_labelled))
        inside = rows_inside(weights, is_labelled, min(n_inside, n_rows - 1))
        cut = weights[inside][:, ~inside].sum()
        chance = weights[inside].sum() * weights[~inside].sum() / weights.sum()
        assert found[at] == pytest.approx(np.log(cut / chance), abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_cuts_are_sums_over_the_edges_between_the_sides(seed):
    is_labelled = np.zeros(14, dtype=bool)
    is_labelled[np.random.RandomState(seed).permutation(14)[:3]] = True
    check_cuts(random_graph(14, seed), is_labelled)


def test_labelled_rows_are_inside_though_walks_from_others_meet_more():
    weights = np.zeros((10, 10))
    weights[:5, :5] = 1.0 - np.eye(5)  # a clique, four of it labelled, and a path from it
    weights[np.arange(4, 9), np.arange(5, 10)] = weights[np.arange(5, 10), np.arange(4, 9)] = 1.0
    check_cuts(weights, np.isin(np.arange(10), [0, 1, 2, 3, 9]))


def test_parts_without_an_edge_between_them_are_no_infinity():
    weights = sp.block_diag([random_graph(10, 0), random_graph(10, 1)], format="csr")
    found = log_cuts(sp.csr_array(weights), np.arange(20) < 3)
    assert np.isfinite(found).all()
    assert round(SHARES[found.argmin()] * 17) == 7


def clusters(n_positive, n_negative, seed):
    sizes = [n_positive // 2, n_positive - n_positive // 2, n_negative]
    X, cluster = make_blobs(
        sizes, centers=[[0, 0], [8, 0], [4, 8]], cluster_std=1.0, random_state=seed
    )
    return X, cluster < 2


@pytest.mark.parametrize("share", [0.25, 0.5, 0.8])
def test_the_share_of_planted_clusters_is_the_likeliest(share):
    X, is_positive = clusters(round(500 * share), 500 - round(500 * share), seed=0)
    random = np.random.RandomState(0)
    is_labelled = np.zeros(500, dtype=bool)
    is_labelled[random.choice(np.flatnonzero(is_positive), 12, replace=False)] = True
    found = log_likelihood_of_cuts(X, is_labelled, random=random)
    of_unlabelled = (is_positive & ~is_labelled).sum() / (~is_labelled).sum()
    assert SHARES[found.argmax()] == pytest.approx(of_unlabelled, abs=0.04)
    assert found.max() > 1.5


def test_labels_drawn_from_all_rows_say_next_to_nothing():
    found = []
    for seed in range(10):
        X, _ = clusters(150, 150, seed)
        random = np.random.RandomState(seed)
        is_labelled = np.zeros(300, dtype=bool)
        is_labelled[random.choice(300, 20, replace=False)] = True
        found.append(log_likelihood_of_cuts(X, is_labelled, random=random))
    assert np.mean(found) < 0.25


@pytest.mark.parametrize(("n_labelled", "n_rows"), [(500, 10_000), (25, 100)])
def test_with_many_labels_nothing_is_searched_or_drawn(n_labelled, n_rows):
    random = np.random.RandomState(0)
    is_labelled = np.arange(n_rows) < n_labelled
    found = log_likelihood_of_cuts(None, is_labelled, random=random)
    assert not found.any()
    assert random.randint(1 << 30) == np.random.RandomState(0).randint(1 << 30)


def test_a_single_unlabelled_row():
    weights = random_graph(6, 0)
    assert np.isfinite(log_cuts(sp.csr_array(weights), np.arange(6) < 5)).all()


def test_large_tables_are_sampled_and_keep_their_labels(monkeypatch):
    monkeypatch.setattr("pucut.priors.narrow_cuts._MOST_ROWS", 400)
    X, is_positive = clusters(600, 1400, seed=0)
    is_labelled = is_positive & (np.cumsum(is_positive) <= 12)
    found = log_likelihood_of_cuts(X, is_labelled, random=np.random.RandomState(0))
    assert SHARES[found.argmax()] == pytest.approx(0.3, abs=0.06)


def test_the_prior_of_two_moons_with_few_labels(monkeypatch):
    """Ranks of ten labelled rows say little; the gap between the moons says most."""
    errors = {}
    for trust in (0.0, 3.0):
        monkeypatch.setattr("pucut.priors.narrow_cuts._TRUST", trust)
        found = []
        for seed in range(5):
            X, is_positive = make_moons((250, 450), noise=0.08, random_state=seed)
            random = np.random.RandomState(seed)
            y = np.zeros(700, dtype=bool)
            y[random.choice(np.flatnonzero(is_positive == 1), 10, replace=False)] = True
            found.append(abs(estimate_prior(X, y, random_state=seed).prior - 450 / 700))
        errors[trust] = np.mean(found)
    assert errors[3.0] < 0.7 * errors[0.0]
