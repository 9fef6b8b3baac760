"""Labels that are biased by kind: shares of clusters, added up."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from pucut.datasets import pu_split
from pucut.priors import estimate_prior
from pucut.priors.clusters import FEWEST_LABELS, _without_small, cluster_scores, clusters_of


def kinds(chances, n_of_a_kind=300, n_negative=900, seed=0):
    """Positives of several kinds, each labelled with its own chance, around the negatives."""
    n_kinds = len(chances)
    angles = 2.0 * np.pi * np.arange(n_kinds) / n_kinds
    centres = np.vstack([np.column_stack([np.cos(angles), np.sin(angles)]) * 7.0, [0.0, 0.0]])
    X, kind = make_blobs([n_of_a_kind] * n_kinds + [n_negative], centers=centres, random_state=seed)
    X = np.column_stack([X, np.random.RandomState(seed).normal(size=(len(X), 2))])
    y = np.zeros(len(X), dtype=bool)
    for number, chance in enumerate(chances):
        y |= pu_split(kind == number, chance, random_state=seed)
    return X, kind, y


@pytest.mark.parametrize("seed", range(2))
def test_kinds_that_are_labelled_more_often_do_not_mislead_it(seed):
    X, kind, y = kinds((0.9, 0.5, 0.15), seed=seed)
    truth = (kind < 3).mean()
    biased = estimate_prior(X, y, labelling="biased", random_state=seed)
    random = estimate_prior(X, y, random_state=seed)
    assert biased.method == "clusters"
    assert abs(biased.prior - truth) < 0.03
    assert random.prior < truth - 0.1
    low, high = biased.interval
    assert low <= biased.prior <= high
    # Each kind has its own share of the unlabelled rows: 30, 150 and 255 of them.
    found = {key: value for key, value in biased.diagnostics.items() if "_of_cluster_" in key}
    hidden = [found[f"share_of_cluster_{i}"] * (~y).sum() for i in range(1, len(found) // 2 + 1)]
    assert sum(hidden) == pytest.approx(435, abs=0.15 * 435)


def test_nothing_is_lost_where_labels_are_random():
    errors = {"random": [], "biased": []}
    for seed in range(4):
        X, kind, y = kinds((0.4, 0.4, 0.4), seed=seed)
        for labelling, found in errors.items():
            estimate = estimate_prior(X, y, labelling=labelling, random_state=seed)
            found.append(abs(estimate.prior - (kind < 3).mean()))
    assert np.mean(errors["biased"]) < np.mean(errors["random"]) + 0.02


def test_copies_of_all_rows_change_little():
    X, kind, y = kinds((0.9, 0.5, 0.15))
    once, twice = (
        estimate_prior(np.tile(X, (n, 1)), np.tile(y, n), "clusters", random_state=0).prior
        for n in (1, 2)
    )
    assert abs(once - twice) < 0.04
    assert abs(twice - (kind < 3).mean()) < 0.05


def test_planted_clusters_are_found():
    X, kind, y = kinds((0.5, 0.5, 0.5))
    cluster, of_cluster, of_any = cluster_scores(X, y, random=np.random.RandomState(0))
    assert adjusted_rand_score(kind[y], cluster[y]) > 0.9
    assert (cluster[~y] == -1).all()
    assert of_cluster.shape == (cluster.max() + 1, len(y))
    assert of_any.shape == (len(y),)
    for number, scores in enumerate(of_cluster):
        labelled = scores[cluster == number]
        assert len(labelled) > 0
        assert 0.0 <= labelled.min() <= labelled.max() <= 1.0
    sparse, *_ = cluster_scores(sp.csr_array(X), y, random=np.random.RandomState(0))
    assert adjusted_rand_score(kind[y], sparse[y]) > 0.8


def test_few_labels_are_one_cluster():
    points = np.random.RandomState(0).normal(size=(2 * FEWEST_LABELS - 1, 3))
    assert (clusters_of(points, np.random.RandomState(0)) == 0).all()


def test_small_clusters_are_given_up_one_by_one():
    # 30 rows of the first, 25 of the second, 5 of a third that are nearer to the first.
    odds = np.repeat([[0.9, 0.05, 0.05], [0.1, 0.9, 0.0], [0.3, 0.1, 0.6]], [30, 25, 5], axis=0)
    np.testing.assert_array_equal(_without_small(odds), np.repeat([0, 1, 0], [30, 25, 5]))
    assert (_without_small(odds[40:]) == 0).all()


def test_errors_name_the_argument():
    X, _, y = kinds((0.5,), 50, 50)
    with pytest.raises(ValueError, match="labelling must be one of random, biased, found 'none'"):
        estimate_prior(X, y, labelling="none")
    with pytest.raises(ValueError, match="method must be 'auto' or 'clusters' where labelling is"):
        estimate_prior(X, y, "bbe", labelling="biased")
    with pytest.raises(ValueError, match="scores must be None for method 'clusters'"):
        estimate_prior(X, y, labelling="biased", scores=np.zeros(100))
