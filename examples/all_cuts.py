"""Every minimum cut of a graph of handwritten digits, in one solve.

The graph joins each of scikit-learn's 1797 bundled digits to its ten nearest neighbours. Of the odd
ones, 60 % are known to be odd; lambda says how strongly all others are drawn away from them. The
order in which digits leave the side of the known ones ranks them: the even ones should leave first.
"""

import time

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph

from pucut.hnc import hnc_minus

N_ROWS = 12


def similarity_graph(X, n_neighbors=10):
    distances = kneighbors_graph(X, n_neighbors, mode="distance")
    width = np.median(distances.data)
    graph = distances.copy()
    graph.data = np.exp(-0.5 * (distances.data / width) ** 2)
    return graph.maximum(graph.T).tocsr()


def main():
    X, digit = load_digits(return_X_y=True)
    odd = digit % 2 == 1
    n_odd = np.count_nonzero(odd)
    known = np.random.default_rng(0).choice(
        np.flatnonzero(odd), size=round(0.6 * n_odd), replace=False
    )
    graph = similarity_graph(X)
    print(f"{len(X)} digits, {graph.nnz // 2} edges; {len(known)} of {n_odd} odd digits are known.")

    start = time.perf_counter()
    path = hnc_minus(graph, positive=known)
    milliseconds = 1000 * (time.perf_counter() - start)
    print(
        f"All {len(path.breakpoints)} breakpoints in {milliseconds:.0f} ms, "
        f"certified to a relative duality gap of {path.duality_gap:.1e}.\n"
    )

    print("  lambda   cut value   on the side of the known odd digits")
    places = np.linspace(0, len(path.breakpoints) - 1, N_ROWS).astype(int)
    lams = path.breakpoints[places]
    for lam, side in zip(lams, path.source_sets(lams, ties="sink"), strict=True):
        bar = "#" * round(40 * side.mean())
        print(f"{lam:8.4f} {path.cut_value(lam):11.2f}   {side.sum():4d} {bar}")

    unknown = np.setdiff1d(np.arange(len(X)), known)
    last = unknown[np.argsort(-path.switch[unknown], kind="stable")][: n_odd - len(known)]
    print(
        f"\nOf the {len(last)} digits that leave last, {np.mean(odd[last]):.1%} are odd; "
        f"of all {len(unknown)} that were not known, {np.mean(odd[unknown]):.1%}."
    )


if __name__ == "__main__":
    main()
