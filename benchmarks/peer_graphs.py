"""The graphs that peers were measured on: stage 1 of 2-HNC, labelled samples contracted.

Samples of `make_classification` (10 features, 8 informative, 4 clusters per class), 60 % of the
positives labelled, 5 nearest neighbours joined if either is a neighbour of the other, weights
exp(-d^2 / 2 sigma^2) with distances divided by the square root of the number of features. MNIST,
odd against even, likewise, standardised. Built once and kept in benchmarks/out.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree
from sklearn.datasets import make_classification
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

KEPT = Path(__file__).parent / "out"
N_NEIGHBORS = 5


@dataclass(frozen=True, eq=False)
class StageOne:
    """Minimise C(S, S') - pull(S) + lambda * degree(S), over subsets S of the unlabelled nodes."""

    name: str
    graph: sp.csr_array
    pull: np.ndarray
    degree: np.ndarray

    @property
    def file(self) -> Path:
        """The file that keeps the graph."""
        return KEPT / f"{self.name}.npz"

    @property
    def mean_lambda(self) -> float:
        """The lambda at which the net pulls of all nodes sum to 0."""
        return float(self.pull.sum() / self.degree.sum())


def synthetic(n_samples: int) -> StageOne:
    return _kept(f"synthetic-{n_samples}", lambda: _build_synthetic(n_samples))


def mnist() -> StageOne | None:
    """The graph of MNIST; None if the data are not available."""
    path = Path(os.environ.get("PUCUT_DATA", ".")) / "mnist.npz"
    return _kept("mnist", lambda: _build_mnist(path)) if path.is_file() else None


def _build_synthetic(n_samples: int) -> tuple[sp.csr_array, np.ndarray]:
    X, y = make_classification(
        n_samples, 10, n_informative=8, n_clusters_per_class=4, random_state=0
    )
    distances, neighbors = cKDTree(X).query(X, N_NEIGHBORS + 1, workers=-1)
    return _similarity(distances / np.sqrt(10), neighbors, sigma=0.25), y == 1


def _build_mnist(path: Path) -> tuple[sp.csr_array, np.ndarray]:
    with np.load(path) as data:
        X = StandardScaler().fit_transform(data["X"].astype(np.float32))
        positive = data["y"] % 2 == 1
    index = NearestNeighbors(n_neighbors=N_NEIGHBORS + 1, algorithm="brute", n_jobs=-1).fit(X)
    distances, neighbors = index.kneighbors(X)
    return _similarity(distances.astype(float) / np.sqrt(784), neighbors, sigma=0.75), positive


def _similarity(distances: np.ndarray, neighbors: np.ndarray, sigma: float) -> sp.csr_array:
    n_samples, n_columns = neighbors.shape
    rows = np.repeat(np.arange(n_samples), n_columns)
    weights = np.exp(-(distances.ravel() ** 2) / (2 * sigma**2))
    others = rows != neighbors.ravel()
    one_way = sp.csr_array(
        (weights[others], (rows[others], neighbors.ravel()[others])), shape=(n_samples, n_samples)
    )
    return one_way.maximum(one_way.T).tocsr()


def _kept(name: str, build) -> StageOne:
    file = KEPT / f"{name}.npz"
    if not file.is_file():
        graph, positive = build()
        positives = np.flatnonzero(positive)
        chosen = np.random.default_rng(0).choice(
            positives, round(0.6 * len(positives)), replace=False
        )
        labelled = np.zeros(graph.shape[0], dtype=bool)
        labelled[chosen] = True
        between = graph[~labelled]
        free = between[:, ~labelled].tocsr()
        free.sort_indices()
        KEPT.mkdir(exist_ok=True)
        np.savez(
            file,
            data=free.data,
            indices=free.indices,
            indptr=free.indptr,
            pull=between[:, labelled].sum(axis=1),
            degree=between.sum(axis=1),
        )
    with np.load(file) as kept:
        n_nodes = len(kept["pull"])
        graph = sp.csr_array(
            (kept["data"], kept["indices"], kept["indptr"]), shape=(n_nodes, n_nodes)
        )
        return StageOne(name, graph, kept["pull"], kept["degree"])
