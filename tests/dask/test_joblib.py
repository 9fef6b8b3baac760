"""Sweeps and folds run through joblib, which can move them to Dask."""

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

from pucut import TwoHNCClassifier
from pucut.model_selection import hidden_positive_scores

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.slow


@pytest.fixture
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def n_batches(client):
    """Batches of joblib that workers have finished."""
    prefixes = client.cluster.scheduler.task_prefixes
    return sum(
        prefix.state_counts["memory"] for name, prefix in prefixes.items() if "batch" in name
    )


@pytest.mark.filterwarnings("default")  # Dask speaks of ports in use
def test_sweeps_and_folds_run_on_the_workers(client):
    rng = np.random.default_rng(0)
    is_positive = rng.random(150) < 0.4
    X, y = rng.normal(size=(150, 4)) + is_positive[:, None], is_positive & (rng.random(150) < 0.5)
    model = TwoHNCClassifier(prior=0.4, n_estimators=4, n_neighbors=3, random_state=0)
    sweep = GridSearchCV(model, {"sigma": [0.3, 1.0]}, cv=2)

    def all_scores():
        return np.concatenate(
            [
                sweep.fit(X, y).cv_results_["mean_test_score"],
                cross_val_score(model, X, y, cv=2),
                hidden_positive_scores(model, X, y, prior=0.4),
            ]
        )

    here, before = all_scores(), n_batches(client)
    with joblib.parallel_config("dask"):
        there = all_scores()
    np.testing.assert_array_equal(there, here)
    assert n_batches(client) >= before + 3  # each of the three in one batch at least
