"""2-HNC on a Dask cluster of four processes: time and bytes moved by stage, and how they grow.

    python benchmarks/bench_dask.py                 sizes that double, with exponents
    python benchmarks/bench_dask.py --held 2.2 --memory 2GB --features 500 --neighbors approximate \
        --trees 20                                  2.2 GB of float32, which no worker can hold
    python benchmarks/bench_dask.py --bandwidth 10MB
                                                    the same rows again, over a slow network

Rows are made on the workers, block by block, from a few hidden directions, as real tables have.
Bytes are those that workers sent to each other and to this process. With a bandwidth every worker
sends no more than that in a second, by waiting before it answers; beside the seconds it then takes
stands what the bytes alone would take, if all workers sent all the time.
"""

import argparse
import asyncio
import resource
import time
from contextlib import contextmanager

import dask
import dask.array as da
import numpy as np
from dask.utils import parse_bytes
from distributed import Client, LocalCluster, WorkerPlugin

from pucut.cuts.selection import closest_partition
from pucut.cuts.two_stages import two_stage_cuts
from pucut.dask import read_partitions, space_on_workers

N_WORKERS = 4
PRIOR = 0.4
BLOCK_BYTES = 1 << 24
LEAST_BLOCKS = 16


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
        return max(self.client.run(peak_of_process).values())


class SlowNetwork(WorkerPlugin):
    """Workers that send so many bytes a second, one answer after the other."""

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


def peak_of_process():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measured(client, n_rows, options, bandwidth=None):
    meter = Meter(client)
    X, is_labelled, is_positive = problem(n_rows, options.features, options.hidden)
    with meter.step("reading"):
        table = read_partitions(X)
    found = space_on_workers(
        table,
        is_labelled,
        PRIOR,
        feature_weights="pu_trees",
        n_neighbors=5,
        sigma=0.25,
        neighbors=options.neighbors,
        n_trees=options.trees,
        random_state=0,
        step=meter.step,
    )
    with meter.step("path, here"):
        stages = two_stage_cuts(found.space.graph(5), is_labelled, PRIOR)
        partition = closest_partition(stages, PRIOR)
    others = ~is_labelled
    right = float((partition.is_positive == is_positive)[others].mean())
    n_bytes = X.nbytes
    print(
        f"\n{n_rows} x {options.features} float32, {n_bytes / 1e6:.0f} MB in {len(table.parts)} "
        f"partitions; accuracy on unlabelled rows {right:.3f}, recall of neighbours "
        f"{found.space.recall:.3f}; largest worker so far {meter.peak() / 1e6:.0f} MB"
    )
    over = f"{'sending':>9}" if bandwidth else ""
    print(f"{'stage':<14}{'seconds':>9}{'MB moved':>10}{'of X':>7}{over}")
    for name, seconds in meter.seconds.items():
        moved = meter.moved[name]
        sending = f"{moved / (N_WORKERS * bandwidth):>9.1f}" if bandwidth else ""
        print(f"{name:<14}{seconds:>9.1f}{moved / 1e6:>10.1f}{moved / n_bytes:>7.2f}{sending}")
    return meter


def over_slow_network(client, n_rows, options):
    bandwidth = parse_bytes(options.bandwidth)
    print(f"\nevery worker sends {bandwidth / 1e6:g} MB a second")
    client.register_plugin(SlowNetwork(bandwidth))
    measured(client, n_rows, options, bandwidth)
    client.unregister_worker_plugin(SlowNetwork.name)


def growth(sizes, meters):
    print("\nexponents from the smallest to the largest size: seconds, bytes")
    ratio = np.log(sizes[-1] / sizes[0])
    for name in meters[0].seconds:
        texts = []
        for kind in ("seconds", "moved"):
            first, last = (getattr(meter, kind)[name] for meter in (meters[0], meters[-1]))
            texts.append(f"{np.log(last / first) / ratio:.2f}" if first and last else "-")
        print(f"{name:<14}{texts[0]:>8}{texts[1]:>8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 20_000, 40_000])
    parser.add_argument("--held", type=float, help="GB of float32 to fit, instead of --rows")
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--hidden", type=int, default=4, help="dimensions the rows have")
    parser.add_argument("--memory", default="1GB", help="of each worker")
    parser.add_argument("--neighbors", default="exact", choices=["exact", "approximate"])
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--bandwidth", help="of each worker a second, for the largest size again")
    options = parser.parse_args()
    sizes = options.rows
    if options.held is not None:
        sizes = [int(options.held * 1e9) // (4 * options.features)]
    with (
        LocalCluster(
            n_workers=N_WORKERS,
            threads_per_worker=1,
            memory_limit=options.memory,
            processes=True,
            dashboard_address=None,
        ) as cluster,
        Client(cluster) as client,
    ):
        print(
            f"{N_WORKERS} workers of {parse_bytes(options.memory) / 1e6:.0f} MB and one thread each"
        )
        meters = [measured(client, n_rows, options) for n_rows in sizes]
        if len(sizes) > 1:
            growth(sizes, meters)
        if options.bandwidth is not None:
            over_slow_network(client, sizes[-1], options)


if __name__ == "__main__":
    main()
