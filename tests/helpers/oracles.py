"""Slow and simple answers to compare the engine with, in rising size.

1. `AllSubsets`: every source set tried, in exact rational arithmetic (up to 10 nodes).
2. `max_flow_cut`: SciPy's integer maximum flow at one lambda (up to some thousand nodes).
3. `linear_programme_cut`: the minimum cut at one lambda as a linear programme, by HiGHS.

None of them shares code with the engine, and `test_oracles.py` compares them with each other.
All take a `graphs.CutProblem`; its floats count at their exact binary value.
"""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from scipy.sparse.csgraph import breadth_first_order, maximum_flow


def cut_capacity(problem, source_set, lam):
    """Capacity of the given cut: float, each sum correctly rounded."""
    inside = np.asarray(source_set, dtype=bool)
    cut_edges = problem.edge_weight[inside[problem.edge_from] != inside[problem.edge_to]]
    source_capacity = problem.source_base + lam * problem.source_slope
    sink_capacity = problem.sink_base + lam * problem.sink_slope
    return math.fsum(itertools.chain(cut_edges, source_capacity[~inside], sink_capacity[inside]))


def total_capacity(problem, lam):
    """The sum of all capacities: the size that rounding errors of cut values are measured by."""
    return (
        problem.edge_weight.sum()
        + (problem.source_base + lam * problem.source_slope).sum()
        + (problem.sink_base + lam * problem.sink_slope).sum()
    )


# --- 1. all subsets ------------------------------------------------------------------------------


class AllSubsets:
    """The exact path of minimum cuts, for every real lambda, by trying all source sets.

    The capacity of one source set is a line in lambda, so the minimum cut is the lower envelope of
    at most 2^n lines. Everything is scaled to Python integers by one common denominator.
    """

    def __init__(self, problem):
        self.problem = problem
        arcs = (problem.source_base, problem.source_slope, problem.sink_base, problem.sink_slope)
        self._scale = _common_denominator(problem.edge_weight, *arcs)
        weight = _scaled(problem.edge_weight, self._scale)
        source_base, source_slope, sink_base, sink_slope = (_scaled(a, self._scale) for a in arcs)

        inside = _all_source_sets(problem.n_nodes)
        allowed = inside[:, list(problem.source_seeds)].all(axis=1)
        allowed &= ~inside[:, list(problem.sink_seeds)].any(axis=1)
        self._inside = inside[allowed]
        cut = self._inside[:, problem.edge_from] != self._inside[:, problem.edge_to]
        in_source = self._inside.astype(object)
        in_sink = (~self._inside).astype(object)
        self._intercept = (
            cut.astype(object) @ weight + in_sink @ source_base + in_source @ sink_base
        )
        self._slope = in_sink @ source_slope + in_source @ sink_slope

    def _scaled_values(self, lam):
        """The capacity of every source set, times scale and the denominator of lambda."""
        lam = Fraction(lam)
        return self._intercept * lam.denominator + self._slope * lam.numerator

    def value(self, lam):
        """The exact capacity of the minimum cut, a Fraction."""
        return Fraction(min(self._scaled_values(lam)), self._scale * Fraction(lam).denominator)

    def _minimisers(self, lam):
        values = self._scaled_values(lam)
        return self._inside[values == min(values)]

    def smallest(self, lam):
        """The minimum-cut source set contained in all others."""
        minimisers = self._minimisers(lam)
        common = minimisers.all(axis=0)
        assert (minimisers == common).all(axis=1).any(), "closed under intersection"
        return common

    def largest(self, lam):
        """The minimum-cut source set that contains all others."""
        minimisers = self._minimisers(lam)
        union = minimisers.any(axis=0)
        assert (minimisers == union).all(axis=1).any(), "closed under union"
        return union

    @functools.cached_property
    def all_breakpoints(self):
        """Every lambda on the real line at which the minimum cuts change, rising, as Fractions.

        Walks along the lower envelope: for lambda to minus infinity the steepest line is lowest;
        from there on, the next line is the one with a smaller slope that crosses first.
        """
        lowest = {}
        for slope, intercept in zip(self._slope.tolist(), self._intercept.tolist(), strict=True):
            lowest[slope] = min(intercept, lowest.get(slope, intercept))
        slope = max(lowest)
        breakpoints = []
        while True:
            crossings = [
                (Fraction(intercept - lowest[slope], slope - other), other)
                for other, intercept in lowest.items()
                if other < slope
            ]
            if not crossings:
                return breakpoints
            crossing, slope = min(crossings)
            breakpoints.append(crossing)

    @property
    def breakpoints(self):
        """The breakpoints within the problem's lambda_range, ends included."""
        low, high = (Fraction(end) for end in self.problem.lambda_range)
        return [point for point in self.all_breakpoints if low <= point <= high]

    @functools.cached_property
    def unlimited_switch(self):
        """Per node the exact switch of the largest source set, as if lambda had no range.

        A Fraction, or a float infinity for nodes that are always or never on the source side.
        """
        grows = self.problem.grows
        always, never = (-math.inf, math.inf) if grows else (math.inf, -math.inf)
        switch = [never] * self.problem.n_nodes
        # From the largest source sets to the smallest, so that the last write is the switch.
        points = self.all_breakpoints[::-1] if grows else self.all_breakpoints
        for point in points:
            for node in np.flatnonzero(self.largest(point)):
                switch[node] = point
        beyond_all = points[-1] + (-1 if grows else 1) if points else Fraction(0)
        for node in np.flatnonzero(self.largest(beyond_all)):
            switch[node] = always
        return switch

    @functools.cached_property
    def switch(self):
        """The same for the problem's lambda_range: beyond an end, a node never switches."""
        low, high = self.problem.lambda_range
        return [
            -math.inf if value < low else math.inf if value > high else value
            for value in self.unlimited_switch
        ]


