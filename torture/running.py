"""Cases of an area are run in a process of their own: it may crash or hang, and that is counted.

An area is a module with `run_case(seed, number)`, which raises when something does not hold. A case
depends on these two numbers alone, so that a failure can be run again.
"""

import json
import math
import os
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

AREAS = (
    "graphs",
    "inputs",
    "model_files",
    "tables",
    "kills",
    "permutations",
    "layouts",
    "signals",
)
# No case takes half as long on a quiet machine. One that does not end is killed, and run once more
# by itself with more time: a busy machine may have left it waiting.
SECONDS_OF_A_CASE = 120.0
SECONDS_OF_A_REPETITION = 1200.0
_LOOK_EVERY = 0.2


@dataclass
class Tally:
    """The state of an area: the next case, and the failures."""

    next_case: int = 0
    failures: list[list[object]] = field(default_factory=list)


def read_state(path: Path) -> dict[str, Tally]:
    if not path.exists():
        return {}
    return {name: Tally(**plain) for name, plain in json.loads(path.read_text()).items()}


def write_state(path: Path, state: dict[str, Tally]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps({name: vars(tally) for name, tally in state.items()}, indent=1))
    part.replace(path)


def run_area(area: str, seed: int, tally: Tally, end: float, most_cases: int | None) -> None:
    """Run cases until the time `end`, or until there have been `most_cases` in all."""
    while time.monotonic() < end and (most_cases is None or tally.next_case < most_cases):
        _run_worker(area, seed, tally, end, most_cases)


def _run_worker(area: str, seed: int, tally: Tally, end: float, most_cases: int | None) -> None:
    """One process, until it has nothing left to do, crashes or hangs."""
    seconds = max(end - time.monotonic(), 0.0)
    most = -1 if most_cases is None else most_cases
    if not _hangs(area, seed, tally, seconds, most, SECONDS_OF_A_CASE):
        return
    if _hangs(area, seed, tally, math.inf, tally.next_case + 1, SECONDS_OF_A_REPETITION):
        tally.failures.append([tally.next_case, f"hung for {SECONDS_OF_A_REPETITION:.0f} s"])
        tally.next_case += 1


def _hangs(
    area: str, seed: int, tally: Tally, seconds: float, most_cases: int, patience: float
) -> bool:
    """Count the reports of a process; True if it was silent too long, and had to be killed."""
    command = [sys.executable, "-m", "torture.running", area, str(seed), str(tally.next_case)]
    limits = [str(seconds), str(most_cases)]
    with subprocess.Popen([*command, *limits], stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        os.set_blocking(worker.stdout.fileno(), False)
        rest, heard = b"", time.monotonic()
        while True:
            ended = worker.poll() is not None
            chunk = worker.stdout.read() or b""
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                number, problem = json.loads(line)
                tally.next_case = number + 1
                if problem:
                    tally.failures.append([number, problem])
                heard = time.monotonic()
            if ended:
                break
            if time.monotonic() - heard > patience:
                worker.kill()
                return True
            time.sleep(_LOOK_EVERY)
    if worker.returncode != 0:
        tally.failures.append([tally.next_case, f"the process ended with {worker.returncode}"])
        tally.next_case += 1
    return False


def problem_of(area: str, seed: int, number: int) -> str | None:
    """Return the failure of a case in words, or None."""
    try:
        import_module(f"torture.{area}").run_case(seed, number)
    except Exception:
        return traceback.format_exc(limit=-4)
    return None


def _work(area: str, seed: int, first: int, seconds: float, most_cases: int) -> None:
    # The output of a case must not be taken for a report.
    reports = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    number, end = first, time.monotonic() + seconds
    while time.monotonic() < end and (most_cases < 0 or number < most_cases):
        reports.write(json.dumps([number, problem_of(area, seed, number)]) + "\n")
        reports.flush()
        number += 1


if __name__ == "__main__":
    name, *limits = sys.argv[1:]
    _work(name, int(limits[0]), int(limits[1]), float(limits[2]), int(limits[3]))
