"""Every minimum cut of a graph whose capacities are linear in lambda, by one exact solve.

The cuts of all lambda are the level sets of one convex problem (Hochbaum 2001; Chambolle and Darbon
2009); the native core solves it and certifies the result. Here its levels become lambdas:

    source set S, on the side of s        capacity of s -> i: source base + lambda * source slope
    sink set, the complement              capacity of i -> t: sink base + lambda * sink slope

A node's level is the highest x at which it can be on the source side, where x = lambda if S shrinks
with lambda and x = -lambda if it grows.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from pucut import _core
from pucut._support.checks import (
    BoolArray,
    FloatArray,
    SymmetricGraph,
    check_disjoint,
    checked_graph,
    checked_n_threads,
    checked_pair,
    checked_range,
    checked_seeds,
)
from pucut._support.html import html_table

# A larger certificate means that something is wrong with the solver or with the arithmetic.
LARGEST_GAP = 1e-6

# The most that all weights and capacities add up to: results must stay in the range of doubles.
LARGEST_TOTAL = 1e300

# Rounds of the warm start: the cuts are the same for any number, the time is not.
RELAXATION_ROUNDS = 16

# Few regions are large enough to be shared, and each thread takes 4 bytes per node.
MOST_THREADS = 8

Ties = Literal["source", "sink"]
Pair = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class CutPath:
    """The minimum cuts for all lambda in a range.

    Attributes
    ----------
    switch : array of shape (n_nodes,)
        The lambda at which the node changes side. Nodes on the source side for all of the range
        have -inf if S grows and +inf if it shrinks; nodes never there the opposite.
    grows : bool
        Whether the source set S grows with lambda (or shrinks).
    breakpoints : array
        The distinct finite values of `switch`, ascending.
    lambda_range : (float, float)
        Ends of the range; both belong to it.
    duality_gap : float
        Primal minus dual of the convex problem behind all cuts, relative to the size of the primal.
        It is 0 at the optimum and only there, and computed by code independent of the solver.
    counters : mapping of str to int
        The work that was done.
    """

    switch: FloatArray
    grows: bool
    breakpoints: FloatArray
    lambda_range: tuple[float, float]
    duality_gap: float
    counters: Mapping[str, int]
    # `switch` for ties="sink", if it differs: nodes can be tied over a range of lambda.
    _forced_switch: FloatArray | None = field(repr=False)
    # The cut value is piecewise linear between these.
    _knots: FloatArray = field(repr=False)
    _values: FloatArray = field(repr=False)

    @property
    def n_nodes(self) -> int:
        return len(self.switch)

    def source_set(self, lam: float, ties: Ties = "source") -> BoolArray:
        """Return the source side of the minimum cut at `lam`, as a mask.

        Where several cuts are minimum (at breakpoints, and for nodes whose capacities do not change
        with lambda), ``ties="source"`` gives the largest source set, ``ties="sink"`` the smallest.
        """
        _check_ties(ties)
        return self._source_set(self._checked(lam, "lam"), ties)

    def source_sets(self, lams: Iterable[float], ties: Ties = "source") -> Iterator[BoolArray]:
        """Yield `source_set` for one lambda after the other; only one is in memory at a time."""
        _check_ties(ties)
        for lam in lams:
            yield self._source_set(self._checked(lam, "lams"), ties)

    @overload
    def cut_value(self, lam: float) -> float: ...
    @overload
    def cut_value(self, lam: npt.ArrayLike) -> float | FloatArray: ...
    def cut_value(self, lam: Any) -> float | FloatArray:
        """Return the capacity of the minimum cut at `lam` (a number or an array).

        It includes every arc from the source to the sink side: edges of the graph once, and
        terminal arcs, those of seeds too.
        """
        value = np.interp(self._checked(lam, "lam"), self._knots, self._values)
        return float(value) if np.ndim(lam) == 0 else value

    def renumbered(self, numbers: npt.NDArray[np.integer]) -> "CutPath":
        """Return the same cuts, where node i has the number numbers[i]."""
        places, forced = np.argsort(numbers), self._forced_switch
        forced = None if forced is None else forced[places]
        return replace(self, switch=self.switch[places], _forced_switch=forced)

    def _repr_html_(self) -> str:
        low, high = self.lambda_range
        lines = [
            ("nodes", self.n_nodes),
            ("breakpoints", len(self.breakpoints)),
            ("lambda", f"{low:g} to {high:g}"),
            ("source set", "grows with lambda" if self.grows else "shrinks with lambda"),
            ("size of it", " to ".join(str(self.source_set(end).sum()) for end in (low, high))),
            ("duality gap", f"{self.duality_gap:.2g}"),
        ]
        return html_table("All minimum cuts", ("", ""), lines)

    def _source_set(self, lam: FloatArray, ties: Ties) -> BoolArray:
        if ties == "source":
            return self.switch <= lam if self.grows else self.switch >= lam
        switch = self.switch if self._forced_switch is None else self._forced_switch
        return switch < lam if self.grows else switch > lam

    def _checked(self, lam: Any, name: str) -> FloatArray:
        values = np.asarray(lam, dtype=np.float64)
        low, high = self.lambda_range
        inside = (values >= low) & (values <= high)
        if not inside.all():
            found = values.ravel()[np.argmin(inside.ravel())]
            raise ValueError(f"{name} must lie in the lambda_range [{low}, {high}], found {found}")
        return values


def parametric_cut(
    graph: Any,
    source: tuple[npt.ArrayLike, npt.ArrayLike],
    sink: tuple[npt.ArrayLike, npt.ArrayLike],
    lambda_range: tuple[float, float] = (0.0, 1.0),
    *,
    source_seeds: npt.ArrayLike | None = None,
    sink_seeds: npt.ArrayLike | None = None,
    n_threads: int | None = None,
) -> CutPath:
    """Return all minimum cuts for lambda from one end of `lambda_range` to the other.

    Parameters
    ----------
    graph : CSR matrix or array, n x n
        Symmetric, with weights >= 0. Zeros and self-loops may be stored and mean no edge; duplicate
        entries add up. Computations are in double precision.
    source, sink : pairs (base, slope) of arrays of length n
        The arc from the source to node i has the capacity base[i] + lambda * slope[i], and so has
        the arc from i to the sink. Capacities must not be negative anywhere in the range. Slopes
        must make the cuts nested: source up and sink down (S grows with lambda), or the reverse
        (S shrinks). If all slopes are 0, `grows` is True.
    lambda_range : (float, float)
        Finite; nodes that do not switch within it get an infinite `switch`.
    source_seeds, sink_seeds : masks of length n, or arrays of node numbers
        Nodes fixed to a side. They are contracted: no large capacity stands in for "fixed".
    n_threads : int, optional
        Threads that work on separate parts of a large graph; by default as many as there are
        processors, at most 8. No bit of the result depends on it.

    Returns
    -------
    CutPath

    Raises
    ------
    ValueError, TypeError
        For input that is not as described; the message says what was found, and where.
    RuntimeError
        If the certificate is worse than 1e-6: the result is never returned unproven.

    Notes
    -----
    The same input gives the same bits on every run. A component without seeds and terminal
    capacities is tied throughout: always in S for ``ties="source"``, never for ``ties="sink"``.
    """
    checked = checked_graph(graph)
    n_nodes = checked.n_nodes
    pairs = checked_pair(source, n_nodes, "source"), checked_pair(sink, n_nodes, "sink")
    ends, n_used = checked_range(lambda_range), checked_n_threads(n_threads)
    on_source = checked_seeds(source_seeds, n_nodes, "source_seeds")
    on_sink = checked_seeds(sink_seeds, n_nodes, "sink_seeds")
    check_disjoint(on_source, on_sink, ("source_seeds", "sink_seeds"))
    return all_cuts(checked, *pairs, ends, on_source, on_sink, n_used)


def all_cuts(
    graph: SymmetricGraph,
    source: Pair,
    sink: Pair,
    lambda_range: tuple[float, float],
    on_source: BoolArray,
    on_sink: BoolArray | None,
    n_threads: int,
) -> CutPath:
    """Return `parametric_cut` of arrays whose shapes and types have been checked."""
    to_nodes, to_sink, (low, high) = _Arcs(*source), _Arcs(*sink), lambda_range
    to_nodes.check((low, high), "source")
    to_sink.check((low, high), "sink")
    _check_total(graph.weights, (to_nodes, to_sink), (low, high))
    grows = _draws_in(to_nodes.slope, to_sink.slope)
    sign = -1 if grows else 1
    slope = to_nodes.slope - to_sink.slope if grows else to_sink.slope - to_nodes.slope
    lowest, highest = (-high, -low) if grows else (low, high)
    solved = _core.solve_levels(
        graph.offsets,
        graph.neighbors,
        graph.weights,
        to_nodes.base - to_sink.base,
        slope,
        on_source.astype(np.int8) - (0 if on_sink is None else on_sink.astype(np.int8)),
        {
            "lowest": lowest,
            "highest": highest,
            "relaxation_rounds": RELAXATION_ROUNDS,
            "n_threads": min(n_threads, MOST_THREADS),
        },
    )
    _raise_unless_certified(solved, graph.weights, to_nodes.base)
    forced = solved["forced_level"]
    knots, values = _cut_values(solved, (lowest, highest), slope, (to_nodes, to_sink), sign)
    return CutPath(
        switch=_mirrored(solved["level"], grows),
        grows=grows,
        breakpoints=_mirrored(solved["breakpoints"], grows)[::sign],
        lambda_range=(low, high),
        duality_gap=solved["gap"],
        counters=solved["counters"],
        _forced_switch=_mirrored(forced, grows) if len(forced) else None,
        _knots=_mirrored(knots, grows)[::sign],
        _values=values[::sign],
    )


class _Arcs(NamedTuple):
    """The arcs between one terminal and all nodes: capacity = base + lambda * slope."""

    base: FloatArray
    slope: FloatArray

    def check(self, ends: tuple[float, float], name: str) -> None:
        for lam in ends:
            with np.errstate(over="ignore", invalid="ignore"):
                capacity = self.base + lam * self.slope
            bad = ~((capacity >= 0) & np.isfinite(capacity))
            if bad.any():
                node = int(np.argmax(bad))
                raise ValueError(
                    f"{name} capacity of node {node} is {capacity[node]} at lambda = {lam}: "
                    "base + lambda * slope must be finite and not negative in all of lambda_range"
                )

    def total(self, some: BoolArray, lam: float) -> float:
        """Return the capacity of some of the arcs."""
        return float((self.base[some] + lam * self.slope[some]).sum())


def _raise_unless_certified(
    solved: Mapping[str, Any], weights: npt.NDArray[Any], source_base: FloatArray
) -> None:
    if solved["status"] == "too_large":
        raise ValueError(
            f"graph may have at most {np.iinfo(np.int32).max} edges between nodes that are not "
            f"seeds, found more, of {len(weights)} entries in all"
        )
    if not solved["feasible"] or not abs(solved["gap"]) <= LARGEST_GAP:
        is_tiny = max(float(weights.max(initial=0)), source_base.max(initial=0.0)) < 1e-290
        raise RuntimeError(
            f"the cuts could not be certified: relative duality gap {solved['gap']:.3g}, at most "
            f"{LARGEST_GAP:g} is accepted; "
            + (
                "capacities below 1e-290 have too few digits to compute with: multiply graph, "
                "source and sink by one number, which does not change the cuts"
                if is_tiny
                else "please report this with the input"
            )
        )


def _mirrored(levels: FloatArray, grows: bool) -> FloatArray:
    return 0.0 - levels if grows else levels  # 0.0 - 0.0 is 0.0, where -0.0 would print oddly


def _draws_in(source_slope: FloatArray, sink_slope: FloatArray) -> bool:
    """Tell whether S grows with lambda."""
    draws_in = (source_slope > 0) | (sink_slope < 0)
    draws_out = (source_slope < 0) | (sink_slope > 0)
    if not draws_out.any():
        return True
    if not draws_in.any():
        return False
    one, other = int(np.argmax(draws_in)), int(np.argmax(draws_out))
    raise ValueError(
        "source slope and sink slope do not make the cuts nested: as lambda rises, they draw node "
        f"{one} to the source (source slope {source_slope[one]}, sink slope {sink_slope[one]}) and "
        f"node {other} to the sink (source slope {source_slope[other]}, sink slope "
        f"{sink_slope[other]}); allowed are source slopes >= 0 with sink slopes <= 0, or the "
        "reverse"
    )


def _check_total(
    weights: npt.NDArray[Any], arcs: Iterable[_Arcs], ends: tuple[float, float]
) -> None:
    """Check that sums of capacities, and their products with lambda, stay finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(weights.sum(dtype=np.float64)) + sum(
            float(np.abs(base).sum() + max(map(abs, ends)) * np.abs(slope).sum())
            for base, slope in arcs
        )
    if not total <= LARGEST_TOTAL:
        raise ValueError(
            f"weights and capacities add up to {total:g}, allowed is a total of {LARGEST_TOTAL:g}: "
            "divide graph, source and sink by one number, which does not change the cuts"
        )


def _cut_values(
    solved: Mapping[str, Any],
    ends: tuple[float, float],
    slope: FloatArray,
    arcs: tuple[_Arcs, _Arcs],
    sign: int,
) -> tuple[FloatArray, FloatArray]:
    """Return the cut value as a function of the level, which is linear between breakpoints.

    Just above the lowest level its derivative is the constant slope plus the slopes of all nodes on
    the source side; each breakpoint takes away those of the nodes that leave.
    """
    (lowest, highest), (to_nodes, to_sink) = ends, arcs
    is_inside = solved["level"] >= lowest
    lam = sign * lowest
    terminal = to_nodes.total(~is_inside, lam) + to_sink.total(is_inside, lam)
    knots = np.concatenate([[lowest], solved["breakpoints"], [highest]])
    masses = slope[is_inside].sum() - np.concatenate([[0.0], np.cumsum(solved["mass"])])
    steps = (sign * to_nodes.slope.sum() + masses) * np.diff(knots)
    values = solved["cut_weight"] + terminal + np.concatenate([[0.0], np.cumsum(steps)])
    return knots, values


def _check_ties(ties: Any) -> None:
    if ties not in ("source", "sink"):
        raise ValueError(f'ties must be "source" or "sink", found {ties!r}')
