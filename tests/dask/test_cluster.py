"""Fits on a real cluster of three processes, of which some die: the result is that of one machine.

One cluster serves all tests; workers that were killed come back before the next.
"""

import os

import numpy as np
import pytest

from pucut import PUCutClassifier
from pucut.dask import DaskPUCutClassifier, DaskTwoHNCClassifier
from pucut.data.row_order import row_order
from pucut.methods.two_hnc import fitting
from tests.helpers.given_order import InGivenOrder

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

from benchmarks.dying_workers import PATIENCE, Killer, dying_workers  # noqa: E402  # needs distributed

# Dask speaks of workers that die, and of ports in use.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(os.name != "posix", reason="kills processes"),
]

N_WORKERS = 3
SETTINGS = {"prior": 0.4, "n_estimators": 12, "random_state": 0}


@pytest.fixture(scope="module")
def client():
    with (
        dask.config.set(PATIENCE),
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
    return InGivenOrder(**SETTINGS).fit(*rows)


def assert_same(found, one, X):
    for name in ("transduction_", "scores_", "feature_weights_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(one, name), err_msg=name)
    for name in ("stage1_", "stage2_"):
        np.testing.assert_array_equal(getattr(found, name).switch, getattr(one, name).switch)
    np.testing.assert_array_equal(found.predict_proba(X), one.predict_proba(X))


def fit_while_workers_die(client, names, model, X, y):
    client.wait_for_workers(2, timeout=240)
    with dying_workers(client, names) as killer:
        found = model.fit(X, y)
    assert set(killer.killed) == set(names)
    return found


# Tasks of standardising, of trees, of the search for neighbours and of its end.
@pytest.mark.parametrize("names", [("learn_columns", "search_part"), ("grow_trees", "merge_found")])
def test_workers_die(client, rows, one, names):
    X, y = rows
    collection = da.from_array(X, chunks=(150, 3))
    found = fit_while_workers_die(client, names, DaskTwoHNCClassifier(**SETTINGS), collection, y)
    assert_same(found, one, X)


def test_workers_die_under_the_chooser(client, rows):
    """While rows are scored by trees, and in both passes of the regressions."""
    order = row_order(*rows)
    X, y = (each[order] for each in rows)
    settings = {"prior": 0.4, "n_estimators": 5, "neighbors": "exact", "random_state": 0}
    one = PUCutClassifier(**settings).fit(X, y)
    names = ("leaf_scores", "results_of_blocks", "joined_blocks")
    found = fit_while_workers_die(
        client, names, DaskPUCutClassifier(**settings), da.from_array(X, chunks=(150, 5)), y
    )
    np.testing.assert_array_equal(found.scores_, one.scores_)
    np.testing.assert_array_equal(found.predict_proba(X), one.predict_proba(X))


def test_a_worker_dies_while_the_path_is_solved_here(client, rows, one, monkeypatch):
    X, y = rows
    client.wait_for_workers(2, timeout=240)
    killer = Killer(client.cluster, [])

    def dying(*args, **kwargs):
        if not killer.killed:
            killer.killed["path"] = killer.kill(next(iter(client.nthreads())))
        return solve(*args, **kwargs)

    solve = fitting.two_stage_cuts
    monkeypatch.setattr(fitting, "two_stage_cuts", dying)
    found = DaskTwoHNCClassifier(**SETTINGS).fit(da.from_array(X, chunks=(150, 5)), y)
    assert killer.killed
    # The points that were lost are made again.
    assert_same(found, one, X)
