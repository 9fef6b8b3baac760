"""The whole path beside one maximum flow, and beside another solver of whole paths.

For each graph, in one process and by turns: `parametric_cut` (checks, every breakpoint and the
certificate), one Boykov-Kolmogorov maximum flow (PyMaxflow) at the mean lambda, and on the smallest
graph all breakpoints by `pseudoflow`. Medians of the times, and their ratios.

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


def whole_path(problem):
    nothing = np.zeros_like(problem.pull)
    start = time.perf_counter()
    path = parametric_cut(
        problem.graph, source=(problem.pull, nothing), sink=(nothing, problem.degree)
    )
    return time.perf_counter() - start, path


def one_max_flow(problem):
    n_nodes = len(problem.pull)
    coo = problem.graph.tocoo()
    upper = coo.row < coo.col
    flow = maxflow.GraphFloat(n_nodes, int(upper.sum()))
    nodes = flow.add_nodes(n_nodes)
    weights = coo.data[upper]
    flow.add_edges(coo.row[upper], coo.col[upper], weights, weights)
    flow.add_grid_tedges(nodes, problem.pull, problem.mean_lambda * problem.degree)
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
    ours, theirs = [], []
    for _ in range(repeats):
        seconds, path = whole_path(problem)
        ours.append(seconds)
        if maxflow is not None:
            theirs.append(one_max_flow(problem))
    median = statistics.median(ours)
    print(
        f"{problem.name:>18} {len(problem.pull):8d} {problem.graph.nnz:9d} "
        f"{len(path.breakpoints):8d} {path.duality_gap:10.1e} {1000 * median:10.1f}",
        end="",
    )
    if theirs:
        print(
            f" {1000 * statistics.median(theirs):10.1f} {median / statistics.median(theirs):8.1f}",
            flush=True,
        )
    else:
        print("   (PyMaxflow is not installed)", flush=True)
    return median


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", help="name of one graph")
    options = parser.parse_args()

    print(
        f"{'graph':>18} {'nodes':>8} {'arcs':>9} {'breaks':>8} {'gap':>10} {'path, ms':>10} "
        f"{'flow, ms':>10} {'ratio':>8}   (needed {NEEDED}, wanted {WANTED})"
    )
    seconds = {}
    builders = {
        f"synthetic-{n_samples}": lambda n_samples=n_samples: peer_graphs.synthetic(n_samples)
        for n_samples in (10_000, 70_000, 500_000)
    } | {"mnist": peer_graphs.mnist}
    for name, build in builders.items():
        if options.only in (None, name):
            problem = build()
            if problem is None:
                print(f"{name:>18} left out: PUCUT_DATA has no {name}.npz")
            else:
                seconds[name] = measure(problem, options.repeats)
    if {"synthetic-70000", "synthetic-500000"} <= seconds.keys():
        growth = seconds["synthetic-500000"] / seconds["synthetic-70000"]
        print(f"\n7.1 times the nodes take {growth:.1f} times as long (needed 10).")
    if options.only in (None, "synthetic-10000"):
        if pseudoflow is None:
            print("pseudoflow is not installed: not compared.")
        else:
            peer, n_breakpoints = all_breakpoints_by_pseudoflow(peer_graphs.synthetic(10_000))
            print(
                f"pseudoflow, all breakpoints of synthetic-10000: {peer:.1f} s, {n_breakpoints} "
                f"found; {peer / seconds['synthetic-10000']:.0f} times as long as the path above."
            )


if __name__ == "__main__":
    main()
