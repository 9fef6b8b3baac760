"""Fits on a Dask cluster of four processes: time and bytes moved by stage, and how they grow.

stages   2-HNC, for each size of --rows: seconds and megabytes moved by stage; then the exponents of
         both from the smallest to the largest size. --held GB of float32 instead of --rows, with
         --memory for each worker, fits a table that no worker can hold:
         --held 2.2 --memory 2GB --features 500 --neighbors approximate --trees 20
chooser  DaskPUCutClassifier on the largest size: seconds of each step, and all that was moved; then
         again with --die, while a process is killed in each phase, with the same result
cut      the memory of a cut in the calling process: bytes per node and arc, with 5, 10 and 15
         neighbours, and so for 10^8 nodes; and how many free rows the largest connected part has
network  with --bandwidth, as 10MB: the largest size again, over a network in which every worker
         sends that many bytes in a second

Rows are made on the workers, block by block, from a few hidden directions, as real tables have.
Bytes are those that workers sent to each other and to this process. With a bandwidth a worker waits
before it answers; beside the seconds it then takes stands what the bytes alone would take, if all
workers sent all the time. No goals.
"""

import asyncio
import os
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from dask.utils import parse_bytes
from distributed import Client, LocalCluster, WorkerPlugin
from scipy.sparse import load_npz, save_npz
from scipy.sparse.csgraph import connected_components

from benchmarks.dying_workers import PATIENCE, dying_workers
from benchmarks.harness import Benchmark, Option, Run, Skip
from benchmarks.processes import MemoryWatch, in_own_process, peak_bytes
from benchmarks.timing import exponent
from pucut import TwoHNCClassifier
from pucut.cuts.score_cuts import score_cut
from pucut.cuts.selection import closest_partition
from pucut.cuts.two_stages import two_stage_cuts
from pucut.dask import DaskPUCutClassifier
from pucut.dask.partitions import read_partitions
from pucut.dask.place import PointsOnWorkers
from pucut.dask.standardising import encoded_partitions, learn_all_columns
from pucut.data.labels import checked_pu_labels
from pucut.graphs.spaces import weighted_space
from pucut.methods.two_hnc.fitting import CutSettings

N_WORKERS = 4
PRIOR = 0.4
# A task of each phase; trees of many rows and of few, neighbours of each kind.
PHASES = {
    "encoding": ("learn_columns",),
    "trees": ("grow_sampled_trees", "grow_trees"),
    "scores of trees": ("leaf_scores",),
    "neighbours": ("search_region", "search_part"),
    "end of neighbours": ("finished", "without_own_rows"),
    "sums of regressions": ("results_of_blocks",),
    "scores of regressions": ("joined_blocks",),
}
BLOCK_BYTES = 1 << 24
N_COLUMNS = 20  # of what cuts are made for
LEAST_BLOCKS = 16

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "rows": Option((10_000, 20_000, 40_000), quick=(1_000, 2_000)),
        "held": Option(0.0, help="GB of float32 to fit, instead of --rows"),
        "features": Option(20),
        "hidden": Option(4, help="dimensions the rows have"),
        "memory": Option("1GB", help="of each worker"),
        "threads": Option(1, help="of each worker"),
        "jobs": Option(1, help="threads of this process, for cuts"),
        "neighbors": Option("exact", help="exact or approximate"),
        "trees": Option(100, quick=10),
        "die": Option("no", help="chooser: no, also (a second fit) or only (nothing to compare)"),
        "verbose": Option(0, help="1 prints the steps of the chooser while it runs"),
        "nodes": Option(300_000, quick=3_000, help="cut: of the graphs"),
        "bandwidth": Option(None, quick="10MB", help="of each worker in a second, for network"),
    },
)


def block_of(first, n_rows, n_features, n_hidden):
    """Rows from `first` on: points of two classes in few dimensions, seen through many features."""
    rng = np.random.default_rng(first)
    view = np.random.default_rng(0).normal(size=(n_hidden, n_features)).astype(np.float32)
    is_positive = classes_of(first, n_rows)
    hidden = rng.normal(size=(n_rows, n_hidden)).astype(np.float32)
    hidden[:, 0] += 2.0 * is_positive
    noise = rng.normal(scale=0.05, size=(n_rows, n_features)).astype(np.float32)
    return hidden @ view + noise


def classes_of(first, n_rows):
    return np.random.default_rng(first + 1).random(n_rows) < PRIOR


