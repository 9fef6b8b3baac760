"""Levels by pycut-pursuit, run by the Python that has it installed: not a benchmark of its own.

    python cut_pursuit_solver.py GRAPH.npz LEVELS.npy TOLERANCE CUTS REPEATS

The graph is one that peer_graphs.py keeps. Prints the medians of the seconds and of the processor
seconds as JSON. It needs NumPy 1 and pycut-pursuit alone, not pucut: its wheels were built before
NumPy 2. The program is under the GPL and only measured.
"""

import json
import statistics
import sys
import time

import numpy as np
from pycut_pursuit.cp_d1_ql1b import cp_d1_ql1b

ENOUGH_SECONDS = 20  # that have passed: no further repeats


def main(graph_file, levels_file, tolerance, most_cuts, repeats):
    with np.load(graph_file) as kept:
        graph = {name: kept[name] for name in kept.files}
    n_nodes = len(graph["pull"])
    tail = np.repeat(np.arange(n_nodes), np.diff(graph["indptr"]))
    is_kept = tail < graph["indices"]  # every edge once
    starts = np.concatenate([[0], np.cumsum(np.bincount(tail[is_kept], minlength=n_nodes))])
    seconds, processor = [], []
    while len(seconds) < int(repeats) and sum(seconds) < ENOUGH_SECONDS:
        before = time.perf_counter(), time.process_time()
        component, level = cp_d1_ql1b(
            graph["pull"],
            graph["degree"],
            starts.astype(np.uint32),
            graph["indices"][is_kept].astype(np.uint32),
            edge_weights=graph["data"][is_kept],
            low_bnd=0.0,
            upp_bnd=1.0,
            cp_dif_tol=float(tolerance),
            cp_it_max=int(most_cuts),
            verbose=0,
            max_num_threads=1,
            # Balancing the work of threads may cost optimality, and there is one thread.
            balance_parallel_split=False,
        )
        seconds.append(time.perf_counter() - before[0])
        processor.append(time.process_time() - before[1])
    np.save(levels_file, level[component])
    print(json.dumps([statistics.median(seconds), statistics.median(processor)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
