"""A slice of `make torture`: the first cases of every area."""

import contextlib
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import torture.running
from torture.running import AREAS, Tally, problem_of, read_state, run_area, write_state

RUNNING = Path(torture.running.__file__)

# As many as a few seconds allow. Model files may crash the process, and have one of their own.
CASES = {
    "graphs": 1250,
    "inputs": 45,
    "tables": 30,
    "permutations": 10,
    "layouts": 10,
    "signals": 10,
}


@pytest.mark.slow
@pytest.mark.parametrize("area", CASES)
def test_area(area):
    found = {number: problem_of(area, 1, number) for number in range(CASES[area])}
    assert {number: problem for number, problem in found.items() if problem} == {}


@pytest.mark.slow
@pytest.mark.parametrize(("area", "n_cases"), [("model_files", 30), ("kills", 3)])
def test_area_in_a_process_of_its_own(area, n_cases):
    tally = Tally()
    run_area(area, 1, tally, float("inf"), n_cases)
    assert tally == Tally(n_cases, [])


class _Clock:
    """A minute passes whenever it is looked at, but only while the process that hangs is there.

    So no machine is too slow for the other cases.
    """

    def __init__(self, pid_link):
        self._pid_link = pid_link
        self._now = 0.0

    def monotonic(self):
        if self._pid_link.is_symlink():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(os.readlink(self._pid_link)), 0)
                self._now += 60.0
        return self._now


def test_every_area_has_its_slice():
    assert {*CASES, "model_files", "kills"} == set(AREAS)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise ValueError('wrong')", "ValueError: wrong"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "the process ended with -11"),
        (
            "import os, signal; os.symlink(str(os.getpid()), 'new'); os.replace('new', 'hangs'); "
            "signal.pause()",
            "hung",
        ),
    ],
    ids=["error", "crash", "hang"],
)
def test_failures_are_counted_and_the_next_case_is_run(tmp_path, monkeypatch, body, words):
    ((number, problem),) = failures_of_odd_area(tmp_path, monkeypatch, body)
    assert number == 2
    assert words in problem


def test_what_only_waited_is_no_failure(tmp_path, monkeypatch):
    body = (
        "import os, signal; os.path.lexists('hangs') or "
        "(os.symlink(str(os.getpid()), 'hangs'), signal.pause())"
    )
    assert failures_of_odd_area(tmp_path, monkeypatch, body) == []


def failures_of_odd_area(tmp_path, monkeypatch, body):
    """Of an area of five cases, of which the third does what the body says."""
    folder = tmp_path / "torture"
    folder.mkdir()
    for name in ("__init__", "running"):
        source = (RUNNING.parent / f"{name}.py").read_text()
        (folder / f"{name}.py").write_text(source)
    (folder / "odd.py").write_text(
        f"def run_case(seed, number):\n    if number == 2:\n        {body}\n"
    )
    monkeypatch.chdir(tmp_path)
    clock = SimpleNamespace(monotonic=_Clock(tmp_path / "hangs").monotonic, sleep=time.sleep)
    monkeypatch.setattr("torture.running.time", clock)
    tally = Tally()
    run_area("odd", 0, tally, float("inf"), 5)
    assert tally.next_case == 5
    return tally.failures


def test_the_state_is_taken_up_again(tmp_path):
    path = tmp_path / "state.json"
    assert read_state(path) == {}
    state = {"graphs": Tally(7, [[3, "wrong"]])}
    write_state(path, state)
    assert read_state(path) == state
