"""The runner: killed, broken, failing, on other machines; every run is there once and the same."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from paper import FOLDER
from paper.datasets import SYNTHETIC
from paper.methods import METHODS, Answer
from paper.protocol import synthetic_runs
from paper.running import work
from paper.running.collect import collect
from paper.running.raw import RUNS, failure_file, is_finished, prior_file, run_file
from paper.running.runner import plan, run_all
from paper.running.work import Settings
from paper.running.workers import in_processes, on_dask

pytestmark = pytest.mark.slow

SMALL = [SYNTHETIC[name] for name in SYNTHETIC if name.startswith("n1000-f5")]
# What is different each time the same run is done.
TIMINGS = ("seconds", "peak_mb", "finished")


def quiet(text):
    pass


def small_runs(names=("pu_et", "two_hnc"), prior_kinds=("true", "estimated")):
    return synthetic_runs(SMALL[:1], names, prior_kinds, [0, 1])


def do(runs, results, workers=None, say=quiet):
    return run_all(plan(runs, results), results, Settings(), workers or in_processes(1), say)


def untimed(results):
    rows = collect(results)
    assert rows.broken == ()
    return [
        {name: value for name, value in vars(row).items() if name not in TIMINGS}
        for row in rows.rows
    ]


def marks(results):
    """Which file is where, and when it was written."""
    return {
        path: (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in results.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """Two datasets by two methods with both priors, done by one process in one go."""
    results = tmp_path_factory.mktemp("uninterrupted")
    report = do(small_runs(), results)
    assert (report.n_asked, report.n_before, report.n_finished) == (8, 0, 8)
    return results


@pytest.fixture
def finished(uninterrupted, tmp_path):
    """A copy of all that, which a test may damage."""
    return shutil.copytree(uninterrupted, tmp_path / "finished")


def test_every_run_is_done_once_and_its_prior_once_for_all_methods(finished):
    assert len(list((finished / "priors").rglob("*.json"))) == 2
    before = marks(finished)
    again = do(small_runs(), finished)
    assert (again.n_before, again.n_finished) == (8, 0)
    assert marks(finished) == before


def test_a_file_cut_off_is_made_again_and_no_other(finished, uninterrupted):
    runs = small_runs()
    cut, lost = run_file(finished, runs[1]), prior_file(finished, runs[1].split)
    for path in (cut, lost):
        path.write_bytes(path.read_bytes()[:-20])
    (cut.parent / ".half.npz.x.part").write_bytes(b"PK")
    before = marks(finished)
    assert plan(runs, finished).unfinished == (runs[1],)
    assert do(runs, finished).n_finished == 1
    assert untimed(finished) == untimed(uninterrupted)
    assert {path for path, mark in marks(finished).items() if mark != before[path]} == {cut, lost}


def test_failures_are_written_down_and_tried_again(finished, monkeypatch, uninterrupted):
    runs = small_runs()
    for run in runs:
        if run.method == "pu_et":
            run_file(finished, run).unlink()

    def fail(data):
        raise RuntimeError("no trees today")

    with monkeypatch.context() as patched:
        patched.setitem(METHODS, "pu_et", replace(METHODS["pu_et"], fit=fail))
        report = do(runs, finished)
    assert len(report.failures) == 4
    assert not report.is_complete
    assert (report.n_before, report.n_finished) == (4, 0)
    for failure in report.failures:
        text = failure_file(finished, failure.task).read_text()
        assert "no trees today" in text
        assert "Traceback" in text
        assert not run_file(finished, failure.task).exists()
    before = marks(finished / RUNS)
    report = do(runs, finished)
    assert (report.n_before, report.n_finished, report.failures) == (4, 4, ())
    assert not [path for path in (finished / "failures").rglob("*") if path.is_file()]
    assert before.items() <= marks(finished / RUNS).items()
    assert untimed(finished) == untimed(uninterrupted)


def test_runs_without_a_prior_wait(tmp_path, monkeypatch):
    def fail(*given, **others):
        raise ValueError("no prior today")

    monkeypatch.setattr(work, "estimate_prior", fail)
    runs = small_runs(["pu_et"])
    report = do(runs, tmp_path)
    assert [run.prior_kind for run in report.lacking] == ["estimated"] * 2
    assert report.n_finished == 2
    assert not report.is_complete
    assert "no prior today" in report.failures[0].text
    monkeypatch.setattr(work, "estimate_prior", lambda *given, **others: SimpleNamespace(prior=0.4))
    report = do(runs, tmp_path)
    assert (report.n_before, report.n_finished) == (2, 2)
    assert {row.prior_used for row in collect(tmp_path).rows if row.prior_kind == "estimated"} == {
        0.4
    }


def test_scores_that_are_not_finite_are_a_failure(tmp_path, monkeypatch):
    def answer(data):
        scores = np.full(len(data.X), np.nan)
        return Answer(scores, scores > 0)

    monkeypatch.setitem(METHODS, "pu_et", replace(METHODS["pu_et"], fit=answer))
    report = do(small_runs(["pu_et"], ["true"]), tmp_path)
    assert "not all finite" in report.failures[0].text


# --- killed, in other processes, on other machines ----------------------------------------------


def many_runs():
    return synthetic_runs(SMALL[::20], ["pu_et", "two_hnc"], ["true"], [0, 1])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What many runs give in one process, in one go."""
    results = tmp_path_factory.mktemp("whole")
    assert do(many_runs(), results).is_complete
    return untimed(results)


