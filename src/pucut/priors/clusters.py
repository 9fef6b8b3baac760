"""Shares of positives by cluster, for labels that were not drawn at random.

Kumar and Lambert: Positive unlabeled learning selected not at random (PULSNAR): class proportion
estimation without the selected completely at random assumption, PeerJ Computer Science 10:e2451,
2024. The labelled rows are clustered, the share of each cluster among the unlabelled rows is
estimated as if it were a class of its own, and the shares are added. Labels are assumed to be a
random draw within a cluster only: rows of a kind without any label are missed.

Only this idea is the paper's. Features are weighted by PU trees before a Gaussian mixture finds the
clusters, one forest with a class for each cluster scores all rows out of bag, and DEDPUL (`dedpul`)
gives the share of a cluster. Settings were chosen on the practice tables (docs/design/priors.md).
"""

import itertools
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.mixture import GaussianMixture
from sklearn.utils import _safe_indexing

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_sparse
from pucut.data.containers import with_narrow_indices
from pucut.data.encoding import learn_encoding
from pucut.priors.best_bin import negatives_passing
from pucut.priors.dedpul import dedpul
from pucut.priors.sample import PriorSample, ShareEstimate
from pucut.trees.feature_weights import forest_weights, options_of_weighing_trees, weighted
from pucut.trees.growing import grow_forest

MOST_CLUSTERS = 6
# A cluster of fewer labelled rows is joined to its neighbours.
FEWEST_LABELS = 20
_MOST_DIRECTIONS = 10
_N_WEIGHING_TREES = 50
_N_TREES = 100
_LEAST_LEAF = 5
# With more features than this, a node tries the square root of their number, not half of them.
_FEW_FEATURES = 40
# Added to the variances of a cluster, whose largest direction has about 1.
_LEAST_VARIANCE = 1e-3
# Least prior that the weighing trees assume: it is not known yet.
_GUESS = 0.5


def cluster_scores(
    X: Any, is_labelled: BoolArray, *, random: np.random.RandomState
) -> tuple[IndexArray, FloatArray, FloatArray]:
    """Cluster the labelled rows, and score all rows for each cluster out of bag.

    Returned are the cluster of each row, -1 if it is unlabelled; by cluster and row, its share of
    the votes for it or for unlabelled; and by row, the share of the votes for any cluster.
    """
    points = with_narrow_indices(learn_encoding(X)[1])
    cluster = np.full(len(is_labelled), -1, dtype=np.intp)
    # Weights of columns by how well they tell labelled from unlabelled rows.
    weights = forest_weights(
        grow_forest(
            points,
            is_labelled,
            max(_GUESS, (1.0 + float(is_labelled.mean())) / 2.0),
            options_of_weighing_trees(len(is_labelled)),
            n_trees=_N_WEIGHING_TREES,
            random_state=random,
            n_threads=1,
        )
    )
    cluster[is_labelled] = clusters_of(weighted(points, weights)[is_labelled], random)
    forest = ExtraTreesClassifier(
        _N_TREES,
        min_samples_leaf=_LEAST_LEAF,
        max_features=0.5 if points.shape[1] <= _FEW_FEATURES else "sqrt",
        bootstrap=True,
        oob_score=True,
        random_state=random,
    )
    votes = forest.fit(points, cluster).oob_decision_function_
    unlabelled, of_cluster = votes[:, 0], votes[:, 1:].T
    both = of_cluster + unlabelled
    return cluster, of_cluster / np.where(both > 0.0, both, 1.0), 1.0 - unlabelled


def clusters_of(points: Any, random: np.random.RandomState) -> IndexArray:
    """Return the cluster of each row, from 0, by the mixture of Gaussians with the least BIC."""
    n_rows = points.shape[0]
    most = min(MOST_CLUSTERS, n_rows // FEWEST_LABELS)
    if most < 2:
        return np.zeros(n_rows, dtype=np.intp)
    n_directions = min(_MOST_DIRECTIONS, points.shape[1], n_rows - 1)
    reduce = TruncatedSVD if is_sparse(points) else PCA
    seeds = random.randint(np.iinfo(np.int32).max, size=2)
    flat = reduce(n_directions, random_state=seeds[0]).fit_transform(points)
    mixtures = [
        GaussianMixture(number, reg_covar=_LEAST_VARIANCE, random_state=seeds[1]).fit(flat)
        for number in range(1, most + 1)
    ]
    best = min(mixtures, key=lambda mixture: float(mixture.bic(flat)))
    return _without_small(best.predict_proba(flat))


def _without_small(odds: FloatArray) -> IndexArray:
    """Return each row's likeliest cluster, dropping the smallest until all are large enough."""
    kept = np.arange(odds.shape[1])
    while True:
        cluster: IndexArray = odds[:, kept].argmax(axis=1)
        sizes = np.bincount(cluster, minlength=len(kept))
        if sizes.min() >= FEWEST_LABELS or len(kept) == 1:
            return cluster
        kept = np.delete(kept, sizes.argmin())


def share_by_clusters(sample: PriorSample) -> ShareEstimate:
    if not sample.can_hold_out():
        return ShareEstimate(1.0, 1.0, 1.0, {"negatives_passing": 1.0})
    # A copy may be in the bag of a tree where the row itself is not: one of each is enough.
    rows = np.unique(sample.groups, return_index=True)[1]
    is_labelled = sample.is_labelled[rows]
    cluster, of_cluster, of_any = cluster_scores(
        _safe_indexing(sample.X, rows), is_labelled, random=sample.random
    )
    pairs = [
        (scores[cluster == number], scores[~is_labelled])
        for number, scores in enumerate(of_cluster)
    ]
    shares = [dedpul(*pair) for pair in pairs]
    resampled = sample.resampled(
        lambda *both: sum(map(dedpul, both[::2], both[1::2])), *itertools.chain(*pairs)
    )
    share = min(sum(shares), 1.0)
    passing = negatives_passing(of_any[is_labelled], of_any[~is_labelled], share)
    diagnostics = {"negatives_passing": passing}
    for number, ((labelled, _), share_of_it) in enumerate(zip(pairs, shares, strict=True), start=1):
        diagnostics[f"labelled_of_cluster_{number}"] = float(len(labelled))
        diagnostics[f"share_of_cluster_{number}"] = float(share_of_it)
    return ShareEstimate.with_resamples(share, resampled, diagnostics)
