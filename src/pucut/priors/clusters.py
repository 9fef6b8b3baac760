"""Labels that were not drawn at random: the positives in clusters, and a share for each.

Kumar and Lambert: Positive unlabeled learning selected not at random (PULSNAR): class proportion
estimation without the selected completely at random assumption, PeerJ Computer Science 10:e2451,
2024. If some kinds of positives are labelled more often than others, the labelled rows do not look
like the hidden positives, and every estimate that takes them for such is wrong. Within a kind,
labels may still be a random draw. So the labelled rows are put into clusters, the share of each
among the unlabelled rows is estimated as if it were a class of its own, and the shares are added.

What is taken from the paper is this idea. Features are weighted by PU trees before a Gaussian
mixture finds the clusters; one forest with a class for each cluster scores all rows out of bag; and
the share of a cluster is that of DEDPUL (`dedpul`). Settings were chosen on the practice tables
(docs/design/priors.md).

Within a cluster labels are still taken for a random draw: rows of a kind without any label are not
counted, and a bias that runs across all clusters alike is not seen.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.mixture import GaussianMixture

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.data.containers import with_narrow_indices
from pucut.data.encoding import learn_encoding
from pucut.trees.feature_weights import forest_weights, options_of_weighing_trees, weighted
from pucut.trees.growing import grow_forest

MOST_CLUSTERS = 6
# A cluster of fewer labelled rows is joined to those that are next to it.
FEWEST_LABELS = 20
_MOST_DIRECTIONS = 10
_N_WEIGHING_TREES = 50
_N_TREES = 100
_LEAST_LEAF = 5
# With more features than this, a node looks at the square root of their number, not at half.
_FEW_FEATURES = 40
# Added to the variances of a cluster, of which the largest direction has about 1.
_LEAST_VARIANCE = 1e-3
# What the weighing trees take for the prior, which is not known yet, as in `ensemble`.
_GUESS = 0.5

Clusters = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ClusterScores:
    """Out-of-bag scores.

    Attributes
    ----------
    cluster : int array of shape (n_samples,)
        The number of the cluster of each labelled row, from 0; -1 for unlabelled ones.
    of_cluster : float array of shape (n_clusters, n_samples)
        How much more the row looks like the labelled rows of the cluster than like an unlabelled
        one, from 0 to 1.
    of_any : float array of shape (n_samples,)
        The same of all labelled rows.
    """

    cluster: Clusters
    of_cluster: FloatArray
    of_any: FloatArray

    @property
    def sizes(self) -> Clusters:
        return np.bincount(self.cluster[self.cluster >= 0])

    def split(self, number: int) -> tuple[FloatArray, FloatArray]:
        """Scores of the labelled rows of a cluster, and of the unlabelled rows, for it."""
        scores = self.of_cluster[number]
        return scores[self.cluster == number], scores[self.cluster < 0]


def cluster_scores(
    X: Any, is_labelled: BoolArray, *, random: np.random.RandomState
) -> ClusterScores:
    _, points = learn_encoding(X)
    points = with_narrow_indices(points)
    cluster = np.full(len(is_labelled), -1, dtype=np.intp)
    cluster[is_labelled] = clusters_of(_weighted(points, is_labelled, random)[is_labelled], random)
    n_features = points.shape[1]
    forest = ExtraTreesClassifier(
        _N_TREES,
        min_samples_leaf=_LEAST_LEAF,
        max_features=0.5 if n_features <= _FEW_FEATURES else "sqrt",
        bootstrap=True,
        oob_score=True,
        random_state=random,
    )
    forest.fit(points, cluster)
    share = forest.oob_decision_function_
    unlabelled, of_cluster = share[:, 0], share[:, 1:].T
    both = of_cluster + unlabelled
    safe = np.where(both > 0.0, both, 1.0)
    return ClusterScores(cluster, of_cluster / safe, 1.0 - unlabelled)


def clusters_of(points: Any, random: np.random.RandomState) -> Clusters:
    """The cluster of each row, from 0, by the mixture of Gaussians that BIC prefers."""
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


def _without_small(odds: FloatArray) -> Clusters:
    """The likeliest cluster of each row; the smallest are given up until all are large enough."""
    kept = np.arange(odds.shape[1])
    while True:
        cluster: Clusters = odds[:, kept].argmax(axis=1)
        sizes = np.bincount(cluster, minlength=len(kept))
        if sizes.min() >= FEWEST_LABELS or len(kept) == 1:
            return cluster
        kept = np.delete(kept, sizes.argmin())


def _weighted(points: Any, is_labelled: BoolArray, random: np.random.RandomState) -> Any:
    """Points in which the columns that tell labelled from unlabelled rows count most."""
    forest = grow_forest(
        points,
        is_labelled,
        max(_GUESS, (1.0 + float(is_labelled.mean())) / 2.0),
        options_of_weighing_trees(len(is_labelled)),
        n_trees=_N_WEIGHING_TREES,
        random_state=random,
        n_threads=1,
    )
    return weighted(points, forest_weights(forest))