def start(results, n_processes):
    """Does `many_runs` in a process group of its own, which can be killed with all workers."""
    program = (
        "import sys; from pathlib import Path; from tests.paper.test_runner import *; "
        "do(many_runs(), Path(sys.argv[1]), in_processes(int(sys.argv[2])))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, str(results), str(n_processes)],
        cwd=FOLDER.parent,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def finished_files(results):
    return {path for path in (results / RUNS).rglob("*.npz") if not path.name.startswith(".")}


def wait_for_files(process, results, n_files):
    while len(finished_files(results)) < n_files and process.poll() is None:
        time.sleep(0.005)


@pytest.mark.skipif(os.name != "posix", reason="kills process groups")
def test_killed_twice_it_loses_nothing_and_runs_nothing_twice(tmp_path, whole):
    kept = {}
    for n_files, n_processes in ((2, 2), (5, 1)):
        process = start(tmp_path, n_processes)
        wait_for_files(process, tmp_path, n_files)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        files = finished_files(tmp_path)
        assert n_files <= len(files) < len(whole)
        assert all(map(is_finished, files))
        assert kept.items() <= marks(tmp_path).items()
        kept = marks(tmp_path)
    # The rest is done by several processes, and is the same.
    report = do(many_runs(), tmp_path, in_processes(2))
    assert (report.n_before, report.is_complete) == (len(files), True)
    assert kept.items() <= marks(tmp_path).items()
    assert untimed(tmp_path) == whole


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_an_interruption_ends_it_cleanly(tmp_path):
    # Far more than can be finished before the signal comes.
    command = [sys.executable, "-m", "paper", "synthetic", "--n-samples", "1000", "--n-jobs", "2"]
    command += ["--methods", "pu_et", "--prior", "true", "--results", str(tmp_path)]
    process = subprocess.Popen(
        command, cwd=FOLDER.parent, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    wait_for_files(process, tmp_path, 1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert "Warning" not in said
    assert said.endswith("python -m paper: interrupted\n")
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.filterwarnings("default")  # Dask speaks of workers that die, and of ports in use
@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_dask_gives_the_same_though_a_worker_dies(tmp_path, whole):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        killed = []

        def kill_one(text):
            if text.startswith(f"3 of {len(whole)} fits"):
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        report = do(many_runs(), tmp_path, on_dask(client), kill_one)
        later = set(client.run(os.getpid).values())
    assert killed
    assert killed[0] not in later
    assert report.is_complete
    assert report.failures == ()
    assert untimed(tmp_path) == whole
