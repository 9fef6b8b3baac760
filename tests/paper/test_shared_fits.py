"""Fits that several runs share: made once, and judged on the split and prior of each run."""

import shutil
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from paper import protocol
from paper.datasets import SYNTHETIC, RealDataset
from paper.methods import METHODS, PUData, answer_of
from paper.protocol import Run, Split, load_split, real_runs, synthetic_runs
from paper.running import runner, work
from paper.running.collect import collect
from paper.running.raw import load_run, run_file
from paper.running.runner import costs, plan, run_all
from paper.running.shared_fits import fit_for
from paper.running.work import Settings, Task, outcome_of
from paper.running.workers import in_processes
from paper.schema import row_of

pytestmark = pytest.mark.slow

NAMES = ("naive", "pu_et", "oracle")
ESTIMATE = 0.55


@pytest.fixture(scope="module")
def fits():
    """A small table in place of a real one; counts the fits of each method."""
    monkeypatch = pytest.MonkeyPatch()
    X, y = load_breast_cancer(return_X_y=True)
    table = RealDataset("vote", X[:240, :5], y[:240] == 1, ())
    counted = Counter()

    def count(method, *given):
        counted[method] += 1
        return answer_of(method, *given)

    protocol._real_table.cache_clear()
    monkeypatch.setattr(protocol, "load_real", lambda name: table)
    monkeypatch.setattr(work, "answer_of", count)
    monkeypatch.setattr(
        work, "estimate_prior", lambda *given, **others: SimpleNamespace(prior=ESTIMATE)
    )
    yield counted
    monkeypatch.undo()
    protocol._real_table.cache_clear()


@pytest.fixture(scope="module")
def fitted(fits, tmp_path_factory):
    """All runs, each fitted or handed on."""
    results = tmp_path_factory.mktemp("fitted")
    report = do(asked_runs(), results)
    assert (report.n_asked, report.n_finished, report.is_complete) == (24, 24, True)
    assert fits == {"naive": 4, "pu_et": 8, "oracle": 1}
    return results


@pytest.fixture
def results(fits, fitted, tmp_path):
    """A copy of all runs, which a test may damage, and fits counted from here on."""
    fits.clear()
    return shutil.copytree(fitted, tmp_path / "results")


def shared_runs():
    return [run for run in asked_runs() if fit_for(run) != run]


def lose(results, runs):
    for run in runs:
        run_file(results, run).unlink()


def asked_runs():
    """Repetitions without the first, whose split the oracle is fitted for."""
    return real_runs(["vote"], NAMES, shares=[0.6, 0.1], repetitions=[1, 2])


def do(runs, results):
    return run_all(plan(runs, results), results, Settings(), in_processes(1), lambda text: None)


def test_methods_do_not_depend_on_more_than_they_say():
    data = load_split(Split("synthetic", "n1000-f5-p40-c2-s1.0-hypercube", 0.6, 0))
    rows = np.arange(0, 1000, 5)
    X, truth, labelled = data.X[rows], data.is_positive[rows], data.is_labelled[rows]
    fewer = labelled & (np.arange(len(rows)) % 3 > 0)
    for name in ("naive", "oracle", "pu_et"):
        answers = [
            answer_of(name, PUData("made", X, labels, prior, seed=7), truth)
            for labels, prior in ((labelled, 0.5), (labelled, 0.6), (fewer, 0.6))
        ]
        same = [np.array_equal(answers[0].scores, other.scores) for other in answers[1:]]
        assert (
            same
            == {
                "prior": [False, False],
                "labels": [True, False],
                "dataset": [True, True],
            }[METHODS[name].depends_on]
        )


def test_which_fit_serves_which_run():
    split = Split("real", "vote", 0.1, 3)
    first = Split("real", "vote", 0.6, 0)
    assert fit_for(Run(split, "pu_et", "estimated")) == Run(split, "pu_et", "estimated")
    assert fit_for(Run(split, "naive", "estimated")) == Run(split, "naive", "true")
    assert fit_for(Run(split, "oracle", "estimated")) == Run(first, "oracle", "true")
    # Each synthetic dataset is another one.
    for run in synthetic_runs([SYNTHETIC["n1000-f5-p40-c2-s1.0-hypercube"]], ["oracle"]):
        assert fit_for(run) == Run(run.split, "oracle", "true")


