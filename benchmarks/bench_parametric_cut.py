"""The whole path of cuts beside one maximum flow, and beside another solver of whole paths.

path        `parametric_cut` (checks, every breakpoint and the certificate) with one thread and with
            as many as there are processors, in turn with one Boykov-Kolmogorov maximum flow
            (PyMaxflow, one thread, its graph already built) at the mean lambda. Once, the maximum
            flow at the lambda at which most nodes switch: the hardest of the cuts on the path.
growth      from 70 000 to 500 000 samples, how many times as long the path takes.
pseudoflow  all breakpoints of the smallest graph by `pseudoflow`.

PyMaxflow is under the GPL and pseudoflow under a non-commercial licence: both are only measured.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import peer_graphs
from benchmarks.harness import Benchmark, Goal, Option, Run, Skip
from benchmarks.timing import ratio_of, seconds_of, side_by_side
from pucut import CutPath, parametric_cut

GRAPHS: dict[str, Callable[[], peer_graphs.StageOne | None]] = {
    **{
        f"synthetic-{n_samples}": lambda n_samples=n_samples: peer_graphs.synthetic(n_samples)
        for n_samples in (10_000, 70_000, 500_000)
    },
    "mnist": peer_graphs.mnist,
}
SMALLEST, SMALL, LARGE = list(GRAPHS)[:3]

bench = Benchmark(
    __file__,
    __doc__,
    goals={"path": Goal(8, wanted=3), "growth": Goal(10)},
    options={
        "repeats": Option(7, quick=1, help="of each"),
        "graphs": Option(tuple(GRAPHS), quick=(SMALLEST,), help="for the part path"),
    },
)


def whole_path(problem: peer_graphs.StageOne, n_threads: int | None) -> CutPath:
    nothing = np.zeros_like(problem.pull)
    return parametric_cut(
        problem.graph, (problem.pull, nothing), (nothing, problem.degree), n_threads=n_threads
    )


def built_flow(maxflow: Any, problem: peer_graphs.StageOne, lam: float) -> Any:
    n_nodes = len(problem.pull)
    coo = problem.graph.tocoo()
    upper = coo.row < coo.col
    flow = maxflow.GraphFloat(n_nodes, int(upper.sum()))
    nodes = flow.add_nodes(n_nodes)
    weights = coo.data[upper]
    flow.add_edges(coo.row[upper], coo.col[upper], weights, weights)
    flow.add_grid_tedges(nodes, problem.pull, lam * problem.degree)
    return flow


@bench.part
def path(run: Run) -> None:
    maxflow = run.peer("maxflow")
    for name in run.options.graphs:
        problem = GRAPHS[name]()
        if problem is None:
            run.leave_out(f"PUCUT_DATA has no {name}.npz: {name} is left out")
            continue
        actions = {
            "1 thread": lambda problem=problem: whole_path(problem, 1),
            "all": lambda problem=problem: whole_path(problem, None),
        }
        before = {}
        if maxflow is not None:
            actions["flow"] = lambda flow: flow.maxflow()
            before["flow"] = lambda problem=problem: built_flow(
                maxflow, problem, problem.mean_lambda
            )
        times = side_by_side(actions, run.options.repeats, before)
        found = times["1 thread"].result
        facts = {
            "nodes": len(problem.pull),
            "arcs": problem.graph.nnz,
            "breaks": len(found.breakpoints),
            "gap": float(found.duality_gap),
        }
        for threads in ("1 thread", "all"):
            run.row(
                f"{name}, {threads}",
                facts | seconds_of(times),
                ratio=ratio_of(times, "flow", own=threads),
                goal="path",
                peer="one maximum flow",
            )
        if maxflow is not None:
            levels, sizes = np.unique(found.switch, return_counts=True)
            flow = built_flow(maxflow, problem, levels[np.argmax(sizes)])
            hard = side_by_side({"flow": flow.maxflow}, 1)["flow"].seconds
            run.note(f"{'':10}the same flow at the level of the largest region: {hard:.3f} s")


@bench.part
def growth(run: Run) -> None:
    if run.options.quick:
        raise Skip("the large graph takes minutes to build")
    problems = {name: GRAPHS[name]() for name in (SMALL, LARGE)}
    for label, n_threads in (("1 thread", 1), ("all", None)):
        times = side_by_side(
            {
                name: lambda problem=problem, n_threads=n_threads: whole_path(problem, n_threads)
                for name, problem in problems.items()
            },
            run.options.repeats,
        )
        run.row(
            f"7.1 times the nodes, {label}",
            seconds_of(times),
            ratio=ratio_of(times, SMALL, own=LARGE),
            goal="growth",
            peer="the smaller graph",
        )


@bench.part
def pseudoflow(run: Run) -> None:
    solver, networkx = run.peer("pseudoflow"), run.peer("networkx")
    if solver is None or networkx is None:
        raise Skip("nothing to compare with")
    problem = peer_graphs.synthetic(10_000)
    graph = as_network(networkx, problem)
    source, sink = len(problem.pull), len(problem.pull) + 1
    times = side_by_side(
        {
            "pucut": lambda: whole_path(problem, 1),
            "pseudoflow": lambda: solver.hpf(
                graph, source, sink, const_cap="const", mult_cap="mult", lambdaRange=[0.0, 1.0]
            ),
        },
        1,
    )
    found = len(times["pucut"].result.breakpoints), len(times["pseudoflow"].result[0])
    run.row(
        SMALLEST,
        {"breaks": found[0], "theirs": found[1], **seconds_of(times)},
        ratio=ratio_of(times, "pseudoflow"),
        peer="pseudoflow",
    )


def as_network(networkx: Any, problem: peer_graphs.StageOne) -> Any:
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
    return graph


if __name__ == "__main__":
    bench.main()
