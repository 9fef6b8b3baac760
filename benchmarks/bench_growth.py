"""How 2-HNC grows: time and memory by stage for 10^4 to 10^7 rows of 20 features.

1. Rows of one and the same problem are made by blocks into a memory-mapped file; each size is
   fitted in a process of its own, `preset="paper"`, two threads, prior given. Seconds and memory by
   stage, accuracy, and the exponents of time between and over all sizes.
2. The neighbour library beside it: faiss' HNSW builds and searches the graph of the same rows, in
   a process of its own right after, up to --library-rows rows; ratio of the whole fit to it.
3. What sampling rows for the trees costs: accuracy and seconds with samples and with all rows.
4. The engine alone: all cuts of a graph of 10 arcs a node, with time and memory.
5. `preset="auto"`, up to --auto-rows rows.
6. The least leaf of trees that see samples, on real tables (PUCUT_DATA) and samples of a few rows.

Options: --parts 1,2,3,4,5,6  --sizes 10000,100000,1000000,10000000  --library-rows 1000000
--sample-rows 1000000  --path-nodes 1000000,10000000  --auto-rows 1000000  --folder FOLDER
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

from paper.datasets import load_real
from pucut import TwoHNCClassifier, feature_weights
from pucut.cuts.hnc import hnc_minus
from pucut.datasets import pu_split
from pucut.graphs.similarity import symmetric_graph
from pucut.methods.two_hnc import two_hnc
from pucut.trees.forest import TreeOptions

N_JOBS = 2
N_FEATURES, N_INFORMATIVE, N_CLUSTERS = 20, 10, 8
BLOCK_ROWS = 100_000
LABELLED_SHARE, NOISE = 0.6, 0.01
GB = 1e9


def made_block(number, n_rows):
    """Rows of a block, their classes and labels: the same for every size of the table.

    Normal clusters at the corners of a cube, four of each class, squeezed each in its own way; two
    features are sums of others and eight are noise, as in scikit-learn's make_classification.
    """
    shape = np.random.default_rng(12345)
    corners = shape.permutation(1 << N_INFORMATIVE)[:N_CLUSTERS]
    centers = (corners[:, None] >> np.arange(N_INFORMATIVE) & 1) * 2.0 - 1.0
    squeezes = shape.uniform(-1, 1, size=(N_CLUSTERS, N_INFORMATIVE, N_INFORMATIVE))
    sums = shape.uniform(-1, 1, size=(N_INFORMATIVE, 2))
    random = np.random.default_rng([7, number])
    cluster = random.integers(N_CLUSTERS, size=n_rows)
    plain = random.normal(size=(n_rows, N_INFORMATIVE))
    informative = np.einsum("ni,nij->nj", plain, squeezes[cluster]) + centers[cluster]
    noise = random.normal(size=(n_rows, N_FEATURES - N_INFORMATIVE - 2))
    is_positive = (cluster % 2 == 1) ^ (random.random(n_rows) < NOISE)
    is_labelled = is_positive & (random.random(n_rows) < LABELLED_SHARE)
    rows = np.concatenate([informative, informative @ sums, noise], axis=1)
    return rows.astype(np.float32), is_positive, is_labelled


def make_files(folder, n_rows):
    """X as a file of its own, written by blocks; classes and labels beside it."""
    if os.path.exists(f"{folder}/y{n_rows}.npz"):
        return
    X = np.lib.format.open_memmap(
        f"{folder}/X{n_rows}.npy", mode="w+", dtype=np.float32, shape=(n_rows, N_FEATURES)
    )
    classes = []
    for number, start in enumerate(range(0, n_rows, BLOCK_ROWS)):
        stop = min(start + BLOCK_ROWS, n_rows)
        X[start:stop], *made = made_block(number, stop - start)
        classes.append(made)
    X.flush()
    is_positive, is_labelled = (np.concatenate(part) for part in zip(*classes, strict=True))
    np.savez(f"{folder}/y{n_rows}.npz", is_positive=is_positive, is_labelled=is_labelled)


def read_files(folder, n_rows):
    classes = np.load(f"{folder}/y{n_rows}.npz")
    X = np.load(f"{folder}/X{n_rows}.npy", mmap_mode="r")
    return X, classes["is_positive"], classes["is_labelled"]


class MemoryWatch:
    """The memory of this process that is not files, again and again, while something runs."""

    def __enter__(self):
        self.samples, self._stop = [], threading.Event()
        self.start, self.before = time.perf_counter(), private_bytes()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        self.end = time.perf_counter()

    def _watch(self):
        while not self._stop.wait(0.02):
            self.samples.append((time.perf_counter(), private_bytes()))

    def by_stage(self, seconds):
        """The most in each stage, beyond what was before; stages fill the end of the time."""
        begin, peaks = self.end - sum(seconds.values()), {}
        for name, took in seconds.items():
            inside = [size for at, size in self.samples if begin <= at <= begin + took]
            peaks[name] = max(inside, default=self.before) - self.before
            begin += took
        return peaks

    def peak(self):
        return max((size for _, size in self.samples), default=self.before) - self.before


def private_bytes():
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) << 10 for line in status if "RssAnon" in line)
    except (OSError, StopIteration):
        return 0  # only Linux tells


def largest_resident():
    """The most memory this process has had, pages of mapped files among it."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def fit(folder, n_rows, preset="paper", all_rows=False):
    X, is_positive, is_labelled = read_files(folder, n_rows)
    if all_rows:  # as it was before trees saw samples
        two_hnc.options_of_weighing_trees = lambda n_rows: TreeOptions()
    prior = float(is_positive.mean())
    model = TwoHNCClassifier(prior=prior, preset=preset, n_jobs=N_JOBS, random_state=0)
    needed = model.estimate(X)
    used = time.process_time()
    with MemoryWatch() as watch:
        model.fit(X, is_labelled)
    right = (model.transduction_ == is_positive)[~is_labelled]
    return {
        "seconds": watch.end - watch.start,
        "processor": time.process_time() - used,
        "steps": model.step_seconds_,
        "bytes": watch.by_stage(model.step_seconds_),
        "peak": watch.peak(),
        "resident": largest_resident(),
        "estimated": {stage.name: (stage.seconds, stage.bytes) for stage in needed.stages},
        "recall": model.neighbor_recall_,
        "scanned": model.stage1_.counters["scanned_arcs"],
        "accuracy": float(right.mean()),
    }


