"""Threads: as many as are of use, and no more."""

import threading
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import ThreadpoolController

import pucut
from pucut._support import threads
from pucut._support.threads import in_threads, library_threads


def test_no_more_threads_than_jobs_or_processors(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    before = threading.active_count()
    for n_jobs in (2, 50):
        counts = in_threads(lambda _: threading.active_count() - before, range(n_jobs), 100_000)
        assert max(counts) <= min(3, n_jobs)
    assert in_threads(str, [], 5) == []


def thread_counts(user_api=None):
    """Threads of the libraries that are loaded, as the calling thread sees them."""
    found = ThreadpoolController().info()
    return [each["num_threads"] for each in found if user_api in (None, each["user_api"])]


@pytest.fixture
def two_threads():
    with ThreadpoolController().limit(limits=2):
        assert set(thread_counts()) == {2}
        yield


@pytest.mark.usefixtures("two_threads")
def test_libraries_are_held_back_and_let_go():
    with library_threads(1):
        assert set(thread_counts()) == {1}
        with library_threads(2):  # at most: nobody gets more than was allowed
            assert set(thread_counts()) == {1}
    assert set(thread_counts()) == {2}
    with library_threads(1, "blas"):
        assert set(thread_counts("blas")) == {1}
        assert set(thread_counts("openmp")) == {2}
    assert set(thread_counts()) == {2}


def test_libraries_are_looked_up_again_only_if_modules_were_loaded(monkeypatch):
    looked_up = []

    class Controller:
        def __init__(self):
            looked_up.append(self)
            self.lib_controllers = []

    monkeypatch.setattr(threads, "ThreadpoolController", Controller)
    modules = dict(threads.sys.modules)
    monkeypatch.setattr(threads.sys, "modules", modules)
    threads._libraries.cache_clear()
    for _ in range(3):
        with library_threads(1):
            pass
    assert len(looked_up) == 1
    modules["a_module_that_loads_a_library"] = None
    with library_threads(1):
        pass
    assert len(looked_up) == 2
    threads._libraries.cache_clear()


class Counting(ClassifierMixin, BaseEstimator):
    """Boosting that notes how many threads the libraries may use while it works."""

    seen: ClassVar[list[int]] = []  # one list for all clones

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model_ = HistGradientBoostingClassifier(max_iter=3, random_state=0).fit(X, y)
        self.seen.extend(thread_counts())
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        self.seen.extend(thread_counts())
        return self.model_.predict_proba(X)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize(
    "work",
    [
        lambda X, y, n_jobs: pucut.estimate_prior(
            X, y, "bbe", classifier=Counting(), n_jobs=n_jobs, random_state=0
        ),
        lambda X, y, n_jobs: (
            pucut.PUThresholdClassifier(Counting(), prior=0.5, n_jobs=n_jobs, random_state=0)
            .fit(X, y)
            .predict_proba(np.tile(X, (50, 1)))
        ),
        lambda X, y, n_jobs: (
            pucut.PUCutClassifier(
                prior=0.5, learners=[Counting()], n_estimators=5, n_jobs=n_jobs, random_state=0
            )
            .fit(X, y)
            .predict_proba(X)
        ),
    ],
    ids=["prior", "any classifier", "learner of the chooser"],
)
def test_boosting_gets_one_thread_whatever_n_jobs_is(work, n_jobs):
    random = np.random.RandomState(0)
    X = random.randn(120, 3)
    y = ((X[:, 0] > 0) & (random.rand(120) < 0.5)).astype(int)
    Counting.seen.clear()
    work(X, y, n_jobs)
    assert Counting.seen
    assert set(Counting.seen) == {1}
    assert set(thread_counts()) == {2}
