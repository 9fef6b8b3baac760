"""Lists of neighbours beside those of faiss, usearch and pynndescent, and of scikit-learn.

search  for each table, in turn and with the same number of threads: our search ("auto"), faiss'
        HNSW graph with 16 and 32 links, usearch and pynndescent as they come, and for the smaller
        tables scikit-learn's exact search. Clock and processor seconds, recall on 500 rows, and
        whether a second run gives the same lists. The ratio is that of our processor seconds to
        theirs.
growth  the exponent with which our time grows, from 100 000 to 1 000 000 rows.
threads our search ("auto", and "exact" of fewer rows) with few and with many threads, clock
        seconds: rows of MNIST where it can be had, random numbers in their shape, and 100 000 x 20.
        A minute with 2 and 16 threads. The ratio is that of the time with the most threads to that
        with the fewest; the goal holds for eight times as many.
        "products" are matrix products of one thread each that share nothing: no search by products
        gains more than they do.

`make bench` installs faiss alone; the others are heavy.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_classification
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from benchmarks.bare import standardised
from benchmarks.data import loaded
from benchmarks.harness import Benchmark, Goal, Option, Run, Skip
from benchmarks.timing import exponent, side_by_side
from pucut.graphs.neighbors import nearest_neighbors, nearest_to

K = 15
SAMPLE = 500
# scikit-learn's exact search is left out above this many pairs of rows.
MOST_PAIRS = 1e9

Lists = npt.NDArray[Any]
Points = npt.NDArray[np.float32]
Search = Callable[[Points, int], Lists]

bench = Benchmark(
    __file__,
    __doc__,
    goals={"threads": Goal(1 / 6)},
    options={
        "datasets": Option(
            ("vote", "mushroom", "phishing", "letter", "credit", "news", "mnist"), quick=("vote",)
        ),
        "rows": Option((100_000,), quick=(1_000,), help="of tables of random numbers"),
        "growth_rows": Option((100_000, 1_000_000), quick=(1_000, 2_000)),
        "jobs": Option(1),
        "threads": Option((2, 16), quick=(1, 2), help="for the part threads"),
        "repeats": Option(2, quick=1, help="for the part threads"),
    },
)


def synthetic(n_rows: int) -> Points:
    X, _ = make_classification(
        n_rows, 20, n_informative=10, n_redundant=5, n_clusters_per_class=4, random_state=0
    )
    return standardised(X)


def ours(points: Points, n_jobs: int) -> Lists:
    return nearest_neighbors(points, K, n_jobs=n_jobs, random_state=0).indices


def by_faiss(faiss: Any, n_links: int) -> Search:
    def search(points: Points, n_jobs: int) -> Lists:
        faiss.omp_set_num_threads(n_jobs)
        index = faiss.IndexHNSWFlat(points.shape[1], n_links)
        index.add(points)
        index.hnsw.efSearch = 64
        return without_itself(index.search(points, K + 1)[1])

    return search


def by_usearch(usearch: Any) -> Search:
    def search(points: Points, n_jobs: int) -> Lists:
        index = usearch.Index(ndim=points.shape[1], metric="l2sq", dtype="f32")
        index.add(np.arange(len(points)), points, threads=n_jobs)
        return without_itself(index.search(points, K + 1, threads=n_jobs).keys)

    return search


def by_pynndescent(pynndescent: Any) -> Search:
    def search(points: Points, n_jobs: int) -> Lists:
        index = pynndescent.NNDescent(points, n_neighbors=K + 1, n_jobs=n_jobs, random_state=0)
        return without_itself(index.neighbor_graph[0])

    return search


def scikit_learn(points: Points, n_jobs: int) -> Lists:
    with threadpool_limits(n_jobs):
        search = NearestNeighbors(n_neighbors=K, n_jobs=n_jobs).fit(points)
        return search.kneighbors(return_distance=False)


def without_itself(indices: Lists) -> Lists:
    kept = [[j for j in row if j != i][:K] for i, row in enumerate(indices.tolist())]
    return np.array(kept)


def recall(points: Points, lists: Lists) -> float:
    sample = np.random.default_rng(0).choice(len(points), min(SAMPLE, len(points)), replace=False)
    truth = nearest_to(points, points[sample], K + 1, "exact").indices
    is_other = truth != sample[:, None]
    found = (truth[:, :, None] == lists[sample][:, None, :]).any(axis=2)
    return float(found[is_other].sum() / (K * len(sample)))


def peers(run: Run) -> dict[str, Search]:
    found: dict[str, Search] = {}
    if (faiss := run.peer("faiss")) is not None:
        found |= {f"HNSW {n_links}": by_faiss(faiss, n_links) for n_links in (16, 32)}
    if (usearch := run.peer("usearch.index")) is not None:
        found["usearch"] = by_usearch(usearch)
    if (pynndescent := run.peer("pynndescent")) is not None:
        found["pynndescent"] = by_pynndescent(pynndescent)
    return found


@bench.part
def search(run: Run) -> None:
    others = peers(run)
    for dataset in loaded(run):
        compare(run, dataset.name, standardised(dataset.X), others)
    for n_rows in run.options.rows:
        compare(run, f"{n_rows} x 20", synthetic(n_rows), others)


def compare(run: Run, table: str, points: Points, others: dict[str, Search]) -> None:
    if len(points) ** 2 <= MOST_PAIRS:
        others = {**others, "scikit-learn": scikit_learn}
    own = None
    for name, find in {"pucut": ours, **others}.items():
        first, second = (
            side_by_side({name: lambda find=find: find(points, run.options.jobs)}, 1)[name]
            for _ in range(2)
        )
        figures = {
            "clock s": first.seconds,
            "cpu s": first.processor,
            "recall": recall(points, first.result),
            "same again": bool((first.result == second.result).all()),
        }
        ratio = own.processor / first.processor if own is not None else None
        own = own or first
        run.row(f"{table}, {name}", figures, ratio=ratio, peer=name)


@bench.part
def growth(run: Run) -> None:
    sizes = run.options.growth_rows
    tables = {f"{n_rows} rows": synthetic(n_rows) for n_rows in sizes}
    times = side_by_side(
        {
            name: lambda points=points: ours(points, run.options.jobs)
            for name, points in tables.items()
        },
        1,
    )
    took = {name: timing.processor for name, timing in times.items()}
    run.row("n x 20, cpu s", {**took, "exponent": exponent(sizes, list(took.values()))})


@bench.part
def threads(run: Run) -> None:
    n_processors = os.cpu_count() or 1
    if n_processors < max(run.options.threads):
        raise Skip(f"there are {n_processors} processors, fewer than {max(run.options.threads)}")
    if run.options.quick:
        tables = [("random", synthetic(1_000))]
    else:
        tables = [(each.name, standardised(each.X[:40_000])) for each in loaded(run, ("mnist",))]
        tables += [("random", shape_of_mnist(40_000)), ("random", synthetic(100_000))]
    compare_threads(run, "products", make_products)
    for name, points in tables:
        n_exact = 15_000 if points.shape[1] > 100 else 50_000
        for method, rows in (("auto", points), ("exact", points[:n_exact])):
            compare_threads(
                run,
                f"{name}, {rows.shape[0]} x {rows.shape[1]}, {method}",
                lambda n_threads, rows=rows, method=method: nearest_neighbors(
                    rows, K, method, n_jobs=n_threads, random_state=0
                ),
            )


def compare_threads(run: Run, name: str, work: Callable[[int], Any]) -> None:
    """Times the work with each number of threads; neighbours have to be the same."""
    counts = run.options.threads
    times = side_by_side({f"{n} threads": lambda n=n: work(n) for n in counts}, run.options.repeats)
    results = [timing.result for timing in times.values()]
    are_same = all(
        np.array_equal(found.indices, results[0].indices)
        and np.array_equal(found.squared_distances, results[0].squared_distances)
        for found in results[1:]
        if found is not None
    )
    few, many = (times[f"{n} threads"].seconds for n in (min(counts), max(counts)))
    run.row(
        name,
        {f"{label} s": timing.seconds for label, timing in times.items()} | {"same": are_same},
        ratio=many / few,
        goal="threads" if max(counts) == 8 * min(counts) else None,
        peer=f"{min(counts)} threads",
    )


def shape_of_mnist(n_rows: int) -> Points:
    """12 dimensions and some noise, as in images."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n_rows, 12)) @ rng.normal(size=(12, 784))
    return standardised(rows + 0.3 * rng.normal(size=rows.shape))


def make_products(n_threads: int) -> None:
    """Compute this number of products of the size of the search, shared by threads."""
    a = np.random.default_rng(0).normal(size=(512, 785)).astype(np.float32)
    with threadpool_limits(1), ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(lambda _: [a @ a.T for _ in range(4)], range(128)))


if __name__ == "__main__":
    bench.main()
