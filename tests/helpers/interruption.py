"""A child process that works, interrupts itself, and says how soon it stopped.

Seconds are those of the processor, so that other work on the machine does not count.
"""

import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
GIVE_UP_AFTER = 100.0

# A thread that ticks every 5 ms sends the signal: if the work held the interpreter lock, it would
# never tick, nobody would be interrupted, and the child be killed in the end.
_INTERRUPTED = """
import os, signal, sys, threading, time

# A shell that starts the tests in the background has SIGINT ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupted(work, after):
    start, sent, is_over, ticks = time.process_time(), [], threading.Event(), []

    def tick():
        while not is_over.is_set():
            time.sleep(0.005)
            ticks.append(time.process_time())
            if not sent and len(ticks) >= 50 and ticks[-1] - start >= after:
                sent.append(ticks[-1])
                os.kill(os.getpid(), signal.SIGINT)

    other = threading.Thread(target=tick, daemon=True)
    outcome = "finished"
    try:
        other.start()
        work()
    except KeyboardInterrupt:
        outcome = "interrupted"
    now = time.process_time()
    is_over.set()
    other.join()
    print(outcome, now - (sent[0] if sent else start), len(ticks), flush=True)
"""


@dataclass(frozen=True)
class Interruption:
    """Seconds of the processor from the signal to its answer; ticks of another thread."""

    seconds: float
    n_ticks: int


def interruptions(code, arguments, n_times):
    """What a child says that runs `code`, which calls `interrupted(work, after)` so many times.

    None for work that was over before it could be interrupted.
    """
    command = [sys.executable, "-c", _INTERRUPTED + code, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        give_up = threading.Timer(GIVE_UP_AFTER, child.kill)
        give_up.start()
        try:
            return [_read(child.stdout.readline()) for _ in range(n_times)]
        finally:
            give_up.cancel()
            child.kill()


def _read(line):
    assert line, f"no answer at all within {GIVE_UP_AFTER} s"
    outcome, seconds, n_ticks = line.split()
    return Interruption(float(seconds), int(n_ticks)) if outcome == "interrupted" else None
