"""Neighbours beside those of faiss, usearch and pynndescent, where installed, and scikit-learn's.

For each table, by turns and with the same number of threads: our search ("auto"), faiss' HNSW graph
with 16 and 32 links, usearch and pynndescent as they come, and for the smaller tables
scikit-learn's exact search. `make bench` installs faiss alone; the others are heavy. Times of
processor and clock, recall on 500 rows, and whether a second run gives the same lists. At the end,
the exponent with which our time grows from 100 000 to 1 000 000 rows (with --million).

Options: --jobs N, --only NAME, --million.
"""

import argparse
import importlib.util
import math
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_classification
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from paper.datasets import load_real
from pucut.graphs.neighbors import nearest_neighbors, nearest_to


def imported(name: str) -> Any:
    """A module that may be missing."""
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


faiss = imported("faiss")
usearch = imported("usearch") and imported("usearch.index")
pynndescent = imported("pynndescent")

K = 15
SAMPLE = 500
# scikit-learn's exact search is left out above this many pairs of rows.
MOST_PAIRS = 1e9

Lists = npt.NDArray[Any]


def standardised(X: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    spread = X.std(axis=0)
    return ((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)).astype(np.float32)


def synthetic(n_rows: int) -> npt.NDArray[np.float32]:
    X, _ = make_classification(
        n_rows, 20, n_informative=10, n_redundant=5, n_clusters_per_class=4, random_state=0
    )
    return standardised(X)


def tables(with_million: bool) -> dict[str, Callable[[], npt.NDArray[np.float32]]]:
    names = ("vote", "mushroom", "phishing", "letter", "credit", "news", "mnist")
    real = names if os.environ.get("PUCUT_DATA") else ()
    return {
        **{name: lambda name=name: standardised(load_real(name).X) for name in real},
        "100000 x 20": lambda: synthetic(100_000),
        **({"1000000 x 20": lambda: synthetic(1_000_000)} if with_million else {}),
    }


def ours(points: npt.NDArray[np.float32], n_jobs: int) -> tuple[str, Lists]:
    lists = nearest_neighbors(points, K, n_jobs=n_jobs, random_state=0)
    return f"{lists.method}, says {lists.recall:.4f}", lists.indices


def hnsw(points: npt.NDArray[np.float32], n_jobs: int, n_links: int) -> tuple[str, Lists]:
    faiss.omp_set_num_threads(n_jobs)
    index = faiss.IndexHNSWFlat(points.shape[1], n_links)
    index.add(points)
    index.hnsw.efSearch = 64
    return "", without_itself(index.search(points, K + 1)[1])


def by_usearch(points: npt.NDArray[np.float32], n_jobs: int) -> tuple[str, Lists]:
    index = usearch.Index(ndim=points.shape[1], metric="l2sq", dtype="f32")
    index.add(np.arange(len(points)), points, threads=n_jobs)
    return "", without_itself(index.search(points, K + 1, threads=n_jobs).keys)


def by_pynndescent(points: npt.NDArray[np.float32], n_jobs: int) -> tuple[str, Lists]:
    index = pynndescent.NNDescent(points, n_neighbors=K + 1, n_jobs=n_jobs, random_state=0)
    return "", without_itself(index.neighbor_graph[0])


def scikit_learn(points: npt.NDArray[np.float32], n_jobs: int) -> tuple[str, Lists]:
    with threadpool_limits(n_jobs):
        search = NearestNeighbors(n_neighbors=K, n_jobs=n_jobs).fit(points)
        return "", search.kneighbors(return_distance=False)


def without_itself(indices: Lists) -> Lists:
    kept = [[j for j in row if j != i][:K] for i, row in enumerate(indices.tolist())]
    return np.array(kept)


def recall(points: npt.NDArray[np.float32], lists: Lists) -> float:
    sample = np.random.default_rng(0).choice(len(points), min(SAMPLE, len(points)), replace=False)
    truth = nearest_to(points, points[sample], K + 1, "exact").indices
    is_other = truth != sample[:, None]
    found = (truth[:, :, None] == lists[sample][:, None, :]).any(axis=2)
    return float(found[is_other].sum() / (K * len(sample)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--million", action="store_true")
    options = parser.parse_args()
    seconds: dict[str, float] = {}
    print(f"{'table':>14} {'search':>12} {'clock s':>8} {'cpu s':>8} {'ratio':>6} recall  again")
    for table, load in tables(options.million).items():
        if options.only not in (None, table):
            continue
        points = load()
        searches: dict[str, Callable[[], tuple[str, Lists]]] = {
            "pucut": lambda points=points: ours(points, options.jobs)
        }
        if faiss is not None:
            for n_links in (16, 32):
                searches[f"HNSW {n_links}"] = lambda points=points, n_links=n_links: hnsw(
                    points, options.jobs, n_links
                )
        for name, module, peer in (
            ("usearch", usearch, by_usearch),
            ("pynndescent", pynndescent, by_pynndescent),
        ):
            if module is not None:
                searches[name] = lambda points=points, peer=peer: peer(points, options.jobs)
        if len(points) ** 2 <= MOST_PAIRS:
            searches["scikit-learn"] = lambda points=points: scikit_learn(points, options.jobs)
        for name, search in searches.items():
            clock, cpu = time.perf_counter(), time.process_time()
            note, lists = search()
            clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
            if name == "pucut":
                seconds[table] = cpu
            again = "same" if (search()[1] == lists).all() else "DIFFERS"
            print(
                f"{table:>14} {name:>12} {clock:8.2f} {cpu:8.2f} {cpu / seconds[table]:6.2f} "
                f"{recall(points, lists):.4f}  {again}  {note}",
                flush=True,
            )
    if {"100000 x 20", "1000000 x 20"} <= seconds.keys():
        growth = math.log10(seconds["1000000 x 20"] / seconds["100000 x 20"])
        print(f"our time grows with the number of rows to the power {growth:.2f}")


if __name__ == "__main__":
    main()
