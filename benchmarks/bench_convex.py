"""All cuts as one convex problem, beside solvers of such problems: objective and time.

solvers  minimise sum w |x_i - x_j| + sum (degree_i x_i^2 / 2 - pull_i x_i) over 0 <= x <= 1, whose
         level sets are all minimum cuts of stage one of 2-HNC. `parametric_cut`, pycut-pursuit's
         cp_d1_ql1b as it comes and with a tighter tolerance, and for the smallest graph OSQP and
         Clarabel; one thread each. "excess" is the objective less the smallest found,
         relative to its size. The ratio is that of our processor seconds to theirs.

pycut-pursuit has an environment of its own with NumPy 1, whose Python is named by
CUT_PURSUIT_PYTHON or --cut-pursuit. It is under the GPL: only measured. No goals.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks import peer_graphs
from benchmarks.harness import Benchmark, Option, Run
from benchmarks.timing import side_by_side
from pucut import parametric_cut

Levels = npt.NDArray[np.float64]

SOLVER = Path(__file__).with_name("cut_pursuit_solver.py")
# Relative changes below which cut pursuit stops, and the most cuts: its defaults first.
CUT_PURSUIT = {"cut pursuit": (1e-4, 10), "cut pursuit, tighter": (1e-6, 50)}

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "samples": Option((2_860, 10_000, 70_000), quick=(2_860,), help="7 in 10 become nodes"),
        "general_samples": Option(2_860, help="up to so many for OSQP and Clarabel"),
        "repeats": Option(5, quick=1, help="of each"),
        "cut_pursuit": Option(
            os.environ.get("CUT_PURSUIT_PYTHON"), help="the Python with pycut-pursuit"
        ),
    },
)


@dataclass(frozen=True, eq=False)
class Solved:
    levels: Levels
    seconds: float
    processor: float


@bench.part
def solvers(run: Run) -> None:
    general = {"OSQP": run.peer("osqp"), "Clarabel": run.peer("clarabel")}
    by_general = {"OSQP": by_osqp, "Clarabel": by_clarabel}
    if not run.options.cut_pursuit:
        run.leave_out("pycut-pursuit is not named by --cut-pursuit or CUT_PURSUIT_PYTHON: left out")
    for n_samples in run.options.samples:
        problem = peer_graphs.synthetic(n_samples)
        found = {"pucut": timed(lambda problem=problem: by_path(problem), run.options.repeats)}
        if run.options.cut_pursuit:
            for name, (tolerance, most_cuts) in CUT_PURSUIT.items():
                found[name] = by_cut_pursuit(run, problem, tolerance, most_cuts)
        if n_samples <= run.options.general_samples:
            for name, module in general.items():
                if module is not None:
                    solve = by_general[name]
                    found[name] = timed(
                        lambda solve=solve, module=module, problem=problem: solve(module, problem),
                        run.options.repeats,
                    )
        show(run, problem, found)


def show(run: Run, problem: peer_graphs.StageOne, found: dict[str, Solved]) -> None:
    objectives = {name: objective(problem, solved.levels) for name, solved in found.items()}
    least, own = min(objectives.values()), found["pucut"]
    for name, solved in found.items():
        run.row(
            f"{len(problem.pull)} nodes, {name}",
            {
                "clock s": solved.seconds,
                "cpu s": solved.processor,
                "objective": f"{objectives[name]:.9f}",
                "excess": (objectives[name] - least) / abs(least),
            },
            ratio=own.processor / solved.processor if solved is not own else None,
            peer=name,
        )


def objective(problem: peer_graphs.StageOne, levels: Levels) -> float:
    """The objective; levels outside the range, of solvers that stop early, are moved inside."""
    x = np.clip(levels, 0.0, 1.0)
    edges = problem.graph.tocoo()
    variation = float(edges.data @ np.abs(x[edges.row] - x[edges.col])) / 2
    return variation + float((problem.degree * x / 2 - problem.pull) @ x)


def timed(solve: Callable[[], Levels], repeats: int) -> Solved:
    timing = side_by_side({"it": solve}, repeats)["it"]
    return Solved(timing.result, timing.seconds, timing.processor)


def by_path(problem: peer_graphs.StageOne) -> Levels:
    nothing = np.zeros_like(problem.pull)
    path = parametric_cut(
        problem.graph, (problem.pull, nothing), (nothing, problem.degree), n_threads=1
    )
    return np.clip(path.switch, 0.0, 1.0)


def by_cut_pursuit(
    run: Run, problem: peer_graphs.StageOne, tolerance: float, most_cuts: int
) -> Solved:
    with tempfile.TemporaryDirectory() as folder:
        levels = Path(folder) / "levels.npy"
        command = [run.options.cut_pursuit, SOLVER, problem.file, levels, tolerance, most_cuts]
        answer = subprocess.run(
            [*map(str, command), str(run.options.repeats)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        seconds, processor = json.loads(answer.stdout.splitlines()[-1])
        return Solved(np.load(levels), seconds, processor)


def as_quadratic(problem: peer_graphs.StageOne) -> tuple[Any, Levels, Any]:
    """P, q and A of: minimise x'Px / 2 + q'x such that Ax <= 0, besides 0 <= levels <= 1.

    The levels come first, then for every edge a number at least as large as |x_i - x_j|.
    """
    edges = sp.triu(problem.graph, k=1).tocoo()
    n_nodes, n_edges = len(problem.pull), edges.nnz
    number, one = np.arange(n_edges), np.ones(n_edges)
    differences = sp.csc_array(
        (np.concatenate([one, -one]), (np.tile(number, 2), np.concatenate([edges.row, edges.col]))),
        shape=(n_edges, n_nodes),
    )
    bounds = sp.eye_array(n_edges)
    return (
        sp.csc_array(sp.diags_array(np.concatenate([problem.degree, np.zeros(n_edges)]))),
        np.concatenate([-problem.pull, edges.data]),
        sp.block_array([[differences, -bounds], [-differences, -bounds]], format="csc"),
    )


def by_osqp(osqp: Any, problem: peer_graphs.StageOne) -> Levels:
    P, q, A = as_quadratic(problem)
    n_nodes, n_rows = len(problem.pull), A.shape[0]
    box = sp.eye_array(n_nodes, A.shape[1])
    solver = osqp.OSQP()
    solver.setup(
        sp.csc_matrix(P),
        q,
        sp.csc_matrix(sp.vstack([A, box])),
        np.concatenate([np.full(n_rows, -np.inf), np.zeros(n_nodes)]),
        np.concatenate([np.zeros(n_rows), np.ones(n_nodes)]),
        eps_abs=1e-7,
        eps_rel=1e-7,
        max_iter=200_000,
        verbose=False,
    )
    return np.asarray(solver.solve().x[:n_nodes])


def by_clarabel(clarabel: Any, problem: peer_graphs.StageOne) -> Levels:
    P, q, A = as_quadratic(problem)
    n_nodes = len(problem.pull)
    box = sp.eye_array(n_nodes, A.shape[1])
    rows = sp.csc_matrix(sp.vstack([A, -box, box]))
    upper = np.concatenate([np.zeros(A.shape[0] + n_nodes), np.ones(n_nodes)])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    cones = [clarabel.NonnegativeConeT(rows.shape[0])]
    solver = clarabel.DefaultSolver(sp.csc_matrix(P), q, rows, upper, cones, settings)
    return np.asarray(solver.solve().x[:n_nodes])


if __name__ == "__main__":
    bench.main()
