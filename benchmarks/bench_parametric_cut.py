"""The whole path beside one maximum flow, and beside another solver of whole paths.

For each graph, in one process and by turns: `parametric_cut` (checks, every breakpoint and the
certificate) with one thread and with as many as there are processors, one Boykov-Kolmogorov maximum
flow (PyMaxflow, one thread) at the mean lambda, and on the smallest graph all breakpoints by
`pseudoflow`. Medians of the times, and their ratios. Once, the maximum flow at the lambda at which
most nodes switch: the hardest of the cuts that the path contains.

Options: --repeats N, --only NAME.
"""

import argparse
import statistics
import time

import numpy as np
import peer_graphs

from pucut import parametric_cut

try:
    import maxflow
except ImportError:
    maxflow = None
try:
    import networkx
    import pseudoflow
except ImportError:
    pseudoflow = None

NEEDED, WANTED = 8, 3


def whole_path(problem, n_threads):
    nothing = np.zeros_like(problem.pull)
    start = time.perf_counter()
    path = parametric_cut(
        problem.graph, (problem.pull, nothing), (nothing, problem.degree), n_threads=n_threads
    )
    return time.perf_counter() - start, path


def one_max_flow(problem, lam):
    n_nodes = len(problem.pull)
    coo = problem.graph.tocoo()
    upper = coo.row < coo.col
    flow = maxflow.GraphFloat(n_nodes, int(upper.sum()))
    nodes = flow.add_nodes(n_nodes)
    weights = coo.data[upper]
    flow.add_edges(coo.row[upper], coo.col[upper], weights, weights)
    flow.add_grid_tedges(nodes, problem.pull, lam * problem.degree)
    start = time.perf_counter()
    flow.maxflow()
    return time.perf_counter() - start


def all_breakpoints_by_pseudoflow(problem):
    n_nodes = len(problem.pull)
    graph = networkx.DiGraph()
    coo = problem.graph.tocoo()
    for i, j, weight in zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist(), strict=True):
        graph.add_edge(i, j, const=weight, mult=0.0)
    source, sink = n_nodes, n_nodes + 1
    # It wants source capacities that rise and sink capacities that fall with its parameter.
    for i in range(n_nodes):
        graph.add_edge(source, i, const=float(problem.pull[i]), mult=0.0)
        graph.add_edge(i, sink, const=float(problem.degree[i]), mult=-float(problem.degree[i]))
    start = time.perf_counter()
    breakpoints, *_ = pseudoflow.hpf(
        graph, source, sink, const_cap="const", mult_cap="mult", lambdaRange=[0.0, 1.0]
    )
    return time.perf_counter() - start, len(breakpoints)


def measure(problem, repeats):
    """Median milliseconds of the path with one thread and with all, and of the maximum flow."""
    times = {"one": [], "all": [], "flow": []}
    for _ in range(repeats):
        seconds, path = whole_path(problem, n_threads=1)
        times["one"].append(seconds)
        if maxflow is not None:
            times["flow"].append(one_max_flow(problem, problem.mean_lambda))
        seconds, _ = whole_path(problem, n_threads=None)
        times["all"].append(seconds)
    one, together, flow = (
        1000 * statistics.median(values) if values else float("nan") for values in times.values()
    )
    print(
        f"{problem.name:>16} {len(problem.pull):7d} {problem.graph.nnz:8d} "
        f"{len(path.breakpoints):7d} {path.duality_gap:8.0e} {one:9.1f} {together:9.1f} "
        f"{flow:8.1f} {one / flow:7.1f} {together / flow:7.1f}",
        flush=True,
    )
    if maxflow is not None:
        levels, sizes = np.unique(path.switch, return_counts=True)
        hard = 1000 * one_max_flow(problem, levels[np.argmax(sizes)])
        print(
            f"{'':>16} the same flow at the level of the largest region: {hard:.0f} ms", flush=True
        )
    return one, together


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", help="name of one graph")
    options = parser.parse_args()

    print(
        f"{'graph':>16} {'nodes':>7} {'arcs':>8} {'breaks':>7} {'gap':>8} {'1 thread':>9} "
        f"{'all':>9} {'flow':>8} {'ratio 1':>7} {'all':>7}   (ms; ratios: needed {NEEDED}, "
        f"wanted {WANTED})"
    )
    milliseconds = {}
    builders = {
        f"synthetic-{n_samples}": lambda n_samples=n_samples: peer_graphs.synthetic(n_samples)
        for n_samples in (10_000, 70_000, 500_000)
    } | {"mnist": peer_graphs.mnist}
    for name, build in builders.items():
        if options.only in (None, name):
            problem = build()
            if problem is None:
                print(f"{name:>16} left out: PUCUT_DATA has no {name}.npz")
            else:
                milliseconds[name] = measure(problem, options.repeats)
    if {"synthetic-70000", "synthetic-500000"} <= milliseconds.keys():
        one, together = (
            large / small
            for large, small in zip(
                milliseconds["synthetic-500000"], milliseconds["synthetic-70000"], strict=True
            )
        )
        print(
            f"\n7.1 times the nodes take {one:.1f} times as long with one thread, {together:.1f} "
            "times with all (needed 10)."
        )
    if maxflow is None:
        print("PyMaxflow is not installed: no maximum flow to compare with.")
    if options.only in (None, "synthetic-10000"):
        if pseudoflow is None:
            print("pseudoflow is not installed: not compared.")
        else:
            peer, n_breakpoints = all_breakpoints_by_pseudoflow(peer_graphs.synthetic(10_000))
            print(
                f"pseudoflow, all breakpoints of synthetic-10000: {peer:.1f} s, {n_breakpoints} "
                f"found; {1000 * peer / milliseconds['synthetic-10000'][0]:.0f} times as long as "
                "the path above with one thread."
            )


if __name__ == "__main__":
    main()
