"""Comparisons of a `CutPath` with the oracles, shared by several test files."""

import contextlib
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from pucut import parametric_cut
from tests.helpers.oracles import AllSubsets, total_capacity

# Of a switch: absolute below 1, relative above. Of a cut value: relative to all capacities.
TOLERANCE = 1e-12
LARGEST_GAP = 1e-9
# Float weights round, and a set may change where its breakpoint rounds: ask this far from it.
CLEAR_OF_BREAKPOINTS = 1e-9


def solve(problem):
    return parametric_cut(**problem.arguments())


@contextlib.contextmanager
def named(description):
    """Adds to a failed assertion which of many problems it was."""
    try:
        yield
    except AssertionError as error:
        error.add_note(f"problem: {description}")
        raise


def probes(exact, distance=0.0):
    """Floats in lambda_range, further than `distance` from every breakpoint.

    The middle of every interval between breakpoints, and both ends of the range.
    """
    low, high = map(Fraction, exact.problem.lambda_range)
    points = sorted({low, high, *exact.breakpoints})
    middles = [float((a + b) / 2) for a, b in itertools.pairwise(points)]
    return [
        lam
        for lam in sorted({float(low), *middles, float(high)})
        if all(abs(lam - point) > distance for point in exact.all_breakpoints)
    ]


def representable(points):
    """Those of the rational points that are floats, as floats."""
    return [float(point) for point in points if Fraction(float(point)) == point]


def is_close(found, wanted):
    return abs(found - wanted) <= TOLERANCE * max(1, abs(wanted))


def assert_consistent(path, problem):
    """What holds for every path, whatever its numbers."""
    assert path.grows == problem.grows
    assert path.lambda_range == problem.lambda_range
    assert path.switch.dtype == np.float64
    finite = path.switch[np.isfinite(path.switch)]
    assert path.breakpoints.tolist() == sorted(set(finite.tolist()))
    assert abs(path.duality_gap) <= LARGEST_GAP


def assert_sets(path, exact, lams):
    for lam in lams:
        with named(f"lambda = {lam!r}"):
            assert path.source_set(lam).tolist() == exact.largest(lam).tolist()
            assert path.source_set(lam, ties="source").tolist() == exact.largest(lam).tolist()
            assert path.source_set(lam, ties="sink").tolist() == exact.smallest(lam).tolist()


def assert_cut_values(path, exact, lams):
    for lam in lams:
        with named(f"lambda = {lam!r}"):
            error = abs(Fraction(path.cut_value(lam)) - exact.value(lam))
            assert error <= TOLERANCE * total_capacity(exact.problem, lam)


def assert_exact_path(path, problem):
    """For numbers whose sums are exact in float64: sets also *at* breakpoints, ties included."""
    exact = AllSubsets(problem)
    assert_consistent(path, problem)
    for found, wanted in zip(path.switch.tolist(), exact.switch, strict=True):
        if math.isinf(wanted) or Fraction(float(wanted)) == wanted:
            assert found == wanted
        else:
            assert is_close(found, wanted)
    assert len(path.breakpoints) == len(exact.breakpoints)
    lams = [*probes(exact), *representable(exact.breakpoints)]
    assert_sets(path, exact, lams)
    assert_cut_values(path, exact, lams)


def assert_close_path(path, problem):
    """For any numbers: every switch within rounding, sets wherever rounding cannot change them."""
    exact = AllSubsets(problem)
    assert_consistent(path, problem)
    low, high = problem.lambda_range
    for found, wanted in zip(path.switch.tolist(), exact.unlimited_switch, strict=True):
        # A switch that rounds across an end of the range may be reported on either side of it.
        if found == -math.inf:
            assert wanted < low or is_close(low, wanted)
        elif found == math.inf:
            assert wanted > high or is_close(high, wanted)
        else:
            assert low <= found <= high
            assert is_close(found, wanted)
    lams = probes(exact, CLEAR_OF_BREAKPOINTS)
    assert_sets(path, exact, lams)
    assert_cut_values(path, exact, lams)


def same_bits(one, other):
    """Whether two paths give the same answers to the last bit."""
    low, high = one.lambda_range
    lams = [low, *one.breakpoints, (low + high) / 2, high]
    return (
        one.grows == other.grows
        and one.lambda_range == other.lambda_range
        and one.switch.tobytes() == other.switch.tobytes()
        and one.breakpoints.tobytes() == other.breakpoints.tobytes()
        and one.cut_value(np.array(lams)).tobytes() == other.cut_value(np.array(lams)).tobytes()
        and all(
            (one.source_set(lam, ties=ties) == other.source_set(lam, ties=ties)).all()
            for lam in lams
            for ties in ("source", "sink")
        )
    )


def accuracy(found, truth, rows):
    """The share of these rows whose class was found."""
    return float((np.asarray(found)[rows] == truth[rows]).mean())


def told_to_callbacks(estimator, X, y):
    """The tasks of `fit` in the order in which scikit-learn's callbacks are told of them."""
    callback = pytest.importorskip("sklearn.callback", reason="this scikit-learn has no callbacks")
    told = []

    class Listener:
        def setup(self, estimator, context):
            told.append("setup")

        def teardown(self, estimator, context):
            told.append("teardown")

        def on_fit_task_begin(self, estimator, context):
            told.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            pass

    assert isinstance(Listener(), callback.FitCallback)
    estimator.set_callbacks(Listener()).fit(X, y)
    return told
