"""Growth of 2-HNC: time and memory by stage for 10^4 to 10^7 rows of 20 features.

rows     rows of the same problem are made by blocks into a memory-mapped file; each size is
         fitted in a process of its own by TwoHNCClassifier, two threads, prior given. Seconds and
         memory by stage beside those estimated, accuracy, and the exponents of time. Up to
         --library-rows rows faiss' HNSW then builds and searches the graph of the same rows; the
         ratio is that of the whole fit to it.
samples  the cost of sampling rows for the trees: accuracy and seconds with samples and all rows
engine   all cuts of a graph of 10 arcs a node, with time and memory
chooser  PUCutClassifier, up to --chooser-rows rows, beside 2-HNC; the ratio is that of seconds
         of a processor
"""

import tempfile
from contextlib import contextmanager

import numpy as np

from benchmarks.harness import Benchmark, Goal, Option, Run
from benchmarks.made_tables import N_FEATURES, make_files, read_files
from benchmarks.processes import MemoryWatch, in_own_process, peak_bytes
from benchmarks.timing import exponent, side_by_side
from pucut import PUCutClassifier, TwoHNCClassifier
from pucut.cuts.hnc import hnc_minus
from pucut.graphs.similarity import symmetric_graph
from pucut.methods.two_hnc import classifier
from pucut.trees.growing import ROWS_OF_A_TREE, TreeOptions

N_JOBS = 2
GB = 1e9
CLASSIFIERS = {"2-HNC": TwoHNCClassifier, "pucut": PUCutClassifier}
LINKS = 16  # of faiss' graph
LARGEST_ENGINE = 10_000_000

bench = Benchmark(
    __file__,
    __doc__,
    goals={
        "beside faiss": Goal(1.4),
        "exponent of all": Goal(1.2),
        "exponent of the path": Goal(1.15),
        "GB of the engine": Goal(12),
        "chooser beside 2-HNC": Goal(3),
    },
    options={
        "sizes": Option((10_000, 100_000, 1_000_000, 10_000_000), quick=(1_000, 3_000)),
        "library_rows": Option(1_000_000),
        "sample_rows": Option(1_000_000, quick=3_000),
        "path_nodes": Option((1_000_000, LARGEST_ENGINE), quick=(10_000,)),
        "chooser_rows": Option(1_000_000),
        "folder": Option(None, help="keeps the made tables; by default they are removed"),
    },
)


def fit(folder, n_rows, method="2-HNC", all_rows=False):
    X, is_positive, is_labelled = read_files(folder, n_rows)
    if all_rows:  # as it was before trees saw samples
        classifier.options_of_weighing_trees = lambda n_rows: TreeOptions()
    prior = float(is_positive.mean())
    model = CLASSIFIERS[method](prior=prior, n_jobs=N_JOBS, random_state=0)
    needed = model.estimate(X)
    with MemoryWatch() as watch:
        model.fit(X, is_labelled)
    right = (model.transduction_ == is_positive)[~is_labelled]
    return {
        "seconds": watch.seconds,
        "processor": watch.processor,
        "steps": model.step_seconds_,
        "bytes": watch.by_stage(model.step_seconds_),
        "peak": watch.peak(),
        "resident": peak_bytes(),
        "estimated": {stage.name: (stage.seconds, stage.bytes) for stage in needed.stages},
        "recall": model.neighbor_recall_,
        "scanned": model.stage1_.counters["scanned_arcs"] if method == "2-HNC" else 0,
        "accuracy": 100 * float(right.mean()),
    }


def library(folder, n_rows):
    """faiss: seconds for the graph of 5 neighbours of the standardised rows, and its recall."""
    import faiss

    points = np.array(read_files(folder, n_rows)[0])
    points -= points.mean(axis=0)
    points /= points.std(axis=0)
    faiss.omp_set_num_threads(N_JOBS)

    def graph():
        index = faiss.IndexHNSWFlat(N_FEATURES, LINKS)
        index.add(points)
        return index.search(points, 6)[1]

    timing = side_by_side({"faiss": graph}, 1)["faiss"]
    asked = np.random.default_rng(0).choice(n_rows, min(n_rows, 500), replace=False)
    exact = faiss.IndexFlatL2(N_FEATURES)
    exact.add(points)
    _, truth = exact.search(points[asked], 6)
    hits = [
        len(set(timing.result[row]) & set(true)) for row, true in zip(asked, truth, strict=True)
    ]
    return {"seconds": timing.seconds, "recall": float(np.mean(hits)) / 6}


