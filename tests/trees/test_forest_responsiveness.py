"""Growing trees answers Ctrl-C, with one thread and with several, and lets other threads run."""

import signal
import subprocess
import sys
import threading
import time

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows cannot send SIGINT to a single process"
)

ALLOWED_DELAY = 0.5
GIVE_UP_AFTER = 60.0

# So many trees that nobody waits for them.
CHILD = """
import signal, sys, threading, time
import numpy as np
from pucut.trees.forest import grow_forest

signal.signal(signal.SIGINT, signal.default_int_handler)

random = np.random.default_rng(0)
X = random.normal(size=(int(sys.argv[1]), 30)).astype(np.float32)
is_labelled = random.random(len(X)) < 0.3

ticks = []
def tick():
    while True:
        time.sleep(0.005)
        ticks.append(time.monotonic())
threading.Thread(target=tick, daemon=True).start()

for n_threads in (1, 3):
    outcome = "finished"
    try:
        print("start", flush=True)
        grow_forest(X, is_labelled, 0.5, n_trees=100_000, n_threads=n_threads)
    except KeyboardInterrupt:
        outcome = "interrupted"
    now = time.monotonic()
    print(outcome, now, sum(now - 0.5 <= tick for tick in ticks), flush=True)
"""


@pytest.mark.parametrize("n_rows", [300, 100_000])
def test_ctrl_c_is_answered_within_half_a_second(n_rows):
    command = [sys.executable, "-c", CHILD, str(n_rows)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        give_up = threading.Timer(GIVE_UP_AFTER, child.kill)
        give_up.start()
        try:
            for _ in range(2):
                assert child.stdout.readline().split() == ["start"]
                time.sleep(0.8)
                sent = time.monotonic()
                child.send_signal(signal.SIGINT)
                outcome, answered, ticks = child.stdout.readline().split()
                assert outcome == "interrupted"
                assert float(answered) - sent <= ALLOWED_DELAY
                assert int(ticks) >= 20
        finally:
            give_up.cancel()
            child.kill()