def library(folder, n_rows, links=16):
    """faiss: the graph of 5 neighbours of the standardised rows."""
    try:
        import faiss
    except ImportError:
        return {}
    X, _, _ = read_files(folder, n_rows)
    points = np.array(X)
    points -= points.mean(axis=0)
    points /= points.std(axis=0)
    faiss.omp_set_num_threads(N_JOBS)
    used = time.process_time()
    start = time.perf_counter()
    index = faiss.IndexHNSWFlat(N_FEATURES, links)
    index.add(points)
    _, found = index.search(points, 6)
    seconds = time.perf_counter() - start
    used = time.process_time() - used
    asked = np.random.default_rng(0).choice(n_rows, min(n_rows, 500), replace=False)
    exact = faiss.IndexFlatL2(N_FEATURES)
    exact.add(points)
    _, truth = exact.search(points[asked], 6)
    hits = [len(set(found[row]) & set(true)) for row, true in zip(asked, truth, strict=True)]
    return {"seconds": seconds, "processor": used, "recall": float(np.mean(hits)) / 6}


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
    used = time.process_time()
    with MemoryWatch() as watch:
        cuts = hnc_minus(graph, labelled, n_threads=N_JOBS)
    return {
        "seconds": watch.end - watch.start,
        "processor": time.process_time() - used,
        "arcs": int(graph.nnz),
        "beyond": watch.peak(),
        "resident": largest_resident(),
        "breakpoints": len(cuts.breakpoints),
        "gap": cuts.duality_gap,
    }


def leaves():
    """What the trees that weigh features see, and how small their leaves are, on real tables."""
    samples = {"letter": 4000, "credit": 4000, "bean": 3000, "phishing": 3000, "mushroom": 2000}
    for name, n_rows in samples.items():
        try:
            table = load_real(name)
        except OSError as error:
            print(f"{name} left out: {error}")
            continue
        kinds = [(None, 1), (None, 5), (n_rows, 1), (n_rows, 5), (n_rows, 20)]
        for max_rows, leaf in kinds:
            options = TreeOptions(max_rows=max_rows, min_samples_leaf=leaf)
            two_hnc.options_of_weighing_trees = lambda n_rows, chosen=options: chosen
            accuracy = [accuracy_of_split(table, seed) for seed in range(5)]
            error = np.std(accuracy, ddof=1) / len(accuracy) ** 0.5
            print(
                f"{name:<10}{max_rows or 'all':>6} rows a tree, leaves of {leaf:<3} accuracy "
                f"{100 * np.mean(accuracy):.2f} (s.e. {100 * error:.2f})",
                flush=True,
            )


def accuracy_of_split(table, seed):
    is_labelled = pu_split(table.is_positive, LABELLED_SHARE, random_state=seed)
    model = TwoHNCClassifier(
        prior=table.prior, preset="paper", n_jobs=N_JOBS, random_state=seed
    ).fit(table.X, is_labelled)
    return float((model.transduction_ == table.is_positive)[~is_labelled].mean())


def alone(call):
    """The result of a function of this file in a process of its own, for its memory."""
    command = [sys.executable, __file__, "--call", call]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def exponents(sizes, seconds):
    """Between neighbouring sizes, and the slope of the line through all of them."""
    if len(sizes) < 2:
        return "one size only"
    logs = np.log(sizes), np.log(seconds)
    steps = np.diff(logs[1]) / np.diff(logs[0])
    return f"{np.polyfit(*logs, 1)[0]:.2f} over all, {np.round(steps, 2).tolist()} between"


