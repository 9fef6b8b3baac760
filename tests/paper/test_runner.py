"""The runner: killed, broken, failing, on other machines; every run is there once and the same."""

import os
import signal
import subprocess
import sys
import time

import pytest

from paper.__main__ import main
from paper.datasets import SYNTHETIC
from paper.running import methods, runner
from paper.running.protocol import synthetic_runs
from paper.running.raw import RUNS, failure_file, is_finished, prior_file, run_file
from paper.running.rows import collect
from paper.running.runner import in_processes, plan, run_all
from paper.running.work import Settings

SMALL = [name for name in SYNTHETIC if name.startswith("n1000-f5")]
# What is different each time the same run is done.
TIMINGS = ("seconds", "peak_mb", "finished")


def quiet(text):
    pass


def small_runs(n_datasets=2, names=("pu_et", "two_hnc_paper"), prior_kinds=("true", "estimated")):
    return synthetic_runs([SYNTHETIC[name] for name in SMALL[:n_datasets]], names, prior_kinds, [0])


def do(runs, results, workers=None):
    return run_all(plan(runs, results), results, Settings(), workers or in_processes(1), quiet)


def untimed(results):
    rows = collect(results)
    assert rows.broken == ()
    return [
        {name: value for name, value in vars(row).items() if name not in TIMINGS}
        for row in rows.rows
    ]


def marks(results):
    """Which file stands where, and when it was written."""
    return {
        path: (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in results.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    results = tmp_path_factory.mktemp("uninterrupted")
    assert do(small_runs(), results).is_complete
    return untimed(results)


def test_every_run_is_done_once_and_its_prior_once_for_all_methods(tmp_path, uninterrupted):
    runs = small_runs()
    report = do(runs, tmp_path)
    assert (report.n_asked, report.n_before, report.n_finished) == (8, 0, 8)
    assert len(list((tmp_path / "priors").rglob("*.json"))) == 2
    assert untimed(tmp_path) == uninterrupted
    before = marks(tmp_path)
    again = do(runs, tmp_path)
    assert (again.n_before, again.n_finished) == (8, 0)
    assert marks(tmp_path) == before


def test_processes_give_what_one_process_gives(tmp_path, uninterrupted):
    assert do(small_runs(), tmp_path, in_processes(2)).is_complete
    assert untimed(tmp_path) == uninterrupted


def test_a_file_cut_off_is_made_again_and_no_other(tmp_path, uninterrupted):
    runs = small_runs()
    do(runs, tmp_path)
    cut, lost = run_file(tmp_path, runs[1]), prior_file(tmp_path, runs[1].split)
    for path in (cut, lost):
        path.write_bytes(path.read_bytes()[:-20])
    (cut.parent / ".half.npz.x.part").write_bytes(b"PK")
    before = marks(tmp_path)
    assert plan(runs, tmp_path).unfinished == (runs[1],)
    assert do(runs, tmp_path).n_finished == 1
    assert untimed(tmp_path) == uninterrupted
    assert {path for path, mark in marks(tmp_path).items() if mark != before[path]} == {cut, lost}


def test_failures_are_written_down_and_tried_again(tmp_path, monkeypatch, uninterrupted):
    runs = small_runs()
    sound = methods.METHODS["pu_et"]

    def fail(data):
        raise RuntimeError("no trees today")

    broken = {**methods.METHODS, "pu_et": methods.PUMethod("broken", fail)}
    monkeypatch.setattr(methods, "METHODS", broken)
    report = do(runs, tmp_path)
    assert len(report.failures) == 4
    assert not report.is_complete
    assert report.n_finished == 4
    for failure in report.failures:
        text = failure_file(tmp_path, failure.task).read_text()
        assert "no trees today" in text
        assert "Traceback" in text
        assert not run_file(tmp_path, failure.task).exists()
    before = marks(tmp_path / RUNS)
    monkeypatch.setattr(methods, "METHODS", {**broken, "pu_et": sound})
    report = do(runs, tmp_path)
    assert (report.n_before, report.n_finished, report.failures) == (4, 4, ())
    assert not [path for path in (tmp_path / "failures").rglob("*") if path.is_file()]
    assert before.items() <= marks(tmp_path / RUNS).items()
    assert untimed(tmp_path) == uninterrupted


def test_runs_without_a_prior_wait(tmp_path, monkeypatch):
    from paper.running import work

    def fail(*given, **others):
        raise ValueError("no prior today")

    monkeypatch.setattr(work, "estimate_prior", fail)
    report = do(small_runs(1), tmp_path)
    assert [run.prior_kind for run in report.lacking] == ["estimated"] * 2
    assert report.n_finished == 2
    assert not report.is_complete
    assert "no prior today" in report.failures[0].text


def test_scores_that_are_not_finite_are_a_failure(tmp_path, monkeypatch):
    import numpy as np

    def answer(data):
        scores = np.full(len(data.X), np.nan)
        return methods.Answer(scores, scores > 0)

    monkeypatch.setattr(
        methods, "METHODS", {**methods.METHODS, "pu_et": methods.PUMethod("NaN", answer)}
    )
    report = do(small_runs(1, ["pu_et"], ["true"]), tmp_path)
    assert "not all finite" in report.failures[0].text


def options(results):
    chosen = ["--n-samples", "1000", "--configurations", "8", "--per-configuration", "1"]
    chosen += ["--methods", "pu_et,two_hnc_paper", "--prior", "true", "--results", str(results)]
    return ["synthetic", *chosen]


def command(results, *others):
    return [sys.executable, "-m", "paper", *options(results), *others]


def start(results, *others):
    """In a process group of its own, which can be killed with all workers."""
    return subprocess.Popen(
        command(results, *others),
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
def test_killed_again_and_again_it_loses_nothing_and_runs_nothing_twice(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert main(options(whole)) == 0
    n_runs = len(finished_files(whole))
    assert n_runs == 16
    seen = {}
    for n_files, n_jobs in ((3, "2"), (7, "1"), (11, "1")):
        process = start(killed, "--n-jobs", n_jobs)
        wait_for_files(process, killed, n_files)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        now = marks(killed)
        assert seen.items() <= now.items()  # nothing lost, nothing written again
        assert all(is_finished(path) for path in finished_files(killed))
        seen = now
    assert 11 <= len(finished_files(killed)) < n_runs
    assert main(options(killed)) == 0
    assert seen.items() <= marks(killed).items()
    assert untimed(killed) == untimed(whole)


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_an_interruption_ends_it_cleanly(tmp_path):
    process = subprocess.Popen(
        command(tmp_path, "--n-jobs", "2"),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_for_files(process, tmp_path, 3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert "Warning" not in said
    assert said.endswith("python -m paper: interrupted\n")
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.filterwarnings("default")  # Dask speaks of workers that die, and of ports in use
@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_dask_gives_the_same_though_a_worker_dies(tmp_path):
    distributed = pytest.importorskip("distributed")
    runs = small_runs(6, prior_kinds=["true"])
    local, far = tmp_path / "local", tmp_path / "far"
    assert do(runs, local, in_processes(1)).is_complete
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        killed = []

        def kill_one(text):
            if text.startswith("3 of 12 fits"):
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        workers = runner.on_dask(client)
        report = run_all(plan(runs, far), far, Settings(), workers, kill_one)
        later = set(client.run(os.getpid).values())
    assert killed
    assert killed[0] not in later
    assert report.is_complete
    assert report.failures == ()
    assert untimed(far) == untimed(local)