def path(n_nodes):
    """All cuts of a graph in which a node is joined to five others near it, and they to it."""
    random = np.random.default_rng(0)
    width = 5
    indices = np.empty((n_nodes, width), dtype=np.int32)
    for start in range(0, n_nodes, 1 << 20):
        rows = np.arange(start, min(start + (1 << 20), n_nodes))
        steps = np.sort(random.integers(1, 200, size=(len(rows), width)), axis=1)
        steps += np.arange(width)  # no node twice
        indices[rows] = (rows[:, None] + steps) % n_nodes
    weights = random.random(indices.shape, dtype=np.float32) + np.float32(1e-3)
    graph = symmetric_graph(indices, weights)
    del indices, weights
    labelled = random.random(n_nodes) < 0.2
    with MemoryWatch() as watch:
        cuts = hnc_minus(graph, labelled, n_threads=N_JOBS)
    return {
        "arcs": int(graph.nnz),
        "seconds": watch.seconds,
        "processor": watch.processor,
        "GB more": watch.peak() / GB,
        "GB in all": peak_bytes() / GB,
        "breaks": len(cuts.breakpoints),
        "gap": float(cuts.duality_gap),
    }


@contextmanager
def folder_of(run):
    with tempfile.TemporaryDirectory() as made:
        yield run.options.folder or made


@bench.part
def rows(run: Run) -> None:
    found = {}
    has_faiss = run.peer("faiss") is not None
    with folder_of(run) as folder:
        for n_rows in run.options.sizes:
            make_files(folder, n_rows)
            result = found[n_rows] = in_own_process(fit, folder, n_rows)
            peer = None
            if has_faiss and n_rows <= run.options.library_rows:
                peer = in_own_process(library, folder, n_rows)
            run.row(
                f"{n_rows} rows",
                {
                    "seconds": result["seconds"],
                    "processor": result["processor"],
                    "GB": result["peak"] / GB,
                    "with files": result["resident"] / GB,
                    "recall": result["recall"],
                    "accuracy": result["accuracy"],
                    "faiss s": peer and peer["seconds"],
                    "its recall": peer and peer["recall"],
                },
                ratio=result["seconds"] / peer["seconds"] if peer else None,
                goal="beside faiss",
                peer="faiss HNSW",
            )
    for n_rows, result in found.items():
        for name, took in result["steps"].items():
            guess = result["estimated"].get(name, (None, None))
            run.row(
                f"{n_rows} rows, {name}",
                {
                    "seconds": took,
                    "GB": result["bytes"][name] / GB,
                    "estimated s": guess[0],
                    "est. GB": guess[1] and guess[1] / GB,
                },
            )
    show_exponents(run, found)


def show_exponents(run, found):
    sizes = list(found)
    series = {
        ("all, seconds", "exponent of all"): [r["seconds"] for r in found.values()],
        ("all, processor", "exponent of all"): [r["processor"] for r in found.values()],
        ("neighbours", None): [r["steps"]["neighbours"] for r in found.values()],
        ("cuts", "exponent of the path"): [r["steps"]["cuts"] for r in found.values()],
        ("arcs scanned, stage 1", None): [r["scanned"] for r in found.values()],
    }
    if len(sizes) < 2:
        return
    for (name, goal), values in series.items():
        between = {
            f"to {b}": exponent(sizes[i : i + 2], values[i : i + 2])
            for i, b in enumerate(sizes[1:])
        }
        run.row(
            f"exponents, {name}",
            between,
            ratio=exponent(sizes, values) if goal else None,
            goal=goal,
            peer="fewer rows",
        )


@bench.part
def samples(run: Run) -> None:
    n_rows = run.options.sample_rows
    with folder_of(run) as folder:
        make_files(folder, n_rows)
        for most, all_rows in ((min(ROWS_OF_A_TREE, n_rows), False), ("all", True)):
            found = in_own_process(fit, folder, n_rows, all_rows=all_rows)
            run.row(
                f"{n_rows} rows",
                {
                    "rows per tree": most,
                    "trees s": found["steps"]["trees"],
                    "seconds": found["seconds"],
                    "accuracy": found["accuracy"],
                },
            )


@bench.part
def engine(run: Run) -> None:
    for n_nodes in run.options.path_nodes:
        found = in_own_process(path, n_nodes)
        is_largest = n_nodes == LARGEST_ENGINE
        run.row(
            f"{n_nodes} nodes",
            found,
            ratio=found["GB in all"] if is_largest else None,
            goal="GB of the engine",
            peer="GB",
        )


@bench.part
def chooser(run: Run) -> None:
    with folder_of(run) as folder:
        for n_rows in (n for n in run.options.sizes if n <= run.options.chooser_rows):
            make_files(folder, n_rows)
            plain, found = (in_own_process(fit, folder, n_rows, each) for each in CLASSIFIERS)
            run.row(
                f"pucut, {n_rows} rows",
                {
                    "seconds": found["seconds"],
                    "2-HNC s": plain["seconds"],
                    "GB": found["peak"] / GB,
                    "accuracy": found["accuracy"],
                    **{f"{name} s": took for name, took in found["steps"].items()},
                },
                ratio=found["processor"] / plain["processor"],
                goal="chooser beside 2-HNC",
                peer="2-HNC",
            )


if __name__ == "__main__":
    bench.main()
