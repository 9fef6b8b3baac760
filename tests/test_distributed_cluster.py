"""2-HNC on a real cluster of four processes, of which some die: the result is that of one machine.

One cluster serves all tests; workers that were killed come back before the next.
"""

import os
import signal

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

from pucut import TwoHNCClassifier, compare
from pucut.estimators import two_hnc

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

# Dask speaks of workers that die, and of ports in use.
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(os.name != "posix", reason="kills processes"),
]

N_WORKERS = 4
SETTINGS = {"preset": "paper", "prior": 0.4, "n_estimators": 12, "random_state": 0}


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=N_WORKERS,
            threads_per_worker=1,
            memory_limit="600MB",
            dashboard_address=None,
            processes=True,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    is_positive = rng.random(1200) < 0.4
    X = (rng.normal(size=(1200, 5)) + is_positive[:, None]).astype(np.float32)
    X[::20, 2] = np.nan
    return X, is_positive & (rng.random(1200) < 0.5)


@pytest.fixture(scope="module")
def one(rows):
    return TwoHNCClassifier(**SETTINGS).fit(*rows)


def assert_same(found, one, X):
    for name in ("transduction_", "scores_", "feature_weights_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(one, name), err_msg=name)
    for name in ("stage1_", "stage2_"):
        np.testing.assert_array_equal(getattr(found, name).switch, getattr(one, name).switch)
    np.testing.assert_array_equal(found.predict_proba(X), one.predict_proba(X))


class Killer(distributed.SchedulerPlugin):
    """Kills the process that first finished a task of this name, and its results with it."""

    def __init__(self, scheduler, name, process_of):
        self.scheduler, self.name, self.process_of = scheduler, name, process_of
        self.killed = []

    def transition(self, key, start, finish, *args, **kwargs):
        if self.killed or finish != "memory" or not str(key).startswith(f"{self.name}-"):
            return
        holder = next(iter(self.scheduler.tasks[key].who_has)).address
        kill(self.process_of[holder], self.killed)


def kill(process, killed):
    os.kill(process, signal.SIGKILL)
    killed.append(process)


def living(client):
    client.wait_for_workers(N_WORKERS, timeout=60)
    return client.run(os.getpid)


@pytest.mark.parametrize(
    "task",
    [
        "take_columns",
        "learn_columns",
        "encoded_part",
        "joined_rows",
        "grow_trees",
        "weighted_points",
        "index_of_part",
        "search_part",
        "merge_found",
        "without_own_rows",
    ],
)
def test_a_worker_dies(client, rows, one, task):
    X, y = rows
    scheduler = client.cluster.scheduler
    killer = Killer(scheduler, task, living(client))
    scheduler.add_plugin(killer, name="killer")
    try:
        found = TwoHNCClassifier(**SETTINGS).fit(da.from_array(X, chunks=(150, 3)), y)
    finally:
        scheduler.remove_plugin("killer")
    assert killer.killed
    assert killer.killed[0] not in living(client).values()
    assert_same(found, one, X)


def test_a_worker_dies_while_the_path_is_solved_here(client, rows, one, monkeypatch):
    X, y = rows
    processes, killed = living(client), []

    def dying(*args, **kwargs):
        if not killed:
            kill(next(iter(processes.values())), killed)
        return solve(*args, **kwargs)

    solve = two_hnc.two_stage_cuts
    monkeypatch.setattr(two_hnc, "two_stage_cuts", dying)
    found = TwoHNCClassifier(**SETTINGS).fit(da.from_array(X, chunks=(150, 5)), y)
    assert killed[0] not in living(client).values()
    # The points that were lost are made again.
    assert_same(found, one, X)


def test_a_worker_dies_before_the_answers_for_new_rows(client, rows, one):
    X, y = rows
    found = TwoHNCClassifier(**SETTINGS, neighbors="dask").fit(X, y)
    lazy = found.predict_proba(da.from_array(X, chunks=(500, 5)))
    killed = []
    kill(next(iter(living(client).values())), killed)
    np.testing.assert_array_equal(lazy.compute(), one.predict_proba(X))
    assert killed[0] not in living(client).values()