def test_every_run_is_there_and_nothing_is_fitted_twice(fits, results):
    runs = asked_runs()
    again = do(runs, results)
    assert (again.n_before, again.n_finished) == (24, 0)
    assert fits.total() == 0
    # The first split, for which the oracle was fitted, is a finished run too.
    assert len(collect(results).rows) == 25
    seconds = costs(runs, results)
    files = {run_file(results, fit_for(run)) for run in runs if run.method != "pu_et"}
    assert seconds["vote", "naive"] + seconds["vote", "oracle"] == pytest.approx(
        sum(load_run(path).facts["seconds"] for path in files)
    )


def test_shared_fits_are_judged_as_own_ones(results):
    for run in asked_runs():
        kept = load_run(run_file(results, run))
        fitted = load_run(run_file(results, fit_for(run)))
        assert kept.run == run
        assert kept.prior_used == (ESTIMATE if run.prior_kind == "estimated" else kept.prior_true)
        assert kept.facts["seconds"] == fitted.facts["seconds"]
        np.testing.assert_array_equal(kept.is_labelled, load_split(run.split).is_labelled)
        np.testing.assert_array_equal(kept.scores, fitted.scores)
    run = next(run for run in shared_runs() if run.method == "naive")
    assert run.prior_kind == "estimated"
    own = outcome_of(Task(run.split, run, ESTIMATE, Settings()))
    one, other = row_of(own), row_of(load_run(run_file(results, run)))
    timings = ("seconds", "peak_mb", "finished")
    assert {name: value for name, value in vars(one).items() if name not in timings} == {
        name: value for name, value in vars(other).items() if name not in timings
    }


def test_what_is_lost_is_made_again_without_other_fits(fits, results):
    runs, lost = asked_runs(), shared_runs()
    before = [row for row in collect(results).rows if row.method == "naive"]
    lose(results, lost)
    todo = plan(runs, results)
    assert (todo.unfinished, todo.fits) == (tuple(lost), ())
    assert do(runs, results).is_complete
    assert fits.total() == 0
    assert [row for row in collect(results).rows if row.method == "naive"] == before
    (oracle,) = {fit_for(run) for run in runs if run.method == "oracle"}
    for run in (oracle, runs[-1]):
        path = run_file(results, run)
        path.write_bytes(path.read_bytes()[:-20])
    assert do(runs, results).n_finished == 1
    assert fits == {"oracle": 1}


def test_an_interruption_while_fits_are_handed_on_loses_none(fits, results, monkeypatch):
    shared = shared_runs()
    lose(results, shared)

    def interrupted(run, *given):
        if run == shared[3]:
            raise KeyboardInterrupt
        return hand_on(run, *given)

    hand_on = runner.with_shared_fit
    with monkeypatch.context() as patched:
        patched.setattr(runner, "with_shared_fit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            do(asked_runs(), results)
    assert do(asked_runs(), results).n_finished == len(shared) - 3
    assert fits.total() == 0


def test_runs_lack_a_fit_that_failed(results, monkeypatch):
    def fail(method, *given):
        assert method == "oracle"
        raise RuntimeError("no oracle today")

    runs = asked_runs()
    lose(results, [run for run in runs if run.method == "oracle"])
    lose(results, {fit_for(run) for run in runs if run.method == "oracle"})
    with monkeypatch.context() as patched:
        patched.setattr(work, "answer_of", fail)
        report = do(runs, results)
    assert not report.is_complete
    assert len(report.failures) == 1
    assert {run.method for run in report.lacking} == {"oracle"}
    assert (len(report.lacking), report.n_before, report.n_finished) == (8, 16, 0)
    report = do(runs, results)
    assert (report.n_before, report.n_finished, report.is_complete) == (16, 8, True)