def growth(folder, sizes, library_rows, with_library):
    results = {}
    for n_rows in sizes:
        make_files(folder, n_rows)
        result = results[n_rows] = alone(f"fit({folder!r}, {n_rows})")
        print(
            f"{n_rows:>9} rows  {result['seconds']:8.1f} s  ({result['processor']:.1f} s of "
            f"processors)  {result['peak'] / GB:5.2f} GB, with mapped files "
            f"{result['resident'] / GB:5.2f} GB  recall {result['recall']:.3f}  "
            f"accuracy {result['accuracy']:.4f}"
        )
        for name, took in result["steps"].items():
            guess = result["estimated"].get(name)
            said = f"   estimated {guess[0]:8.2f} s {guess[1] / GB:6.3f} GB" if guess else ""
            print(f"    {name:<12}{took:9.2f} s {result['bytes'][name] / GB:7.3f} GB{said}")
        if with_library and n_rows <= library_rows:
            theirs = alone(f"library({folder!r}, {n_rows})")
            if theirs:
                print(
                    f"    faiss HNSW  {theirs['seconds']:9.2f} s  ({theirs['processor']:.1f} s of "
                    f"processors)  recall {theirs['recall']:.3f}; the whole fit is "
                    f"{result['seconds'] / theirs['seconds']:.2f} times that (needed 1.4)"
                )
        sys.stdout.flush()
    measured = list(results)
    for kind in ("seconds", "processor"):
        took = [each[kind] for each in results.values()]
        print(f"exponents of all, {kind}:", exponents(measured, took))
    for name in ("neighbours", "cuts"):
        took = [each["steps"][name] for each in results.values()]
        print(f"exponents of {name}:", exponents(measured, took))
    scanned = [each["scanned"] for each in results.values()]
    print(f"arcs scanned in stage 1: {scanned}, exponents:", exponents(measured, scanned))
    print("(needed at most 1.2 for all and 1.15 for the path)")


def samples(folder, n_rows):
    make_files(folder, n_rows)
    print(f"trees on samples of {feature_weights.ROWS_OF_A_TREE} of {n_rows} rows, and on all")
    for all_rows in (False, True):
        found = alone(f"fit({folder!r}, {n_rows}, all_rows={all_rows})")
        print(
            f"    {'all' if all_rows else 'samples':<8} trees {found['steps']['trees']:7.1f} s  "
            f"accuracy {found['accuracy']:.4f}",
            flush=True,
        )


def engine(sizes):
    for n_nodes in sizes:
        found = alone(f"path({n_nodes})")
        print(
            f"{n_nodes:>9} nodes, {found['arcs']} arcs: {found['seconds']:.1f} s "
            f"({found['processor']:.1f} s of processors), {found['beyond'] / GB:.2f} GB beyond the "
            f"graph, {found['resident'] / GB:.2f} GB in all (needed 12 for 10^7 and 10^8), "
            f"{found['breakpoints']} breakpoints, gap {found['gap']:.1g}",
            flush=True,
        )


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--parts", default="1,2,3,4,5,6")
    options.add_argument("--sizes", default="10000,100000,1000000,10000000")
    options.add_argument("--library-rows", type=int, default=1_000_000)
    options.add_argument("--sample-rows", type=int, default=1_000_000)
    options.add_argument("--path-nodes", default="1000000,10000000")
    options.add_argument("--auto-rows", type=int, default=1_000_000)
    options.add_argument("--folder", help="keeps the made tables; by default they are removed")
    options.add_argument("--call", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.call:
        print(json.dumps(eval(chosen.call)))
        return
    parts = chosen.parts.split(",")
    sizes = [int(n_rows) for n_rows in chosen.sizes.split(",")]
    with tempfile.TemporaryDirectory() as made:
        folder = chosen.folder or made
        if "1" in parts or "2" in parts:
            growth(folder, sizes, chosen.library_rows, "2" in parts)
        if "3" in parts:
            samples(folder, chosen.sample_rows)
        if "4" in parts:
            engine([int(n_nodes) for n_nodes in chosen.path_nodes.split(",")])
        if "5" in parts:
            for n_rows in (n for n in sizes if n <= chosen.auto_rows):
                make_files(folder, n_rows)
                found = alone(f"fit({folder!r}, {n_rows}, preset='auto')")
                steps = "  ".join(f"{name} {took:.1f}" for name, took in found["steps"].items())
                print(
                    f"{n_rows:>9} rows, preset auto  {found['seconds']:8.1f} s  "
                    f"{found['peak'] / GB:5.2f} GB  accuracy {found['accuracy']:.4f}   {steps}",
                    flush=True,
                )
        if "6" in parts:
            leaves()


if __name__ == "__main__":
    main()
