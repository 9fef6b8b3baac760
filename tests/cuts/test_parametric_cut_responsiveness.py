"""A long solve answers Ctrl-C and lets other Python threads run.

One child process solves the same large problem twice and is interrupted twice. The first time,
late: that proves the solve to be long. The second time, early: it must then stop at once, which a
solve that merely happened to be finished could not do.
"""

import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows cannot send SIGINT to a single process"
)

LATE, EARLY = 2.5, 0.5  # seconds after the start of the solve
ALLOWED_DELAY = 0.5
GIVE_UP_AFTER = 30.0

# Nodes per side of the lattice; a larger one is tried only if the solve was over too soon.
SIDES = (1000, 1500, 2000)

ROOT = Path(__file__).parents[2]
CHILD = """
import signal, sys, threading, time
import numpy as np
from tests.helpers.graphs import grid_graph
from pucut import parametric_cut

# A shell that starts the tests in the background has SIGINT ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Seeds on opposite sides of a lattice: flow has to cross all of it.
side = int(sys.argv[1])
graph = grid_graph(side, seed=0)
degrees = graph.sum(axis=1)
zeros = np.zeros(side * side)
columns = np.arange(side * side) % side

ticks = []
def tick():
    while True:
        time.sleep(0.005)
        ticks.append(time.monotonic())
threading.Thread(target=tick, daemon=True).start()

for _ in range(2):
    outcome = "finished"
    try:
        print("start", flush=True)
        parametric_cut(
            graph,
            (zeros, degrees),
            (zeros, zeros),
            source_seeds=columns == 0,
            sink_seeds=columns == side - 1,
        )
    except KeyboardInterrupt:
        outcome = "interrupted"
    now = time.monotonic()
    print(outcome, now, sum(now - 1.0 <= tick for tick in ticks), flush=True)
"""


@dataclass(frozen=True)
class Interruption:
    delay: float
    ticks_in_the_last_second: int


def interrupt_after(child, seconds):
    """Send SIGINT this long after the child's next start; None if the solve was over before."""
    assert child.stdout.readline().split() == ["start"]
    time.sleep(seconds)
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    answer = child.stdout.readline().split()
    assert answer, f"no answer at all within {GIVE_UP_AFTER} s"
    outcome, answered, ticks = answer
    if outcome == "finished":
        return None
    return Interruption(float(answered) - sent, int(ticks))


def interrupt_twice(side):
    """Both interruptions of one child, or None if its first solve was over too soon."""
    command = [sys.executable, "-c", CHILD, str(side)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        give_up = threading.Timer(GIVE_UP_AFTER, child.kill)
        give_up.start()
        try:
            late = interrupt_after(child, LATE)
            return None if late is None else (late, interrupt_after(child, EARLY))
        finally:
            give_up.cancel()
            child.kill()


@pytest.fixture(scope="module")
def interruptions():
    for side in SIDES:
        both = interrupt_twice(side)
        if both is not None:
            return both
    pytest.fail(
        f"could not measure: even {SIDES[-1] ** 2} nodes are solved within {LATE} s; add to SIDES"
    )


def test_ctrl_c_is_answered_within_half_a_second(interruptions):
    late, early = interruptions
    assert early is not None, "the second solve of the same problem was over before the first"
    assert late.delay <= ALLOWED_DELAY
    assert early.delay <= ALLOWED_DELAY


def test_other_threads_run_during_a_solve(interruptions):
    """A thread that ticks every 5 ms: with the interpreter lock held, it would not tick at all."""
    late, _ = interruptions
    assert late.ticks_in_the_last_second >= 50