@functools.cache
def _all_source_sets(n_nodes):
    """Boolean (2^n, n): row k holds the bits of k."""
    return (np.arange(2**n_nodes)[:, None] >> np.arange(n_nodes)) % 2 == 1


def _common_denominator(*arrays):
    denominators = (value.as_integer_ratio()[1] for array in arrays for value in array.tolist())
    return math.lcm(*denominators)


def _scaled(array, scale):
    """The array times scale, as exact Python integers."""
    integers = [
        numerator * (scale // denominator)
        for numerator, denominator in (value.as_integer_ratio() for value in array.tolist())
    ]
    return np.array(integers, dtype=object)


# --- 2. SciPy's maximum flow ---------------------------------------------------------------------


def max_flow_cut(problem, lam):
    """Minimum cut at one rational lambda: (value as Fraction, smallest set, largest set).

    SciPy counts in 32 bits and overflows silently, hence the assertion.
    """
    lam = Fraction(lam)
    n_nodes = problem.n_nodes
    source_node, sink_node = n_nodes, n_nodes + 1
    arcs = (problem.source_base, problem.source_slope, problem.sink_base, problem.sink_slope)
    # Integers: capacity * scale, where one factor lam.denominator is needed by base + lam * slope.
    unit = _common_denominator(problem.edge_weight, *arcs)
    weight = _scaled(problem.edge_weight, unit) * lam.denominator
    source_base, source_slope, sink_base, sink_slope = (_scaled(array, unit) for array in arcs)
    source_capacity = source_base * lam.denominator + source_slope * lam.numerator
    sink_capacity = sink_base * lam.denominator + sink_slope * lam.numerator

    unbreakable = 1 + sum(weight) + sum(source_capacity) + sum(sink_capacity)
    assert 2 * unbreakable < 2**31, "too large for SciPy's 32-bit maximum flow"
    source_capacity[list(problem.source_seeds)] += unbreakable
    sink_capacity[list(problem.sink_seeds)] += unbreakable

    nodes = np.arange(n_nodes)
    starts = np.concatenate(
        [problem.edge_from, problem.edge_to, np.full(n_nodes, source_node), nodes]
    )
    ends = np.concatenate([problem.edge_to, problem.edge_from, nodes, np.full(n_nodes, sink_node)])
    capacities = np.concatenate([weight, weight, source_capacity, sink_capacity]).astype(np.int32)
    network = sp.csr_array((capacities, (starts, ends)), shape=(n_nodes + 2, n_nodes + 2))
    network.indices = network.indices.astype(np.int32)  # which older releases of SciPy insist on
    network.indptr = network.indptr.astype(np.int32)
    flow = maximum_flow(network, source_node, sink_node)

    residual = (network - flow.flow).tocsr()
    residual.eliminate_zeros()
    assert residual.nnz == 0 or residual.data.min() > 0
    smallest = _reached(residual, source_node)[:n_nodes]
    largest = ~_reached(residual.T.tocsr(), sink_node)[:n_nodes]
    return Fraction(int(flow.flow_value), unit * lam.denominator), smallest, largest


def _reached(adjacency, start):
    reached = np.zeros(adjacency.shape[0], dtype=bool)
    reached[breadth_first_order(adjacency, start, return_predecessors=False)] = True
    return reached


# --- 3. linear programme -------------------------------------------------------------------------


def linear_programme_cut(problem, lam):
    """Minimum cut at one lambda by HiGHS: (value, a minimising source set).

    Variables: x_i in [0, 1] (1 on the source side) and, per edge, y_ij >= |x_i - x_j|. The
    constraint matrix is totally unimodular, so the simplex method ends in whole numbers.
    """
    n_nodes, n_edges = problem.n_nodes, len(problem.edge_weight)
    source_capacity = problem.source_base + lam * problem.source_slope
    sink_capacity = problem.sink_base + lam * problem.sink_slope
    edges = np.arange(n_edges)
    ones = np.ones(n_edges)
    difference = sp.csr_array((ones, (edges, problem.edge_from)), shape=(n_edges, n_nodes))
    difference -= sp.csr_array((ones, (edges, problem.edge_to)), shape=(n_edges, n_nodes))
    identity = sp.identity(n_edges)
    constraints = sp.bmat([[difference, -identity], [-difference, -identity]])
    lower, upper = np.zeros(n_nodes), np.ones(n_nodes)
    lower[list(problem.source_seeds)] = 1.0
    upper[list(problem.sink_seeds)] = 0.0
    solution = linprog(
        np.concatenate([sink_capacity - source_capacity, problem.edge_weight]),
        A_ub=constraints,
        b_ub=np.zeros(2 * n_edges),
        bounds=[*zip(lower, upper, strict=True), *[(0, None)] * n_edges],
        method="highs-ds",
    )
    assert solution.status == 0, solution.message
    position = solution.x[:n_nodes]
    assert np.abs(position - position.round()).max() < 1e-6, "the optimum should be a whole number"
    return solution.fun + source_capacity.sum(), position > 0.5