def problem(n_rows, n_features, n_hidden):
    """X as a Dask array, and which rows are labelled and which positive."""
    step = max(1, min(BLOCK_BYTES // (4 * n_features), n_rows // LEAST_BLOCKS))
    firsts = range(0, n_rows, step)
    make = dask.delayed(block_of)
    blocks = [
        da.from_delayed(
            make(first, min(step, n_rows - first), n_features, n_hidden),
            (min(step, n_rows - first), n_features),
            np.float32,
        )
        for first in firsts
    ]
    is_positive = np.concatenate([classes_of(f, min(step, n_rows - f)) for f in firsts])
    is_labelled = is_positive & (np.random.default_rng(2).random(n_rows) < 0.5)
    return da.concatenate(blocks), is_labelled, is_positive


class Meter:
    """Seconds and bytes of each stage."""

    def __init__(self, client):
        self.client, self.seconds, self.moved = client, {}, {}

    @contextmanager
    def step(self, name):
        start, sent = time.perf_counter(), self.sent()
        yield
        self.seconds[name] = time.perf_counter() - start
        self.moved[name] = self.sent() - sent

    def sent(self):
        return sum(self.client.run(sent_by_worker).values())

    def peak(self):
        return max(self.client.run(peak_bytes).values())


class SlowNetwork(WorkerPlugin):
    """Workers that send a limited number of bytes a second, one message after the other."""

    name = "slow-network"

    def __init__(self, bandwidth):
        self.bandwidth = bandwidth

    def setup(self, worker):
        self.get_data, line = worker.handlers["get_data"], asyncio.Lock()

        async def get_data(comm, keys, **options):
            tasks = worker.state.tasks
            size = sum(tasks[key].nbytes or 0 for key in keys if key in tasks)
            async with line:
                await asyncio.sleep(size / self.bandwidth)
            return await self.get_data(comm, keys=keys, **options)

        worker.handlers["get_data"] = get_data

    def teardown(self, worker):
        worker.handlers["get_data"] = self.get_data


def sent_by_worker(dask_worker):
    return dask_worker.transfer_outgoing_bytes_total


def measured(run, client, n_rows, bandwidth=None):
    options, meter = run.options, Meter(client)
    X, is_labelled, is_positive = problem(n_rows, options.features, options.hidden)
    with meter.step("reading"):
        table = read_partitions(X)
    with meter.step("encoding"):
        labels = checked_pu_labels(is_labelled)
        encoding = learn_all_columns(table, labels).encoding
        place = PointsOnWorkers(encoded_partitions(table, encoding))
    model = TwoHNCClassifier(
        neighbors=options.neighbors, n_estimators=options.trees, random_state=0
    )
    model.prior_ = PRIOR
    space = model._find_space(place, encoding, is_labelled, CutSettings((5,), 0.25), meter.step)
    with meter.step("path, here"):
        stages = two_stage_cuts(space.graph(5), is_labelled, PRIOR)
        partition = closest_partition(stages, PRIOR)
    others = ~is_labelled
    right = float((partition.is_positive == is_positive)[others].mean())
    n_bytes = X.nbytes
    run.note(
        f"{n_rows} x {options.features} float32, {n_bytes / 1e6:.0f} MB in {len(table.parts)} "
        f"partitions; accuracy on unlabelled rows {right:.3f}, recall of neighbours "
        f"{space.recall:.3f}; largest worker so far {meter.peak() / 1e6:.0f} MB"
    )
    for name, seconds in meter.seconds.items():
        moved = meter.moved[name]
        sending = {"sending s": moved / (N_WORKERS * bandwidth)} if bandwidth else {}
        figures = {"seconds": seconds, "MB moved": moved / 1e6, "of X": moved / n_bytes}
        run.row(f"{n_rows} rows, {name}", figures | sending)
    return meter


@contextmanager
def cluster_of(run):
    memory = run.options.memory
    run.note(
        f"{N_WORKERS} workers of {parse_bytes(memory) / 1e6:.0f} MB and {run.options.threads} "
        f"thread(s) each on {os.cpu_count()} processors"
    )
    with (
        LocalCluster(
            n_workers=N_WORKERS,
            threads_per_worker=run.options.threads,
            memory_limit=memory,
            processes=True,
            dashboard_address=None,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def sizes_of(options):
    return [int(options.held * 1e9) // (4 * options.features)] if options.held else options.rows


@bench.part
def stages(run: Run) -> None:
    sizes = sizes_of(run.options)
    with cluster_of(run) as client:
        meters = [measured(run, client, n_rows) for n_rows in sizes]
    if len(sizes) > 1:
        ends = sizes[0], sizes[-1]
        for name in meters[0].seconds:
            figures = {}
            for kind in ("seconds", "moved"):
                first, last = (getattr(meter, kind)[name] for meter in (meters[0], meters[-1]))
                figures[kind] = exponent(ends, (first, last)) if first and last else None
            run.row(f"exponents, {name}", figures)


@bench.part
def chooser(run: Run) -> None:
    n_rows, death = sizes_of(run.options)[-1], run.options.die
    whole = None if death == "only" else chosen(run, n_rows, "no process dies", ())
    if death == "no":
        return
    names = [name for tasks in PHASES.values() for name in tasks]
    again = chosen(run, n_rows, "one dies in each phase", names)
    if whole is not None:
        is_same = np.array_equal(whole.scores_, again.scores_)
        run.note(f"the scores of all rows are {'the same to the bit' if is_same else 'DIFFERENT'}")


def chosen(run, n_rows, name, dying):
    """Fit in a cluster of its own, and return the time and bytes."""
    options = run.options
    X, is_labelled, is_positive = problem(n_rows, options.features, options.hidden)
    with (
        dask.config.set(PATIENCE),
        cluster_of(run) as client,
        dying_workers(client, dying) as killer,
    ):
        model = DaskPUCutClassifier(
            prior=PRIOR,
            neighbors=options.neighbors,
            n_estimators=options.trees,
            n_jobs=options.jobs,
            random_state=0,
            verbose=options.verbose,
        )
        start = time.perf_counter()
        model.fit(X, is_labelled)
        seconds = time.perf_counter() - start
        # The counts of killed workers are lost.
        moved, peak = Meter(client).sent(), Meter(client).peak()
    right = float((model.transduction_ == is_positive)[~is_labelled].mean())
    run.note(
        f"{name}: {n_rows} x {options.features} float32, {X.nbytes / 1e6:.0f} MB; accuracy on "
        f"unlabelled rows {right:.4f}, recall of neighbours {model.neighbor_recall_:.3f}, in "
        f"{', '.join(space.name for space in model.mixture_.spaces)}; largest worker "
        f"{peak / 1e6:.0f} MB, this process {peak_bytes() / 1e6:.0f} MB, moved "
        f"{moved / X.nbytes:.1f} X; died after {', '.join(killer.killed) or 'nothing'}"
    )
    for step, took in model.step_seconds_.items():
        run.row(f"{n_rows} rows, {name}, {step}", {"seconds": took})
    run.row(f"{n_rows} rows, {name}, all", {"seconds": seconds})
    return model


@bench.part
def cut(run: Run) -> None:
    n_nodes = run.options.nodes
    found = {}
    for k in (5, 10, 15):
        with tempfile.TemporaryDirectory() as folder:
            in_own_process(make_graph, folder, n_nodes, k, run.options.hidden)
            found[k] = in_own_process(cut_of, folder, n_nodes)
    for k, figures in found.items():
        run.row(f"{n_nodes} nodes, {k} neighbours", figures)
    # Without scores and lists of neighbours, which are there before.
    sides = np.array([[1.0, each["arcs a node"]] for each in found.values()])
    needed = np.array([each["bytes a node"] for each in found.values()])
    (of_node, of_arc), *_ = np.linalg.lstsq(sides, needed)
    run.row("of a cut", {"bytes a node": of_node, "bytes an arc": of_arc})
    for k, each in found.items():
        arcs = each["arcs a node"]
        with_graph = of_node + 8.0 + (of_arc + 12.0) * arcs
        figures = {"GB": 0.1 * with_graph, "10^9 arcs": 0.1 * arcs}
        run.row(f"10^8 nodes, {k} neighbours, computed", figures)


def make_graph(folder, n_nodes, n_neighbors, n_hidden):
    X, weights = block_of(0, n_nodes, N_COLUMNS, n_hidden), np.ones(N_COLUMNS)
    space = weighted_space("plain", X, weights, n_neighbors, method="approximate", random_state=0)
    save_npz(Path(folder) / "graph.npz", space.graph(n_neighbors), compressed=False)


def cut_of(folder, n_nodes):
    """Measure a cut of the chooser: its memory besides the graph, and its connected parts."""
    graph = load_npz(Path(folder) / "graph.npz")
    is_labelled = classes_of(0, n_nodes) & (np.random.default_rng(2).random(n_nodes) < 0.5)
    scores = np.random.default_rng(3).random(n_nodes)
    with MemoryWatch() as watch:
        score_cut(graph, is_labelled, scores, 2.0)
    free = np.flatnonzero(~is_labelled)
    sizes = np.bincount(connected_components(graph[free][:, free], directed=False)[1])
    return {
        "seconds": watch.seconds,
        "arcs a node": graph.nnz / n_nodes,
        "bytes a node": watch.peak() / n_nodes,
        "% in the largest part": 100.0 * sizes.max() / len(free),
        "parts": float(len(sizes)),
    }


@bench.part
def network(run: Run) -> None:
    if run.options.bandwidth is None:
        raise Skip("no bandwidth given by --bandwidth")
    bandwidth = parse_bytes(run.options.bandwidth)
    with cluster_of(run) as client:
        run.note(f"every worker sends {bandwidth / 1e6:g} MB a second")
        client.register_plugin(SlowNetwork(bandwidth))
        measured(run, client, sizes_of(run.options)[-1], bandwidth)
        client.unregister_worker_plugin(SlowNetwork.name)


if __name__ == "__main__":
    bench.main()
