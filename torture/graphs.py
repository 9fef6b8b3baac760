"""Small random graphs of whole numbers: the cuts at ends, breakpoints and between, all subsets."""

import numpy as np
import scipy.sparse as sp

from pucut.cuts.hnc import hnc_minus, hnc_plus, hnc_plus_minus
from pucut.cuts.parametric_cut import CutPath, parametric_cut

MOST_NODES = 7
_STEPS = 4096.0


def run_case(seed: int, number: int) -> None:
    random = np.random.default_rng([seed, number, 1])
    n = int(random.integers(1, MOST_NODES + 1))
    weights = _weights(n, random)
    seeds = random.permutation(n)
    n_inside = int(random.integers(0, min(n, 2) + 1)) if random.random() < 0.4 else 0
    n_outside = int(random.integers(0, min(n - n_inside, 2) + 1)) if random.random() < 0.4 else 0
    inside, outside = seeds[:n_inside], seeds[n_inside : n_inside + n_outside]
    if random.random() < 0.25:
        _check_two_tradeoffs(weights, inside, outside, random)
        return
    draw = random.random()
    if draw < 0.15:
        path = hnc_plus(sp.csr_array(weights), inside, outside)
        source, sink = (np.zeros(n), weights.sum(axis=1)), (np.zeros(n), np.zeros(n))
    elif draw < 0.3:
        path = hnc_minus(sp.csr_array(weights), inside, outside)
        source, sink = (np.zeros(n), np.zeros(n)), (np.zeros(n), weights.sum(axis=1))
    else:
        source, sink, ends = _terminals(n, random)
        path = parametric_cut(
            sp.csr_array(weights), source, sink, ends, source_seeds=inside, sink_seeds=outside
        )
    check_path(path, weights, source, sink, inside, outside)


def check_path(path: CutPath, weights, source, sink, inside, outside) -> None:
    """Every kind of lambda: the ends, the breakpoints, and one between each two of them.

    Only lambdas at which everything is exact in double precision: a breakpoint of 1/3 is rounded.
    """
    low, high = path.lambda_range
    knots = np.unique([low, *path.breakpoints, high])
    between = np.rint((knots[1:] + knots[:-1]) / 2 * _STEPS) / _STEPS
    for lam in np.unique([*knots, *between]):
        if not _is_coarse(lam):
            continue
        values = cut_values(weights, source, sink, inside, outside, float(lam))
        assert_tied_sets(path.source_set(lam), path.source_set(lam, "sink"), values, f"at {lam}")


def _is_coarse(lam: float) -> bool:
    """Tell whether everything at this lambda is exact in double precision."""
    return float(lam) * _STEPS == np.floor(float(lam) * _STEPS)


def assert_tied_sets(largest, smallest, values, where: str) -> None:
    """`values` are those of all subsets, in exact arithmetic; subset m holds the bits of m."""
    best = values.min()
    minimal = np.flatnonzero(values == best)
    union, common = np.bitwise_or.reduce(minimal), np.bitwise_and.reduce(minimal)
    for found, wanted, name in ((largest, union, "source"), (smallest, common, "sink")):
        mask = int(sum(1 << i for i, is_in in enumerate(found) if is_in))
        assert values[mask] == best, f"{where}, {name}: {values[mask]} is not the minimum {best}"
        assert mask == wanted, f"{where}, {name}: {found} is minimum, and not the one promised"


def cut_values(weights, source, sink, inside, outside, lam: float):
    """The capacity of all 2^n cuts; exact for whole numbers and coarse lambdas."""
    n = len(weights)
    sets = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
    values = ((sets @ weights) * (1 - sets)).sum(axis=1).astype(np.float64)
    values += (1 - sets) @ (source[0] + lam * source[1]) + sets @ (sink[0] + lam * sink[1])
    for nodes, wanted in ((inside, 1), (outside, 0)):
        for node in nodes:
            values[sets[:, node] != wanted] = np.inf
    return values


def _weights(n: int, random: np.random.Generator):
    most = int(random.choice([1, 2, 3, 10, 1000]))
    upper = np.triu(random.integers(0, most + 1, size=(n, n)), 1)
    upper[random.random((n, n)) < random.choice([0.0, 0.3, 0.7])] = 0
    return (upper + upper.T).astype(np.float64)


def _terminals(n: int, random: np.random.Generator):
    most = int(random.choice([1, 3, 6, 1000]))
    ends = sorted(random.integers(0, 5, size=2))
    if random.random() < 0.1:
        ends[1] = ends[0]
    arrays = [random.integers(0, most + 1, size=n) for _ in range(4)]
    for k in (1, 3):
        arrays[k][random.random(n) < random.choice([0.0, 0.5, 1.0])] = 0
    base_s, slope_s, base_t, slope_t = (array.astype(np.float64) for array in arrays)
    if random.random() < 0.5:  # grows: the sink falls, and must not become negative
        base_t += slope_t * ends[1]
        slope_t = -slope_t
    else:
        base_s += slope_s * ends[1]
        slope_s = -slope_s
    return (base_s, slope_s), (base_t, slope_t), (float(ends[0]), float(ends[1]))


def _check_two_tradeoffs(weights, inside, outside, random: np.random.Generator) -> None:
    # Tradeoffs whose lambda is exact.
    alpha, beta = (float(random.choice([0.0, 1.0, 2.0, 3.0])) for _ in range(2))
    n = len(weights)
    degrees = weights.sum(axis=1)
    sets = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
    between = ((sets @ weights) * (1 - sets)).sum(axis=1)
    # Twice the objective: C(S, S) is half of what the degrees of S have left.
    inner, outer = sets @ degrees - between, (1 - sets) @ degrees - between
    values = 2 * between - alpha * inner - beta * outer
    for nodes, wanted in ((inside, 1), (outside, 0)):
        for node in nodes:
            values[sets[:, node] != wanted] = np.inf
    graph = sp.csr_array(weights)
    found = [
        hnc_plus_minus(graph, alpha, beta, inside, outside, ties=ties)
        for ties in ("source", "sink")
    ]
    assert_tied_sets(*found, values, f"tradeoffs {alpha}, {beta}")
